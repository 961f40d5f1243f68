"""The transformer encoder for onnxruntime: the graph of `transformer.py`, made from its arrays.

onnxruntime takes a model as the bytes of a protocol buffer, which has few kinds of fields: `_field`
writes them, so that no other package is needed.

Numbers are floats of 32 bits, as in numpy. Products of bytes are two and a half times as fast, but
one byte for each activation moves log-odds by up to 2; with two bytes, most windows had a decision
that was too close to be sure of what numpy decides, and with three nothing is gained.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from caesura.core.arrays import Indices
from caesura.ml.neural.transformer import EPSILON, SCALE, Shape, Single, Transformer

OPSET, IR_VERSION = 20, 9
EXTENSION, EXTENSION_VERSION = "com.microsoft", 1
"""Where onnxruntime has operations of its own, which do several steps at a time."""

OF_EXTENSION = {"FastGelu", "MultiHeadAttention"}
TYPES = {"float32": 1, "int8": 3, "int64": 7}
"""Numbers of the types of tensors."""

FLOAT, INTEGER, TEXT = 1, 2, 3
"""Numbers of the types of attributes."""


class OnnxTransformer:
    """Runs an encoder as `transformer.Transformer` does, with onnxruntime."""

    def __init__(self, transformer: Transformer, threads: int = 0) -> None:
        """Make the graph; `threads` is 0 for as many as there are cores."""
        self.shape = transformer.shape
        self.session = _session(make_graph(transformer), threads)

    def scores(
        self, pieces: Indices, lengths: Indices, values: Indices, value_at: Indices
    ) -> tuple[Single, Single]:
        """Return what `Transformer.scores` returns.

        Each window is run by itself: how it is rounded depends on all that is run with it.
        """
        rows, width = pieces.shape
        stops = np.searchsorted(value_at, np.arange(1, rows) * width)
        found = []
        for row, length, told, places in zip(
            pieces, lengths, np.split(values, stops), np.split(value_at % width, stops), strict=True
        ):
            given = {
                "pieces": row[:length],
                "places": np.arange(length),
                "values": told,
                "value_at": places[:, None],
            }
            found.append(self.session.run(["gaps", "cases"], given))
        gaps, cases = map(np.concatenate, zip(*found, strict=True))
        return gaps.reshape(len(value_at), self.shape.gap_heads, -1), cases


def _session(graph: bytes, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # Higher levels put sums and norms into one operation, which is slower than both.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def make_graph(transformer: Transformer) -> bytes:
    """Return the model as the bytes that onnxruntime loads; it runs one window."""
    graph, shape, arrays = _Graph(transformer), transformer.shape, transformer.arrays
    x = _embedded(graph)
    for layer in range(shape.layers):
        x = _layer(graph, x, shape, layer)
    words = graph.node("Squeeze", [x, graph.ints([0])])
    for name, output in (("gap", "gaps"), ("case", "cases")):
        weight = graph.constant(f"{name}.across", np.ascontiguousarray(arrays[f"{name}.weight"].T))
        product = graph.node("MatMul", [words, weight])
        graph.node("Add", [product, graph.weight(f"{name}.bias")], output)
    return graph.model(
        {
            "pieces": ("int64", ["length"]),
            "places": ("int64", ["length"]),
            "values": ("int64", ["words", "columns"]),
            "value_at": ("int64", ["words", 1]),
        },
        {name: ("float32", ["words", f"{name} classes"]) for name in ("gaps", "cases")},
    )


def _embedded(graph: _Graph) -> str:
    table, scales = graph.weight("pieces.weight"), graph.weight("pieces.weight" + SCALE)
    rows = graph.node("Cast", [graph.node("Gather", [table, "pieces"])], to=TYPES["float32"])
    scale = graph.node("Unsqueeze", [graph.node("Gather", [scales, "pieces"]), graph.ints([-1])])
    x = graph.node("Mul", [rows, scale])
    x = graph.node("Add", [x, graph.node("Gather", [graph.weight("positions.weight"), "places"])])
    told = graph.node("Gather", [graph.weight("values.weight"), "values"])
    told = graph.node("ReduceSum", [told, graph.ints([1])], keepdims=0)
    x = graph.node("ScatterND", [x, "value_at", told], reduction="add")
    return graph.node("Unsqueeze", [_normalized(graph, x, "norm"), graph.ints([0])])


def _layer(graph: _Graph, x: str, shape: Shape, layer: int) -> str:
    name = f"layers.{layer}."
    parts = [
        _product(graph, x, f"{name}qkv", slice(at, at + shape.hidden))
        for at in range(0, 3 * shape.hidden, shape.hidden)
    ]
    found = graph.node("MultiHeadAttention", parts, num_heads=shape.heads)
    if layer == shape.layers - 1:
        # Of the last layer, only the first piece of each word is needed.
        words = graph.node("Squeeze", ["value_at", graph.ints([1])])
        found, x = (graph.node("Gather", [each, words], axis=1) for each in (found, x))
    x = _norm(graph, x, _product(graph, found, f"{name}out"), f"{name}norm")
    inner = graph.node("FastGelu", [_product(graph, x, f"{name}inner")])
    return _norm(graph, x, _product(graph, inner, f"{name}outer"), f"{name}last_norm")


def _product(graph: _Graph, x: str, name: str, part: slice = slice(None)) -> str:
    """Multiply a matrix with weights, or with those of some outputs, and add their bias."""
    linear, key = graph.transformer.linear[name], f"{name} {part.start}"
    weight = graph.constant(f"{key} weight", np.ascontiguousarray(linear.weight[:, part]))
    bias = graph.constant(f"{key} bias", linear.bias[part])
    return graph.node("Add", [graph.node("MatMul", [x, weight]), bias])


def _norm(graph: _Graph, x: str, change: str, name: str) -> str:
    return _normalized(graph, graph.node("Add", [x, change]), name)


def _normalized(graph: _Graph, x: str, name: str) -> str:
    weights = [graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")]
    return graph.node("LayerNormalization", [x, *weights], epsilon=float(EPSILON))


class _Graph:
    """The nodes and tensors of a graph, as bytes."""

    def __init__(self, transformer: Transformer) -> None:
        self.transformer = transformer
        self.nodes: list[bytes] = []
        self.tensors: dict[str, bytes] = {}

    def node(self, kind: str, inputs: Sequence[str], output: str = "", **settings: Any) -> str:
        """Add a node and return the name of its output."""
        return self.nodes_of(kind, inputs, 1, output, **settings)[0]

    def nodes_of(
        self, kind: str, inputs: Sequence[str], outputs: int, output: str = "", **settings: Any
    ) -> list[str]:
        """Add a node and return the names of its outputs."""
        names = [output or f"{kind} {len(self.nodes)} {at}" for at in range(outputs)]
        parts = [*(_field(1, name) for name in inputs), *(_field(2, name) for name in names)]
        parts += [_field(4, kind)]
        parts += [_field(5, _attribute(name, value)) for name, value in settings.items()]
        parts += [_field(7, EXTENSION)] if kind in OF_EXTENSION else []
        self.nodes.append(b"".join(parts))
        return names

    def weight(self, name: str) -> str:
        """Return the name of the tensor of a weight."""
        return self.constant(name, self.transformer.arrays[name])

    def ints(self, values: Sequence[int]) -> str:
        """Return the name of a tensor of whole numbers."""
        return self.constant(f"ints {values}", np.array(values, np.int64))

    def constant(self, name: str, array: Any) -> str:
        """Add a tensor once and return its name."""
        if name not in self.tensors:
            found = np.asarray(array)
            dims = b"".join(_field(1, int(size)) for size in found.shape)
            kind = _field(2, TYPES[found.dtype.name])
            self.tensors[name] = dims + kind + _field(8, name) + _field(9, found.tobytes())
        return name

    def model(self, inputs: Kinds, outputs: Kinds) -> bytes:
        """Return the bytes of a model with this graph."""
        body = [
            *(_field(1, node) for node in self.nodes),
            _field(2, "encoder"),
            *(_field(5, tensor) for tensor in self.tensors.values()),
            *(_field(11, _value_info(name, *kind)) for name, kind in inputs.items()),
            *(_field(12, _value_info(name, *kind)) for name, kind in outputs.items()),
        ]
        operations = [
            _field(8, _field(2, OPSET)),
            _field(8, _field(1, EXTENSION) + _field(2, EXTENSION_VERSION)),
        ]
        return _field(1, IR_VERSION) + _field(7, b"".join(body)) + b"".join(operations)


Kinds = Mapping[str, tuple[str, Sequence[int | str]]]
"""The type and the sizes of each input or output of a graph."""


def _attribute(name: str, value: int | float | str) -> bytes:
    if isinstance(value, float):
        return _field(1, name) + _field(2, value) + _field(20, FLOAT)
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, INTEGER)
    return _field(1, name) + _field(4, value) + _field(20, TEXT)


def _value_info(name: str, kind: str, sizes: Sequence[int | str]) -> bytes:
    """Describe an input or output; sizes are numbers or names."""
    dims = [_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in sizes]
    tensor = _field(1, TYPES[kind]) + _field(2, b"".join(dims))
    return _field(1, name) + _field(2, _field(1, tensor))


def _field(number: int, value: int | float | str | bytes) -> bytes:
    """Write a field of a protocol buffer: its number and kind, then the value."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    raw = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _varint(value: int) -> bytes:
    """Write a whole number, seven bits a byte; a negative one as 64 bits."""
    value &= (1 << 64) - 1
    found = bytearray()
    while value >= 128:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
