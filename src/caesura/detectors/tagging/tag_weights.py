"""What a tagger has learnt: weights of clues, in a round by words and one by tags as well."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices, Strings
from caesura.core.errors import ModelError
from caesura.detectors.tagging.tag_features import ALONE, NEAR, PAIRS, SECOND, STARTS, Words
from caesura.ml import maxent
from caesura.ml.lookup import Table
from caesura.ml.quantize import LARGE, Scales, Stepped, stepped, unstepped

Weights = NDArray[np.float32]

MOST_TAGS = 1000

ARRAYS = frozenset({"tags", "keys", "weights", "scales"})


@dataclass(frozen=True, eq=False)
class Rounds:
    """Keys of clues in ascending order, and the weights of each tag with them.

    A weight is a number of steps, times the scale of its clue: finer steps change no tag that
    matters, and take more room.
    """

    tags: Strings
    keys: Indices
    weights: Stepped
    scales: Scales

    def scores(self, words: Words) -> Weights:
        """Score the tags of each word by words, and then by the best tags around it too."""
        first = self.by_words(words)
        return first + self.by_tags(words, first.argmax(axis=1) + 1)

    def by_words(self, words: Words) -> Weights:
        """Score by words: what one word says is added up once for all its occurrences."""
        kinds, pairs = words.kinds(ALONE), words.keys(PAIRS)
        found = self._table.find(np.concatenate([kinds.ravel(), pairs.ravel()]))
        columns, paired = found[: kinds.size], found[kinds.size :]
        said = maxent.scores(columns.reshape(kinds.shape), self._wide, STARTS)
        total = maxent.scores(paired.reshape(pairs.shape), self._wide)[:, 0]
        for at, place in enumerate(NEAR):
            total += said[words.shifted(place), at]
        return total

    def by_tags(self, words: Words, tags: Indices) -> Weights:
        """Score by the tags that the first round gave, numbered from 1 on."""
        keys = words.keys(SECOND, tags)
        found = self._table.find(keys.ravel()).reshape(keys.shape)
        return maxent.scores(found, self._wide)[:, 0]

    @cached_property
    def _table(self) -> Table:
        return Table(self.keys)

    @cached_property
    def _wide(self) -> Weights:
        return maxent.padded(unstepped(self.weights, self.scales))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give all that is known as arrays; the tags are the bytes of a JSON list."""
        tags = np.frombuffer(json.dumps(self.tags).encode(), np.uint8)
        keys = self.keys.astype(np.uint32)
        return {"tags": tags, "keys": keys, "weights": self.weights, "scales": self.scales}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Rounds:
        """Make one of arrays, or raise a `ModelError`."""
        if set(arrays) != ARRAYS:
            raise damaged(f"it has the arrays {', '.join(sorted(arrays)) or 'none'}")
        keys, weights, scales = (np.array(arrays[name]) for name in ("keys", "weights", "scales"))
        if keys.dtype != np.uint32 or keys.ndim != 1 or (keys[1:] <= keys[:-1]).any():
            raise damaged("keys are no ascending numbers")
        names = _names(arrays["tags"])
        if weights.dtype != np.int8 or weights.shape != (len(keys), len(names)):
            raise damaged("weights have another shape than keys and tags")
        if scales.dtype != np.float16 or scales.shape != keys.shape:
            raise damaged("scales have another shape than keys")
        if not ((scales >= 0) & (scales <= LARGE)).all():
            raise damaged(f"scales are not all numbers up to {LARGE:g}")
        return cls(names, keys.astype(np.int64), weights, scales)


def joined(tags: Strings, parts: Sequence[tuple[Indices, NDArray[Any]]]) -> Rounds:
    """Put the keys and weights of rounds together."""
    keys = np.concatenate([keys for keys, _ in parts])
    order = np.argsort(keys)
    weights = np.concatenate([weights for _, weights in parts])[order]
    return Rounds(tags, keys[order], *stepped(weights))


def _names(array: NDArray[Any]) -> Strings:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise damaged("tags are no bytes")
    try:
        found = json.loads(array.tobytes().decode())
    except (ValueError, RecursionError) as error:
        raise damaged("tags are no JSON") from error
    if not isinstance(found, list) or not 0 < len(found) <= MOST_TAGS:
        raise damaged("tags are no list")
    if not all(isinstance(tag, str) and tag for tag in found) or found != sorted(set(found)):
        raise damaged("tags are no list of different texts")
    return tuple(found)


def damaged(what: str) -> ModelError:
    """Say what is wrong with the model of a tagger."""
    return ModelError(f"the tagger is damaged: {what}", remedy="train it again")
