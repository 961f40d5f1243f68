"""Weights in 8 bits: whole numbers from -127 to 127, times a scale for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS = 127
"""The largest weight of a row in steps of its scale."""

TINY, LARGE = 1e-6, 1e3
"""Scales lie between them."""

Stepped = NDArray[np.int8]
Scales = NDArray[np.float16]


def stepped(weights: NDArray[Any]) -> tuple[Stepped, Scales]:
    """Give weights in steps, and the scale of each row."""
    scales = np.clip(abs(weights).max(axis=1, initial=0) / STEPS, TINY, LARGE).astype(np.float16)
    steps = np.round(weights / scales.astype(np.float64)[:, None])
    return np.clip(steps, -STEPS, STEPS).astype(np.int8), scales


def unstepped(steps: Stepped, scales: Scales) -> NDArray[np.float32]:
    """Give the weights that steps stand for."""
    return steps * scales.astype(np.float32)[:, None]


def wrong(steps: NDArray[Any], scales: NDArray[Any], rows: int, columns: int) -> str:
    """Say what is wrong with arrays that should be steps and scales, '' if nothing is."""
    if steps.dtype != np.int8 or steps.shape != (rows, columns):
        return f"weights are no steps of {rows} keys and {columns} labels"
    if scales.dtype != np.float16 or scales.shape != (rows,):
        return f"scales are not those of {rows} keys"
    if not ((scales >= 0) & (scales <= LARGE)).all():
        return f"scales are not all numbers up to {LARGE:g}"
    return ""
