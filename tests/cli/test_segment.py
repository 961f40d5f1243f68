"""`caesura segment`: what it says of the format to write."""

import json
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura.cli.segment import WITHOUT_SENTENCES
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.recognize import TABLE, is_writable
from cli.running import Program

PAUSES = "Pause(threshold=0.2, evidence=('pause',))"
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


def test_the_language_of_a_file_that_does_not_state_it(caesura: Program) -> None:
    assert "(English, by the first words)" in caesura("segment", CTM).err
    assert "(English, as stated)" in caesura("segment", CTM, "--language", "en").err
    done = caesura("segment", CTM, "--language", "Deutsch")
    assert "there is no model for German (as stated); pauses and marks decide alone" in done.err


def test_json_and_to_exclude_each_other(caesura: Program) -> None:
    done = caesura("segment", CTM, "--to", "srt", "--json")
    assert done.code == 2
    assert "--json and --to each say what to write: give one of them" in done.err


def test_sentences_keep_to_limits(caesura: Program) -> None:
    done = caesura("segment", CTM, "--detector", "Pause", "--longest", "5")
    assert done.code == 0
    assert all(len(line.split()) <= 5 for line in done.out.splitlines())
    short = caesura("segment", CTM, "--detector", "Pause", "--shortest", "15")
    assert all(len(line.split()) >= 15 for line in short.out.splitlines())


def test_preferences_give_fewer_or_more_sentences(caesura: Program) -> None:
    counts = [
        len(caesura("segment", CTM, "--detector", PAUSES, "--prefer", each).out.splitlines())
        for each in ("precision", "f1", "recall")
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--longest", "2x"], "longest is a number of words, as in 12, or of seconds, as in '12s'"),
        (["--shortest", "5", "--longest", "4"], "shortest, 5, is more than longest, 4"),
    ],
)
def test_wrong_limits_are_one_line(caesura: Program, given: list[str], message: str) -> None:
    for command in ("segment", "stream"):
        done = caesura(command, CTM, *given)
        assert done.code == 1
        assert len(done.err.splitlines()) == 1
        assert message in done.err


def test_boundaries_are_explained_within_80_columns(caesura: Program) -> None:
    whisper = CTM.parent / "interview.whisper.json"
    done = caesura("segment", whisper, "--explain", "--near-misses", "7", "--prefer", "recall")
    assert done.code == 0
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "interview: evidence for each boundary, in nats"
    for name in ("log-odds", "words", "pauses", "marks", "preference"):
        assert name in lines[2]
    assert any(" · " in line for line in lines)
    alone = caesura("segment", "-", "--format", "lines", "--explain", stdin=b"so it goes\n")
    assert "There is no boundary but the end." in alone.out


def test_the_json_has_language_speakers_and_probabilities(caesura: Program, tmp_path: Path) -> None:
    file = tmp_path / "talk.stm"
    file.write_text("t 1 Ann 0.0 2.0 thank you very much\nt 1 Ben 2.0 3.0 where do i go now\n")
    (detected, plain) = (
        json.loads(caesura("segment", file, "--json", "--detector", name).out)
        for name in ("en", "Pause")
    )
    assert detected["language"] == "en"
    assert plain["language"] == ""
    assert [each["speaker"] for each in detected["sentences"]] == ["Ann", "Ben"]
    first = detected["sentences"][0]
    assert first["probability"] == detected["probability"][first["last"]]
    assert 0.5 < first["probability"] < 1
    assert len(detected["probability"]) == len(detected["words"]) == len(detected["log_odds"])
    assert plain["probability"] == []
    assert plain["sentences"][0]["probability"] is None


def test_explanations_are_in_the_json(caesura: Program) -> None:
    told = caesura("segment", CTM, "--explain").err
    assert told.count("finds the sentences") == 1
    done = caesura("segment", CTM, "--explain", "--json", "--detector", "Pause")
    document = json.loads(done.out)
    assert len(document["explanation"]) == len(document["sentences"]) - 1
    assert document["explanation"][0]["parts"] == {"words": -1.0, "pauses": 5.0}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--near-misses", "2"], "--near-misses needs --explain"),
        (["--explain", "--to", "srt"], "--explain prints to standard output"),
        (["--explain", "-o", "x.txt"], "--explain prints to standard output"),
    ],
)
def test_explain_is_an_output_of_its_own(caesura: Program, given: list[str], message: str) -> None:
    done = caesura("segment", CTM, *given)
    assert done.code == 2
    assert message in done.err
