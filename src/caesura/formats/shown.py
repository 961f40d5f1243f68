"""Cues as they are shown: lines of text, parted where speakers, times or marks change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

AT_ONCE = 0.02
"""Seconds; a cue that begins so soon after another one ends follows it at once."""


class Run(NamedTuple):
    """Text of a line that has one speaker; its first word may have a start, its last an end."""

    text: str
    start: float = math.nan
    end: float = math.nan
    speaker: str = ""
    marked: bool = False
    """Whether it is underlined or coloured."""


Line = Sequence[Run]


class Shown(NamedTuple):
    """Lines that are shown from `start` to `end` (seconds)."""

    start: float
    end: float
    lines: Sequence[Line]

    def plain(self) -> list[str]:
        """Give the lines that have text, without what surrounds it."""
        return [text for text in map(plain, self.lines) if text]

    def follows(self, other: Shown) -> bool:
        """Whether it is shown as soon as another cue ends."""
        return self.start - other.end <= AT_ONCE


def whole(line: Line) -> str:
    """Give the text of a line as it is written."""
    return "".join(run.text for run in line)


def plain(line: Line) -> str:
    """Give the text of a line with single blanks."""
    return " ".join(whole(line).split())


def counted_from(zero: float, shown: Sequence[Shown]) -> Sequence[Shown]:
    """Let times count from `zero`; they do already if some start lies before it."""
    starts = [cue.start for cue in shown]
    starts += (run.start for cue in shown for line in cue.lines for run in line)
    if not zero or any(start < zero for start in starts):
        return shown
    return [
        Shown(
            round(cue.start - zero, 6),
            round(cue.end - zero, 6),
            [[_earlier(run, zero) for run in line] for line in cue.lines],
        )
        for cue in shown
    ]


def _earlier(run: Run, by: float) -> Run:
    return run._replace(start=round(run.start - by, 6), end=round(run.end - by, 6))
