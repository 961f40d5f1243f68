"""A small detector that sees nothing but words, for studies that need a real system to score.

It is a log-linear model of the words around a gap: no case, no punctuation, no times. Trained
on one kind of speech or another it makes different mistakes, which is what studies need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from caesura.transcript import Flags, Floats, Indices, Segmentation, Strings, Transcript

AROUND = (
    (0,),
    (1,),
    (-1,),
    (2,),
    (-1, 0),
    (0, 1),
    (1, 2),
    (-1, 0, 1),
    (0, 1, 2),
    (-2, -1, 0),
    (1, 2, 3),
)
"""Words that make a feature of a gap together: 0 is the word before it, 1 the one after it."""

REACH = 3
LEAST = 3
"""How often a feature must have been seen to have a weight."""

EPOCHS, BATCH, RATE = 3, 4096, 0.2
OUTSIDE, UNSEEN = 0, 1
"""Numbers of words before the first or after the last, and of those not seen in training."""

Hashes = NDArray[np.uint64]
FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


@dataclass(frozen=True, eq=False)
class Lexical:
    """A trained model; gaps with log-odds above the threshold are boundaries.

    `f1` is what it reaches on the texts of its own kind that the threshold was chosen on.
    """

    name: str
    numbers: dict[str, int]
    features: Hashes
    weights: Floats
    prior: float
    threshold: float = 0.0
    f1: float = 0.0

    def log_odds(self, words: Strings) -> Floats:
        """Give the evidence about each gap: what is known of the words around it, added up."""
        if not len(self.features):
            return np.full(len(words), self.prior)
        here = hashed(words, self.numbers)
        at = np.minimum(np.searchsorted(self.features, here), len(self.features) - 1)
        known = np.where(self.features[at] == here, self.weights[at], 0.0)
        found: Floats = known.sum(1) + self.prior
        return found

    def detect(self, words: Strings) -> Segmentation:
        """Find the boundaries."""
        return Segmentation(self.log_odds(words) > self.threshold)


def train(name: str, texts: Sequence[Transcript], held_out: Sequence[Transcript]) -> Lexical:
    """Learn from texts, then choose the threshold with the best F1 on others of their kind."""
    seen = Counter(word for text in texts for word in text.words)
    known = [word for word, times in seen.most_common() if times > 1]
    numbers = {word: number for number, word in enumerate(known, UNSEEN + 1)}
    around = np.concatenate([hashed(text.words, numbers) for text in texts])
    found, places, times = np.unique(around, return_inverse=True, return_counts=True)
    often = times >= LEAST
    # Place 0 gathers what is too rare to have a weight.
    gaps = np.where(often, np.cumsum(often), 0)[places.reshape(around.shape)]
    ends = boundaries(texts).astype(np.float64)
    share = ends.mean().clip(1e-6, 1 - 1e-6)
    prior = float(np.log(share / (1 - share)))
    weights = _descended(gaps, int(often.sum()) + 1, ends, prior)[1:]
    model = Lexical(name, numbers, found[often], weights, prior)
    odds = np.concatenate([model.log_odds(text.words) for text in held_out])
    threshold, f1 = best_threshold(odds, boundaries(held_out))
    return replace(model, threshold=threshold, f1=f1)


def boundaries(texts: Sequence[Transcript]) -> Flags:
    """Flag the sentence ends of texts, one after another."""
    return np.concatenate([t.sentences.boundary for t in texts if t.sentences is not None])


def hashed(words: Strings, numbers: dict[str, int]) -> Hashes:
    """Give a row of features for each gap: hashes of the words around it."""
    edge = [OUTSIDE] * REACH
    row = np.array([*edge, *(numbers.get(word, UNSEEN) for word in words), *edge], np.uint64)
    found = np.empty((len(words), len(AROUND)), np.uint64)
    for column, places in enumerate(AROUND):
        mixed: Hashes = np.full(len(words), column, np.uint64)
        for place in places:
            mixed = mixed * FACTORS[0] ^ row[REACH + place : REACH + place + len(words)]
            mixed = (mixed ^ mixed >> np.uint64(29)) * FACTORS[1]
        found[:, column] = mixed
    return found


def _descended(gaps: Indices, count: int, ends: Floats, prior: float) -> Floats:
    """Fit the weights of a logistic model by gradient descent with Adagrad's steps."""
    weights, squares = np.zeros(count), np.full(count, 1e-3)
    random = np.random.default_rng(0)
    for _ in range(EPOCHS):
        for rows in np.array_split(random.permutation(len(ends)), len(ends) // BATCH + 1):
            here = gaps[rows]
            chance = 1 / (1 + np.exp(-(weights[here].sum(1) + prior)))
            error = np.repeat(chance - ends[rows], here.shape[1])
            slope = np.bincount(here.ravel(), error, minlength=count)
            slope[0] = 0
            squares += slope * slope
            weights -= RATE * slope / np.sqrt(squares)
    return weights


def best_threshold(odds: Floats, ends: Flags) -> tuple[float, float]:
    """Give the threshold with the highest F1, halfway between two log-odds, and that F1."""
    order = np.argsort(-odds, kind="stable")
    right = np.cumsum(ends[order])
    found = 2 * right / (np.arange(1, len(odds) + 1) + right[-1])
    at = int(np.argmax(found))
    after = odds[order[min(at + 1, len(odds) - 1)]]
    return float((odds[order[at]] + after) / 2), float(found[at])
