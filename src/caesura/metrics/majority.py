"""Majority and KolarLamel: slot error rates that join several references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from caesura.core.arrays import Indices
from caesura.core.errors import MismatchError
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.metrics.base import (
    NO_BOUNDARY,
    NO_REFERENCE,
    NONE_GIVEN,
    GapMetric,
    boundary_flags,
    lost_boundary_counts,
    mean_over_references,
    require_same_length,
    split_by_reference,
    votes,
)
from caesura.metrics.boundary import Boundary

NO_MAJORITY = "no boundary is in enough references"


@dataclass(frozen=True, repr=False)
class Majority(GapMetric):
    """Precision, recall, F1 and slot error rate against the majority of the references.

    The majority reference (Boháč and others) has a boundary where at least `k` references have
    one; without `k`, where at least half of them have one (of two references: one). The rates
    are those of `Boundary`. The end of the recording is not counted.
    """

    k: int | None = None

    name = "Majority"
    best: ClassVar = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "ser": 0.0}
    main = "f1"

    def __post_init__(self) -> None:
        if self.k is not None and (type(self.k) is not int or self.k < 1):
            raise ValueError(f"k is a number of references >= 1, not {self.k!r}")

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield correct, missing and spurious boundaries."""
        if not references:
            return
        most = len(references)
        k = (most + 1) // 2 if self.k is None else self.k
        if k > most:
            raise MismatchError(
                f"a majority of {k} needs more than {most} reference{'s' * (most > 1)}",
                where=hypothesis.id,
                remedy="use a smaller k, or none: Majority()",
            )
        require_same_length(hypothesis, references)
        ours, theirs = boundary_flags(hypothesis), votes(references) >= k
        yield "correct", ours & theirs
        yield "missing", theirs & ~ours
        yield "spurious", ours & ~theirs

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return precision, recall, F1, slot error rate and the counts."""
        rates = Boundary().rates(counts)
        if not counts:
            return dict.fromkeys(rates, Undefined(NONE_GIVEN))
        nothing = Undefined(NO_REFERENCE)
        found: dict[str, Value] = {
            name: Undefined(NO_MAJORITY) if value == nothing else value
            for name, value in rates.items()
        }
        return found | dict(counts)


@dataclass(frozen=True, repr=False)
class KolarLamel(GapMetric):
    """Both slot error rates of Kolář and Lamel for several references; lower is better.

    `ser1` is the mean of the slot error rates for each reference. `ser2` = (insertions +
    deletions) / (mean number of boundaries in a reference), where insertions are hypothesis
    boundaries that no reference has, and deletions are missing boundaries that all references
    have. The end of the recording is not counted.
    """

    name = "KolarLamel"
    best: ClassVar = {"ser1": 0.0, "ser2": 0.0}
    main = "ser1"

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield the counts for all references together, then for each."""
        if not references:
            return
        require_same_length(hypothesis, references)
        ours, at = boundary_flags(hypothesis), votes(references)
        common = at == len(references)
        yield "insertions", ours & (at == 0)
        yield "deletions", common & ~ours
        yield "common", common
        for number, reference in enumerate(references, 1):
            theirs = boundary_flags(reference)
            yield f"errors_{number}", ours != theirs
            yield f"boundaries_{number}", theirs

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return both rates, and the errors of the second."""
        parts = split_by_reference(counts)
        if not parts:
            return dict.fromkeys(self.best, Undefined(NONE_GIVEN))
        rates = [ratio(one["errors"], one["boundaries"], NO_REFERENCE) for one in parts]
        return {
            "ser1": mean_over_references(rates),
            "ser2": _ser2(counts["insertions"] + counts["deletions"], parts),
            "insertions": counts["insertions"],
            "deletions": counts["deletions"],
        }

    def missed_counts(self, lost: Sequence[Indices], count: int) -> PerGapCounts | None:
        """Count boundaries that were lost in an alignment as errors of the first rate."""
        return lost_boundary_counts(lost, count, "errors", "boundaries")

    def remarks(self, counts: Counts) -> list[str]:
        """Say what the second rate is for an empty hypothesis, which shows its weakness."""
        parts = split_by_reference(counts)
        empty = _ser2(counts["common"], parts)
        if len(parts) < 2 or isinstance(empty, Undefined):
            return []
        return [
            f"a hypothesis without boundaries has ser2 = {empty:.4f} here: it misses only the "
            f"boundaries that all references share, and scores 0 if they share none"
        ]


def _ser2(errors: float, parts: Sequence[Counts]) -> Value:
    """Return errors / (mean number of boundaries in a reference)."""
    return ratio(errors * len(parts), sum(one["boundaries"] for one in parts), NO_BOUNDARY)
