"""The encoder with numpy, compared with slow code that follows the definition word by word."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura.core.errors import ModelError
from caesura.ml.neural.transformer import SCALE, Shape, Transformer, check_weights, quantize

Arrays = dict[str, NDArray[Any]]
Rows = list[list[float]]

SHAPE = Shape(20, 7, hidden=8, layers=2, heads=2, inner=12, positions=16)


def random_weights(shape: Shape, seed: int = 1) -> Arrays:
    draw = np.random.default_rng(seed)
    return {name: draw.normal(0, 0.3, size).astype(np.float32) for name, size in shape.arrays()}


def plain(arrays: Arrays) -> Arrays:
    """Undo `quantize`."""
    return {
        name: array * arrays[name + SCALE][:, None] if name + SCALE in arrays else array
        for name, array in arrays.items()
        if not name.endswith(SCALE)
    }


class SlowEncoder:
    """The definition, number by number, for one window."""

    def __init__(self, weights: Arrays, shape: Shape) -> None:
        self.weights = weights
        self.shape = shape

    def scores(self, pieces: list[int], values: Any, places: list[int]) -> tuple[Rows, Rows]:
        told = {place: list(numbers) for place, numbers in zip(places, values, strict=True)}
        rows = [self.embedded(piece, at, told.get(at, [])) for at, piece in enumerate(pieces)]
        for layer in range(self.shape.layers):
            rows = self.layer(rows, f"layers.{layer}.")
        words = [rows[place] for place in places]
        return [self.linear(x, "gap") for x in words], [self.linear(x, "case") for x in words]

    def embedded(self, piece: int, at: int, values: list[int]) -> list[float]:
        x = self.weights["pieces.weight"][piece] + self.weights["positions.weight"][at]
        for value in values:
            x = x + self.weights["values.weight"][value]
        return self.norm(x.tolist(), "norm")

    def layer(self, rows: Rows, name: str) -> Rows:
        attended = self.attention([self.linear(x, f"{name}qkv") for x in rows])
        out = [self.linear(x, f"{name}out") for x in attended]
        rows = [self.norm(added(*pair), f"{name}norm") for pair in zip(rows, out, strict=True)]
        inner = [[gelu(a) for a in self.linear(x, f"{name}inner")] for x in rows]
        outer = [self.linear(x, f"{name}outer") for x in inner]
        pairs = zip(rows, outer, strict=True)
        return [self.norm(added(*pair), f"{name}last_norm") for pair in pairs]

    def attention(self, qkv: Rows) -> Rows:
        width, size = self.shape.hidden, self.shape.hidden // self.shape.heads
        found: Rows = [[] for _ in qkv]
        for first in range(0, width, size):
            query, key, value = (
                [row[at + first : at + first + size] for row in qkv] for at in (0, width, 2 * width)
            )
            for at, own in enumerate(query):
                shares = [math.exp(dot(own, other) / math.sqrt(size)) for other in key]
                for column in zip(*value, strict=True):
                    found[at].append(dot(shares, list(column)) / sum(shares))
        return found

    def linear(self, x: list[float], name: str) -> list[float]:
        rows, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return [dot(x, list(row)) + b for row, b in zip(rows, bias, strict=True)]

    def norm(self, x: list[float], name: str) -> list[float]:
        mean = sum(x) / len(x)
        size = math.sqrt(sum((a - mean) ** 2 for a in x) / len(x) + 1e-12)
        both = zip(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], strict=True)
        return [(a - mean) / size * b + c for a, b, c in both]


def dot(x: list[float], y: list[float]) -> float:
    return sum(a * b for a, b in zip(x, y, strict=True))


def added(x: list[float], y: list[float]) -> list[float]:
    return [a + b for a, b in zip(x, y, strict=True)]


def gelu(a: float) -> float:
    return 0.5 * a * (1 + math.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a**3)))


def test_it_computes_what_the_definition_says() -> None:
    arrays = quantize(random_weights(SHAPE))
    pieces = np.array([[2, 5, 9, 11, 3], [2, 7, 8, 0, 0]])
    values = np.array([[0, 3], [1, 4], [2, 6]])
    value_at = np.array([1, 3, 6])
    gaps, cases = Transformer(arrays, SHAPE).scores(pieces, np.array([5, 3]), values, value_at)
    slow = SlowEncoder(plain(arrays), SHAPE)
    first = slow.scores([2, 5, 9, 11, 3], values[:2], [1, 3])
    second = slow.scores([2, 7, 8], values[2:], [1])
    assert gaps.reshape(3, -1) == pytest.approx(np.array(first[0] + second[0]), abs=1e-4)
    assert cases == pytest.approx(np.array(first[1] + second[1]), abs=1e-4)


def test_eight_bits_are_near_the_weights() -> None:
    weights = random_weights(SHAPE)
    found = plain(quantize(weights))
    for name, array in weights.items():
        step = np.abs(array).max(axis=-1, keepdims=True) / 254 + 1e-7
        assert (np.abs(found[name] - array) <= step).all(), name


def test_onnxruntime_gives_the_same_scores() -> None:
    pytest.importorskip("onnxruntime")
    from caesura.ml.neural.onnx_graph import OnnxTransformer

    arrays = quantize(random_weights(SHAPE))
    draw = np.random.default_rng(4)
    pieces, lengths = draw.integers(0, 20, (3, 10)), np.array([10, 7, 4])
    value_at = np.array([1, 4, 9, 11, 14, 21, 23])
    values = draw.integers(0, 7, (7, 2))
    transformer = Transformer(arrays, SHAPE)
    ours = transformer.scores(pieces, lengths, values, value_at)
    theirs = OnnxTransformer(transformer, 1).scores(pieces, lengths, values, value_at)
    for mine, other in zip(ours, theirs, strict=True):
        assert other == pytest.approx(mine, abs=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"norm.bias": None}, "do not fit: norm.bias"),
        ({"more": np.zeros(3, np.float32)}, "do not fit: more"),
        (
            {"norm.bias": np.zeros(9, np.float32)},
            r"norm.bias are float32 \(9,\), not float32 \(8,\)",
        ),
        ({"norm.bias": np.zeros(8)}, "norm.bias are float64"),
        ({"norm.bias": np.full(8, np.nan, np.float32)}, "norm.bias are not all numbers"),
    ],
)
def test_damaged_weights_are_one_clear_error(change: dict[str, Any], message: str) -> None:
    changed = quantize(random_weights(SHAPE)) | change
    arrays = {name: array for name, array in changed.items() if array is not None}
    with pytest.raises(ModelError, match=message):
        check_weights(arrays, SHAPE)
