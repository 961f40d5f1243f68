"""How far annotators agree among themselves on where sentences end."""

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
    ends,
    inside,
    marks,
    mean,
    refuse_other_lengths,
)

NO_CHANCE = "all gaps are labelled alike, so that chance alone gives full agreement"


@dataclass(frozen=True, repr=False)
class Agreement(GapMetric):
    """How far references agree with each other; a hypothesis lends its words only.

    Fleiss' kappa (1971) and Krippendorff's alpha over all gaps, the agreement ratio of WiSeBE
    over the gaps where somebody has a boundary, and F1 of each pair and their mean. The last
    gap of a recording is always an end and counts only with `count_end`.
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
        """Count what references share, all together and in pairs."""
        if not references:
            return
        yield from shared_counts(hypothesis, references, self.count_end)
        flags = [ends(one, self.count_end) for one in references]
        for number, one in enumerate(flags, 1):
            yield f"boundaries_{number}", one
        for (i, one), (j, other) in combinations(enumerate(flags, 1), 2):
            yield f"common_{i}_{j}", one & other

    def values(self, counts: Counts) -> dict[str, Value]:
        """Kappa, alpha, the agreement ratio, and F1 in pairs."""
        pairs = {
            f"f1_{name.removeprefix('common_')}": self._f1(counts, name)
            for name in counts
            if name.startswith("common_")
        }
        return {
            "kappa": kappa(counts),
            "alpha": alpha(counts),
            "agreement_ratio": agreement_ratio(counts),
            "pairwise_f1": _pairwise(counts, pairs),
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


def _pairwise(counts: Counts, pairs: dict[str, Value]) -> Value:
    if not pairs:
        return Undefined(_too_few(counts))
    for value in pairs.values():
        if isinstance(value, Undefined):
            return value
    return mean(list(pairs.values()))


def shared_counts(
    hypothesis: Transcript, references: Sequence[Transcript], count_end: bool
) -> PerGapCounts:
    """Count over gaps what kappa, alpha and the agreement ratio are made of.

    With m references and d of them at a gap: m `ratings`, d `marks`, m(m-1) `pairs` of which
    d(d-1) + (m-d)(m-d-1) are `agreeing`; where d > 0 the gap is in the `union` and m marks
    are `possible`; where d > 1 these d are `shared`.
    """
    refuse_other_lengths(hypothesis, references)
    most, at = len(references), marks(references, count_end)
    gaps = inside(len(hypothesis), count_end)
    yield "gaps", gaps
    yield "ratings", gaps * most
    yield "marks", at
    yield "pairs", gaps * (most * (most - 1))
    yield "agreeing", (at * (at - 1) + (most - at) * (most - at - 1)) * gaps
    yield "union", at > 0
    yield "possible", (at > 0) * most
    yield "shared", np.where(at > 1, at, 0)


def agreement_ratio(counts: Counts) -> Value:
    """R_GAR (equations 5 to 7 of the WiSeBE paper): marks that are shared, of those possible."""
    reason = _too_few(counts)
    return Undefined(reason) if reason else ratio(counts["shared"], counts["possible"], NO_BOUNDARY)


def kappa(counts: Counts, borders: bool = False) -> Value:
    """Fleiss' kappa on gaps; with `borders`, on those only where somebody has a boundary."""
    pairs, agreeing, ratings = counts["pairs"], counts["agreeing"], counts["ratings"]
    if not pairs:
        return Undefined(_too_few(counts))
    if borders:
        outside = (counts["gaps"] - counts["union"]) * pairs / counts["gaps"]
        pairs, agreeing, ratings = pairs - outside, agreeing - outside, counts["possible"]
    marks = counts["marks"]
    if not marks or marks == ratings:
        return Undefined(NO_CHANCE)
    # (P - Pe) / (1 - Pe) with 1 - Pe = 2 marks (ratings - marks) / ratings²
    return 1 - (pairs - agreeing) / pairs * ratings**2 / (2 * marks * (ratings - marks))


def alpha(counts: Counts) -> Value:
    """Krippendorff's alpha, nominal, nothing missing."""
    found = kappa(counts)
    if isinstance(found, Undefined):
        return found
    return 1 - (1 - found) * (counts["ratings"] - 1) / counts["ratings"]


def _too_few(counts: Counts) -> str:
    """Say why there is no pair of ratings."""
    if not counts["gaps"]:
        return NO_GAPS if "gaps" in counts else NONE_GIVEN
    return "" if counts["pairs"] else ONE_GIVEN
