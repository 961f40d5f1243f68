"""The transformer encoder for onnxruntime: the graph of `transformer.py`, made from its arrays.

onnxruntime multiplies whole numbers of 8 bits several times as fast as numpy multiplies floats. It
takes a model as the bytes of a protocol buffer, which has few kinds of fields: `_field` writes
them, so that no other package is needed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.ml.neural.transformer import LARGEST, SCALE, TINY, Shape, Single

OPSET, IR_VERSION = 20, 9
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
"""Numbers of the types of tensors."""

MIDDLE = 128
"""What is added to whole numbers from -127 to 127, so that they fit into unsigned bytes."""

FINER = 2 * LARGEST
"""How much finer the second row of whole numbers is."""

FLOAT, INTEGER, TEXT, INTEGERS = 1, 2, 3, 7
"""Numbers of the types of attributes."""


class OnnxTransformer:
    """Runs an encoder as `transformer.Transformer` does, with onnxruntime."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], shape: Shape, threads: int = 0) -> None:
        """Make the graph; `threads` is 0 for as many as there are cores."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        graph = make_graph(arrays, shape)
        providers = ["CPUExecutionProvider"]
        self.shape = shape
        self.session = onnxruntime.InferenceSession(graph, options, providers=providers)

    def scores(
        self, pieces: Indices, lengths: Indices, values: Indices, value_at: Indices
    ) -> tuple[Single, Single]:
        """Return what `Transformer.scores` returns."""
        hidden = np.arange(pieces.shape[1]) >= lengths[:, None]
        given = {
            "pieces": pieces,
            "places": np.arange(pieces.shape[1]),
            "mask": np.where(hidden, np.float32(-1e9), np.float32(0))[:, None, None, :],
            "values": values,
            "value_at": value_at[:, None],
        }
        gaps, cases = self.session.run(["gaps", "cases"], given)
        return gaps.reshape(len(value_at), self.shape.gap_heads, -1), cases


def make_graph(arrays: Mapping[str, NDArray[Any]], shape: Shape) -> bytes:
    """Return the model as the bytes that onnxruntime loads."""
    graph = _Graph(arrays)
    x = _embedded(graph, shape)
    for layer in range(shape.layers):
        x = _layer(graph, x, shape, f"layers.{layer}.")
    words = graph.node("Gather", [x, graph.node("Squeeze", ["value_at", graph.ints([1])])])
    for name, output in (("gap", "gaps"), ("case", "cases")):
        weight = graph.constant(f"{name}.across", np.ascontiguousarray(arrays[f"{name}.weight"].T))
        product = graph.node("MatMul", [words, weight])
        graph.node("Add", [product, graph.weight(f"{name}.bias")], output)
    inputs: dict[str, tuple[str, list[int | str]]] = {
        "pieces": ("int64", ["rows", "length"]),
        "places": ("int64", ["length"]),
        "mask": ("float32", ["rows", 1, 1, "length"]),
        "values": ("int64", ["words", "columns"]),
        "value_at": ("int64", ["words", 1]),
    }
    outputs: dict[str, tuple[str, list[int | str]]] = {
        name: ("float32", ["words", f"{name} classes"]) for name in ("gaps", "cases")
    }
    body = [
        *(_field(1, node) for node in graph.nodes),
        _field(2, "encoder"),
        *(_field(5, tensor) for tensor in graph.tensors.values()),
        *(_field(11, _value_info(name, *kind)) for name, kind in inputs.items()),
        *(_field(12, _value_info(name, *kind)) for name, kind in outputs.items()),
    ]
    opset = _field(8, _field(2, OPSET))
    return _field(1, IR_VERSION) + _field(7, b"".join(body)) + opset


def _embedded(graph: _Graph, shape: Shape) -> str:
    table, scales = graph.weight("pieces.weight"), graph.weight("pieces.weight" + SCALE)
    rows = graph.node("Cast", [graph.node("Gather", [table, "pieces"])], to=TYPES["float32"])
    scale = graph.node("Unsqueeze", [graph.node("Gather", [scales, "pieces"]), graph.ints([-1])])
    x = graph.node("Mul", [rows, scale])
    x = graph.node("Add", [x, graph.node("Gather", [graph.weight("positions.weight"), "places"])])
    x = graph.node("Reshape", [x, graph.ints([-1, shape.hidden])])
    told = graph.node("Gather", [graph.weight("values.weight"), "values"])
    told = graph.node("ReduceSum", [told, graph.ints([1])], keepdims=0)
    x = graph.node("ScatterND", [x, "value_at", told], reduction="add")
    return _norm(graph, x, "norm")


def _layer(graph: _Graph, x: str, shape: Shape, name: str) -> str:
    found = _attention(graph, _linear(graph, x, f"{name}qkv"), shape)
    added = graph.node("Add", [x, _linear(graph, found, f"{name}out")])
    x = _norm(graph, added, f"{name}norm")
    inner = graph.node("Gelu", [_linear(graph, x, f"{name}inner")], approximate="tanh")
    added = graph.node("Add", [x, _linear(graph, inner, f"{name}outer")])
    return _norm(graph, added, f"{name}last_norm")


def _attention(graph: _Graph, qkv: str, shape: Shape) -> str:
    size = shape.hidden // shape.heads
    length = graph.node("Shape", ["places"])
    ends = [graph.ints([-1]), length, graph.ints([3, shape.heads, size])]
    split = graph.node("Reshape", [qkv, graph.node("Concat", ends, axis=0)])
    parts = graph.node("Transpose", [split], perm=[2, 0, 3, 1, 4])
    query, key, value = (
        graph.node("Gather", [parts, graph.constant(f"{at}", np.array(at))], axis=0)
        for at in range(3)
    )
    query = graph.node("Mul", [query, graph.constant("scale", np.float32(size**-0.5))])
    key = graph.node("Transpose", [key], perm=[0, 1, 3, 2])
    scores = graph.node("Add", [graph.node("MatMul", [query, key]), "mask"])
    found = graph.node("MatMul", [graph.node("Softmax", [scores], axis=-1), value])
    found = graph.node("Transpose", [found], perm=[0, 2, 1, 3])
    return graph.node("Reshape", [found, graph.ints([-1, shape.hidden])])


def _linear(graph: _Graph, x: str, name: str) -> str:
    """Multiply in 8 bits; each row is the sum of two rows of whole numbers with their scales.

    One row of 8 bits would be too coarse: decisions would differ from those of numpy.
    """
    largest = graph.node("ReduceMax", [graph.node("Abs", [x]), graph.ints([-1])], keepdims=1)
    scale = graph.node("Div", [largest, graph.number("largest", LARGEST)])
    scale = graph.node("Max", [scale, graph.number("tiny", float(TINY))])
    exact = graph.node("Div", [x, scale])
    whole = graph.node("Round", [exact])
    rest = graph.node("Mul", [graph.node("Sub", [exact, whole]), graph.number("finer", FINER)])
    both = graph.node("Concat", [whole, graph.node("Round", [rest])], axis=0)
    shifted = graph.node("Add", [both, graph.number("shift", MIDDLE)])
    small = graph.node("Cast", [shifted], to=TYPES["uint8"])
    weight = np.ascontiguousarray(graph.arrays[f"{name}.weight"].T)
    middle = graph.constant("middle", np.uint8(MIDDLE))
    found = graph.node("MatMulInteger", [small, graph.constant(f"{name}.across", weight), middle])
    found = graph.node("Cast", [found], to=TYPES["float32"])
    whole, rest = graph.split(found)
    rest = graph.node("Div", [rest, graph.number("finer", FINER)])
    found = graph.node("Mul", [graph.node("Add", [whole, rest]), scale])
    found = graph.node("Mul", [found, graph.weight(f"{name}.weight{SCALE}")])
    return graph.node("Add", [found, graph.weight(f"{name}.bias")])


def _norm(graph: _Graph, x: str, name: str) -> str:
    weights = [graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")]
    return graph.node("LayerNormalization", [x, *weights], epsilon=1e-12)


class _Graph:
    """The nodes and tensors of a graph, as bytes."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = arrays
        self.nodes: list[bytes] = []
        self.tensors: dict[str, bytes] = {}

    def node(self, kind: str, inputs: Sequence[str], output: str = "", **settings: Any) -> str:
        """Add a node and return the name of its output."""
        output = output or f"{kind} {len(self.nodes)}"
        parts = [*(_field(1, name) for name in inputs), _field(2, output), _field(4, kind)]
        parts += [_field(5, _attribute(name, value)) for name, value in settings.items()]
        self.nodes.append(b"".join(parts))
        return output

    def weight(self, name: str) -> str:
        """Return the name of the tensor of a weight."""
        return self.constant(name, self.arrays[name])

    def ints(self, values: Sequence[int]) -> str:
        """Return the name of a tensor of whole numbers."""
        return self.constant(f"ints {values}", np.array(values, np.int64))

    def number(self, name: str, value: float) -> str:
        """Return the name of a tensor of one number."""
        return self.constant(name, np.float32(value))

    def split(self, name: str) -> tuple[str, str]:
        """Return the names of the two halves of the rows of a tensor."""
        first = f"Split {len(self.nodes)}"
        halves = [_field(2, f"{first} {at}") for at in range(2)]
        settings = _field(5, _attribute("axis", 0)) + _field(5, _attribute("num_outputs", 2))
        self.nodes.append(b"".join([_field(1, name), *halves, _field(4, "Split"), settings]))
        return f"{first} 0", f"{first} 1"

    def constant(self, name: str, array: Any) -> str:
        """Add a tensor once and return its name."""
        if name not in self.tensors:
            found = np.asarray(array)
            dims = b"".join(_field(1, int(size)) for size in found.shape)
            kind = _field(2, TYPES[found.dtype.name])
            self.tensors[name] = dims + kind + _field(8, name) + _field(9, found.tobytes())
        return name


def _attribute(name: str, value: object) -> bytes:
    if isinstance(value, float):
        return _field(1, name) + _field(2, value) + _field(20, FLOAT)
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, INTEGER)
    if isinstance(value, str):
        return _field(1, name) + _field(4, value) + _field(20, TEXT)
    assert isinstance(value, Iterable)
    return _field(1, name) + b"".join(_field(8, each) for each in value) + _field(20, INTEGERS)


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
