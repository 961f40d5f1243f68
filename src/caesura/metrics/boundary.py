"""Boundary: precision, recall, F1 and slot error rate of boundaries (Gotoh and Renals 2000)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.config import check_texts
from caesura.core.errors import LayerError
from caesura.core.protocols import PerGapCounts
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.metrics.base import (
    NO_HYPOTHESIS,
    NO_REFERENCE,
    Pairwise,
    harmonic_mean,
    lost_boundary_counts,
    require_sentences,
)


@dataclass(frozen=True, repr=False)
class Boundary(Pairwise):
    """Precision, recall, F1 and slot error rate of boundaries (Gotoh and Renals 2000).

    With C correct, I incorrect, M missing and S spurious boundaries: precision = C / (C + I + S),
    recall = C / (C + I + M), SER = (I + M + S) / (C + I + M). The end of the recording, which is
    always a boundary, counts only with `count_end`. With `classes` (such as `('.', '?', ',')`)
    the labels of gaps are compared: gaps with another label are no boundaries, and a boundary
    in the right place with the wrong class is incorrect (I is 0 without classes). Several
    references: the mean; the mean of `ser` is the first SER of Kolář and Lamel.
    """

    count_end: bool = False
    classes: Strings = ()

    name = "Boundary"
    best: ClassVar = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "ser": 0.0}
    main = "f1"

    def __post_init__(self) -> None:
        if type(self.count_end) is not bool:
            raise ValueError(f"count_end is True or False, not {self.count_end!r}")
        classes = check_texts("classes", self.classes)
        if "" in classes or len(set(classes)) < len(classes):
            raise ValueError(f"classes must be labels that differ, not {classes!r}")
        object.__setattr__(self, "classes", classes)

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield correct, incorrect, missing and spurious boundaries."""
        ours, theirs = self._slots(hypothesis), self._slots(reference)
        both = (ours > 0) & (theirs > 0)
        yield "correct", both & (ours == theirs)
        yield "incorrect", both & (ours != theirs)
        yield "missing", (theirs > 0) & ~both
        yield "spurious", (ours > 0) & ~both

    def missed_counts(self, lost: Sequence[Indices], count: int) -> PerGapCounts | None:
        """Count boundaries that were lost in an alignment as missing."""
        return None if self.classes else lost_boundary_counts(lost, count, "missing")

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return precision, recall, F1 and slot error rate (section 1.4 of the paper)."""
        correct, incorrect = counts["correct"], counts["incorrect"]
        found = correct + incorrect + counts["spurious"]
        real = correct + incorrect + counts["missing"]
        precision = ratio(correct, found, NO_HYPOTHESIS)
        recall = ratio(correct, real, NO_REFERENCE)
        return {
            "precision": precision,
            "recall": recall,
            "f1": harmonic_mean(precision, recall),
            "ser": ratio(incorrect + counts["missing"] + counts["spurious"], real, NO_REFERENCE),
        }

    def _slots(self, transcript: Transcript) -> Indices:
        """Return the class number of the boundary at each gap, 0 where there is none."""
        sentences = require_sentences(transcript)
        slots = self._classes(sentences) if self.classes else sentences.boundary.astype(np.int8)
        if len(slots) and not self.count_end:
            slots[-1] = 0
        return slots  # type: ignore[return-value]

    def _classes(self, sentences: Segmentation) -> Indices:
        if sentences.label is None:
            raise LayerError(
                f"the boundaries have no classes, and {self!r} compares them",
                remedy="use Boundary() or a format that labels boundaries",
            )
        number = {label: i for i, label in enumerate(self.classes, 1)}
        return np.array([number.get(label, 0) for label in sentences.label], dtype=np.int64)
