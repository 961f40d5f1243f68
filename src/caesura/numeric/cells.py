"""Tables of counts that are nearly empty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from caesura.columns import Floats, Indices

AT_ONCE = 1 << 22
"""Cells of a full table that are made at a time."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a table that are not 0, row by row: row k has `begin[k]` to `begin[k + 1]`."""

    begin: Indices
    column: Indices
    times: Floats
    width: int

    @classmethod
    def of(
        cls, row: Indices, column: Indices, rows: int, width: int, times: Floats | None = None
    ) -> Cells:
        """Count places, or add up what is counted there, in a table of so many rows."""
        places = row * width + column
        if times is None:
            known, total = np.unique(places, return_counts=True)
        else:
            known, at = np.unique(places, return_inverse=True)
            total = np.bincount(at, times, len(known))
        begin = np.append(0, np.cumsum(np.bincount(known // width, minlength=rows)))
        return cls(begin, known % width, total.astype(np.float64), width)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.begin) - 1

    @cached_property
    def row(self) -> Indices:
        """The row of each cell."""
        return np.repeat(np.arange(self.rows), np.diff(self.begin))

    def moved(self, column: Indices, width: int) -> Cells:
        """Move each cell of a row to another column; cells that fall together add up."""
        return Cells.of(self.row, column, self.rows, width, self.times)

    def summed(self, group: Indices, groups: int, times: Floats | None = None) -> Cells:
        """Add up the rows that `group` gives the same number, or other numbers in their place."""
        added = self.times if times is None else times
        return Cells.of(group[self.row], self.column, groups, self.width, added)

    def kinds(self, group: Indices, groups: int) -> Cells:
        """Count the cells of the rows that `group` gives the same number."""
        return Cells.of(group[self.row], self.column, groups, self.width)

    def full(self, rows: Indices) -> Floats:
        """Give some rows of the full table."""
        begin = self.begin[rows]
        count = self.begin[rows + 1] - begin
        at = np.repeat(np.arange(len(rows)), count)
        cell = np.arange(len(at)) + np.repeat(begin - (np.cumsum(count) - count), count)
        table = np.zeros(len(rows) * self.width)
        table[at * self.width + self.column[cell]] = self.times[cell]
        return table.reshape(len(rows), self.width)

    def parts(self) -> Iterator[tuple[Indices, slice]]:
        """Give all rows in parts whose full tables memory can hold, and the cells of each."""
        step = max(AT_ONCE // self.width, 1)
        for first in range(0, self.rows, step):
            stop = min(first + step, self.rows)
            yield np.arange(first, stop), slice(int(self.begin[first]), int(self.begin[stop]))
