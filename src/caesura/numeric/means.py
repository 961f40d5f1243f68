"""Means over units, then over groups, and how far they move when units are drawn again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caesura.contracts import Undefined, Value
from caesura.numeric.stats import Interval, Resampling, Rows, bootstrapped, interval

EMPTY = Undefined("nothing there is defined")


@dataclass(frozen=True)
class Mean:
    """A mean over groups, its interval (None if nothing was drawn), and the mean of each group."""

    value: Value
    interval: Interval | Undefined | None
    groups: tuple[Value, ...]


def means(cells: Rows, resampling: Resampling) -> list[Mean]:
    """Average each column of units × columns × groups; NaN is left out.

    A group without any number is left out too. The same units are drawn for all columns; a draw
    that has no number of a group that otherwise has some has no mean.
    """
    known = ~np.isnan(cells)
    rows = np.stack([np.where(known, cells, 0.0), known.astype(float)], 1)
    groups, some = _within(rows.sum(0)), np.asarray(known.any(0))
    shape, flat = rows.shape[1:], rows.reshape(len(rows), -1)
    draws = np.array(
        [
            _across(_within(row.reshape(shape)), some)
            for (row,) in (bootstrapped([flat], resampling) if len(rows) > 1 else [])
        ]
    ).reshape(-1, cells.shape[1])
    return [
        Mean(_value(mean), _between(draws[:, at], resampling), tuple(map(_value, groups[at])))
        for at, mean in enumerate(_across(groups, some))
    ]


def _within(sums: Rows) -> Rows:
    """Mean of each group, from the sums of its units and their counts; NaN if there are none."""
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[0] / sums[1])


def _across(groups: Rows, some: Rows) -> Rows:
    """Mean over the groups that have numbers at all."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(some, groups, 0.0).sum(1) / some.sum(1))


def _between(drawn: Rows, resampling: Resampling) -> Interval | Undefined | None:
    if not resampling.resamples:
        return None
    if not len(drawn):
        return Undefined("there is only one to draw from")
    return interval([_value(each) for each in drawn], resampling.level)


def _value(number: float) -> Value:
    return EMPTY if np.isnan(number) else float(number)
