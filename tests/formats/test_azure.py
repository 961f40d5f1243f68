"""Azure Speech."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.asr.azure import Azure
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"
nan = np.nan


def read(path: Path) -> list[Transcript]:
    return list(Azure().parse(Source(str(path), path.read_bytes())))


def given(*documents: Any) -> Transcript:
    data = "\n".join(map(json.dumps, documents)).encode()
    (found,) = Azure().read(io.BytesIO(data))
    return found


def phrase(words: str, display: str, **more: Any) -> dict[str, Any]:
    best = {"display": display, "words": [{"word": word} for word in words.split()]}
    return {"recognitionStatus": "Success", "nBest": [best], **more}


def test_reads_words_times_and_speakers_of_a_batch() -> None:
    (found,) = read(SAMPLES / "azure.json")
    assert (found.id, found.language) == ("harbour", "en-GB")
    assert found.words == ("We", "sail", "at", "six", "thirty", "Okay")
    assert found.mark == ("", "", "", "", ".", "?")
    assert found.speaker == ("1", "1", "1", "1", "1", "2")
    np.testing.assert_array_equal(found.start, [0.5, 0.7, 1.1, 1.3, 1.9, 60.25])
    np.testing.assert_array_equal(found.end, [0.7, 1.1, 1.2, 1.8, 2.6, 60.75])
    np.testing.assert_array_equal(found.confidence, [0.99, 0.5, nan, nan, nan, nan])


def test_channels_are_recordings_and_display_words_will_do() -> None:
    one, two = read(SAMPLES / "azure-channels.json")
    assert [one.id, two.id] == ["line.0", "line.1"]
    assert [one.text, two.text] == ["Rooms 12.", "Thank you!"]
    np.testing.assert_array_equal(one.start, [0.2, 0.6])
    np.testing.assert_array_equal(two.end, [1.9, 2.4])


def test_the_first_of_the_best_is_the_answer() -> None:
    (found,) = read(SAMPLES / "azure-realtime.json")
    assert (found.id, found.language) == ("azure-realtime", "en-US")
    assert found.text == "Lights out. Good night, all."
    assert found.speaker == ("Guest-1", "Guest-1", "", "", "")
    np.testing.assert_array_equal(found.start, [0.3, 0.8, 2, nan, nan])
    np.testing.assert_array_equal(found.end, [0.8, 1.2, nan, nan, 3])
    np.testing.assert_array_equal(found.confidence, [0.75, 0.25, nan, nan, nan])


def test_results_one_after_another_are_one_recording() -> None:
    (found,) = read(SAMPLES / "azure-stream.json")
    assert found.words == ("雨", "だ", "ね", "はい")
    assert found.text == "雨だね。はい"
    np.testing.assert_array_equal(found.start, [0.1, 0.4, 0.5, 0.9])
    np.testing.assert_array_equal(found.end, [0.4, 0.5, 0.7, 1.1])


def test_reads_a_fast_transcription_in_milliseconds() -> None:
    (found,) = read(SAMPLES / "azure-fast.json")
    assert found.text == "Doors close. Mind the gap."
    assert found.language == "en-US"
    assert found.speaker == ("1", "1", "2", "2", "2")
    np.testing.assert_array_equal(found.start, [0.24, 0.64, 2, 2.3, 2.4])
    np.testing.assert_array_equal(found.end, [0.64, 1.14, 2.3, 2.4, 3.1])


def test_reads_the_files_of_version_2() -> None:
    (found,) = read(SAMPLES / "azure-files.json")
    assert (found.id, found.text) == ("Channel.0", "Ring twice.")
    np.testing.assert_array_equal(found.start, [1.21, nan])
    np.testing.assert_array_equal(found.end, [nan, 1.61])


@pytest.mark.parametrize(
    ("words", "display", "text"),
    [
        ("till three in the morning", "Till 3:00 in the morning.", "Till three in the morning."),
        ("in twenty twenty", "In (2020).", "In (twenty twenty)."),
        ("uh how are you", "How are you?", "uh How are you?"),
        ("comment allez vous", "Comment allez-vous ?", "Comment allez vous ?"),
        ("ça va", "Ça va ?", "Ça va ?"),
        ("good day new line now", "Good day\nNow.", "Good day new line Now."),
        ("go to a dot com slash b now", "Go to a.com/b now.", "Go to a dot com slash b now."),
        ("call one two three four five", "Call 12345.", "Call one two three four five."),
        ("well i 'm fine", "Well, I'm fine.", "Well, i 'm fine."),
        ("no display", "", "no display"),
        ("口 座 は 三 二 です か は い", "口座は32ですか？はい", "口座は三二ですか？はい"),
        ("口座 は 三二 ですか", "口座は32ですか？", "口座は三二ですか？"),
        ("이천 이십 년 봄", "2020년 봄.", "이천 이십 년 봄."),
    ],
)
def test_lexical_words_get_the_form_of_the_display_text(
    words: str, display: str, text: str
) -> None:
    found = given({"recognizedPhrases": [phrase(words, display)]})
    assert found.text == text
    assert [word.lower() for word in found.words] == words.split()


def test_display_words_show_words_that_are_written_together() -> None:
    one = phrase("do n't", "Don't!")
    one["nBest"][0]["displayWords"] = [{"displayText": "Do"}, {"displayText": "n't!"}]
    found = given({"recognizedPhrases": [one]})
    assert (found.words, found.text) == (("Do", "n't"), "Don't!")


def test_without_phrases_the_whole_text_counts() -> None:
    whole = [{"channel": 0, "display": "All there is."}]
    found = given({"recognizedPhrases": [], "combinedRecognizedPhrases": whole})
    assert (found.text, found.start) == ("All there is.", None)


def test_silence_is_an_empty_recording() -> None:
    found = given({"source": "https://a.example/b/hush.wav", "recognizedPhrases": []})
    assert (found.id, len(found)) == ("hush", 0)
    assert len(given({"RecognitionStatus": "NoMatch", "Offset": 5, "Duration": 0})) == 0


@pytest.mark.parametrize(
    ("offset", "start"),
    [
        ({"offset": "PT1H2M3.5S"}, 3723.5),
        ({"offset": "P1DT1S"}, 86401),
        ({"offset": 15000000}, 1.5),
        ({"offset": "15000000"}, 1.5),
        ({"offset": "PT9S", "offsetInTicks": 15000000.0}, 1.5),
        ({"offset": "PT"}, nan),
        ({"offset": "soon"}, nan),
    ],
)
def test_reads_times_in_every_form(offset: dict[str, Any], start: float) -> None:
    found = given({"recognizedPhrases": [phrase("so", "So.", duration="PT1S", **offset)]})
    known = nan if found.start is None else found.start[0]
    np.testing.assert_array_equal(known, start)
    assert (found.end is None) == np.isnan(start)


def test_says_what_it_misses() -> None:
    with pytest.raises(FormatError) as caught:
        given([])
    assert str(caught.value) == (
        "<bytes>: this JSON is not of the format azure: Azure has 'recognizedPhrases', 'phrases' "
        "with 'combinedPhrases', or results with 'RecognitionStatus'"
    )


def test_reads_the_real_batch(corpora: Path) -> None:
    path = corpora / "formats/azure-speech/azure_batch_sample.json"
    document = json.loads(path.read_bytes())
    (found,) = read(path)
    spoken = [
        (word, phrase["speaker"])
        for phrase in document["recognizedPhrases"]
        for word in phrase["nBest"][0]["words"]
    ]
    assert found.id == "azure_batch_sample"
    assert len(found) == len(spoken) == 11
    assert [word.lower() for word in found.words] == [word["word"] for word, _ in spoken]
    assert found.text == "Run Alabama drivers license. zero zero three zero six six nine"
    assert found.speaker == tuple(str(speaker) for _, speaker in spoken)
    assert found.start is not None
    assert found.start.tolist() == [round(w["offsetInTicks"] / 1e7, 6) for w, _ in spoken]
    assert found.end is not None
    ends = [round((w["offsetInTicks"] + w["durationInTicks"]) / 1e7, 6) for w, _ in spoken]
    assert found.end.tolist() == ends


def test_reads_the_real_results_of_real_time_recognition(corpora: Path) -> None:
    (found,) = read(corpora / "formats/azure-speech/azure_realtime_result.json")
    assert (found.id, found.text) == ("azure_realtime_result", "Hello. Hello hello.")
    assert found.speaker == ("0", "1", "1")
    np.testing.assert_array_equal(found.start, [0.09, 0.69, nan])
    np.testing.assert_array_equal(found.end, [0.65, nan, 1.7])


def test_results_as_the_javascript_client_keeps_them() -> None:
    path = SAMPLES / "azure-client.json"
    (found,) = read(path)
    assert Azure.recognises(Source(str(path), path.read_bytes()))
    assert found.text == "Good tea. More?"
    assert found.start is not None
    assert found.start.tolist() == [2, 2.4, 4]


def test_a_client_result_that_holds_no_json_is_refused() -> None:
    with pytest.raises(FormatError, match="not of the format azure"):
        given([{"privText": "More?", "privJson": "{"}])
