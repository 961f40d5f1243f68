"""JSON of Vosk."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.asr.vosk import Vosk
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"
NAN = None


def read(data: bytes, name: str = "talk.json") -> Transcript:
    (found,) = Vosk().parse(Source(name, data))
    return found


def sample(name: str) -> Transcript:
    return read((SAMPLES / f"{name}.json").read_bytes())


def cells(column: Any) -> list[float | None]:
    return [None if cell != cell else cell for cell in column.tolist()]


def test_a_result() -> None:
    found = sample("vosk")
    assert found.id == "talk"
    assert found.words == ("one", "zero", "oh")
    assert cells(found.start) == [0.3, 0.6, 1.2]
    assert cells(found.end) == [0.6, 1.1, 1.5]
    assert cells(found.confidence) == [1.0, 0.87, 0.5]
    assert found.layers == ("start", "end", "confidence")


def test_results_one_after_another_without_the_partial_ones() -> None:
    found = sample("vosk-stream")
    assert found.text == "good morning everyone"
    assert cells(found.start) == [0.2, 0.5, 2.0]
    assert found.speaker is None


def test_the_first_alternative_counts() -> None:
    found = sample("vosk-alternatives")
    assert found.text == "their boat"
    assert cells(found.end) == [0.3, 0.7]
    assert found.confidence is None


def test_videogrep_with_and_without_words() -> None:
    found = sample("vosk-videogrep")
    assert found.text == "the tide is coming in"
    assert cells(found.start) == [0.1, 0.2, 0.6, 1.5, NAN]
    assert cells(found.end) == [0.2, 0.6, 1.0, NAN, 2.2]


def test_results_without_words_have_no_times() -> None:
    found = read(b'{"text": "good morning"} {"text": ""}')
    assert (found.words, found.start) == (("good", "morning"), None)
    assert not Vosk.recognises(Source("x.json", b'{"text": "good morning"}'))


def test_results_without_text_have_words() -> None:
    assert read(b'{"result": [{"word": "a"}, {"word": "b"}]}').text == "a b"


def test_punctuation_and_missing_blanks_are_those_of_the_text() -> None:
    words = [{"word": "雨"}, {"word": "だ。"}, {"word": "Yes!"}]
    found = read(json.dumps({"result": words, "text": "雨だ。 Yes!"}).encode())
    assert found == Transcript(
        ("雨", "だ", "Yes"), id="talk", blank=np.array([False, True, True]), mark=("", "。", "!")
    )


@pytest.mark.parametrize(
    "stranger",
    [
        b"5",
        b'{"text": "a", "segments": []}',
        b'{"alternatives": [{"transcript": "a"}]}',
        b'{"result": {"language": "en"}}',
        b'{"content": "a"}',
    ],
)
def test_other_json_is_refused(stranger: bytes) -> None:
    assert not Vosk.recognises(Source("x.json", stranger))
    with pytest.raises(
        FormatError, match=r"talk\.json: this JSON is not of the format vosk: that has"
    ):
        read(stranger)


def test_real_files(corpora: Path) -> None:
    counts = {}
    for path in sorted((corpora / "formats" / "vosk").iterdir()):
        source = Source(str(path), path.read_bytes())
        assert Vosk.recognises(source)
        (found,) = Vosk().parse(source)
        rows = [word for part in json.loads(path.read_bytes()) for word in part["words"]]
        assert [row["word"] for row in rows] == list(found.words)
        assert [row["start"] for row in rows] == cells(found.start)
        assert [row["end"] for row in rows] == cells(found.end)
        assert [row["conf"] for row in rows] == cells(found.confidence)
        counts[source.stem] = len(found)
    assert counts == {"videogrep_manifesto": 210, "vivideo_jfk": 22}


def test_partial_results_with_words_are_left_out() -> None:
    found = sample("vosk-partial")
    assert found.text == "un deux"
    assert Vosk.recognises(Source("talk.json", (SAMPLES / "vosk-partial.json").read_bytes()))
