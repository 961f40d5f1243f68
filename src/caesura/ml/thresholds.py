"""The threshold on log-odds that serves a goal best, found exactly."""

from __future__ import annotations

from typing import Literal

import numpy as np

from caesura.core.arrays import Flags, Floats

Goal = Literal["f1", "ser"]
GOALS: tuple[Goal, ...] = ("f1", "ser")
"""The highest F1, or the lowest slot error rate."""


def best_threshold(odds: Floats, ends: Flags, goal: Goal = "f1") -> float:
    """Give the threshold above which log-odds are boundaries for the best F1 or SER.

    It lies halfway between two log-odds, or one beyond the last of them. Of thresholds that are
    equally good it is the highest. F1 has no value without any boundary, so at least one is
    found for it; without any gap the threshold is 0.
    """
    if not len(odds):
        return 0.0
    order = np.argsort(-odds, kind="stable")
    falling = odds[order]
    falling = np.concatenate([[falling[0] + 2], falling, [falling[-1] - 2]])
    right = np.concatenate([[0], np.cumsum(ends[order])])
    found = np.arange(len(right))
    value = 2 * right / np.maximum(found + right[-1], 1) if goal == "f1" else 2 * right - found
    # Equal evidence cannot be parted by any threshold.
    parted = falling[:-1] > falling[1:]
    parted[0] = goal == "ser"
    at = int(np.argmax(np.where(parted, value, -np.inf)))
    return _between(float(falling[at + 1]), float(falling[at]))


def _between(low: float, high: float) -> float:
    """Halfway between two numbers, and below the higher one even if nothing lies between."""
    middle = low + (high - low) / 2
    return middle if middle < high else low
