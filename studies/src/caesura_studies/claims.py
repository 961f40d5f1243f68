"""Claims of papers, decided by the tests of a study."""

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
from caesura_studies.report import signed, table

SURE = 0.05
"""A p-value below which a difference is not put down to chance."""

GOALS = {"f1": 1, "ser": -1}
"""What is better: a high F1, or a low slot error rate."""

Sure = tuple[Value, Interval | Undefined]
"""A value with its interval."""


def value(scores: Scores, name: str) -> Value:
    """Give one value over all recordings."""
    return scores.values[0][name]


def sure_value(scores: Scores, name: str) -> Sure:
    """Give it with its interval."""
    return value(scores, name), scores.intervals[0].get(name, Undefined("there is no value"))


def better(row: Difference) -> int:
    """Say who is better beyond chance: 1 for the first system, -1 for the second, 0 for none."""
    if row.difference is None or row.p_corrected is None or row.p_corrected >= SURE:
        return 0
    return (1 if row.difference > 0 else -1) * GOALS[row.value]


def rate(parts: ArrayLike, wholes: ArrayLike, resampling: Resampling) -> Sure:
    """Divide sums over recordings, and draw the recordings again."""
    rows = np.array([parts, wholes], float).T
    drawn = [_quotient(row) for (row,) in bootstrap_sums([rows], resampling)]
    return _quotient(rows.sum(0)), percentile_interval(drawn, resampling.level)


def _quotient(row: Rows) -> Value:
    return ratio(float(row[0]), float(row[1]), "there is nothing to divide by")


Tests = Mapping[tuple[str, str, str], Difference]
"""Differences by measure, one system and the other."""

Titles = Mapping[str, str]
"""What a study calls each measure."""


def shown(tests: Tests, titles: Titles) -> str:
    """Lay out the differences of systems."""
    rows = [
        [
            titles[measure],
            f"{one} − {other}",
            signed(Undefined(row.undefined) if row.difference is None else row.difference),
            format_interval(row.interval),
            format_p(row.p_randomization),
            format_p(row.p_corrected),
            _who(row, one, other),
        ]
        for (measure, one, other), row in tests.items()
    ]
    head = ("measure", "systems", "difference", "95% interval", "p", "p (Holm)", "better")
    return table(head, rows, 2)


def _who(row: Difference, one: str, other: str) -> str:
    return {1: one, -1: other, 0: "open"}[better(row)]


def verdict(row: Difference, one: str, other: str, titles: Titles) -> str:
    """Say in words who is better, and how sure that is."""
    if row.difference is None:
        return f"{one} and {other} cannot be compared ({row.undefined})"
    ahead = better(row)
    numbers = f"{titles[row.value]} {signed(row.difference)}, p {format_p(row.p_corrected)}"
    if not ahead:
        return f"chance explains the difference of {one} and {other} ({numbers})"
    first, second = (one, other) if ahead > 0 else (other, one)
    return f"{first} beats {second} ({one} − {other}: {numbers})"


def found(tests: Tests, measure: str, one: str, other: str) -> Difference:
    """Find the test of two systems, whichever was named first; turned if need be."""
    if (measure, one, other) in tests:
        return tests[measure, one, other]
    row = tests[measure, other, one]
    if row.difference is None:
        return row
    around = row.interval and (-row.interval[1], -row.interval[0])
    return Difference(
        row.metric,
        row.value,
        row.b,
        row.a,
        -row.difference,
        around,
        row.p_bootstrap,
        row.p_randomization,
        row.p_corrected,
    )


@dataclass(frozen=True)
class Claim:
    """A claim, how many of the comparisons bear it out beyond chance, and the details.

    `signs` has for each comparison 1 if it bears the claim out, -1 if it says the opposite, and
    0 if chance explains the difference.
    """

    text: str
    signs: tuple[int, ...]
    details: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Sum up."""
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
    def counted(self) -> str:
        """Say how often each way."""
        for_it = sum(sign > 0 for sign in self.signs)
        against = sum(sign < 0 for sign in self.signs)
        return f"{for_it} for, {against} against, {len(self.signs) - for_it - against} open"


Told = tuple[int, str]
"""What a comparison says of a claim, as a sign and in words."""


def claim(text: str, comparisons: Iterable[Told]) -> Claim:
    """Put together what comparisons say of a claim."""
    rows = list(comparisons)
    return Claim(text, tuple(sign for sign, _ in rows), tuple(told for _, told in rows))


def grouped(title: str, claims: Sequence[Claim]) -> list[str]:
    """Name the claims of each verdict."""
    groups: dict[str, list[str]] = {}
    for each in claims:
        groups.setdefault(each.verdict, []).append(each.text)
    return [f"{title} – {verdict}: {'; '.join(texts)}." for verdict, texts in groups.items()]


def laid_out(claims: Sequence[Claim]) -> str:
    """Make a table of claims and what became of them."""
    rows = [[each.text, each.verdict, each.counted] for each in claims]
    return table(("claim", "our data", "comparisons"), rows, 2)
