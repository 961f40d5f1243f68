"""NIST's segment time marks."""

import io
import logging
from pathlib import Path

import numpy as np
import pytest

from caesura import api
from caesura.core.errors import FormatError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.formats.base import Source
from caesura.formats.nist.stm import Stm

SAMPLES = Path(__file__).parent / "samples"
NAN = np.nan


def read(path: Path) -> list[Transcript]:
    return list(Stm().parse(Source(str(path), path.read_bytes())))


def parsed(text: str) -> list[Transcript]:
    return list(Stm().parse(Source("a.stm", text.encode())))


def written(*transcripts: Transcript) -> str:
    file = io.BytesIO()
    Stm().write(transcripts, file)
    return file.getvalue().decode()


def test_reads_channels_alternatives_and_escapes(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "caesura"):
        a, b, other = read(SAMPLES / "stm.stm")
    assert [t.id for t in (a, b, other)] == ["talk.a", "talk.b", "other"]
    assert a.words == ("well", "um", "that's", "a;s", "far", *"we -a saw New York the end".split())
    assert a.alternatives == (
        Span(1, 1, ""),
        Span(1, 1, "uh"),
        Span(6, 6, ""),
        Span(8, 9, "N. Y."),
        Span(8, 9, "it"),
    )
    assert a.speaker == ("Ana",) * 12
    assert a.pause == (*[""] * 9, "<sil>", "", "")
    np.testing.assert_array_equal(a.start, [1.06, *[NAN] * 4, 5.25, *[NAN] * 6])
    np.testing.assert_array_equal(a.end, [*[NAN] * 4, 3.5, *[NAN] * 6, 7])
    assert a.sentences is None
    assert b.text == "(%HESITATION) yes."
    assert b.words == ("%HESITATION", "yes")
    assert other.words == ("{NOISE}", "hello", "[laughter]")
    assert other.speaker is None
    assert [message.split(": ", 1)[1] for message in caplog.messages] == [
        "1 row is to be ignored in scoring and left out: words that a hypothesis has there count "
        "as insertions, unless you leave them out of it too",
    ]


def test_the_nearest_alternative_is_scored() -> None:
    (said,) = parsed("r 1 s 0 2 the cat { sat / sits / @ } down\n")
    for text in ("the cat sat down", "the cat sits down", "the cat down"):
        found = Transcript(tuple(text.split()), id="r")
        assert api.score(found, reference=said, metric="Words").values[0]["wer"] == 0


def test_reads_rows_without_labels_in_the_order_of_their_times() -> None:
    (found,) = read(SAMPLES / "stm-plain.stm")
    assert found.text == "Good morning, everyone So who's here? <laugh> not you"
    assert found.speaker == (*["Cleo"] * 6, *["Dan"] * 3)
    np.testing.assert_array_equal(found.start, [1, NAN, NAN, 1.5, NAN, NAN, 3.5, NAN, NAN])
    np.testing.assert_array_equal(found.end, [NAN, NAN, 2, NAN, NAN, 3, NAN, NAN, 4])


def test_a_row_that_ends_before_it_begins_has_no_end(caplog: pytest.LogCaptureFixture) -> None:
    (found,) = parsed("r 1 s 2 1 a\n")
    assert found.start is not None
    assert found.start[0] == 2
    assert found.end is None
    assert caplog.messages == ["a.stm:1: the row ends before it begins"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("r 1 s 1\n", "a.stm:1: a row does not have the fields recording, channel, speaker, "),
        (";;\nr 1 s x 2 a\n", "a.stm:2: 'x' is not a time in seconds"),
        ("r 1 s 1 2 a { b / c\n", "a.stm:1: an alternative that begins with { is not closed"),
    ],
)
def test_refuses_what_is_no_stm(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parsed(text)
    assert str(caught.value).startswith(message)


def test_recognises_stm_but_no_similar_format() -> None:
    assert Stm.recognises(Source("", (SAMPLES / "stm-plain.stm").read_bytes()))
    assert not Stm.recognises(Source("", b"talk A 0.25 0.5 1 0.9\n"))
    assert not Stm.recognises(Source("", b"SPEAKER talk 1 0.5 1.5 <NA> <NA> Ana <NA> <NA>\n"))


def test_keeps_the_rows_that_were_read() -> None:
    rows = "r 1 s 1 2.5 a b, c.\nr 1 s 2.5 3 d\nr 1 t 3 4.125 <laugh> e\\;f\n"
    labelled = "r 1 s 1 2.5 <O> a b, c.\nr 1 s 2.5 3 <O> d\nr 1 t 3 4.125 <O> <laugh> e\\;f\n"
    assert written(*parsed(rows)) == labelled
    assert parsed(labelled) == parsed(rows)


def test_writes_a_row_for_each_sentence_and_speaker() -> None:
    transcript = Transcript(
        words=("a", "b", "c", "@"),
        id="r.2",
        start=np.array([0, 1, 2, 3.0]),
        end=np.array([0.5, 1.5, 2.5, 3.5]),
        speaker=("", "x y", "x y", "x y"),
        sentences=Segmentation.of_gaps(4, [2]),
    )
    text = written(transcript)
    assert text == "r 2 unknown 0 0.5 a\nr 2 x_y 1 2.5 b c\nr 2 x_y 3 3.5 \\@\n"
    assert parsed(text)[0].words == transcript.words


def test_real_files(corpora: Path) -> None:
    """Counts are awk's: second alternatives and braces cut out, fields after the label counted."""
    counted = {}
    for path in sorted((corpora / "formats" / "stm").iterdir()):
        found = read(path)
        counted[path.name] = {t.id: len(t) for t in found}
        assert [t.words for t in parsed(written(*found))] == [t.words for t in found]
    assert counted == {
        "meeteval_ref.stm": {"recordingA": 62, "recordingB": 30},
        "sctk_arb2004.stm": {"test.arb2004.A": 150, "test.arb2004.B": 68},
        "sctk_lvc_refe.stm": {"2347.a": 253, "2347.b": 642, "3129.a": 188, "3129.b": 599},
    }
