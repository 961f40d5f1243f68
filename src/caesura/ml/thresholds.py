"""Find the threshold on log-odds with the best F1 or slot error rate, exactly."""

from __future__ import annotations

from typing import Literal

import numpy as np

from caesura.core.arrays import Flags, Floats

Goal = Literal["f1", "ser"]
GOALS: tuple[Goal, ...] = ("f1", "ser")
"""The highest F1, or the lowest slot error rate."""


def best_threshold(odds: Floats, ends: Flags, goal: Goal = "f1") -> float:
    """Return the threshold above which log-odds are boundaries, for the best F1 or SER.

    It lies halfway between two log-odds, or 1 beyond the last of them. Of equally good thresholds
    it is the highest. F1 is undefined without any boundary, so for F1 at least one is found.
    Without any gap the threshold is 0.
    """
    if not len(odds):
        return 0.0
    order = np.argsort(-odds, kind="stable")
    falling = odds[order]
    falling = np.concatenate([[falling[0] + 2], falling, [falling[-1] - 2]])
    right = np.concatenate([[0], np.cumsum(ends[order])])
    found = np.arange(len(right))
    value = 2 * right / np.maximum(found + right[-1], 1) if goal == "f1" else 2 * right - found
    # No threshold can separate equal log-odds.
    separable = falling[:-1] > falling[1:]
    separable[0] = goal == "ser"
    at = int(np.argmax(np.where(separable, value, -np.inf)))
    return _between(float(falling[at + 1]), float(falling[at]))


def _between(low: float, high: float) -> float:
    """Return the middle of two numbers, or the lower one if nothing lies between."""
    middle = low + (high - low) / 2
    return middle if middle < high else low
