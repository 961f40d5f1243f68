"""What an entity model has learnt: weights of clues for the labels of three models."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.errors import ModelError
from caesura.core.protocols import EntityProbabilities
from caesura.detectors.tagging.entity_features import Clues
from caesura.ml.crf import Weights
from caesura.ml.maxent import log_softmax
from caesura.ml.quantize import Scales, Stepped, stepped, unstepped, wrong

MODELS = 3
"""Where a name starts, where it ends, and what is inside one."""

MOST_CLASSES = 1000
ARRAYS = frozenset({"classes", "keys", "weights", "scales"})


@dataclass(frozen=True, eq=False)
class Weighed:
    """Keys of clues in ascending order, and weights with them for the labels of each model.

    The labels of a model are no name, and then the classes.
    """

    classes: Strings
    keys: Indices
    steps: Stepped
    scales: Scales

    @classmethod
    def rounded(cls, classes: Strings, keys: Indices, weights: Floats) -> Weighed:
        """Keep weights in 8 bits."""
        return cls(classes, keys, *stepped(weights))

    def probabilities(self, clues: Clues) -> EntityProbabilities:
        """Give the probabilities of labels at each word."""
        scores = clues.scores(self._weights)
        parts = scores.reshape(len(scores), MODELS, len(self.classes) + 1)
        start, end, inside = (np.exp(log_softmax(parts[:, model])) for model in range(MODELS))
        return EntityProbabilities(self.classes, start, end, inside)

    @cached_property
    def _weights(self) -> Weights:
        return Weights(self.keys, unstepped(self.steps, self.scales))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give all that is known as arrays; the classes are the bytes of a JSON list."""
        classes = np.frombuffer(json.dumps(self.classes).encode(), np.uint8)
        keys = self.keys.astype(np.uint32)
        return {"classes": classes, "keys": keys, "weights": self.steps, "scales": self.scales}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Weighed:
        """Make one of arrays, or raise a `ModelError`."""
        if set(arrays) != ARRAYS:
            raise damaged(f"it has the arrays {', '.join(sorted(arrays)) or 'none'}")
        keys, steps, scales = (np.array(arrays[name]) for name in ("keys", "weights", "scales"))
        if keys.dtype != np.uint32 or keys.ndim != 1 or (keys[1:] <= keys[:-1]).any():
            raise damaged("keys are no ascending numbers")
        classes = _names(arrays["classes"])
        fault = wrong(steps, scales, len(keys), MODELS * (len(classes) + 1))
        if fault:
            raise damaged(fault)
        return cls(classes, keys.astype(np.int64), steps, scales)


def _names(array: NDArray[Any]) -> Strings:
    try:
        found = json.loads(array.astype(np.uint8, casting="safe").tobytes().decode())
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged("classes are no JSON") from error
    if not isinstance(found, list) or not found:
        raise damaged("classes are no list")
    if not all(isinstance(name, str) for name in found) or found != sorted(set(found)):
        raise damaged("classes are no list of different texts")
    if unfit(found):
        raise damaged(unfit(found))
    return tuple(found)


def unfit(classes: Sequence[str]) -> str:
    """Say why classes can be neither learnt nor loaded, or '' if they can."""
    if len(classes) > MOST_CLASSES:
        return f"there are {len(classes)} classes of names, and there can be {MOST_CLASSES}"
    odd = [name for name in classes if not name.isprintable()]
    return f"a class has a name that cannot be printed: {odd[0]!a}" if odd else ""


def damaged(what: str) -> ModelError:
    """Say what is wrong with the model of an entity model."""
    return ModelError(f"the entity model is damaged: {what}", remedy="train it again")
