"""The transformer encoder with numpy; `detectors/neural/encoder_training.py` trains it.

Large matrices are stored as whole numbers from -127 to 127 with a scale for each output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.core.errors import ModelError
from caesura.ml.neural.layers import on_one_thread

Single = NDArray[np.float32]

LARGEST = 127
EPSILON = np.float32(1e-12)
TINY = np.float32(1e-30)
GELU = np.float32(np.sqrt(2 / np.pi))
HIDDEN_SCORE = np.float32(-1e9)
"""The attention to what is not there."""

MOST_WEIGHT = 1e3
"""Larger weights, or scales of weights, are those of a damaged file."""

LINEAR = ("qkv", "out", "inner", "outer")
NORMS = ("norm", "last_norm")


class Shape(NamedTuple):
    """The sizes of an encoder."""

    pieces: int
    values: int
    """Values of all columns of evidence together."""

    hidden: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    positions: int = 256
    gap_heads: int = 6
    gap_classes: int = 5
    case_classes: int = 4

    def arrays(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the name and the shape of each array of weights."""
        hidden = self.hidden
        yield "pieces.weight", (self.pieces, hidden)
        yield "values.weight", (self.values, hidden)
        yield "positions.weight", (self.positions, hidden)
        yield from _norm_arrays("norm", hidden)
        for layer in range(self.layers):
            yield from self._layer_arrays(f"layers.{layer}.")
        yield from _linear_arrays("gap", self.gap_heads * self.gap_classes, hidden)
        yield from _linear_arrays("case", self.case_classes, hidden)

    def _layer_arrays(self, name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        hidden, inner = self.hidden, self.inner
        sizes = ((3 * hidden, hidden), (hidden, hidden), (inner, hidden), (hidden, inner))
        for part, (outputs, inputs) in zip(LINEAR, sizes, strict=True):
            yield from _linear_arrays(name + part, outputs, inputs)
        for norm in NORMS:
            yield from _norm_arrays(name + norm, hidden)


def _linear_arrays(name: str, outputs: int, inputs: int) -> list[tuple[str, tuple[int, ...]]]:
    return [(f"{name}.weight", (outputs, inputs)), (f"{name}.bias", (outputs,))]


def _norm_arrays(name: str, hidden: int) -> list[tuple[str, tuple[int, ...]]]:
    return [(f"{name}.weight", (hidden,)), (f"{name}.bias", (hidden,))]


SCALE = ".scale"
EIGHT_BITS = ("pieces.weight", *(f"{name}.weight" for name in LINEAR))
"""Ends of the names of arrays that are kept in 8 bits."""


def quantize(weights: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return weights with the large matrices in 8 bits, and a scale for each of their rows."""
    found: dict[str, NDArray[Any]] = {}
    for name, array in weights.items():
        if name.endswith(EIGHT_BITS):
            scale = np.maximum(np.abs(array).max(axis=1) / LARGEST, TINY).astype(np.float32)
            found[name] = np.rint(array / scale[:, None]).astype(np.int8)
            found[name + SCALE] = scale
        else:
            found[name] = array.astype(np.float32)
    return found


def restored(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Single]:
    """Return the weights of which `quantize` made arrays, as far as 8 bits keep them."""
    found = {}
    for name, array in arrays.items():
        if name + SCALE in arrays:
            found[name] = array * arrays[name + SCALE][:, None]
        elif not name.endswith(SCALE):
            found[name] = array
    return found


def check_weights(arrays: Mapping[str, NDArray[Any]], shape: Shape) -> None:
    """Raise an error if arrays are not the weights of an encoder of this shape."""
    wanted: dict[str, tuple[tuple[int, ...], type[Any]]] = {}
    for name, size in shape.arrays():
        eight = name.endswith(EIGHT_BITS)
        wanted[name] = (size, np.int8 if eight else np.float32)
        if eight:
            wanted[name + SCALE] = (size[:1], np.float32)
    if set(arrays) != set(wanted):
        odd = sorted(set(arrays) ^ set(wanted))
        raise ModelError(f"its weights do not fit: {', '.join(odd[:3])}", remedy="train it again")
    for name, (size, kind) in wanted.items():
        array = arrays[name]
        if array.shape != size or array.dtype != kind:
            found = f"{array.dtype} {array.shape}, not {np.dtype(kind)} {size}"
            raise ModelError(f"its weights {name} are {found}", remedy="train it again")
        if kind is np.float32 and not (np.abs(array) <= MOST_WEIGHT).all():
            what = f"are not all numbers up to {MOST_WEIGHT:g}"
            raise ModelError(f"its weights {name} {what}", remedy="train it again")


class Transformer:
    """Runs an encoder on windows of pieces."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], shape: Shape) -> None:
        """Take the arrays that `quantize` returns."""
        check_weights(arrays, shape)
        self.arrays = arrays
        self.shape = shape
        self.linear = {
            name: Linear(
                np.ascontiguousarray(arrays[f"{name}.weight"].T * arrays[f"{name}.weight{SCALE}"]),
                arrays[f"{name}.bias"],
            )
            for name in (f"layers.{at}.{part}" for at in range(shape.layers) for part in LINEAR)
        }

    def scores(
        self, pieces: Indices, lengths: Indices, values: Indices, value_at: Indices
    ) -> tuple[Single, Single]:
        """Return the scores of gap classes by each head, and of case classes, for each word.

        `pieces` has a row for each window, of which the first `lengths` are there. `values` has
        the numbers of the evidence of each word, and `value_at` the place of its first piece in
        the flattened windows.
        """
        words = self.vectors(pieces, lengths, values, value_at)
        gaps = words @ self.arrays["gap.weight"].T + self.arrays["gap.bias"]
        cases = words @ self.arrays["case.weight"].T + self.arrays["case.bias"]
        return gaps.reshape(len(words), self.shape.gap_heads, -1), cases

    def vectors(
        self, pieces: Indices, lengths: Indices, values: Indices, value_at: Indices
    ) -> Single:
        """Return what the last layer, which gives the scores, sees of each word."""
        x = self._embedded(pieces, values, value_at)
        hidden = np.arange(pieces.shape[1]) >= lengths[:, None]
        mask = np.where(hidden, HIDDEN_SCORE, np.float32(0))[:, None, None, :]
        with on_one_thread():
            for layer in range(self.shape.layers):
                x = self._layer(x, mask if hidden.any() else None, len(pieces), f"layers.{layer}.")
        return x[value_at]

    def _embedded(self, pieces: Indices, values: Indices, value_at: Indices) -> Single:
        arrays, flat = self.arrays, pieces.ravel()
        x = arrays["pieces.weight"][flat].astype(np.float32)
        x *= arrays["pieces.weight" + SCALE][flat, None]
        x.reshape(*pieces.shape, -1)[:] += arrays["positions.weight"][: pieces.shape[1]]
        x[value_at] += arrays["values.weight"][values].sum(axis=1)
        return self._norm(x, "norm")

    def _layer(self, x: Single, mask: Single | None, rows: int, name: str) -> Single:
        found = self._attention(self.linear[f"{name}qkv"](x), mask, rows)
        x = self._norm(x + self.linear[f"{name}out"](found), f"{name}norm")
        inner = _gelu(self.linear[f"{name}inner"](x))
        return self._norm(x + self.linear[f"{name}outer"](inner), f"{name}last_norm")

    def _attention(self, qkv: Single, mask: Single | None, rows: int) -> Single:
        size = self.shape.hidden // self.shape.heads
        parts = qkv.reshape(rows, -1, 3, self.shape.heads, size).transpose(2, 0, 3, 1, 4)
        query, key, value = (np.ascontiguousarray(part) for part in parts)
        query *= np.float32(size**-0.5)
        scores = query @ key.transpose(0, 1, 3, 2)
        if mask is not None:
            scores += mask
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        found = scores @ value
        found /= scores.sum(axis=-1, keepdims=True)
        joined: Single = found.transpose(0, 2, 1, 3).reshape(len(qkv), self.shape.hidden)
        return joined

    def _norm(self, x: Single, name: str) -> Single:
        x -= x.mean(axis=1, keepdims=True)
        size = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
        x *= (1 / np.sqrt(size + EPSILON))[:, None]
        x *= self.arrays[f"{name}.weight"]
        x += self.arrays[f"{name}.bias"]
        return x


class Linear(NamedTuple):
    """Weights, with an input in each row, and what is added."""

    weight: Single
    bias: Single

    def __call__(self, x: Single) -> Single:
        """Return the outputs for each row of inputs."""
        found: Single = x @ self.weight
        found += self.bias
        return found


def _gelu(x: Single) -> Single:
    """Return GELU by its approximation with tanh."""
    inner = x * x
    inner *= np.float32(0.044715)
    inner += np.float32(1)
    inner *= x
    inner *= GELU
    np.tanh(inner, out=inner)
    inner += np.float32(1)
    inner *= x
    inner *= np.float32(0.5)
    return inner
