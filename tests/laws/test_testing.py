"""`caesura.testing` finds what breaks a law, and says which one."""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import hypothesis
import numpy as np
import pytest

from caesura.core import plugins, registry
from caesura.core.arrays import Floats
from caesura.core.protocols import Detector, Metric, Stream
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.detectors.window_stream import WindowStream
from caesura.formats.base import Source, TextFormat
from caesura.testing import check_detector, check_format, check_metric


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the classes of this module while a test runs."""
    monkeypatch.setattr(plugins, "_plugins", {kind: {} for kind in plugins.GROUPS})
    for each in (FirstReference, EveryThird, Careless):
        registry.register(each)


@dataclass(frozen=True, repr=False)
class FirstReference(Metric):
    """A metric that looks at the first reference only, so that their order matters."""

    name = "FirstReference"
    main = "share"
    best: ClassVar = {"share": 1.0}

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        if not references or hypothesis.sentences is None or references[0].sentences is None:
            return Counts()
        same = hypothesis.sentences.boundary == references[0].sentences.boundary
        return Counts(same=int(same.sum()), gaps=len(same))

    def values(self, counts: Counts) -> dict[str, Value]:
        return {"share": ratio(counts["same"], counts["gaps"], "there are no words")}


@dataclass(frozen=True, repr=False)
class EveryThird(Detector):
    """A detector whose stream forgets how many words it has seen."""

    name = "EveryThird"

    def log_odds(self, transcript: Transcript) -> Floats:
        return np.where(np.arange(len(transcript)) % 3 == 2, 1.0, -1.0)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        return WindowStream(self, ahead=1, behind=0, state=state)


@dataclass(frozen=True, repr=False)
class Careless(TextFormat):
    """A format that takes every second line for a number."""

    name = "careless"
    suffixes = (".careless",)
    carries = frozenset()

    def parse(self, source: Source) -> Iterator[Transcript]:
        lines = source.text.split("\n")
        list(map(int, lines[1::2]))
        yield Transcript(tuple(lines[0::2]))

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        yield "\n1\n".join(self.single(transcripts).words)


@pytest.mark.parametrize(
    ("check", "broken", "note"),
    [
        (check_metric, FirstReference(), "FirstReference() breaks a law: With references in anoth"),
        (check_detector, EveryThird(), "EveryThird() breaks a law: A stream of single words, sav"),
        (check_format, Careless(), "careless() breaks a law: Bytes that are no file at all"),
    ],
)
def test_a_broken_law_is_named(check: Any, broken: object, note: str) -> None:
    before = hypothesis.settings.default
    hypothesis.settings.load_profile("mutants")  # which does not shrink what fails
    try:
        with pytest.raises((AssertionError, ValueError)) as caught:
            check(broken)
    finally:
        hypothesis.settings.load_profile(os.environ.get("CAESURA_TESTS", "usual"))
    assert hypothesis.settings.default == before
    assert any(each.startswith(note) for each in caught.value.__notes__)


def test_without_hypothesis_the_package_to_install_is_named() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import caesura.testing, caesura\n"
        "try: caesura.testing.check_metric(caesura.parse('metric', 'Boundary'))\n"
        "except caesura.CaesuraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "caesura.testing needs hypothesis, which is not installed; "
        "install it: pip install 'caesura[testing]'\n"
    )
