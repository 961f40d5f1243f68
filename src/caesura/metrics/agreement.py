"""Agreement: how well the references agree with each other (kappa, alpha, agreement ratio)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.metrics.base import (
    NO_BOUNDARY,
    NO_GAPS,
    NONE_GIVEN,
    ONE_GIVEN,
    GapMetric,
    boundary_flags,
    counted_gaps,
    mean_over_references,
    require_same_length,
    votes,
)

NO_CHANCE = "all gaps have the same label, so that chance alone gives full agreement"


@dataclass(frozen=True, repr=False)
class Agreement(GapMetric):
    """Agreement of the references with each other; the hypothesis plays no part.

    Fleiss' kappa (1971) = (P - Pe) / (1 - Pe) and Krippendorff's alpha (nominal) over all gaps;
    the agreement ratio of WiSeBE (shared boundaries / possible ones) over the gaps where a
    reference has a boundary; F1 of each pair of references and its mean. The end of the
    recording, which is always a boundary, counts only with `count_end`.
    """

    count_end: bool = False

    name = "Agreement"
    best: ClassVar = {"kappa": 1.0, "alpha": 1.0, "agreement_ratio": 1.0, "pairwise_f1": 1.0}
    main = "kappa"

    def __post_init__(self) -> None:
        if type(self.count_end) is not bool:
            raise ValueError(f"count_end is True or False, not {self.count_end!r}")

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield the boundaries that all references share, and those of each pair."""
        if not references:
            return
        yield from agreement_counts(hypothesis, references, self.count_end)
        flags = [boundary_flags(one, self.count_end) for one in references]
        for number, one in enumerate(flags, 1):
            yield f"boundaries_{number}", one
        for (i, one), (j, other) in combinations(enumerate(flags, 1), 2):
            yield f"common_{i}_{j}", one & other

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return kappa, alpha, the agreement ratio, and F1 of pairs."""
        pairs = {
            f"f1_{name.removeprefix('common_')}": self._f1(counts, name)
            for name in counts
            if name.startswith("common_")
        }
        return {
            "kappa": kappa(counts),
            "alpha": alpha(counts),
            "agreement_ratio": agreement_ratio(counts),
            "pairwise_f1": _mean_f1(counts, pairs),
            "gaps": counts["gaps"],
            "union": counts["union"],
            "shared": counts["shared"],
            **{name: counts[name] for name in counts if name.startswith("boundaries_")},
            **pairs,
        }

    def _f1(self, counts: Counts, name: str) -> Value:
        _, i, j = name.split("_")
        sizes = [counts[f"boundaries_{number}"] for number in (i, j)]
        for number, size in zip((i, j), sizes, strict=True):
            if not size:
                return Undefined(f"no boundary in reference {number}")
        return 2 * counts[name] / sum(sizes)


def _mean_f1(counts: Counts, pairs: dict[str, Value]) -> Value:
    if not pairs:
        return Undefined(_reason_without_pairs(counts))
    for value in pairs.values():
        if isinstance(value, Undefined):
            return value
    return mean_over_references(list(pairs.values()))


def agreement_counts(
    hypothesis: Transcript, references: Sequence[Transcript], count_end: bool
) -> PerGapCounts:
    """Yield the counts by gap that kappa, alpha and the agreement ratio are computed from.

    With m references and d of them at a gap: m `ratings`, d `marks`, m(m-1) `pairs` of which
    d(d-1) + (m-d)(m-d-1) are `agreeing`; where d > 0 the gap is in the `union` and m marks
    are `possible`; where d > 1 these d are `shared`.
    """
    require_same_length(hypothesis, references)
    most, at = len(references), votes(references, count_end)
    gaps = counted_gaps(len(hypothesis), count_end)
    yield "gaps", gaps
    yield "ratings", gaps * most
    yield "marks", at
    yield "pairs", gaps * (most * (most - 1))
    yield "agreeing", (at * (at - 1) + (most - at) * (most - at - 1)) * gaps
    yield "union", at > 0
    yield "possible", (at > 0) * most
    yield "shared", np.where(at > 1, at, 0)


def agreement_ratio(counts: Counts) -> Value:
    """Return R_GAR (equations 5 to 7 of the WiSeBE paper): shared marks / possible marks."""
    reason = _reason_without_pairs(counts)
    return Undefined(reason) if reason else ratio(counts["shared"], counts["possible"], NO_BOUNDARY)


def kappa(counts: Counts, borders: bool = False) -> Value:
    """Return Fleiss' kappa; with `borders`, only over gaps where a reference has a boundary."""
    pairs, agreeing, ratings = counts["pairs"], counts["agreeing"], counts["ratings"]
    if not pairs:
        return Undefined(_reason_without_pairs(counts))
    if borders:
        outside = (counts["gaps"] - counts["union"]) * pairs / counts["gaps"]
        pairs, agreeing, ratings = pairs - outside, agreeing - outside, counts["possible"]
    marks = counts["marks"]
    if not marks or marks == ratings:
        return Undefined(NO_CHANCE)
    # (P - Pe) / (1 - Pe) with 1 - Pe = 2 marks (ratings - marks) / ratings²
    return 1 - (pairs - agreeing) / pairs * ratings**2 / (2 * marks * (ratings - marks))


def alpha(counts: Counts) -> Value:
    """Return Krippendorff's alpha for nominal data without missing values."""
    found = kappa(counts)
    if isinstance(found, Undefined):
        return found
    return 1 - (1 - found) * (counts["ratings"] - 1) / counts["ratings"]


def _reason_without_pairs(counts: Counts) -> str:
    """Say why there is no pair of ratings; '' if there is one."""
    if not counts["gaps"]:
        return NO_GAPS if "gaps" in counts else NONE_GIVEN
    return "" if counts["pairs"] else ONE_GIVEN
