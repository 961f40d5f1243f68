"""Pk (Beeferman et al. 1999) and WindowDiff (Pevzner and Hearst 2002): sliding windows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.metrics.base import Pairwise, boundary_flags

K_RULES = ("own", "pooled")
NO_WINDOW = "no text is longer than the window"


@dataclass(frozen=True, repr=False)
class SlidingWindow(Pairwise):
    """A window of k gaps slides over both texts and counts as an error where they differ."""

    k: int | str = "own"

    def __post_init__(self) -> None:
        if self.k not in K_RULES and (type(self.k) is not int or self.k < 1):
            raise ValueError(f"k is 'own', 'pooled' or a number of words >= 1, not {self.k!r}")

    @abstractmethod
    def differ(self, ours: Indices, theirs: Indices) -> Flags:
        """Flag the windows that are errors, given the number of boundaries of each text in them."""

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield windows and errors, each at the first gap of the window."""
        k = self.size(reference, references)
        count = max(len(hypothesis) - k, 0)
        windows, errors = np.zeros((2, len(hypothesis)), np.bool_)
        windows[:count] = True
        if count:
            errors[:count] = self.differ(
                _boundaries_in_windows(hypothesis, k), _boundaries_in_windows(reference, k)
            )
        yield "errors", errors
        yield "windows", windows

    def size(self, reference: Transcript, references: Sequence[Transcript]) -> int:
        """Return k: half the mean sentence length, rounded half up, at least 1."""
        if isinstance(self.k, int):
            return self.k
        chosen = [reference] if self.k == "own" else references
        words = sum(map(len, chosen))
        sentences = sum(1 + int(np.count_nonzero(boundary_flags(one))) for one in chosen)
        return max((words + sentences) // (2 * sentences), 1)


@dataclass(frozen=True, repr=False)
class Pk(SlidingWindow):
    """Share of windows in which only one of the two texts has a boundary (Beeferman et al. 1999).

    Lower is better. A window of k gaps slides from the first gap to the last one before the end
    of the recording. k is half the mean sentence length of each reference ('own') or of all
    references of the document ('pooled'), rounded half up, or a number. Unlike `WindowDiff`, Pk
    ignores how many boundaries a window has. Several references: the mean.
    """

    name = "Pk"
    best: ClassVar = {"pk": 0.0}
    main = "pk"

    def differ(self, ours: Indices, theirs: Indices) -> Flags:
        """Flag windows with boundaries in only one text."""
        errors: Flags = (ours > 0) != (theirs > 0)
        return errors

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return errors / windows."""
        return {"pk": ratio(counts["errors"], counts["windows"], NO_WINDOW)}


@dataclass(frozen=True, repr=False)
class WindowDiff(SlidingWindow):
    """Share of windows in which the texts differ in the number of boundaries.

    Pevzner and Hearst (2002); lower is better. A window of k gaps slides from the first gap to
    the last one before the end of the recording. k is half the mean sentence length of each
    reference ('own') or of all references of the document ('pooled'), rounded half up, or a
    number. Several references: the mean.
    """

    name = "WindowDiff"
    best: ClassVar = {"window_diff": 0.0}
    main = "window_diff"

    def differ(self, ours: Indices, theirs: Indices) -> Flags:
        """Flag windows with different numbers of boundaries."""
        errors: Flags = ours != theirs
        return errors

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return errors / windows."""
        return {"window_diff": ratio(counts["errors"], counts["windows"], NO_WINDOW)}


def _boundaries_in_windows(transcript: Transcript, k: int) -> Indices:
    """Count the boundaries in each window of k gaps, in a text of more than k words."""
    before = np.zeros(len(transcript), np.int32)
    np.cumsum(boundary_flags(transcript)[:-1], out=before[1:])
    return before[k:] - before[:-k]
