"""Count n-grams of words and classes, look them up, and store the counts as small arrays.

`Vocabulary` numbers the words that a model knows, `NgramIndex` the n-grams of words that were seen;
`Counts` says how often each was seen with which classes; `pack_counts` and `unpack_counts` turn
counts into arrays for a model file and back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices
from caesura.core.errors import ModelError
from caesura.ml.features import Table, hash_spelling, normalized_spelling

AT_ONCE = 1 << 22
"""Cells of a dense table that are made at a time."""


UNKNOWN = 1
"""The number of all unknown words; 0 is reserved for what is no word."""

FIRST_KNOWN = 2
NO_WORD = -1
MAX_REMEMBERED = 1 << 18
"""How many words are cached."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Hashes of the known spellings, in ascending order."""

    hashes: NDArray[np.uint64]
    _seen: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]], cutoff: int) -> Vocabulary:
        """Make a vocabulary of the words that occur at least `cutoff` times."""
        words: Counter[str] = Counter()
        for text in texts:
            words.update(text)
        times: Counter[str] = Counter()
        for word, count in words.items():
            times[normalized_spelling(word)] += count
        known = [hash_spelling(word) for word, count in times.items() if word and count >= cutoff]
        return cls(np.unique(np.array(known, np.uint64)))

    @property
    def size(self) -> int:
        """The number of word numbers, with those for unknown words and for none."""
        return len(self.hashes) + FIRST_KNOWN

    def numbers(self, words: Sequence[str]) -> Indices:
        """Return the numbers of words; what is no word has `NO_WORD`."""
        new = set(words).difference(self._seen)
        if new:
            if len(self._seen) + len(new) > MAX_REMEMBERED:
                self._seen.clear()
                new = set(words)
            self._look_up(list(new))
        return np.fromiter(map(self._seen.__getitem__, words), np.int64, len(words))

    def coverage(self, words: Sequence[str]) -> float:
        """Return the share of the words that are known; 1 if there are no words."""
        numbers = self.numbers(words)
        count = int((numbers != NO_WORD).sum())
        return 1.0 - float((numbers == UNKNOWN).sum()) / count if count else 1.0

    def _look_up(self, words: list[str]) -> None:
        spellings = list(map(normalized_spelling, words))
        wanted = np.fromiter(map(hash_spelling, spellings), np.uint64, len(words))
        place = np.searchsorted(self.hashes, wanted)
        known = np.append(self.hashes, np.uint64(0))[place] == wanted
        numbers = np.where(known, place + FIRST_KNOWN, UNKNOWN).tolist()
        for word, spelt, number in zip(words, spellings, numbers, strict=True):
            self._seen[word] = number if spelt else NO_WORD


@dataclass(frozen=True, eq=False)
class SparseTable:
    """The cells of a table that are not 0, row by row: row k has `begin[k]` to `begin[k + 1]`."""

    begin: Indices
    column: Indices
    values: Floats
    width: int

    @classmethod
    def of(
        cls, row: Indices, column: Indices, rows: int, width: int, values: Floats | None = None
    ) -> SparseTable:
        """Count how often each cell is named, or sum the values that are given for it."""
        places = row * width + column
        if values is None:
            known, total = np.unique(places, return_counts=True)
        else:
            known, at = np.unique(places, return_inverse=True)
            total = np.bincount(at, values, len(known))
        begin = np.append(0, np.cumsum(np.bincount(known // width, minlength=rows)))
        return cls(begin, known % width, total.astype(np.float64), width)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.begin) - 1

    @cached_property
    def row(self) -> Indices:
        """The row of each cell."""
        return np.repeat(np.arange(self.rows), np.diff(self.begin))

    def with_columns(self, column: Indices, width: int) -> SparseTable:
        """Move each cell to another column of its row; cells that fall together add up."""
        return SparseTable.of(self.row, column, self.rows, width, self.values)

    def sum_rows(self, group: Indices, groups: int, values: Floats | None = None) -> SparseTable:
        """Sum the rows of each group, or other `values` in place of the cells."""
        added = self.values if values is None else values
        return SparseTable.of(group[self.row], self.column, groups, self.width, added)

    def count_cells(self, group: Indices, groups: int) -> SparseTable:
        """Count the cells in the rows of each group."""
        return SparseTable.of(group[self.row], self.column, groups, self.width)

    def dense(self, rows: Indices) -> Floats:
        """Return some rows of the dense table."""
        begin = self.begin[rows]
        count = self.begin[rows + 1] - begin
        at = np.repeat(np.arange(len(rows)), count)
        cell = np.arange(len(at)) + np.repeat(begin - (np.cumsum(count) - count), count)
        table = np.zeros(len(rows) * self.width)
        table[at * self.width + self.column[cell]] = self.values[cell]
        return table.reshape(len(rows), self.width)

    def parts(self) -> Iterator[tuple[Indices, slice]]:
        """Yield all rows in parts whose dense tables fit into memory, and the cells of each."""
        step = max(AT_ONCE // self.width, 1)
        for first in range(0, self.rows, step):
            stop = min(first + step, self.rows)
            yield np.arange(first, stop), slice(int(self.begin[first]), int(self.begin[stop]))


START = 0
"""The number of the word that is assumed, again and again, before each recording."""


@dataclass(frozen=True, eq=False)
class NgramIndex:
    """The known n-grams of 1 to `order` words; those of each length are numbered.

    An n-gram of one word has the word's own number, of `size` words. For longer ones `keys` has,
    in ascending order, the number of the n-gram without its last word times `size`, plus the last
    word. A known n-gram without its first or last word is known too.
    """

    size: int
    keys: tuple[Indices, ...] = ()

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.keys) + 1

    def count(self, length: int) -> int:
        """Return the number of n-grams of a length; the empty one counts as one."""
        return 1 if length == 0 else self.size if length == 1 else len(self.keys[length - 2])

    def prefix(self, length: int) -> Indices:
        """Return, for each n-gram of a length, the n-gram without its last word."""
        if length == 1:
            return np.zeros(self.size, np.int64)
        return self.keys[length - 2] // self.size

    def last(self, length: int) -> Indices:
        """Return, for each n-gram of a length, its last word."""
        return np.arange(self.size) if length == 1 else self.keys[length - 2] % self.size

    @cached_property
    def suffixes(self) -> list[Indices]:
        """For the n-grams of 1, 2, ... words, the n-grams without the first word."""
        found = [np.zeros(self.size, np.int64)]
        for length in range(2, self.order + 1):
            rest = found[-1][self.prefix(length)]
            found.append(self._extend(length - 1, rest, self.last(length)))
        return found

    @cached_property
    def _tables(self) -> list[Table]:
        return [Table(keys) for keys in self.keys]

    def _extend(self, length: int, rest: Indices, word: Indices) -> Indices:
        """Return the n-grams of a length that are `rest` with a word at the end, -1 if unknown."""
        if length == 1:
            return word
        keys = np.where(rest < 0, -1, rest * self.size + word)
        return self._tables[length - 2].find(keys)

    def find(self, words: Indices, first: Indices) -> list[Indices]:
        """Return the known n-gram of 1, 2, ... words that ends at each word, -1 for none.

        `first` has the places where recordings begin; each begins with the word `START`.
        """
        found = [words]
        for length in range(2, self.order + 1):
            found.append(self._extend(length, shifted(found[-1], first), words))
        return found


def shifted(column: Indices, first: Indices) -> Indices:
    """Move a column on by one place; the first cell of a recording is repeated."""
    moved = np.empty_like(column)
    moved[1:] = column[:-1]
    moved[first] = column[first]
    return moved


def collect_ngrams(
    words: Indices, first: Indices, size: int, least: Sequence[int]
) -> tuple[NgramIndex, list[Indices]]:
    """Collect the n-grams of recordings; return them and those that end at each word.

    N-grams of 2, 3, ... words are kept that occur at least as often as `least` says. Its numbers
    ascend, so that the parts of what is kept are kept too.
    """
    keys: list[Indices] = []
    found = [words]
    for times in least:
        rest = shifted(found[-1], first)
        inside = np.flatnonzero(rest >= 0)
        known, place, count = np.unique(
            rest[inside] * size + words[inside], return_inverse=True, return_counts=True
        )
        is_kept = count >= times
        is_kept[place[np.searchsorted(inside, first)]] = True
        number = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
        here = np.full(len(words), -1, np.int64)
        here[inside] = number[place]
        keys.append(known[is_kept])
        found.append(here)
    return NgramIndex(size, tuple(keys)), found


class NumberedText(NamedTuple):
    """Recordings one after another: the numbers of their words, and where each begins.

    Each begins with a `START`, which is no word of it and has class 1: what is before a
    recording counts as another sentence.
    """

    words: Indices
    first: Indices

    @property
    def word_places(self) -> Indices:
        """The places of the words, without the `START`s."""
        return np.delete(np.arange(len(self.words)), self.first)


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each known n-gram of words was seen, with which classes.

    `tables[m - 1]` has a row for each n-gram of m words and a column for each sequence of
    classes: those of the words and, except for the longest n-grams, that of the word before.
    The latest class is the last digit of the column's number.
    """

    index: NgramIndex
    classes: int
    tables: tuple[SparseTable, ...]

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return self.index.order

    @classmethod
    def of(
        cls, text: NumberedText, labels: Indices, size: int, classes: int, least: list[int]
    ) -> Counts:
        """Count in recordings whose words have these classes."""
        index, found = collect_ngrams(text.words, text.first, size, least)
        places = text.word_places
        tables = []
        for length, numbers in enumerate(found, 1):
            digits = min(length + 1, index.order)
            columns = class_histories(labels, text.first, classes, digits)[places]
            here = numbers[places]
            known = here >= 0
            width = classes**digits
            tables.append(SparseTable.of(here[known], columns[known], index.count(length), width))
        return cls(index, classes, tuple(tables))

    @cached_property
    def _full_tables(self) -> list[SparseTable]:
        widths = [self.classes**length for length in range(1, self.order)]
        shorter = zip(self.tables, widths, strict=False)
        made = [table.with_columns(table.column % width, width) for table, width in shorter]
        return [*made, self.tables[-1]]

    def full(self, length: int) -> SparseTable:
        """Return the counts of n-grams of words, each with its class."""
        return self._full_tables[length - 1]

    def short(self, length: int) -> SparseTable:
        """Return the counts of n-grams one word shorter, after the class of the word left out."""
        return self.tables[length - 2]


def class_histories(labels: Indices, first: Indices, classes: int, digits: int) -> Indices:
    """Number the sequence of `digits` classes that ends at each word, the latest as last digit."""
    found, column = labels.copy(), labels
    for place in range(1, digits):
        column = shifted(column, first)
        found = found + column * classes**place
    return found


# Storage

Arrays = Mapping[str, NDArray[Any]]

LARGE = 255
"""Stands in a column of bytes for any number that is not below it."""


def pack_counts(counts: Counts) -> dict[str, NDArray[Any]]:
    """Return counts as small arrays.

    For n-grams of k words these are: the last word of each, how many begin with each shorter
    n-gram, and for the cells that are not 0 their column, their value, and how many an n-gram
    has. Most of these are small: what does not fit into a byte is kept apart, under `.more`.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for length, table in enumerate(counts.tables, 1):
        if length > 1:
            shorter = counts.index.count(length - 1)
            arrays[f"words.{length}"] = _smallest_type(counts.index.last(length))
            children = np.bincount(counts.index.prefix(length), minlength=shorter)
            arrays |= _pack_bytes(f"children.{length}", children)
        arrays |= _pack_bytes(f"cells.{length}", np.diff(table.begin))
        arrays |= _pack_bytes(f"times.{length}", table.values)
        arrays[f"columns.{length}"] = _smallest_type(table.column)
    return arrays


def _smallest_type(numbers: NDArray[Any]) -> NDArray[Any]:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _pack_bytes(name: str, numbers: NDArray[Any]) -> dict[str, NDArray[Any]]:
    large = numbers[numbers >= LARGE]
    small = np.minimum(numbers, LARGE).astype(np.uint8)
    return {name: small, f"{name}.more": _smallest_type(large)}


def unpack_counts(arrays: Arrays, size: int, classes: int, order: int) -> Counts:
    """Make counts from the arrays of `pack_counts`, or raise an error if they do not fit."""
    if set(arrays) != set(_names(order)):
        raise damaged(f"it has the arrays {', '.join(sorted(arrays)) or 'none'}")
    keys: list[Indices] = []
    for length in range(2, order + 1):
        shorter = NgramIndex(size, tuple(keys)).count(length - 1)
        keys.append(_unpack_keys(arrays, length, shorter, size))
    index = NgramIndex(size, tuple(keys))
    if any((suffix < 0).any() for suffix in index.suffixes):
        raise damaged("a sequence of words is known of which a part is not")
    tables = [
        _unpack_table(arrays, length, index.count(length), classes ** min(length + 1, order))
        for length in range(1, order + 1)
    ]
    counts = Counts(index, classes, tuple(tables))
    _check_sums(counts)
    return counts


def _check_sums(counts: Counts) -> None:
    """Check that no n-gram is more frequent than the same n-gram without its first word."""
    if counts.tables[0].begin[START + 1]:
        raise damaged("what is before a recording is counted as a word")
    for length in range(2, counts.order + 1):
        whole, shorter = counts.full(length), counts.short(length)
        longer = whole.sum_rows(counts.index.suffixes[length - 1], shorter.rows)
        both = SparseTable.of(
            np.append(longer.row, shorter.row),
            np.append(longer.column, shorter.column),
            shorter.rows,
            shorter.width,
            np.append(-longer.values, shorter.values),
        )
        if (both.values < 0).any():
            raise damaged(f"times.{length} are more than times.{length - 1}")


def _names(order: int) -> Iterator[str]:
    for length in range(1, order + 1):
        yield f"columns.{length}"
        if length > 1:
            yield f"words.{length}"
        for kind in ("cells", "times", "children")[: 2 + (length > 1)]:
            yield from (f"{kind}.{length}", f"{kind}.{length}.more")


def _unpack_keys(arrays: Arrays, length: int, shorter: int, size: int) -> Indices:
    words = _check_numbers(arrays, f"words.{length}", size - 1)
    children = _unpack_bytes(arrays, f"children.{length}", len(words))
    if len(children) != shorter or children.sum() != len(words):
        raise damaged(f"words.{length} and children.{length} do not belong together")
    keys = np.repeat(np.arange(shorter), children) * size + words
    if (np.diff(keys) <= 0).any():
        raise damaged(f"words.{length} are not in order")
    return keys


def _unpack_table(arrays: Arrays, length: int, rows: int, width: int) -> SparseTable:
    cells = _unpack_bytes(arrays, f"cells.{length}", width)
    columns = _check_numbers(arrays, f"columns.{length}", width - 1)
    times = _unpack_bytes(arrays, f"times.{length}", 1 << 52)
    if len(cells) != rows or cells.sum() != len(columns) or len(times) != len(columns):
        raise damaged(f"cells.{length}, columns.{length} and times.{length} do not belong together")
    place = np.repeat(np.arange(rows), cells) * width + columns
    if (np.diff(place) <= 0).any() or (times < 1).any():
        raise damaged(f"columns.{length} or times.{length} are no counts")
    return SparseTable(np.append(0, np.cumsum(cells)), columns, times.astype(np.float64), width)


def _unpack_bytes(arrays: Arrays, name: str, most: int) -> Indices:
    """Return a column of bytes, with the numbers that did not fit into a byte."""
    column = _check_numbers(arrays, name, LARGE)
    more = _check_numbers(arrays, f"{name}.more", most)
    large = column == LARGE
    if int(large.sum()) != len(more) or (more < LARGE).any():
        raise damaged(f"{name} and {name}.more do not belong together")
    column[large] = more
    return column


def _check_numbers(arrays: Arrays, name: str, most: int) -> Indices:
    """Return a column of whole numbers from 0 to `most`, or raise an error."""
    column = arrays[name]
    if column.ndim != 1 or column.dtype.kind not in "ui":
        raise damaged(f"{name} is not a column of whole numbers")
    if len(column) and not 0 <= int(column.min()) <= int(column.max()) <= most:
        raise damaged(f"{name} has numbers outside 0 to {most}")
    return column.astype(np.int64)


def damaged(what: str) -> ModelError:
    """Return the error for a stored language model that is damaged."""
    return ModelError(f"the language model is damaged: {what}", remedy="train it again")


def checked_hashes(array: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the hashes of a stored vocabulary, or raise an error if they are none."""
    if array.dtype != np.uint64 or array.ndim != 1 or (array[1:] <= array[:-1]).any():
        raise damaged("the vocabulary is not hashes in ascending order")
    return np.array(array)
