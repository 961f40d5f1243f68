"""Errors inside plug-ins: one line that names the plug-in, and no traceback."""

from collections import defaultdict
from pathlib import Path

import pytest

from caesura.cli.main import main
from caesura.core import plugins
from cli.running import Program
from fake_distribution import install

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
ANN, BEN = (EXAMPLES / f"council.{name}.txt" for name in ("ann", "ben"))

METRIC = """
from dataclasses import dataclass
from typing import ClassVar

import caesura
import numpy as np


def share(words):
    return np.average([words], weights=[0])


@dataclass(frozen=True, repr=False)
class BrokenShare(caesura.Metric):
    name = "BrokenShare"
    main = "share"
    best: ClassVar = {"share": 0.0}

    def count(self, hypothesis, references):
        return caesura.Counts(words=len(hypothesis))

    def values(self, counts):
        return {"share": share(counts["words"])}
"""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = {"caesura.metrics": {"BrokenShare": "broken_share:BrokenShare"}}
    install(tmp_path, "caesura-broken", {"broken_share": METRIC}, points)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_plugins", defaultdict(dict))


@pytest.mark.usefixtures("broken")
def test_an_error_in_a_plugin_is_one_line(caesura: Program) -> None:
    done = caesura("-q", "score", ANN, "-r", BEN, "-m", "BrokenShare")
    assert done.code == 1
    assert done.err == (
        "caesura: the plug-in BrokenShare (caesura-broken 1.2) failed: ZeroDivisionError: "
        "Weights sum to zero, can't be normalized (broken_share.py, line 23)\n"
    )


def test_an_error_of_our_own_is_not_blamed_on_a_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("caesura.catalogue", fail)
    with pytest.raises(ZeroDivisionError):
        main(["list"])
