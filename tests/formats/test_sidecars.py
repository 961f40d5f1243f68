"""What lies beside references: alternatives by entity, and classes."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from caesura import api
from caesura.core.errors import FormatError, MismatchError
from caesura.core.transcript import Origin, Span, Transcript
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.scores import score_recordings
from caesura.formats.sidecars import with_sidecars
from caesura.metrics.words import Words

CALL = Transcript(
    ("in", "Q1", "202", "up", "7.40%"),
    id="call",
    mark=("", "", ".", "", "."),
    entities=(
        Span(1, 1, "ALPHANUMERIC", "1"),
        Span(1, 2, "", "1"),
        Span(2, 2, "YEAR", "2"),
        Span(4, 4, "PERCENT", "3"),
        Span(0, 0, "X", "4"),
        Span(3, 3, "X", "4"),
    ),
)


def entity(kind: str, *ways: str) -> dict[str, Any]:
    return {
        "candidates": [{"probability": 0.5, "verbalization": way.split()} for way in ways],
        "class": kind,
    }


def beside(
    folder: Path, alternatives: object = None, classes: object = None, id: str = "call"
) -> Path:
    for kind, content in (("norm", alternatives), ("wer_tag", classes)):
        if content is not None:
            (folder / f"{id}.{kind}.json").write_text(json.dumps(content), "utf-8")
    return folder


def test_readings_go_to_the_words_of_their_entity(tmp_path: Path) -> None:
    beside(tmp_path, {"1": entity("ALPHANUMERIC", "Q one", "Q1", "Q one")})
    (found,) = with_sidecars([CALL], tmp_path)
    assert found.alternatives == (Span(1, 1, "Q one"),)
    assert found.replace(alternatives=None) == CALL


def test_digits_that_are_spoken_otherwise_than_written_are_readings_too(tmp_path: Path) -> None:
    said = {
        "2": entity("YEAR", "twenty twenty", "two thousand twenty"),
        "3": entity("PERCENT", "seven point four percent"),
    }
    (found,) = with_sidecars([CALL], beside(tmp_path, said))
    assert found.alternatives == (
        Span(2, 2, "2020"),
        Span(2, 2, "twenty twenty"),
        Span(2, 2, "two thousand twenty"),
        Span(4, 4, "7.4%"),
        Span(4, 4, "seven point four percent"),
    )


def test_a_number_that_is_spoken_as_written_has_all_its_digits(tmp_path: Path) -> None:
    call = CALL.replace(words=("in", "Q1", "20", "up", "7.4%"))
    said = {"2": entity("CARDINAL", "twenty"), "3": entity("PERCENT", "seven point four percent")}
    call = call.replace(entities=(Span(2, 2, "CARDINAL", "2"), Span(4, 4, "PERCENT", "3")))
    (found,) = with_sidecars([call], beside(tmp_path, said))
    assert found.alternatives == (Span(2, 2, "twenty"), Span(4, 4, "seven point four percent"))


def test_entities_without_a_class_get_theirs(tmp_path: Path) -> None:
    classes = {"1": {"entity_type": "DATE"}, "2": {"entity_type": "OTHER"}}
    (found,) = with_sidecars([CALL], entity_classes=beside(tmp_path, None, classes))
    assert found.entities is not None
    assert Span(1, 2, "DATE", "1") in found.entities
    assert Span(1, 1, "ALPHANUMERIC", "1") in found.entities
    assert Span(2, 2, "YEAR", "2") in found.entities


def test_a_signature_tells_that_classes_come_from_another_file(tmp_path: Path) -> None:
    classes = {"1": {"entity_type": "DATE"}}
    call = CALL.replace(origin=Origin("call.nlp"))
    (found,) = with_sidecars([call], entity_classes=beside(tmp_path, None, classes))
    (plain, told) = (
        score_recordings([call], [[one]], [Words()], ScoringSettings((), False)).signatures[0]
        for one in (call, found)
    )
    assert "classes" not in plain
    assert "|classes=1|" in told


def test_ids_that_name_nothing_or_several_pieces_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    said = {"4": entity("X", "x"), "9": entity("X", "x"), "1": entity("ALPHANUMERIC", "Q one")}
    said["2"] = entity("CARDINAL", "two")
    with caplog.at_level(logging.WARNING, "caesura"):
        (found,) = with_sidecars([CALL], beside(tmp_path, said))
    assert found.alternatives == (Span(1, 1, "Q one"),)
    assert (
        "3 entities are missing in the reference, or in several pieces there: 4, 9, 2"
        in caplog.text
    )


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is not an object of entities"),
        ('{"1": []}', "entity '1' does not have the expected shape"),
        ('{"1": {"candidates": [{"verbalization": "x"}]}}', "entity '1' does not have"),
        ('{"1": {"candidates": [{"verbalization": [1]}]}}', "entity '1' does not have"),
        ("\ud800", "is not JSON"),
    ],
    ids=["cut", "deep", "list", "shape", "text", "number", "bytes"],
)
def test_broken_files_are_told(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "call.norm.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(FormatError, match=rf"call\.norm\.json: .*{told}"):
        with_sidecars([CALL], tmp_path)


def test_broken_classes_are_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"call\.wer_tag\.json: .*entity_type"):
        with_sidecars([CALL], entity_classes=beside(tmp_path, None, {"1": {"entity_type": 3}}))


def test_files_must_be_there_and_of_a_known_kind(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        with_sidecars([CALL], tmp_path / "call.norm.json")
    with pytest.raises(FormatError, match="no such file or folder"):
        with_sidecars([CALL], tmp_path / "nowhere")
    (tmp_path / "call.json").touch()
    with pytest.raises(FormatError, match=r"named ID\.norm\.json"):
        with_sidecars([CALL], tmp_path / "call.json")
    with pytest.raises(FormatError, match=r"the folder has no file \*\.norm\.json"):
        with_sidecars([CALL], tmp_path)


def test_a_file_of_the_other_kind_is_refused_with_its_option(tmp_path: Path) -> None:
    beside(tmp_path, {}, {})
    with pytest.raises(FormatError, match="give this file as --entity-classes"):
        with_sidecars([CALL], alternatives=tmp_path / "call.wer_tag.json")
    with pytest.raises(FormatError, match="give this file as --alternatives"):
        with_sidecars([CALL], entity_classes=tmp_path / "call.norm.json")


def test_a_folder_of_both_kinds_is_read_for_what_is_asked(tmp_path: Path) -> None:
    said = {"1": entity("ALPHANUMERIC", "Q one")}
    beside(tmp_path, said, {"1": {"entity_type": "DATE"}})
    (spoken,) = with_sidecars([CALL], alternatives=tmp_path)
    (classed,) = with_sidecars([CALL], entity_classes=tmp_path)
    (both,) = with_sidecars([CALL], tmp_path, tmp_path)
    assert spoken.entities == CALL.entities
    assert classed.alternatives is None
    assert (both.alternatives, both.entities) == (spoken.alternatives, classed.entities)


def test_files_of_no_recording_and_recordings_without_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    beside(tmp_path, {}, id="other")
    with pytest.raises(MismatchError, match="no file of alternatives is named after one of the"):
        with_sidecars([CALL], tmp_path)
    with caplog.at_level(logging.WARNING, "caesura"):
        with_sidecars([CALL, CALL.replace(id="more")], beside(tmp_path, {}))
        assert "named after no recording" not in caplog.text
        assert "1 recording has no alternatives: more" in caplog.text
        with_sidecars([CALL], [tmp_path, tmp_path / "other.norm.json"])
    assert (
        f"1 file or folder is named after no recording: {tmp_path / 'other.norm.json'}"
        in caplog.text
    )


def test_a_folder_of_which_no_file_is_of_a_recording_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name, id in (("right", "call"), ("wrong", "other")):
        (tmp_path / name).mkdir()
        beside(tmp_path / name, {}, id=id)
    with caplog.at_level(logging.WARNING, "caesura"):
        with_sidecars([CALL], [tmp_path / "right", tmp_path / "wrong"])
    assert f"1 file or folder is named after no recording: {tmp_path / 'wrong'}" in caplog.text


def test_two_files_of_one_recording_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        beside(tmp_path / name, {})
    with pytest.raises(MismatchError, match=r"two files are named call\.norm\.json"):
        with_sidecars([CALL], tmp_path)


def test_no_paths_change_nothing() -> None:
    assert with_sidecars([CALL], ()) == [CALL]


NLP = (
    "token|speaker|ts|endTs|punctuation|case|tags|wer_tags\n"
    "in|0||||LC|[]|[]\nQ1|0||||CA|['1:ALPHANUMERIC']|['1']\n2020|0|||.|N/A|['2:YEAR']|['2']\n"
)


def test_scores_count_the_nearest_reading(tmp_path: Path) -> None:
    (tmp_path / "call.nlp").write_text(NLP, "utf-8")
    (tmp_path / "heard.txt").write_text("in q one twenty twenty", "utf-8")
    said = {"1": entity("ALPHANUMERIC", "Q one"), "2": entity("YEAR", "twenty twenty")}
    beside(tmp_path, said)
    terms: dict[str, Any] = {"reference": tmp_path / "call.nlp", "metric": "Words"}
    heard = tmp_path / "heard.txt"
    plain = api.score(heard, **terms, normalize="case", resamples=0)
    read = api.score(heard, **terms, normalize="case", alternatives=tmp_path, resamples=0)
    assert plain.values[0]["wer"] == pytest.approx(4 / 3)
    assert read.values[0]["wer"] == 0
    assert "|alternatives=2|" in read.signatures[0]
    assert "alternatives" not in plain.signatures[0]
    both = api.compare([heard, tmp_path / "call.nlp"], **terms, alternatives=tmp_path, resamples=0)
    assert [each.values[0]["wer"] for each in both.scores] == [0, 0]
    page = tmp_path / "out.json"
    api.score(heard, **terms, normalize="case", alternatives=tmp_path, resamples=0, report=page)
    assert json.loads(page.read_text("utf-8"))["scores"][0]["values"]["wer"] == 0
