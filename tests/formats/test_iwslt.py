"""Words with the names of their marks, as the IWSLT punctuation task has them."""

import io
from pathlib import Path

import numpy as np
import pytest

from caesura.core.errors import FormatError, OutputError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.base import Source
from caesura.formats.linguistic.iwslt import Iwslt

SAMPLES = Path(__file__).parent / "samples"


def read(text: str, name: str = "talk.tsv") -> Transcript:
    (found,) = Iwslt().parse(Source(name, text.encode()))
    return found


def written(*transcripts: Transcript) -> str:
    file = io.BytesIO()
    Iwslt().write(transcripts, file)
    return file.getvalue().decode()


def test_sample() -> None:
    text = (SAMPLES / "iwslt.tsv").read_text("utf-8")
    found = read(text)
    # the sixth row has no word: it stays, with its mark
    assert found.words == ("i", "'m", "late", "again", "why", "", "oh", "são", "--")
    assert found.mark == ("", "", ",", ".", "?", ",", "!", "", "")
    assert found.sentences is not None
    assert found.sentences.label == found.mark
    assert found.sentences.gaps.tolist() == [3, 4, 6, 8]
    assert found.id == "talk"
    assert written(found) == text


def test_a_byte_order_mark_is_no_part_of_the_first_word() -> None:
    data = (SAMPLES / "iwslt-bom.iwslt").read_bytes()
    (found,) = Iwslt().parse(Source("x.iwslt", data))
    assert found.words[0] == "গেল"


def test_labels_from_what_is_written_and_from_boundaries() -> None:
    marks = ("...", "?”", " —", ";", "")
    transcript = Transcript(("a", "b", "c", "d", "e"), mark=marks)
    labels = [row.split("\t")[1] for row in written(transcript).splitlines()]
    assert labels == ["ELLIPSIS", "QUESTION", "DASH", "SEMICOLON", "O"]
    cut = transcript.replace(sentences=Segmentation.of_gaps(5, [0, 2]))
    labels = [row.split("\t")[1] for row in written(cut).splitlines()]
    assert labels == ["PERIOD", "O", "PERIOD", "SEMICOLON", "O"]
    named = Segmentation(np.array([True, False, True]), ("!", ",", ""))
    labels = [row.split("\t")[1] for row in written(cut[:3].replace(sentences=named)).splitlines()]
    assert labels == ["EXCLAMATION", "COMMA", "O"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("so\tO\nwell\n", "talk.tsv:2: 'well' has no label; a row has a word, a TAB and one of O"),
        ("so\tO\nwell\t1\n", "talk.tsv:2: '1' is no label"),
        ("so\tO\nwell\tB-PER\n", "talk.tsv:2: 'B-PER' is no label"),
        ("so\tO\tO\n", "talk.tsv:1: 'O\\tO' is no label"),
    ],
)
def test_errors_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert str(caught.value).startswith(message)


def test_holds_one_recording() -> None:
    with pytest.raises(OutputError, match="holds one recording"):
        written(Transcript(("a",)), Transcript(("b",)))


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("i\tO\nsee\tPERIOD\n", True),
        ("Ana\tB-PER\nis\tO\n", False),
        ("i\tO\nsee\tO\n", False),
        ("COMMA\nPERIOD\n", False),
        ("", False),
    ],
)
def test_recognises_labels(text: str, known: bool) -> None:
    assert Iwslt.recognises(Source("x.txt", text.encode())) is known


@pytest.mark.parametrize(
    ("name", "rows", "empty", "ends"),
    [
        ("iwslt-ted/dev2012", 295800, 10, 18910 + 1517),
        ("formats/iwslt-word-label/xashru_test2011asr.tsv", 12822, 0, 809 + 35),
        ("formats/iwslt-word-label/xashru_bn_test_asr.tsv", 6417, 0, 887 + 125),
    ],
)
def test_totals(name: str, rows: int, empty: int, ends: int, corpora: Path) -> None:
    source = Source(name, (corpora / name).read_bytes())
    assert Iwslt.recognises(source)
    (found,) = Iwslt().parse(source)
    assert found.sentences is not None
    assert found.sentences.label is not None
    assert (len(found), found.words.count("")) == (rows, empty)
    assert sum(label in (".", "?") for label in found.sentences.label) == ends
    # the last word ends a sentence whatever its label says
    assert len(found.sentences.gaps) == ends + (found.sentences.label[-1] not in (".", "?"))
    assert written(found).encode() == source.data.removeprefix(b"\xef\xbb\xbf")
