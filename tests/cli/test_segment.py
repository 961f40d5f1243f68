"""`caesura segment`: what it says of the format to write."""

from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura.cli.segment import WITHOUT_SENTENCES
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.recognize import TABLE, is_writable
from cli.running import Program

CTM = Path(__file__).parent.parent.parent / "examples" / "council.ctm"


@pytest.mark.parametrize("name", [name for name in TABLE if is_writable(name)])
def test_it_is_known_which_formats_lose_sentences(name: str) -> None:
    times = np.arange(5.0)
    words = ("so", "it", "goes", "we", "said")
    talk = Transcript(words, id="talk", start=times, end=times + 1)
    divided = talk.replace(sentences=Segmentation.of_gaps(5, [2, 4]))
    same = caesura.dumps(divided, name) == caesura.dumps(talk, name)
    assert same == (name in WITHOUT_SENTENCES)


@pytest.mark.parametrize("given", [["-o", "out.ctm"], ["--to", "trn"]])
def test_a_format_without_sentences_is_warned_of(
    caesura: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = caesura("segment", CTM, "--detector", "Pause", *given)
    assert done.code == 0
    assert (
        f"caesura: {given[1][-3:]} does not hold sentences, so those found are lost; " in done.err
    )
    assert "lines, text, turns, tokens, jsonl, tsv, stm, rttm, whisper, srt" in done.err


def test_other_formats_get_no_warning(caesura: Program) -> None:
    for format in ("srt", "jsonl"):
        assert "lost" not in caesura("segment", CTM, "--detector", "Pause", "--to", format).err


def test_json_and_to_exclude_each_other(caesura: Program) -> None:
    done = caesura("segment", CTM, "--to", "srt", "--json")
    assert done.code == 2
    assert "--json and --to each say what to write: give one of them" in done.err
