"""How long after the end of a sentence a stream decided that it had ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Floats
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value
from caesura.metrics.base import NO_HYPOTHESIS, GapMetric, ends

SCALES = {"words": 1, "seconds": 100}
"""Units of a delay that are told apart: whole words, hundredths of a second."""

NOT_KNOWN = {
    "words": "no boundary has a delay: stream the words, and write the sentences as jsonl",
    "seconds": "no boundary has a delay in seconds: give words with end times",
}


@dataclass(frozen=True, repr=False)
class Latency(GapMetric):
    """Words and seconds between boundaries of a streamed hypothesis and their decision.

    Delays are the evidence `delay_words` and `delay_seconds`, which streams write. Of each: the
    mean, the median, the 95th percentile (the least delay within which half, or 95 in 100, of
    the boundaries were decided) and the longest; seconds in hundredths. Less is better. The end
    of a recording is no decision and does not count. References play no part.
    """

    name = "Latency"
    compares = ()
    same_words = False
    best: ClassVar = {}
    main = "mean_words"

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Count boundaries, and those of each delay."""
        if hypothesis.sentences is None:
            return
        inner = ends(hypothesis)
        yield "boundaries", inner
        for unit in SCALES:
            delays = np.where(inner, _delays(hypothesis, unit), np.nan)
            for delay in np.unique(delays[~np.isnan(delays)]).tolist():
                yield f"{unit}={int(delay)}", delays == delay

    def values(self, counts: Counts) -> dict[str, Value]:
        """Mean, median, 95th percentile and maximum of words and of seconds."""
        found: dict[str, Value] = {}
        for unit in SCALES:
            found |= _summary(unit, counts)
        return found | {"boundaries": counts["boundaries"]}

    def remarks(self, counts: Counts) -> list[str]:
        """Tell if some boundaries have no delay."""
        told = []
        for unit in SCALES:
            known = sum(number for _, number in _histogram(unit, counts))
            if 0 < known < counts["boundaries"]:
                lacking = counts["boundaries"] - known
                told.append(f"{lacking} boundaries have no delay in {unit}, and are left out")
        return told


def _delays(hypothesis: Transcript, unit: str) -> Floats:
    unknown = np.full(len(hypothesis), np.nan)
    column: Floats = (hypothesis.evidence or {}).get(f"delay_{unit}", unknown)
    rounded: Floats = np.rint(np.maximum(column, 0) * SCALES[unit])
    return rounded


def _histogram(unit: str, counts: Counts) -> list[tuple[int, float]]:
    """Delays, in ascending order, and how many boundaries have each."""
    named = ((_delay(name, unit), number) for name, number in counts.items() if number)
    return sorted((delay, number) for delay, number in named if delay is not None)


@lru_cache(maxsize=1 << 14)
def _delay(name: str, unit: str) -> int | None:
    stem, _, delay = name.partition("=")
    return int(delay) if stem == unit else None


def _summary(unit: str, counts: Counts) -> dict[str, Value]:
    found = _histogram(unit, counts)
    names = [f"{name}_{unit}" for name in ("mean", "median", "p95", "max")]
    if not found:
        reason = NOT_KNOWN[unit] if counts["boundaries"] else NO_HYPOTHESIS
        return {name: Undefined(reason) for name in names}
    delays, numbers = np.array(found, np.float64).T
    below = np.cumsum(numbers)
    places = [int(np.searchsorted(below, below[-1] * share)) for share in (0.5, 0.95)]
    summary = [float(delays @ numbers / below[-1]), *delays[places].tolist(), float(delays[-1])]
    return {name: each / SCALES[unit] for name, each in zip(names, summary, strict=True)}
