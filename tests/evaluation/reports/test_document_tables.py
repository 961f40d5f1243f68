"""Tables of documents: their order, and the value that decides it."""

import re
from dataclasses import replace

from caesura.core.transcript import Span, Transcript
from caesura.core.values import Undefined
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.reports.render import markdown, terminal
from caesura.evaluation.reports.score_tables import result_tables, worst_first
from caesura.evaluation.reports.table import Table
from caesura.evaluation.reports.write import Results
from caesura.evaluation.scores import score_recordings
from evaluation.reports.examples import many, metrics


def test_documents_come_worst_first_and_undefined_last() -> None:
    results = many([(5,), (), (4,), (4, 5), (3, 4, 5)], names=("Boundary", "Pk"))
    documents = list(result_tables(results))[-1]
    assert documents.head == ("document", "words", "Boundary f1", "Pk pk")
    assert [row[0] for row in documents.rows] == ["d2", "d4", "d3", "d0", "d1"]
    assert [row[2] for row in documents.rows] == [
        "0.0000",
        "0.5000",
        "0.6667",
        "1.0000",
        "undefined",
    ]
    # Pk is an error: high is bad.
    values = [
        results.scores[0].metrics[1].values(d.counts[1])["pk"] for d in results.scores[0].documents
    ]
    known = [value for value in values if not isinstance(value, Undefined)]
    assert [values[at] for at in worst_first(results, 1)] == sorted(known, reverse=True)


def test_documents_are_listed_by_the_first_value_that_is_chosen() -> None:
    results = many([(5,), (), (4,), (4, 5)], [(5,), (5,), (4,), (4, 5)], names=("Boundary", "Pk"))

    def listed(*chosen: str) -> list[Table]:
        compared = Comparison(results.systems, results.scores, chosen)  # type: ignore[arg-type]
        tables = result_tables(replace(results, comparison=compared))
        return [grid for grid in tables if grid.title.startswith("Documents")]

    (by_recall,) = listed("recall", "ser")
    assert by_recall.title == "Documents, worst first by Boundary recall"
    assert [row[0] for row in by_recall.rows] == ["d2", "d1", "d0", "d3"]
    assert by_recall.rows[1][2:] == ("0.0000", "1.0000")
    (by_count,) = listed("spurious")
    assert by_count.title == "Documents, largest first by Boundary spurious"
    assert by_count.rows[0][1:] == ("10", "1", "1")
    assert [grid.title[-2:] for grid in listed("pk", "ser")] == ["er", "pk"]
    assert [grid.title[-2:] for grid in listed()] == ["f1", "pk"]


def test_a_class_that_some_documents_lack_is_undefined_there() -> None:
    words = ("ann", "met", "bob")
    first, *others = (Transcript(words, id=id, entities=(Span(0, 0, "A"),)) for id in "xyz")
    said = [first.replace(entities=(Span(0, 0, "A"), Span(2, 2, "B"))), *others]
    found = [each.replace(words=("x", "met", "bob")) for each in said]
    scores = tuple(
        score_recordings(each, [said], metrics("Entities"), ScoringSettings((), False))
        for each in (found, said)
    )
    results = Results("AB", scores, Comparison(("A", "B"), scores, ("ne_wer_B",)))
    documents = list(result_tables(results))[-1]
    assert documents.title == "Documents, worst first by Entities ne_wer_B"
    assert [row[2] for row in documents.rows] == ["0.0000", "undefined", "undefined"]
    assert documents.notes[-1].endswith("it has no value there")


def test_a_terminal_shows_some_documents_and_markdown_all() -> None:
    results = many([(5,)] * 25)
    assert "… and 15 more: --json has all" in terminal(results)
    assert len(re.findall(r"^d\d+ ", terminal(results), re.MULTILINE)) == 10
    assert len(re.findall(r"^\| d\d+ ", markdown(results), re.MULTILINE)) == 25
