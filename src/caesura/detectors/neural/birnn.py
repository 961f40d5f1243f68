"""The detector `BiRNN`: a bidirectional recurrent net with attention.

The system S2 of the WiSeBE paper, by Tilk and Alumäe (2016): a bidirectional GRU reads the words,
a second GRU reads its states from left to right, with attention to all of them, and both are
fused late. The gap after a word is decided at the word that follows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.config import check_integer
from caesura.detectors.neural.net_detector import KEPT, OUTSIDE, NetDetector, Shapes, WordWindows
from caesura.ml.neural.layers import GROUP, GRU, Array, Linear, attend, sigmoid

LAYERS = ("key", "query", "attention", "context", "fused", "state", "classes")
"""The linear layers, in the order of the paper's equations."""


@dataclass(frozen=True, repr=False)
class BiRNN(NetDetector):
    """A bidirectional GRU with attention, which sees at least `context` words on either side.

    The GRUs have `hidden` units, for each direction, and the attention `attention` units.
    `vector` is the length of word vectors; words seen fewer than `cutoff` times are unknown.
    Each of the `classes` is a label of its own. Training takes `epochs` with a learning `rate`
    that falls to 0, and leaves out a share of the numbers inside the net (`dropout`); `seed` is
    that of its random numbers. `bias` is added to the log-odds.
    """

    classes: Strings = (".", "?", ",")
    context: int = 20
    hidden: int = 64
    attention: int = 16

    name = "BiRNN"
    retrain_settings = NetDetector.learnt_with | {"context", "hidden", "attention"}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("context", self.context, 1, 200)
        check_integer("hidden", self.hidden, 1, 4096)
        check_integer("attention", self.attention, 1, 256)

    @property
    def windows(self) -> WordWindows:
        """Rows with the context of the first and the last gap."""
        return WordWindows(self.context, KEPT, self.context)

    @property
    def units(self) -> int:
        """How many numbers a net holds for each word of a row at most."""
        return max(self.vector, 6 * self.hidden)

    def shapes(self, words: int) -> Shapes:
        """Return the shape of each array of weights."""
        size = self.hidden
        found: Shapes = {"words.weight": (words, self.vector)}
        for layer, ending, given in (
            ("reader", "", self.vector),
            ("reader", "_reverse", self.vector),
            ("writer", "", 2 * size),
        ):
            for part, inputs in (("ih", given), ("hh", size)):
                found[f"{layer}.weight_{part}_l0{ending}"] = (3 * size, inputs)
                found[f"{layer}.bias_{part}_l0{ending}"] = (3 * size,)
        for name, (outputs, inputs, has_bias) in self._linear().items():
            found[f"{name}.weight"] = (outputs, inputs)
            if has_bias:
                found[f"{name}.bias"] = (outputs,)
        return found

    def _linear(self) -> dict[str, tuple[int, int, bool]]:
        """Return outputs, inputs and whether there is a bias, of each linear layer."""
        size, attention = self.hidden, self.attention
        return {
            "key": (attention, 2 * size, True),
            "query": (attention, size, False),
            "attention": (1, attention, False),
            "context": (size, 2 * size, False),
            "fused": (size, size, False),
            "state": (size, size, True),
            "classes": (self.class_count, size, True),
        }

    def scores(self, weights: Mapping[str, Array], rows: Indices) -> Array:
        """Return the score of each class at each gap of rows, by numpy."""
        layer = {name: Linear.of(weights, name) for name in LAYERS}
        padded = np.full((-(-len(rows) // GROUP) * GROUP, rows.shape[1]), OUTSIDE, np.int64)
        padded[: len(rows)] = rows
        vectors = weights["words.weight"][padded]
        forwards = GRU.of(weights, "reader")(vectors)
        backwards = GRU.of(weights, "reader", "_reverse")(vectors, backwards=True)
        read = np.concatenate([forwards, backwards], axis=2)
        written = GRU.of(weights, "writer")(read)
        read, written = read[: len(rows)], written[: len(rows)]
        before, here = self._at_gaps(written)
        queries = layer["query"](before)
        seen = attend(layer["key"](read), queries, read, layer["attention"].weight)
        seen = layer["context"](seen)
        gate = sigmoid(layer["fused"](seen) + layer["state"](here))
        return layer["classes"](seen * gate + here)

    def _at_gaps(self, states: Any) -> tuple[Any, Any]:
        """Return the states at the word before and at the word after each gap."""
        first = self.context
        return states[:, first : first + KEPT], states[:, first + 1 : first + 1 + KEPT]

    def make_net(self, torch: Any, words: int) -> Any:
        """Make an untrained net of torch."""
        size, nn = self.hidden, torch.nn
        layers = {
            "words": nn.Embedding(words, self.vector),
            "reader": nn.GRU(self.vector, size, batch_first=True, bidirectional=True),
            "writer": nn.GRU(2 * size, size, batch_first=True),
        }
        for name, (outputs, inputs, has_bias) in self._linear().items():
            layers[name] = nn.Linear(inputs, outputs, bias=has_bias)
        return nn.ModuleDict(layers)

    def torch_scores(self, torch: Any, net: Any, rows: Any) -> Any:
        """Return the score of each class at each gap of rows, by torch."""

        def leave_out(values: Any) -> Any:
            return torch.nn.functional.dropout(values, self.dropout, net.training)

        read = leave_out(net["reader"](leave_out(net["words"](rows)))[0])
        before, here = self._at_gaps(net["writer"](read)[0])
        pairs = torch.tanh(net["key"](read)[:, None] + net["query"](before)[:, :, None])
        seen = torch.softmax(net["attention"](pairs)[..., 0], 2) @ read
        seen = net["context"](seen)
        gate = torch.sigmoid(net["fused"](seen) + net["state"](here))
        return net["classes"](leave_out(seen * gate + here))
