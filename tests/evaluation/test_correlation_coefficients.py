"""Correlation coefficients: compared with scipy, their definitions and the standard library."""

import math
import statistics
from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.values import Undefined, Value
from caesura.evaluation.correlation import (
    correlate_with_first,
    kendall,
    pearson,
    pearson_with_interval,
    ranks,
    spearman,
)
from caesura.evaluation.resampling import Resampling, bootstrap_sums, percentile_interval

scipy_stats = pytest.importorskip("scipy.stats")

SIX = np.eye(6, dtype=np.int64)
KINDS: dict[str, Callable[..., Value]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
PEERS = {
    "pearson": scipy_stats.pearsonr,
    "spearman": scipy_stats.spearmanr,
    "kendall": scipy_stats.kendalltau,
}
few = st.integers(0, 4)
"""Numbers among which there are many ties."""
pairs_with_ties = st.lists(st.tuples(few, few), min_size=2, max_size=12)


def sides(pairs: list[tuple[int, int]]) -> tuple[list[float], list[float]]:
    return [float(a) for a, _ in pairs], [float(b) for _, b in pairs]


def slow_ranks(series: list[float]) -> list[float]:
    """How many are less, and the middle of those that are equal."""
    return [
        sum(other < each for other in series) + (sum(other == each for other in series) + 1) / 2
        for each in series
    ]


def slow_kendall(one: list[float], other: list[float]) -> float:
    """Pair by pair, as the definition of tau-b counts them."""
    same = opposite = untied_one = untied_other = 0
    for i, j in combinations(range(len(one)), 2):
        a, b = one[i] - one[j], other[i] - other[j]
        same += a * b > 0
        opposite += a * b < 0
        untied_one += a != 0
        untied_other += b != 0
    return (same - opposite) / math.sqrt(untied_one * untied_other)


SLOW: dict[str, Callable[[list[float], list[float]], float]] = {
    "pearson": statistics.correlation,
    "spearman": lambda a, b: statistics.correlation(slow_ranks(a), slow_ranks(b)),
    "kendall": slow_kendall,
}


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=12, unique=True))
def test_the_same_order_is_exactly_one(series: list[float]) -> None:
    assert spearman(series, ranks(series)) == 1
    assert spearman(series, -ranks(series)) == -1
    assert pearson(series, series) == 1


@pytest.mark.parametrize("kind", KINDS)
@given(pairs=pairs_with_ties)
def test_equals_the_definition_and_scipy(kind: str, pairs: list[tuple[int, int]]) -> None:
    one, other = sides(pairs)
    found = KINDS[kind](one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found == Undefined("one of the series does not vary")
    else:
        assert found == pytest.approx(SLOW[kind](one, other), abs=1e-12)
        assert found == pytest.approx(PEERS[kind](one, other).statistic, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(
    pairs=st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=2, max_size=9)
)
def test_laws(kind: str, pairs: list[tuple[float, float]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    found = KINDS[kind](one, other)
    if isinstance(found, Undefined):
        return
    assert -1 <= found <= 1
    assert KINDS[kind](other, one) == pytest.approx(found, abs=1e-12)
    assert KINDS[kind]([-a for a in one], other) == pytest.approx(-found, abs=1e-12)
    assert KINDS[kind](one[::-1], other[::-1]) == pytest.approx(found, abs=1e-9)
    assert KINDS[kind](one, one) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_two_points_lie_on_a_line(kind: str, scale: float) -> None:
    assert KINDS[kind]([0.0, scale], [1.0, 3.0]) == pytest.approx(1, abs=1e-12)
    assert KINDS[kind]([0.0, scale], [3.0, 1.0]) == pytest.approx(-1, abs=1e-12)
    # The least difference there is.
    assert KINDS[kind]([1.0, math.nextafter(1, 2)], [1.0, 3.0]) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_largest_numbers(kind: str) -> None:
    series = [-1.7e308, 0.0, 1.7e308]
    assert KINDS[kind](series, [1.0, 2.0, 3.0]) == pytest.approx(1)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_too_short_or_does_not_vary_is_undefined(kind: str) -> None:
    # 0.1 three times has a mean that is not 0.1.
    for series in ([0.1] * 3, [0.0] * 3, [1e-300] * 3):
        for found in (
            KINDS[kind](series, [1.0, 2.0, 4.0]),
            KINDS[kind]([1.0, 2.0, 4.0], series),
        ):
            assert found == Undefined("one of the series does not vary")
    for short in ([], [1.0]):
        found = KINDS[kind](short, short)
        assert found == Undefined("a correlation takes two pairs of numbers")
    with pytest.raises(ValueError, match="series of 1 and 2 numbers"):
        KINDS[kind]([1.0], [1.0, 2.0])


@given(st.lists(few.map(float), max_size=12))
def test_ranks_equal_those_counted_one_by_one(series: list[float]) -> None:
    assert ranks(series).tolist() == slow_ranks(series)


@pytest.mark.parametrize("kind", KINDS)
@given(rows=st.lists(st.tuples(few, few, few), max_size=8))
def test_columns_at_once_are_columns_one_by_one(
    kind: str, rows: list[tuple[int, int, int]]
) -> None:
    columns = np.array(rows, float).reshape(-1, 3)
    expected = [KINDS[kind](columns[:, at], columns[:, 0]) for at in (1, 2)]
    for value, other in zip(correlate_with_first(columns, kind), expected, strict=True):
        assert value == (other if isinstance(other, Undefined) else pytest.approx(other, abs=1e-12))
    assert ranks(columns).T.tolist() == [slow_ranks(column) for column in columns.T.tolist()]


def test_ranks_in_any_order() -> None:
    for series in permutations([0.1, 0.2, 0.2, 0.9]):
        assert ranks(series).tolist() == [{0.1: 1.0, 0.2: 2.5, 0.9: 4.0}[x] for x in series]


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=30))
def test_pearson_of_any_scale(pairs: list[tuple[int, int]]) -> None:
    one, other = sides(pairs)
    found = pearson(one, other)
    if not isinstance(found, Undefined):
        assert pearson([1e200 * x for x in one], [1e-200 * x for x in other]) == pytest.approx(
            found, abs=1e-12
        )


def test_pearson_never_leaves_its_range() -> None:
    series = [0.1, 0.2, 0.3, 0.7]
    for factor in (3.3, -3.3):
        found = pearson(series, [factor * x + 0.1 for x in series])
        assert not isinstance(found, Undefined)
        assert -1 <= found <= 1


def test_a_correlation_is_that_of_the_pairs_and_its_interval_that_of_pairs_drawn_again() -> None:
    one, other = [1.0, 2.0, 3.0, 4.0, 6.0, 7.0], [1.0, 3.0, 2.0, 5.0, 4.0, 8.0]
    value, limits = pearson_with_interval(one, other, Resampling(2000))
    assert value == pearson(one, other)
    # Drawn in another way: by the weights that `bootstrapped` gives the pairs.
    drawn: list[Value] = []
    for (times,) in bootstrap_sums([SIX], Resampling(2000, 7)):
        pairs = [i for i, n in enumerate(times.tolist()) for _ in range(n)]
        drawn.append(pearson([one[i] for i in pairs], [other[i] for i in pairs]))
    assert limits == pytest.approx(percentile_interval(drawn, 0.95), abs=0.05)


def test_a_correlation_of_too_little_is_undefined() -> None:
    for series in ([], [0.5], [0.5, 0.5]):
        value, limits = pearson_with_interval(series, series, Resampling(10))
        assert isinstance(value, Undefined)
        assert isinstance(limits, Undefined)
