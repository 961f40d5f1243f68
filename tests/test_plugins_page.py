"""docs/plugins.md is a package that works: it is installed, used by commands, and tested."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fake_distribution import install

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
MODULES = dict(
    re.findall(r"^`(\w+)\.py`:\n\n```py(?:thon)?\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
)
PROJECT = tomllib.loads(re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0])["project"]

TRAIN = """%slashes
one: so it goes / we tied it shut / so be it / here it goes / that is it
two: we left it shut / here it is / nobody goes / so we tied it
"""
DEV = "%slashes\nthree: here nobody goes / so we left it shut\n"
HYPOTHESIS = "%slashes\nfour: so it goes we / left it shut\n"
REFERENCE = "%slashes\nfour: so it goes / we left / it shut\n"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package of the page into a folder."""
    folder = tmp_path_factory.mktemp("installed")
    install(folder, PROJECT["name"], MODULES, PROJECT["entry-points"], PROJECT["version"])
    return folder


def run(package: Path, folder: Path, *arguments: str, code: int = 0) -> str:
    """Run Python with the package installed, in a folder; return all output."""
    path = os.pathsep.join([str(package), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def caesura(package: Path, folder: Path, *arguments: str, code: int = 0) -> str:
    return run(package, folder, "-m", "caesura", *arguments, code=code)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write small files of the page's own format."""
    texts = {"train": TRAIN, "dev": DEV, "hypothesis": HYPOTHESIS, "reference": REFERENCE}
    for name, text in texts.items():
        (tmp_path / f"{name}.slashes").write_text(text)
    return tmp_path


def test_the_page_has_the_modules_that_its_project_names() -> None:
    points = [value for group in PROJECT["entry-points"].values() for value in group.values()]
    assert {point.partition(":")[0] for point in points} | {"test_laws"} == set(MODULES)
    assert all(len(line) <= 100 for source in MODULES.values() for line in source.splitlines())


def test_plugins_are_listed_with_their_distribution(package: Path, files: Path) -> None:
    for kind, name in (
        ("metrics", "CountError"),
        ("detectors", "LastWord"),
        ("formats", "slashes"),
    ):
        rows = json.loads(caesura(package, files, "list", kind, "--json"))[kind]
        (row,) = (row for row in rows if row["name"] == name)
        assert row["plugin"] == "caesura-example 1.0"
    shown = " ".join(caesura(package, files, "list", "metrics").split())
    assert "sentence of the reference. (From caesura-example 1.0.) Settings: least=1" in shown


def test_the_metric_scores_and_compares(package: Path, files: Path) -> None:
    sides = ("hypothesis.slashes", "--reference", "reference.slashes", "--json")
    shown = caesura(package, files, "-q", "score", *sides, "--metric", "CountError(least=3)")
    (scores,) = json.loads(shown)["scores"]
    assert scores["metric"] == "CountError(least=3)"
    assert scores["values"] == {"count_error": 1.0}
    both = ("reference.slashes", *sides)
    shown = caesura(package, files, "-q", "compare", *both, "--metric", "CountError")
    systems = json.loads(shown)["systems"]
    assert [each["scores"][0]["values"]["count_error"] for each in systems] == [0.0, 1 / 3]
    wrong = caesura(package, files, "score", *sides, "--metric", "CountError(least=0)", code=1)
    assert "CountError: least is a number of words, not 0" in wrong
    page = files / "page.html"
    caesura(package, files, "score", *sides[:3], "--metric", "CountError", "--report", str(page))
    assert "CountError" in page.read_text()


def test_the_detector_is_trained_stored_and_used(package: Path, files: Path) -> None:
    data = ("--train", "train.slashes", "--dev", "dev.slashes", "--tune", "smooth=0.5,1")
    caesura(package, files, "train", "LastWord", *data, "-o", "model")
    card = json.loads((files / "model" / "card.json").read_text())
    assert card["detector"].startswith("LastWord(smooth=")
    assert card["requires"] == ["caesura-example==1.0"]
    given = ("segment", "hypothesis.slashes", "--detector", "model", "--to", "slashes")
    shown = caesura(package, files, "-q", *given)
    assert shown == "%slashes\nfour: So it goes / We left it shut\n"
    words = "".join(f'{{"word": "{word}"}}\n' for word in "so it goes we left it shut".split())
    (files / "live.jsonl").write_text(words)
    streamed = caesura(package, files, "-q", "stream", "live.jsonl", "--detector", "model")
    assert streamed == "So it goes.\nWe left it shut.\n"
    (files / "talk.txt").write_text("so it goes")
    elsewhere = caesura(files, files, "segment", "talk.txt", "--detector", "model", code=1)
    assert "'LastWord'" in elsewhere
    assert "pip install caesura-example==1.0" in elsewhere


def test_the_format_writes_nothing_before_an_error(package: Path, files: Path) -> None:
    shown = caesura(package, files, "segment", "nosuch.ctm", "--to", "slashes", code=1)
    assert "nosuch.ctm: cannot be read" in shown
    assert "%slashes" not in shown


def test_the_format_is_recognised_and_written(package: Path, files: Path) -> None:
    (files / "unknown.text").write_text(REFERENCE)
    (files / "plain.txt").write_text("So it goes. We left.")
    for name in ("reference.slashes", "unknown.text"):
        shown = caesura(package, files, "-q", "convert", name, "--to", "slashes")
        assert shown == REFERENCE
    caesura(package, files, "convert", "plain.txt", "-o", "out.slashes")
    assert (files / "out.slashes").read_text() == "%slashes\nplain: So it goes / We left\n"
    (files / "bad.slashes").write_text("no colon")
    wrong = caesura(package, files, "convert", "bad.slashes", "--to", "text", code=1)
    assert "bad.slashes:1: a line is 'id: words / words'; write a colon" in wrong


def test_the_laws_hold(package: Path, tmp_path: Path) -> None:
    shown = run(package, tmp_path, "-m", "pytest", "-q", str(package / "test_laws.py"))
    assert "3 passed" in shown


def test_help_and_import_stay_light(package: Path, tmp_path: Path) -> None:
    code = "import sys, caesura; print('numpy' in sys.modules, 'count_error' in sys.modules)"
    assert run(package, tmp_path, "-c", code) == "False False\n"
