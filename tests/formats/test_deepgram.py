"""Deepgram's JSON."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Span, Transcript
from caesura.formats.asr.deepgram import Deepgram
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"


def read(path: Path) -> list[Transcript]:
    return list(Deepgram().parse(Source(str(path), path.read_bytes())))


def parsed(document: Any) -> list[Transcript]:
    return list(Deepgram().parse(Source("file.json", json.dumps(document).encode())))


def answer(**alternative: Any) -> dict[str, Any]:
    return {"results": {"channels": [{"alternatives": [alternative]}]}}


def test_reads_words_marks_times_and_speakers() -> None:
    (found,) = read(SAMPLES / "deepgram.json")
    assert found.id == "deepgram"
    assert found.language == "en"
    assert found.words == ("Good", "morning", "Anna", "Bell", "Did", "the", "U.S.", "call")
    assert found.mark == ("", ",", "", ".", "", "", "", "?")
    assert found.start is not None
    assert found.start.tolist() == [0.1, 0.3, 0.9, 1.2, 2.0, 2.2, 2.3, 2.8]
    assert found.end is not None
    assert found.end.tolist() == [0.3, 0.7, 1.2, 1.5, 2.2, 2.3, 2.8, 3.1]
    assert found.confidence is not None
    assert found.confidence[:3].tolist() == [0.99, 0.98, 0.7]
    assert found.speaker == ("0",) * 4 + ("1",) * 4
    assert found.blank is None
    assert found.text == "Good morning, Anna Bell. Did the U.S. call?"


def test_paragraphs_give_sentences_and_entities_are_words() -> None:
    (found,) = read(SAMPLES / "deepgram.json")
    assert found.sentences is not None
    assert found.sentences.sentences == [(0, 3), (4, 7)]
    assert found.entities == (Span(2, 3, "NAME"),)


def test_sentences_that_are_not_made_of_the_words_are_left_out() -> None:
    paragraphs = {"paragraphs": [{"sentences": [{"text": "Other words."}]}]}
    words = [{"word": "hello"}, {"word": "you"}]
    (found,) = parsed(answer(transcript="hello you", words=words, paragraphs=paragraphs))
    assert found.sentences is None


def test_channels_are_recordings_and_the_first_alternative_counts() -> None:
    one, two = read(SAMPLES / "deepgram-channels.json")
    assert (one.id, two.id) == ("deepgram-channels.0", "deepgram-channels.1")
    assert one.words == ("hello", "there")
    assert one.mark is None
    assert one.speaker is None
    assert two.language == "ja"
    assert two.words == ("今日", "は")
    assert two.text == "今日は。"
    assert two.blank is not None
    assert two.blank.tolist() == [False, True]


def test_of_a_stream_only_final_results_count() -> None:
    (found,) = read(SAMPLES / "deepgram-stream.json")
    assert found.text == "So we met Anna."
    assert found.start is not None
    assert found.start.tolist() == [0.1, 0.3, 1.5, 1.7]
    assert found.entities == (Span(3, 3, "NAME"),)


def test_channels_of_a_stream_are_recordings() -> None:
    def message(channel: int, word: str, final: bool) -> dict[str, Any]:
        heard = {"alternatives": [{"transcript": word, "words": [{"word": word}]}]}
        index = [channel, 2]
        return {"type": "Results", "channel_index": index, "is_final": final, "channel": heard}

    messages = [message(1, "b", True), message(0, "a", True), message(0, "x", False)]
    assert [found.text for found in parsed(messages)] == ["a", "b"]
    assert [found.text for found in parsed([message(0, "x", False)])] == [""]


def test_text_alone_gives_words_without_times() -> None:
    (found,) = read(SAMPLES / "deepgram-text.json")
    assert found.words == ("only", "the", "text")
    assert found.mark == ("", "", ".")
    assert found.start is None


def test_a_word_with_blanks_is_several_words() -> None:
    word = {"word": "new york", "punctuated_word": "New York.", "start": 1.0, "end": 2.0}
    (found,) = parsed(answer(transcript="New York.", words=[word, {"word": "..."}]))
    assert found.words == ("New", "York")
    assert found.mark == ("", ". ...")
    assert found.start is not None
    assert found.end is not None
    np.testing.assert_equal(found.start, [1.0, np.nan])
    np.testing.assert_equal(found.end, [np.nan, 2.0])


def test_words_without_times_stay_without_times() -> None:
    (found,) = parsed(answer(words=[{"word": "a"}, {"word": "b", "start": 1.0, "end": 2.0}]))
    np.testing.assert_equal(found.start, [np.nan, 1.0])
    np.testing.assert_equal(found.end, [np.nan, 2.0])


def test_answers_in_a_row_are_recordings() -> None:
    found = parsed([answer(transcript="one"), answer(transcript="two")])
    assert [(t.id, t.text) for t in found] == [("file.0", "one"), ("file.1", "two")]


@pytest.mark.parametrize("document", [{}, {"results": []}, {"type": "Results"}, [], [[]], 3])
def test_other_json_is_refused(document: Any) -> None:
    with pytest.raises(FormatError, match=r"file\.json: this JSON is not of the format deepgram"):
        parsed(document)


def test_real_files(corpora: Path) -> None:
    """Words and their written form are those of the transcript in the file."""
    counts = {}
    for path in sorted((corpora / "formats" / "deepgram").glob("*.json")):
        (found,) = read(path)
        (channel,) = json.loads(path.read_text())["results"]["channels"]
        heard = channel["alternatives"][0]
        assert found.text == heard["transcript"]
        assert len(found) == len(heard["words"])
        starts = [word["start"] for word in heard["words"]]
        assert found.start is not None
        np.testing.assert_allclose(found.start, starts, atol=1e-6)
        paragraphs = heard.get("paragraphs", {}).get("paragraphs", [])
        texts = [s["text"] for p in paragraphs for s in p["sentences"]]
        if texts:
            assert [sentence.text for sentence in found.iter_sentences()] == texts
        assert (found.sentences is not None) == bool(texts)
        counts[path.name] = (len(found), len(texts), len(set(found.speaker or ())))
    assert counts["boldvideo_demo.json"] == (316, 32, 1)
    assert counts["dg_speakers_no_utterances.json"] == (226, 28, 3)
    assert counts["dg_transcription.json"] == (62, 0, 0)
    assert counts["dg_whisper_transcription.json"] == (59, 0, 0)
