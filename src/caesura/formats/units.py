"""Sentence units that a file gives by their times, and the sentence ends they make."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from caesura.formats.rows import Rows

Place = tuple[float, ...]
"""Orders what happens at the same time: where it stands in the file."""


class Unit(NamedTuple):
    """A stretch of time in which somebody ('' is anybody) says a sentence.

    `label` is the class of the sentence's end.
    """

    start: float
    end: float
    place: Place
    speaker: str = ""
    label: str = ""


class Units:
    """Sentence units, to be asked for the one a word lies in."""

    def __init__(self, units: Iterable[Unit], slack: float = 0.0) -> None:
        """Take the units; words may lie outside theirs by `slack` seconds."""
        self.slack = slack
        self.units: dict[str, list[Unit]] = {}
        for unit in sorted(u for u in units if u.end >= u.start):
            self.units.setdefault(unit.speaker, []).append(unit)
        self.starts = {who: [unit.start for unit in found] for who, found in self.units.items()}
        self.latest = {
            who: list(accumulate((unit.end for unit in found), max))
            for who, found in self.units.items()
        }

    def of(self, middle: float, place: Place, speaker: str) -> Unit | None:
        """Find the unit of a word: of its speaker, or of anybody, around the word's middle.

        Where several meet, it is the last one that begins before the word.
        """
        if math.isnan(middle):
            return None
        around = [
            unit for who in dict.fromkeys((speaker, "")) for unit in self._around(who, middle)
        ]
        before = [unit for unit in around if unit.place <= place]
        return max(before or around, key=lambda unit: unit.place, default=None)

    def _around(self, speaker: str, time: float) -> Iterator[Unit]:
        units, latest = self.units.get(speaker, []), self.latest.get(speaker, [])
        at = bisect_right(self.starts.get(speaker, []), time + self.slack) - 1
        while at >= 0 and latest[at] >= time - self.slack:
            if units[at].end >= time - self.slack:
                yield units[at]
            at -= 1


def end_sentences(rows: Rows, owners: Sequence[object], labels: Sequence[str]) -> None:
    """End a sentence after the last word of each unit; `owners` has the unit of each word.

    Words that are in no unit have None, and end nothing.
    """
    lasts = {owner: at for at, owner in enumerate(owners) if owner is not None}
    if lasts:
        rows.ends = sorted(lasts.values())
        rows.labels = {at: labels[at] for at in rows.ends if labels[at]}
