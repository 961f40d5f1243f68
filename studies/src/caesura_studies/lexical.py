"""A small detector that sees nothing but words: a stand-in until real detectors exist.

Studies rank systems, and corpora seldom come with the output of any. Trained on one kind of
speech or another, this one makes different mistakes, which is all that a ranking needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.training.search import best_threshold

AROUND = ((0,), (1,), (-1, 0), (0, 1), (1, 2), (-1, 0, 1), (0, 1, 2), (1, 2, 3), (-2, -1, 0))
"""Words that are counted together: 0 is the word before the gap, 1 the one after it."""

REACH = 3
SMOOTH = 4.0
"""Gaps, with and without a boundary, that each count is thought to have had already."""

OUTSIDE, UNSEEN = 0, 1
"""Numbers of words before the first or after the last, and of those seen once or never."""

Weights = tuple[Indices, Floats]
"""Combinations of words in ascending order of their keys, and the evidence of each."""


@dataclass(frozen=True, eq=False)
class Lexical:
    """Evidence of the words around a gap, added up; above the threshold there is a boundary.

    `f1` is what it reaches on the texts of its own kind that the threshold was chosen on.
    """

    numbers: dict[str, int]
    prior: float
    weights: tuple[Weights, ...]
    threshold: float = 0.0
    f1: float = 0.0

    def log_odds(self, words: Strings) -> Floats:
        """Give the evidence about each gap."""
        odds = np.full(len(words), self.prior)
        for here, (known, weights) in zip(keys(words, self.numbers), self.weights, strict=True):
            at = np.minimum(np.searchsorted(known, here), len(known) - 1)
            odds += np.where(known[at] == here, weights[at], 0.0)
        return odds

    def detect(self, words: Strings) -> Segmentation:
        """Find the boundaries."""
        return Segmentation(self.log_odds(words) > self.threshold)


def train(texts: Sequence[Transcript], held_out: Sequence[Transcript]) -> Lexical:
    """Count in texts, then choose the threshold with the best F1 on others of their kind."""
    seen = Counter(word for text in texts for word in text.words)
    often = sorted(word for word, times in seen.items() if times > 1)
    numbers = {word: number for number, word in enumerate(often, UNSEEN + 1)}
    around = np.concatenate([keys(text.words, numbers) for text in texts], axis=1)
    ends = _boundaries(texts).astype(np.float64)
    share = float(ends.mean().clip(1e-6, 1 - 1e-6))
    prior = float(np.log(share / (1 - share)))
    weights = tuple(_learnt(around, ends, np.full(len(ends), prior)))
    model = Lexical(numbers, prior, weights)
    odds = np.concatenate([model.log_odds(text.words) for text in held_out])
    real = _boundaries(held_out)
    threshold = best_threshold(odds, real)
    found = odds > threshold
    f1 = 2 * int((found & real).sum()) / max(int(found.sum() + real.sum()), 1)
    return Lexical(numbers, prior, weights, threshold, f1)


def _learnt(around: Indices, ends: Floats, odds: Floats) -> list[Weights]:
    """Count boundaries after each combination, against those that the counts before expect."""
    found: list[Weights] = []
    for column in around:
        known, place, times = np.unique(column, return_inverse=True, return_counts=True)
        real = np.bincount(place, ends) + SMOOTH
        expected = np.bincount(place, 1 / (1 + np.exp(-odds))) + SMOOTH
        rest = times + 2 * SMOOTH
        weights = np.log(real / expected) - np.log((rest - real) / (rest - expected))
        odds += weights[place]
        found.append((known, weights))
    return found


def _boundaries(texts: Sequence[Transcript]) -> Flags:
    return np.concatenate([t.sentences.boundary for t in texts if t.sentences is not None])


def keys(words: Strings, numbers: dict[str, int]) -> Indices:
    """For each combination a row that has a number of its own for the words around each gap."""
    edge, base = [OUTSIDE] * REACH, len(numbers) + UNSEEN + 1
    row = np.array([*edge, *(numbers.get(word, UNSEEN) for word in words), *edge], np.int64)
    found = np.zeros((len(AROUND), len(words)), np.int64)
    for key, places in zip(found, AROUND, strict=True):
        for place in places:
            key *= base
            key += row[REACH + place : REACH + place + len(words)]
    return found
