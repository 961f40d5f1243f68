"""Pk (Beeferman and others 1999) and WindowDiff (Pevzner and Hearst 2002): sliding windows."""

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
from caesura.metrics.base import Pairwise, ends

RULES = ("own", "pooled")
NO_WINDOW = "no text is longer than the window"


@dataclass(frozen=True, repr=False)
class Sliding(Pairwise):
    """A window of k gaps slides over both texts; it is an error where they look different."""

    k: int | str = "own"

    def __post_init__(self) -> None:
        if self.k not in RULES and (type(self.k) is not int or self.k < 1):
            raise ValueError(f"k is 'own', 'pooled' or a number of words from 1 on, not {self.k!r}")

    @abstractmethod
    def differ(self, ours: Indices, theirs: Indices) -> Flags:
        """Tell the windows that are errors by how many boundaries each text has in them."""

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Mark each window, and whether it is an error, at its first gap."""
        k = self.size(reference, references)
        count = max(len(hypothesis) - k, 0)
        windows, errors = np.zeros((2, len(hypothesis)), np.bool_)
        windows[:count] = True
        if count:
            errors[:count] = self.differ(_inside(hypothesis, k), _inside(reference, k))
        yield "errors", errors
        yield "windows", windows

    def size(self, reference: Transcript, references: Sequence[Transcript]) -> int:
        """How many gaps a window has: half the mean length of sentences, half up, at least 1."""
        if isinstance(self.k, int):
            return self.k
        chosen = [reference] if self.k == "own" else references
        words = sum(map(len, chosen))
        sentences = sum(1 + int(np.count_nonzero(ends(one))) for one in chosen)
        return max((words + sentences) // (2 * sentences), 1)


@dataclass(frozen=True, repr=False)
class Pk(Sliding):
    """Part of all windows in which only one of two texts has boundaries; less is better.

    A window is k gaps wide and slides from the first gap to the last but the end of the
    recording. k is half the mean sentence length of each reference ('own'), of all references
    of the document ('pooled'), half up, or a number. Pk does not see how many boundaries a
    window has: `WindowDiff` does. Of several references it is the mean.
    """

    name = "Pk"
    best: ClassVar = {"pk": 0.0}
    main = "pk"

    def differ(self, ours: Indices, theirs: Indices) -> Flags:
        """An error is a window with boundaries in one text only."""
        errors: Flags = (ours > 0) != (theirs > 0)
        return errors

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Errors of all windows."""
        return {"pk": ratio(counts["errors"], counts["windows"], NO_WINDOW)}


@dataclass(frozen=True, repr=False)
class WindowDiff(Sliding):
    """Part of all windows in which two texts differ in the number of boundaries; less is better.

    A window is k gaps wide and slides from the first gap to the last but the end of the
    recording. k is half the mean sentence length of each reference ('own'), of all references
    of the document ('pooled'), half up, or a number. Of several references it is the mean.
    """

    name = "WindowDiff"
    best: ClassVar = {"window_diff": 0.0}
    main = "window_diff"

    def differ(self, ours: Indices, theirs: Indices) -> Flags:
        """An error is a window with more boundaries in one text."""
        errors: Flags = ours != theirs
        return errors

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Errors of all windows."""
        return {"window_diff": ratio(counts["errors"], counts["windows"], NO_WINDOW)}


def _inside(transcript: Transcript, k: int) -> Indices:
    """Boundaries in each window of k gaps, of a text with more than k words."""
    before = np.zeros(len(transcript), np.int32)
    np.cumsum(ends(transcript)[:-1], out=before[1:])
    return before[k:] - before[:-k]
