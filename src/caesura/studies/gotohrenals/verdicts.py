"""What tests of two systems say, with the paper's names of measures."""

from __future__ import annotations

from caesura.comparison import Difference
from caesura.studies import verdicts
from caesura.studies.gotohrenals.measuring import MEASURES
from caesura.studies.verdicts import Tests


def shown(tests: Tests) -> str:
    """Lay out the differences of systems."""
    return verdicts.shown(tests, MEASURES)


def verdict(row: Difference, one: str, other: str) -> str:
    """Say in words who is better, and how sure that is."""
    return verdicts.verdict(row, one, other, MEASURES)
