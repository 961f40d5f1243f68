"""The layers of neural nets in numpy, for arrays of rows, places and features.

A sum of floats depends on the order of its terms, and the library behind a matrix product chooses
the order by the shapes of the matrices. So that a row has the same result in every batch, bit by
bit, no shape of a product depends on the number of rows: a product is computed row by row, or, in
recurrent layers, for groups of `GROUP` rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from caesura.core.errors import ModelError

Array = NDArray[np.float32]

GROUP = 8
"""Rows of one matrix product in a recurrent layer; a batch is a multiple of it.

With more rows, what a row gives depends on its place among them, on some processors.
"""


@cache
def _thread_pools() -> ThreadpoolController:
    return ThreadpoolController()


def on_one_thread() -> AbstractContextManager[Any]:
    """Keep numpy from splitting products among threads.

    They are too small to gain by it, and on a busy machine the threads wait for each other: a net
    then takes many times as long.
    """
    limited: AbstractContextManager[Any] = _thread_pools().limit(limits=1)
    return limited


def damaged(what: str) -> ModelError:
    """Return the error for a stored net that is damaged."""
    return ModelError(f"the net is damaged: {what}", remedy="train it again")


class Linear(NamedTuple):
    """Weights of a linear layer: a row for each feature that comes in, and the bias."""

    weight: Array
    bias: Array | None

    @classmethod
    def of(cls, weights: Mapping[str, Array], name: str) -> Linear:
        """Take the layer of that name from the weights of a net, as torch names them."""
        found = np.ascontiguousarray(weights[f"{name}.weight"].T)
        return cls(found, weights.get(f"{name}.bias"))

    def __call__(self, values: NDArray[Any]) -> Array:
        """Return the features that go out."""
        found: Array = values @ self.weight
        if self.bias is not None:
            found += self.bias
        return found


def relu(values: Array) -> Array:
    """Raise negative numbers to 0, in place."""
    return np.maximum(values, 0, out=values)


def sigmoid(values: Array) -> Array:
    """Return 1 / (1 + exp(-x)), which never overflows this way."""
    found: Array = np.tanh(values * np.float32(0.5))
    found += 1
    found *= np.float32(0.5)
    return found


def side_by_side(values: Array, count: int, step: int = 1) -> Array:
    """Put the features of `count` places, `step` apart, side by side, for each first place."""
    places = values.shape[1] - (count - 1) * step
    parts = [values[:, k * step : k * step + places] for k in range(count)]
    return np.concatenate(parts, axis=2)


def pool_pairs(values: Array) -> Array:
    """Return the maximum of each two neighbouring places."""
    return np.maximum(values[:, :-1], values[:, 1:])


class GRU(NamedTuple):
    """Weights of a gated recurrent layer: gates for reset, update and the new state."""

    given: Linear
    state: Linear

    @classmethod
    def of(cls, weights: Mapping[str, Array], name: str, ending: str = "") -> GRU:
        """Take the layer of that name from the weights of a net, as torch names them."""
        parts = (
            Linear(
                np.ascontiguousarray(weights[f"{name}.weight_{part}_l0{ending}"].T),
                weights[f"{name}.bias_{part}_l0{ending}"],
            )
            for part in ("ih", "hh")
        )
        return cls(*parts)

    def __call__(self, values: Array, backwards: bool = False) -> Array:
        """Return the state after each place, from the first to the last or backwards.

        The number of rows is a multiple of `GROUP`.
        """
        rows, places, _ = values.shape
        size = self.state.weight.shape[0]
        given = self.given(values).reshape(rows // GROUP, GROUP, places, 3 * size)
        given = np.ascontiguousarray(given.transpose(2, 0, 1, 3))
        found = np.empty((places, rows // GROUP, GROUP, size), np.float32)
        state = np.zeros((rows // GROUP, GROUP, size), np.float32)
        for at in reversed(range(places)) if backwards else range(places):
            state = self._step(given[at], state, size)
            found[at] = state
        return np.ascontiguousarray(found.transpose(1, 2, 0, 3)).reshape(rows, places, size)

    def _step(self, given: Array, state: Array, size: int) -> Array:
        held = self.state(state)
        gates = sigmoid(given[..., : 2 * size] + held[..., : 2 * size])
        new = held[..., 2 * size :] * gates[..., :size]
        new += given[..., 2 * size :]
        new = np.tanh(new)
        found: Array = (state - new) * gates[..., size:]
        found += new
        return found


def attend(keys: Array, queries: Array, values: Array, weights: Array) -> Array:
    """Return for each query of each row the mean of the row's values, weighted by attention.

    The attention of a query to a key is softmax(weights · tanh(key + query)).
    """
    found = np.empty((len(keys), queries.shape[1], values.shape[2]), np.float32)
    for row in range(len(keys)):
        pairs = np.tanh(keys[row][None] + queries[row][:, None])
        scores = pairs.reshape(-1, len(weights)) @ weights
        found[row] = softmax(scores.reshape(pairs.shape[:2])) @ values[row]
    return found


def softmax(scores: Array) -> Array:
    """Return probabilities that are proportional to exp(score), along the last axis."""
    found: Array = np.exp(scores - scores.max(axis=-1, keepdims=True))
    found /= found.sum(axis=-1, keepdims=True)
    return found
