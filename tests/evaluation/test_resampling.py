"""Resampling and tests: compared with enumeration, textbook definitions and simulations."""

from itertools import combinations, product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.values import Undefined, Value
from caesura.evaluation.resampling import (
    Resampling,
    Rows,
    bootstrap_p,
    bootstrap_sums,
    holm,
    percentile_interval,
    randomization_p,
    randomization_sums,
)

SIX = np.eye(6, dtype=np.int64)


def test_settings() -> None:
    assert str(Resampling(10, 3, 0.9)) == "resamples=10,level=0.9,seed=3"
    for wrong in ({"resamples": -1}, {"resamples": 2.0}, {"seed": -1}, {"seed": None}):
        with pytest.raises(ValueError, match="is a whole number"):
            Resampling(**wrong)
    for level in (0.0, 1.0, float("nan"), "0.9"):
        with pytest.raises(ValueError, match="level lies between 0 and 1"):
            Resampling(level=level)  # type: ignore[arg-type]


def draws(seed: int, resamples: int = 50) -> list[list[int]]:
    return [row.tolist() for (row,) in bootstrap_sums([SIX], Resampling(resamples, seed))]


def test_equal_seeds_draw_alike() -> None:
    assert draws(1) == draws(1)
    assert draws(1) != draws(2)
    assert draws(1, 20) == draws(1, 50)[:20]


def test_a_seed_means_the_same_everywhere() -> None:
    """A signature names the seed: another numpy must not draw other units from it."""
    assert draws(1, 3) == [[2, 0, 1, 1, 1, 1], [0, 2, 1, 0, 1, 2], [0, 2, 1, 2, 1, 0]]
    assert [one.tolist() for one, _ in trades(1, 3)] == [
        [1, 0, 0, 0, 1, 1],
        [0, 1, 1, 1, 0, 0],
        [0, 0, 1, 1, 1, 0],
    ]


def test_as_many_units_are_drawn_as_there_are() -> None:
    drawn = np.array(draws(1, 2000))
    assert (drawn.sum(1) == 6).all()
    # How often a unit is drawn is binomial(6, 1/6): mean 1, and absent in (5/6)^6 of the draws.
    assert drawn.mean(0) == pytest.approx(np.ones(6), abs=4 * sqrt(5 / 6 / 2000))
    assert (drawn == 0).mean() == pytest.approx((5 / 6) ** 6, abs=0.02)


def test_systems_are_drawn_together() -> None:
    for one, other in bootstrap_sums([SIX, 10 * SIX], Resampling(50)):
        assert (10 * one == other).all()


def trades(seed: int, resamples: int) -> list[tuple[Rows, Rows]]:
    """Two systems with three units, each unit in a column of its own."""
    cells = np.eye(6, dtype=np.int64)
    return list(randomization_sums(cells[:3], cells[3:], Resampling(resamples, seed)))


def test_systems_trade_whole_units() -> None:
    patterns: dict[tuple[int, ...], int] = {}
    for one, other in trades(5, 4000):
        assert (one + other == 1).all()
        assert (one[:3] + one[3:] == 1).all()
        kept = tuple(one[:3].tolist())
        patterns[kept] = patterns.get(kept, 0) + 1
    assert set(patterns) == set(product((0, 1), repeat=3))
    for times in patterns.values():
        assert times == pytest.approx(500, abs=4 * sqrt(4000 / 8))


def test_equal_seeds_trade_alike() -> None:
    reported = [[one.tolist() for one, _ in trades(seed, 30)] for seed in (1, 1, 2)]
    assert reported[0] == reported[1] != reported[2]


def test_interval() -> None:
    assert percentile_interval([float(i) for i in range(101)], 0.9) == pytest.approx((5, 95))
    assert percentile_interval([0.5], 0.95) == (0.5, 0.5)


def test_interval_of_values_that_are_often_undefined() -> None:
    none = Undefined("nothing there")
    many: list[Value] = [0.5] * 94 + [none] * 6
    assert percentile_interval(many, 0.95) == Undefined("6 of 100 resamples have no value")
    assert percentile_interval([*many[:-1], 0.5], 0.95) == (0.5, 0.5)
    assert isinstance(percentile_interval([none], 0.95), Undefined)
    assert isinstance(percentile_interval([], 0.95), Undefined)


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_interval_of_a_mean_covers_the_true_mean(level: float) -> None:
    random = np.random.default_rng(7)
    covered, times = 0, 400
    for seed in range(times):
        rows = np.stack([random.normal(3, 2, size=60), np.ones(60)], axis=1)
        drawn = [float(s / n) for ((s, n),) in bootstrap_sums([rows], Resampling(300, seed))]
        found = percentile_interval(drawn, level)
        assert not isinstance(found, Undefined)
        covered += found[0] <= 3 <= found[1]
    # Three standard errors, and a little for the percentiles of a sample of 60.
    assert covered / times == pytest.approx(level - 0.01, abs=3 * sqrt(level * (1 - level) / times))


def test_interval_is_of_the_pooled_number() -> None:
    """Many small units that are right and some large ones that are mostly wrong."""
    rows = np.array([[1, 1]] * 30 + [[20, 100]] * 30)
    drawn = [float(a / b) for ((a, b),) in bootstrap_sums([rows], Resampling(500))]
    found = percentile_interval(drawn, 0.95)
    assert not isinstance(found, Undefined)
    assert found[0] <= 630 / 3030 <= found[1] < (rows[:, 0] / rows[:, 1]).mean() - 0.3


def test_bootstrap_p() -> None:
    assert bootstrap_p([0.0] * 99) == 1
    assert bootstrap_p([1.0] * 99) == bootstrap_p([-1.0] * 99) == 2 / 100
    assert bootstrap_p([1.0] * 95 + [-1.0] * 3 + [0.0]) == 2 * 5 / 100
    assert bootstrap_p([1.0] * 98 + [Undefined("nothing there")]) == 2 * 2 / 100


@given(st.lists(st.floats(-1, 5), min_size=50, max_size=200))
def test_a_small_bootstrap_p_keeps_zero_out_of_the_interval(drawn: list[float]) -> None:
    found = percentile_interval(drawn, 0.95)
    assert not isinstance(found, Undefined)
    if bootstrap_p(drawn) <= 0.05:
        assert not found[0] <= 0 <= found[1]
    if not found[0] <= 0 <= found[1]:
        assert bootstrap_p(drawn) <= 0.05 + 4 / (len(drawn) + 1)


def test_randomization_p() -> None:
    assert randomization_p(0.0, [0.0, 0.3, -0.2]) == 1
    assert randomization_p(0.3, [0.1, -0.3, 0.2]) == 2 / 4
    assert randomization_p(-0.3, [0.1, -0.3, 0.2]) == 2 / 4
    # The same difference, summed in another order.
    assert randomization_p(0.3, [0.1 + 0.2, 0.3 - 1e-16, 0.1]) == 3 / 4
    assert randomization_p(0.3, [Undefined("nothing there"), 0.1, 0.1]) == 2 / 4


def rate(row: Rows) -> float:
    return float(row[0] / row[1])


def by_chance(one: Rows, other: Rows, resampling: Resampling) -> float:
    differences = [rate(a) - rate(b) for a, b in randomization_sums(one, other, resampling)]
    return randomization_p(rate(one.sum(0)) - rate(other.sum(0)), differences)


def test_randomization_p_equals_enumeration() -> None:
    one = np.array([[9, 10], [5, 12], [7, 8], [20, 30], [3, 3], [8, 11], [6, 6], [9, 20]])
    other = np.array([[7, 11], [5, 9], [6, 8], [15, 28], [2, 4], [8, 10], [5, 6], [10, 21]])
    observed = abs(rate(one.sum(0)) - rate(other.sum(0)))
    reached = 0
    for swap in product((False, True), repeat=len(one)):
        traded = np.array(swap)[:, None]
        a, b = np.where(traded, other, one).sum(0), np.where(traded, one, other).sum(0)
        reached += abs(rate(a) - rate(b)) >= observed - 1e-12
    exact = reached / 2 ** len(one)
    assert 0.02 < exact < 0.5
    assert by_chance(one, other, Resampling(4000)) == pytest.approx(
        exact, abs=4 * sqrt(exact * (1 - exact) / 4000)
    )


def test_randomization_p_is_valid_where_nothing_differs() -> None:
    """Among equals no p-value comes up more often than it says, and not much less often."""
    random = np.random.default_rng(11)
    times, chances = 500, []
    for seed in range(times):
        totals = random.integers(20, 60, size=(2, 15))
        found = np.stack([random.binomial(totals, 0.7), totals], axis=-1)
        chances.append(by_chance(found[0], found[1], Resampling(199, seed)))
    for limit in (0.05, 0.2, 0.5):
        share = sum(chance <= limit for chance in chances) / times
        assert share == pytest.approx(limit, abs=3 * sqrt(limit * (1 - limit) / times))


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.4, 0.6]) == pytest.approx([0.8, 0.8])
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


@given(st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.04, 0.3, 0.5, 1.0]), max_size=6))
def test_holm_is_bonferroni_over_all_subsets(chances: list[float]) -> None:
    """A hypothesis falls when each set of hypotheses that holds it falls to Bonferroni."""
    tests = range(len(chances))
    sets = [chosen for size in tests for chosen in combinations(tests, size + 1)]
    expected = [
        max(min(1, len(each) * min(chances[k] for k in each)) for each in sets if test in each)
        for test in tests
    ]
    assert holm(chances) == pytest.approx(expected)
