"""WiSeBE: windows around the boundaries of several references.

González-Gallardo and Torres-Moreno (2018). The rule that joins boundaries to windows is
`WiSeBE.windows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.metrics.agreement import agreement_counts, agreement_ratio, kappa
from caesura.metrics.base import (
    NO_BOUNDARY,
    NO_HYPOTHESIS,
    NONE_GIVEN,
    GapMetric,
    boundary_flags,
    harmonic_mean,
    sparse_column,
)

PROTOCOLS = {"paper": (2, False), "tool": (3, True)}
"""The `window_gap` of each protocol, and whether the end of a recording counts."""


@dataclass(frozen=True, repr=False)
class WiSeBE(GapMetric):
    """Window-based sentence boundary evaluation (González-Gallardo and Torres-Moreno 2018).

    The boundaries of all references are joined to windows: a boundary at most `window_gap` words
    after the one before belongs to the same window. Precision is the share of hypothesis
    boundaries inside a window, recall the share of windows with a hypothesis boundary, and
    WiSeBE = F1 × agreement ratio, which is the share of shared boundaries among the references;
    WiSeBE cannot exceed it. Protocol 'paper' ignores the end of the recording (`window_gap` 2);
    protocol 'tool' counts it (3) and adds the smoothed values of the authors' program.
    """

    protocol: str = "paper"
    window_gap: int | None = None

    name = "WiSeBE"
    best: ClassVar = {"wisebe": 1.0, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    main = "wisebe"

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise ValueError(f"protocol is one of {tuple(PROTOCOLS)}, not {self.protocol!r}")
        if self.window_gap is None:
            object.__setattr__(self, "window_gap", PROTOCOLS[self.protocol][0])
        if type(self.window_gap) is not int or self.window_gap < 0:
            raise ValueError(f"window_gap is a number of words, not {self.window_gap!r}")

    @property
    def count_end(self) -> bool:
        """Whether the end of a recording, which every text has, counts as a boundary."""
        return PROTOCOLS[self.protocol][1]

    def windows(self, references: Sequence[Transcript]) -> tuple[Indices, Indices]:
        """Return the first and last gap of each window (R_W in section 3.2 of the paper).

        A window starts at each boundary that is more than `window_gap` words after the last one.
        """
        boundaries = np.flatnonzero(union(references, self.count_end))
        is_first, is_last = np.ones((2, len(boundaries)), np.bool_)
        is_first[1:] = is_last[:-1] = np.diff(boundaries) > self._gap
        return boundaries[is_first], boundaries[is_last]

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield the agreement of references, boundaries, windows, and those that meet."""
        if not references:
            return
        yield from agreement_counts(hypothesis, references, self.count_end)
        ours = boundary_flags(hypothesis, self.count_end)
        places = np.flatnonzero(ours)
        first, last = self.windows(references)
        window = np.searchsorted(first, places, side="right") - 1
        inside = window >= 0
        inside[inside] = places[inside] <= last[window[inside]]
        count = len(hypothesis)
        yield "boundaries", ours
        yield "boundaries_inside", sparse_column(count, places[inside])
        yield "windows", sparse_column(count, first)
        yield "windows_hit", sparse_column(count, first[np.unique(window[inside])])
        if self.protocol == "tool":
            yield "distance", _distances_to_windows(count, places[~inside], first, last)

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return WiSeBE (equation 15) and its parts."""
        if "gaps" not in counts:
            return dict.fromkeys(self.values(Counts(gaps=0)), Undefined(NONE_GIVEN))
        agreement = agreement_ratio(counts)
        precision = ratio(counts["boundaries_inside"], counts["boundaries"], NO_HYPOTHESIS)
        recall = ratio(counts["windows_hit"], counts["windows"], NO_BOUNDARY)
        f1 = harmonic_mean(precision, recall)
        found: dict[str, Value] = {
            "wisebe": _times(f1, agreement),
            "f1": f1,
            "precision": precision,
            "recall": recall,
            "agreement_ratio": agreement,
            "kappa": kappa(counts),
        }
        for name in ("windows", "windows_hit", "boundaries", "boundaries_inside"):
            found[name] = counts[name]
        return found | (self._smooth(counts, agreement) if self.protocol == "tool" else {})

    def _smooth(self, counts: Counts, agreement: Value) -> dict[str, Value]:
        """Return the authors' smoothed values, in which near misses count a little."""
        away = counts["distance"]
        near = [
            (counts[whole] - counts[part]) / away if away else 0.0
            for whole, part in (("boundaries", "boundaries_inside"), ("windows", "windows_hit"))
        ]
        precision = ratio(
            counts["boundaries_inside"] + near[0], counts["boundaries"], NO_HYPOTHESIS
        )
        recall = ratio(counts["windows_hit"] + near[1], counts["windows"], NO_BOUNDARY)
        f1 = harmonic_mean(precision, recall)
        return {
            "smooth_precision": precision,
            "smooth_recall": recall,
            "smooth_f1": f1,
            "smooth_wisebe": _times(f1, agreement),
            "kappa_borders": kappa(counts, borders=True),
        }

    def remarks(self, counts: Counts) -> list[str]:
        """Name the upper bound, which readers tend to forget."""
        agreement = agreement_ratio(counts)
        if isinstance(agreement, Undefined):
            return []
        if not agreement:
            return [
                "the references share no boundary: WiSeBE is 0 for every hypothesis with boundaries"
            ]
        return [f"WiSeBE cannot exceed the agreement ratio, here {agreement:.4f}"]

    @property
    def _gap(self) -> int:
        assert self.window_gap is not None
        return self.window_gap


def union(references: Sequence[Transcript], count_end: bool = False) -> Flags:
    """Flag the gaps where at least one reference has a boundary."""
    flags: Flags = np.logical_or.reduce([boundary_flags(one, count_end) for one in references])
    return flags


def _times(f1: Value, agreement: Value) -> Value:
    for value in (agreement, f1):
        if isinstance(value, Undefined):
            return value
    return f1 * agreement  # type: ignore[operator]


def _distances_to_windows(count: int, places: Indices, first: Indices, last: Indices) -> Indices:
    """Return the words from each of these gaps, which are in no window, to the nearest window."""
    column = np.zeros(count, np.int64)
    if len(first):
        after = np.searchsorted(first, places)
        far = np.iinfo(np.int64).max // 4
        to_next = np.append(first, far)[after] - places
        to_last = places - np.append(last, -far)[after - 1]
        column[places] = np.minimum(to_next, to_last)
    return column
