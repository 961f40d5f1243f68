"""Class n-gram models: the joint probability of words and the classes of the gaps after them.

A class e belongs to the word w before the gap. There are two ways to factor the joint probability:

    class first   p(e | h) p(w | e, h)      equation 4 of Gotoh and Renals
    word first    p(w | h) p(e | w, h)

where the history h is the last n - 1 words with their classes. Histories are shortened by
leaving out the oldest word, then its class, then the next word, and so on. Smoothing, by
interpolation or backoff, gives each history what a shorter one lends it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from caesura.core.arrays import Floats, Indices
from caesura.ml.ngram_counts import START, Counts, NumberedText, SparseTable, shifted

KINDS = ("interpolation", "backoff")

ENOUGH = 1e-9
"""Less unseen probability than this counts as none."""


class Terms(NamedTuple):
    """The factors that turn the counts of a distribution into probabilities.

    `scale` divides the counts, `off` is the discount, and `rest` is the weight of the shorter
    history.
    """

    scale: Floats
    off: Floats
    rest: Floats


class Smoothing(ABC):
    """A method to smooth the distributions after histories of one length."""

    needs_unseen: ClassVar[bool]
    """Whether `unseen` is needed; it takes longer to compute than the rest."""

    @abstractmethod
    def terms(self, total: Floats, kinds: Floats, unseen: Floats) -> Terms:
        """Return the terms of distributions."""

    @abstractmethod
    def cells(self, counts: Floats, lower: Floats, terms: Terms) -> Floats:
        """Return probabilities; `lower` has those after the shorter history."""


@dataclass(frozen=True)
class Interpolation(Smoothing):
    """Interpolate with the shorter history, as Witten and Bell do it.

    A history seen c times with t different continuations gives the shorter one the weight
    `strength` * t / (c + `strength` * t).
    """

    strength: float

    needs_unseen = False

    def terms(self, total: Floats, kinds: Floats, unseen: Floats) -> Terms:  # noqa: ARG002
        """Return the weights; a history that was never seen gives all of its weight."""
        share = np.where(total > 0, self.strength * kinds, 1.0)
        whole = total + share
        return Terms(1.0 / whole, total, share / whole)

    def cells(self, counts: Floats, lower: Floats, terms: Terms) -> Floats:
        """Return the weighted sum of both."""
        return counts * terms.scale + terms.rest * lower


@dataclass(frozen=True)
class Backoff(Smoothing):
    """Subtract `discount` from each count and give it to unseen continuations.

    It is distributed by the shorter history. Where everything was seen nothing is subtracted.
    """

    discount: float

    needs_unseen = True

    def terms(self, total: Floats, kinds: Floats, unseen: Floats) -> Terms:
        """Return the discount, and the weight of what was not seen."""
        apart = unseen > ENOUGH
        off = np.where(apart, self.discount, 0.0)
        known = np.maximum(total, 1.0)
        rest = np.where(total > 0, off * kinds / (known * np.where(apart, unseen, 1.0)), 1.0)
        return Terms(1.0 / known, off, rest)

    def cells(self, counts: Floats, lower: Floats, terms: Terms) -> Floats:
        """Return the discounted share of what was seen, else that of the shorter history."""
        return np.where(counts > 0, (counts - terms.off) * terms.scale, terms.rest * lower)


def smoothing(kind: str, strength: float, counts: Floats) -> Smoothing:
    """Return the smoothing of a kind, for distributions with these counts."""
    return Backoff(discount(counts)) if kind == "backoff" else Interpolation(strength)


def discount(counts: Floats) -> float:
    """Return the discount n1 / (n1 + 2 n2), of the numbers of counts that are 1 and 2."""
    once, twice = float((counts == 1).sum()), float((counts == 2).sum())
    return once / (once + 2 * twice) if once and twice else 0.5


TINY = 1e-300
"""Replaces a probability of 0 before its logarithm is taken."""

MANY = 16
"""Rows are many if they are more than the rows of the table divided by this."""

MOST_CACHED = 1 << 26
"""The most cells of a table that is cached."""

Rows = Callable[[Indices], Floats]
"""Returns the rows of a table that have these numbers."""


class CachedRows:
    """Rows of a table that are computed when they are first needed, and cached.

    A table that may become too large is not cached.
    """

    def __init__(self, compute: Rows, rows: int, width: int) -> None:
        self._compute = compute
        cached = rows if rows * width <= MOST_CACHED else 0
        self._table = np.empty((cached, width))
        self._ready = np.zeros(cached, np.bool_)

    def __call__(self, rows: Indices) -> Floats:
        """Return some rows."""
        if not len(self._table):
            known, place = np.unique(rows, return_inverse=True)
            return self._compute(known)[place]
        new = rows[~self._ready[rows]]
        if len(new):
            new = self._distinct(new)
            self._table[new] = self._compute(new)
            self._ready[new] = True
        return self._table[rows]

    def _distinct(self, rows: Indices) -> Indices:
        """Return the distinct rows; marking many is faster than sorting them."""
        if len(rows) * MANY < len(self._table):
            return np.unique(rows)
        there = np.zeros(len(self._table), np.bool_)
        there[rows] = True
        return np.flatnonzero(there)


class ProbabilityTable(ABC):
    """A table of probabilities: a row for each n-gram, a column for each class sequence."""

    def __init__(self, cells: SparseTable) -> None:
        self.cells = cells
        self.rows = CachedRows(self.compute, cells.rows, cells.width)
        self.logs = CachedRows(lambda grams: _log(self.rows(grams)), cells.rows, cells.width)

    @abstractmethod
    def compute(self, grams: Indices) -> Floats:
        """Compute the rows of some n-grams."""


class WordProbabilities(ProbabilityTable):
    """Probabilities of the last word of each n-gram, given the words before it and classes.

    Rows with the same number in `prefix`, of `prefixes` numbers, are the words after one
    history; each column is a distribution of its own. `lower` returns the rows after shorter
    histories.
    """

    def __init__(
        self, cells: SparseTable, prefix: Indices, prefixes: int, lower: Rows, smoothing: Smoothing
    ) -> None:
        super().__init__(cells)
        self.prefix, self.lower, self.smoothing = prefix, lower, smoothing
        self.backoff_weights = CachedRows(
            lambda before: _log(self.terms(before).rest), prefixes, cells.width
        )
        self.total = cells.sum_rows(prefix, prefixes)
        self.kinds = cells.count_cells(prefix, prefixes)
        self.seen = self._seen(prefixes) if smoothing.needs_unseen else None

    def _seen(self, prefixes: int) -> SparseTable:
        """Sum the probabilities that shorter histories give to words that were seen."""
        given = np.empty(len(self.cells.values))
        for rows, here in self.cells.parts():
            at = self.cells.row[here] - rows[0]
            given[here] = self.lower(rows)[at, self.cells.column[here]]
        return self.cells.sum_rows(self.prefix, prefixes, given)

    def terms(self, before: Indices) -> Terms:
        """Return the smoothing terms of the distributions after some histories."""
        total = self.total.dense(before)
        unseen = total if self.seen is None else 1.0 - self.seen.dense(before)
        return self.smoothing.terms(total, self.kinds.dense(before), unseen)

    def compute(self, grams: Indices) -> Floats:
        """Compute the rows of some n-grams."""
        terms = self.terms(self.prefix[grams])
        return self.smoothing.cells(self.cells.dense(grams), self.lower(grams), terms)


class ClassProbabilities(ProbabilityTable):
    """Probabilities of the latest class, given words and earlier classes.

    Each run of `classes` cells of a row is a distribution.
    """

    def __init__(self, cells: SparseTable, classes: int, lower: Rows, smoothing: Smoothing) -> None:
        super().__init__(cells)
        self.classes, self.lower, self.smoothing = classes, lower, smoothing

    def compute(self, grams: Indices) -> Floats:
        """Compute the rows of some n-grams."""
        counts, lower = self.cells.dense(grams), self.lower(grams)
        total, kinds = self._sums(counts), self._sums((counts > 0).astype(np.float64))
        unseen = total
        if self.smoothing.needs_unseen:
            unseen = 1.0 - self._sums(np.where(counts > 0, lower, 0.0))
        terms = self.smoothing.terms(total, kinds, unseen)
        runs = (len(grams), counts.shape[1] // self.classes, self.classes)
        cells = self.smoothing.cells(
            counts.reshape(runs), lower.reshape(runs), Terms(*(term[:, :, None] for term in terms))
        )
        return cells.reshape(counts.shape)

    def _sums(self, cells: Floats) -> Floats:
        """Sum each run."""
        total = cells[:, :: self.classes].copy()
        for latest in range(1, self.classes):
            total += cells[:, latest :: self.classes]
        return total


def _log(table: Floats) -> Floats:
    """Return the logarithms of probabilities; 0 counts as a tiny number."""
    return np.log(np.maximum(table, TINY))


def with_latest(cells: Floats, classes: int) -> Floats:
    """Repeat each cell for every value of a new last digit."""
    runs = np.broadcast_to(cells[:, :, None], (*cells.shape, classes))
    return runs.reshape(len(cells), cells.shape[1] * classes)


def with_oldest(cells: Floats, classes: int) -> Floats:
    """Repeat all cells for every value of a new first digit."""
    return np.concatenate([cells] * classes, axis=1)


FACTORS = ("class", "word")


class ClassNgram:
    """A smoothed class n-gram model that scores words and classes.

    `kind` is the kind of smoothing, and `strength` how much shorter histories count in
    interpolation, for words and for classes.
    """

    def __init__(
        self,
        counts: Counts,
        factors: str = "class",
        kind: str = "interpolation",
        strength: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        self.counts, self.index, self.classes = counts, counts.index, counts.classes
        self.word_first = factors == "word"
        self.kind, self.strength = kind, strength
        self._short, self._full = self._word_levels()
        self._given = self._class_levels()

    # Words: p(w | e, h) or p(w | h). A table has a row for each n-gram of words that ends in w
    # and a column for each sequence of classes that is given.

    def _word_levels(self) -> tuple[list[WordProbabilities], list[WordProbabilities]]:
        """Make the tables for 2, 3, ... words, those without the oldest word and those with it."""
        level: ProbabilityTable = self._words(self.counts.full(1), 1, self._uniform)
        shorts, fulls = [], []
        for length in range(2, self.counts.order + 1):
            shorts.append(self._words(self.counts.short(length), length - 1, self._wider(level)))
            level = self._words(self.counts.full(length), length, self._longer(shorts[-1], length))
            fulls.append(level)
        return shorts, fulls

    def _words(self, cells: SparseTable, length: int, lower: Rows) -> WordProbabilities:
        if self.word_first:
            cells = cells.with_columns(cells.column // self.classes, cells.width // self.classes)
        prefix, prefixes = self.index.prefix(length), self.index.count(length - 1)
        smooth = smoothing(self.kind, self.strength[0], cells.values)
        return WordProbabilities(cells, prefix, prefixes, lower, smooth)

    def _uniform(self, grams: Indices) -> Floats:
        """Return equal probabilities of all words; `START` is no word."""
        each = np.where(grams == START, 0.0, 1.0 / (self.index.size - 1))
        return np.repeat(each[:, None], 1 if self.word_first else self.classes, axis=1)

    def _wider(self, level: ProbabilityTable) -> Rows:
        """Leave out the oldest class, whose word is left out already."""
        return lambda grams: with_oldest(level.rows(grams), self.classes)

    def _longer(self, level: ProbabilityTable, length: int) -> Rows:
        """Leave out the oldest word."""
        return lambda grams: level.rows(self.index.suffixes[length - 1][grams])

    def _score_words(self, found: list[Indices], before: list[Indices]) -> Floats:
        """Return the log-probability of each word after each given class sequence."""
        scores = self._short[0].logs(found[0])
        for at, (short, full) in enumerate(zip(self._short, self._full, strict=True)):
            if at:
                scores = with_oldest(scores, self.classes)
                _add_backoff(scores, short, before[at - 1])
                _overwrite(scores, short, found[at])
            _add_backoff(scores, full, before[at])
        _overwrite(scores, self._full[-1], found[-1])
        return scores

    # Classes: p(e | w, h) or p(e | h). A table has a row for each n-gram of words that is given
    # and a column for each sequence of classes that ends in e.

    def _class_levels(self) -> list[ClassProbabilities]:
        """Make the tables for 1, 2, ... given words."""
        shift = not self.word_first
        none = np.zeros(self.index.size, np.int64)
        level = self._of_classes(self.counts.full(1).sum_rows(none, 1), self._even)
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

    def _of_classes(self, cells: SparseTable, lower: Rows) -> ClassProbabilities:
        smooth = smoothing(self.kind, self.strength[1], cells.values)
        return ClassProbabilities(cells, self.classes, lower, smooth)

    def _even(self, grams: Indices) -> Floats:
        return np.full((len(grams), self.classes), 1.0 / self.classes)

    def _followed(self, cells: SparseTable, length: int) -> SparseTable:
        """Turn counts of n-grams into counts of their histories, if classes come first."""
        if self.word_first:
            return cells
        return cells.sum_rows(self.index.prefix(length), self.index.count(length - 1))

    def _score_classes(self, found: list[Indices]) -> Floats:
        """Return the log-probability of each class after each class sequence."""
        scores = self._given[0].logs(found[0])
        for level, numbers in zip(self._given[1:], found[1:], strict=False):
            if level.cells.width > scores.shape[1]:
                scores = with_oldest(scores, self.classes)
            _overwrite(scores, level, numbers)
        return scores

    def score(self, text: NumberedText) -> Floats:
        """Return the joint log-probability of each word and its class, after its history.

        There is a row for each word and a column for each sequence of `order` classes that ends
        with its own.
        """
        found = self.index.find(text.words, text.first)
        before = [shifted(numbers, text.first)[text.word_places] for numbers in found]
        found = [numbers[text.word_places] for numbers in found]
        words = self._score_words(found, before)
        if self.word_first:
            words = with_latest(words, self.classes)
        return words + self._score_classes(found if self.word_first else before)


def _overwrite(scores: Floats, level: ProbabilityTable, grams: Indices) -> None:
    """Overwrite the scores of n-grams that are known."""
    known = np.flatnonzero(grams >= 0)
    scores[known] = level.logs(grams[known])


def _add_backoff(scores: Floats, level: WordProbabilities, before: Indices) -> None:
    """Add the backoff weights of histories that are known."""
    known = np.flatnonzero(before >= 0)
    scores[known] += level.backoff_weights(before[known])
