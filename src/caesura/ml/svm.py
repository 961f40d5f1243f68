"""Linear support vector machines that label words from left to right.

The labels before a word are features too. Training is by scikit-learn; at run time a margin is a
sum of weights plus a table entry for the labels before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices
from caesura.core.errors import CaesuraError, LayerError
from caesura.ml.crf import TrainingExample, Weights, bounded, damaged

BEFORE = 3
"""How many labels before a word are features."""


@dataclass(frozen=True, eq=False)
class Margins:
    """The weights of features, and a row of weights for each sequence of labels before a word.

    A sequence is a number with `labels` + 1 as its base, the latest label as last digit; the
    digit `labels` stands for the start of a recording.
    """

    weights: Weights
    histories: Floats

    names: ClassVar = frozenset({"keys", "weights", "histories"})
    """The names of its arrays."""

    @property
    def labels(self) -> int:
        """The number of labels."""
        return int(self.histories.shape[1])

    def run(self, states: Floats, lengths: Indices) -> Floats:
        """Label words from left to right by the largest margin, and return all margins."""
        after = _next_history(self.labels)
        table = self.histories.tolist()
        margins = states.tolist()
        begin = len(table) - 1
        first = set((np.cumsum(lengths) - lengths).tolist())
        history = begin
        histories = []
        for at, row in enumerate(margins):
            if at in first:
                history = begin
            histories.append(history)
            totals = [a + b for a, b in zip(row, table[history], strict=True)]
            history = after[history][totals.index(max(totals))]
        found: Floats = states + self.histories[np.array(histories, np.int64)]
        return found

    def with_weights(self, weights: Weights) -> Margins:
        """Return the same margins with other weights of features."""
        return replace(self, weights=weights)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the weights as named arrays."""
        return {**self.weights.arrays(), "histories": self.histories}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], labels: int) -> Margins:
        """Make margins from arrays, or raise an error if they do not fit."""
        histories = arrays["histories"]
        shape = ((labels + 1) ** BEFORE, labels)
        if histories.dtype != np.float64 or histories.shape != shape:
            raise damaged(f"there are histories {histories.shape} of {labels} labels")
        return cls(Weights.of(arrays, labels), bounded("histories", histories))


def _next_history(labels: int) -> list[list[int]]:
    """Return the sequence that follows each sequence when a label is added."""
    base = labels + 1
    count = base**BEFORE
    return [[old * base % count + new for new in range(labels)] for old in range(count)]


def label_histories(labels: Indices, count: int) -> Indices:
    """Return the sequence of labels before each word of a recording."""
    base = count + 1
    before = np.concatenate([np.full(BEFORE, count), labels])
    number = np.zeros(len(labels), np.int64)
    for at in range(BEFORE):
        number = number * base + before[at : at + len(labels)]
    return number


def history_features(number: Indices, base: int) -> Indices:
    """Split sequences of labels into features: each single position, and each run up to the word.

    There is a row for each feature; no two rows share a number.
    """
    rows = [number % base**length for length in range(1, BEFORE + 1)]
    rows += [number // base**length % base for length in range(1, BEFORE)]
    return np.stack([row + at * base**BEFORE for at, row in enumerate(rows)])


WIDTH = 2 * BEFORE - 1
"""The number of rows of `history_features`."""


def train_margins(
    known: Indices, examples: Sequence[TrainingExample], labels: int, cost: float
) -> Margins:
    """Train the weights with scikit-learn, each label against the others."""
    sparse, linear = _libraries()
    base = labels + 1
    numbers = np.concatenate([example.labels for example in examples])
    before = np.concatenate([label_histories(example.labels, labels) for example in examples])
    places = np.vstack([_feature_columns(examples), history_features(before, base) + len(known)]).T
    seen = places >= 0
    begin = np.append(0, np.cumsum(seen.sum(axis=1)))
    shape = (len(numbers), len(known) + WIDTH * base**BEFORE)
    cells = sparse.csr_matrix((np.ones(int(begin[-1])), places[seen], begin), shape)
    present = np.unique(numbers)
    if len(present) < 2:
        raise LayerError(
            "every word has the same label", remedy="train on recordings of several sentences"
        )
    machine = linear(C=cost, dual=True, random_state=0, max_iter=20_000, tol=1e-3)
    machine.fit(cells, numbers)
    return _read_weights(machine, known, present, labels)


def _feature_columns(examples: Sequence[TrainingExample]) -> Indices:
    """Join examples; recordings that lack a layer have fewer rows, which are filled with -1."""
    rows = max(len(example.places) for example in examples)
    short = [(example.places, rows - len(example.places)) for example in examples]
    return np.hstack(
        [np.pad(places, ((0, lack), (0, 0)), constant_values=-1) for places, lack in short]
    )


def _read_weights(machine: Any, known: Indices, present: Indices, labels: int) -> Margins:
    """Return the weights of each label; a label that was not seen never wins."""
    base = labels + 1
    weights, constant = machine.coef_, machine.intercept_
    if len(present) == 2:
        weights, constant = np.vstack([-weights, weights]), np.append(-constant, constant)
    rows = np.zeros((len(known), labels))
    rows[:, present] = weights[:, : len(known)].T
    every = np.arange(base**BEFORE)
    table = np.full((len(every), labels), -1e3)
    of_histories = weights[:, len(known) :].T
    table[:, present] = constant + of_histories[history_features(every, base)].sum(axis=0)
    return Margins(Weights(known, rows), table)


def _libraries() -> tuple[Any, Any]:
    try:
        from scipy import sparse
        from sklearn.svm import LinearSVC
    except ImportError as error:
        raise CaesuraError(
            "training an SVM needs scikit-learn, which is not installed",
            remedy="install it: pip install 'caesura[train]'",
        ) from error
    return sparse, LinearSVC
