"""What tests of two systems say, in tables and in words."""

from __future__ import annotations

from collections.abc import Mapping

from caesura.core.values import Undefined
from caesura.evaluation.comparison import Difference
from caesura.evaluation.reports.table import between, chance
from caesura_studies.measures import better
from caesura_studies.writing import signed, table

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
            between(row.interval),
            chance(row.p_randomization),
            chance(row.p_corrected),
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
    numbers = f"{titles[row.value]} {signed(row.difference)}, p {chance(row.p_corrected)}"
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
