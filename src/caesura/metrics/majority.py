"""Several references made one: what most of them have, or what all and none of them have."""

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
    by_reference,
    ends,
    marks,
    mean,
    missing,
    refuse_other_lengths,
)
from caesura.metrics.boundary import Boundary

NO_MAJORITY = "no boundary is in enough references"


@dataclass(frozen=True, repr=False)
class Majority(GapMetric):
    """Precision, recall, F1 and slot error rate against the majority of several references.

    The majority reference (Boháč and others) has a boundary where at least `k` references
    have one; without `k` where at least half of them have one, which of an even number is not
    more than the others. The end of the recording is not counted.
    """

    k: int | None = None

    name = "Majority"
    best: ClassVar = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "ser": 0.0}
    main = "f1"

    def __post_init__(self) -> None:
        if self.k is not None and (type(self.k) is not int or self.k < 1):
            raise ValueError(f"k is a number of references from 1 on, not {self.k!r}")

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Tell correct, missing and spurious boundaries apart."""
        if not references:
            return
        most = len(references)
        k = (most + 1) // 2 if self.k is None else self.k
        if k > most:
            raise MismatchError(
                f"a majority of {k} cannot be had from {most} reference{'s' * (most > 1)}",
                where=hypothesis.id,
                remedy="use a smaller k, or none: Majority()",
            )
        refuse_other_lengths(hypothesis, references)
        ours, theirs = ends(hypothesis), marks(references) >= k
        yield "correct", ours & theirs
        yield "missing", theirs & ~ours
        yield "spurious", ours & ~theirs

    def values(self, counts: Counts) -> dict[str, Value]:
        """Precision, recall, F1 and slot error rate, and the counts."""
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
    """Both slot error rates of Kolář and Lamel against several references; less is better.

    `ser1` is the mean of the slot error rates against each reference. `ser2` counts as errors
    only boundaries that no reference has (`insertions`) and those missing that all have
    (`deletions`), for each boundary of a reference in the mean. The end of the recording is
    not counted.
    """

    name = "KolarLamel"
    best: ClassVar = {"ser1": 0.0, "ser2": 0.0}
    main = "ser1"

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Count against all references at once, then against each."""
        if not references:
            return
        refuse_other_lengths(hypothesis, references)
        ours, at = ends(hypothesis), marks(references)
        common = at == len(references)
        yield "insertions", ours & (at == 0)
        yield "deletions", common & ~ours
        yield "common", common
        for number, reference in enumerate(references, 1):
            theirs = ends(reference)
            yield f"errors_{number}", ours != theirs
            yield f"boundaries_{number}", theirs

    def values(self, counts: Counts) -> dict[str, Value]:
        """Both rates, and the errors of the second."""
        parts = by_reference(counts)
        if not parts:
            return dict.fromkeys(self.best, Undefined(NONE_GIVEN))
        rates = [ratio(one["errors"], one["boundaries"], NO_REFERENCE) for one in parts]
        return {
            "ser1": mean(rates),
            "ser2": _second(counts["insertions"] + counts["deletions"], parts),
            "insertions": counts["insertions"],
            "deletions": counts["deletions"],
        }

    def missed(self, lost: Sequence[Indices], count: int) -> PerGapCounts | None:
        """Count them as errors of the first rate."""
        return missing(lost, count, "errors", "boundaries")

    def remarks(self, counts: Counts) -> list[str]:
        """Name the fault of the second rate by what it gives for nothing."""
        parts = by_reference(counts)
        empty = _second(counts["common"], parts)
        if len(parts) < 2 or isinstance(empty, Undefined):
            return []
        return [
            f"a hypothesis without boundaries has ser2 = {empty:.4f} here: it misses only what "
            f"all references share, and scores 0 where they share nothing"
        ]


def _second(errors: float, parts: Sequence[Counts]) -> Value:
    """Give `ser2` of so many errors: for each boundary of a reference in the mean."""
    return ratio(errors * len(parts), sum(one["boundaries"] for one in parts), NO_BOUNDARY)
