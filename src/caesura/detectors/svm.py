"""Sentence ends and clusters by a support vector machine: the other chunker of Oba and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.detectors.chunking import (
    LABELS,
    SENTENCE,
    Chunker,
    checked_subtags,
    lessons_of,
    subtags_of,
)
from caesura.numeric import svm
from caesura.numeric.crf import Weights, damaged
from caesura.numeric.features import Hashes
from caesura.numeric.svm import Margins
from caesura.settings import between, whole
from caesura.transcript import Flags, Floats, Indices, Transcript

ARRAYS = {"keys", "weights", "histories", "subtags"}


@dataclass(frozen=True, eq=False)
class Machine:
    """Margins, and the sub-tags that it knows."""

    margins: Margins
    subtags: Hashes

    @property
    def weights(self) -> Weights:
        """Weights of features."""
        return self.margins.weights


@dataclass(frozen=True, repr=False)
class SVM(Chunker[Machine]):
    """Labels from left to right, by what `CRF` looks at and the three labels before.

    Each label has a machine that tells it from the others; the one with the largest margin is
    taken, and the next word looks at it. `cost` is what a word on the wrong side costs against
    large weights. Features seen fewer than `cutoff` times are left out. The log-odds are the
    lead of Bs on the next word over the other labels, and the `bias`, which does not bear on
    the labels that later words look at.
    """

    cost: float = 0.02
    cutoff: int = 1
    bias: float = 0.0

    name = "SVM"
    reach = 4
    relearns = frozenset({"cost", "cutoff"})

    def __post_init__(self) -> None:
        between("cost", self.cost, 1e-9, 1e9)
        whole("cutoff", self.cutoff, 1, 1 << 31)
        between("bias", self.bias, -1e9, 1e9)

    def fit(self, spoken: Sequence[Transcript], labels: Sequence[Indices]) -> Machine:
        """Train with scikit-learn."""
        known, lessons = lessons_of(spoken, labels, self.cutoff)
        return Machine(svm.trained(known, lessons, len(LABELS), self.cost), subtags_of(spoken))

    def learnt(self) -> Mapping[str, NDArray[Any]]:
        """Give keys of features, weights, what labels before add, and hashes of sub-tags."""
        return {**self.model.margins.arrays(), "subtags": self.model.subtags}

    def knowing(self, learnt: Mapping[str, NDArray[Any]]) -> SVM:
        """Give the same detector with weights that were learnt before."""
        if set(learnt) != ARRAYS:
            raise damaged(f"it has the arrays {', '.join(sorted(learnt)) or 'none'}")
        return self.with_model(Machine(Margins.of(learnt, len(LABELS)), checked_subtags(learnt)))

    def weighed(self, states: Floats, lengths: Indices) -> tuple[Floats, Flags]:
        """Weigh by how far Bs lies ahead of the other labels."""
        margins = self.model.margins.run(states, lengths)
        odds = margins[:, SENTENCE] - np.delete(margins, SENTENCE, axis=1).max(axis=1)
        return odds, odds + self.bias > 0

    def best(self, states: Floats, lengths: Indices) -> Indices:
        """Give the label of each word."""
        found: Indices = self.model.margins.run(states, lengths).argmax(axis=1)
        return found
