"""Sentences are shown with capitals and marks, and scored as they were read."""

import json
from pathlib import Path

import pytest

import caesura as library
from caesura.core.transcript import Transcript
from cli.running import Program
from detectors.cased import Cased

ROOT = Path(__file__).parent.parent.parent
CTM = ROOT / "examples" / "council.ctm"
ANN = ROOT / "examples" / "council.ann.txt"

TALK = Transcript("ann went to berlin why and may i come now so it goes".split(), language="en")
SHOWN = ["Ann went to Berlin, why?", "And may I come now.", "So it goes."]


def bare_text(shown: str) -> str:
    return "".join(char for char in shown if char not in ".,?").lower()


def test_words_stay_as_they_were_read_if_asked(caesura: Program) -> None:
    shown, read = caesura("segment", CTM).out, caesura("segment", CTM, "--as-read").out
    assert shown.startswith("Good morning everyone and welcome.\nBefore")
    assert read.startswith("good morning everyone and welcome\nbefore")
    assert bare_text(shown) == read
    live = caesura("stream", CTM, "--as-read", "--to", "jsonl").out.splitlines()
    assert "read" not in json.loads(live[0])
    live = caesura("stream", CTM, "--to", "jsonl").out.splitlines()
    assert json.loads(live[0])["read"][0] == "good"
    said = json.loads(caesura("stream", CTM, "--json").out.splitlines()[0])
    assert said["text"].startswith("Good morning")
    assert bare_text(said["text"]) == said["read"]


@pytest.mark.parametrize("to", ["text", "srt", "vtt", "ttml", "tsv", "stm", "whisper", "textgrid"])
def test_every_format_shows_restored_words(to: str) -> None:
    (found,) = library.segment(CTM)
    shown = " ".join(library.dumps(found, to).split())
    assert "Any questions so far?" in shown


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A reference without capitals and marks."""
    path = tmp_path / "bare.txt"
    lines = ANN.read_text(encoding="utf-8").splitlines()
    text = "\n".join("".join(c for c in line.lower() if c not in ".,?!") for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("options", [(), ("--as-read",)])
def test_jsonl_is_scored_against_references_with_and_without_marks(
    caesura: Program, tmp_path: Path, bare: Path, options: tuple[str, ...]
) -> None:
    found = tmp_path / "council.jsonl"
    caesura("segment", CTM, *options, "--output", found)
    (read,) = library.segment(CTM, restore=False)
    ours = library.score(read, reference=ANN, metric="Boundary")["Boundary"]["f1"]
    for metric, value, expected in (("Boundary", "f1", ours), ("Words", "wer", 0.0)):
        for reference in (ANN, bare):
            done = caesura("score", found, "-r", reference, "-m", metric, "--json")
            assert done.code == 0, done.err
            assert json.loads(done.out)["scores"][0]["values"][value] == pytest.approx(expected)
    done = caesura("score", found, "-r", ANN, "-m", "Boundary")
    assert "|normalize=case|" in done.out


@pytest.mark.parametrize("options", [(), ("--as-read",)])
def test_captions_are_scored_against_references_with_and_without_marks(
    caesura: Program, tmp_path: Path, bare: Path, options: tuple[str, ...]
) -> None:
    found = tmp_path / "council.srt"
    caesura("segment", CTM, *options, "--output", found)
    for reference in (ANN, bare):
        done = caesura("score", found, "-r", reference, "-m", "Words", "--json")
        assert done.code == 0, done.err
        assert json.loads(done.out)["scores"][0]["values"]["wer"] == 0


def test_metrics_of_raw_text_compare_what_was_read() -> None:
    (read,) = library.segment(CTM, restore=False)
    (shown,) = library.segment(CTM)
    assert shown.words != read.words
    for metric in ("Joint", "Boundary", "Words"):
        same = library.score(shown, reference=read, metric=metric).values
        assert same == library.score(read, reference=read, metric=metric).values
    turkish = Transcript(("istanbul", "güzel"), language="tr", sentences=[(0, 1)])
    for metric in ("Words", "Boundary"):
        assert library.score(library.restore(turkish), reference=turkish, metric=metric)
    counted = library.score(library.restore(turkish), reference=turkish, metric="Words")
    assert counted["Words"]["wer"] == 0


def test_a_restored_recording_is_segmented_as_it_was_read() -> None:
    (shown,) = library.segment(CTM, detector="Pause")
    for normalize in ("none", "case"):
        (again,) = library.segment(shown, detector="Pause", normalize=normalize)
        assert again == shown
    assert library.as_read(shown).mark is None


@pytest.mark.parametrize("size", [1, 2, 5, 13])
def test_a_stream_shows_what_the_whole_recording_shows(size: int) -> None:
    (whole,) = library.segment(TALK, detector=Cased())
    parts = [TALK[at : at + size] for at in range(0, len(TALK), size)]
    live = list(library.stream(parts, detector=Cased()))
    assert [each.text for each in live] == [each.text for each in whole.iter_sentences()] == SHOWN
    assert [each.read for each in live] == [each.read for each in whole.split_sentences()]
    (again,) = library.stream([library.restore(live[0])], detector=Cased())
    assert again.text == SHOWN[0]
    read = library.stream(parts, detector=Cased(), restore=False)
    assert Transcript.join(read).words == TALK.words


def test_a_silence_keeps_the_language_of_the_model() -> None:
    words = [{"word": "so", "start": at, "end": at + 0.5} for at in range(60)]
    words[-1] = {"word": "i", "start": 99.0, "end": 99.5}
    words[-3] = {"word": "i", "start": 57.0, "end": 57.5}
    texts = [each.text for each in library.stream(words, detector="en", silence=9)]
    assert texts[-2].replace(",", "").endswith(" so I so.")
    assert texts[-1] == "I."
