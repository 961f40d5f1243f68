"""The words around a place, which show a reader where texts differ."""

from __future__ import annotations

from caesura.transcript import Strings

AROUND = 3
"""Words that are told before and after a place."""


def surrounding(words: Strings, first: int, last: int) -> tuple[str, str]:
    """Give what stands before word `first` and after word `last`."""
    before, after = words[max(0, first - AROUND) : first], words[last + 1 : last + 1 + AROUND]
    return " ".join(before), " ".join(after)
