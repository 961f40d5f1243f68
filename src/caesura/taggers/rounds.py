"""What a tagger has learnt: weights of clues, in a round by words and one by tags as well."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.numeric import maxent
from caesura.numeric.tables import Table
from caesura.taggers import clues
from caesura.taggers.clues import ALONE, PAIRS, SECOND, Words
from caesura.transcript import Indices, Strings

Weights = NDArray[np.float32]

MOST_TAGS = 1000


@dataclass(frozen=True, eq=False)
class Rounds:
    """Keys of clues in ascending order, and the weights of each tag with them."""

    tags: Strings
    keys: Indices
    weights: NDArray[np.float16]

    def scores(self, words: Words) -> Weights:
        """Score the tags of each word by words, and then by the best tags around it too."""
        first = self.by_words(words)
        return first + self.by_tags(words, first.argmax(axis=1) + 1)

    def by_words(self, words: Words) -> Weights:
        """Score by words: what one word says is added up once for all its occurrences."""
        columns = self._found(words.kinds(ALONE))
        total = maxent.scores(self._found(words.keys(PAIRS)), self._wide)
        for place in range(-clues.MARGIN, clues.MARGIN + 1):
            here = [at for at, ((_, there),) in enumerate(ALONE) if there == place]
            total += maxent.scores(columns[:, here], self._wide)[words.shifted(place)]
        return total

    def by_tags(self, words: Words, tags: Indices) -> Weights:
        """Score by the tags that the first round gave, numbered from 1 on."""
        return maxent.scores(self._found(words.keys(SECOND, tags)), self._wide)

    def _found(self, keys: Indices) -> Indices:
        return self._table.find(keys.ravel()).reshape(keys.shape)

    @cached_property
    def _table(self) -> Table:
        return Table(self.keys)

    @cached_property
    def _wide(self) -> Weights:
        return maxent.padded(self.weights.astype(np.float32))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give all that is known as arrays; the tags are the bytes of a JSON list."""
        tags = np.frombuffer(json.dumps(self.tags).encode(), np.uint8)
        return {"tags": tags, "keys": self.keys, "weights": self.weights}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Rounds:
        """Make one of arrays, or raise a `ModelError`."""
        if set(arrays) != {"tags", "keys", "weights"}:
            raise damaged(f"it has the arrays {', '.join(sorted(arrays)) or 'none'}")
        tags, keys, weights = (np.array(arrays[name]) for name in ("tags", "keys", "weights"))
        if keys.dtype != np.int64 or keys.ndim != 1 or (np.diff(keys, prepend=-1) <= 0).any():
            raise damaged("keys are no ascending numbers")
        names = _names(tags)
        if weights.dtype != np.float16 or weights.shape != (len(keys), len(names)):
            raise damaged("weights have another shape than keys and tags")
        if not np.isfinite(weights).all():
            raise damaged("weights are not all numbers")
        return cls(names, keys, weights)


def joined(tags: Strings, parts: Sequence[tuple[Indices, NDArray[Any]]]) -> Rounds:
    """Put the keys and weights of rounds together."""
    keys = np.concatenate([keys for keys, _ in parts])
    order = np.argsort(keys)
    weights = np.concatenate([weights for _, weights in parts]).astype(np.float16)
    return Rounds(tags, keys[order], weights[order])


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
