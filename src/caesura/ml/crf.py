"""Linear-chain conditional random fields: trained by CRFsuite, scored by array operations.

P(Y | X) = exp(sum of weights) / Z (equation 1 of Oba, Hori and Nakamura): a weight for each
feature of a word with its label, and one for each label after another.
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
from caesura.ml import viterbi as decode
from caesura.ml.lookup import Table

Keys = NDArray[np.int64]
"""A row for each template, a column for each word."""

NEVER = -1e3
"""The score of a label that training never saw."""

MOST_WEIGHT = 1e4
"""No weight is larger than that."""

STATE, TRANSITION = 0, 1
HEADER = struct.Struct("<4sI4s8I")
ROW = np.dtype([("type", "<u4"), ("from", "<u4"), ("to", "<u4"), ("weight", "<f8")])
"""A feature in a file of CRFsuite."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of features for each label: `keys` in ascending order, a row of `rows` for each."""

    keys: Indices
    rows: NDArray[np.floating[Any]]

    @cached_property
    def _table(self) -> Table:
        return Table(self.keys)

    @cached_property
    def _padded(self) -> NDArray[np.floating[Any]]:
        """A row of 0 at the end stands for what is not known: it is row -1."""
        rows = self.rows.astype(np.float32) if self.rows.dtype == np.float16 else self.rows
        return np.vstack([rows, np.zeros((1, rows.shape[1]), rows.dtype)])

    def find(self, keys: Keys) -> Indices:
        """Give the place of each key, -1 where it is not known."""
        return self._table.find(keys.ravel()).reshape(keys.shape)

    def summed(self, keys: Keys) -> Floats:
        """Add up the weights of each word: a row of scores for its labels."""
        # One template after another, so that a sum never depends on how many words there are.
        total: Floats = self._padded[self.find(keys)].sum(axis=0, dtype=np.float64)
        return total

    def largest(self, size: int, times: Indices) -> Weights:
        """Keep the features that matter most, given how often each was seen in training."""
        matter = np.sqrt(times) * np.ptp(self.rows, axis=1)
        kept = np.sort(np.argsort(-matter, kind="stable")[:size])
        return Weights(self.keys[kept], self.rows[kept])

    def rounded(self) -> Weights:
        """Keep weights in half precision, and only those of features that have any."""
        rows = np.clip(self.rows, -MOST_WEIGHT, MOST_WEIGHT).astype(np.float16)
        kept = rows.any(axis=1)
        return Weights(self.keys[kept], rows[kept])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is known as arrays."""
        return {"keys": self.keys.astype(np.uint32), "weights": self.rows}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], labels: int) -> Weights:
        """Make one of arrays, or raise an error if they are no weights."""
        keys, rows = arrays["keys"], arrays["weights"]
        if keys.ndim != 1 or keys.dtype != np.uint32 or rows.dtype != np.float16:
            raise damaged("keys are no whole numbers, or weights no numbers")
        if rows.shape != (len(keys), labels):
            raise damaged(f"there are weights {rows.shape} for {len(keys)} keys")
        if (keys[1:] <= keys[:-1]).any():
            raise damaged("keys are not in order")
        return cls(keys.astype(np.int64), bounded("weights", rows))


@dataclass(frozen=True, eq=False)
class Chain:
    """Weights of features, and of each label (a column) after each (a row).

    The last row of `transitions` is what a recording begins with.
    """

    weights: Weights
    transitions: Floats

    names: ClassVar = frozenset({"keys", "weights", "transitions"})
    """The arrays that it is made of."""

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return int(self.transitions.shape[1])

    def scores(self, states: Floats, lengths: Indices) -> Floats:
        """Score each label after each, as `numeric.decode` has it, for recordings in a row."""
        steps = states[:, None, :] + self.transitions[:-1]
        first = (np.cumsum(lengths) - lengths)[lengths > 0]
        steps[first] = (states[first] + self.transitions[-1])[:, None, :]
        return steps.reshape(len(states), self.labels**2)

    def posterior(self, states: Floats, lengths: Indices) -> Floats:
        """Probability of each label (equation 2)."""
        return decode.posterior(self.scores(states, lengths), lengths, self.labels)

    def viterbi(self, states: Floats, lengths: Indices) -> Indices:
        """Give the labels of the best sequence."""
        return decode.viterbi(self.scores(states, lengths), lengths, self.labels)

    def with_weights(self, weights: Weights) -> Chain:
        """Give the same chain with other weights of features."""
        return replace(self, weights=weights)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is known as arrays."""
        return {**self.weights.arrays(), "transitions": self.transitions}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], labels: int) -> Chain:
        """Make one of arrays, or raise an error if they do not fit."""
        transitions = arrays["transitions"]
        if transitions.dtype != np.float64 or transitions.shape != (labels + 1, labels):
            raise damaged(f"there are transitions {transitions.shape} of {labels} labels")
        return cls(Weights.of(arrays, labels), bounded("transitions", transitions))


class Lesson(NamedTuple):
    """Features of each word as places among the known ones, -1 for others, and its label."""

    places: Indices
    labels: Indices


def frequent(keys: Iterable[Keys], cutoff: int) -> Indices:
    """Give, in ascending order, the keys that occur at least `cutoff` times."""
    known, times = np.unique(np.concatenate([each.ravel() for each in keys]), return_counts=True)
    chosen: Indices = known[times >= cutoff]
    return chosen


def seen(lessons: Sequence[Lesson], count: int) -> Indices:
    """Tell how often each of so many known features occurs."""
    places = np.concatenate([lesson.places.ravel() for lesson in lessons])
    return np.bincount(places[places >= 0], minlength=count)


def trained(
    known: Indices, lessons: Sequence[Lesson], labels: int, c2: float, iterations: int
) -> Chain:
    """Let CRFsuite find the weights, with `c2` times their squares held against them."""
    crfsuite = _crfsuite()
    trainer = crfsuite.Trainer(verbose=False)
    trainer.set_params(
        {"c1": 0.0, "c2": c2, "max_iterations": iterations, "feature.possible_transitions": True}
    )
    names = [*map(str, range(len(known))), ""]
    for places, numbers in lessons:
        items = [[names[at] for at in word if at >= 0] for word in places.T.tolist()]
        trainer.append(items, list(map(str, numbers.tolist())))
    with TemporaryDirectory() as folder:
        model = Path(folder, "model")
        trainer.train(str(model))
        return read(model, known, labels)


def read(model: Path, known: Indices, labels: int) -> Chain:
    """Read the weights of a file of CRFsuite whose attributes are places among the known keys.

    They are taken as they are in the file: the text that CRFsuite can write rounds them.
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
    """Give for each number of CRFsuite's the one that is its name."""
    found = np.zeros(len(names), np.int64)
    found[np.array(list(map(int, names.values())), np.int64)] = list(map(int, names))
    return found


def _features(data: bytes) -> NDArray[Any]:
    magic, _, kind, _, _, _, _, offset, *_ = HEADER.unpack_from(data)
    chunk, _, count = struct.unpack_from("<4sII", data, offset)
    if (magic, kind, chunk) != (b"lCRF", b"FOMC", b"FEAT"):
        raise CaesuraError(
            "python-crfsuite wrote a model of an unknown kind", remedy="install 0.9.11"
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
    """Give an array again, or raise an error if it holds what is no weight."""
    if not (abs(numbers) <= MOST_WEIGHT).all():
        raise damaged(f"{name} are not all numbers up to {MOST_WEIGHT:g}")
    return np.array(numbers)


def damaged(what: str) -> ModelError:
    """Say what is wrong with a model."""
    return ModelError(f"the model is damaged: {what}", remedy="train it again")


LEAST = -300.0
"""The lowest score that counts: the product of two such probabilities is still a number."""


def posterior(states: Floats, transitions: Floats, before: int) -> Floats:
    """Probability of each label of words that follow one with the label `before`.

    `transitions` has a row for what comes before; the last row, -1, stands for nothing. It is
    what `crf.Chain.posterior` gives, to rounding.
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
