"""Word errors, as people look at them."""

import json
from pathlib import Path

import pytest

from cli.running import Program

SAID = "the cat sat on the mat\r\nit was quiet there\r\n"
HEARD = "the bat sat down on the\nit was quiet there\n"


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    for name, text in (("said", SAID), ("heard", HEARD)):
        (tmp_path / f"{name}.txt").write_bytes(text.encode())
    given = [str(tmp_path / "heard.txt"), "-r", str(tmp_path / "said.txt"), "--format", "lines"]
    return ["-q", "score", *given, "--resamples", "0", "-m", "Words"]


def test_confusions_are_shown(caesura: Program, texts: list[str]) -> None:
    done = caesura(*texts)
    assert done.code == 0, done.err
    assert "Words that differ, the most frequent first" in done.out
    assert "in all 1 substituted, 1 inserted, 1 deleted" in done.out
    assert "REF" not in done.out


def test_lines_with_errors_or_all(
    caesura: Program, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    done = caesura(*texts, "--show", "errors")
    assert done.code == 0, done.err
    assert "REF 1 the cat sat **** on the mat\nHYP 1 the bat sat down on the ***\n" in done.out
    assert "⋯ 4 words without errors" in done.out
    assert "REF 7" not in done.out
    assert "REF 7 it was quiet there\n" in caesura(*texts, "--show", "all").out


def test_places_are_in_json(caesura: Program, texts: list[str]) -> None:
    found = json.loads(caesura(*texts, "--show", "errors", "--json").out)
    assert found["scores"][0]["values"]["wer"] == 0.3
    (one,) = found["alignments"]
    assert one["runs"] == [
        {"kind": "substituted", "reference": [1, 2], "hypothesis": [1, 2]},
        {"kind": "inserted", "reference": [3, 3], "hypothesis": [3, 4]},
        {"kind": "deleted", "reference": [5, 6], "hypothesis": [6, 6]},
    ]
    assert "alignments" not in json.loads(caesura(*texts, "--json").out)


def test_only_words_can_be_shown(caesura: Program, texts: list[str], tmp_path: Path) -> None:
    said, page = str(tmp_path / "said.txt"), tmp_path / "page.html"
    asked = ["score", said, "-r", said, "--format", "lines", "--show", "all", "--report", str(page)]
    done = caesura(*asked)
    assert done.code == 1
    assert "add --metric Words" in done.err
    assert not page.exists()


def test_sentences_that_do_not_pair_are_refused(caesura: Program, tmp_path: Path) -> None:
    for name, text in (("said", "a\nb\n"), ("heard", "a b\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    asked = ["-m", "Words(unit='sentence')", "--format", "lines"]
    done = caesura("score", tmp_path / "heard.txt", "-r", tmp_path / "said.txt", *asked)
    assert done.code == 1
    assert "there are 1 in the hypothesis, 2 in a reference" in done.err
    assert "Traceback" not in done.err
