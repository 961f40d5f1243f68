"""Our own format: nothing lost, and every slip named."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from caesura import api
from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.jsonl import Jsonl

SAMPLE = Path(__file__).parent / "samples" / "jsonl.jsonl"


def read(text: str) -> list[Transcript]:
    return list(Jsonl().read(io.BytesIO(text.encode())))


def test_sample() -> None:
    one, two = api.read(SAMPLE)
    assert one.text == "Good morning. How are you?"
    assert [s.text for s in one.iter_sentences()] == ["Good morning.", "How are you?"]
    assert one.sentences is not None
    assert one.sentences.label == ("", ".", "", "", "?")
    assert two == Transcript(("yes",), id="two")


def test_writes_the_same_lines_again() -> None:
    file = io.BytesIO()
    Jsonl().write(api.read(SAMPLE), file)
    lines = [json.loads(line) for line in file.getvalue().decode().splitlines()]
    expected = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    assert lines == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[]", "'words' is a list of texts"),
        ('{"words": ["a", 1]}', "'words' is a list of texts"),
        ('{"words": ["a"], "start": [0, 1]}', "start has 2 cells for 1 words"),
        ('{"words": ["a"], "start": ["0"]}', "'start' has a cell '0' that it cannot hold"),
        ('{"words": ["a"], "head": [0.5]}', "'head' has a cell 0.5"),
        ('{"words": ["a"], "blank": [1]}', "'blank' has a cell 1"),
        ('{"words": ["a"], "speaker": "A"}', "'speaker' is not a list"),
        ('{"words": ["a"], "head": [7]}', "head[0] is 7, and points outside"),
        ('{"words": ["a"], "entities": [[0, 3, "PER"]]}', "lies outside the 1 words"),
        ('{"words": ["a"], "entities": [[0, "PER"]]}', "a list of [first, last, label]"),
        ('{"words": ["a", "b"], "sentences": [[0, 0]]}', "the sentences cover 1 of 2 words"),
        (
            '{"words": ["a", "b"], "sentences": [[1, 1]]}',
            "sentences[0] is (1, 1), and word 0 is in no sentence",
        ),
        ('{"words": ["a"], "sentences": [[0]]}', "a list of [first, last]"),
        ('{"words": ["a"], "sentences": [[0, 0]], "labels": [1]}', "'labels' is a list of texts"),
        ('{"words": ["a"], "labels": ["."]}', "'labels' belongs to 'sentences'"),
        ('{"words": ["a"], "log_odds": [1]}', "'log_odds' belongs to 'sentences'"),
        ('{"words": ["a"], "evidence": [1]}', "'evidence' is an object of columns by name"),
        ('{"words": ["a"], "evidence": {"x": 1}}', "evidence 'x' is not a list"),
        ('{"words": ["a"], "evidence": {"x": ["1"]}}', "evidence 'x' has a cell '1' that is no"),
        ('{"words": ["a"], "evidence": {"x": [true]}}', "evidence 'x' has a cell True that is no"),
        ('{"words": ["a"], "evidence": {"x": [NaN]}}', "evidence 'x' has a cell nan that is no"),
        ('{"words": ["a"], "evidence": {"x": [1e999]}}', "evidence 'x' has a cell inf that is no"),
        ('{"words": ["a"], "evidence": {"x": [0, 1]}}', "evidence 'x' has 2 cells for 1 words"),
        ('{"words": ["a"], "evidence": {"": [0]}}', "has a text as its name, not ''"),
        (
            '{"words": ["a"], "horse": []}',
            "unknown key 'horse'; known are alternatives, blank, cluster",
        ),
        ('{"words": ["a"], "id": 7}', "'id' is not a text"),
        ('{"words": ["a"]', "not a JSON line"),
    ],
)
def test_errors_name_the_line(line: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read('{"words": []}\n' + line)
    assert message in str(caught.value)
    assert "<bytes>:2: " in str(caught.value)


def test_half_characters_become_replacement_characters() -> None:
    assert read('{"words": ["\\ud800", "\\ud83d\\ude42", "\\\\ud800"]}')[0].words == (
        "\ufffd",
        "🙂",
        "\\ud800",
    )


def test_a_label_that_is_null_is_none() -> None:
    (found,) = read('{"words": ["a", "b"], "sentences": [[0, 1]], "labels": [null, "."]}')
    assert found.sentences is not None
    assert found.sentences.label == ("", ".")


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ('{"type": "Begin", "id": "s"}', "format= (--format): it looks like assemblyai"),
        ('{"word": "so", "start": 0.5}', "if each line is one word, read it with caesura stream"),
        ('{"horse": 1}', "if it is of another format, name it with format= (--format)"),
        ("{", "if it is of another format, name it with format= (--format)"),
        ('{"words": []}\n[]', ""),
    ],
)
def test_errors_name_the_format_that_fits(text: str, remedy: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.remedy.endswith(remedy)
    assert bool(caught.value.remedy) == bool(remedy)


def test_evidence_is_kept_to_the_last_bit() -> None:
    line = '{"words": ["a", "b"], "evidence": {"x": [1e300, null], "y": [0.1, -3]}}'
    (found,) = read(line)
    assert found.evidence is not None
    np.testing.assert_equal(dict(found.evidence), {"x": [1e300, np.nan], "y": [0.1, -3.0]})
    file = io.BytesIO()
    Jsonl().write([found], file)
    assert json.loads(file.getvalue()) == json.loads(line)


def test_evidence_of_an_endless_integer_is_refused() -> None:
    with pytest.raises(FormatError, match="is no number"):
        read('{"words": ["a"], "evidence": {"x": [1' + "0" * 400 + "]}}")


def test_evidence_without_columns_is_none() -> None:
    assert read('{"words": ["a"], "evidence": {}}')[0].evidence is None


def test_converting_says_that_evidence_is_dropped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"words": ["a"], "evidence": {"x": [1]}}', encoding="utf-8")
    api.convert(file, to="text", output=tmp_path / "a.txt")
    assert caplog.messages == ["text drops evidence"]
