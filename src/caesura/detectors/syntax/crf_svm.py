"""The detectors `CRF` and `SVM`: chunkers of words (Oba and others).

The models themselves are in `ml/crf.py` and `ml/svm.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.config import check_integer, check_number, check_one_of
from caesura.core.protocols import WordTagger
from caesura.detectors.gaps import DECISIONS
from caesura.detectors.syntax.chunking import (
    CLUSTER,
    INSIDE,
    LABELS,
    SENTENCE,
    Chunker,
    Columns,
    check_tagger,
)
from caesura.ml import crf, svm, viterbi
from caesura.ml.crf import Chain, TrainingExample
from caesura.ml.svm import Margins


@dataclass(frozen=True, repr=False)
class CRF(Chunker[Chain]):
    """A conditional random field over words, tags, sub-tags, pauses and speakers.

    `c2` is the L2 penalty: the loss is the negative log-likelihood plus `c2` times the sum of
    squared weights. Training ends after `iterations`. Features seen fewer than `cutoff` times
    are left out; unless `size` is 0, only so many that matter most are kept. `decision` is
    'posterior', a boundary where the next word is the first of a sentence with a probability
    above 1/2 after adding `bias` to the log-odds, or 'viterbi', the best sequence of labels.
    A `tagger` tags recordings that have no tags.
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
        check_number("c2", self.c2, 0, 1e9)
        check_integer("iterations", self.iterations, 1, 1 << 31)
        check_integer("cutoff", self.cutoff, 1, 1 << 31)
        check_one_of("decision", self.decision, DECISIONS)
        check_number("bias", self.bias, -1e9, 1e9)
        check_integer("size", self.size, 0, 1 << 31)
        check_tagger(self.tagger)

    def fit(self, known: Indices, examples: Sequence[TrainingExample]) -> Chain:
        """Train the weights with python-crfsuite."""
        return crf.train_chain(known, examples, len(LABELS), self.c2, self.iterations)

    def decide(self, states: Floats, lengths: Indices) -> tuple[Floats, Flags]:
        """Return posterior log-odds; decide by them, or by the best sequence."""
        probabilities = self.model.scorer.posterior(states, lengths)
        other = probabilities[:, CLUSTER] + probabilities[:, INSIDE]
        odds = viterbi.logs(probabilities[:, SENTENCE]) - viterbi.logs(other)
        if self.decision == "viterbi":
            return odds, self.best(states, lengths) == SENTENCE
        return odds, odds + self.bias > 0

    def best(self, states: Floats, lengths: Indices) -> Indices:
        """Return the label of each word in the best sequence."""
        return self.model.scorer.viterbi(states, lengths)

    def probabilities(self, hashes: Sequence[Columns]) -> list[Floats]:
        """Return the probabilities of the labels of the words of recordings."""
        rows = [self.scored(each) for each in hashes]
        lengths = np.array([len(each) for each in rows], np.int64)
        found = self.model.scorer.posterior(np.concatenate(rows), lengths)
        return np.split(found, np.cumsum(lengths)[:-1])


def cluster_starts(probabilities: Floats) -> Flags:
    """Return which words begin a cluster, given the probabilities of their labels."""
    starts: Flags = probabilities[:, INSIDE] <= 1 / 2
    starts[:1] = True
    return starts


@dataclass(frozen=True, repr=False)
class SVM(Chunker[Margins]):
    """Linear support vector machines that label words from left to right.

    The features are those of `CRF` and the three labels before. Each label has a machine that
    separates it from the others; the label with the largest margin is taken, and is a feature
    of the words after it. `cost` is the cost of training errors (C). Features seen fewer than
    `cutoff` times are left out; unless `size` is 0, only so many that matter most are kept. The
    log-odds are the margin of Bs at the next word minus the best other margin, plus the `bias`,
    which does not change the labels that later words use. A `tagger` tags recordings that have
    no tags.
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
        check_number("cost", self.cost, 1e-9, 1e9)
        check_integer("cutoff", self.cutoff, 1, 1 << 31)
        check_number("bias", self.bias, -1e9, 1e9)
        check_integer("size", self.size, 0, 1 << 31)
        check_tagger(self.tagger)

    def fit(self, known: Indices, examples: Sequence[TrainingExample]) -> Margins:
        """Train the weights with scikit-learn."""
        return svm.train_margins(known, examples, len(LABELS), self.cost)

    def decide(self, states: Floats, lengths: Indices) -> tuple[Floats, Flags]:
        """Return the margin of Bs minus the best other margin, and decide by it."""
        margins = self.model.scorer.run(states, lengths)
        odds = margins[:, SENTENCE] - np.delete(margins, SENTENCE, axis=1).max(axis=1)
        return odds, odds + self.bias > 0

    def best(self, states: Floats, lengths: Indices) -> Indices:
        """Return the label of each word."""
        found: Indices = self.model.scorer.run(states, lengths).argmax(axis=1)
        return found
