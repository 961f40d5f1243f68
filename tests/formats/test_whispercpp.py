"""JSON of whisper.cpp."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.asr.whispercpp import WhisperCpp
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"
NAN = None


def read(data: bytes, name: str = "talk.json") -> Transcript:
    (found,) = WhisperCpp().parse(Source(name, data))
    return found


def sample(name: str) -> Transcript:
    return read((SAMPLES / f"{name}.json").read_bytes(), name)


def cells(column: Any) -> list[float | None]:
    return [None if cell != cell else cell for cell in column.tolist()]


def test_segments_in_milliseconds() -> None:
    found = sample("whispercpp")
    assert found.text == "Sail-boats, she said. Really?"
    assert found.words == ("Sail-boats", "she", "said", "Really")
    assert cells(found.start) == [0.0, NAN, NAN, 2.0]
    assert cells(found.end) == [NAN, NAN, 2.0, 30.0]
    assert found.language == "en"
    assert found.sentences is None


def test_tokens_are_pieces_of_words() -> None:
    found = sample("whispercpp-full")
    assert found.words == ("Unbelievable", "right")
    assert found.mark == (",", "?")
    assert cells(found.start) == [0.1, 1.2]
    assert cells(found.end) == [0.6, 1.5]  # the comma lasts until 1.1, the question mark until 2.4
    assert cells(found.confidence) == [0.8, 0.7]  # of Un, believ, able: 0.5, 0.9 and 1


def test_a_word_a_segment() -> None:
    found = sample("whispercpp-words")
    assert (found.words, found.text) == (("Okay", "groans"), "Okay, groans.")
    assert (cells(found.start), cells(found.end)) == ([0.01, 0.8], [0.5, 1.4])


def test_characters_torn_apart_are_put_together(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "caesura"):
        found = sample("whispercpp-torn")
    assert found.text == "今日は、AIの話。"
    assert found.words == ("今日", "は", "AI", "の", "話")
    assert cells(found.start) == [0.0, 0.4, 0.6, 0.9, 1.0]
    assert cells(found.end) == [0.4, 0.5, 0.9, 1.0, 1.3]
    assert caplog.messages == ["whispercpp-torn:1: the bytes of a character are in two tokens"]
    data = (SAMPLES / "whispercpp-torn.json").read_bytes()
    assert WhisperCpp.recognises(Source("x.json", data))


def test_characters_torn_apart_between_segments() -> None:
    data = (
        '{"result": {}, "transcription": ['
        '{"offsets": {"from": 0, "to": 100}, "text": " caf\xc3"},'
        '{"offsets": {"from": 100, "to": 300}, "text": "\xa9"},'
        '{"offsets": {"from": 300, "to": 500}, "text": " noir"}]}'
    ).encode("latin-1")
    found = read(data)
    assert (found.words, cells(found.end)) == (("café", "noir"), [0.3, 0.5])


def test_lost_characters_are_taken_from_the_text() -> None:
    found = sample("whispercpp-lost")
    assert found.text == "今日は、AIの話。"
    assert found.words == ("今", "日", "は", "AI", "の", "話")
    assert cells(found.start) == [0.0, *[NAN] * 5]
    assert cells(found.end) == [*[NAN] * 5, 1.5]


def test_speakers_and_turns() -> None:
    assert sample("whispercpp-speakers").speaker == ("0", "0", "0", "")
    assert sample("whispercpp-turns").speaker == ("1", "1", "1", "2", "2")


def test_tokens_without_times_have_none() -> None:
    segment = {"text": " Hi you", "offsets": {"from": 0, "to": 900}}
    tokens = [{"text": " Hi", "p": 0.5}, {"text": " you", "offsets": {"from": 400, "to": 900}}]
    found = read(json.dumps({"transcription": [{**segment, "tokens": tokens}]}).encode())
    assert (cells(found.start), cells(found.end)) == ([NAN, 0.4], [NAN, 0.9])
    assert cells(found.confidence) == [0.5, NAN]


@pytest.mark.parametrize(
    "stranger",
    [
        b'{"transcription": "text"}',
        b'{"transcription": [{"text": "x"}]}',
        b'{"transcription": [{"text": 5, "offsets": {}}]}',
        b"[]",
    ],
)
def test_other_json_is_refused(stranger: bytes) -> None:
    assert not WhisperCpp.recognises(Source("x.json", stranger))
    with pytest.raises(FormatError, match="this JSON is not of the format whispercpp: that has"):
        read(stranger)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(FormatError, match="is not UTF-8 text"):
        read(b'{"a": "\xff"}')


def test_real_files(corpora: Path) -> None:
    found = {}
    for path in sorted((corpora / "formats" / "whisper-cpp").iterdir()):
        source = Source(str(path), path.read_bytes())
        assert WhisperCpp.recognises(source)
        (found[source.stem],) = WhisperCpp().parse(source)
    japanese, english = found["aih1_large_ja"], found["ava_base_en"]
    assert (japanese.text, len(japanese), japanese.language) == ("今日はいい天気ですね。", 10, "ja")
    assert cells(japanese.start) == [0.0, *[NAN] * 9]
    assert cells(japanese.end) == [*[NAN] * 9, 2.0]
    assert (english.text, english.language) == ("Hello, my name is Ode", "en")
    assert cells(english.end) == [*[NAN] * 4, 30.0]
