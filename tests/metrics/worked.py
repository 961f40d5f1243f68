"""Worked examples of boundary metrics, and the video of the WiSeBE paper."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined, Value
from metrics import video_v6
from metrics.oracle import Exact, Places, text

Example = tuple[int, list[Places], Places]

DIFFER: Example = (16, [{4, 8, 12}, {4, 9, 12}, {5, 12}], {4, 9, 10, 14})
EQUAL: Example = (12, [{4, 8}] * 3, {4, 7})
SCATTERED: Example = (14, [{3, 10}, {5, 10}, {8, 12}], {4, 9, 10})
DISJOINT: Example = (12, [{3}, {6}, {9}], set())


def scored(metric: Metric, example: Example) -> dict[str, Value]:
    """Return the values of one document."""
    count, references, hypothesis = example
    counts = metric.count(text(count, hypothesis), [text(count, each) for each in references])
    return metric.values(counts)


def exact(cells: str) -> list[Exact]:
    """Read fractions from a line; '-' is undefined."""
    return [None if cell == "-" else Fraction(cell) for cell in cells.split()]


def averaged(values: Sequence[Exact]) -> Exact:
    """Return the mean; undefined if one of them is."""
    known = [value for value in values if value is not None]
    complete = values and len(known) == len(values)
    return sum(known, Fraction(0)) / len(known) if complete else None


def printed(values: dict[str, Value], name: str, cells: str) -> None:
    """Assert that the value of each reference equals a printed decimal number."""
    for number, cell in enumerate(cells.split(), 1):
        value = values[f"{name}_{number}"]
        assert not isinstance(value, Undefined)
        assert value == pytest.approx(float(cell), abs=0.5001 * 10.0 ** -len(cell.split(".")[1]))


def video() -> tuple[list[Transcript], list[Transcript]]:
    """Return two systems and three references of the video v6 of the WiSeBE paper."""
    texts = video_v6.video()
    return [texts[name] for name in "AB"], [texts[name] for name in "123"]
