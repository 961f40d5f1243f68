"""Google Cloud Speech-to-Text."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.asr.google import Google
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"


def read(path: Path) -> list[Transcript]:
    return list(Google().parse(Source(str(path), path.read_bytes())))


def given(*documents: Any) -> list[Transcript]:
    data = "\n".join(map(json.dumps, documents)).encode()
    return list(Google().read(io.BytesIO(data)))


def word(text: str, start: Any = None, end: Any = None, **more: Any) -> dict[str, Any]:
    times = {} if start is None else {"startTime": start, "endTime": end}
    return {"word": text, **times, **more}


def result(*words: dict[str, Any], transcript: str = "", **more: Any) -> dict[str, Any]:
    return {"alternatives": [{"transcript": transcript, "words": list(words)}], **more}


def test_words_that_come_again_with_speakers_count_once() -> None:
    (found,) = read(SAMPLES / "google.json")
    assert (found.id, found.language) == ("ferry talk", "en-us")
    assert found.words == ("The", "ferry", "yes", "Yes")
    assert found.mark == ("", ",", ".", ".")
    assert found.speaker == ("1", "1", "1", "2")
    np.testing.assert_array_equal(found.start, [0, 0.3, 1, 2.1])
    np.testing.assert_array_equal(found.end, [0.3, 0.9, 1.4, 2.5])
    assert found.confidence is None
    assert found.blank is None


def test_version_2_leaves_out_a_start_of_zero() -> None:
    (found,) = read(SAMPLES / "google-v2.json")
    assert (found.id, found.language) == ("google-v2", "en-US")
    assert found.text == "Tide is high"
    assert found.speaker == ("2", "2", "2")
    np.testing.assert_array_equal(found.start, [0, 0.4, 0.52])
    np.testing.assert_array_equal(found.end, [0.4, 0.52, 1.04])
    np.testing.assert_array_equal(found.confidence, [0.9, 0.8, 0.7])


def test_a_batch_holds_a_recording_a_file() -> None:
    one, two = read(SAMPLES / "google-batch.json")
    assert [one.id, two.id] == ["one", "two"]
    assert [one.text, two.text] == ["One, two", "drei"]
    assert [one.language, two.language] == ["en-GB", "de-DE"]
    np.testing.assert_array_equal(one.end, [0.5, 0.9])
    assert two.start is None


def test_clients_write_times_as_objects_and_zero_for_nothing() -> None:
    (found,) = read(SAMPLES / "google-client.json")
    assert found.words == ("Is", "it", "5%")
    assert found.mark == ("", "", "?")
    np.testing.assert_array_equal(found.start, [0, 0.4, 1.1])
    np.testing.assert_array_equal(found.end, [0.4, 1.0, 1.9])
    assert found.confidence is None
    assert found.speaker is None
    assert found.language == "en-us"


def test_channels_are_recordings_and_results_without_words_give_their_text() -> None:
    one, two = read(SAMPLES / "google-channels.json")
    assert [one.id, two.id] == ["google-channels.1", "google-channels.2"]
    assert [one.text, two.text] == ["anyone there good", "I am."]
    assert one.start is None


def test_of_a_stream_final_results_count_and_readings_are_no_words() -> None:
    (found,) = read(SAMPLES / "google-stream.json")
    assert found.words == ("今日", "は")
    assert found.text == "今日は"
    np.testing.assert_array_equal(found.start, [0.2, 0.7])


def test_words_that_pile_up_from_result_to_result_count_once() -> None:
    a, b, c = word("a", "0s", "1s"), word("b", "1s", "2s"), word("c", "2s", "3s")
    retold = [{**each, "speakerTag": 2} for each in (a, b, c)]
    (found,) = given({"results": [result(a), result(a, b), result(*retold)]})
    assert found.words == ("a", "b", "c")
    assert found.speaker == ("2", "2", "2")


def test_words_missing_from_the_repetition_are_kept() -> None:
    a, b, c = word("a", "0s", "1s"), word("b", "1s", "2s"), word("c", "2s", "3s")
    retold = [{**each, "speakerTag": 1} for each in (a, c)]
    (found,) = given({"results": [result(a, b), result(c), result(*retold)]})
    assert found.words == ("a", "b", "c")
    assert found.speaker == ("1", "", "1")


def test_the_same_words_at_another_time_are_other_words() -> None:
    once = result(word("yes", "0s", "1s"), transcript="yes")
    again = result(word("yes", "4s", "5s"), transcript=" yes")
    (found,) = given({"results": [once, again]})
    assert found.words == ("yes", "yes")
    (found,) = given({"results": [result(word("yes")), result(word("yes"))]})
    assert found.words == ("yes", "yes")


def test_words_without_times_that_come_again_with_speakers_count_once() -> None:
    results = [{"alternatives": [{"transcript": "oh yes"}]}, result(word("no"))]
    retold = result(*(word(text, speakerTag=1) for text in ("oh", "yes", "no")))
    (found,) = given({"results": [*results, retold]})
    assert found.words == ("oh", "yes", "no")
    assert found.speaker == ("1", "1", "1")


def test_a_single_confidence_of_zero_is_one() -> None:
    words = [word("so", confidence=0.0), word("it", confidence=0.5)]
    (found,) = given({"results": [result(*words)]})
    np.testing.assert_array_equal(found.confidence, [0, 0.5])


def test_answers_one_after_another_are_one_recording() -> None:
    answers = [{"results": [result(word(text, f"{n}s", f"{n}.5s"))]} for n, text in enumerate("ab")]
    (found,) = given(*answers)
    assert found.words == ("a", "b")


def test_silence_is_an_empty_recording() -> None:
    kind = "type.googleapis.com/google.cloud.speech.v1.LongRunningRecognizeResponse"
    (found,) = given({"name": "7", "done": True, "response": {"@type": kind}})
    assert (found.id, len(found)) == ("7", 0)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"error": {"code": 3, "message": "bad audio"}}, "the recogniser failed: 'bad audio'"),
        ({}, "the operation has no response yet; fetch it when it is done"),
        (
            {"response": {"results": {"gs://a/b.wav": {"uri": "gs://c/d.json"}}}},
            "the words are in another file, 'gs://c/d.json'; read that one",
        ),
        (
            {"response": {"results": {"gs://a/b.wav": {"error": {"message": "too long"}}}}},
            "the recogniser failed: 'too long'",
        ),
    ],
)
def test_says_why_there_are_no_words(document: dict[str, Any], message: str) -> None:
    kind = "type.googleapis.com/google.cloud.speech.v2.OperationMetadata"
    with pytest.raises(FormatError) as caught:
        given({"name": "7", "metadata": {"@type": kind}, **document})
    assert str(caught.value) == f"<bytes>: {message}"


@pytest.mark.parametrize(
    "other",
    [
        {"results": [{"final": True, "alternatives": [{"transcript": "x", "timestamps": []}]}]},
        {"results": {"channels": [{"alternatives": [{"transcript": "x", "words": []}]}]}},
        {"results": [{"alternatives": [{"content": "x"}], "type": "word"}]},
        {"results": []},
    ],
)
def test_results_of_other_services_are_not_recognised(other: Any) -> None:
    assert not Google.matches(other)


def test_reads_the_real_operation(corpora: Path) -> None:
    path = corpora / "formats/google-speech/gcp_longrunning_ita.json"
    *parts, whole = json.loads(path.read_bytes())["response"]["results"]
    words = [word for part in parts for word in part["alternatives"][0]["words"]]
    (found,) = read(path)
    assert found.id == "af7a1cc1-913e-439c-b207-d46b1e4af999-ita 1_preview_audio"
    assert len(found) == len(words) == 114
    texts = [part["alternatives"][0]["transcript"].strip() for part in parts]
    assert found.text == " ".join(texts)
    assert found.start is not None
    assert found.start.tolist() == [float(word["startTime"][:-1]) for word in words]
    assert found.end is not None
    assert found.end.tolist() == [float(word["endTime"][:-1]) for word in words]
    speakers = [str(word["speakerTag"]) for word in whole["alternatives"][0]["words"]]
    assert found.speaker is not None
    assert list(found.speaker) == speakers
    assert set(speakers) == {"1", "3"}
