"""Amazon Transcribe."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.asr.aws import Aws
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"


def read(path: Path) -> list[Transcript]:
    return list(Aws().parse(Source(str(path), path.read_bytes())))


def given(document: Any) -> Transcript:
    (found,) = Aws().read(io.BytesIO(json.dumps(document).encode()))
    return found


def word(content: str, start: str = "", **more: str) -> dict[str, Any]:
    times = {"start_time": start, "end_time": start} if start else {}
    return {"type": "pronunciation", "alternatives": [{"content": content}], **times, **more}


def mark(content: str) -> dict[str, Any]:
    return {"type": "punctuation", "alternatives": [{"confidence": "0.0", "content": content}]}


def test_reads_words_times_marks_and_speakers() -> None:
    (found,) = read(SAMPLES / "aws.json")
    assert (found.id, found.language) == ("kettle", "en-GB")
    assert found.words == ("Kettle", "boils", "Ann", "Really")
    assert found.mark == ("", ",", ".", "?")
    assert found.text == "Kettle boils, Ann. Really?"
    assert found.speaker == ("spk_0", "spk_0", "spk_0", "spk_1")
    np.testing.assert_array_equal(found.start, [0.64, 1.0, 1.9, 3.0])
    np.testing.assert_array_equal(found.end, [1.0, 1.6, 2.31, 3.5])
    np.testing.assert_array_equal(found.confidence, [0.9, 0.998, 0.7, 1.0])
    assert found.blank is None
    assert found.sentences is None


def test_speakers_of_items_come_first_and_the_language_most_spoken_is_the_language() -> None:
    (found,) = read(SAMPLES / "aws-segments.json")
    assert (found.id, found.language) == ("rain", "en-US")
    assert found.text == "It rains. Oui"
    assert found.speaker == ("spk_0", "spk_0", "spk_1")
    np.testing.assert_array_equal(found.confidence, [0.9, 0.8, np.nan])


def test_channels_are_recordings() -> None:
    one, two = read(SAMPLES / "aws-channels.json")
    assert [one.id, two.id] == ["line.ch_0", "line.ch_1"]
    assert [one.text, two.text] == ["Hello?", "Speaking."]
    assert [one.language, two.language] == ["en-IE", "en-IE"]
    np.testing.assert_array_equal(two.start, [1.25])


def test_a_single_channel_needs_no_name() -> None:
    channel = {"channel_label": "ch_0", "items": [word("alone", "0.5")]}
    results = {"items": [], "channel_labels": {"channels": [channel]}}
    assert given({"jobName": "solo", "results": results}).id == "solo"


def test_blanks_are_those_of_the_running_text() -> None:
    (found,) = read(SAMPLES / "aws-blanks.json")
    assert found.words == ("今日", "は", "雨", "傘")
    assert found.opening == ("", "", "", "「")
    assert found.mark == ("", "", "。", "」")
    assert found.text == "今日は雨。「傘」"


def test_reads_the_analysis_of_a_call() -> None:
    (found,) = read(SAMPLES / "aws-call.json")
    assert (found.id, found.language) == ("call-7", "en-US")
    assert found.text == "Good day. My light is out."
    assert found.speaker == ("AGENT", "AGENT", *["CUSTOMER"] * 4)
    nan = np.nan
    np.testing.assert_array_equal(found.start, [0.44, 0.7, 1.5, nan, nan, nan])
    np.testing.assert_array_equal(found.end, [0.7, 1.2, nan, nan, nan, 2.75])
    np.testing.assert_array_equal(found.confidence, [0.98, 0.9, nan, nan, nan, nan])


def test_segments_without_items_tell_the_speaker_by_time() -> None:
    segments = [
        {"start_time": "0.0", "end_time": "1.0", "speaker_label": "spk_0"},
        {"start_time": "1.0", "end_time": "2.0", "speaker_label": "spk_1"},
    ]
    words = [word("a", "0.0"), word("b", "0.9"), word("c", "1.0"), word("d", "5.0")]
    found = given({"results": {"items": words, "speaker_labels": {"segments": segments}}})
    assert found.speaker == ("spk_0", "spk_0", "spk_1", "")


def test_words_without_times_stay_without() -> None:
    found = given({"results": {"items": [word("so"), mark("."), word("no", "1.5"), word("yes")]}})
    assert found.text == "so. no yes"
    np.testing.assert_array_equal(found.start, [np.nan, 1.5, np.nan])
    assert found.confidence is None
    assert found.speaker is None


def test_punctuation_opens_where_there_is_no_word_before_it() -> None:
    found = given({"results": {"items": [mark("¿"), word("Qué"), mark("?"), mark("("), word("x")]}})
    assert (found.opening, found.mark) == (("¿", "("), ("?", ""))


def test_a_dot_after_a_letter_is_its_mark() -> None:
    found = given({"results": {"items": [word("S"), mark("."), word("three"), word("U.S.")]}})
    assert found.words == ("S", "three", "U.S.")
    assert found.mark == (".", "", "")


def test_a_text_without_items_gives_its_words() -> None:
    found = given({"results": {"items": [], "transcripts": [{"transcript": "Just text."}]}})
    assert (found.words, found.mark, found.start) == (("Just", "text"), ("", "."), None)


def test_silence_is_an_empty_recording() -> None:
    found = given({"jobName": "hush", "results": {"items": [], "transcripts": []}})
    assert (found.id, len(found)) == ("hush", 0)


def test_says_what_it_misses() -> None:
    with pytest.raises(FormatError) as caught:
        given({"results": []})
    assert str(caught.value) == (
        "<bytes>: this JSON is not of the format aws: Amazon Transcribe has 'results' with "
        "'items', and analytics of calls have a 'Transcript' with 'ParticipantRole'"
    )


def test_reads_every_real_file(corpora: Path) -> None:
    counts = {}
    for path in sorted((corpora / "formats/aws-transcribe").glob("*.json")):
        document = json.loads(path.read_bytes())
        items = document["results"]["items"]
        spoken = [item for item in items if item["type"] == "pronunciation"]
        (found,) = read(path)
        assert found.id == document["jobName"]
        assert list(found.words) == [item["alternatives"][0]["content"] for item in spoken]
        assert found.text == document["results"]["transcripts"][0]["transcript"]
        assert found.start is not None
        assert found.start.tolist() == [float(item["start_time"]) for item in spoken]
        assert found.end is not None
        assert found.end.tolist() == [float(item["end_time"]) for item in spoken]
        assert found.mark is not None
        assert sum(map(bool, found.mark)) == len(items) - len(spoken)
        counts[path.stem] = len(found)
    assert counts == {"edgarroman_asrOutput": 23, "waltare_asrOutput": 12}
