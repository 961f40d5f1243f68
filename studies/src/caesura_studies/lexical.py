"""A baseline detector that sees only the words around a gap.

The WiSeBE study ranks systems, but its corpora come without the output of any. This baseline,
trained on different kinds of speech, makes systems that make different errors. It adds up the
log-odds of word combinations around each gap and has no other features.
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

TEMPLATES = ((0,), (1,), (-1, 0), (0, 1), (1, 2), (-1, 0, 1), (0, 1, 2), (1, 2, 3), (-2, -1, 0))
"""Positions of the words of each feature: 0 is the word before the gap, 1 the word after it."""

MAX_OFFSET = 3
PSEUDO_COUNT = 4.0
"""Added to the gaps with and to the gaps without a boundary of each feature, for smoothing."""

OUTSIDE, UNSEEN = 0, 1
"""Word numbers of positions outside the text and of words seen at most once in training."""

Weights = tuple[Indices, Floats]
"""The feature keys of a template in ascending order, and the weight of each."""


@dataclass(frozen=True, eq=False)
class WordBaseline:
    """Adds up the weights of the words around a gap; above the threshold there is a boundary.

    `f1` is the F1 on the held-out texts on which the threshold was chosen.
    """

    numbers: dict[str, int]
    prior: float
    weights: tuple[Weights, ...]
    threshold: float = 0.0
    f1: float = 0.0

    def log_odds(self, words: Strings) -> Floats:
        """Return the log-odds of a boundary at each gap."""
        odds = np.full(len(words), self.prior)
        for row, (known, weights) in zip(keys(words, self.numbers), self.weights, strict=True):
            at = np.minimum(np.searchsorted(known, row), len(known) - 1)
            odds += np.where(known[at] == row, weights[at], 0.0)
        return odds

    def detect(self, words: Strings) -> Segmentation:
        """Find the boundaries."""
        return Segmentation(self.log_odds(words) > self.threshold)


def train(texts: Sequence[Transcript], held_out: Sequence[Transcript]) -> WordBaseline:
    """Train on texts and choose the threshold with the best F1 on held-out texts."""
    counts = Counter(word for text in texts for word in text.words)
    vocabulary = sorted(word for word, count in counts.items() if count > 1)
    numbers = {word: number for number, word in enumerate(vocabulary, UNSEEN + 1)}
    columns = np.concatenate([keys(text.words, numbers) for text in texts], axis=1)
    ends = _boundaries(texts).astype(np.float64)
    share = float(ends.mean().clip(1e-6, 1 - 1e-6))
    prior = float(np.log(share / (1 - share)))
    weights = tuple(_fit_weights(columns, ends, np.full(len(ends), prior)))
    model = WordBaseline(numbers, prior, weights)
    odds = np.concatenate([model.log_odds(text.words) for text in held_out])
    reference = _boundaries(held_out)
    threshold = best_threshold(odds, reference)
    found = odds > threshold
    f1 = 2 * int((found & reference).sum()) / max(int(found.sum() + reference.sum()), 1)
    return WordBaseline(numbers, prior, weights, threshold, f1)


def _fit_weights(columns: Indices, ends: Floats, odds: Floats) -> list[Weights]:
    """Fit one template after another: each corrects the log-odds of the templates before it."""
    fitted: list[Weights] = []
    for column in columns:
        known, place, times = np.unique(column, return_inverse=True, return_counts=True)
        observed = np.bincount(place, ends) + PSEUDO_COUNT
        expected = np.bincount(place, 1 / (1 + np.exp(-odds))) + PSEUDO_COUNT
        total = times + 2 * PSEUDO_COUNT
        weights = np.log(observed / expected) - np.log((total - observed) / (total - expected))
        odds += weights[place]
        fitted.append((known, weights))
    return fitted


def _boundaries(texts: Sequence[Transcript]) -> Flags:
    return np.concatenate([t.sentences.boundary for t in texts if t.sentences is not None])


def keys(words: Strings, numbers: dict[str, int]) -> Indices:
    """Return the feature keys of all gaps: one row for each template, one column for each gap."""
    edge, base = [OUTSIDE] * MAX_OFFSET, len(numbers) + UNSEEN + 1
    row = np.array([*edge, *(numbers.get(word, UNSEEN) for word in words), *edge], np.int64)
    found = np.zeros((len(TEMPLATES), len(words)), np.int64)
    for key, offsets in zip(found, TEMPLATES, strict=True):
        for offset in offsets:
            key *= base
            key += row[MAX_OFFSET + offset : MAX_OFFSET + offset + len(words)]
    return found
