"""Warn about texts that share too few words to be of the same recording."""

from __future__ import annotations

import numpy as np

from caesura.core.protocols import PerGapCounts
from caesura.core.values import Counts
from caesura.text.alignment.word_alignment import Alignment

PREFIX = "text_"
"""The prefix of the names of these counts."""

HALF = 0.5


def match_columns(alignment: Alignment, size: int) -> PerGapCounts:
    """Yield the words of both texts and those they share, all counted at the first word."""
    for name, count in (
        ("said", alignment.source_length),
        ("recognised", len(alignment.source)),
        ("shared", alignment.hits),
    ):
        yield f"{PREFIX}{name}", np.eye(1, size, dtype=np.int64)[0] * count


def is_mismatch(said: float, shared: float) -> bool:
    """Whether less than half of the reference words were recognised."""
    return shared < HALF * said


def mismatch_remarks(counts: Counts, number: int) -> list[str]:
    """Return a warning if the counts show that hypothesis and reference share too few words."""
    return mismatch_remark(counts[f"{PREFIX}said"], counts[f"{PREFIX}shared"], number)


def mismatch_remark(said: float, shared: float, number: int) -> list[str]:
    """Return a warning if less than half of the reference words are shared."""
    if not is_mismatch(said, shared):
        return []
    return [
        f"the hypothesis shares {shared / said:.0%} of the words of reference {number}: are they "
        "the same recordings, in the same language, with the same normalisation?"
    ]


def recognised_share(counts: Counts) -> float | None:
    """Return hypothesis words / reference words if that is less than half, else None."""
    said, recognised = counts[f"{PREFIX}said"], counts[f"{PREFIX}recognised"]
    return recognised / said if recognised < HALF * said else None
