"""Probabilities of the labels of a few words: arrays cost more than they save there."""

from __future__ import annotations

import numpy as np

from caesura.columns import Floats

LEAST = -300.0
"""The lowest score that counts: the product of two such probabilities is still a number."""


def posterior(states: Floats, transitions: Floats, before: int) -> Floats:
    """Probability of each label of words that follow one with the label `before`.

    `transitions` has a row for what comes before; the last row, -1, stands for nothing. It is
    what `crf.Chain.posterior` gives, to rounding.
    """
    if not len(states):
        return np.zeros((0, transitions.shape[1]))
    shares = np.exp(np.maximum(states - states.max(axis=1, keepdims=True), LEAST)).tolist()
    steps = np.exp(np.maximum(transitions - transitions.max(), LEAST)).tolist()
    labels = range(len(steps[0]))
    ahead = [[share * step for share, step in zip(shares[0], steps[before], strict=True)]]
    for share in shares[1:]:
        last = _scaled(ahead[-1])
        ahead.append([share[to] * sum(last[at] * steps[at][to] for at in labels) for to in labels])
    back = [1.0] * len(labels)
    found = [_scaled(ahead[-1])]
    for word in range(len(shares) - 1, 0, -1):
        held = [share * weight for share, weight in zip(shares[word], back, strict=True)]
        back = _scaled([sum(steps[at][to] * held[to] for to in labels) for at in labels])
        found.append(_scaled([a * b for a, b in zip(ahead[word - 1], back, strict=True)]))
    return np.array(found[::-1])


def _scaled(numbers: list[float]) -> list[float]:
    total = sum(numbers) or 1.0
    return [number / total for number in numbers]
