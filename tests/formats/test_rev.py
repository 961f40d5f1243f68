"""The JSON of Rev.com's editor."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.asr.rev import Rev
from caesura.formats.base import Source

SAMPLES = Path(__file__).parent / "samples"


def read(path: Path) -> list[Transcript]:
    return list(Rev().parse(Source(str(path), path.read_bytes())))


def parsed(document: Any) -> list[Transcript]:
    return list(Rev().parse(Source("file.json", json.dumps(document).encode())))


def test_spans_between_blanks_are_words() -> None:
    (found,) = read(SAMPLES / "rev.json")
    assert found.id == "rev"
    assert found.words == (
        *("So", "African-American", "inaudible", "laughs"),
        *("Mm-hmm", "Oh", "the", "th-", "D.C."),
    )
    assert found.opening == ("", '"', "[", "(", "... ", "", "", "", "")
    assert found.mark == (",", ',"', " 00:00:02].", ")", ".", ",", "", " ...", "")
    assert found.text == (
        'So, "African-American," [inaudible 00:00:02]. (laughs) ... Mm-hmm. Oh, the th- ... D.C.'
    )
    assert found.speaker == ("Speaker 1",) * 4 + ("Guest",) * 5


def test_times_are_known_where_the_first_or_last_span_has_them() -> None:
    (found,) = read(SAMPLES / "rev.json")
    nan = np.nan
    assert found.start is not None
    assert found.end is not None
    np.testing.assert_equal(found.start, [0.2, 0.6, 2.0, 2.5, 3.0, nan, nan, 3.6, 4.0])
    np.testing.assert_equal(found.end, [0.4, 1.4, nan, 2.8, nan, nan, nan, 3.7, 4.2])


def test_speakers_with_one_name_stay_apart(caplog: pytest.LogCaptureFixture) -> None:
    (found,) = read(SAMPLES / "rev-names.json")
    assert found.words == ("one", "two", "x", "three", "four", "five", "$5")
    assert found.speaker == ("0", "1", "1", "2", "7", "7", "")
    assert found.text == "one two)x three fourfive $5"
    assert "'offsetSeconds' is not added to the times" in caplog.text


def test_the_name_in_the_file_is_the_id_where_there_is_no_file_name() -> None:
    (found,) = Rev().read(io.BytesIO((SAMPLES / "rev.json").read_bytes()))
    assert found.id == "interview.m4a"


@pytest.mark.parametrize("document", [{}, {"monologues": [{"elements": []}]}, [], [{}], 1])
def test_other_json_is_refused(document: Any) -> None:
    with pytest.raises(FormatError, match="this JSON is not of the format rev: Rev's editor has"):
        parsed(document)


def notes(transcript: Transcript) -> int:
    """How many words are notes in brackets."""
    nothing = ("",) * len(transcript)
    layers = zip(transcript.opening or nothing, transcript.mark or nothing, strict=True)
    return sum(any(c in o for c in "([") and any(c in m for c in ")]") for o, m in layers)


def test_real_files_have_the_text_of_their_spans(corpora: Path) -> None:
    counts = {"rev": [0, 0], "rev_aa": [0, 0]}
    for name, total in counts.items():
        for path in sorted((corpora / "coraal-multi" / name / "original").glob("*.json")):
            (found,) = read(path)
            assert found.id == path.stem
            document = json.loads(path.read_text())
            spans = [s for m in document["monologues"] for s in [*m["spans"], {"value": " "}]]
            assert found.text.split() == "".join(span["value"] for span in spans).split()
            timed = sum("ts" in span for span in spans)
            assert found.start is not None
            assert 0.9 * timed <= np.isfinite(found.start).sum() <= timed
            total[0] += 1
            total[1] += len(found) - notes(found)
    # the same transcripts as .nlp have 67,781 words that are no tags
    assert counts["rev"] == [18, 67_773]
    assert counts["rev_aa"] == [4, 25_086]


def test_real_file_among_the_formats(corpora: Path) -> None:
    (found,) = read(corpora / "formats" / "revai" / "rev_editor_spans.json")
    assert len(found) == 279
    assert found.text.startswith("So, in comparison, it's, it's, the, those areas")
    assert found.speaker == ("Speaker 1",) * 279
