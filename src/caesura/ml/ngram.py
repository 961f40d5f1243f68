"""Class n-gram models: the joint probability of words and the classes of the gaps after them.

A class e belongs to the word w before the gap. Two ways to take the joint probability apart:

    class first   p(e | h) p(w | e, h)      equation 4 of Gotoh and Renals
    word first    p(w | h) p(e | w, h)

where the history h is the last n - 1 words with their classes. Histories are shortened by
leaving out the oldest word, then its class, then the next word, and so on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from caesura.core.arrays import Floats, Indices
from caesura.ml.ngram_counts import START, Cells, Counts, Text, shifted
from caesura.ml.smoothing import Smoothing, Terms, smoothing

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


FACTORS = ("class", "word")


class ClassNgram:
    """A class n-gram model that is ready to be asked.

    `kind` is how it is smoothed, and `strength` how much shorter histories count in
    interpolation, for words and for classes.
    """

    def __init__(
        self,
        counts: Counts,
        factors: str = "class",
        kind: str = "interpolation",
        strength: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        self.counts, self.grams, self.classes = counts, counts.grams, counts.classes
        self.word_first = factors == "word"
        self.kind, self.strength = kind, strength
        self._short, self._full = self._word_levels()
        self._given = self._class_levels()

    # Words: p(w | e, h) or p(w | h). A table has a row for each sequence of words that ends in w
    # and a column for each sequence of classes that is given.

    def _word_levels(self) -> tuple[list[Words], list[Words]]:
        """Make the tables for 2, 3, ... words, those without the oldest word and those with it."""
        level: Level = self._words(self.counts.full(1), 1, self._uniform)
        shorts, fulls = [], []
        for length in range(2, self.counts.order + 1):
            shorts.append(self._words(self.counts.short(length), length - 1, self._wider(level)))
            level = self._words(self.counts.full(length), length, self._longer(shorts[-1], length))
            fulls.append(level)
        return shorts, fulls

    def _words(self, cells: Cells, length: int, lower: Rows) -> Words:
        if self.word_first:
            cells = cells.moved(cells.column // self.classes, cells.width // self.classes)
        prefix, prefixes = self.grams.prefix(length), self.grams.count(length - 1)
        smooth = smoothing(self.kind, self.strength[0], cells.times)
        return Words(cells, prefix, prefixes, lower, smooth)

    def _uniform(self, grams: Indices) -> Floats:
        """All words are equally likely; what is before a recording is none."""
        each = np.where(grams == START, 0.0, 1.0 / (self.grams.size - 1))
        return np.repeat(each[:, None], 1 if self.word_first else self.classes, axis=1)

    def _wider(self, level: Level) -> Rows:
        """Leave out the oldest class, whose word is left out already."""
        return lambda grams: with_oldest(level.rows(grams), self.classes)

    def _longer(self, level: Level, length: int) -> Rows:
        """Leave out the oldest word."""
        return lambda grams: level.rows(self.grams.suffixes[length - 1][grams])

    def _score_words(self, found: list[Indices], before: list[Indices]) -> Floats:
        """Log-probability of each word after each sequence of classes that is given."""
        scores = self._short[0].logs(found[0])
        for at, (short, full) in enumerate(zip(self._short, self._full, strict=True)):
            if at:
                scores = with_oldest(scores, self.classes)
                _lend(scores, short, before[at - 1])
                _overwrite(scores, short, found[at])
            _lend(scores, full, before[at])
        _overwrite(scores, self._full[-1], found[-1])
        return scores

    # Classes: p(e | w, h) or p(e | h). A table has a row for each sequence of words that is given
    # and a column for each sequence of classes that ends in e.

    def _class_levels(self) -> list[Classes]:
        """Make the tables for 1, 2, ... given words."""
        shift = not self.word_first
        none = np.zeros(self.grams.size, np.int64)
        level = self._of_classes(self.counts.full(1).summed(none, 1), self._even)
        made = []
        for length in range(1, self.counts.order + 1):
            if length > 1:
                short = self._followed(self.counts.short(length), length - 1)
                level = self._of_classes(short, self._wider(level))
                if length > 1 + shift:
                    made.append(level)
            given = length - shift
            if given:
                full = self._followed(self.counts.full(length), length)
                level = self._of_classes(full, self._longer(level, given))
        return [*made, level]

    def _of_classes(self, cells: Cells, lower: Rows) -> Classes:
        smooth = smoothing(self.kind, self.strength[1], cells.times)
        return Classes(cells, self.classes, lower, smooth)

    def _even(self, grams: Indices) -> Floats:
        return np.full((len(grams), self.classes), 1.0 / self.classes)

    def _followed(self, cells: Cells, length: int) -> Cells:
        """Turn counts of sequences of words into counts of what is given."""
        if self.word_first:
            return cells
        return cells.summed(self.grams.prefix(length), self.grams.count(length - 1))

    def _score_classes(self, found: list[Indices]) -> Floats:
        """Log-probability of each class after each sequence of classes."""
        scores = self._given[0].logs(found[0])
        for level, numbers in zip(self._given[1:], found[1:], strict=False):
            if level.cells.width > scores.shape[1]:
                scores = with_oldest(scores, self.classes)
            _overwrite(scores, level, numbers)
        return scores

    def score(self, text: Text) -> Floats:
        """Joint log-probability of each word of recordings and its class, after its history.

        A row for each word, a column for each sequence of `order` classes that ends with its own.
        """
        found = self.grams.find(text.words, text.first)
        before = [shifted(numbers, text.first)[text.spoken] for numbers in found]
        found = [numbers[text.spoken] for numbers in found]
        words = self._score_words(found, before)
        if self.word_first:
            words = with_latest(words, self.classes)
        return words + self._score_classes(found if self.word_first else before)


def _overwrite(scores: Floats, level: Level, grams: Indices) -> None:
    """Put rows where the sequence of words is known."""
    known = np.flatnonzero(grams >= 0)
    scores[known] = level.logs(grams[known])


def _lend(scores: Floats, level: Words, before: Indices) -> None:
    """Add what histories that are known lend to shorter ones."""
    known = np.flatnonzero(before >= 0)
    scores[known] += level.lent(before[known])
