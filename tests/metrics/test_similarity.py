"""Similarities: worked examples, comparison with slow exact code and with segeval."""

from fractions import Fraction
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caesura.core.values import Counts, Undefined
from caesura.metrics.base import NO_GAPS
from caesura.metrics.similarity import (
    NO_EDITS,
    BoundarySimilarity,
    SegmentationSimilarity,
    cheapest_pairing,
)
from metrics import peers
from metrics.oracle import Exact, Places, over, same, text, texts
from metrics.peers import masses
from metrics.worked import (
    DIFFER,
    EQUAL,
    SCATTERED,
    Example,
    averaged,
    exact,
    printed,
    scored,
    video,
)


def test_settings() -> None:
    assert repr(BoundarySimilarity()) == "BoundarySimilarity(reach=2)"
    assert repr(SegmentationSimilarity(3)) == "SegmentationSimilarity(reach=3)"
    for wrong in (0, -1, 2.0, True, "2", None):
        with pytest.raises(ValueError, match="reach is a number of words >= 1"):
            BoundarySimilarity(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("worked", "b", "s"),
    [
        (DIFFER, "3/10 2/5 1/10", "23/30 4/5 7/10"),
        (EQUAL, "3/4 3/4 3/4", "21/22 21/22 21/22"),
        (SCATTERED, "1/2 1/2 1/8", "23/26 23/26 19/26"),
    ],
)
def test_by_hand(worked: Example, b: str, s: str) -> None:
    for metric, cells in ((BoundarySimilarity(), b), (SegmentationSimilarity(), s)):
        values = scored(metric, worked)
        same(values, {f"similarity_{i}": value for i, value in enumerate(exact(cells), 1)})
        same(values, {"similarity": averaged(exact(cells))})


def test_on_the_video() -> None:
    systems, references = video()
    for metric, rows in (
        (BoundarySimilarity(), [".3633 .3414 .1855", ".3489 .3867 .2196"]),
        (SegmentationSimilarity(), [".94035 .94035 .93691", ".94347 .95097 .94785"]),
    ):
        for system, row in zip(systems, rows, strict=True):
            printed(metric.values(metric.count(system, references)), "similarity", row)


def counted(reference: Places, hypothesis: Places, reach: int) -> dict[str, float]:
    counts = BoundarySimilarity(reach).count(text(30, hypothesis), [text(30, reference)])
    return {name.removesuffix("_1"): number for name, number in counts.items()}


def test_edits_by_hand() -> None:
    # 4 and 6 both lie next to 5: one pair, one addition
    assert counted({4, 6}, {5}, 2) == {
        "matches": 0, "additions": 1, "transpositions": 1, "distance": 1,
    }  # fmt: skip
    # 3-4 5-6, not 4-5 alone
    assert counted({3, 5}, {4, 6}, 2) == {
        "matches": 0, "additions": 0, "transpositions": 2, "distance": 2,
    }  # fmt: skip
    # equal boundaries match first, though 4-5 and 5-6 would leave nothing over
    assert counted({4, 5}, {5, 6}, 2) == {
        "matches": 1, "additions": 2, "transpositions": 0, "distance": 0,
    }  # fmt: skip
    # a pair may reach over a match
    assert counted({4, 5}, {5, 6}, 3) == {
        "matches": 1, "additions": 0, "transpositions": 1, "distance": 2,
    }  # fmt: skip
    # two pairs of 1 and two additions cost 22/10; pairs of 9, 9 and 7 cost 25/10
    assert counted({2, 12, 22}, {11, 21, 29}, 10)["transpositions"] == 2
    # three words apart are not less than three apart
    assert counted({4}, {7}, 3)["additions"] == 2


def test_a_group_of_near_boundaries_is_counted_at_its_first_gap() -> None:
    hypothesis, reference = text(12, {2, 7}), text(12, {3, 6, 8})
    metric = BoundarySimilarity()
    columns = {name: gaps.tolist() for name, gaps in metric.per_gap_counts(hypothesis, [reference])}
    assert [gap for gap, number in enumerate(columns["transpositions_1"], 1) if number] == [2, 6]
    assert [gap for gap, number in enumerate(columns["additions_1"], 1) if number] == [6]


@cache
def tried(ours: tuple[int, ...], theirs: tuple[int, ...], reach: int) -> tuple[Fraction, int]:
    """Return cost and pairs of the best pairing, by trying all."""
    if not ours:
        return Fraction(len(theirs)), 0
    cost, pairs = tried(ours[1:], theirs, reach)
    found = [(cost + 1, pairs)]
    for at in theirs:
        if abs(at - ours[0]) < reach:
            cost, pairs = tried(ours[1:], tuple(t for t in theirs if t != at), reach)
            found.append((cost + Fraction(abs(at - ours[0]), reach), pairs + 1))
    return min(found)


@given(st.lists(st.sampled_from("-rh"), max_size=18), st.integers(1, 6))
def test_no_pairing_is_cheaper(row: list[str], reach: int) -> None:
    ours, theirs = ([at for at, cell in enumerate(row) if cell == side] for side in "hr")
    pairs, distance = cheapest_pairing(ours, theirs, reach)
    cost = len(ours) + len(theirs) - 2 * pairs + Fraction(distance, reach)
    assert (cost, pairs) == tried(tuple(ours), tuple(theirs), reach)


def slow(count: int, one: Places, other: Places, reach: int) -> tuple[Exact, Exact]:
    """Compute B and S from all pairings."""
    one, other = one - {count}, other - {count}
    cost, pairs = tried(tuple(sorted(one - other)), tuple(sorted(other - one)), reach)
    edits = len(one ^ other) - pairs
    b, s = over(cost, edits + len(one & other)), over(cost, max(count - 1, 0))
    return (None if b is None else 1 - b), (None if s is None else 1 - s)


@given(texts(), st.integers(1, 6))
@example((25, [{2, 4, 6, 8, 11}, {2, 3}], {3, 5, 7, 9, 10}), 2)
@example((25, [{2, 6, 10, 14}, {1, 2, 3}], {5, 9, 13, 17}), 4)
def test_equals_slow_code(drawn: tuple[int, list[Places], Places], reach: int) -> None:
    count, references, hypothesis = drawn
    pairs = [slow(count, one, hypothesis, reach) for one in references]
    for side, metric in enumerate((BoundarySimilarity(reach), SegmentationSimilarity(reach))):
        expected = [pair[side] for pair in pairs]
        same(scored(metric, drawn), {"similarity": averaged(expected)})


DENSE = st.sets(st.integers(1, 29), max_size=29)


@given(DENSE, DENSE, st.integers(2, 5))
@example({4, 6}, {5}, 2)
@example({3, 5}, {4, 6}, 2)
def test_equals_segeval_where_its_pairing_is_the_cheapest(
    reference: Places, hypothesis: Places, reach: int
) -> None:
    if not reference and not hypothesis:
        return
    pair = masses(30, hypothesis), masses(30, reference)
    ours = scored(SegmentationSimilarity(reach), (30, [reference], hypothesis))["similarity"]
    theirs = float(peers.segmentation_similarity(*pair, n_t=reach))
    assert not isinstance(ours, Undefined)
    assert ours >= theirs - 1e-12
    if reach == 2:
        assert ours == pytest.approx(theirs)
        b = scored(BoundarySimilarity(), (30, [reference], hypothesis))["similarity"]
        assert b == pytest.approx(float(peers.boundary_similarity(*pair)))


def test_where_segeval_differs() -> None:
    # beyond next neighbours it takes the shortest pair first, from the left: 5-6 alone, not
    # 3-5 and 6-7; from the right it would take 6-7
    pair = masses(10, {5, 7}), masses(10, {3, 6})
    assert float(peers.segmentation_similarity(*pair, n_t=4)) == pytest.approx(1 - 2.25 / 9)
    same(
        scored(SegmentationSimilarity(4), (10, [{3, 6}], {5, 7})),
        {"similarity": 1 - Fraction(3, 4) / 9},
    )
    # two texts of one sentence
    for peer in (peers.boundary_similarity, peers.segmentation_similarity):
        with pytest.raises(ValueError, match="empty"):
            peer((12,), (12,))
    assert scored(BoundarySimilarity(), (12, [set()], set()))["similarity"] == Undefined(NO_EDITS)
    assert scored(SegmentationSimilarity(), (12, [set()], set()))["similarity"] == 1


@pytest.mark.parametrize("count", [0, 1])
def test_no_gaps(count: int) -> None:
    for metric, reason in (
        (BoundarySimilarity(), NO_EDITS),
        (SegmentationSimilarity(), NO_GAPS),
    ):
        assert scored(metric, (count, [set()], set()))["similarity"] == Undefined(reason)


def test_documents_are_pooled() -> None:
    metric = SegmentationSimilarity()
    one = metric.count(text(12, {4, 7}), [text(12, {4, 8})])
    assert one == Counts(matches_1=1, transpositions_1=1, distance_1=1, gaps_1=11)
    two = metric.count(text(5, {1}), [text(5, set())])
    same(metric.values(one + two), {"similarity": 1 - Fraction(3, 2) / 15})
