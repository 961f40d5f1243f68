"""Class n-gram models: the joint probability of words and the classes of the gaps after them.

A class e belongs to the word w before the gap. Two ways to take the joint probability apart:

    class first   p(e | h) p(w | e, h)      equation 4 of Gotoh and Renals
    word first    p(w | h) p(e | w, h)

where the history h is the last n - 1 words with their classes. Histories are shortened by
leaving out the oldest word, then its class, then the next word, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.columns import Floats, Indices
from caesura.errors import ModelError
from caesura.numeric.grams import Grams, gathered, shifted
from caesura.numeric.smoothing import (
    Following,
    Group,
    Smoothed,
    Within,
    backoff,
    discount,
    interpolation,
)

FACTORS = ("class", "word")
SMOOTHING = ("interpolation", "backoff")

MOST_CELLS = 1 << 27
"""Cells that a table may have."""

TINY = 1e-300
"""What stands for a probability of 0 where its logarithm is taken."""


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


@dataclass(frozen=True)
class Smoothing:
    """How counts become probabilities.

    `strength` is how much shorter histories count in interpolation, for words and for classes.
    """

    kind: str = "interpolation"
    strength: tuple[float, float] = (1.0, 1.0)

    def __call__(self, counts: Floats, lower: Floats, group: Group) -> Smoothed:
        """Smooth a table with one of shorter histories."""
        if self.kind == "backoff":
            return backoff(counts, lower, group, discount(counts))
        return interpolation(counts, lower, group, self.strength[isinstance(group, Within)])


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each known sequence of words was seen, with which classes.

    `times[m - 1]` has a row for each sequence of m words and a column for each sequence of
    classes: those of the words and, but for the longest sequences, that of the word before.
    The latest class is the last digit of the column's number.
    """

    grams: Grams
    classes: int
    times: tuple[Floats, ...]

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
            shape = (grams.count(length), classes**digits)
            check_size(*shape)
            cells = np.bincount(
                here[known] * shape[1] + columns[known], minlength=shape[0] * shape[1]
            )
            times.append(cells.reshape(shape).astype(np.float64))
        return cls(grams, classes, tuple(times))

    def full(self, length: int) -> Floats:
        """Counts of sequences of words, each with its class."""
        cells = self.times[length - 1]
        return cells if length == self.order else _without_oldest(cells, self.classes)

    def short(self, length: int) -> Floats:
        """Counts of sequences one word shorter, after the class of the word left out."""
        return self.times[length - 2]


def check_size(rows: int, columns: int) -> None:
    """Refuse a table that memory cannot be expected to hold."""
    if rows * columns > MOST_CELLS:
        raise ModelError(
            f"the language model would have {rows:,} sequences of words with {columns:,} sequences "
            f"of classes, and {MOST_CELLS:,} cells are the most",
            remedy="lower the order, leave out classes, or prune more",
        )


def histories(labels: Indices, first: Indices, classes: int, digits: int) -> Indices:
    """Number the sequence of so many classes that ends at each word, the latest as last digit."""
    found, column = labels.copy(), labels
    for place in range(1, digits):
        column = shifted(column, first)
        found = found + column * classes**place
    return found


def _without_oldest(cells: Floats, classes: int) -> Floats:
    """Add up over the first digit."""
    parts = cells.reshape(len(cells), classes, cells.shape[1] // classes)
    summed: Floats = sum(parts[:, at] for at in range(classes))  # type: ignore[assignment]
    return summed


def _with_oldest(cells: Floats, classes: int) -> Floats:
    """Say the same whatever the new first digit is."""
    return np.concatenate([cells] * classes, axis=1)


def _log(table: Floats) -> Floats:
    return np.log(np.maximum(table, TINY))


class ClassNgram:
    """A class n-gram model that is ready to be asked."""

    def __init__(self, counts: Counts, factors: str, smoothing: Smoothing) -> None:
        self.counts = counts
        self.grams = counts.grams
        self.classes = counts.classes
        self.order = counts.order
        self.word_first = factors == "word"
        self.smoothing = smoothing
        self._learn_words()
        self._class_tables = [_log(table) for table in self._learn_classes()]

    # Words: p(w | e, h) or p(w | h). A table has a row for each sequence of words that ends in w
    # and a column for each sequence of classes that is given.

    def _given(self, cells: Floats) -> Floats:
        """Leave out the class of the word itself where it is not given."""
        return Within(self.classes).sum(cells) if self.word_first else cells

    def _learn_words(self) -> None:
        grams, classes = self.grams, self.classes
        uniform = np.full((grams.size, 1), 1.0 / (grams.size - 1))
        uniform[0] = 0.0
        first = self._given(self.counts.full(1))
        table = self._words(first, np.broadcast_to(uniform, first.shape), 1).cells
        self._short: list[Floats] = []
        self._rest_short: list[Floats] = []
        self._rest_full: list[Floats] = []
        for length in range(2, self.order + 1):
            lower = _with_oldest(table, classes)
            short = self._words(self._given(self.counts.short(length)), lower, length - 1)
            lower = short.cells[grams.suffixes[length - 1]]
            full = self._words(self._given(self.counts.full(length)), lower, length)
            self._short.append(_log(short.cells))
            self._rest_short.append(_log(_padded(short.rest)))
            self._rest_full.append(_log(_padded(full.rest)))
            table = full.cells
        self._full = _log(table)

    def _words(self, counts: Floats, lower: Floats, length: int) -> Smoothed:
        group = Following(self.grams.prefix(length), self.grams.count(length - 1))
        return self.smoothing(counts, lower, group)

    def _score_words(self, found: list[Indices], before: list[Indices]) -> Floats:
        """Log-probability of each word after each sequence of classes that is given."""
        scores = self._short[0][found[0]]
        for length in range(2, self.order + 1):
            if length > 2:
                scores = _with_oldest(scores, self.classes)
                scores += self._rest_short[length - 2][before[length - 3]]
                _overwrite(scores, self._short[length - 2], found[length - 2])
            scores += self._rest_full[length - 2][before[length - 2]]
        _overwrite(scores, self._full, found[-1])
        return scores

    # Classes: p(e | w, h) or p(e | h). A table has a row for each sequence of words that is given
    # and a column for each sequence of classes that ends in e.

    def _followed(self, cells: Floats, length: int) -> Floats:
        """Turn counts of sequences of words into counts of what is given."""
        if self.word_first:
            return cells
        return Following(self.grams.prefix(length), self.grams.count(length - 1)).sum(cells)

    def _learn_classes(self) -> Iterator[Floats]:
        """Give the tables for 1, 2, ... given words."""
        group, shift = Within(self.classes), not self.word_first
        counts = self.counts.full(1).sum(axis=0, keepdims=True)
        table = self.smoothing(counts, np.full_like(counts, 1.0 / self.classes), group).cells
        for length in range(1, self.order + 1):
            if length > 1:
                lower = _with_oldest(table, self.classes)
                counts = self._followed(self.counts.short(length), length - 1)
                table = self.smoothing(counts, lower, group).cells
                if length > 1 + shift:
                    yield table
            given = length - shift
            if given:
                counts = self._followed(self.counts.full(length), length)
                table = self.smoothing(counts, table[self.grams.suffixes[given - 1]], group).cells
        yield table

    def _score_classes(self, found: list[Indices]) -> Floats:
        """Log-probability of each class after each sequence of classes."""
        scores = self._class_tables[0][found[0]]
        for table, numbers in zip(self._class_tables[1:], found[1:], strict=False):
            if table.shape[1] > scores.shape[1]:
                scores = _with_oldest(scores, self.classes)
            _overwrite(scores, table, numbers)
        return scores

    def score(self, text: Text) -> Floats:
        """Joint log-probability of each word of recordings and its class, after its history.

        A row for each word, a column for each sequence of `order` classes that ends with its own.
        """
        found, spoken = self.grams.find(text.words, text.first), text.spoken
        before = [shifted(numbers, text.first)[spoken] for numbers in found]
        found = [numbers[spoken] for numbers in found]
        words = self._score_words(found, before)
        scores = self._score_classes(found if self.word_first else before)
        if self.word_first:
            scores.reshape(*words.shape, self.classes)[...] += words[:, :, None]
        else:
            scores += words
        return scores


def _padded(table: Floats) -> Floats:
    """Add a row for what is not known, which numbers of -1 point to: it lends all it has."""
    return np.concatenate([table, np.ones((1, table.shape[1]))])


def _overwrite(scores: Floats, table: Floats, numbers: Indices) -> None:
    """Put rows of a table where the sequence of words is known."""
    known = np.flatnonzero(numbers >= 0)
    scores[known] = table[numbers[known]]
