"""What was found out about two transcripts, kept for a while, and never too much of it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, NamedTuple, TypeVar

from caesura.contracts import Metric
from caesura.transcript import Transcript

T = TypeVar("T")
Key = tuple[Metric, int, int]

MOST = 2_000_000
"""Words of all transcripts together whose results are kept."""


class Entry(NamedTuple, Generic[T]):
    """A result, and the transcripts it is of, so that their identities are not used again."""

    one: Transcript
    other: Transcript
    found: T

    @property
    def words(self) -> int:
        """How many words it is about, and one at least."""
        return 1 + len(self.one) + len(self.other)


class Kept(Generic[T]):
    """Results by metric and pair of transcripts, which are known by identity, not by value."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Key, Entry[T]] = OrderedDict()
        self._words = 0

    def put(self, metric: Metric, one: Transcript, other: Transcript, found: T) -> T:
        """Keep a result, at the cost of the oldest ones; gives it back."""
        key, entry = (metric, id(one), id(other)), Entry(one, other, found)
        self._drop(key)
        self._entries[key] = entry
        self._words += entry.words
        while self._words > MOST:
            self._drop(next(iter(self._entries)))
        return found

    def get(self, metric: Metric, one: Transcript, other: Transcript) -> T | None:
        """Give a result that is still kept."""
        entry = self._entries.get((metric, id(one), id(other)))
        return entry.found if entry else None

    def _drop(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        self._words -= entry.words if entry else 0
