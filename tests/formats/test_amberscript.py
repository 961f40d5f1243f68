"""Amberscript's JSON."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.asr.amberscript import Amberscript
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"


def read(path: Path) -> list[Transcript]:
    return list(Amberscript().parse(Source(str(path), path.read_bytes())))


def parsed(document: Any) -> list[Transcript]:
    return list(Amberscript().parse(Source("file.json", json.dumps(document).encode())))


def test_reads_words_and_notes() -> None:
    (found,) = read(SAMPLES / "amberscript.json")
    assert found.id == "amberscript"
    assert found.words == ("Okay", "Uh", "laughter", "Yeah", "R&B")
    assert found.opening == ("", "[", "[", '"', "")
    assert found.mark == (".", "]", " 00:00:02 - 00:00:03].", ",", '."')
    assert found.speaker == ("Interviewer",) * 3 + ("Guest",) * 2
    assert found.start is not None
    assert found.end is not None
    np.testing.assert_equal(found.start, [1.66, 1.99, 2.34, 3.0, np.nan])
    np.testing.assert_equal(found.end, [1.99, 2.34, 2.9, 3.25, np.nan])
    assert found.confidence is not None
    assert found.confidence.tolist() == [1.0, 1.0, 0.5, 0.9, 0.9]


def test_the_name_in_the_file_is_the_id_where_there_is_no_file_name() -> None:
    (found,) = Amberscript().read(io.BytesIO((SAMPLES / "amberscript.json").read_bytes()))
    assert found.id == "meeting.wav"


def test_an_offset_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    (found,) = parsed({"startTimeOffset": 3600, "segments": []})
    assert len(found) == 0
    assert "'startTimeOffset' is not added to the times" in caplog.text


@pytest.mark.parametrize(
    "document",
    [{}, {"segments": [{"words": [{"word": "a"}]}]}, {"segments": {}, "speakers": []}, [], 1],
)
def test_other_json_is_refused(document: Any) -> None:
    with pytest.raises(FormatError, match="this JSON is not of the format amberscript"):
        parsed(document)


def test_real_files(corpora: Path) -> None:
    """The text is that of the file; times in notes are the only words that are none."""
    counts = []
    for path in sorted((corpora / "coraal-multi" / "amberscript" / "original").glob("*.json")):
        (found,) = read(path)
        segments = json.loads(path.read_text())["segments"]
        given = [word["text"] for segment in segments for word in segment["words"]]
        assert found.text.split() == " ".join(given).split()
        stamps = [
            text
            for text in given
            if text == "-" or (":" in text and not text.strip("[]().,?!:–-0123456789"))
        ]
        assert len(found) == len(given) - len(stamps)
        assert found.start is not None
        assert np.isfinite(found.start).all()
        counts.append((len(given), len(found), len(set(found.speaker or ()))))
    assert counts == [(6276, 6213, 2), (4727, 4694, 4), (6667, 6582, 2), (7081, 6976, 2)]
