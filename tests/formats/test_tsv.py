"""Tables with a sentence a row."""

import io
from pathlib import Path

import numpy as np
import pytest

from caesura.core.errors import FormatError, OutputError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.recognize import choose_format
from caesura.formats.tsv import Tsv

SAMPLES = Path(__file__).parent / "samples"
HEADER = "start\tend\tspeaker\ttext\n"
NAN = float("nan")


def sample(name: str) -> Transcript:
    (found,) = Tsv().parse(Source(f"{name}.tsv", (SAMPLES / f"{name}.tsv").read_bytes()))
    return found


def parsed(text: str, format: Tsv | None = None) -> Transcript:
    (found,) = (format or Tsv()).parse(Source("talk.tsv", text.encode()))
    return found


def written(*transcripts: Transcript) -> str:
    file = io.BytesIO()
    Tsv().write(transcripts, file)
    return file.getvalue().decode()


def test_a_row_is_a_sentence_with_its_times_and_speaker() -> None:
    found = sample("tsv")
    assert found.id == "tsv"
    assert [sentence.text for sentence in found.iter_sentences()] == [
        "Well, it rained.",
        'Did it ("really")?',
        "Yes!",
        "So it did",
    ]
    assert found.words[3:6] == ("Did", "it", "really")
    np.testing.assert_equal(found.start, [0.5, NAN, NAN, 2.4, NAN, NAN, NAN, 4.0, NAN, NAN])
    np.testing.assert_equal(found.end, [NAN, NAN, 2.25, NAN, NAN, NAN, NAN, NAN, NAN, 5.125])
    assert found.speaker == (*["Ana"] * 3, *["Ben"] * 3, "", *["Ana, Ben"] * 3)


def test_columns_come_in_any_order() -> None:
    found = sample("tsv-columns")
    assert found.text == "今日は雨です。そうですか。"
    assert len(found) == 11
    assert found.start is None
    assert found.end is not None
    assert found.end[[5, 10]].tolist() == [1.5, 2.0]
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [5, 10]


def test_whole_numbers_under_whispers_header_are_milliseconds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found = sample("tsv-whisper")
    assert found.start is not None
    assert found.start[[0, 4]].tolist() == [0, 2.48]
    assert "read as milliseconds, as Whisper writes them" in caplog.text
    caplog.clear()
    rows = "start\tend\ttext\n1\t2\tso\n"
    assert parsed(rows, Tsv("seconds")).end == pytest.approx([2.0])
    assert parsed(rows.replace("2", "2.5")).end == pytest.approx([2.5])
    assert parsed(HEADER + "1\t2\tAna\tso\n").end == pytest.approx([2.0])
    assert parsed(HEADER + "1\t2\tAna\tso\n", Tsv("milliseconds")).end == pytest.approx([0.002])
    assert not caplog.messages


def test_writes_a_row_for_each_sentence() -> None:
    transcript = Transcript(
        ("So", "it", "goes", "on"),
        start=np.array([0.5, NAN, 1.0, 1234567.25]),
        end=np.array([NAN, 0.75, NAN, NAN]),
        mark=("", ".", "", ""),
        speaker=("Ana", "Ben", "", ""),
        sentences=Segmentation.of_gaps(4, [1, 3]),
    )
    assert written(transcript) == (HEADER + "0.5\t0.75\tAna, Ben\tSo it.\n" + "1\t\t\tgoes on\n")
    assert written(Transcript(("a\tb", "c\nd"))) == HEADER + "\t\t\ta b c d\n"
    assert written(Transcript(())) == HEADER
    assert len(parsed(HEADER)) == 0


def test_holds_one_recording() -> None:
    with pytest.raises(OutputError, match="tsv holds one recording in a file, and there are 2"):
        written(Transcript(("a",)), Transcript(("b",)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("so it goes\n", "talk.tsv:1: the first row does not name a column 'text'; begin the"),
        (HEADER + "\n1\t2\tAna\n", "talk.tsv:3: a row has 3 of 4 cells"),
        (HEADER + "1\t2\tAna\tso\tit\n", "talk.tsv:2: a row has 5 of 4 cells"),
        (HEADER + "1\tsoon\tAna\tso\n", "talk.tsv:2: 'soon' is not a time in seconds"),
        (HEADER + "-1\t2\tAna\tso\n", "talk.tsv:2: '-1' is not a time in seconds"),
    ],
)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parsed(text)
    assert str(caught.value).startswith(message)


def test_a_unit_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="unit is one of seconds, milliseconds, not 'hours'"):
        Tsv("hours")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (HEADER + "1\t2\tAna\tso\n", "tsv"),
        ("Speaker\tText\nAna\tso\n", "tsv"),
        ("Oslo\tB-LOC\ntext\tO\n", "bio"),
        ("text\tPERIOD\nstart\tO\n", "iwslt"),
    ],
)
def test_other_tables_are_not_recognised(text: str, name: str) -> None:
    assert choose_format(Source("x.tsv", text.encode())).name == name
    assert choose_format(Source("<stdin>", text.encode())).name == name
