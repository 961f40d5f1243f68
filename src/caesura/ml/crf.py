"""Linear-chain conditional random fields: trained by CRFsuite, scored by array operations.

P(Y | X) = exp(sum of weights) / Z (equation 1 of Oba, Hori and Nakamura), with a weight for each
feature of a word with its label, and a weight for each pair of neighbouring labels.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices
from caesura.core.errors import CaesuraError, ModelError
from caesura.ml import viterbi
from caesura.ml.features import Table

Keys = NDArray[np.int64]
"""A row for each template, a column for each word."""

NEVER = -1e3
"""The score of a label that did not occur in training."""

MOST_WEIGHT = 1e4
"""Weights are clipped to this."""

STATE, TRANSITION = 0, 1
HEADER = struct.Struct("<4sI4s8I")
ROW = np.dtype([("type", "<u4"), ("from", "<u4"), ("to", "<u4"), ("weight", "<f8")])
"""A feature in a CRFsuite file."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of features: `keys` in ascending order, each with a row of weights, one a label."""

    keys: Indices
    rows: NDArray[np.floating[Any]]

    @cached_property
    def _table(self) -> Table:
        return Table(self.keys)

    @cached_property
    def _padded(self) -> NDArray[np.floating[Any]]:
        """The rows, and a row of 0 at the end for unknown features: it is row -1."""
        rows = self.rows.astype(np.float32) if self.rows.dtype == np.float16 else self.rows
        return np.vstack([rows, np.zeros((1, rows.shape[1]), rows.dtype)])

    def find(self, keys: Keys) -> Indices:
        """Return the index of each key, -1 where it is unknown."""
        return self._table.find(keys.ravel()).reshape(keys.shape)

    def summed(self, keys: Keys) -> Floats:
        """Return the sum of the weights of each word: a row of scores for its labels."""
        # One template after another, so that a sum never depends on how many words there are.
        total: Floats = self._padded[self.find(keys)].sum(axis=0, dtype=np.float64)
        return total

    def largest(self, size: int, times: Indices) -> Weights:
        """Keep the `size` features that matter most, given how often each occurred in training."""
        matter = np.sqrt(times) * np.ptp(self.rows, axis=1)
        kept = np.sort(np.argsort(-matter, kind="stable")[:size])
        return Weights(self.keys[kept], self.rows[kept])

    def rounded(self) -> Weights:
        """Convert weights to half precision, and drop features whose weights are all 0."""
        rows = np.clip(self.rows, -MOST_WEIGHT, MOST_WEIGHT).astype(np.float16)
        kept = rows.any(axis=1)
        return Weights(self.keys[kept], rows[kept])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the weights as named arrays."""
        return {"keys": self.keys.astype(np.uint32), "weights": self.rows}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], labels: int) -> Weights:
        """Make weights from arrays, or raise an error if they do not fit."""
        keys, rows = arrays["keys"], arrays["weights"]
        if keys.ndim != 1 or keys.dtype != np.uint32 or rows.dtype != np.float16:
            raise damaged("keys or weights have the wrong type")
        if rows.shape != (len(keys), labels):
            raise damaged(f"there are weights {rows.shape} for {len(keys)} keys")
        if (keys[1:] <= keys[:-1]).any():
            raise damaged("keys are not in order")
        return cls(keys.astype(np.int64), bounded("weights", rows))


@dataclass(frozen=True, eq=False)
class Chain:
    """The weights of features, and of each label (a column) after each label (a row).

    The last row of `transitions` is for the first word of a recording.
    """

    weights: Weights
    transitions: Floats

    names: ClassVar = frozenset({"keys", "weights", "transitions"})
    """The names of its arrays."""

    @property
    def labels(self) -> int:
        """The number of labels."""
        return int(self.transitions.shape[1])

    def scores(self, states: Floats, lengths: Indices) -> Floats:
        """Return the score of each label after each label, in the layout of `viterbi.py`."""
        steps = states[:, None, :] + self.transitions[:-1]
        first = (np.cumsum(lengths) - lengths)[lengths > 0]
        steps[first] = (states[first] + self.transitions[-1])[:, None, :]
        return steps.reshape(len(states), self.labels**2)

    def posterior(self, states: Floats, lengths: Indices) -> Floats:
        """Return the probability of each label (equation 2)."""
        return viterbi.posterior(self.scores(states, lengths), lengths, self.labels)

    def viterbi(self, states: Floats, lengths: Indices) -> Indices:
        """Return the labels of the best sequence."""
        return viterbi.viterbi(self.scores(states, lengths), lengths, self.labels)

    def with_weights(self, weights: Weights) -> Chain:
        """Return the same chain with other weights of features."""
        return replace(self, weights=weights)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the weights as named arrays."""
        return {**self.weights.arrays(), "transitions": self.transitions}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], labels: int) -> Chain:
        """Make a chain from arrays, or raise an error if they do not fit."""
        transitions = arrays["transitions"]
        if transitions.dtype != np.float64 or transitions.shape != (labels + 1, labels):
            raise damaged(f"there are transitions {transitions.shape} of {labels} labels")
        return cls(Weights.of(arrays, labels), bounded("transitions", transitions))


class TrainingExample(NamedTuple):
    """A recording: the indices of the known features of each word, -1 for others, and its label."""

    places: Indices
    labels: Indices


def frequent(keys: Iterable[Keys], cutoff: int) -> Indices:
    """Return, in ascending order, the keys that occur at least `cutoff` times."""
    known, times = np.unique(np.concatenate([each.ravel() for each in keys]), return_counts=True)
    chosen: Indices = known[times >= cutoff]
    return chosen


def feature_counts(examples: Sequence[TrainingExample], count: int) -> Indices:
    """Return how often each of `count` known features occurs."""
    places = np.concatenate([example.places.ravel() for example in examples])
    return np.bincount(places[places >= 0], minlength=count)


def train_chain(
    known: Indices, examples: Sequence[TrainingExample], labels: int, c2: float, iterations: int
) -> Chain:
    """Train the weights with CRFsuite, with the L2 penalty `c2`."""
    crfsuite = _crfsuite()
    trainer = crfsuite.Trainer(verbose=False)
    trainer.set_params(
        {"c1": 0.0, "c2": c2, "max_iterations": iterations, "feature.possible_transitions": True}
    )
    names = [*map(str, range(len(known))), ""]
    for places, numbers in examples:
        items = [[names[at] for at in word if at >= 0] for word in places.T.tolist()]
        trainer.append(items, list(map(str, numbers.tolist())))
    with TemporaryDirectory() as folder:
        model = Path(folder, "model")
        trainer.train(str(model))
        return read_crfsuite(model, known, labels)


def read_crfsuite(model: Path, known: Indices, labels: int) -> Chain:
    """Read the weights of a CRFsuite file whose attributes are indices of the known keys.

    They are read from the binary file, because the text that CRFsuite can write is rounded.
    """
    tagger = _crfsuite().Tagger()
    tagger.open(str(model))
    info = tagger.info()
    tagger.close()
    label, attribute = _numbers(info.labels), _numbers(info.attributes)
    features = _features(model.read_bytes())
    rows = np.zeros((len(known), labels))
    state = features[features["type"] == STATE]
    rows[attribute[state["from"]], label[state["to"]]] = state["weight"]
    transitions = np.full((labels + 1, labels), NEVER)
    transitions[:, label] = 0.0
    step = features[features["type"] == TRANSITION]
    transitions[label[step["from"]], label[step["to"]]] = step["weight"]
    return Chain(Weights(known, rows), transitions)


def _numbers(names: Mapping[str, str]) -> Indices:
    """Return for each number of CRFsuite the number that is its name."""
    found = np.zeros(len(names), np.int64)
    found[np.array(list(map(int, names.values())), np.int64)] = list(map(int, names))
    return found


def _features(data: bytes) -> NDArray[Any]:
    magic, _, kind, _, _, _, _, offset, *_ = HEADER.unpack_from(data)
    chunk, _, count = struct.unpack_from("<4sII", data, offset)
    if (magic, kind, chunk) != (b"lCRF", b"FOMC", b"FEAT"):
        raise CaesuraError(
            "python-crfsuite wrote a model in an unknown format", remedy="install 0.9.11"
        )
    return np.frombuffer(data, ROW, count, offset + 12)


def _crfsuite() -> Any:
    try:
        import pycrfsuite
    except ImportError as error:
        raise CaesuraError(
            "training a CRF needs python-crfsuite, which is not installed",
            remedy="install it: pip install 'caesura[train]'",
        ) from error
    return pycrfsuite


def bounded(name: str, numbers: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of an array, or raise an error if a number is too large for a weight."""
    if not (abs(numbers) <= MOST_WEIGHT).all():
        raise damaged(f"{name} are not all numbers up to {MOST_WEIGHT:g}")
    return np.array(numbers)


def damaged(what: str) -> ModelError:
    """Return the error for a stored model that is damaged."""
    return ModelError(f"the model is damaged: {what}", remedy="train it again")


LEAST = -300.0
"""Lower scores are raised to this, so that the product of two probabilities is above 0."""


def posterior_after(states: Floats, transitions: Floats, before: int) -> Floats:
    """Return the probability of each label of words that follow a word with the label `before`.

    `transitions` has a row for each label before; the last row, -1, is for the start of a
    recording. The result is that of `Chain.posterior`, up to rounding, but faster for few words.
    """
    if not len(states):
        return np.zeros((0, transitions.shape[1]))
    shares = np.exp(np.maximum(states - states.max(axis=1, keepdims=True), LEAST)).tolist()
    steps = np.exp(np.maximum(transitions - transitions.max(), LEAST)).tolist()
    labels = range(len(steps[0]))
    ahead = [[share * step for share, step in zip(shares[0], steps[before], strict=True)]]
    for share in shares[1:]:
        last = _scaled(ahead[-1])
        ahead.append([share[to] * sum(last[at] * steps[at][to] for at in labels) for to in labels])
    back = [1.0] * len(labels)
    found = [_scaled(ahead[-1])]
    for word in range(len(shares) - 1, 0, -1):
        held = [share * weight for share, weight in zip(shares[word], back, strict=True)]
        back = _scaled([sum(steps[at][to] * held[to] for to in labels) for at in labels])
        found.append(_scaled([a * b for a, b in zip(ahead[word - 1], back, strict=True)]))
    return np.array(found[::-1])


def _scaled(numbers: list[float]) -> list[float]:
    total = sum(numbers) or 1.0
    return [number / total for number in numbers]
