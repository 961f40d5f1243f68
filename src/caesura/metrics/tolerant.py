"""Tolerant: boundaries match within a tolerance in words or seconds."""

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
from caesura.metrics.base import Pairwise, boundary_flags, lost_boundary_counts
from caesura.metrics.boundary import Boundary

DEFAULT_WORDS = 2
"""The tolerance if none is given."""

MICROSECONDS = 1_000_000
MAX_SECONDS = 1e12


@dataclass(frozen=True, repr=False)
class Tolerant(Pairwise):
    """Precision, recall, F1 and slot error rate of boundaries within a tolerance.

    A hypothesis and a reference boundary can be matched if they are at most `words` words apart
    (the default: 2) or, with `seconds`, at most that many seconds; then words may differ. Each
    boundary is matched at most once, in a largest matching; the rates are those of `Boundary`.
    The time of a boundary is the end of the word before it. An unknown time is interpolated
    between its neighbours (or taken from the only one), and its boundary counted as `untimed`.
    Times are compared in whole microseconds. The end of the recording is not counted. Several
    references: the mean.
    """

    words: int | None = None
    seconds: float | None = None

    name = "Tolerant"
    best: ClassVar = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "ser": 0.0}
    main = "f1"

    def __post_init__(self) -> None:
        if self.seconds is None:
            words = DEFAULT_WORDS if self.words is None else self.words
            if type(words) is not int or words < 0:
                raise ValueError(f"words is a number of words, not {words!r}")
            object.__setattr__(self, "words", words)
            return
        if self.words not in (None, DEFAULT_WORDS):
            raise ValueError("give the tolerance in words or in seconds, not in both")
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
        """Match boundaries; a missing one is counted at the nearest gap of the hypothesis."""
        if self.seconds is None:
            line, other = _positions_in_words(hypothesis), _positions_in_words(reference)
            tolerance = self.words or 0
        else:
            line, other = _positions_in_time(hypothesis), _positions_in_time(reference)
            tolerance = round(self.seconds * MICROSECONDS)
        ours, theirs = line.boundaries(hypothesis), other.boundaries(reference)
        found, met = match_within(line.at[ours], other.at[theirs], tolerance)
        places = theirs if self.seconds is None else line.nearest(other.at[theirs])
        # a hypothesis without words still has a cell for what it misses, as bincount makes one
        count = len(hypothesis)
        yield "matched", np.bincount(ours[found], minlength=count)
        yield "missing", np.bincount(places[~met], minlength=count)
        yield "spurious", np.bincount(ours[~found], minlength=count)
        if self.seconds is not None:
            untimed = np.concatenate(
                [ours[line.interpolated[ours]], places[other.interpolated[theirs]]]
            )
            yield "untimed", np.bincount(untimed, minlength=count)

    def missed_counts(self, lost: Sequence[Indices], count: int) -> PerGapCounts | None:
        """Count boundaries that were lost in an alignment as missing."""
        return lost_boundary_counts(lost, count, "missing")

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return precision, recall, F1 and slot error rate."""
        return Boundary().rates(
            Counts(
                correct=counts["matched"], missing=counts["missing"], spurious=counts["spurious"]
            )
        )


class GapPositions(NamedTuple):
    """Positions of the gaps of a text, in whole numbers, and which of them are interpolated."""

    at: Indices
    interpolated: Flags

    def boundaries(self, transcript: Transcript) -> Indices:
        """Return the gaps with a boundary, in the order of their positions."""
        gaps = np.flatnonzero(boundary_flags(transcript))
        return gaps[np.argsort(self.at[gaps], kind="stable")]

    def nearest(self, at: Indices) -> Indices:
        """Return the gap nearest to each of these positions, 0 if there is none."""
        if not len(self.at):
            return np.zeros(len(at), np.int64)
        order = np.argsort(self.at, kind="stable")
        line = self.at[order]
        after = np.searchsorted(line, at).clip(max=len(line) - 1)
        before = (after - 1).clip(min=0)
        return order[np.where(at - line[before] < line[after] - at, before, after)]


def _positions_in_words(transcript: Transcript) -> GapPositions:
    count = len(transcript)
    return GapPositions(np.arange(count), np.zeros(count, np.bool_))


def _positions_in_time(transcript: Transcript) -> GapPositions:
    """Return the end time of the word before each gap; unknown times are interpolated."""
    end, count = transcript.end, len(transcript)
    known = np.zeros(count, np.bool_) if end is None else np.isfinite(end)
    if end is None or not known.any():
        if count:
            raise LayerError(
                "no word has an end time, which matching by time needs",
                where=transcript.id,
                remedy="use Tolerant(words=2), or a format that has times",
            )
        return _positions_in_words(transcript)
    if np.abs(end[known]).max() > MAX_SECONDS:
        raise LayerError("end times are too large for a recording", where=transcript.id)
    if not known.all():
        end = np.interp(np.arange(count), np.flatnonzero(known), end[known])
    return GapPositions(np.rint(end * MICROSECONDS).astype(np.int64), ~known)


def match_within(ours: Indices, theirs: Indices, tolerance: int) -> tuple[Flags, Flags]:
    """Flag the members of two ascending lists that have a partner in a largest matching.

    Matching the earliest possible pair is never worse than leaving it: any other partner of
    either lies later, and swapping partners keeps all pairs within the tolerance.
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
