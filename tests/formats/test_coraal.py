"""Transcripts of the Corpus of Regional African American Language."""

from pathlib import Path

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.annotation.coraal import Coraal
from caesura.formats.asr.rev_nlp import Nlp
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"
HEADER = "Line\tSpkr\tStTime\tContent\tEnTime\n"
NAN = np.nan


def read(path: Path) -> Transcript:
    (found,) = Coraal().parse(Source(str(path), path.read_bytes()))
    return found


def test_reads_words_events_and_pauses() -> None:
    found = read(SAMPLES / "coraal.txt")
    assert found.id == "coraal"
    assert found.text == (
        "Okay. My name is <RD-NAME-3>, and <??> a little bit more. <sound_effect> Eth- and/or? "
        "<laughing> <laugh> Yes <unintelligible>."
    )
    assert found.words[4] == "<RD-NAME-3>"
    assert found.pause is not None
    assert [(i, pause) for i, pause in enumerate(found.pause) if pause] == [
        (0, "(pause)"),
        (16, "(pause)"),
    ]
    assert found.speaker is not None
    assert "".join(name[0] for name in found.speaker) == "IIIIIIPPPPPIIIIPII"
    assert found.sentences is None


def test_the_first_and_the_last_word_of_a_line_have_its_times() -> None:
    found = read(SAMPLES / "coraal.txt")
    assert found.start is not None
    assert found.end is not None
    np.testing.assert_array_equal(found.start[:7], [1.1436, 1.9174, *[NAN] * 4, 3.2])
    np.testing.assert_array_equal(found.end[:7], [1.7576, *[NAN] * 4, 3.5, NAN])
    np.testing.assert_array_equal(found.end[-3:], [5.5, NAN, 8])


def test_reads_columns_by_name() -> None:
    found = read(SAMPLES / "coraal-order.txt")
    assert found.words == ("Hello", "there")
    assert found.speaker is None
    np.testing.assert_array_equal(found.start, [1, NAN])
    np.testing.assert_array_equal(found.end, [NAN, 2.5])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n", "a.txt:1: the first line does not name the columns Line, Spkr, StTime, "),
        (HEADER + "1\tA\t1\thello\n", "a.txt:2: a line has 4 of 5 cells"),
        (HEADER + "\n1\tA\tx\thello\t2\n", "a.txt:3: 'x' is not a time in seconds"),
    ],
)
def test_refuses_what_is_no_coraal(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        list(Coraal().parse(Source("a.txt", text.encode())))
    assert str(caught.value).startswith(message)


def test_recognises_coraal_but_no_other_text() -> None:
    assert Coraal.recognises(Source("", (SAMPLES / "coraal-order.txt").read_bytes()))
    assert not Coraal.recognises(Source("", b"Line\tSpkr\n"))


def test_real_files_have_the_letters_of_their_nlp_twins(corpora: Path) -> None:
    """The .nlp files split some words differently, and have two notes as words."""
    folder = corpora / "coraal-multi" / "coraal"
    counted = {}
    for path in sorted((folder / "original").glob("*.txt")):
        found = read(path)
        twin_path = folder / "nlp" / f"{path.stem}.nlp"
        (twin,) = Nlp().parse(Source(str(twin_path), twin_path.read_bytes()))
        missing = {"ATL_se0_ag2_f_01_1": len("laugh"), "DCB_se1_ag1_f_01_1": len("s") * 2}
        assert len(_letters(twin)) - len(_letters(found)) == missing.get(found.id, 0)
        counted[found.id] = (len(found), found.pause and found.pause.count("(pause)"))
    assert counted == {
        "ATL_se0_ag1_f_02_1": (6687, 652),
        "ATL_se0_ag1_f_03_1": (4946, 397),
        "ATL_se0_ag2_f_01_1": (6879, 622),
        "DCB_se1_ag1_f_01_1": (7466, 454),
    }


def _letters(transcript: Transcript) -> str:
    words = "".join(word for word in transcript.words if not word.startswith("<")).lower()
    return "".join(char for char in words if char.isalnum())
