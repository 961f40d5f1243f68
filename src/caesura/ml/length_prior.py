"""How likely sentences of each length are, learnt from sentences and compared with chance.

Log-odds at gaps already say how often sentences end, which by itself makes lengths geometric. So a
prior holds the logarithm of a ratio: the share of sentences of a length, to the share that the
geometric distribution with the same mean gives it. It is 0 where lengths say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import Floats, Indices

SECOND = 1_000_000
"""Durations are whole numbers of microseconds, so that sums and comparisons are exact."""

STEPS = {"words": 1, "seconds": SECOND // 2}
"""The width of a cell of the table, for each unit of length."""

SMOOTH = 50.0
"""Sentences of the geometric distribution that are added to those counted."""

NEIGHBOURS = 4
"""Cells up to a quarter of a length shorter and longer are counted with it."""

MOST = 1e6
"""Larger log-ratios are those of a damaged table."""

TAIL, MOST_CELLS = 0.99, 200
"""The table ends where this share of the sentences is shorter, or after so many cells."""


@dataclass(frozen=True, eq=False)
class LengthPrior:
    """A table of log-ratios for lengths of `step` each, and a straight line beyond its end.

    The line falls by `slope` (at most 0) for each step. Cell k holds lengths from k steps on.
    """

    unit: str
    table: Floats
    slope: float

    def __post_init__(self) -> None:
        if self.unit not in STEPS:
            raise ValueError(f"unit is one of {', '.join(STEPS)}, not {self.unit!r}")
        if self.table.ndim != 1 or not len(self.table) or not np.isfinite(self.table).all():
            raise ValueError("the table of a prior is a list of numbers")
        if (np.abs(self.table) > MOST).any():
            raise ValueError(f"the table of a prior has numbers beyond {MOST:g}")
        if not -MOST <= self.slope <= 0:
            raise ValueError(f"slope is a number from {-MOST:g} to 0, not {self.slope!r}")

    @property
    def step(self) -> int:
        """The width of a cell, in words or microseconds."""
        return STEPS[self.unit]

    def values(self, sizes: Indices) -> Floats:
        """Return the log-ratio of each length, given in words or microseconds."""
        cells = np.minimum(sizes // self.step, len(self.table) - 1)
        beyond = np.maximum(sizes / self.step - len(self.table), 0.0)
        found: Floats = self.table[cells] + self.slope * beyond
        return found


def learn_prior(sizes: Indices, unit: str) -> LengthPrior:
    """Learn a prior from the lengths of sentences, in words or microseconds."""
    if not len(sizes):
        raise ValueError("there are no sentences whose lengths could be counted")
    # No sentence has 0 words: their cells are counted from 1 word on.
    least = 1 if unit == "words" else 0
    cells = np.maximum(sizes // STEPS[unit] - least, 0)
    count = int(min(np.quantile(cells, TAIL) + 1, MOST_CELLS))
    rate = _rate(cells)
    chance: Floats = (1 - rate) * rate ** np.arange(count, dtype=np.float64)
    seen = np.bincount(np.minimum(cells, count), minlength=count + 1)[:count]
    around = np.arange(count) // NEIGHBOURS
    shares = _pooled(seen + SMOOTH * chance, around) / (len(sizes) + SMOOTH)
    table = np.log(shares / _pooled(chance, around))
    slope = min(0.0, np.log(_rate(cells[cells >= count] - count)) - np.log(rate))
    return LengthPrior(unit, np.concatenate([table[:1]] * least + [table]), float(slope))


def _rate(cells: Indices) -> float:
    """Return the share of sentences that go on at each step, in the geometric distribution."""
    # Where all are of one length there must still be room for longer ones.
    mean = max(float(cells.mean()), 0.01) if len(cells) else 0.01
    return mean / (1 + mean)


def _pooled(cells: Floats, around: Indices) -> Floats:
    """Sum each cell with as many neighbours on either side as `around` says."""
    sums = np.concatenate([[0.0], np.cumsum(cells)])
    at = np.arange(len(cells))
    last = np.minimum(at + around, len(cells) - 1)
    found: Floats = sums[last + 1] - sums[at - around]
    return found
