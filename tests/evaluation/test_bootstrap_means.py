"""Means over units, then groups: compared with loops over each resample."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.values import Undefined, Value
from caesura.evaluation.correlation import NO_VALUES, bootstrap_means
from caesura.evaluation.resampling import Resampling, percentile_interval

Column = list[list[float | None]]
"""Units of groups of numbers."""


def slow(column: Column, drawn: list[int], groups: list[int]) -> Value:
    """Take the mean of each of these groups over units drawn, then the mean of these."""
    found = []
    for group in groups:
        numbers = [x for unit in drawn if (x := column[unit][group]) is not None]
        if not numbers:
            return NO_VALUES
        found.append(math.fsum(numbers) / len(numbers))
    return math.fsum(found) / len(found) if found else NO_VALUES


cell = st.one_of(st.none(), st.floats(-1, 1), st.floats(-1, 1))


@given(st.data(), st.integers(2, 6), st.integers(1, 3), st.integers(0, 5))
def test_equals_loops_over_units_and_draws(
    data: st.DataObject, units: int, groups: int, seed: int
) -> None:
    column: Column = data.draw(
        st.lists(st.lists(cell, min_size=groups, max_size=groups), min_size=units, max_size=units)
    )
    cells = np.array(column, float)[:, None]
    (found,) = bootstrap_means(cells, Resampling(40, seed))
    everything = list(range(units))
    some = [g for g in range(groups) if any(unit[g] is not None for unit in column)]
    random = np.random.default_rng(seed)
    draws = [random.integers(units, size=units).tolist() for _ in range(40)]
    _same(found.value, slow(column, everything, some))
    for group in range(groups):
        _same(found.groups[group], slow(column, everything, [group]))
    expected = percentile_interval([slow(column, draw, some) for draw in draws], 0.95)
    if isinstance(expected, Undefined):
        assert found.interval == expected
    else:
        assert found.interval == pytest.approx(expected, abs=1e-12)


def _same(found: Value, expected: Value) -> None:
    assert found == (expected if expected == NO_VALUES else pytest.approx(expected, abs=1e-12))


def test_groups_weigh_the_same_however_many_numbers_they_have() -> None:
    cells = np.array([[[1.0, 0.0]], [[1.0, np.nan]], [[1.0, np.nan]]])
    (found,) = bootstrap_means(cells, Resampling(0))
    assert (found.value, found.interval, found.groups) == (0.5, None, (1.0, 0.0))


def test_the_same_units_are_drawn_for_all_columns() -> None:
    random = np.random.default_rng(1)
    one = random.random((9, 1, 2))
    shifted = bootstrap_means(np.concatenate([one, one + 1], 1), Resampling(200))
    assert not isinstance(shifted[0].interval, Undefined | None)
    assert shifted[1].interval == pytest.approx([end + 1 for end in shifted[0].interval])
    (constant,) = bootstrap_means(one - one + 0.25, Resampling(200))
    assert constant.interval == (0.25, 0.25)


def test_one_unit_has_no_interval() -> None:
    (found,) = bootstrap_means(np.array([[[0.5]]]), Resampling(100))
    assert found.value == 0.5
    assert found.interval == Undefined("there is only one to draw from")
