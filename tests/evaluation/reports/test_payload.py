"""The data of the page, and writing reports."""

import json
from pathlib import Path
from typing import Any

import pytest

from caesura import api
from caesura.core.errors import OutputError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.evaluation.reports.page import page_payload
from caesura.evaluation.reports.write import KINDS, Results, write_report

WORDS = "Well, I think - so do we. Mr. Fox said nothing"


def text(words: str, *ends: int, id: str = "") -> Transcript:
    split = tuple(words.split())
    return Transcript(split, id=id, sentences=Segmentation.of_gaps(len(split), ends))


def results(*systems: Transcript, align: bool = False, **settings: Any) -> Results:
    references = [text(WORDS, 2, 6, id="ann"), text(WORDS.lower(), 6, id="ben")]
    metric = ["Boundary", "WiSeBE"]
    if len(systems) == 1:
        scores = api.score(
            systems[0], reference=references, metric=metric, align=align, resamples=20, **settings
        )
        return Results(("one",), (scores,))
    found = api.compare(
        systems, reference=references, metric=metric, align=align, resamples=20, **settings
    )
    return Results(found.systems, found.scores, found)


def test_words_are_shown_as_they_were_written() -> None:
    made = page_payload(results(text(WORDS, 2), normalize="case+punctuation"))
    (view,) = made["documents"][0]["views"]
    assert view["words"].split("\n") == "Well, I think so do we. Mr. Fox said nothing".split()
    assert view["references"] == [[2, 5, 9], [5, 9]]
    assert view["systems"] == [{"system": 0, "gaps": [2, 9]}]
    assert view["windows"] == [[2, 2], [5, 5]]


def test_references_in_another_case_are_shown_as_they_were_counted() -> None:
    """The hypothesis needs no normalisation, one of its references does."""
    said = "we tied it shut so it goes on and on we know"
    references = [text(said, 3, 6), text(said.capitalize(), 3, 9, id="ben")]
    scores = api.score(text(said, 3), reference=references, metric="WiSeBE", resamples=0)
    made = page_payload(Results(("one",), (scores,)))
    (view,) = made["documents"][0]["views"]
    assert view["references"] == [[3, 6, 11], [3, 9, 11]]
    assert len(view["windows"]) == made["scores"][0]["values"]["windows"] == 3
    assert view["systems"] == [{"system": 0, "gaps": [3, 11]}]


def test_the_page_of_the_readme_counts_what_its_table_counts() -> None:
    examples = Path(__file__).parents[3] / "examples"
    (found,) = api.segment(examples / "council.ctm")
    references = [examples / "council.ann.txt", examples / "council.ben.txt"]
    scores = api.score(found, reference=references, metric="WiSeBE", resamples=0)
    made = page_payload(Results(("council",), (scores,)))
    (view,) = made["documents"][0]["views"]
    assert made["references"] == ["council.ann", "council.ben"]
    assert [len(gaps) for gaps in view["references"]] == [7, 10]
    assert len(view["windows"]) == made["scores"][0]["values"]["windows"] == 8


def test_systems_with_the_same_words_share_a_view() -> None:
    shared = page_payload(results(text(WORDS, 2, id="a"), text(WORDS, 6, id="b")))
    (view,) = shared["documents"][0]["views"]
    assert [each["system"] for each in view["systems"]] == [0, 1]
    assert shared["comparison"]["rows"][0]["a"] == 0
    apart = page_payload(results(text(WORDS, 2, id="a"), text("I think so", 2, id="b"), align=True))
    assert [each["systems"][0]["system"] for each in apart["documents"][0]["views"]] == [0, 1]
    assert len(apart["documents"][0]["coverage"]) == 2


def test_everything_is_json_and_named() -> None:
    made = page_payload(results(text(WORDS, 2), sweep="window_gap=0:3"))
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert made["references"] == ["ann", "ben"]
    assert [each["name"] for each in made["metrics"]] == ["Boundary", "WiSeBE"]
    (sweep,) = made["sweeps"]
    assert sweep["points"] == [0, 1, 2, 3]
    assert len(sweep["systems"][0]["values"]["wisebe"]) == 4
    assert made["scores"][1]["signature"].startswith("WiSeBE(")
    assert len(made["documents"][0]["values"][0]) == 2


def test_words_are_counted_in_the_reference() -> None:
    said, found = text("a b c d", id="x"), text("a b", id="x")
    scores = api.score(found, reference=said, metric="Words", resamples=0)
    (one,) = page_payload(Results(("one",), (scores,)))["documents"]
    assert one["words_count"] == 4


def test_documents_are_ordered_for_each_metric() -> None:
    (one, other) = (text(WORDS, 2, id="a"), text(WORDS, 6, id="b"))
    assert page_payload(results(one, other))["worst_first"] == [[0], [0]]
    both = [text(WORDS, 2, id="x"), text(WORDS, 6, id="y")]
    scores = api.score(both, reference=[[both[0], both[0].replace(id="y")]], metric="Pk")
    assert page_payload(Results(("one",), (scores,)))["worst_first"] == [[1, 0]]


@pytest.mark.parametrize("suffix", KINDS)
def test_each_kind_is_written_whole(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    assert write_report(results(text(WORDS, 2)), path) == [path]
    assert path.stat().st_size > 100
    assert list(tmp_path.iterdir()) == [path]


def test_other_suffixes_are_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"use one of \.html, \.md"):
        api.score("absent.txt", reference="absent.txt", report=tmp_path / "out.docx")


def test_a_report_is_made_of_what_the_functions_return(tmp_path: Path) -> None:
    one, other = text(WORDS, 2, id="one"), text(WORDS, 6, id="other")
    scores = api.score(one, reference=other, resamples=0)
    assert page_payload(Results.of(scores)) == page_payload(Results(("one",), (scores,)))
    comparison = api.compare([one, other], reference=other, resamples=0)
    assert Results.of(comparison) == Results(("one", "other"), comparison.scores, comparison)
    agreement = api.agree([one, other], resamples=0)
    assert page_payload(Results.of(agreement))["among"]
    for found in (scores, comparison, agreement):
        path = tmp_path / "report.json"
        assert write_report(found, path) == [path]
        assert json.loads(path.read_text()) == json.loads(json.dumps(found.to_dict()))


def test_files_are_read_once_however_many_reports_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ours.txt", "theirs.txt"):
        (tmp_path / name).write_text("So it goes.\nWe tied it shut.\n")
    opened: list[str] = []

    def read_bytes(path: Path) -> bytes:
        opened.append(path.name)
        with path.open("rb") as file:
            return file.read()

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    reports = [tmp_path / f"report{suffix}" for suffix in (".html", ".md", ".json")]
    api.score(tmp_path / "ours.txt", reference=tmp_path / "theirs.txt", report=reports)
    assert sorted(opened) == ["ours.txt", "theirs.txt"]
    assert all(path.exists() for path in reports)


def test_annotators_have_a_title_and_no_system() -> None:
    annotators = [text(WORDS, 2, id="ann"), text(WORDS, 6, id="ben")]
    for some, title in ((annotators, "2 annotators"), (annotators[:1], "1 annotator")):
        found = page_payload(
            Results(("annotators",), (api.agree(some, resamples=0),), between_annotators=True)
        )
        assert found["title"] == f"Agreement of {title}"
        assert found["documents"][0]["views"][0]["systems"] == []
        assert set(found["scores"][0]["counts"]) >= {"gaps", "union", "boundaries_1"}
