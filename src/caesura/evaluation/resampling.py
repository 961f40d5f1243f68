"""Bootstrap, approximate randomization, confidence intervals and p-values.

What is resampled are units: recordings, or blocks of one recording. Each unit is a row of
counts. A resample is a sum of rows, and a value is computed from that sum: it is never a mean of
rates. `bootstrap_draws` is the only place where the bootstrap draws.
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
"""Numbers with a row for each unit."""

Interval = tuple[float, float]
"""Lower and upper limit of a confidence interval."""

RESAMPLES = 1000
FEWEST_RESAMPLES, MOST_RESAMPLES = 100, 100_000
"""Resamples below which an interval means little, and above which nothing is gained."""

SEED = 20000

FEW_UNITS = 8
"""With fewer units than this, intervals are known to be too narrow."""

MOST_UNDEFINED = 0.05
"""If more than this share of the resamples have no value, the interval is undefined."""


@dataclass(frozen=True)
class Resampling:
    """The number of resamples, the seed, and the confidence level of intervals."""

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
    """Yield the units of each resample: `count` numbers below `count`, with replacement."""
    random = np.random.default_rng(resampling.seed)
    for _ in range(resampling.resamples if count else 0):
        yield random.integers(count, size=count)


def bootstrap_sums(systems: Sequence[Rows], resampling: Resampling) -> Iterator[list[Rows]]:
    """Yield the sums of the rows of each resample; the same units are drawn for all systems."""
    count = len(systems[0])
    for units in bootstrap_draws(count, resampling):
        times = np.bincount(units, minlength=count)
        yield [times @ rows for rows in systems]


def randomization_sums(
    one: Rows, other: Rows, resampling: Resampling
) -> Iterator[tuple[Rows, Rows]]:
    """Yield the sums of two systems that swap their counts on each unit at random."""
    total, difference = one.sum(0), other - one
    both = total + other.sum(0)
    random = np.random.default_rng(resampling.seed)
    for _ in range(resampling.resamples):
        first = total + random.integers(2, size=len(one)) @ difference
        yield first, both - first


def percentile_interval(values: Sequence[Value], level: float) -> Interval | Undefined:
    """Return the percentiles between which the share `level` of the resampled values lies."""
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
    """Return the two-sided p-value of resampled differences: how often they cross 0.

    A resample without a value counts against a difference, here and in `randomization_p`.
    """
    below = sum(isinstance(value, Undefined) or value <= 0 for value in differences)
    above = sum(isinstance(value, Undefined) or value >= 0 for value in differences)
    return min(1.0, 2 * (min(below, above) + 1) / (len(differences) + 1))


def randomization_p(observed: float, differences: Sequence[Value]) -> float:
    """Return how often systems that swap counts at random differ as much as observed."""
    # Sums of the same numbers in another order may differ in the last bits.
    limit = abs(observed) - 1e-12
    reached = sum(isinstance(value, Undefined) or abs(value) >= limit for value in differences)
    return (reached + 1) / (len(differences) + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of several tests after the correction of Holm (1979)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = highest
    return corrected
