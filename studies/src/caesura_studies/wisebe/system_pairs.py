"""Two systems on the same recordings, compared by each reference and by all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isclose

from caesura.core.protocols import Metric
from caesura.core.values import Undefined, Value
from caesura.evaluation.comparison import Comparison, Difference
from caesura.evaluation.reports.table import format_interval, format_p
from caesura.evaluation.scores import Scores
from caesura.metrics.boundary import Boundary
from caesura.metrics.majority import Majority
from caesura.metrics.wisebe import WiSeBE
from caesura_studies.report import format_difference, format_value, make_table
from caesura_studies.wisebe.paper import MEAN_F1, SYSTEMS, WINDOWS, WISEBE

METRICS: tuple[Metric, ...] = (Boundary(), Majority(), WiSeBE())

JOINT_JUDGES: Mapping[str, tuple[Metric, str]] = {
    MEAN_F1: (Boundary(), "f1"),
    "majority": (Majority(), "f1"),
    WINDOWS: (WiSeBE(), "f1"),
    WISEBE: (WiSeBE(), "wisebe"),
}
"""Measures that use all references at once: a metric and one of its values."""

TESTS_NOTE = (
    "Judges that use all references at once are the mean of F1 over them, F1 against their "
    "majority (boundaries that at least half of them have: of two references, either), and F1 "
    "over windows and WiSeBE with the paper's window limit. Intervals are of the bootstrap, p of "
    "approximate randomization; Holm's correction is for all rows of the table."
)


def winner(one: Value, other: Value) -> str:
    """Name the system with the higher value; '' for a tie or an undefined value."""
    if isinstance(one, Undefined) or isinstance(other, Undefined):
        return ""
    # Equal fractions may differ in the last bits.
    if isclose(one, other, abs_tol=1e-12):
        return ""
    return SYSTEMS[0] if one > other else SYSTEMS[1]


def disagree(*winners: str) -> bool:
    """Whether winners contradict each other; '' takes no side."""
    return len(set(winners) - {""}) > 1


def difference(one: Value, other: Value) -> Value:
    """Subtract two values if both are defined."""
    for value in (one, other):
        if isinstance(value, Undefined):
            return value
    return float(one - other)  # type: ignore[operator]


def by_metric(scores: Scores) -> dict[Metric, dict[str, Value]]:
    """Return the values of each metric over all recordings."""
    return dict(zip(scores.metrics, scores.values, strict=True))


def by_recording(scores: Scores, metric: Metric) -> list[dict[str, Value]]:
    """Return the values of a metric in each recording."""
    at = scores.metrics.index(metric)
    return [metric.values(each.counts[at]) for each in scores.documents]


@dataclass(frozen=True)
class SystemPair:
    """Two systems, called S1 and S2, and their scores."""

    references: Sequence[str]
    systems: tuple[str, str]
    scores: tuple[Scores, Scores]

    @property
    def judges(self) -> dict[str, tuple[Metric, str]]:
        """The metric and value of each single reference, then of each joint judge."""
        single = {name: (Boundary(), f"f1_{i}") for i, name in enumerate(self.references, 1)}
        return {**single, **JOINT_JUDGES}

    def values(self, judge: str) -> tuple[Value, Value]:
        """Return the values of both systems over all recordings."""
        metric, name = self.judges[judge]
        one, other = (by_metric(each)[metric][name] for each in self.scores)
        return one, other

    @cached_property
    def recordings(self) -> dict[str, list[tuple[Value, Value]]]:
        """The values of both systems in each recording, by judge."""
        found = {}
        for judge, (metric, name) in self.judges.items():
            one, other = (by_recording(each, metric) for each in self.scores)
            found[judge] = [(a[name], b[name]) for a, b in zip(one, other, strict=True)]
        return found

    def winners(self, judge: str) -> list[str]:
        """Name the better system in each recording."""
        return [winner(*pair) for pair in self.recordings[judge]]

    @cached_property
    def disputed(self) -> list[bool]:
        """For each recording, whether the winner changes with the reference."""
        columns = [self.winners(reference) for reference in self.references]
        return [disagree(*row) for row in zip(*columns, strict=True)]

    @property
    def changes_with_reference(self) -> bool:
        """Whether the winner over all recordings changes with the reference."""
        return disagree(*(winner(*self.values(reference)) for reference in self.references))

    def contradicts_mean_f1(self, judge: str) -> bool:
        """Whether a judge prefers another system than mean F1 does."""
        return disagree(winner(*self.values(judge)), winner(*self.values(MEAN_F1)))

    @cached_property
    def differences(self) -> dict[str, Difference]:
        """The difference of the systems by judge, with interval and p-values."""
        names = tuple(dict.fromkeys(name for _, name in self.judges.values()))
        rows = Comparison(self.systems, self.scores, names).rows
        found = {(row.metric, row.value): row for row in rows}
        return {judge: found[repr(metric), name] for judge, (metric, name) in self.judges.items()}

    def table(self) -> str:
        """Return a table of the judgements over all recordings."""
        head = ("judge", "better", *SYSTEMS, "S1 − S2", "95% interval", "p", "p (Holm)")
        rows = []
        for judge, row in self.differences.items():
            values = self.values(judge)
            numbers = [
                *map(format_value, values),
                format_difference(difference(*values)),
                format_interval(row.interval),
            ]
            chances = [format_p(row.p_randomization), format_p(row.p_corrected)]
            rows.append([judge, winner(*values) or "neither", *numbers, *chances])
        return make_table(head, rows, 2)
