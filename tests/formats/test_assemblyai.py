"""AssemblyAI's JSON."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.asr.assemblyai import AssemblyAi
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"


def read(path: Path) -> list[Transcript]:
    return list(AssemblyAi().parse(Source(str(path), path.read_bytes())))


def parsed(document: Any) -> list[Transcript]:
    return list(AssemblyAi().parse(Source("file.json", json.dumps(document).encode())))


def test_reads_milliseconds_and_takes_words_once() -> None:
    (found,) = read(SAMPLES / "assemblyai.json")
    assert found.id == "assemblyai"
    assert found.language == "en_us"
    assert found.words == ("Well", "I", "was", "there", "No", "way", "12%", "off")
    assert found.mark == (",", "", "", ".", "", "!", "", ".")
    assert found.start is not None
    assert found.start[:3].tolist() == [0.25, 0.64, 0.7]
    assert found.end is not None
    assert found.end[:3].tolist() == [0.65, 0.7, 0.88]
    assert found.speaker == ("A", "A", "A", "A", "B", "B", "", "")
    assert found.sentences is None


def test_early_files_have_the_transcript_inside() -> None:
    (found,) = read(SAMPLES / "assemblyai-early.json")
    assert found.words == ("early", "days")
    assert found.end is not None
    assert found.end.tolist() == [0.48, 0.9]


def test_a_list_of_sentences_gives_sentences() -> None:
    (found,) = read(SAMPLES / "assemblyai-sentences.json")
    assert found.words == ("It", "rains", "We", "stay", "in")
    assert found.sentences is not None
    assert found.sentences.sentences == [(0, 1), (2, 4)]


def test_channels_are_recordings() -> None:
    one, two = read(SAMPLES / "assemblyai-channels.json")
    assert (one.id, one.text) == ("assemblyai-channels.1", "Hi. How are you?")
    assert (two.id, two.text) == ("assemblyai-channels.2", "Hello.")


def test_of_a_stream_the_last_version_of_each_turn_counts() -> None:
    (found,) = read(SAMPLES / "assemblyai-stream.json")
    assert found.text == "See you soon."
    assert found.start is not None
    assert found.start.tolist() == [0.1, 0.3, 0.5]


def test_of_the_older_stream_final_transcripts_count() -> None:
    word = {"text": "yes", "start": 5, "end": 9, "confidence": 1}
    messages = [
        {"message_type": "SessionBegins", "session_id": "s"},
        {"message_type": "PartialTranscript", "text": "y", "words": [word]},
        {"message_type": "FinalTranscript", "text": "yes", "words": [word]},
    ]
    (found,) = parsed(messages)
    assert found.words == ("yes",)


def test_text_alone_gives_words_without_times() -> None:
    (found,) = read(SAMPLES / "assemblyai-text.json")
    assert found.words == ("Just", "the", "text")
    assert found.start is None


def test_speakers_come_from_utterances_if_words_have_none() -> None:
    word = {"text": "yes", "start": 5, "end": 9, "confidence": 1, "speaker": None}
    utterance = {"speaker": "B", "text": "yes", "words": [word]}
    given = {"status": "completed", "audio_url": "x", "text": "yes"}
    for words in ([word], None):
        (found,) = parsed({**given, "words": words, "utterances": [utterance]})
        assert found.words == ("yes",)
        assert found.speaker == ("B",)


def test_blanks_are_those_of_the_text() -> None:
    words = [{"text": text, "start": 0, "end": 0, "confidence": 1} for text in ("今日", "は。")]
    (found,) = parsed({"status": "completed", "audio_url": "", "text": "今日は。", "words": words})
    assert found.text == "今日は。"


def test_times_may_be_missing_but_not_be_seconds() -> None:
    untimed: dict[str, Any] = {"text": "a", "start": None, "end": None, "confidence": 1}
    timed = {"text": "b", "start": 1000, "end": 2000, "confidence": 1}
    (found,) = parsed({"text": "a b", "words": [untimed, timed]})
    np.testing.assert_equal(found.start, [np.nan, 1.0])
    np.testing.assert_equal(found.end, [np.nan, 2.0])
    words = [{"text": "a", "start": 0.25, "end": 1, "confidence": 1}]
    with pytest.raises(FormatError, match=r"a time is 0\.25 where AssemblyAI has whole"):
        parsed({"text": "a", "words": words})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"status": "error", "error": "no\nsound"}, "could not transcribe this: no sound$"),
        ({"status": "error"}, "could not transcribe this: no reason is given$"),
        ({"status": "queued"}, "its status is 'queued'; fetch it again when"),
        ({"status": "processing"}, "its status is 'processing'; fetch it again when"),
    ],
)
def test_an_unfinished_transcript_is_an_error(given: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parsed({"audio_url": "x", "text": None, "words": None, **given})


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"text": "a", "words": ["a"]},
        {"text": "a", "words": [{"text": "a", "start": 0.1, "end": 0.2, "type": "word"}]},
        {"status": "completed"},
        [],
        7,
    ],
)
def test_other_json_is_refused(document: Any) -> None:
    with pytest.raises(FormatError, match="this JSON is not of the format assemblyai"):
        parsed(document)


def test_real_files(corpora: Path) -> None:
    """Words and their written form are those of the text in the file, once."""
    counts = {}
    for path in sorted((corpora / "formats" / "assemblyai").glob("*.json")):
        (found,) = read(path)
        document = json.loads(path.read_text())
        assert found.text == document["text"]
        assert len(found) == len(document["words"])
        assert found.end is not None
        assert found.end[-1] == document["words"][-1]["end"] / 1000
        counts[path.name] = (len(found), found.language, *sorted(set(found.speaker or ())))
    assert counts["bold_demo.json"] == (316, "en", "A")
    assert counts["pietrop_sample_old.json"] == (52, "")
    assert counts["pietrop_speakers.json"] == (278, "", "A")


def test_final_words_of_a_turn_that_was_cut_off_are_kept() -> None:
    (found,) = read(SAMPLES / "assemblyai-open.json")
    assert found.text == "Hi. next"
    assert found.start is not None
    assert found.start.tolist() == [0.1, 0.5]
