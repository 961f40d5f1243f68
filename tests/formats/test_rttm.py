"""NIST's rich transcription time marks."""

import io
from pathlib import Path

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.nist.rttm import Rttm

SAMPLES = Path(__file__).parent / "samples"
NAN = np.nan


def read(path: Path) -> list[Transcript]:
    return list(Rttm().parse(Source(str(path), path.read_bytes())))


def parsed(text: str) -> list[Transcript]:
    return list(Rttm().parse(Source("a.rttm", text.encode())))


def written(*transcripts: Transcript) -> str:
    file = io.BytesIO()
    Rttm().write(transcripts, file)
    return file.getvalue().decode()


def test_reads_words_in_the_order_of_their_times() -> None:
    (found,) = read(SAMPLES / "rttm.rttm")
    assert found.id == "talk"
    assert found.words == ("you", "th-", "%uh", "mhm", "U.S.", "so")
    assert found.speaker == ("Ana", "Ana", "Ana", "Ben", "Ana", "Ben")
    np.testing.assert_array_equal(found.start, [0.5, 1, 1.5, 2, 2.5, 3])
    np.testing.assert_array_equal(found.end, [1, 1.5, 2, 2.4, 3, 3.5])
    np.testing.assert_array_equal(found.confidence, [0.9, NAN, 0.25, NAN, NAN, NAN])


def test_a_sentence_ends_with_the_last_word_of_a_unit() -> None:
    """Ana's second unit goes on while Ben says mhm, which is a unit of its own."""
    (found,) = read(SAMPLES / "rttm.rttm")
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [1, 3, 4, 5]
    assert found.sentences.label == ("", "?", "", ".", ".", "")


def test_reads_nine_columns_channels_rough_and_unknown_times() -> None:
    one, two = read(SAMPLES / "rttm-short.rttm")
    assert (one.id, two.id) == ("talk.1", "talk.2")
    assert one.text == "hello, world."
    assert one.words == ("hello", "world")
    assert one.sentences is None
    assert one.confidence is None
    np.testing.assert_array_equal(one.start, [100.5, 101])
    assert two.words == ("yes", "no")
    assert two.speaker is None
    np.testing.assert_array_equal(two.end, [4, NAN])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "SPEAKER r 1 0 1 <NA> <NA> a <NA> <NA>\n",
            "a.rttm: the file has no words, it only says who speaks when; give a file with LEXEME",
        ),
        ("WORD r 1 0 1 a lex s <NA>\n", "a.rttm:1: 'WORD' is not a type of row that RTTM has"),
        ("\nLEXEME r 1 0 1 a lex\n", "a.rttm:2: a row has 7 fields of nine or ten"),
        ("LEXEME r 1 0 -1 a lex s <NA>\n", "a.rttm:1: '-1' is not a time in seconds"),
    ],
)
def test_refuses_what_has_no_words(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parsed(text)
    assert str(caught.value).startswith(message)


def test_writes_speakers_turns_units_and_words() -> None:
    transcript = Transcript(
        words=("so", "wh-", "me"),
        id="r.b",
        start=np.array([0, 1, 2.25]),
        end=np.array([0.5, 2, 2.5]),
        confidence=np.array([0.5, NAN, NAN]),
        speaker=("Al B", "Al B", ""),
        mark=("", "?", ""),
        sentences=Segmentation(np.array([False, True, True]), ("", "?", "")),
    )
    assert written(transcript).split("\n") == [
        "SPKR-INFO r b <NA> <NA> <NA> unknown Al_B <NA> <NA>",
        "SPKR-INFO r b <NA> <NA> <NA> unknown <NA> <NA> <NA>",
        "SPEAKER r b 0 2 <NA> <NA> Al_B <NA> <NA>",
        "SU r b 0 2 <NA> question Al_B <NA> <NA>",
        "LEXEME r b 0 0.5 so lex Al_B 0.5 <NA>",
        "LEXEME r b 1 1 wh-? frag Al_B <NA> <NA>",
        "SPEAKER r b 2.25 0.25 <NA> <NA> <NA> <NA> <NA>",
        "SU r b 2.25 0.25 <NA> <NA> <NA> <NA> <NA>",
        "LEXEME r b 2.25 0.25 me lex <NA> <NA> <NA>",
        "",
    ]


def test_real_files(corpora: Path) -> None:
    folder = corpora / "formats" / "rttm"
    with pytest.raises(FormatError, match="no words"):
        read(folder / "meeteval_hyp.rttm")
    counted = {}
    for name in ("sctk_sastt_case1.rttm", "sctk_sd_test6.rttm"):
        found = read(folder / name)
        lines = (folder / name).read_text().split("\n")
        assert sum(map(len, found)) == sum(line.startswith("LEXEME") for line in lines)
        assert parsed(written(*found)) == found
        counted[name] = {t.id: len(t) for t in found}
    assert counted == {
        "sctk_sastt_case1.rttm": {"VT_20051027-1400": 9, "ICSI_20011030-1030_d_NONE": 7},
        "sctk_sd_test6.rttm": {"sd_test6": 11},
    }
    (units,) = read(folder / "sctk_sd_test6.rttm")
    assert units.sentences is not None
    assert units.sentences.sentences == [(0, 1), (2, 3), (4, 5), (6, 8), (9, 10)]
    assert units.sentences.label is not None
    assert "".join(units.sentences.label) == "..?."
