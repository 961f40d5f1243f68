"""How far the probabilities of a detector can be trusted, and what would set them right.

If a detector gives a probability of .3 to many gaps, three in ten of them should be boundaries.
`reliability` compares both in bins, `expected_calibration_error` sums up how far they differ, and
`fit_calibration` finds the scale and the bias of log-odds that fit best.

The error that cards report has bins with equally many gaps, because most gaps have a probability
near 0, and few would decide the error of most bins of equal width. Its value depends on the bins,
so it compares models on one set of recordings, and says little by itself. The table and the plot
of a card have bins of equal width, which show the whole range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.values import Undefined, Value, as_json
from caesura.detectors.fusion import CERTAIN, fit_logistic
from caesura.detectors.probability import as_probabilities
from caesura.models.store import CALIBRATION

BINS, TABLE_BINS = 15, 10
"""The bins of the error, with equally many gaps, and of the table, of equal width."""

RIDGE = 1e-3
"""A penalty of the scale so small that it matters only where log-odds separate all boundaries."""

NO_GAPS = Undefined("there are no gaps")
ONE_KIND = Undefined("the recordings cannot be divided into two parts with boundaries and others")

Kind = Literal["mass", "width"]
"""Bins with equally many gaps, or of equal width."""


@dataclass(frozen=True)
class ReliabilityBin:
    """Gaps with probabilities from `low` to `high`: their mean, and the share of boundaries."""

    low: float
    high: float
    gaps: int
    predicted: float
    observed: float


@dataclass(frozen=True)
class Calibration:
    """The scale and bias that fit log-odds best, and errors without and with them.

    `calibrated_ece` is that of recordings that scale and bias were not fitted on: one half of
    them by the other.
    """

    ece: Value
    calibrated_ece: Value
    scale: float | None
    bias: float | None
    bins: tuple[ReliabilityBin, ...]

    def scores(self) -> dict[str, Value | None]:
        """Return the numbers that go on a card."""
        return {
            "ece": self.ece,
            "calibrated_ece": self.calibrated_ece,
            **dict(zip(CALIBRATION, (self.scale, self.bias), strict=True)),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the bins as rows of a table."""
        return [asdict(one) for one in self.bins]

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        scores = {name: as_json(value) for name, value in self.scores().items()}
        return {**scores, "bins": self.rows()}


def reliability(
    probability: Floats, ends: Flags, bins: int = BINS, kind: Kind = "mass"
) -> tuple[ReliabilityBin, ...]:
    """Compare probabilities with what is true, in bins; gaps that are alike share a bin."""
    if not len(probability):
        return ()
    order = np.argsort(probability, kind="stable")
    rising, right = probability[order], ends[order]
    starts = _starts(rising, bins, kind)
    stops = np.append(starts[1:], len(rising))
    return tuple(
        ReliabilityBin(
            float(rising[first]),
            float(rising[stop - 1]),
            stop - first,
            float(rising[first:stop].mean()),
            float(right[first:stop].mean()),
        )
        for first, stop in zip(starts.tolist(), stops.tolist(), strict=True)
    )


def _starts(rising: Floats, bins: int, kind: Kind) -> Indices:
    """Return where each bin that is not empty begins."""
    if kind == "width":
        cell = np.minimum((rising * bins).astype(np.int64), bins - 1)
        return np.flatnonzero(np.diff(cell, prepend=-1))
    even = np.arange(bins) * len(rising) // bins
    return np.unique(np.searchsorted(rising, rising[even], side="left"))


def expected_calibration_error(
    probability: Floats, ends: Flags, bins: int = BINS, kind: Kind = "mass"
) -> Value:
    """Return the mean difference between probability and share of boundaries, over all gaps."""
    found = reliability(probability, ends, bins, kind)
    if not found:
        return NO_GAPS
    weighted = sum(one.gaps * abs(one.predicted - one.observed) for one in found)
    return weighted / len(probability)


def fit_calibration(log_odds: Floats, ends: Flags) -> tuple[float, float] | None:
    """Return the scale and bias of log-odds that make the boundaries most likely (Platt 1999).

    None where all gaps are of one kind.
    """
    if ends.all() or not ends.any():
        return None
    bias, scale = fit_logistic(_clipped(log_odds)[:, None], ends, RIDGE).tolist()
    return scale, bias


def measure_calibration(log_odds: Sequence[Floats], ends: Sequence[Flags]) -> Calibration:
    """Measure log-odds against the boundaries of recordings, each without its last gap."""
    joined, right = _joined(log_odds), np.concatenate([np.zeros(0, np.bool_), *ends])
    fitted = fit_calibration(joined, right)
    probability = as_probabilities(joined)
    return Calibration(
        ece=expected_calibration_error(probability, right),
        calibrated_ece=_error_by_halves(log_odds, ends),
        scale=None if fitted is None else fitted[0],
        bias=None if fitted is None else fitted[1],
        bins=reliability(probability, right, TABLE_BINS, "width"),
    )


def _error_by_halves(log_odds: Sequence[Floats], ends: Sequence[Flags]) -> Value:
    """Return the error after calibration: of every other recording, fitted on the rest."""
    halves = [(_joined(log_odds[at::2]), _flags(ends[at::2])) for at in (0, 1)]
    fitted = [fit_calibration(*half) for half in halves]
    found = []
    for (odds, _), other in zip(halves, reversed(fitted), strict=True):
        if other is None:
            return ONE_KIND
        found.append(as_probabilities(other[0] * odds + other[1]))
    return expected_calibration_error(np.concatenate(found), _flags([half[1] for half in halves]))


def _joined(log_odds: Sequence[Floats]) -> Floats:
    return _clipped(np.concatenate([np.zeros(0), *log_odds]))


def _flags(ends: Sequence[Flags]) -> Flags:
    return np.concatenate([np.zeros(0, np.bool_), *ends])


def _clipped(log_odds: Floats) -> Floats:
    return np.clip(np.nan_to_num(log_odds, nan=0.0), -CERTAIN, CERTAIN)
