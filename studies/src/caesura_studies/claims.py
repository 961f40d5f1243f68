"""Claims of papers, tested on the data of a study.

`value`, `value_with_interval` and `rate` read numbers and their confidence intervals from scores.
`Tests` are paired tests between systems: `tests_table` and `verdict` describe them, `find_test`
looks one up. A `Claim` collects the tests that support or contradict one sentence of a paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from caesura.core.values import Undefined, Value, ratio
from caesura.evaluation.comparison import Difference
from caesura.evaluation.reports.table import format_interval, format_p
from caesura.evaluation.resampling import (
    Interval,
    Resampling,
    Rows,
    bootstrap_sums,
    percentile_interval,
)
from caesura.evaluation.scores import Scores
from caesura_studies.report import format_difference, make_table

SIGNIFICANCE_LEVEL = 0.05
"""A difference is significant if its p-value is below this."""

GOALS = {"f1": 1, "ser": -1}
"""The sign of an improvement: a higher F1 or a lower slot error rate."""

ValueWithInterval = tuple[Value, Interval | Undefined]
"""A value and its confidence interval."""

Tests = Mapping[tuple[str, str, str], Difference]
"""Differences by measure, first system and second system."""

Titles = Mapping[str, str]
"""The title of each measure in the report."""

Evidence = tuple[int, str]
"""One comparison for a claim: its sign (see `Claim.signs`) and its description."""


def value(scores: Scores, name: str) -> Value:
    """Return one value over all recordings."""
    return scores.values[0][name]


def value_with_interval(scores: Scores, name: str) -> ValueWithInterval:
    """Return one value over all recordings and its confidence interval."""
    return value(scores, name), scores.intervals[0].get(name, Undefined("there is no value"))


def rate(parts: ArrayLike, wholes: ArrayLike, resampling: Resampling) -> ValueWithInterval:
    """Divide two sums over recordings; bootstrap the recordings for the interval."""
    rows = np.array([parts, wholes], float).T
    resampled = [_quotient(row) for (row,) in bootstrap_sums([rows], resampling)]
    return _quotient(rows.sum(0)), percentile_interval(resampled, resampling.level)


def _quotient(row: Rows) -> Value:
    return ratio(float(row[0]), float(row[1]), "there is nothing to divide by")


def better_system(row: Difference) -> int:
    """Return 1 if the first system is significantly better, -1 if the second is, else 0."""
    if row.difference is None or row.p_corrected is None or row.p_corrected >= SIGNIFICANCE_LEVEL:
        return 0
    return (1 if row.difference > 0 else -1) * GOALS[row.value]


def find_test(tests: Tests, measure: str, one: str, other: str) -> Difference:
    """Return the test of two systems, with flipped signs if it was stored in the other order."""
    if (measure, one, other) in tests:
        return tests[measure, one, other]
    row = tests[measure, other, one]
    if row.difference is None:
        return row
    flipped = row.interval and (-row.interval[1], -row.interval[0])
    return Difference(
        row.metric,
        row.value,
        row.b,
        row.a,
        -row.difference,
        flipped,
        row.p_bootstrap,
        row.p_randomization,
        row.p_corrected,
    )


def tests_table(tests: Tests, titles: Titles) -> str:
    """Return a Markdown table of the differences between systems."""
    rows = [
        [
            titles[measure],
            f"{one} − {other}",
            format_difference(
                Undefined(row.undefined) if row.difference is None else row.difference
            ),
            format_interval(row.interval),
            format_p(row.p_randomization),
            format_p(row.p_corrected),
            {1: one, -1: other, 0: "open"}[better_system(row)],
        ]
        for (measure, one, other), row in tests.items()
    ]
    head = ("measure", "systems", "difference", "95% interval", "p", "p (Holm)", "better")
    return make_table(head, rows, 2)


def verdict(row: Difference, one: str, other: str, titles: Titles) -> str:
    """Say which system is better, by how much and with which p-value."""
    if row.difference is None:
        return f"{one} and {other} cannot be compared ({row.undefined})"
    sign = better_system(row)
    numbers = (
        f"{titles[row.value]} {format_difference(row.difference)}, p {format_p(row.p_corrected)}"
    )
    if not sign:
        return f"chance explains the difference of {one} and {other} ({numbers})"
    first, second = (one, other) if sign > 0 else (other, one)
    return f"{first} beats {second} ({one} − {other}: {numbers})"


@dataclass(frozen=True)
class Claim:
    """A claim and the comparisons that support or contradict it.

    `signs` has one number for each comparison: 1 if it supports the claim, -1 if it contradicts
    it, 0 if the difference is not significant. `details` describes each comparison.
    """

    text: str
    signs: tuple[int, ...]
    details: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """The result over all comparisons."""
        if not self.signs:
            return "not tested"
        if all(sign > 0 for sign in self.signs):
            return "holds"
        if all(sign < 0 for sign in self.signs):
            return "refuted"
        if not any(self.signs):
            return "open"
        return "holds in part" if any(sign > 0 for sign in self.signs) else "does not hold"

    @property
    def tally(self) -> str:
        """The number of comparisons for the claim, against it and open."""
        supporting = sum(sign > 0 for sign in self.signs)
        against = sum(sign < 0 for sign in self.signs)
        return f"{supporting} for, {against} against, {len(self.signs) - supporting - against} open"


def claim(text: str, comparisons: Iterable[Evidence]) -> Claim:
    """Make a claim from its comparisons."""
    rows = list(comparisons)
    return Claim(text, tuple(sign for sign, _ in rows), tuple(details for _, details in rows))


def verdict_summary(title: str, claims: Sequence[Claim]) -> list[str]:
    """Return one line for each verdict, with the claims that have it."""
    groups: dict[str, list[str]] = {}
    for each in claims:
        groups.setdefault(each.verdict, []).append(each.text)
    return [f"{title} – {verdict}: {'; '.join(texts)}." for verdict, texts in groups.items()]


def claims_table(claims: Sequence[Claim]) -> str:
    """Return a Markdown table of claims and their verdicts."""
    rows = [[each.text, each.verdict, each.tally] for each in claims]
    return make_table(("claim", "our data", "comparisons"), rows, 2)
