"""A slow class n-gram model: dictionaries of tuples, one word at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

Spoken = list[tuple[int, int]]
"""The words of a recording, each with its class."""

Words = tuple[int, ...]
Labels = tuple[int, ...]

START, BEFORE = 0, 1


class Settings(NamedTuple):
    """The settings of a model."""

    size: int
    classes: int
    order: int
    factors: str = "word"
    smoothing: str = "interpolation"
    strength: tuple[float, float] = (1.0, 1.0)
    least: tuple[int, ...] = ()


class Chain:
    """p(w | ...) and p(e | ...), each mixed with the next shorter history.

    A level (m, k) takes the last m words and k classes of an event, w and e included.
    """

    def __init__(self, recordings: list[Spoken], settings: Settings) -> None:
        self.settings = settings
        order = settings.order
        self.events = [
            (words[at : at + order], labels[at : at + order])
            for words, labels in map(self.padded, recordings)
            for at in range(len(words) - order + 1)
        ]
        self.word_chain = [(1, 1)]
        for length in range(2, order + 1):
            self.word_chain += [(length - 1, length), (length, length)]
        first = [(0, 1), (1, 1)] if settings.factors == "word" else [(0, 1)]
        self.class_chain = [*first, *self.word_chain[1:]]
        self.known = self._known()
        self.words = [self._counted(level, "word") for level in self.word_chain]
        self.labels = [self._counted(level, "class") for level in self.class_chain]

    def padded(self, spoken: Spoken) -> tuple[Words, Labels]:
        before = [(START, BEFORE)] * (self.settings.order - 1)
        words, labels = zip(*before, *spoken, strict=True)
        return words, labels

    def _known(self) -> set[Words]:
        known: set[Words] = set()
        for length in range(1, self.settings.order + 1):
            seen = Counter(words[-length:] for words, _ in self.events)
            least = self.settings.least[length - 2] if length > 1 else 1
            known |= {words for words, count in seen.items() if count >= least}
        return known

    def _parts(
        self, level: tuple[int, int], kind: str, words: Words, labels: Labels
    ) -> tuple[Hashable, int]:
        """Return the history at a level, and the outcome."""
        count, digits = level
        said, given = words[len(words) - count :], labels[len(labels) - digits :]
        word_first = self.settings.factors == "word"
        if kind == "word":
            return (said[:-1], given[:-1] if word_first else given), words[-1]
        return (said if word_first else said[:-1], given[:-1]), labels[-1]

    def _counted(self, level: tuple[int, int], kind: str) -> dict[Hashable, Counter[int]]:
        found: dict[Hashable, Counter[int]] = defaultdict(Counter)
        for words, labels in self.events:
            said = words[len(words) - level[0] :]
            if not said or said in self.known:
                given, outcome = self._parts(level, kind, words, labels)
                found[given][outcome] += 1
        return dict(found)

    @cache  # noqa: B019 - a chain lives no longer than a test
    def _discount(self, kind: str, at: int) -> Fraction:
        table = (self.words if kind == "word" else self.labels)[at]
        cells = Counter(count for seen in table.values() for count in seen.values())
        if not cells[1] or not cells[2]:
            return Fraction(1, 2)
        return Fraction(cells[1], cells[1] + 2 * cells[2])

    @cache  # noqa: B019 - a chain lives no longer than a test
    def _probability(self, kind: str, at: int, words: Words, labels: Labels) -> Fraction:
        if at < 0 and kind == "word":
            return Fraction(int(words[-1] != START), self.settings.size - 1)
        if at < 0:
            return Fraction(1, self.settings.classes)
        lower = self._probability(kind, at - 1, words, labels)
        tables, levels = (
            (self.words, self.word_chain) if kind == "word" else (self.labels, self.class_chain)
        )
        given, outcome = self._parts(levels[at], kind, words, labels)
        seen = tables[at].get(given)
        if not seen:
            return lower
        if self.settings.smoothing == "interpolation":
            strength = Fraction(self.settings.strength[kind == "class"])
            lent = strength * len(seen)
            return (seen[outcome] + lent * lower) / (seen.total() + lent)
        taken = self._discount(kind, at)
        unseen = 1 - sum(self._lower(kind, at, words, labels, other) for other in seen)
        if unseen <= Fraction(1, 10**9):
            return Fraction(seen[outcome], seen.total())
        if outcome in seen:
            return (seen[outcome] - taken) / seen.total()
        return taken * len(seen) / seen.total() * lower / unseen

    def _lower(self, kind: str, at: int, words: Words, labels: Labels, other: int) -> Fraction:
        """The probability of another outcome after the next shorter history."""
        if kind == "word":
            return self._probability(kind, at - 1, (*words[:-1], other), labels)
        return self._probability(kind, at - 1, words, (*labels[:-1], other))

    def word(self, words: Words, labels: Labels) -> Fraction:
        """p(w | e, h), or p(w | h)."""
        return self._probability("word", len(self.words) - 1, words, labels)

    def label(self, words: Words, labels: Labels) -> Fraction:
        """p(e | h), or p(e | w, h)."""
        return self._probability("class", len(self.labels) - 1, words, labels)

    def joint(self, words: Words, labels: Labels) -> Fraction:
        """p(w, e | h)."""
        return self.word(words, labels) * self.label(words, labels)
