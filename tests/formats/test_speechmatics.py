"""Speechmatics' JSON."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Span, Transcript
from caesura.formats.asr.speechmatics import Speechmatics
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"


def read(path: Path) -> list[Transcript]:
    return list(Speechmatics().parse(Source(str(path), path.read_bytes())))


def parsed(document: Any) -> list[Transcript]:
    return list(Speechmatics().parse(Source("file.json", json.dumps(document).encode())))


def word(content: str, **more: Any) -> dict[str, Any]:
    alternatives = [{"content": content}]
    return {
        "type": "word",
        "start_time": 0.5,
        "end_time": 1.0,
        "alternatives": alternatives,
        **more,
    }


def mark(content: str, **more: Any) -> dict[str, Any]:
    return {**word(content), "type": "punctuation", **more}


def test_reads_words_marks_speakers_and_sentence_ends() -> None:
    (found,) = read(SAMPLES / "speechmatics.json")
    assert found.id == "speechmatics"
    assert found.language == "en"
    assert found.words == ("Hola", "co", "op", "yes")
    assert found.opening == ("", "¿", "", "")
    assert found.mark == (".", "-", " …", "?")
    assert found.text == "Hola. ¿co-op … yes?"
    assert found.start is not None
    assert found.start.tolist() == [0.2, 0.9, 1.1, 1.5]
    assert found.confidence is not None
    np.testing.assert_equal(found.confidence, [0.9, 0.8, 0.8, np.nan])
    assert found.speaker == ("S1", "", "", "S2")
    assert found.sentences is not None
    assert found.sentences.sentences == [(0, 0), (1, 3)]


def test_the_name_of_the_upload_is_the_id_where_there_is_no_file_name() -> None:
    data = (SAMPLES / "speechmatics.json").read_bytes()
    (found,) = Speechmatics().read(io.BytesIO(data))
    assert found.id == "talk.wav"


def test_of_a_stream_final_messages_count_and_entities_as_they_are_written() -> None:
    (found,) = read(SAMPLES / "speechmatics-stream.json")
    assert found.text == "It cost 3 euros."
    assert found.end is not None
    assert found.end.tolist() == [0.3, 0.6, 1.2, 1.9]
    assert found.entities == (Span(2, 3, "money"),)
    assert found.language == "en"
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [3]


def test_channels_are_recordings_and_japanese_has_no_blanks() -> None:
    left, right = read(SAMPLES / "speechmatics-channels.json")
    assert (left.id, left.text) == ("speechmatics-channels.left", "今日は。")
    assert left.language == "ja"
    assert left.sentences is None
    assert right.words == ("はい", "5", "月")
    assert right.entities == (Span(1, 2, "date"),)
    assert right.end is not None
    np.testing.assert_equal(right.end, [0.4, np.nan, 0.9])


def test_an_empty_delimiter_is_not_believed_of_languages_with_blanks() -> None:
    metadata = {
        "transcription_config": {"language": "en"},
        "language_pack_info": {"word_delimiter": ""},
    }
    (found,) = parsed({"metadata": metadata, "results": [word("two"), word("words")]})
    assert found.text == "two words"


def test_punctuation_attaches_to_its_side() -> None:
    results = [
        word("Yes"),
        mark(","),
        mark("*", attaches_to="next"),
        word("fine"),
        word("so"),
        mark("-", attaches_to="both"),
        word("so"),
        mark("&", attaches_to="none"),
        word("on"),
    ]
    (found,) = parsed([{"message": "AddTranscript", "results": results}])
    assert found.text == "Yes, *fine so-so & on"
    assert found.words == ("Yes", "fine", "so", "so", "on")
    assert found.sentences is None


def test_commas_alone_state_no_sentences() -> None:
    (found,) = parsed({"results": [word("well"), mark(",", is_eos=False), word("then")]})
    assert found.sentences is None


def test_the_language_is_that_of_the_words_if_it_was_found_out() -> None:
    metadata = {"transcription_config": {"language": "auto"}}
    spoken = {**word("ja"), "alternatives": [{"content": "ja", "language": "de"}]}
    (found,) = parsed({"metadata": metadata, "results": [word("so"), spoken]})
    assert found.language == "de"


def test_an_empty_stream_is_an_empty_recording() -> None:
    (found,) = parsed({"message": "AddTranscript", "format": "2.7", "results": []})
    assert len(found) == 0


@pytest.mark.parametrize(
    "document", [{}, {"results": {}}, {"results": [{"type": "pronunciation"}]}, [], [{}], "x"]
)
def test_other_json_is_refused(document: Any) -> None:
    with pytest.raises(FormatError, match="this JSON is not of the format speechmatics"):
        parsed(document)


def test_real_files(corpora: Path) -> None:
    """Slow and plain: put results together and count."""
    counts = {}
    for path in sorted((corpora / "formats" / "speechmatics").glob("*.json")):
        (found,) = read(path)
        results = json.loads(path.read_text())["results"]
        text = ""
        for result in results:
            content = result["alternatives"][0]["content"]
            text += content if result["type"] == "punctuation" else " " + content
        assert found.text == text.strip()
        words = [result for result in results if result["type"] != "punctuation"]
        assert len(found) == len(words)
        assert found.start is not None
        np.testing.assert_allclose(found.start, [w["start_time"] for w in words], atol=1e-6)
        ends = sum(result.get("is_eos", False) for result in results)
        assert found.sentences is not None
        assert len(found.sentences.gaps) == ends
        counts[path.name] = (len(found), ends, len(found.entities or ()))
    assert counts["boldvideo_demo_v2.9.json"] == (316, 27, 1)
    assert counts["sm_alex_ferguson_v2.9.json"] == (158, 10, 5)
    assert counts["sm_batch_v2.8.json"] == (17, 5, 0)
    assert counts["sm_entity.json"] == (1, 1, 1)
