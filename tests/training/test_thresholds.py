"""The best threshold against every threshold there is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.arrays import Flags
from caesura.training.search import GOALS, Goal, best_threshold

PAIRS = st.lists(
    st.tuples(st.integers(-4, 4) | st.floats(-1e6, 1e6), st.booleans()), min_size=1, max_size=30
)


def merit(found: Flags, real: Flags, goal: Goal) -> float:
    correct, both = int((found & real).sum()), int(found.sum()) + int(real.sum())
    return correct / both if goal == "f1" else 2 * correct - both


@pytest.mark.parametrize("goal", GOALS)
@given(PAIRS)
def test_no_threshold_is_better(goal: Goal, pairs: list[tuple[float, bool]]) -> None:
    odds = np.array([float(value) for value, _ in pairs])
    real = np.array([flag for _, flag in pairs])
    every = [odds >= limit for limit in odds]
    if goal == "ser":
        every.append(np.zeros(len(odds), np.bool_))
    found = odds > best_threshold(odds, real, goal)
    assert merit(found, real, goal) == max(merit(each, real, goal) for each in every)
    assert goal == "ser" or found.any()


@given(PAIRS)
def test_a_bias_of_minus_the_threshold_decides_alike(pairs: list[tuple[float, bool]]) -> None:
    odds = np.array([float(value) for value, _ in pairs])
    threshold = best_threshold(odds, np.array([flag for _, flag in pairs]))
    assert np.array_equal(odds + (0.0 - threshold) > 0, odds > threshold)


def test_it_lies_halfway_between_two_log_odds() -> None:
    assert best_threshold(np.array([3.0, 1.0, -2.0]), np.array([True, True, False])) == -0.5
    assert best_threshold(np.array([3.0, 1.0, -2.0]), np.array([True, True, True])) == -3.0
    assert best_threshold(np.array([3.0, 1.0]), np.array([False, False]), "ser") == 4.0


def test_neighbouring_numbers_are_separated_and_equal_ones_are_not() -> None:
    near = np.nextafter(1.0, 2.0)
    odds = np.array([1.0, near, 1.0])
    assert (odds > best_threshold(odds, np.array([False, True, False]))).tolist() == [0, 1, 0]
    assert (odds > best_threshold(odds, np.array([True, False, False]))).tolist() == [1, 1, 1]


def test_without_gaps_it_is_0() -> None:
    assert best_threshold(np.zeros(0), np.zeros(0, np.bool_)) == 0.0
