"""Agreement: worked examples, and comparison with slow exact code."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import LayerError, MismatchError
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value
from caesura.metrics.agreement import NO_CHANCE, Agreement
from caesura.metrics.base import NO_BOUNDARY, NO_GAPS, NONE_GIVEN, ONE_GIVEN
from metrics import oracle
from metrics.oracle import Places, same, text, texts


def values(count: int, references: list[Places], count_end: bool = False) -> dict[str, Value]:
    metric = Agreement(count_end)
    return metric.values(metric.count(text(count, set()), [text(count, one) for one in references]))


def test_by_hand() -> None:
    found = values(16, [{4, 8, 12}, {4, 9, 12}, {5, 12}])
    same(
        found,
        {
            "kappa": Fraction(29, 74),
            "alpha": Fraction(15, 37),
            "agreement_ratio": Fraction(1, 3),
            "f1_1_2": Fraction(2, 3),
            "f1_1_3": Fraction(2, 5),
            "f1_2_3": Fraction(2, 5),
            "pairwise_f1": Fraction(22, 45),
        },
    )
    assert (found["gaps"], found["union"], found["shared"]) == (15, 5, 5)
    assert [found[f"boundaries_{i}"] for i in (1, 2, 3)] == [3, 3, 2]


def test_the_end_counts_only_if_asked() -> None:
    found = values(16, [{4, 8, 12}, {4, 9, 12}, {5, 12}], count_end=True)
    same(found, {"kappa": Fraction(215, 407)})
    assert (found["gaps"], found["boundaries_1"]) == (16, 4)


@pytest.mark.parametrize(
    ("count", "references", "reasons"),
    [
        (9, [], {"kappa alpha agreement_ratio pairwise_f1": NONE_GIVEN}),
        (9, [{3}], {"kappa alpha agreement_ratio pairwise_f1": ONE_GIVEN}),
        (
            9,
            [set(), set()],
            {
                "kappa alpha": NO_CHANCE,
                "agreement_ratio": NO_BOUNDARY,
                "pairwise_f1 f1_1_2": "no boundary in reference 1",
            },
        ),
        (9, [{3}, set()], {"pairwise_f1 f1_1_2": "no boundary in reference 2"}),
        (3, [{1, 2}, {1, 2}], {"kappa alpha": NO_CHANCE}),
        (1, [set()], {"kappa alpha agreement_ratio pairwise_f1": NO_GAPS}),
    ],
)
def test_what_has_no_value_says_why(
    count: int, references: list[Places], reasons: dict[str, str]
) -> None:
    told = {name: why for names, why in reasons.items() for name in names.split()}
    found = values(count, references)
    assert {k: v.reason for k, v in found.items() if isinstance(v, Undefined)} == told


@given(texts(), st.booleans())
def test_equals_sets_and_fractions(
    drawn: tuple[int, list[Places], Places], count_end: bool
) -> None:
    count, references, _ = drawn
    found = values(count, references, count_end)
    expected = oracle.agreement(count, references, count_end)
    same(found, expected)
    assert {name for name in found if name.startswith("f1_")} <= set(expected)


def test_twenty_references() -> None:
    references: list[Places] = [{2 + i % 3, 9, 14 + i % 2} for i in range(20)]
    found = values(20, references)
    same(found, oracle.agreement(20, references, False))
    assert sum(name.startswith("f1_") for name in found) == 190


def test_the_hypothesis_has_no_say() -> None:
    references = [text(9, {3, 5}), text(9, {3})]
    one, other = (Agreement().count(text(9, places), references) for places in ({1, 2}, {7}))
    assert one == other


def test_recordings_are_pooled() -> None:
    """Kappa of two recordings is computed from all their gaps, not as a mean."""
    metric = Agreement()
    parts = [(6, [{2}, {2}]), (30, [{4, 9}, {5, 9}])]
    counts = sum(
        (metric.count(text(n, set()), [text(n, one) for one in refs]) for n, refs in parts),
        Counts(),
    )
    gaps = [*range(1, 6), *range(101, 130)]
    table: list[Places] = [{2, 104, 109}, {2, 105, 109}]
    same(
        metric.values(counts),
        {"kappa": oracle.kappa(gaps, table), "alpha": oracle.alpha(gaps, table)},
    )


def test_bad_input_is_refused() -> None:
    with pytest.raises(MismatchError, match="has 3 words and a reference 4"):
        Agreement().count(text(3, {1}), [text(3, {1}), text(4, {1})])
    with pytest.raises(LayerError, match="has no sentences"):
        Agreement().count(text(1, set()), [Transcript(("w",))])
    with pytest.raises(ValueError, match="count_end is True or False"):
        Agreement(count_end=1)  # type: ignore[arg-type]


def test_annotators_of_the_video(video: dict[str, Transcript]) -> None:
    three = [video[each] for each in "123"]
    found = Agreement().values(Agreement().count(three[0], three))
    same(
        found,
        {
            "kappa": Fraction(646259, 1025696),
            "alpha": Fraction(46167, 73264),
            "agreement_ratio": Fraction(185, 342),
            "f1_1_2": Fraction(2 * 71, 98 + 87),
            "f1_1_3": Fraction(2 * 36, 98 + 39),
            "f1_2_3": Fraction(2 * 38, 87 + 39),
        },
    )
    assert (found["union"], found["gaps"]) == (114, 1601)
    assert [found[f"boundaries_{i}"] for i in (1, 2, 3)] == [98, 87, 39]
    whole = Agreement(count_end=True)
    ended = whole.values(whole.count(three[0], three))
    assert ended["kappa"] == pytest.approx(0.634730, abs=5e-7)
    assert (ended["union"], ended["shared"]) == (115, 188)
