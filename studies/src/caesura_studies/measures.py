"""What studies say of scores: values with their intervals, and who is better."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from caesura.core.values import Undefined, Value, ratio
from caesura.evaluation.comparison import Difference
from caesura.evaluation.resampling import Interval, Resampling, Rows, bootstrapped, interval
from caesura.evaluation.scores import Scores

SURE = 0.05
"""A p-value below which a difference is not put down to chance."""

GOALS = {"f1": 1, "ser": -1}
"""What is better: a high F1, or a low slot error rate."""

Sure = tuple[Value, Interval | Undefined]
"""A value with its interval."""


def value(scores: Scores, name: str) -> Value:
    """Give one value over all recordings."""
    return scores.values[0][name]


def sure_value(scores: Scores, name: str) -> Sure:
    """Give it with its interval."""
    return value(scores, name), scores.intervals[0].get(name, Undefined("there is no value"))


def better(row: Difference) -> int:
    """Say who is better beyond chance: 1 for the first system, -1 for the second, 0 for none."""
    if row.difference is None or row.p_corrected is None or row.p_corrected >= SURE:
        return 0
    return (1 if row.difference > 0 else -1) * GOALS[row.value]


def rate(parts: ArrayLike, wholes: ArrayLike, resampling: Resampling) -> Sure:
    """Divide sums over recordings, and draw the recordings again."""
    rows = np.array([parts, wholes], float).T
    drawn = [_quotient(row) for (row,) in bootstrapped([rows], resampling)]
    return _quotient(rows.sum(0)), interval(drawn, resampling.level)


def _quotient(row: Rows) -> Value:
    return ratio(float(row[0]), float(row[1]), "there is nothing to divide by")
