"""Words side by side: in a terminal, as JSON, and as data of the page."""

import re
from typing import Any

import pytest

from caesura import api
from caesura.core.errors import UnknownName
from caesura.core.transcript import Transcript
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.reports.alignment_view import (
    alignments_as_json,
    format_alignments,
    isolate_direction,
    page_alignments,
)
from caesura.evaluation.reports.table import display_width
from caesura.evaluation.reports.write import Results
from evaluation.reports.examples import text

REFERENCE = "the cat sat on the mat and was quiet"
HYPOTHESIS = "the bat sat down on the and was quiet"


def results(
    hypothesis: Transcript, *references: Transcript, metric: str = "Words", **asked: Any
) -> Results:
    scores = api.score(hypothesis, reference=list(references), metric=metric, resamples=0, **asked)
    return Results(("sys",), (scores,))


def test_errors_are_marked_under_the_words() -> None:
    view = format_alignments(results(text(HYPOTHESIS), text(REFERENCE)), "all", 80)
    assert view.splitlines()[:5] == [
        "sys against 1",
        "",
        "REF 1 the cat sat **** on the mat and was quiet",
        "HYP 1 the bat sat down on the *** and was quiet",
        "          S       I           D",
    ]


def test_lines_fit_and_say_where_they_begin() -> None:
    ours = text(" ".join(f"w{k}" for k in range(200) if k % 50))
    theirs = text(" ".join(f"w{k}" for k in range(200)))
    lines = format_alignments(results(ours, theirs), "all", 60).splitlines()
    assert max(map(display_width, lines[2:-3])) <= 60
    for side, words in (("REF", theirs.words), ("HYP", ours.words)):
        rows = [line.split() for line in lines if line.startswith(f"{side} ")][:-1]
        said = [[word for word in row[2:] if not word.startswith("*")] for row in rows]
        assert len(rows) > 10
        for row, own in zip(rows, said, strict=True):
            assert own == list(words[int(row[1]) - 1 :][: len(own)])
    few = format_alignments(results(ours, theirs), "errors", 60)
    kept = [line for line in few.splitlines() if line.startswith("REF ")][:-1]
    assert len(kept) == 4
    skipped = sum(map(int, re.findall(r"⋯ (\d+) words? without errors", few)))
    assert skipped + sum(len(line.split()) - 2 for line in kept) == 200


def test_sentences_of_the_reference_end_lines() -> None:
    view = format_alignments(results(text("a b x c", 4), text("a b c d", 2, 4)), "all", 80)
    assert [line.split()[2:] for line in view.splitlines() if re.match("REF +[0-9]", line)] == [
        ["a", "b", "*"],
        ["c", "d"],
    ]
    metric = "Words(unit='sentence')"
    view = format_alignments(
        results(text("a x y c", 1, 4), text("a b c", 2, 3), metric=metric), "all", 80
    )
    assert [line.split()[2:] for line in view.splitlines() if re.match("HYP +[0-9]", line)] == [
        ["a", "*"],
        ["x", "y", "c"],
    ]


def test_wide_words_and_those_from_right_to_left_stay_in_their_column() -> None:
    view = format_alignments(results(text("东京 שלוש a"), text("东京人 שלום b")), "all", 80)
    upper, lower, marks = view.splitlines()[2:5]
    assert upper == "REF 1 东京人 \u2068שלום\u2069 b"
    assert lower == "HYP 1 东京   \u2068שלוש\u2069 a"
    assert marks == "      S      S    S"
    assert display_width(upper) == display_width(lower)
    assert isolate_direction("cafe") == "cafe"
    assert isolate_direction("été") == "été"


def test_nothing_commands_a_terminal() -> None:
    view = format_alignments(
        results(Transcript(("a\x1b[2Jb",)), Transcript(("c\u202ed",))), "all", 80
    )
    assert "\x1b" not in view
    assert "\u202e" not in view


def test_runs_have_their_places() -> None:
    found = results(text(HYPOTHESIS), text(REFERENCE))
    (whole,) = alignments_as_json(found, "all")
    said, heard = REFERENCE.split(), HYPOTHESIS.split()
    runs = whole["runs"]
    assert [run["kind"] for run in runs] == [
        *("equal", "substituted", "equal", "inserted", "equal", "deleted", "equal"),
    ]
    assert [word for run in runs for word in said[slice(*run["reference"])]] == said
    assert [word for run in runs for word in heard[slice(*run["hypothesis"])]] == heard
    (errors,) = alignments_as_json(found, "errors")
    assert errors["runs"] == [run for run in runs if run["kind"] != "equal"]
    assert alignments_as_json(results(text(""), text("")), "all")[0]["runs"] == []


def test_the_page_has_each_text_of_a_reference_once() -> None:
    references = [[text(REFERENCE, id="x"), text("a b", id="y")]]
    systems = (
        [text(HYPOTHESIS, id="x"), text("a b", id="y")],
        [text("", id="y"), text(REFERENCE, id="x")],
    )
    scores = evaluate_systems(
        systems,
        references,
        EvaluationOptions(metric="Words", normalize="none", resamples=0, seed=1),
        ("ref",),
    )
    given = page_alignments(Results(("A", "B"), scores))
    assert given is not None
    x, y = given["documents"]
    assert x["texts"] == [{"words": REFERENCE.replace(" ", "\n"), "ends": [8]}]
    assert x["systems"] == [
        [{"text": 0, "runs": "1=1s1=1i2=1d3=", "words": "bat\ndown"}],
        [{"text": 0, "runs": "9=", "words": ""}],
    ]
    assert y["systems"] == [
        [{"text": 0, "runs": "2=", "words": ""}],
        [{"text": 0, "runs": "2d", "words": ""}],
    ]


def test_other_metrics_have_nothing_to_show() -> None:
    found = results(text("a", 1), text("a", 1), metric="Boundary")
    assert page_alignments(found) is None
    with pytest.raises(UnknownName, match="side by side"):
        format_alignments(found, "all", 80)


def test_one_word_is_singular() -> None:
    for ours, theirs in (("a x c", "a b c"), ("a x c d", "a b c d")):
        lines = format_alignments(
            results(text(ours, 2), text(theirs, 2)), "errors", 80
        ).splitlines()
        count = len(theirs.split()) - 2
        assert f"⋯ {count} word{'s' if count > 1 else ''} without errors" in lines
