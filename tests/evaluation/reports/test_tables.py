"""Tables of small results, compared as text."""

import re
from dataclasses import replace

import pytest

from caesura import __version__
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Undefined, Value
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.reports.render import latex, markdown, plain_table, terminal, wrapped_table
from caesura.evaluation.reports.score_tables import result_tables
from caesura.evaluation.reports.table import (
    format_interval,
    format_number,
    format_p,
    undefined_notes,
)
from caesura.evaluation.reports.write import Results
from caesura.evaluation.resampling import Resampling
from caesura.evaluation.scores import score_recordings
from evaluation.reports.examples import many, metrics, small, text


def tables(shown: str) -> list[str]:
    return shown.split("\n\n")


def test_values_are_listed_with_what_to_know_and_the_signature() -> None:
    assert (
        terminal(small("WiSeBE"))
        == """\
WiSeBE of sys

                    value
─────────────────  ──────
wisebe             0.1905
f1                 0.5714
precision          0.5000
recall             0.6667
agreement_ratio    0.3333
kappa              0.3919
windows                 3
windows_hit             2
boundaries              4
boundaries_inside       2

WiSeBE cannot exceed the agreement ratio, here 0.3333

WiSeBE(protocol='paper', window_gap=2)|references=3|documents=1|normalize=none|align=no|caesura="""
        + __version__
    )


def test_each_reference_has_a_column() -> None:
    assert (
        tables(terminal(small("Boundary")))[1]
        == """\
            value     ann     ben     cho
─────────  ──────  ──────  ──────  ──────
precision  0.2500  0.2500  0.5000  0.0000
recall     0.3333  0.3333  0.6667  0.0000
f1         0.2857  0.2857  0.5714  0.0000
ser        1.8889  1.6667  1.0000  3.0000
correct         3       1       2       0
incorrect       0       0       0       0
missing         5       2       1       2
spurious        9       3       2       4"""
    )


def test_pairs_of_references_are_a_matrix() -> None:
    assert (
        tables(terminal(small("Agreement")))[-1]
        == """\
     boundaries     ann     ben     cho
───  ──────────  ──────  ──────  ──────
ann           3       –  0.6667  0.4000
ben           3  0.6667       –  0.4000
cho           2  0.4000  0.4000       –"""
    )


def test_intervals_stand_beside_rates_and_not_beside_counts() -> None:
    references = [[text(120, *range(3, 120, 6))], [text(120, *range(3, 120, 4))]]
    terms = ScoringSettings((), False, Resampling(200))
    found = score_recordings([text(120, *range(3, 120, 5))], references, metrics("WiSeBE"), terms)
    (grid,) = result_tables(Results(("sys",), (found,)))
    assert grid.head == ("", "value", "95% interval")
    for name, _, interval in grid.rows:
        known = found.intervals[0].get(name)
        assert interval == ("" if known is None else format_interval(known))
    assert re.fullmatch(r"\[0\.\d{3}, 0\.\d{3}\]", {r[0]: r[2] for r in grid.rows}["f1"])


@pytest.mark.parametrize("count", [3, 8, 20])
def test_many_references_get_rows_of_their_own(count: int) -> None:
    names = tuple(f"annotator_{k}" for k in range(1, count + 1))
    references = [[text(16, 4, k % 7 + 5, 12)] for k in range(count)]
    found = score_recordings(
        [text(16, 4, 9)], references, metrics("Boundary", "Agreement"), ScoringSettings((), False)
    )
    results = Results(("sys",), (replace(found, reference_names=names),))
    made = list(result_tables(results))
    beside = [grid for grid in made if names[0] in grid.head]
    below = [grid for grid in made if grid.title.endswith("against each reference")]
    assert bool(below) == (count > 4)
    assert len(beside) == (2 if count == 3 else 0)
    if below:
        (grid,) = below
        assert [row[0] for row in grid.rows] == list(names)
        f1 = grid.head.index("f1")
        expected = [format_number(found.values[0][f"f1_{k}"]) for k in range(1, count + 1)]
        assert [row[f1] for row in grid.rows] == expected
    matrix = made[-1]
    for i in range(1, count + 1):
        for j in range(i + 1, count + 1):
            value = format_number(found.values[1][f"f1_{i}_{j}"])
            assert matrix.rows[i - 1][j + 1] == matrix.rows[j - 1][i + 1] == value


def test_undefined_values_give_their_reason_once() -> None:
    found = score_recordings(
        [text(16, 4)], [[text(16, 4)]], metrics("WiSeBE"), ScoringSettings((), False)
    )
    shown = terminal(Results(("sys",), (found,)))
    assert "wisebe             undefined\n" in shown
    assert not re.search("^(kappa|agreement_ratio) ", shown, re.MULTILINE)
    assert shown.count("agreement takes two references") == 1
    assert "undefined (wisebe, agreement_ratio, kappa): agreement takes two references" in shown


def test_values_undefined_alike_have_no_rows_of_their_own() -> None:
    reference = text("we met jon in rome").replace(entities=(Span(2, 2, "PER"),))
    found = score_recordings(
        [text("we met john in rome")],
        [[reference]] * 2,
        metrics("Entities"),
        ScoringSettings((), False),
    )
    results = Results(("sys",), (found,))
    for shown in (terminal(results), markdown(results), latex(results)):
        assert "a hypothesis has no entities" in shown
        rows = shown.replace("\\_", "_").splitlines()
        names = {row.strip("| ").split(" ")[0] for row in rows}
        assert "ne_wer" in names
        assert not names & {"ser", "eter", "type_f1"}
    assert isinstance(found.values[0]["ser"], Undefined)


def test_without_any_value_all_have_rows() -> None:
    found = score_recordings([text(16)], [[text(16)]], metrics("Pk"), ScoringSettings((), False))
    known = {name for name, value in found.values[0].items() if isinstance(value, Undefined)}
    (grid,) = result_tables(Results(("sys",), (found,)))
    assert known <= {row[0] for row in grid.rows}


def test_sure_differences_are_marked_and_explained() -> None:
    right, wrong = [(5,)] * 30, [(4,)] * 30
    shown = terminal(many(right, right, wrong))
    rows = [line for line in shown.splitlines() if line.startswith("Boundary  f1")]
    assert [row.endswith("*") for row in rows] == [False, True, True]
    # Digits stand under digits, marked or not.
    assert len({row.rstrip("*").rindex(".") for row in rows}) == 1
    for reported in ("A − B", "* marks p Holm < 0.05", "correction for 3 tests"):
        assert reported in shown.replace("\n", " ")
    unmarked = terminal(many(right, right))
    assert not any(line.endswith("*") for line in unmarked.splitlines())


def test_differences_of_long_names_stay_in_their_columns() -> None:
    results = many([(5,)] * 4, [(5,), (5,), (4,), (5,)])
    for length in (8, 40):
        names = tuple(f"{'google' * length}"[:length] + f" {k}" for k in (1, 2))
        named = replace(results, systems=names)
        grid = next(each for each in result_tables(named) if each.title.startswith("Differences"))
        assert grid.title == "Differences between systems: Boundary f1"
        assert grid.head[:3] == ("A", "B", "A − B")
        lines = plain_table(replace(grid, signatures=())).splitlines()
        assert max(map(len, lines)) <= 80
        assert next(line for line in lines[2:] if line.startswith("A")).split()[:2] == ["A", "B"]


def test_systems_stand_under_each_other() -> None:
    results = many([(5,)] * 4, [(5,), (5,), (4,), (5,)])
    overview = next(iter(result_tables(results)))
    assert overview.head == ("system", "Boundary f1")
    assert overview.rows[0] == ("A", "1.0000 [1.000, 1.000]")
    assert overview.rows[1][:1] == ("B",)
    assert overview.rows[1][1].startswith("0.7500 [")
    precise = Comparison(results.systems, results.scores, ("precision", "ser"))  # type: ignore[arg-type]
    chosen = next(iter(result_tables(replace(results, comparison=precise))))
    assert chosen.head == ("system", "Boundary precision", "Boundary ser")


def test_differences_without_tests_say_why() -> None:
    results = many([(5,)] * 4, [()] * 4)
    shown = terminal(results).replace("\n", " ")
    assert "not tested (A and B, Boundary f1): B: no boundary in the hypothesis" in shown
    assert "Holm's" not in shown


@pytest.mark.parametrize("count", [1, 3])
def test_each_signature_is_given_once_and_with_its_system(count: int) -> None:
    said, near, long = (
        [Transcript(tuple(words), id=f"d{k}") for k in range(count)]
        for words in ("abcd", "axcd", "b" * 250)
    )
    terms = ScoringSettings((), False, Resampling(50))
    scores = tuple(score_recordings(each, [said], metrics("Words"), terms) for each in (near, long))
    (one,), (other,) = (each.signatures for each in scores)
    shown = terminal(Results("AB", scores, Comparison(("A", "B"), scores)))
    lines = [line for line in shown.splitlines() if "|documents=" in line]
    if count == 1:
        assert lines == [f"A: {one}", f"B: {other}"]
    else:
        assert lines == [f"{one}|tests=bootstrap+randomization+holm(1)"]


def test_a_sweep_has_a_row_for_each_point() -> None:
    references = [[text(16, 4, 8, 12)], [text(16, 5, 12)]]
    options = EvaluationOptions(
        metric="WiSeBE", sweep="window_gap=0:2", normalize="none", resamples=0, seed=1
    )
    one = evaluate_systems([[text(16, 4, 9)]], references, options)
    (sweep,) = [g for g in result_tables(Results(("sys",), one)) if "by window_gap" in g.title]
    assert sweep.head[:3] == ("window_gap", "wisebe", "f1")
    assert "windows" not in sweep.head
    assert [row[0] for row in sweep.rows] == ["0", "1", "2"]
    for row, values in zip(sweep.rows, one[0].sweeps[0].scores.values, strict=True):
        assert row[1:3] == (format_number(values["wisebe"]), format_number(values["f1"]))
    two = evaluate_systems([[text(16, 4, 9)], [text(16, 5)]], references, options)
    (sweep,) = [g for g in result_tables(Results(("A", "B"), two)) if "by window_gap" in g.title]
    assert sweep.head == ("window_gap", "A", "B")
    assert [row[2] for row in sweep.rows] == [
        format_number(values["wisebe"]) for values in two[1].sweeps[0].scores.values
    ]


def test_coverage_is_told_in_words_and_per_cent() -> None:
    ours = text("we met jon in rome today", 3)
    theirs = text("we met john smith in rome", 4)
    found = score_recordings([ours], [[theirs]], metrics("Boundary"), ScoringSettings((), True))
    covered = found.documents[0].coverage[0]
    grid = list(result_tables(Results(("sys",), (found,))))[-1]
    assert grid.rows == (
        (
            "1",
            f"{covered.hypothesis_words_unmatched} ({covered.hypothesis_words_unmatched / 6:.1%})",
            f"{covered.reference_words_unmatched} ({covered.reference_words_unmatched / 6:.1%})",
            f"{covered.words_replaced} ({covered.words_replaced / 6:.1%})",
            str(covered.boundaries_lost),
        ),
    )
    assert covered.words_replaced == 1


def test_numbers_are_written_plainly() -> None:
    assert [format_number(v) for v in (3, 3.0, -0.00001, 1e300, Undefined("why"))] == [
        *("3", "3.0000", "0.0000", "1e+300", "undefined")
    ]
    assert format_interval((-0.5, 0.25)) == "[-0.500, 0.250]"
    assert format_interval(None) == format_interval(Undefined("why")) == "–"
    assert [format_p(p) for p in (None, 0.5, 0.00001)] == ["–", "0.5000", "<0.0001"]
    values: list[tuple[str, Value]] = [
        ("a", Undefined("x")),
        ("b", Undefined("y")),
        ("c", Undefined("x")),
        ("d", 1.0),
    ]
    assert undefined_notes(values) == ("undefined (a, c): x", "undefined (b): y")


def test_reasons_that_differ_in_what_there_is_are_told_once() -> None:
    rows = [
        ("a", Undefined("no name: there are X, Y")),
        ("a", Undefined("no name: there are Y, X")),
        ("b", Undefined("no name")),
        ("c", Undefined("no word: there are X")),
        ("c", Undefined("no word: there are X")),
    ]
    assert undefined_notes(rows) == (
        "undefined (a in 2 rows, b): no name; in the first of them there are X, Y",
        "undefined (c in 2 rows): no word: there are X",
    )


def test_a_list_wraps_its_last_column() -> None:
    rows = [("one", "word " * 30), ("three", "short")]
    lines = wrapped_table(rows, ("name", "what"), width=40).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[0] == "name   what"
    assert lines[-1] == "three  short"


def test_systems_side_by_side_have_remarks_on_what_is_shown() -> None:
    """RIL never has an interval, which is no matter where it is not shown."""
    named = [text(16, 4).replace(id=id) for id in "abcdefgh"]
    found = evaluate_systems(
        [named, named],
        [named],
        EvaluationOptions(metric="Words", normalize="none", resamples=100, seed=1),
    )
    for chosen, reported in (((), False), (("wer", "ril"), True)):
        results = Results(("one", "two"), found, Comparison(("one", "two"), found, chosen))
        notes = next(result_tables(results)).notes
        assert any("no interval (ril)" in note for note in notes) is reported
