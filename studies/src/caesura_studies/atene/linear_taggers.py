"""Linear taggers of entities: maximum entropy, CRF and averaged perceptron."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.transcript import Transcript
from caesura.ml import crf, maxent
from caesura_studies.atene.tagger_features import (
    OUTSIDE,
    KnownFeatures,
    Labels,
    Scores,
    keys,
    viterbi,
)
from caesura_studies.atene.taggers import Spans


@dataclass(frozen=True)
class MaximumEntropy:
    """P(label | features of the word), and the best valid label sequence."""

    name = "maximum entropy"
    ridge: float = 1.0
    cutoff: int = 2
    steps: int = 60

    def train(self, texts: Sequence[Transcript]) -> TrainedMaximumEntropy:
        """Fit the weights."""
        labels = Labels.of(texts)
        seen = [keys(each.words) for each in texts]
        known = KnownFeatures(seen, self.cutoff)
        rows = maxent.sparse_rows(
            np.concatenate([known.feature_ids(each) for each in seen]), len(known)
        )
        codes = np.concatenate([labels.coded(each) for each in texts])
        search = maxent.Search(steps=self.steps)
        weights = maxent.multinomial(rows, codes, len(labels), self.ridge, search=search)
        return TrainedMaximumEntropy(labels, known, maxent.with_zero_row(weights))


@dataclass(frozen=True, eq=False)
class TrainedMaximumEntropy:
    """Weights of the features, padded."""

    labels: Labels
    known: KnownFeatures
    weights: Floats

    def tag(self, texts: Sequence[Strings]) -> list[Spans]:
        """Find the best labels."""
        states = [
            maxent.log_softmax(
                maxent.sum_rows(self.known.feature_ids(keys(words)), self.weights)[:, 0]
            )
            for words in texts
        ]
        return [self.labels.spans(each) for each in viterbi(states, self.labels.allowed())]


CHUNK_WORDS = 100
"""Words of a training example: the texts have no sentences."""


@dataclass(frozen=True)
class CRF:
    """A linear-chain CRF, trained by CRFsuite."""

    name = "CRF"
    c2: float = 1.0
    iterations: int = 60
    cutoff: int = 2

    def train(self, texts: Sequence[Transcript]) -> TrainedCRF:
        """Fit the weights."""
        labels = Labels.of(texts)
        seen = [keys(each.words) for each in texts]
        known = KnownFeatures(seen, self.cutoff)
        training_examples = [
            crf.TrainingExample(places[at : at + CHUNK_WORDS].T, codes[at : at + CHUNK_WORDS])
            for places, codes in (
                (known.feature_ids(each), labels.coded(text))
                for each, text in zip(seen, texts, strict=True)
            )
            for at in range(0, len(codes), CHUNK_WORDS)
        ]
        found = crf.train_chain(
            known.keys, training_examples, len(labels), self.c2, self.iterations
        )
        return TrainedCRF(labels, found)


@dataclass(frozen=True, eq=False)
class TrainedCRF:
    """Weights of features and of label transitions."""

    labels: Labels
    chain: crf.Chain

    def tag(self, texts: Sequence[Strings]) -> list[Spans]:
        """Find the best labels."""
        states = [self.chain.weights.summed(keys(words)) for words in texts]
        return [self.labels.spans(each) for each in viterbi(states, self.chain.transitions)]


Weights = NDArray[np.float32]


@dataclass(frozen=True)
class Perceptron:
    """An averaged perceptron that labels words from left to right.

    Its features are those of the words and the two previous labels.
    """

    name = "averaged perceptron"
    epochs: int = 5
    cutoff: int = 2
    seed: int = 20000

    def train(self, texts: Sequence[Transcript]) -> TrainedPerceptron:
        """Correct the weights wherever a label is predicted wrongly."""
        labels = Labels.of(texts)
        seen = [keys(each.words) for each in texts]
        known = KnownFeatures(seen, self.cutoff)
        places = [known.feature_ids(each) for each in seen]
        codes = [labels.coded(each) for each in texts]
        learner = _Learner(len(known), len(labels))
        order = np.random.default_rng(self.seed)
        for _ in range(self.epochs):
            for at in order.permutation(len(texts)).tolist():
                learner.study(places[at], codes[at])
        return TrainedPerceptron(labels, known, *learner.averaged())


class _Learner:
    """The weights during training, and the sums for their average."""

    def __init__(self, features: int, labels: int) -> None:
        # A row behind the known features takes what is not known, and is never looked at.
        self.weights = np.zeros((features + 1, labels), np.float32)
        self.late = np.zeros((features + 1, labels))
        self.history = np.zeros((labels**2, labels), np.float32)
        self.late_history = np.zeros((labels**2, labels))
        self.labels, self.steps = labels, 1

    def study(self, places: Indices, codes: Indices) -> None:
        """Label a text from left to right, using the labels predicted before."""
        last = before = OUTSIDE
        for row, right in zip(places, codes.tolist(), strict=True):
            state = last * self.labels + before
            score = self.weights[row].sum(axis=0) + self.history[state]
            said = int(score.argmax())
            if said != right:
                self._correct(row[row >= 0], state, right, 1.0)
                self._correct(row[row >= 0], state, said, -1.0)
            self.steps += 1
            last, before = before, said

    def _correct(self, row: Indices, state: int, label: int, by: float) -> None:
        self.weights[row, label] += by
        self.late[row, label] += by * self.steps
        self.history[state, label] += by
        self.late_history[state, label] += by * self.steps

    def averaged(self) -> tuple[Weights, Weights]:
        """Return the mean of the weights over all steps."""
        words = self.weights - self.late / self.steps
        history = self.history - self.late_history / self.steps
        return words.astype(np.float32), history.astype(np.float32)


@dataclass(frozen=True, eq=False)
class TrainedPerceptron:
    """Weights of the features, and of the two previous labels."""

    labels: Labels
    known: KnownFeatures
    weights: Weights
    history: Weights

    def tag(self, texts: Sequence[Strings]) -> list[Spans]:
        """Label all texts from left to right, one word of each at a time."""
        states = [self.weights[self.known.feature_ids(keys(words))].sum(axis=1) for words in texts]
        return [self.labels.spans(each) for each in self._labelled(states)]

    def _labelled(self, states: Sequence[Scores]) -> list[Indices]:
        lengths = np.array([len(each) for each in states], np.int64)
        order = np.argsort(-lengths, kind="stable")
        found = np.zeros((len(states), int(lengths.max(initial=0))), np.int64)
        last = before = np.zeros(len(states), np.int64)
        live = order
        for at in range(found.shape[1]):
            live = live[: int(np.count_nonzero(lengths > at))]
            state = last[live] * len(self.labels) + before[live]
            scores = np.stack([states[text][at] for text in live]) + self.history[state]
            found[live, at] = scores.argmax(axis=1)
            last, before = before, found[:, at]
        return [row[:length] for row, length in zip(found, lengths.tolist(), strict=True)]
