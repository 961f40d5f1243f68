"""Boundaries that may be a little off: tolerance in words or seconds, and the best matching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar, NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Indices, Strings
from caesura.core.errors import LayerError
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value
from caesura.metrics.base import Pairwise, ends, missing
from caesura.metrics.boundary import Boundary

WORDS = 2
"""The tolerance if none is given."""

MICROSECONDS = 1_000_000
MOST_SECONDS = 1e12


@dataclass(frozen=True, repr=False)
class Tolerant(Pairwise):
    """Precision, recall, F1 and slot error rate of boundaries that may be a little off.

    Boundaries at most `words` words apart (2 if nothing is given) can be matched, or, with
    `seconds`, at most so many seconds, whatever the words. Each is matched once, and as many
    are matched as possible. The time of a boundary is the end of the word before it; where it
    is not known it lies on the line between the nearest known ones, or is the nearest if
    there is only one side, and the boundary counts as `untimed`. Times are compared in whole
    microseconds. The end of the recording is not counted. Of several references it is the
    mean.
    """

    words: int | None = None
    seconds: float | None = None

    name = "Tolerant"
    best: ClassVar = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "ser": 0.0}
    main = "f1"

    def __post_init__(self) -> None:
        if self.seconds is None:
            words = WORDS if self.words is None else self.words
            if type(words) is not int or words < 0:
                raise ValueError(f"words is a number of words, not {words!r}")
            object.__setattr__(self, "words", words)
            return
        if self.words not in (None, WORDS):
            raise ValueError("the tolerance is in words or in seconds, not in both")
        object.__setattr__(self, "words", None)
        if type(self.seconds) not in (int, float) or not 0 <= self.seconds < inf:
            raise ValueError(f"seconds is a number of seconds, not {self.seconds!r}")
        object.__setattr__(self, "seconds", float(self.seconds))

    @property
    def same_words(self) -> bool:  # type: ignore[override]
        """Whether hypothesis and references must have the same words."""
        return self.seconds is None

    @property
    def compares(self) -> Strings:  # type: ignore[override]
        """Layers of hypothesis and references that must be known."""
        return ("sentences",) if self.seconds is None else ("sentences", "end")

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Match boundaries; what a reference has alone goes to the nearest gap."""
        if self.seconds is None:
            line, other = _by_words(hypothesis), _by_words(reference)
            tolerance = self.words or 0
        else:
            line, other = _by_time(hypothesis), _by_time(reference)
            tolerance = round(self.seconds * MICROSECONDS)
        ours, theirs = line.boundaries(hypothesis), other.boundaries(reference)
        found, met = matched(line.at[ours], other.at[theirs], tolerance)
        places = theirs if self.seconds is None else line.nearest(other.at[theirs])
        # a hypothesis without words still has a cell for what it misses, as bincount makes one
        count = len(hypothesis)
        yield "matched", np.bincount(ours[found], minlength=count)
        yield "missing", np.bincount(places[~met], minlength=count)
        yield "spurious", np.bincount(ours[~found], minlength=count)
        if self.seconds is not None:
            untimed = np.concatenate([ours[line.guessed[ours]], places[other.guessed[theirs]]])
            yield "untimed", np.bincount(untimed, minlength=count)

    def missed(self, lost: Sequence[Indices], count: int) -> PerGapCounts | None:
        """Count them as missing."""
        return missing(lost, count, "missing")

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Precision, recall, F1 and slot error rate."""
        return Boundary().rates(
            Counts(
                correct=counts["matched"], missing=counts["missing"], spurious=counts["spurious"]
            )
        )


class Line(NamedTuple):
    """Where the gaps of a text lie on a line, in whole numbers, and which of them by guess."""

    at: Indices
    guessed: Flags

    def boundaries(self, transcript: Transcript) -> Indices:
        """Give the gaps with a boundary, as they follow one another on the line."""
        gaps = np.flatnonzero(ends(transcript))
        return gaps[np.argsort(self.at[gaps], kind="stable")]

    def nearest(self, at: Indices) -> Indices:
        """Give for each of these places the nearest gap, 0 if there is none."""
        if not len(self.at):
            return np.zeros(len(at), np.int64)
        order = np.argsort(self.at, kind="stable")
        line = self.at[order]
        after = np.searchsorted(line, at).clip(max=len(line) - 1)
        before = (after - 1).clip(min=0)
        return order[np.where(at - line[before] < line[after] - at, before, after)]


def _by_words(transcript: Transcript) -> Line:
    count = len(transcript)
    return Line(np.arange(count), np.zeros(count, np.bool_))


def _by_time(transcript: Transcript) -> Line:
    """End of the word before each gap, with what is not known put in between."""
    end, count = transcript.end, len(transcript)
    known = np.zeros(count, np.bool_) if end is None else np.isfinite(end)
    if end is None or not known.any():
        if count:
            raise LayerError(
                "no word has an end time, and boundaries are to be matched by time",
                where=transcript.id,
                remedy="use Tolerant(words=2), or a format that has times",
            )
        return _by_words(transcript)
    if np.abs(end[known]).max() > MOST_SECONDS:
        raise LayerError("end times are beyond all recordings", where=transcript.id)
    if not known.all():
        end = np.interp(np.arange(count), np.flatnonzero(known), end[known])
    return Line(np.rint(end * MICROSECONDS).astype(np.int64), ~known)


def matched(ours: Indices, theirs: Indices, tolerance: int) -> tuple[Flags, Flags]:
    """Flag the places of two ascending rows that have partners in a largest matching.

    To match the earliest two that can be matched is never worse: whoever else could have
    either of them can have nobody earlier, and swapping partners keeps all in tolerance.
    """
    mine, other = ours.tolist(), theirs.tolist()
    found, met = [False] * len(mine), [False] * len(other)
    i = j = 0
    while i < len(mine) and j < len(other):
        apart = mine[i] - other[j]
        if -tolerance <= apart <= tolerance:
            found[i] = met[j] = True
            i += 1
            j += 1
        elif apart < 0:
            i += 1
        else:
            j += 1
    return np.array(found, np.bool_), np.array(met, np.bool_)
