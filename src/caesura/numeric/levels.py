"""Distributions after histories of one length, each smoothed with those after shorter ones.

Nothing is worked out before it is asked for: a model of a million sequences is ready at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from caesura.columns import Floats, Indices
from caesura.numeric.cells import Cells
from caesura.numeric.smoothing import Smoothing, Terms

TINY = 1e-300
"""What stands for a probability of 0 where its logarithm is taken."""

MANY = 16
"""Rows are many if there are as many as the table has over this number."""

MOST_KEPT = 1 << 26
"""Cells of a table that is kept."""

Rows = Callable[[Indices], Floats]
"""Gives the rows of a table that have these numbers."""


class Kept:
    """Rows of a table that are worked out when they are first asked for, and kept.

    Of a table that may be too large nothing is kept.
    """

    def __init__(self, work_out: Rows, rows: int, width: int) -> None:
        self._work_out = work_out
        kept = rows if rows * width <= MOST_KEPT else 0
        self._table = np.empty((kept, width))
        self._ready = np.zeros(kept, np.bool_)

    def __call__(self, rows: Indices) -> Floats:
        """Give some rows."""
        if not len(self._table):
            known, place = np.unique(rows, return_inverse=True)
            return self._work_out(known)[place]
        new = rows[~self._ready[rows]]
        if len(new):
            new = self._distinct(new)
            self._table[new] = self._work_out(new)
            self._ready[new] = True
        return self._table[rows]

    def _distinct(self, rows: Indices) -> Indices:
        """Give different rows once each; marking many is faster than sorting them."""
        if len(rows) * MANY < len(self._table):
            return np.unique(rows)
        there = np.zeros(len(self._table), np.bool_)
        there[rows] = True
        return np.flatnonzero(there)


class Level(ABC):
    """A table of probabilities: a row for each sequence of words, a column for each of classes."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.rows = Kept(self.worked_out, cells.rows, cells.width)
        self.logs = Kept(lambda grams: _log(self.rows(grams)), cells.rows, cells.width)

    @abstractmethod
    def worked_out(self, grams: Indices) -> Floats:
        """Work out the rows of some sequences."""


class Words(Level):
    """Of the last word of each sequence, given the words before it and classes.

    Rows that have the same number in `prefix`, of `prefixes` numbers, are the words after one
    history; each column is a distribution of its own. `lower` gives the rows after shorter
    histories.
    """

    def __init__(
        self, cells: Cells, prefix: Indices, prefixes: int, lower: Rows, smoothing: Smoothing
    ) -> None:
        super().__init__(cells)
        self.prefix, self.lower, self.smoothing = prefix, lower, smoothing
        self.lent = Kept(lambda before: _log(self.terms(before).rest), prefixes, cells.width)
        self.total = cells.summed(prefix, prefixes)
        self.kinds = cells.kinds(prefix, prefixes)
        self.seen = self._seen(prefixes) if smoothing.asks_for_unseen else None

    def _seen(self, prefixes: int) -> Cells:
        """Add up what shorter histories give to words that were seen."""
        given = np.empty(len(self.cells.times))
        for rows, here in self.cells.parts():
            at = self.cells.row[here] - rows[0]
            given[here] = self.lower(rows)[at, self.cells.column[here]]
        return self.cells.summed(self.prefix, prefixes, given)

    def terms(self, before: Indices) -> Terms:
        """Give the terms of the distributions after some histories."""
        total = self.total.full(before)
        unseen = total if self.seen is None else 1.0 - self.seen.full(before)
        return self.smoothing.terms(total, self.kinds.full(before), unseen)

    def worked_out(self, grams: Indices) -> Floats:
        """Work out the rows of some sequences."""
        terms = self.terms(self.prefix[grams])
        return self.smoothing.cells(self.cells.full(grams), self.lower(grams), terms)


class Classes(Level):
    """Of the latest class, given words and earlier classes: runs of `classes` cells of a row."""

    def __init__(self, cells: Cells, classes: int, lower: Rows, smoothing: Smoothing) -> None:
        super().__init__(cells)
        self.classes, self.lower, self.smoothing = classes, lower, smoothing

    def worked_out(self, grams: Indices) -> Floats:
        """Work out the rows of some sequences."""
        counts, lower = self.cells.full(grams), self.lower(grams)
        total, kinds = self._sums(counts), self._sums((counts > 0).astype(np.float64))
        unseen = total
        if self.smoothing.asks_for_unseen:
            unseen = 1.0 - self._sums(np.where(counts > 0, lower, 0.0))
        terms = self.smoothing.terms(total, kinds, unseen)
        runs = (len(grams), counts.shape[1] // self.classes, self.classes)
        cells = self.smoothing.cells(
            counts.reshape(runs), lower.reshape(runs), Terms(*(term[:, :, None] for term in terms))
        )
        return cells.reshape(counts.shape)

    def _sums(self, cells: Floats) -> Floats:
        """Add up each run."""
        total = cells[:, :: self.classes].copy()
        for latest in range(1, self.classes):
            total += cells[:, latest :: self.classes]
        return total


def _log(table: Floats) -> Floats:
    """Give the logarithms of probabilities, of which none is quite 0."""
    return np.log(np.maximum(table, TINY))


def with_latest(cells: Floats, classes: int) -> Floats:
    """Say the same whatever a new last digit is."""
    runs = np.broadcast_to(cells[:, :, None], (*cells.shape, classes))
    return runs.reshape(len(cells), cells.shape[1] * classes)


def with_oldest(cells: Floats, classes: int) -> Floats:
    """Say the same whatever a new first digit is."""
    return np.concatenate([cells] * classes, axis=1)
