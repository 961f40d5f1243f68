"""Sentence ends and clusters by a conditional random field: the chunker of Oba and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.config import between, one_of, whole
from caesura.core.protocols import WordTagger
from caesura.detectors.hmm import DECISIONS
from caesura.detectors.syntax.chunking import (
    CLUSTER,
    INSIDE,
    LABELS,
    SENTENCE,
    Chunker,
    refuse_other_than_tagger,
)
from caesura.detectors.syntax.word_features import Columns
from caesura.ml import crf, svm, viterbi
from caesura.ml.crf import Chain, Lesson
from caesura.ml.svm import Margins


@dataclass(frozen=True, repr=False)
class CRF(Chunker[Chain]):
    """Labels of all words together, by words, tags, sub-tags, pauses and speakers around each.

    `c2` holds weights back to 0: the loss is the negative log-likelihood plus `c2` times the
    sum of their squares, and training ends after `iterations`. Features seen fewer than
    `cutoff` times are left out, and unless `size` is 0, so many that matter most are kept.
    `decision` is 'posterior', a boundary where the next word is the first of a sentence with a
    probability above 1/2, with the `bias`, or 'viterbi', the single best sequence of labels.
    A `tagger` gives tags to recordings without any.
    """

    c2: float = 5.0
    iterations: int = 120
    cutoff: int = 1
    decision: str = "posterior"
    bias: float = 0.0
    size: int = 0
    tagger: WordTagger | None = None

    name = "CRF"
    needs: ClassVar = {"pycrfsuite": "python-crfsuite"}
    scorer = Chain
    retrain_settings = frozenset({"c2", "iterations", "cutoff", "size", "tagger"})

    def __post_init__(self) -> None:
        between("c2", self.c2, 0, 1e9)
        whole("iterations", self.iterations, 1, 1 << 31)
        whole("cutoff", self.cutoff, 1, 1 << 31)
        one_of("decision", self.decision, DECISIONS)
        between("bias", self.bias, -1e9, 1e9)
        whole("size", self.size, 0, 1 << 31)
        refuse_other_than_tagger(self.tagger)

    def fit(self, known: Indices, lessons: Sequence[Lesson]) -> Chain:
        """Train a chain with python-crfsuite."""
        return crf.trained(known, lessons, len(LABELS), self.c2, self.iterations)

    def weighed(self, states: Floats, lengths: Indices) -> tuple[Floats, Flags]:
        """Weigh by the posterior; decide by it, or by the best sequence."""
        likely = self.model.scorer.posterior(states, lengths)
        other = likely[:, CLUSTER] + likely[:, INSIDE]
        odds = viterbi.logs(likely[:, SENTENCE]) - viterbi.logs(other)
        if self.decision == "viterbi":
            return odds, self.best(states, lengths) == SENTENCE
        return odds, odds + self.bias > 0

    def best(self, states: Floats, lengths: Indices) -> Indices:
        """Give the label of each word in the best sequence."""
        return self.model.scorer.viterbi(states, lengths)

    def probabilities(self, words: Sequence[Columns]) -> list[Floats]:
        """Give the probabilities of the labels of words, by what stands around them."""
        rows = [self.scored(each) for each in words]
        lengths = np.array([len(each) for each in rows], np.int64)
        likely = self.model.scorer.posterior(np.concatenate(rows), lengths)
        return np.split(likely, np.cumsum(lengths)[:-1])


def begins(likely: Floats) -> Flags:
    """Tell which words begin a cluster, given the probabilities of their labels."""
    begun: Flags = likely[:, INSIDE] <= 1 / 2
    begun[:1] = True
    return begun


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
    tagger: WordTagger | None = None

    name = "SVM"
    needs: ClassVar = {"sklearn": "scikit-learn", "scipy": "scipy"}
    scorer = Margins
    ahead = 4
    retrain_settings = frozenset({"cost", "cutoff", "size", "tagger"})

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
