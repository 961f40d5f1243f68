"""Correlations of measures with ETER, their tests, and where taggers and ATENE disagree."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.values import Undefined
from caesura.evaluation.correlation import spearman
from caesura.evaluation.resampling import Resampling
from caesura_studies.atene import chapter_analysis, chapter_claims
from caesura_studies.atene.correlations import Table, is_below
from caesura_studies.atene.plan import MAIN
from caesura_studies.atene.scoring import Column, as_float

for library in ("pycrfsuite", "scipy"):
    pytest.importorskip(library)

NUMBERS = st.integers(0, 6).map(float)


@settings(max_examples=25)
@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), min_size=12, max_size=12))
def test_correlations_are_averaged_over_calls_then_taggers(
    rows: list[tuple[float, float, float, float]],
) -> None:
    keys = [(f"r{at % 4}", f"c{at // 4}") for at in range(12)]
    columns = [dict(zip(keys, column, strict=True)) for column in zip(*rows, strict=True)]
    found = Table(
        {"a": columns[0], "b": columns[1]}, {"x": columns[2], "y": columns[3]}, Resampling(100)
    )
    by_tagger = []
    for eter in columns[2:]:
        values = [
            spearman(
                [columns[0][key] for key in keys[at : at + 4]],
                [eter[key] for key in keys[at : at + 4]],
            )
            for at in (0, 4, 8)
        ]
        known = [value for value in values if not isinstance(value, Undefined)]
        if known:
            by_tagger.append(np.mean(known))
    mean = found.means()["a"]
    if by_tagger:
        assert mean.value == pytest.approx(np.mean(by_tagger))
    else:
        assert isinstance(mean.value, Undefined)


def table(noise: float) -> Table:
    chance = np.random.default_rng(1)
    keys = [(f"r{at % 5}", f"c{at // 5}") for at in range(60)]
    true = {key: float(chance.random()) for key in keys}
    good = {key: value + 0.05 * float(chance.normal()) for key, value in true.items()}
    bad = {key: value + noise * float(chance.normal()) for key, value in true.items()}
    return Table({"good": good, "bad": bad}, {"x": true, "y": true}, Resampling(400))


def test_a_better_measure_is_significant_and_an_equal_one_is_not() -> None:
    ahead = table(3.0).tested("good", "bad")
    assert ahead.p < 0.02
    assert isinstance(ahead.interval, tuple)
    assert 0 < ahead.interval[0] < as_float(ahead.difference) < ahead.interval[1]
    means = table(3.0).means()
    good, bad = (as_float(means[name].value) for name in ("good", "bad"))
    assert ahead.difference == pytest.approx(good - bad)
    turned = table(3.0).tested("bad", "good")
    assert turned.difference == pytest.approx(-as_float(ahead.difference))
    assert table(0.05).tested("good", "bad").p > 0.05
    assert table(3.0).tested("good", "good").difference == 0


def test_signs_follow_the_corrected_test() -> None:
    test = table(3.0).tested("good", "bad")
    assert chapter_claims.ClaimTest("c", "w", test).sign == 0  # not corrected yet: 1 by default
    certain = replace(test, p_corrected=0.01)
    assert chapter_claims.ClaimTest("c", "w", certain).sign == 1
    assert "good is ahead" in chapter_claims.ClaimTest("c", "w", certain).describe
    assert chapter_claims.ClaimTest("c", "w", replace(certain, difference=-0.1)).sign == -1


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=30))
def test_the_roc_area_is_the_share_of_ordered_pairs(cells: list[tuple[int, bool]]) -> None:
    scores = np.array([score for score, _ in cells], float)
    flags = np.array([flag for _, flag in cells], bool)
    found = chapter_analysis.roc_area(scores, flags)
    pairs = [(a > b) + (a == b) / 2 for a in scores[flags] for b in scores[~flags]]
    if pairs:
        assert found == pytest.approx(np.mean(pairs))
    else:
        assert isinstance(found, Undefined)


def test_ranks_and_agreement_are_of_the_mean_eter() -> None:
    keys = [(name, "c") for name in ("one", "two", "three")]
    column = dict(zip(keys, (1.0, 2.0, 3.0), strict=True))
    turned = dict(zip(keys, (3.0, 2.0, 1.0), strict=True))
    mixed = dict(zip(keys, (1.0, 3.0, 2.0), strict=True))
    found = Table(
        {"WER": turned, "NE-WER": mixed, MAIN: column}, {"x": column, "y": column}, Resampling(100)
    )
    assert chapter_analysis.mean_ranks(found)["ETER"] == {"one": 1, "two": 2, "three": 3}
    assert chapter_analysis.agreement(found) == pytest.approx({"WER": 0, "NE-WER": 2 / 3, MAIN: 1})


NAN = float("nan")


def ranked(calls: int = 4, **changes: float) -> Column:
    """Numbers of four recognisers, some of them other than their order; `c0r1` names a cell."""
    found = {(f"r{name}", f"c{call}"): float(name) for call in range(calls) for name in range(4)}
    return found | {(key[2:], key[:2]): value for key, value in changes.items()}


def test_a_measure_without_a_number_does_not_take_it_from_others() -> None:
    eter = ranked()
    found = Table(
        {"WER": ranked(c0r0=9), "WIL": ranked(), "RIL": ranked(c0r0=NAN)},
        {"x": eter, "y": eter},
        Resampling(100),
    )
    means = found.means()
    assert means["WER"].value == pytest.approx(
        (3 + as_float(spearman([9, 1, 2, 3], [0, 1, 2, 3]))) / 4
    )
    assert means["RIL"].value == pytest.approx(1)
    assert [each for each in found.remarks() if "some systems have no numbers" in each] == [
        "RIL: some systems have no numbers in 2 of 8 pairs of show and task system: "
        "the others were used there"
    ]


def test_a_measure_that_too_few_have_is_left_out_with_a_remark() -> None:
    few = dict.fromkeys(ranked(), NAN)
    found = Table({"WER": ranked(), "RIL": few}, {"x": ranked()}, Resampling(100))
    assert set(found.means()) == {"WER"}
    assert "RIL: fewer than 3 systems have all the numbers" in found.remarks()


def test_what_has_no_correlation_is_counted() -> None:
    flat = ranked() | {(f"r{name}", "c1"): 1.0 for name in range(4)}
    found = Table({"WER": ranked(), "other": flat}, {"x": ranked()}, Resampling(100))
    assert found.means()["other"].undefined == {"one of the series does not vary": 1}
    assert any(each.startswith("other: left out 1 of 4") for each in found.remarks())


def test_a_difference_that_no_call_has_is_undefined() -> None:
    one, other = (
        ranked(2) | {(f"r{name}", call): 1.0 for name in range(4)} for call in ("c0", "c1")
    )
    found = Table({"one": one, "other": other}, {"x": ranked(2)}, Resampling(100))
    test = found.tested("one", "other")
    assert isinstance(test.difference, Undefined)
    assert isinstance(test.interval, Undefined)
    assert test.p == 1
    asked = chapter_claims.ClaimTest("c", "everywhere", replace(test, p_corrected=0.0))
    assert asked.sign == 0
    assert asked.describe == "everywhere: open (one − other: no call has both correlations)"


def test_what_is_undefined_is_below_nothing() -> None:
    none = Undefined("")
    assert is_below(1.0, 2.0)
    assert not is_below(2.0, 1.0)
    assert not is_below(none, 1.0)
    assert not is_below(1.0, none)


def test_calls_without_eter_are_not_ranked() -> None:
    what_is_missing = dict.fromkeys([(f"r{name}", "c0") for name in range(4)], NAN)
    turned = {key: -value for key, value in ranked().items()}
    measures = {"WER": ranked(), "NE-WER": turned, MAIN: ranked()}
    found = Table(measures, {"x": ranked() | what_is_missing, "y": ranked()}, Resampling(100))
    assert chapter_analysis.mean_ranks(found)["ETER"] == {f"r{name}": name + 1 for name in range(4)}
    assert chapter_analysis.agreement(found) == {"WER": 1, "NE-WER": 0, MAIN: 1}


def cases(*rows: tuple[float, int]) -> chapter_analysis.Cases:
    """Entities with a loss each, and how many of three taggers lose them."""
    loss = np.array([each for each, _ in rows])
    harm = np.array([[1.0] * lost + [0.0] * (3 - lost) for _, lost in rows])
    texts = tuple(("good", f"said {at}", f"heard {at}") for at in range(len(rows)))
    return chapter_analysis.Cases(("PER",) * len(rows), loss, harm.max(axis=1) > 0, harm, texts)


def test_examples_are_what_they_are_said_to_be() -> None:
    found = cases((0.5, 3), (0.0, 1), (-0.1, 2), (0.0, 3), (0.2, 0), (0.9, 0), (0.9, 1), (0.0, 0))
    rows = [(row[0], row[3]) for row in chapter_analysis.examples(found)]
    assert rows == [
        ("missed by ATENE", "said 3"),
        ("missed by ATENE", "said 2"),
        ("seen by ATENE alone", "said 5"),
        ("seen by ATENE alone", "said 4"),
    ]


def test_the_summary_says_no_more_than_its_numbers() -> None:
    found = cases((0.5, 0), (0.5, 0))
    assert list(chapter_analysis._examples(found))[1:] == ["No entity is missed by ATENE."]
    assert chapter_analysis._describe_unharmed(found) == "No entity is misheard."
    lost = cases((0.5, 3))
    assert list(chapter_analysis._examples(lost)) == [
        "No entity is missed by ATENE.",
        "No entity is seen by ATENE alone.",
    ]
    assert (
        chapter_analysis._describe_unharmed(lost)
        == "A misheard entity costs a tagger nothing in 0% of cases."
    )
    assert chapter_analysis._largest_rank_error({"a": 1.0}, {"a": 1.0}) == "is off nowhere"
    assert chapter_analysis._largest_rank_error({"a": 1.0, "b": 2.5}, {"a": 1.0, "b": 2.0}) == (
        "is furthest off on b (2.50 for 2.00)"
    )
