"""What lies at each gap, as numbers that can be counted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from caesura.core.arrays import Floats, Indices, Strings

SPEAKERS = SAME, OTHER, UNKNOWN = (0, 1, 2)
"""What can be said of the speaker of the next word."""


def durations(pauses: Floats, step: float, longest: int) -> Indices:
    """Number the bins of pauses; overlapping speech is no pause, the unknown has a bin at the end.

    Steps lie in the middle of bins, so that times given in such steps fall into them safely.
    """
    unknown = np.isnan(pauses)
    bins = np.clip(nearest(np.where(unknown, 0, pauses), step), 0, longest)
    return np.where(unknown, longest + 1, bins).astype(np.int64)


def nearest(seconds: Floats, step: float) -> Floats:
    """Count the steps nearest to whole milliseconds, half a step upwards."""
    found: Floats = np.floor(np.rint(seconds * 1000) / round(step * 1000, 6) + 0.5)
    return found


def numbered(cells: Strings, known: Sequence[str]) -> Indices:
    """Number the cells by their place among the known ones; any other is the first."""
    place = {cell: at for at, cell in enumerate(known)}
    return np.fromiter(map(place.get, cells, repeat(0)), np.int64, len(cells))


def turns(speaker: Strings) -> Indices:
    """Say for each gap but the last whether another speaker follows."""
    number = numbered(speaker, ["", *(set(speaker) - {""})])
    before, after = number[:-1], number[1:]
    known = np.where(before == after, SAME, OTHER)
    return np.where((before == 0) | (after == 0), UNKNOWN, known)
