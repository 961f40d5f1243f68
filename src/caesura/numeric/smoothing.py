"""Probabilities from counts: each history lends what it leaves over to a shorter one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.columns import Floats, Indices


class Group(ABC):
    """Which cells of a table belong to one distribution."""

    @abstractmethod
    def sum(self, cells: Floats) -> Floats:
        """Add up the cells of each distribution."""

    @abstractmethod
    def spread(self, sums: Floats) -> Floats:
        """Give each cell what belongs to its distribution."""


@dataclass(frozen=True, eq=False)
class Following(Group):
    """Distributions over words: rows with the same number in `prefix`, of `count` numbers.

    Each column is a distribution of its own.
    """

    prefix: Indices
    count: int

    def sum(self, cells: Floats) -> Floats:
        """Add up the rows of each prefix."""
        columns = [np.bincount(self.prefix, column, self.count) for column in cells.T]
        return np.stack(columns, axis=1)

    def spread(self, sums: Floats) -> Floats:
        """Give each row what belongs to its prefix."""
        return sums[self.prefix]


@dataclass(frozen=True)
class Within(Group):
    """Distributions over classes: each run of `size` cells of a row."""

    size: int

    def sum(self, cells: Floats) -> Floats:
        """Add up each run."""
        sums: Floats = sum(cells[:, at :: self.size] for at in range(self.size))  # type: ignore[assignment]
        return sums

    def spread(self, sums: Floats) -> Floats:
        """Give each cell what belongs to its run."""
        runs = np.broadcast_to(sums[:, :, None], (*sums.shape, self.size))
        return runs.reshape(len(sums), sums.shape[1] * self.size)


class Smoothed(NamedTuple):
    """Probabilities of the cells of a table, and what cells that are not in it get.

    That is `rest` of the cell's distribution times the probability after the shorter history.
    """

    cells: Floats
    rest: Floats


def interpolation(counts: Floats, lower: Floats, group: Group, strength: float) -> Smoothed:
    """Mix with the shorter history, as Witten and Bell do it.

    A history seen c times with t different continuations lends `strength` * t / (c + `strength`
    * t) to the shorter one.
    """
    total, kinds = group.sum(counts), group.sum((counts > 0).astype(np.float64))
    share = np.where(total > 0, strength * kinds, 1.0)
    whole = total + share
    cells = (counts + group.spread(share) * lower) / group.spread(whole)
    return Smoothed(cells, share / whole)


def backoff(counts: Floats, lower: Floats, group: Group, discount: float) -> Smoothed:
    """Take `discount` off each count and give it to what was not seen, by the shorter history.

    Where everything was seen there is nobody to give it to, and nothing is taken.
    """
    seen = counts > 0
    total, kinds = group.sum(counts), group.sum(seen.astype(np.float64))
    unseen = 1.0 - group.sum(np.where(seen, lower, 0.0))
    apart = unseen > ENOUGH
    off = np.where(apart, discount, 0.0)
    known = np.maximum(total, 1.0)
    rest = np.where(total > 0, off * kinds / (known * np.where(apart, unseen, 1.0)), 1.0)
    cells = (counts - group.spread(off)) / group.spread(known)
    return Smoothed(np.where(seen, cells, group.spread(rest) * lower), rest)


ENOUGH = 1e-9
"""A share of the probability below which nothing is taken to be left."""


def discount(counts: Floats) -> float:
    """Tell how much to take off each count: n1 / (n1 + 2 n2) of cells seen once and twice."""
    once, twice = float((counts == 1).sum()), float((counts == 2).sum())
    return once / (once + 2 * twice) if once and twice else 0.5
