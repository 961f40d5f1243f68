"""Latency: how long after a sentence ended a stream decided that it had."""

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
from caesura.metrics.base import NO_HYPOTHESIS, GapMetric, boundary_flags

UNITS_PER = {"words": 1, "seconds": 100}
"""The resolution of delays: whole words, hundredths of a second."""

NO_DELAY = {
    "words": "no boundary has a delay: stream the words, and write the sentences as jsonl",
    "seconds": "no boundary has a delay in seconds: give words with end times",
}


@dataclass(frozen=True, repr=False)
class Latency(GapMetric):
    """Delay, in words and in seconds, between a boundary and the decision of a stream.

    Delays are the columns `delay_words` and `delay_seconds`, which streams write. The values are
    the mean, the median, the 95th percentile (the smallest delay within which 50 % or 95 % of
    the boundaries were decided) and the maximum; seconds are rounded to hundredths. Lower is
    better. The end of the recording is not counted. References play no part.
    """

    name = "Latency"
    compares = ()
    same_words = False
    best: ClassVar = {}
    main = "mean_words"

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield boundaries, and those of each delay."""
        if hypothesis.sentences is None:
            return
        inner = boundary_flags(hypothesis)
        yield "boundaries", inner
        for unit in UNITS_PER:
            delays = np.where(inner, _delays(hypothesis, unit), np.nan)
            for delay in np.unique(delays[~np.isnan(delays)]).tolist():
                yield f"{unit}={int(delay)}", delays == delay

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return mean, median, 95th percentile and maximum, in words and in seconds."""
        found: dict[str, Value] = {}
        for unit in UNITS_PER:
            found |= _summary(unit, counts)
        return found | {"boundaries": counts["boundaries"]}

    def remarks(self, counts: Counts) -> list[str]:
        """Say how many boundaries have no delay."""
        remarks = []
        for unit in UNITS_PER:
            known = sum(number for _, number in _histogram(unit, counts))
            if 0 < known < counts["boundaries"]:
                lacking = counts["boundaries"] - known
                remarks.append(f"{lacking} boundaries have no delay in {unit}, and are left out")
        return remarks


def _delays(hypothesis: Transcript, unit: str) -> Floats:
    unknown = np.full(len(hypothesis), np.nan)
    column: Floats = (hypothesis.evidence or {}).get(f"delay_{unit}", unknown)
    rounded: Floats = np.rint(np.maximum(column, 0) * UNITS_PER[unit])
    return rounded


def _histogram(unit: str, counts: Counts) -> list[tuple[int, float]]:
    """Return the delays in ascending order, each with the number of its boundaries."""
    named = ((_delay_in_name(name, unit), number) for name, number in counts.items() if number)
    return sorted((delay, number) for delay, number in named if delay is not None)


@lru_cache(maxsize=1 << 14)
def _delay_in_name(name: str, unit: str) -> int | None:
    stem, _, delay = name.partition("=")
    return int(delay) if stem == unit else None


def _summary(unit: str, counts: Counts) -> dict[str, Value]:
    found = _histogram(unit, counts)
    names = [f"{name}_{unit}" for name in ("mean", "median", "p95", "max")]
    if not found:
        reason = NO_DELAY[unit] if counts["boundaries"] else NO_HYPOTHESIS
        return {name: Undefined(reason) for name in names}
    delays, numbers = np.array(found, np.float64).T
    below = np.cumsum(numbers)
    places = [int(np.searchsorted(below, below[-1] * share)) for share in (0.5, 0.95)]
    summary = [float(delays @ numbers / below[-1]), *delays[places].tolist(), float(delays[-1])]
    return {name: each / UNITS_PER[unit] for name, each in zip(names, summary, strict=True)}
