"""CTM in the shapes that NIST, Kaldi and Rev give it."""

import io
import logging
from pathlib import Path

import numpy as np
import pytest

from caesura import api
from caesura.core.errors import FormatError, OutputError
from caesura.core.transcript import Span, Transcript
from caesura.formats.nist.ctm import Ctm

SAMPLE = Path(__file__).parent / "samples" / "ctm.ctm"


def read(text: str) -> list[Transcript]:
    return list(Ctm().read(io.BytesIO(text.encode())))


def written(*transcripts: Transcript) -> str:
    file = io.BytesIO()
    Ctm().write(transcripts, file)
    return file.getvalue().decode()


def test_the_fourth_column_is_a_duration() -> None:
    (found,) = read("talk A 1.25 0.5 hello 0.9\ntalk A 1.80 0.1 there 0.8\n")
    assert found.id == "talk"
    assert found.start is not None
    assert found.end is not None
    assert found.confidence is not None
    assert found.start.tolist() == [1.25, 1.8]
    assert found.end.tolist() == [1.75, 1.9]
    assert found.confidence.tolist() == [0.9, 0.8]


def test_sample(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="caesura"):
        one, two = api.read(SAMPLE)
    assert (one.id, two.id) == ("talk.A", "talk.B")
    assert one.words == ("good", "morning", "we're")
    assert one.mark == ("", ";", "")
    assert one.pause == ("", "<sil>", "")
    assert two.words == ("hello", "there")
    assert two.speaker == ("", "Ana")
    assert two.confidence is None
    assert "1 alternative: only the first one is read" in caplog.text


@pytest.mark.parametrize("marker", ["<s>", "</s>", "<sil>", "<SIL>", "SIL", "<eps>", "[pause]"])
def test_pause_markers_become_pauses(marker: str) -> None:
    (found,) = read(f"t 1 0 1 a\nt 1 1 0.6 {marker}\nt 1 1.6 1 b\nt 1 2.6 1 {marker}\n")
    assert found.words == ("a", "b")
    assert found.pause == (marker, marker)
    assert found.pauses()[0] == pytest.approx(0.6)


def test_events_stay_words() -> None:
    assert read("t 1 0 1 <laugh>\nt 1 1 1 <unk>\n")[0].words == ("<laugh>", "<unk>")


def test_punctuation_on_its_own_is_no_word() -> None:
    (found,) = read("t 1 0 1 ¿\nt 1 0 1 d\nt 1 1 1 ,\nt 1 1 1 (\nt 1 2 1 e\nt 1 2 1 )\nt 1 2 1 .\n")
    assert found.words == ("d", "e")
    assert found.opening == ("¿", "(")
    assert found.mark == (",", ").")
    assert found.start is not None
    assert found.start.tolist() == [0, 2]


def test_a_file_of_punctuation_alone_has_words() -> None:
    assert read("t 1 0 1 ,\nt 1 1 1 <sil>\nt 1 2 1 (\n")[0].words == (",", "(")


@pytest.mark.parametrize("event", ["[noise]", "[laughter]", "(%hesitation)", "<laugh>"])
def test_events_in_brackets_stay_one_word(event: str) -> None:
    (found,) = read(f"t 1 0 1 Well,\nt 1 1 1 {event}\n")
    assert found.words == ("Well", event)
    assert found.mark == (",", "")


def test_channels_may_alternate_from_line_to_line() -> None:
    rows = [f"t {'AB'[i % 2]} {i} 0.5 w{i}" for i in range(6)]
    one, two = read("\n".join(rows))
    assert one.words == ("w0", "w2", "w4")
    assert two.words == ("w1", "w3", "w5")
    assert two.start is not None
    assert two.start.tolist() == [1, 3, 5]


def test_regular_and_irregular_blocks_are_read_alike() -> None:
    plain = "".join(f"t 1 {i / 4} 0.125 w{i},\n" for i in range(50))
    assert read(plain) == read(";; a comment makes the reader careful\n" + plain)


def test_lines_of_different_width_do_not_shift_each_other() -> None:
    (found,) = read("7 1 0 1 5 0.5\n7 1 1 1 6\n7 1 2 1 8 0.5 lex\n")
    assert found.words == ("5", "6", "8")
    assert found.confidence is not None
    assert np.isnan(found.confidence).tolist() == [False, True, False]


@pytest.mark.parametrize("comment", ["", ";; with care\n"])
def test_confidence_outside_its_bounds_is_unknown(comment: str) -> None:
    (found,) = read(f"{comment}t 1 0 1 a 0.5\nt 1 1 1 b -6.7\nt 1 2 1 c 87\nt 1 3 1 d nan\n")
    assert found.confidence is not None
    assert np.isnan(found.confidence).tolist() == [False, True, True, True]


def test_ids_are_unique() -> None:
    rows = "a 1 0 1 x\na 2 0 1 y\na.1 1 0 1 z\n"
    assert [t.id for t in read(rows)] == ["a.1", "a.2", "a.1-2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t 1 1e12 1 a\n", ":1: the time '1e12' is later than any recording lasts"),
        ("t 1 0 1 a\nt 1 1\n", ":2: a row has 3 fields"),
        ("t 1 x 1 a\n", ":1: 'x' is not a time in seconds"),
        ("t 1 -3 1 a\n", ":1: '-3' is not a time in seconds"),
        ("t 1 0 nan a\n", ":1: 'nan' is not a time in seconds"),
        ("t 1 0 1 a high\n", ":1: 'high' is not a confidence"),
        ("t 1 * * <ALT_BEGIN>\nt 1 0 1 a\n", "an <ALT_BEGIN> has no <ALT_END>"),
    ],
)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert message in str(caught.value)


def test_unknown_times_are_interpolated_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    words = Transcript(
        ("a", "b", "c", "d"),
        id="talk",
        start=np.array([0, np.nan, np.nan, 3]),
        end=np.array([1, np.nan, np.nan, 4]),
    )
    with caplog.at_level(logging.WARNING, logger="caesura"):
        (back,) = read(written(words))
    assert back.words == words.words
    assert back.start is not None
    assert back.start.tolist() == [0, 1, 2, 3]
    assert "no times for 2 of 4 words" in caplog.text


def test_without_any_time_there_is_no_ctm() -> None:
    with pytest.raises(OutputError, match="talk has no times, and ctm needs them"):
        written(Transcript(("a",), id="talk"))


def timed(*words: str, id: str = "t") -> Transcript:
    start = np.array([place + 0.123456 for place in range(len(words))])
    return Transcript(words, id=id, start=start, end=start + 0.5)


def test_no_precision_is_lost() -> None:
    given = timed("a", "b").replace(confidence=np.array([1 / 3, 1e-9]))
    assert written(given).startswith("t 1 0.123456 0.5 a 0.3333333333333333\n")
    assert read(written(given)) == [given]


def test_the_pause_after_the_last_word_is_kept() -> None:
    given = timed("a", "b").replace(pause=("", "<sil>"))
    assert read(written(given)) == [given]


def test_words_of_a_contraction_are_one_row() -> None:
    given = timed("vamos", "nos", "já").replace(multiwords=(Span(0, 1, "vamonos"),))
    (back,) = read(written(given))
    assert back.words == ("vamonos", "já")
    assert back.end is not None
    assert back.end.tolist() == [1.623456, 2.623456]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([timed("a", "")], "a word is '', which cannot be in a CTM"),
        ([timed("sil")], "a word is 'sil', which stands for something else in a CTM"),
        ([timed("<ALT>")], "a word is '<ALT>', which stands for something else"),
        ([timed("a", id=";;x")], "the id ';;x' would make each row of a CTM a comment"),
        ([timed("a", id="a"), timed("a", id="a.1")], "'a' and 'a.1' would be one in a CTM: 'a 1'"),
    ],
)
def test_refuses_what_could_not_be_read_back(given: list[Transcript], message: str) -> None:
    with pytest.raises(OutputError) as caught:
        written(*given)
    assert message in str(caught.value)
    assert caught.value.remedy


def test_blanks_inside_fields_do_not_break_rows() -> None:
    number = Transcript(("1 000",), id="my talk", start=np.array([0.0]), end=np.array([1.0]))
    assert written(number) == "my_talk 1 0 1 1_000\n"


@pytest.mark.parametrize(
    ("name", "words"), [("rev-kaldi", 264_196), ("kaldi-librispeech", 275_408)]
)
def test_totals_of_the_recognisers(corpora: Path, name: str, words: int) -> None:
    found = list(api.read(corpora / "earnings21" / "recognisers" / name))
    assert len(found) == 33
    assert all({"start", "end", "confidence"} <= set(t.layers) for t in found)
    spoken = [w for t in found for w in t.words if any(map(str.isalnum, w)) and w[0] != "<"]
    assert len(spoken) == words
