"""What tests of two systems say, with the paper's names of measures."""

from __future__ import annotations

from caesura.evaluation.comparison import Difference
from caesura_studies import verdicts
from caesura_studies.gotohrenals.measuring import MEASURES
from caesura_studies.verdicts import Tests


def shown(tests: Tests) -> str:
    """Lay out the differences of systems."""
    return verdicts.shown(tests, MEASURES)


def verdict(row: Difference, one: str, other: str) -> str:
    """Say in words who is better, and how sure that is."""
    return verdicts.verdict(row, one, other, MEASURES)
