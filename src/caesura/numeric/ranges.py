"""Ranges of a setting, as users write them: `window_gap=0:20`, `words=0:10:2`, `k=2,5,10`."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite
from typing import Any

from caesura.errors import UnknownName

COMMA = re.compile(r",(?![^(]*\))")
"""A comma between values, and not inside one that is written in brackets."""

MOST_POINTS = 1000
HOW = "setting=first:last, setting=first:last:step or setting=one,another"


def number(text: str) -> int | float:
    """Read a whole number or a fraction; anything else is a `ValueError`."""
    try:
        value = float(text)
    except ValueError as error:
        raise ValueError from error
    if not isfinite(value):
        raise ValueError
    return int(text) if text.strip().lstrip("+-").isdecimal() else value


def points(
    text: str, what: str = "sweep", single: Callable[[str], Any] = number
) -> tuple[str, tuple[Any, ...]]:
    """Read a setting and its values; `single` reads those that stand in a list."""
    setting, equals, values = text.partition("=")
    try:
        found = _range(values) if ":" in values else tuple(map(single, COMMA.split(values)))
    except ValueError as error:
        reason = str(error) or f"write {HOW}"
        raise UnknownName(f"{text!r} is not a {what}", remedy=reason) from error
    if not equals or not setting.strip():
        raise UnknownName(f"{text!r} is not a {what}", remedy=f"write {HOW}")
    if len(found) > MOST_POINTS:
        raise UnknownName(
            f"{text!r} has {len(found)} points", remedy=f"{what} through {MOST_POINTS} at most"
        )
    return setting.strip(), found


def _range(values: str) -> tuple[Any, ...]:
    first, last, *more = [number(each) for each in values.split(":")]
    if not more and not (isinstance(first, int) and isinstance(last, int)):
        raise ValueError("a range of fractions needs a step, as in seconds=0.1:0.5:0.1")
    step = more[0] if more else 1
    if len(more) > 1 or step <= 0 or last < first or (last - first) / step > MOST_POINTS * 10:
        raise ValueError
    # A millionth of a step makes up for what floats lack.
    count = int((last - first) / step + 1e-6) + 1
    return tuple(number(repr(round(first + i * step, 9))) for i in range(count))
