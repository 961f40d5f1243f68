"""Count n-grams of words and classes, look them up, and store the counts as small arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices
from caesura.core.errors import ModelError
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


class Text(NamedTuple):
    """Recordings one after another: the numbers of their words, and where each begins.

    Each begins with a `START`, which is no word of it and has class 1: what is before a
    recording is another sentence.
    """

    words: Indices
    first: Indices

    @property
    def spoken(self) -> Indices:
        """The places of the words."""
        return np.delete(np.arange(len(self.words)), self.first)


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each known sequence of words was seen, with which classes.

    `times[m - 1]` has a row for each sequence of m words and a column for each sequence of
    classes: those of the words and, but for the longest sequences, that of the word before.
    The latest class is the last digit of the column's number.
    """

    grams: Grams
    classes: int
    times: tuple[Cells, ...]

    @property
    def order(self) -> int:
        """The length of the longest sequences."""
        return self.grams.order

    @classmethod
    def of(cls, text: Text, labels: Indices, size: int, classes: int, least: list[int]) -> Counts:
        """Count in recordings whose words have these classes."""
        grams, found = gathered(text.words, text.first, size, least)
        spoken = text.spoken
        times = []
        for length, numbers in enumerate(found, 1):
            digits = min(length + 1, grams.order)
            here, columns = numbers[spoken], histories(labels, text.first, classes, digits)[spoken]
            known = here >= 0
            width = classes**digits
            times.append(Cells.of(here[known], columns[known], grams.count(length), width))
        return cls(grams, classes, tuple(times))

    @cached_property
    def _fulls(self) -> list[Cells]:
        widths = [self.classes**length for length in range(1, self.order)]
        shorter = zip(self.times, widths, strict=False)
        made = [cells.moved(cells.column % width, width) for cells, width in shorter]
        return [*made, self.times[-1]]

    def full(self, length: int) -> Cells:
        """Counts of sequences of words, each with its class."""
        return self._fulls[length - 1]

    def short(self, length: int) -> Cells:
        """Counts of sequences one word shorter, after the class of the word left out."""
        return self.times[length - 2]


def histories(labels: Indices, first: Indices, classes: int, digits: int) -> Indices:
    """Number the sequence of so many classes that ends at each word, the latest as last digit."""
    found, column = labels.copy(), labels
    for place in range(1, digits):
        column = shifted(column, first)
        found = found + column * classes**place
    return found


Arrays = Mapping[str, NDArray[Any]]

LARGE = 255
"""Stands in a column of bytes for a number that is not below it."""


def pack_counts(counts: Counts) -> dict[str, NDArray[Any]]:
    """Give the arrays that counts are made of.

    Of sequences of k words: the last word of each, how many begin with each shorter sequence,
    and for the cells that are not 0 their column, their number, and how many a sequence has.
    Most of these are small: what does not fit into a byte is kept apart, under `.more`.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for length, times in enumerate(counts.times, 1):
        if length > 1:
            shorter = counts.grams.count(length - 1)
            arrays[f"words.{length}"] = _small(counts.grams.last(length))
            begun = np.bincount(counts.grams.prefix(length), minlength=shorter)
            arrays |= _bytes(f"children.{length}", begun)
        arrays |= _bytes(f"cells.{length}", np.diff(times.begin))
        arrays |= _bytes(f"times.{length}", times.times)
        arrays[f"columns.{length}"] = _small(times.column)
    return arrays


def _small(numbers: NDArray[Any]) -> NDArray[Any]:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _bytes(name: str, numbers: NDArray[Any]) -> dict[str, NDArray[Any]]:
    large = numbers[numbers >= LARGE]
    return {name: np.minimum(numbers, LARGE).astype(np.uint8), f"{name}.more": _small(large)}


def unpack_counts(arrays: Arrays, size: int, classes: int, order: int) -> Counts:
    """Make counts of arrays, or raise an error if they do not fit together."""
    if set(arrays) != set(_names(order)):
        raise damaged(f"it has the arrays {', '.join(sorted(arrays)) or 'none'}")
    keys: list[Indices] = []
    for length in range(2, order + 1):
        shorter = Grams(size, tuple(keys)).count(length - 1)
        keys.append(_keys(arrays, length, shorter, size))
    grams = Grams(size, tuple(keys))
    if any((suffix < 0).any() for suffix in grams.suffixes):
        raise damaged("a sequence of words is known of which a part is not")
    times = [
        _times(arrays, length, grams.count(length), classes ** min(length + 1, order))
        for length in range(1, order + 1)
    ]
    counts = Counts(grams, classes, tuple(times))
    _check_sums(counts)
    return counts


def _check_sums(counts: Counts) -> None:
    """No sequence of words is seen more often than the same without its first word."""
    if counts.times[0].begin[START + 1]:
        raise damaged("what is before a recording is counted as a word")
    for length in range(2, counts.order + 1):
        whole, shorter = counts.full(length), counts.short(length)
        longer = whole.summed(counts.grams.suffixes[length - 1], shorter.rows)
        both = Cells.of(
            np.append(longer.row, shorter.row),
            np.append(longer.column, shorter.column),
            shorter.rows,
            shorter.width,
            np.append(-longer.times, shorter.times),
        )
        if (both.times < 0).any():
            raise damaged(f"times.{length} are more than times.{length - 1}")


def _names(order: int) -> Iterator[str]:
    for length in range(1, order + 1):
        yield f"columns.{length}"
        if length > 1:
            yield f"words.{length}"
        for kind in ("cells", "times", "children")[: 2 + (length > 1)]:
            yield from (f"{kind}.{length}", f"{kind}.{length}.more")


def _keys(arrays: Arrays, length: int, shorter: int, size: int) -> Indices:
    words = whole(arrays, f"words.{length}", size - 1)
    children = _large(arrays, f"children.{length}", len(words))
    if len(children) != shorter or children.sum() != len(words):
        raise damaged(f"words.{length} and children.{length} do not belong together")
    keys = np.repeat(np.arange(shorter), children) * size + words
    if (np.diff(keys) <= 0).any():
        raise damaged(f"words.{length} are not in order")
    return keys


def _times(arrays: Arrays, length: int, rows: int, width: int) -> Cells:
    cells = _large(arrays, f"cells.{length}", width)
    columns = whole(arrays, f"columns.{length}", width - 1)
    times = _large(arrays, f"times.{length}", 1 << 52)
    if len(cells) != rows or cells.sum() != len(columns) or len(times) != len(columns):
        raise damaged(f"cells.{length}, columns.{length} and times.{length} do not belong together")
    place = np.repeat(np.arange(rows), cells) * width + columns
    if (np.diff(place) <= 0).any() or (times < 1).any():
        raise damaged(f"columns.{length} or times.{length} are no counts")
    return Cells(np.append(0, np.cumsum(cells)), columns, times.astype(np.float64), width)


def _large(arrays: Arrays, name: str, most: int) -> Indices:
    """Give a column of bytes, with the numbers that did not fit into it."""
    column, more = whole(arrays, name, LARGE), whole(arrays, f"{name}.more", most)
    large = column == LARGE
    if int(large.sum()) != len(more) or (more < LARGE).any():
        raise damaged(f"{name} and {name}.more do not belong together")
    column[large] = more
    return column


def whole(arrays: Arrays, name: str, most: int) -> Indices:
    """Give a column of whole numbers from 0 to `most`."""
    column = arrays[name]
    if column.ndim != 1 or column.dtype.kind not in "ui":
        raise damaged(f"{name} is no column of whole numbers")
    if len(column) and not 0 <= int(column.min()) <= int(column.max()) <= most:
        raise damaged(f"{name} has numbers outside 0 to {most}")
    return column.astype(np.int64)


def damaged(what: str) -> ModelError:
    """Say what is wrong with a language model."""
    return ModelError(f"the language model is damaged: {what}", remedy="train it again")
