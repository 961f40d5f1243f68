"""The detector `CNN`: a convolutional net over the words around each gap.

The system S1 of the WiSeBE paper (González-Gallardo and Torres-Moreno), after Che and others
(2016): two convolutions over word vectors, pooling, a hidden layer. The vectors are learnt with
the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from caesura.core.arrays import Indices
from caesura.core.config import check_integer
from caesura.detectors.neural.net_detector import KEPT, NetDetector, Shapes, WordWindows
from caesura.ml.neural.layers import Array, Linear, pool_pairs, relu, side_by_side

WIDTH = 3
"""Places that a convolution looks at."""

POOLED = 2
"""Places that are pooled into one."""


@dataclass(frozen=True, repr=False)
class CNN(NetDetector):
    """A convolutional net over the last `before` words and the next `after` words at a gap.

    Two convolutions over three places with so many `filters` are followed by pooling of pairs
    and a layer of `hidden` units. `vector` is the length of word vectors; words seen fewer than
    `cutoff` times are unknown. With `classes` each of these labels is a class of its own.
    Training takes `epochs` with a learning `rate` that falls to 0, and leaves out a share of the
    numbers inside the net (`dropout`); `seed` is that of its random numbers. `bias` is added to
    the log-odds.
    """

    before: int = 8
    after: int = 6
    filters: int = 64
    hidden: int = 64

    name = "CNN"
    retrain_settings = NetDetector.learnt_with | {"before", "after", "filters", "hidden"}

    def __post_init__(self) -> None:
        super().__post_init__()
        for setting in ("before", "after"):
            check_integer(setting, getattr(self, setting), 3, 100)
        for setting in ("filters", "hidden"):
            check_integer(setting, getattr(self, setting), 1, 4096)

    @property
    def windows(self) -> WordWindows:
        """Rows with the context of the first and the last gap."""
        return WordWindows(self.before - 1, KEPT, self.after)

    @property
    def units(self) -> int:
        """How many numbers a net holds for each word of a row at most."""
        return max(WIDTH * self.vector, WIDTH * self.filters, self._pools * self.filters)

    @property
    def _pools(self) -> int:
        """How many pools the window of a gap has."""
        return (self.before + self.after - 2 * (WIDTH - 1)) // POOLED

    def shapes(self, words: int) -> Shapes:
        """Return the shape of each array of weights."""
        sizes = {
            "first": (self.filters, WIDTH * self.vector),
            "second": (self.filters, WIDTH * self.filters),
            "dense": (self.hidden, self._pools * self.filters),
            "classes": (self.class_count, self.hidden),
        }
        found: Shapes = {"words.weight": (words, self.vector)}
        for name, shape in sizes.items():
            found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
        return found

    def scores(self, weights: Mapping[str, Array], rows: Indices) -> Array:
        """Return the score of each class at each gap of rows, by numpy."""
        first, second, dense, classes = (
            Linear.of(weights, name) for name in ("first", "second", "dense", "classes")
        )
        found = weights["words.weight"][rows]
        for layer in (first, second):
            found = relu(layer(side_by_side(found, WIDTH)))
        found = side_by_side(pool_pairs(found), self._pools, POOLED)[:, :KEPT]
        return classes(relu(dense(found)))

    def make_net(self, torch: Any, words: int) -> Any:
        """Make an untrained net of torch."""
        shapes = self.shapes(words)
        layers = {
            name: torch.nn.Linear(*reversed(shapes[f"{name}.weight"]))
            for name in ("first", "second", "dense", "classes")
        }
        return torch.nn.ModuleDict({"words": torch.nn.Embedding(words, self.vector), **layers})

    def torch_scores(self, torch: Any, net: Any, rows: Any) -> Any:
        """Return the score of each class at each gap of rows, by torch."""

        def together(values: Any, count: int, step: int = 1) -> Any:
            places = values.shape[1] - (count - 1) * step
            return torch.cat([values[:, k * step : k * step + places] for k in range(count)], 2)

        def leave_out(values: Any) -> Any:
            return torch.nn.functional.dropout(values, self.dropout, net.training)

        found = leave_out(net["words"](rows))
        for name in ("first", "second"):
            found = net[name](together(found, WIDTH)).relu()
        found = torch.maximum(found[:, :-1], found[:, 1:])
        found = leave_out(together(found, self._pools, POOLED)[:, :KEPT])
        return net["classes"](leave_out(net["dense"](found).relu()))
