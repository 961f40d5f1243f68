"""Resampling: how far a number would move with other recordings, and whether two differ.

Units (recordings, or blocks of one) are rows of counts. A resample is a sum of rows, from
which the number itself is computed: never a mean of rates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.core.values import Undefined, Value

Rows = NDArray[Any]
Interval = tuple[float, float]

RESAMPLES = 1000
FEWEST_RESAMPLES, MOST_RESAMPLES = 100, 100_000
"""Draws below which an interval means little, and above which nothing is gained."""

SEED = 20000

FEW_UNITS = 8
"""Below so many units an interval is known to come out too narrow."""

MOST_UNDEFINED = 0.05
"""Share of resamples that may lack a value before an interval is undefined too."""


@dataclass(frozen=True)
class Resampling:
    """How often to draw, from which seed, and how sure an interval shall be."""

    resamples: int = RESAMPLES
    seed: int = SEED
    level: float = 0.95

    def __post_init__(self) -> None:
        if type(self.resamples) is not int or not 0 <= self.resamples <= MOST_RESAMPLES:
            raise ValueError(
                f"resamples is a whole number from 0 to {MOST_RESAMPLES}, not {self.resamples!r}"
            )
        if type(self.seed) is not int or self.seed < 0:
            raise ValueError(f"seed is a whole number, not {self.seed!r}")
        if not isinstance(self.level, float) or not 0 < self.level < 1:
            raise ValueError(f"level lies between 0 and 1, not {self.level!r}")

    def __str__(self) -> str:
        return f"resamples={self.resamples},level={self.level},seed={self.seed}"


def bootstrap_draws(count: int, resampling: Resampling) -> Iterator[Indices]:
    """Draw as many of `count` units as there are, with replacement; yield their numbers."""
    random = np.random.default_rng(resampling.seed)
    for _ in range(resampling.resamples if count else 0):
        yield random.integers(count, size=count)


def bootstrap_sums(systems: Sequence[Rows], resampling: Resampling) -> Iterator[list[Rows]]:
    """Sum the rows of each bootstrap resample; the same units are drawn for all systems."""
    count = len(systems[0])
    for units in bootstrap_draws(count, resampling):
        times = np.bincount(units, minlength=count)
        yield [times @ rows for rows in systems]


def randomization_sums(
    one: Rows, other: Rows, resampling: Resampling
) -> Iterator[tuple[Rows, Rows]]:
    """Let two systems trade their counts on each unit at random; sum what each then has."""
    total, difference = one.sum(0), other - one
    both = total + other.sum(0)
    random = np.random.default_rng(resampling.seed)
    for _ in range(resampling.resamples):
        first = total + random.integers(2, size=len(one)) @ difference
        yield first, both - first


def percentile_interval(values: Sequence[Value], level: float) -> Interval | Undefined:
    """Give the percentiles between which `level` of the resampled values lie."""
    known = [value for value in values if not isinstance(value, Undefined)]
    missing = len(values) - len(known)
    if not known or missing > MOST_UNDEFINED * len(values):
        reasons = {value.reason for value in values if isinstance(value, Undefined)}
        if not known and len(reasons) == 1:
            return Undefined(*reasons)
        return Undefined(f"{missing} of {len(values)} resamples have no value")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def bootstrap_p(differences: Sequence[Value]) -> float:
    """Two-sided: how often the difference of two systems is on the other side of 0, or on it.

    A resample without a value speaks against a difference, here and in the other test.
    """
    below = sum(isinstance(value, Undefined) or value <= 0 for value in differences)
    above = sum(isinstance(value, Undefined) or value >= 0 for value in differences)
    return min(1.0, 2 * (min(below, above) + 1) / (len(differences) + 1))


def randomization_p(observed: float, differences: Sequence[Value]) -> float:
    """How often systems that trade places at random differ as much as the two really do."""
    # Sums of the same numbers in another order may differ in the last bits.
    limit = abs(observed) - 1e-12
    reached = sum(isinstance(value, Undefined) or abs(value) >= limit for value in differences)
    return (reached + 1) / (len(differences) + 1)


def holm(chances: Sequence[float]) -> list[float]:
    """Correct p-values of several tests (Holm 1979)."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    corrected = [0.0] * len(chances)
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[at]))
        corrected[at] = highest
    return corrected
