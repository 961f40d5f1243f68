"""Sequences of words that were seen, numbered: what n-gram models look things up by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from caesura.columns import Indices
from caesura.numeric.tables import Table

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
