"""Boundaries found, missed and added, counted as by Gotoh and Renals (2000)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.contracts import Counts, Metric, Undefined, Value, ratio, strings
from caesura.errors import LayerError, MismatchError
from caesura.transcript import Segmentation, Strings, Transcript

NO_HYPOTHESIS = "no boundary in the hypothesis"
NO_REFERENCE = "no boundary in the reference"


@dataclass(frozen=True, repr=False)
class Boundary(Metric):
    """Precision, recall, F1 and slot error rate of boundaries.

    The last gap of a recording is always an end and counts only with `count_end`. With
    `classes` (such as `('.', '?', ',')`) the labels of gaps are compared instead: a gap counts
    if it has one of them, and one in the right place with another class is incorrect. Several
    references are pooled.
    """

    count_end: bool = False
    classes: Strings = ()

    name = "Boundary"
    best: ClassVar = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "ser": 0.0}

    def __post_init__(self) -> None:
        if type(self.count_end) is not bool:
            raise ValueError(f"count_end is True or False, not {self.count_end!r}")
        classes = strings("classes", self.classes)
        if "" in classes or len(set(classes)) < len(classes):
            raise ValueError(f"classes are labels that differ, not {classes!r}")
        object.__setattr__(self, "classes", classes)

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Count correct, incorrect, missing and spurious boundaries over all references."""
        ours = self._slots(hypothesis)
        total = Counts(correct=0, incorrect=0, missing=0, spurious=0)
        for reference in references:
            total += _compared(ours, self._slots(reference))
        return total

    def values(self, counts: Counts) -> dict[str, Value]:
        """Precision, recall, F1, slot error rate (section 1.4 of the paper) and the counts."""
        correct, incorrect = counts["correct"], counts["incorrect"]
        found = correct + incorrect + counts["spurious"]
        real = correct + incorrect + counts["missing"]
        precision = ratio(correct, found, NO_HYPOTHESIS)
        recall = ratio(correct, real, NO_REFERENCE)
        return {
            "precision": precision,
            "recall": recall,
            "f1": harmonic(precision, recall),
            "ser": ratio(incorrect + counts["missing"] + counts["spurious"], real, NO_REFERENCE),
            **{name: counts[name] for name in ("correct", "incorrect", "missing", "spurious")},
        }

    def _slots(self, transcript: Transcript) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Class number of each gap that is scored, 0 where there is no boundary."""
        sentences = transcript.sentences
        if sentences is None:
            raise LayerError(
                f"{transcript.id or 'a transcript'} has no sentences",
                remedy="find them first: caesura segment",
            )
        slots = self._classes(sentences) if self.classes else sentences.boundary.astype(np.int64)
        return slots if self.count_end else slots[:-1]

    def _classes(self, sentences: Segmentation) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        if sentences.label is None:
            raise LayerError(
                f"the boundaries have no classes, and {self!r} compares them",
                remedy="use Boundary() or a format that labels boundaries",
            )
        number = {label: i for i, label in enumerate(self.classes, 1)}
        return np.array([number.get(label, 0) for label in sentences.label], dtype=np.int64)


def _compared(
    ours: np.ndarray[tuple[int], np.dtype[np.int64]],
    theirs: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> Counts:
    if len(ours) != len(theirs):
        raise MismatchError("hypothesis and reference do not have the same number of words")
    both = (ours > 0) & (theirs > 0)
    correct = int((both & (ours == theirs)).sum())
    return Counts(
        correct=correct,
        incorrect=int(both.sum()) - correct,
        missing=int(((theirs > 0) & ~both).sum()),
        spurious=int(((ours > 0) & ~both).sum()),
    )


def harmonic(precision: Value, recall: Value) -> Value:
    """F1 of two values; undefined if one of them is, 0 if both are."""
    for value in (precision, recall):
        if isinstance(value, Undefined):
            return value
    total = precision + recall  # type: ignore[operator]
    return 2 * precision * recall / total if total else 0.0  # type: ignore[operator]
