"""What was found out about two transcripts, kept for as long as both are in use."""

from __future__ import annotations

import weakref
from typing import Generic, TypeVar

from caesura.contracts import Metric
from caesura.transcript import Transcript

T = TypeVar("T")
Key = tuple[Metric, int, int]


class Kept(Generic[T]):
    """Results by metric and pair of transcripts, which are known by identity, not by value."""

    def __init__(self) -> None:
        self._found: dict[Key, T] = {}

    def put(self, metric: Metric, one: Transcript, other: Transcript, found: T) -> T:
        """Keep a result until one of the transcripts is gone; gives it back."""
        key = metric, id(one), id(other)
        if key not in self._found:
            for each in (one, other):
                # An identity may be used again, by another transcript.
                weakref.finalize(each, self._found.pop, key, None).atexit = False
        self._found[key] = found
        return found

    def get(self, metric: Metric, one: Transcript, other: Transcript) -> T | None:
        """Give a result that was kept, if there is one."""
        return self._found.get((metric, id(one), id(other)))
