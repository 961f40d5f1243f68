"""JSON of Whisper and its kin."""

import io
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError, OutputError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.asr.whisper import Whisper
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"
TEXT = "Good morning, Ms. Okafor. It's a twenty-minute walk?"
NAN = None


def read(document: Any) -> Transcript:
    data = json.dumps(document).encode()
    (found,) = Whisper().parse(Source("talk.json", data))
    return found


def sample(name: str) -> Transcript:
    path = SAMPLES / f"{name}.json"
    (found,) = Whisper().parse(Source(str(path), path.read_bytes()))
    return found


def document(transcript: Transcript) -> Any:
    file = io.BytesIO()
    Whisper().write([transcript], file)
    return json.loads(file.getvalue())


def cells(column: Any) -> list[float | None]:
    return [None if cell != cell else cell for cell in column.tolist()]


def recognised(document: Any) -> bool:
    return Whisper.recognises(Source("x.json", json.dumps(document).encode()))


@pytest.mark.parametrize("name", ["whisper", "whisper-tuples"])
def test_words_with_leading_blanks(name: str) -> None:
    found = sample(name)
    assert found.text == TEXT
    assert found.language == "en"
    assert found.words == tuple("Good morning Ms. Okafor It's a twenty -minute walk".split())
    assert found.mark == ("", ",", "", ".", "", "", "", "", "?")
    assert cells(found.blank) == [True] * 6 + [False, True, True]
    assert cells(found.start) == [0.3, 0.52, 1.1, 1.34, 3.4, 3.62, 3.7, 4.02, 4.4]
    assert cells(found.end) == [0.52, 0.98, 1.34, 1.9, 3.62, 3.7, 4.02, 4.4, 4.86]
    assert cells(found.confidence) == [0.91, 0.99, 0.87, 0.78, 0.96, 0.99, 0.93, 0.95, 0.97]
    assert found.sentences is None


def test_a_segment_without_words_times_its_first_and_last_word() -> None:
    found = sample("whisper-segments")
    assert found.text == TEXT
    assert cells(found.start) == [0.3, NAN, NAN, NAN, 3.4, NAN, NAN, NAN]
    assert cells(found.end) == [NAN, NAN, NAN, 1.9, NAN, NAN, NAN, 4.86]
    assert found.confidence is None
    one = read({"segments": [{"start": 1, "end": 2, "text": " -- Yes ..."}], "text": ""})
    assert (one.words, cells(one.start), cells(one.end)) == (("Yes",), [1], [2])


def test_a_bare_list_with_words_as_lists() -> None:
    found = sample("whisper-list")
    assert found.text == TEXT
    assert cells(found.start) == [0.3, 0.52, 1.1, 1.34, 3.4, NAN, NAN, NAN]


def test_segments_one_after_another_are_one_recording() -> None:
    lines = [
        {"start": 0, "end": 1, "text": " One.", "seek": 0},
        {"start": 1, "end": 2, "text": " Two."},
    ]
    data = "\n".join(map(json.dumps, lines)).encode()
    (found,) = Whisper().parse(Source("talk.json", data))
    assert found.text == "One. Two."


def test_several_results_are_several_recordings() -> None:
    data = (json.dumps({"text": " Hi.", "segments": []}) * 2).encode()
    assert [t.id for t in Whisper().parse(Source("talk.json", data))] == ["talk-1", "talk-2"]


def test_whisperx_words_are_counted_once_and_numbers_have_no_times() -> None:
    found = sample("whisper-x")
    assert found.text == "We sold 60 boats, right? In 2026."
    assert cells(found.start) == [0.2, 0.5, NAN, 1.2, 1.7, 3.0, NAN]
    assert cells(found.end) == [0.4, 0.8, NAN, 1.6, 2.0, 3.1, NAN]
    assert cells(found.confidence) == [0.8, 0.9, NAN, 0.7, 0.95, 0.6, NAN]
    assert found.speaker == ("SPEAKER_00",) * 4 + ("SPEAKER_01",) * 3


def test_word_segments_serve_where_segments_have_no_words() -> None:
    found = read(
        {
            "segments": [{"start": 0, "end": 2, "text": "Yes, sir."}],
            "word_segments": [
                {"text": "Yes,", "start": 0.1, "end": 0.5},
                {"text": "sir.", "start": 0.6, "end": 0.9},
            ],
        }
    )
    assert (found.text, cells(found.start)) == ("Yes, sir.", [0.1, 0.6])


def test_whisper_timestamped_finds_marks_and_blanks_in_the_text() -> None:
    found = sample("whisper-timestamped")
    assert found.text == "Tu viens ? Oui, merci."
    assert found.words == ("Tu", "viens", "Oui", "merci")
    assert found.mark == ("", " ?", ",", ".")
    assert cells(found.start) == [0.1, 0.3, 1.4, 1.8]
    assert cells(found.end) == [0.3, 0.9, 1.7, 2.2]
    assert cells(found.confidence) == [0.91, 0.72, 0.95, 0.85]


def test_stable_ts_new_and_old() -> None:
    assert sample("whisper-stable").text == "Good morning,"
    found = sample("whisper-wrapped")
    assert (found.text, found.language) == ("Hello there.", "en")
    words = [{"word": " Hi", "start": 0, "end": 1, "probability": 1}]
    assert read({"segments": [{"words": words}], "text": ""}).text == "Hi"


def test_chunks_are_segments_with_speakers() -> None:
    found = sample("whisper-chunks")
    assert found.text == "Is it raining? Not yet."
    assert cells(found.start) == [0.0, NAN, NAN, 1.5, NAN]
    assert cells(found.end) == [NAN, NAN, 1.5, NAN, NAN]
    assert found.speaker == ("SPEAKER_00",) * 3 + ("SPEAKER_01",) * 2


def test_chunks_may_be_words() -> None:
    found = sample("whisper-chunkwords")
    assert (found.text, found.words) == ("Dis-moi, oui.", ("Dis", "-moi", "oui"))
    assert cells(found.end) == [0.4, 0.9, NAN]


def test_words_of_the_api_get_the_punctuation_of_the_text() -> None:
    found = sample("whisper-api")
    assert found.text == 'Well, it\'s a "state-of-the-art" pump. It costs $1,200.'
    assert found.words == tuple("Well it's a state -of -the -art pump It costs $1 200".split())
    assert found.start is not None
    assert cells(found.start[-2:]) == [2.5, 2.6]
    assert found.language == "en"


def test_words_of_the_api_that_differ_from_the_text_are_shared_out_by_time() -> None:
    words = [("Well", 0.0), ("2", 0.4), ("Then", 1.0), ("go", 1.5)]
    found = read(
        {
            "task": "transcribe",
            "text": "Well, two. Then, go!",
            "words": [{"word": word, "start": at, "end": at + 0.2} for word, at in words],
            "segments": [
                {"start": 0.0, "end": 0.9, "text": " Well, two."},
                {"start": 1.0, "end": 1.9, "text": " Then, go!"},
            ],
        }
    )
    assert found.text == "Well 2 Then, go!"


def test_pieces_of_the_whisper_cpp_server_are_put_together() -> None:
    found = sample("whisper-server")
    assert (found.words, found.text) == (("You'll", "see"), "You'll see.")
    assert (cells(found.start), cells(found.end)) == ([0.1, 0.6], [0.6, 1.0])


def test_japanese_has_no_blanks() -> None:
    found = sample("whisper-ja")
    assert found.text == "明日は雨です。はい。"
    assert found.words == ("明日", "は", "雨", "です", "は", "い")
    assert cells(found.end) == [0.4, 0.6, 1.0, 1.6, NAN, 2.4]


def test_words_that_are_not_in_the_text_are_kept_with_blanks(
    caplog: pytest.LogCaptureFixture,
) -> None:
    words = [{"word": "Hello", "start": 0, "end": 1, "score": 2}, {"word": "雨"}, {"word": "傘"}]
    with caplog.at_level(logging.WARNING, "caesura"):
        found = read({"segments": [{"start": 0, "end": 1, "text": "Bye.", "words": words}]})
    assert found.text == "Hello 雨傘"
    assert found.confidence is None
    assert caplog.messages == [
        "talk.json: in 1 of 1 segments the words differ from the text; the words are used"
    ]


def test_segments_without_leading_blanks_stand_apart() -> None:
    texts = [" The excel", "lent boat.", "Next one", ", right?"]
    found = read([{"start": 0, "end": 1, "text": text} for text in texts])
    assert found.text == "The excel lent boat. Next one , right?"
    texts = [" The excel", "lent boat.", " Next one", ", right?", "Yes."]
    found = read([{"start": 0, "end": 1, "text": text} for text in texts])
    assert found.text == "The excellent boat. Next one, right? Yes."


@pytest.mark.parametrize(
    "said",
    [
        {"language": "fr"},
        {"language": "French"},
        {"language": None, "info": {"language": "fr"}},
        {"info": ["fr", 0.9]},
        {"metadata": {"language": "fr"}},
    ],
)
def test_the_language_is_a_code(said: Any) -> None:
    assert read({"text": "", "segments": [], **said}).language == "fr"


def test_silence_has_no_words() -> None:
    assert read({"text": "", "segments": [], "language": "en"}).words == ()


def test_writes_a_segment_for_each_sentence() -> None:
    found = sample("whisper")
    cut = found.replace(sentences=Segmentation.of_gaps(len(found), [1, 3]))
    made = document(cut)
    assert [segment["text"] for segment in made["segments"]] == [
        " Good morning,",
        " Ms. Okafor.",
        " It's a twenty-minute walk?",
    ]
    assert [segment["start"] for segment in made["segments"]] == [0.3, 1.1, 3.4]
    assert made["text"] == " " + TEXT
    assert made["segments"][2]["words"][3] == {
        "word": "-minute",
        "start": 4.02,
        "end": 4.4,
        "probability": 0.95,
    }
    assert read(made) == found.replace(id="talk")


def test_writes_segments_between_long_pauses_without_sentences() -> None:
    made = document(sample("whisper"))
    assert [segment["text"] for segment in made["segments"]] == [
        " Good morning, Ms. Okafor.",
        " It's a twenty-minute walk?",
    ]


def test_writes_no_times_that_are_not_known() -> None:
    (segment,) = document(Transcript(("a", "b"), start=np.array([np.nan, 2.0])))["segments"]
    assert segment["words"] == [{"word": " a"}, {"word": " b", "start": 2.0}]
    assert (segment["start"], segment["end"]) == (2.0, None)


def test_a_file_holds_one_recording() -> None:
    with pytest.raises(OutputError, match="holds one recording in a file, and there are 2"):
        Whisper().write([Transcript(()), Transcript(())], io.BytesIO())


@pytest.mark.parametrize(
    "stranger",
    [
        {"results": []},
        {"segments": [{"speaker": "spk1", "words": [{"text": "Okay.", "start": 0, "end": 1}]}]},
        {
            "text": "a",
            "words": [{"text": "a", "start": 1, "end": 2}],
            "audio_url": "",
            "segments": [],
        },
        {"segments": []},
        {"text": "just text"},
        5,
        [{"content": "a", "start": 0, "end": 1, "words": [{"word": "a"}]}],
    ],
)
def test_other_json_is_refused(stranger: Any) -> None:
    assert not recognised(stranger)
    with pytest.raises(FormatError, match=r"talk\.json: this JSON is not of the format whisper"):
        read(stranger)


def test_a_bare_list_is_recognised_only_by_more_than_times() -> None:
    bare = [{"start": 0, "end": 1, "text": "x"}]
    assert read(bare).words == ("x",)
    assert not recognised(bare)
    assert recognised([{**bare[0], "avg_logprob": -0.1}])
    assert not recognised([])


def slow_words(document: Any) -> list[str]:
    return [
        word.get("word", word.get("text"))
        for segment in document["segments"]
        for word in segment.get("words", [{"word": word} for word in segment["text"].split()])
    ]


def test_real_files(corpora: Path) -> None:
    folders = ("whisper-openai", "whisper-timestamped", "whisperx")
    paths = [path for name in folders for path in sorted((corpora / "formats" / name).iterdir())]
    counts = {}
    for path in paths:
        source = Source(str(path), path.read_bytes())
        assert Whisper.recognises(source)
        (found,) = Whisper().parse(source)
        real = json.loads(path.read_bytes())
        written = [word for word in slow_words(real) if word.strip()]
        assert len(found) == len(written)
        assert [w.strip().strip(",.?! ") for w in written] == list(found.words)
        texts = "".join(segment["text"] for segment in real["segments"])
        assert "".join(found.text.split()) == "".join(texts.split())
        assert found.language == {"Japanese": "ja"}.get(real["language"], real["language"])
        counts[path.name.split(".")[0]] = (
            len(found),
            sum(cell is None for cell in cells(found.start)),
        )
        assert read(document(found)) == found.replace(id="talk")
    assert counts == {
        "openai_jfk": (22, 21),
        "deepgram_captions_spacewalk": (59, 0),
        "linto_empty_wav": (58, 0),
        "linto_japanese_tiny": (215, 0),
        "linto_punctuations": (5, 0),
        "whisperx_numbers_untimed": (127, 16),
        "whisperx_reference": (8, 0),
    }


def test_a_bare_list_of_words_is_one_segment() -> None:
    found = sample("whisper-words")
    assert found.text == "Page 58. Listen!"
    assert cells(found.start) == [2.131, None, 3.992]
    assert cells(found.confidence) == [0.809, None, 0.89]


def test_segments_that_a_server_wraps_in_a_result() -> None:
    found = sample("whisper-result")
    assert found.text == "Mind the gap."
    assert cells(found.end) == [0.5, 0.7, 1.1]
    assert found.speaker == ("SPEAKER_00",) * 3


@pytest.mark.parametrize("name", ["whisper-words", "whisper-result"])
def test_recognises_what_was_made_of_whisperx(name: str) -> None:
    assert Whisper.recognises(Source("talk.json", (SAMPLES / f"{name}.json").read_bytes()))
