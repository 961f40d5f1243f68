"""Sentence ends and clusters by a support vector machine: the other chunker of Oba and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.contracts import Tagging
from caesura.detectors.chunking import LABELS, SENTENCE, Chunker, refuse_other_than_tagger
from caesura.numeric import svm
from caesura.numeric.crf import Lesson
from caesura.numeric.svm import Margins
from caesura.settings import between, whole
from caesura.transcript import Flags, Floats, Indices


@dataclass(frozen=True, repr=False)
class SVM(Chunker[Margins]):
    """Labels from left to right, by what `CRF` looks at and the three labels before.

    Each label has a machine that tells it from the others; the one with the largest margin is
    taken, and the next word looks at it. `cost` is what a word on the wrong side costs against
    large weights. Features seen fewer than `cutoff` times are left out, and unless `size` is 0,
    so many that matter most are kept. The log-odds are the
    lead of Bs on the next word over the other labels, and the `bias`, which does not bear on
    the labels that later words look at. A `tagger` gives tags to recordings without any.
    """

    cost: float = 0.02
    cutoff: int = 1
    bias: float = 0.0
    size: int = 0
    tagger: Tagging | None = None

    name = "SVM"
    needs: ClassVar = {"sklearn": "scikit-learn", "scipy": "scipy"}
    scorer = Margins
    ahead = 4
    relearns = frozenset({"cost", "cutoff", "size", "tagger"})

    def __post_init__(self) -> None:
        between("cost", self.cost, 1e-9, 1e9)
        whole("cutoff", self.cutoff, 1, 1 << 31)
        between("bias", self.bias, -1e9, 1e9)
        whole("size", self.size, 0, 1 << 31)
        refuse_other_than_tagger(self.tagger)

    def fit(self, known: Indices, lessons: Sequence[Lesson]) -> Margins:
        """Train with scikit-learn."""
        return svm.trained(known, lessons, len(LABELS), self.cost)

    def weighed(self, states: Floats, lengths: Indices) -> tuple[Floats, Flags]:
        """Weigh by how far Bs lies ahead of the other labels."""
        margins = self.model.scorer.run(states, lengths)
        odds = margins[:, SENTENCE] - np.delete(margins, SENTENCE, axis=1).max(axis=1)
        return odds, odds + self.bias > 0

    def best(self, states: Floats, lengths: Indices) -> Indices:
        """Give the label of each word."""
        found: Indices = self.model.scorer.run(states, lengths).argmax(axis=1)
        return found
