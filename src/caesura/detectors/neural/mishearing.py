"""How recognisers mishear words, learnt from what they made of recordings with a reference.

For each word of the references it is counted what was heard in its place: the word itself,
another word, or nothing; and which words were heard where nobody spoke. Training draws from these
counts, so that a model sees the errors that it will meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.text.alignment.word_alignment import Alignment

NOTHING = -1
"""What is heard in place of a word that is left out, and the number of a word that is not known."""

RANDOM_RATE = 0.08
"""Without anything learnt, a word is misheard so often, a third of the time as nothing."""

SCALES = (0.0, 1.6)
"""In a window, errors are so many times as frequent as they were when they were learnt."""

PRIOR = 2.0
"""A word counts as if it had been heard so many times more, with errors as frequent as usual."""


class Heard(NamedTuple):
    """What is heard of some words: from which of them each word comes, and what it is.

    `said` is a number in `Mishearing.words`, or `NOTHING` for the word itself.
    """

    place: Indices
    said: Indices
    inserted: Flags
    """Whether the word was heard after that at `place`, in addition to it."""


@dataclass(frozen=True)
class Mishearing:
    """Counts of what recognisers heard, for each word that they were told."""

    words: Strings = ()
    """Words that were heard in place of others."""

    told: Strings = ()
    """Words of the references."""

    first: Indices = field(default_factory=lambda: np.zeros(1, np.int64))
    """Where the outcomes of each told word start in `outcome`, and the number of all."""

    outcome: Indices = field(default_factory=lambda: np.zeros(0, np.int64))
    error: Floats = field(default_factory=lambda: np.full(1, RANDOM_RATE))
    """How often each told word is misheard; the last is for words that are not known."""

    insertion: float = 0.0
    inserted: Indices = field(default_factory=lambda: np.zeros(0, np.int64))

    def numbers_of(self, words: Iterable[str]) -> Indices:
        """Return the number of each word in `told`, `NOTHING` for the others."""
        table = {word: number for number, word in enumerate(self.told)}
        return np.array([table.get(word.lower(), NOTHING) for word in words], np.int64)

    def hear(self, numbers: Indices, draw: Generator, scale: float | None = None) -> Heard:
        """Draw what is heard of words with these numbers; errors are `scale` times as frequent."""
        if scale is None:
            scale = draw.uniform(*SCALES)
        said = np.full(len(numbers), NOTHING)
        is_kept = np.ones(len(numbers), np.bool_)
        for at in np.flatnonzero(draw.random(len(numbers)) < scale * self.error[numbers]).tolist():
            said[at] = self._outcome(int(numbers[at]), draw)
            is_kept[at] = said[at] != NOTHING
        if not is_kept.any():
            is_kept[0] = True
        place, said = np.flatnonzero(is_kept), said[is_kept]
        extra = np.flatnonzero(draw.random(len(place)) < scale * self.insertion)
        is_inserted = np.zeros(len(place) + len(extra), np.bool_)
        is_inserted[extra + np.arange(1, len(extra) + 1)] = True
        words = draw.choice(self.inserted, len(extra)) if len(extra) else np.zeros(0, np.int64)
        return Heard(
            np.insert(place, extra + 1, place[extra]),
            np.insert(said, extra + 1, words),
            is_inserted,
        )

    def _outcome(self, number: int, draw: Generator) -> int:
        if number != NOTHING and self.first[number] < self.first[number + 1]:
            return int(self.outcome[draw.integers(self.first[number], self.first[number + 1])])
        if not self.words or draw.random() < 1 / 3:
            return NOTHING
        return int(draw.integers(len(self.words)))


def learn_mishearing(pairs: Iterable[tuple[Sequence[str], Sequence[str], Alignment]]) -> Mishearing:
    """Count errors in references and what was heard, aligned from reference to heard words."""
    outcomes: dict[str, Counter[str]] = {}
    inserted: Counter[str] = Counter()
    total = 0
    for reference, heard, aligned in pairs:
        total += len(reference)
        for word, at in zip(reference, aligned.target.tolist(), strict=True):
            outcomes.setdefault(word, Counter())[heard[at] if at >= 0 else ""] += 1
        inserted.update(heard[at] for at in np.flatnonzero(aligned.source < 0).tolist())
    told = tuple(sorted(outcomes))
    errors = {
        word: [(other, n) for other, n in sorted(outcomes[word].items()) if other != word]
        for word in told
    }
    heard_words = {other for found in errors.values() for other, _ in found}
    words = tuple(sorted((heard_words | {*inserted}) - {""}))
    number = {word: at for at, word in enumerate(words)} | {"": NOTHING}
    each = [[number[other] for other, n in errors[word] for _ in range(n)] for word in told]
    usual = sum(map(len, each)) / max(total, 1)
    rates = [
        (len(found) + PRIOR * usual) / (outcomes[word].total() + PRIOR)
        for word, found in zip(told, each, strict=True)
    ]
    return Mishearing(
        words,
        told,
        np.concatenate([[0], np.cumsum([len(found) for found in each])]).astype(np.int64),
        np.array([number for found in each for number in found], np.int64),
        np.array([*rates, usual]),
        inserted.total() / max(total, 1),
        np.array([number[word] for word in inserted.elements()], np.int64),
    )
