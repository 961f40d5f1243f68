"""Sequences of words that were seen, numbered: what n-gram models look things up by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from caesura.core.arrays import Floats, Indices
from caesura.ml.lookup import Table

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


START = 0
"""The number of the word that is thought to stand, again and again, before each recording."""


@dataclass(frozen=True, eq=False)
class Grams:
    """The sequences of 1 to `order` words that are known, those of each length numbered.

    A sequence of one word has the word's own number, of `size` words. For longer ones `keys`
    has, in ascending order, the number of the sequence without its last word times `size`, plus
    the last word. What is left of a known sequence without its first or last word is known too.
    """

    size: int
    keys: tuple[Indices, ...] = ()

    @property
    def order(self) -> int:
        """The length of the longest sequences."""
        return len(self.keys) + 1

    def count(self, length: int) -> int:
        """How many sequences of so many words there are; the empty one is one."""
        return 1 if length == 0 else self.size if length == 1 else len(self.keys[length - 2])

    def prefix(self, length: int) -> Indices:
        """For each sequence of so many words, the one without the last word."""
        if length == 1:
            return np.zeros(self.size, np.int64)
        return self.keys[length - 2] // self.size

    def last(self, length: int) -> Indices:
        """For each sequence of so many words, its last word."""
        return np.arange(self.size) if length == 1 else self.keys[length - 2] % self.size

    @cached_property
    def suffixes(self) -> list[Indices]:
        """For sequences of 1, 2, ... words, those without the first word."""
        found = [np.zeros(self.size, np.int64)]
        for length in range(2, self.order + 1):
            rest = found[-1][self.prefix(length)]
            found.append(self._longer(length - 1, rest, self.last(length)))
        return found

    @cached_property
    def _tables(self) -> list[Table]:
        return [Table(keys) for keys in self.keys]

    def _longer(self, length: int, rest: Indices, word: Indices) -> Indices:
        """Number the sequences of so many words that are others with a word at their end."""
        if length == 1:
            return word
        keys = np.where(rest < 0, -1, rest * self.size + word)
        return self._tables[length - 2].find(keys)

    def find(self, words: Indices, first: Indices) -> list[Indices]:
        """Number the known sequence of 1, 2, ... words that ends at each word, -1 for none.

        `first` has the places where recordings begin; each begins with the word `START`.
        """
        found = [words]
        for length in range(2, self.order + 1):
            found.append(self._longer(length, shifted(found[-1], first), words))
        return found


def shifted(column: Indices, first: Indices) -> Indices:
    """Move a column on by one place; what begins a recording stands before itself."""
    moved = np.empty_like(column)
    moved[1:] = column[:-1]
    moved[first] = column[first]
    return moved


def gathered(
    words: Indices, first: Indices, size: int, least: Sequence[int]
) -> tuple[Grams, list[Indices]]:
    """Collect the sequences in recordings, and number those that end at each word.

    Of 2, 3, ... words those are kept that occur at least as often as `least` says; its numbers
    ascend, so that the parts of what is kept are kept.
    """
    keys: list[Indices] = []
    found = [words]
    for times in least:
        rest = shifted(found[-1], first)
        inside = np.flatnonzero(rest >= 0)
        known, place, count = np.unique(
            rest[inside] * size + words[inside], return_inverse=True, return_counts=True
        )
        kept = count >= times
        kept[place[np.searchsorted(inside, first)]] = True
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        here = np.full(len(words), -1, np.int64)
        here[inside] = number[place]
        keys.append(known[kept])
        found.append(here)
    return Grams(size, tuple(keys)), found
