"""The JSON of Rev AI's interface."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.asr.rev import RevAi
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"


def read(path: Path) -> list[Transcript]:
    return list(RevAi().parse(Source(str(path), path.read_bytes())))


def parsed(document: Any) -> list[Transcript]:
    return list(RevAi().parse(Source("file.json", json.dumps(document).encode())))


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "value": value, **more}


def punct(value: str) -> dict[str, Any]:
    return {"type": "punct", "value": value}


def monologue(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"monologues": [{"speaker": 0, "elements": list(elements)}]}


def test_reads_words_marks_times_and_speakers() -> None:
    (found,) = read(SAMPLES / "revai.json")
    assert found.id == "revai"
    assert found.words == ("Hi", "Dr.", "New", "York", "well-known", "<laugh>")
    assert found.opening == ("", "", "“", "", "... ", "")
    assert found.mark == (",", "", "", "”.", "", "")
    assert found.blank is None
    assert found.text == "Hi, Dr. “New York”. ... well-known <laugh>"
    assert found.start is not None
    assert found.end is not None
    np.testing.assert_equal(found.start, [0.3, 0.6, 1.0, np.nan, 2.0, np.nan])
    np.testing.assert_equal(found.end, [0.52, 0.8, np.nan, 1.5, 2.7, np.nan])
    assert found.confidence is not None
    np.testing.assert_equal(found.confidence, [1.0, 0.9, 0.8, 0.8, 0.7, np.nan])
    assert found.speaker == ("0", "0", "0", "0", "Ann", "Ann")


def test_of_a_stream_final_messages_count() -> None:
    (found,) = read(SAMPLES / "revai-stream.json")
    assert found.text == "One two. Three?"
    assert found.speaker is None


def test_words_without_blanks_between_them_are_still_words() -> None:
    (found,) = read(SAMPLES / "revai-glued.json")
    assert found.words == ("今日", "は", "はい")
    assert found.text == "今日は。はい"
    assert found.speaker == ("Host", "Host", "1")


def test_punctuation_goes_where_the_blanks_say() -> None:
    elements = [
        text("He"),
        punct(" "),
        text("said"),
        punct(', "'),
        text("No"),
        punct('!" ('),
        text("laughs"),
        punct(")"),
    ]
    (found,) = parsed(monologue(*elements))
    assert found.words == ("He", "said", "No", "laughs")
    assert found.opening == ("", "", '"', "(")
    assert found.mark == ("", ",", '!"', ")")


def test_speakers_are_numbered_or_named() -> None:
    numbered: list[dict[str, Any]] = [
        {"speaker": number, "elements": [text("a")]} for number in (2, 0, None)
    ]
    (found,) = parsed({"monologues": numbered})
    assert found.speaker == ("2", "0", "")
    numbered[0]["speaker_info"] = {"id": 2, "display_name": "Ann"}
    (found,) = parsed({"monologues": numbered})
    assert found.speaker == ("Ann", "0", "")


def test_an_empty_transcript_has_no_words() -> None:
    (found,) = parsed({"monologues": []})
    assert len(found) == 0


@pytest.mark.parametrize(
    "document", [{}, {"monologues": [{"spans": []}]}, [], [1], {"type": "final"}, None]
)
def test_other_json_is_refused(document: Any) -> None:
    with pytest.raises(FormatError, match="this JSON is not of the format revai"):
        parsed(document)


def test_real_file(corpora: Path) -> None:
    """All values put together are the text; one of the 414 words is `New York`."""
    path = corpora / "formats" / "revai" / "revai_sdk_transcript.json"
    (found,) = read(path)
    monologues = json.loads(path.read_text())["monologues"]
    whole = " ".join("".join(e["value"] for e in m["elements"]) for m in monologues)
    assert found.text == " ".join(whole.split())
    assert len(found) == 414 + 1
    assert found.speaker == ("0",) * 415
    assert found.start is not None
    assert np.isnan(found.start).sum() == 1
    assert found.mark is not None
    assert (found.mark.count("."), found.mark.count(",")) == (26, 24)
    assert found.blank is None
