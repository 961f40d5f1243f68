"""Class n-gram models: the joint probability of words and the classes of the gaps after them.

A class e belongs to the word w before the gap. Two ways to take the joint probability apart:

    class first   p(e | h) p(w | e, h)      equation 4 of Gotoh and Renals
    word first    p(w | h) p(e | w, h)

where the history h is the last n - 1 words with their classes. Histories are shortened by
leaving out the oldest word, then its class, then the next word, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from caesura.columns import Floats, Indices
from caesura.numeric.cells import Cells
from caesura.numeric.grams import START, Grams, gathered, shifted
from caesura.numeric.levels import Classes, Level, Rows, Words, with_latest, with_oldest
from caesura.numeric.smoothing import smoothing

FACTORS = ("class", "word")


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
