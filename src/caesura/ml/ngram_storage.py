"""Counts of sequences of words as small arrays, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.core.errors import ModelError
from caesura.ml.ngram import Counts
from caesura.ml.ngram_counts import START, Cells, Grams

Arrays = Mapping[str, NDArray[Any]]

LARGE = 255
"""Stands in a column of bytes for a number that is not below it."""


def packed(counts: Counts) -> dict[str, NDArray[Any]]:
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


def unpacked(arrays: Arrays, size: int, classes: int, order: int) -> Counts:
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
