"""Majority references and the slot error rates of Kolář and Lamel."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import MismatchError
from caesura.core.values import Counts, Undefined
from caesura.metrics.base import NO_BOUNDARY, NO_HYPOTHESIS, NO_REFERENCE, NONE_GIVEN
from caesura.metrics.majority import NO_MAJORITY, KolarLamel, Majority
from metrics.oracle import Places, f1, over, same, text, texts
from metrics.worked import (
    DIFFER,
    DISJOINT,
    EQUAL,
    SCATTERED,
    Example,
    averaged,
    exact,
    scored,
    video,
)


def test_settings() -> None:
    assert repr(Majority()) == "Majority(k=None)"
    assert repr(KolarLamel()) == "KolarLamel()"
    for wrong in (0, -1, 2.0, True, "2"):
        with pytest.raises(ValueError, match="k is a number of references >= 1"):
            Majority(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("worked", "rows"),
    [
        (DIFFER, ["1/2 2/5 4/9", "1/4 1/2 1/3", "0 0 0"]),
        (EQUAL, ["1/2 1/2 1/2"] * 3),
        (SCATTERED, ["1/3 1/5 1/4", "1/3 1 1/2", "0 - -"]),
    ],
)
def test_majority_by_hand(worked: Example, rows: list[str]) -> None:
    for k, row in enumerate(rows, 1):
        wanted = dict(zip(("precision", "recall", "f1"), exact(row), strict=True))
        same(scored(Majority(k), worked), wanted)
    assert scored(Majority(), worked) == scored(Majority(2), worked)


def test_majority_counts_and_slot_error_rate() -> None:
    # at least two of three have 4 and 12; the hypothesis has 4, 9, 10 and 14
    counts = Majority().count(text(16, DIFFER[2]), [text(16, one) for one in DIFFER[1]])
    assert counts == Counts(correct=1, missing=1, spurious=3)
    assert Majority().values(counts)["ser"] == 2


@pytest.mark.parametrize(
    ("worked", "rates"),
    [
        (DIFFER, "17/9 9/8 2 1"),
        (EQUAL, "1 1 1 1"),
        (SCATTERED, "11/6 1 2 0"),
        (DISJOINT, "1 0 0 0"),
    ],
)
def test_kolar_lamel_by_hand(worked: Example, rates: str) -> None:
    names = ("ser1", "ser2", "insertions", "deletions")
    same(scored(KolarLamel(), worked), dict(zip(names, exact(rates), strict=True)))


def test_the_fault_of_the_second_rate_is_reported() -> None:
    def remarks_of(example: Example) -> list[str]:
        count, references, hypothesis = example
        metric = KolarLamel()
        return metric.remarks(
            metric.count(text(count, hypothesis), [text(count, one) for one in references])
        )

    (remark,) = remarks_of(DISJOINT)
    assert "ser2 = 0.0000 here" in remark
    (remark,) = remarks_of(DIFFER)
    assert "ser2 = 0.3750 here" in remark  # 1 / (8/3)
    assert remarks_of((12, [{4}], set())) == remarks_of((12, [set()] * 2, {4})) == []
    assert KolarLamel().remarks(Counts()) == []


def test_on_the_video() -> None:
    systems, references = video()
    for system, first, second, errors, majority in zip(
        systems,
        (1.5750, 1.3778),
        (Fraction(93, 112), Fraction(39, 56)),
        ((48, 14), (38, 14)),
        ((0.5405, 0.4809, 0.2937), (0.5243, 0.5030, 0.3307)),
        strict=True,
    ):
        values = KolarLamel().values(KolarLamel().count(system, references))
        assert values["ser1"] == pytest.approx(first, abs=5e-5)
        same(values, {"ser2": second})
        assert [values["insertions"], values["deletions"]] == list(errors)
        for k, (value, boundaries) in enumerate(zip(majority, (114, 75, 35), strict=True), 1):
            counts = Majority(k).count(system, references)
            assert Majority(k).values(counts)["f1"] == pytest.approx(value, abs=5e-5)
            assert counts["correct"] + counts["missing"] == boundaries


@given(texts(), st.none() | st.integers(1, 20))
def test_equals_slow_code(drawn: tuple[int, list[Places], Places], k: int | None) -> None:
    count, given_references, hypothesis = drawn
    ours = hypothesis - {count}
    references = [one - {count} for one in given_references]
    every = set(range(1, count))
    most = len(references)
    least = ceil(Fraction(most, 2)) if k is None else min(k, most)
    agreed = {at for at in every if sum(at in one for one in references) >= least}
    precision, recall = (over(len(ours & agreed), len(side)) for side in (ours, agreed))
    same(
        scored(Majority(None if k is None else least), drawn),
        {
            "precision": precision,
            "recall": recall,
            "f1": f1(precision, recall),
            "ser": over(len(ours ^ agreed), len(agreed)),
        },
    )
    insertions = ours - set().union(*references)
    deletions = set.intersection(every, *references) - ours
    mean_count = Fraction(sum(map(len, references)), most)
    same(
        scored(KolarLamel(), drawn),
        {
            "ser1": averaged([over(len(ours ^ one), len(one)) for one in references]),
            "ser2": over(len(insertions) + len(deletions), mean_count),
            "insertions": Fraction(len(insertions)),
            "deletions": Fraction(len(deletions)),
        },
    )


def test_half_of_an_even_number_is_enough() -> None:
    references = [text(9, {4}), text(9, {4}), text(9, set()), text(9, {6})]
    assert Majority().count(text(9, {4}), references) == Counts(correct=1)


def test_more_than_there_are() -> None:
    with pytest.raises(MismatchError) as caught:
        Majority(3).count(text(4, set()).replace(id="talk"), [text(4, set())] * 2)
    assert str(caught.value) == (
        "talk: a majority of 3 needs more than 2 references; use a smaller k, or none: Majority()"
    )
    for metric in (Majority(), KolarLamel()):
        with pytest.raises(MismatchError, match="has 3 words and a reference 4"):
            metric.count(text(3, set()), [text(4, set())])


def test_documents_are_pooled() -> None:
    metric = KolarLamel()
    parts = [
        metric.count(text(count, hypothesis), [text(count, one) for one in references])
        for count, references, hypothesis in (DIFFER, SCATTERED)
    ]
    values = metric.values(parts[0] + parts[1])
    same(values, {"ser2": Fraction(3 + 2) / (Fraction(8, 3) + 2)})
    same(values, {"ser1": averaged([Fraction(8, 5), Fraction(6, 5), Fraction(11, 4)])})


@pytest.mark.parametrize("count", [0, 1, 5])
def test_undefined_has_a_reason(count: int) -> None:
    nothing = scored(Majority(), (count, [set()] * 3, set()))
    assert nothing["precision"] == nothing["f1"] == Undefined(NO_HYPOTHESIS)
    assert nothing["recall"] == nothing["ser"] == Undefined(NO_MAJORITY)
    values = scored(KolarLamel(), (count, [set()] * 3, set()))
    assert values["ser1"] == Undefined(f"reference 1: {NO_REFERENCE}")
    assert values["ser2"] == Undefined(NO_BOUNDARY)
    for metric in (Majority(), KolarLamel()):
        without = metric.values(metric.count(text(count, set()), []))
        assert set(without.values()) == {Undefined(NONE_GIVEN)}
