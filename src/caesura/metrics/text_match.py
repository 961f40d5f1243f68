"""Whether two texts belong together: how much of what was said was recognised."""

from __future__ import annotations

import numpy as np

from caesura.core.protocols import PerGapCounts
from caesura.core.values import Counts
from caesura.text.alignment.word_alignment import Alignment

FRONT = "text_"
"""How the names of such counts begin."""

HALF = 0.5


def columns(alignment: Alignment, size: int) -> PerGapCounts:
    """Count the words of both texts, and those that they share, all at the first word."""
    for name, count in (
        ("said", alignment.source_length),
        ("recognised", len(alignment.source)),
        ("shared", alignment.hits),
    ):
        yield f"{FRONT}{name}", np.eye(1, size, dtype=np.int64)[0] * count


def unlike(said: float, shared: float) -> bool:
    """Whether less than half of the words that were said were recognised."""
    return shared < HALF * said


def doubts(counts: Counts, number: int) -> list[str]:
    """Ask of the counts against a reference whether the texts belong together."""
    return asked(counts[f"{FRONT}said"], counts[f"{FRONT}shared"], number)


def asked(said: float, shared: float, number: int) -> list[str]:
    """Ask whether texts that share so few words belong together."""
    if not unlike(said, shared):
        return []
    return [
        f"the hypothesis shares {shared / said:.0%} of the words of reference {number}: are they "
        "the same recordings, in the same language, normalised alike?"
    ]


def few(counts: Counts) -> float | None:
    """Give how many words were recognised for each that was said, if that is less than half."""
    said, recognised = counts[f"{FRONT}said"], counts[f"{FRONT}recognised"]
    return recognised / said if recognised < HALF * said else None
