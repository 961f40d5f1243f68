"""Which unit is the head of which: a maximum-entropy choice among candidates (equations 3 and 4).

P(head | unit) is the exponential of a sum of weights, made to sum to one over the candidates that
a unit has (`sights`). In *sequential* mode these do not depend on where sentences end; in
*normal* mode sentences are given, and only units of the same one are candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.config import between, whole
from caesura.core.errors import ModelError
from caesura.ml import maxent
from caesura.ml.parsing.arc_features import END, UNSEEN, Looks, Sight, numbers

AT_ONCE = 128
"""Units that are looked at at a time: what is seen of them stays close to the processor."""

STEPS = 127
"""Weights are kept in so many steps up to the largest one, and as many down."""

FEWEST, MOST = 8, 22
"""Bits of the number of a weight."""

SEARCH = maxent.Search(steps=80, gain=3e-5)


ROOT = -1
"""What stands for the head of a root; below that nothing is known of a head."""


class Lesson(NamedTuple):
    """Units and their heads.

    Where the ends of sentences are given, only units of the same sentence are candidates.
    """

    looks: Looks
    links: Indices
    ends: Flags | None = None


@dataclass(frozen=True, eq=False)
class Heads:
    """Weights, found by hashes, in whole steps of a size."""

    steps: NDArray[np.int8]
    size: float

    @property
    def bits(self) -> int:
        """Bits of the number of a weight."""
        return len(self.steps).bit_length() - 1

    @cached_property
    def _weights(self) -> NDArray[np.float32]:
        return self.steps * np.float32(self.size)

    def chances(
        self, looks: Looks, sight: Sight, span: slice = slice(None), ends: Flags | None = None
    ) -> Floats:
        """Give the logarithm of the probability of each candidate of each unit in a span.

        What is no candidate has minus infinity.
        """
        first, stop, _ = span.indices(len(looks))
        found = np.empty((stop - first, sight.width - END))
        for begin in range(first, stop, AT_ONCE):
            end = min(begin + AT_ONCE, stop)
            scores = self._weights.take(numbers(looks, sight, self.bits, begin, end)).sum(axis=2)
            candidates = _candidates(looks, sight, begin, end, ends)
            scores = np.where(candidates, scores, -np.inf)
            found[begin - first : end - first] = maxent.log_softmax(scores)
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is known as arrays."""
        return {"steps": self.steps, "size": np.array([self.size])}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Heads:
        """Make one of arrays, or raise a `ModelError`."""
        if set(arrays) != {"steps", "size"}:
            raise damaged(f"it has the arrays {', '.join(sorted(arrays)) or 'none'}")
        steps, size = arrays["steps"], arrays["size"]
        count = len(steps) if steps.ndim == 1 else 0
        if steps.dtype != np.int8 or count not in {1 << bits for bits in range(FEWEST, MOST + 1)}:
            raise damaged("weights are no small numbers, or not as many as there can be")
        if size.shape != (1,) or size.dtype != np.float64 or not 0 <= size[0] < 1e6:
            raise damaged("the size of a step is no number")
        return cls(np.array(steps), float(size[0]))


def learn(lessons: Sequence[Lesson], sight: Sight, bits: int, ridge: float) -> Heads:
    """Find the weights under which the known heads are most probable."""
    whole("bits", bits, FEWEST, MOST)
    between("ridge", ridge, 1e-9, 1e9)
    taught = [_rows(each, sight, bits) for each in lessons if len(each.looks)]
    if not any(len(sizes) for _, sizes, _ in taught):
        return Heads(np.zeros(1 << bits, np.int8), 0.0)
    rows, sizes, chosen = zip(*taught, strict=True)
    begin = np.append(0, np.cumsum(np.concatenate(sizes)))
    matrix = maxent.rows_of(_stacked(rows), 1 << bits)
    weights = maxent.choice(matrix, begin, begin[:-1] + np.concatenate(chosen), ridge, SEARCH)
    size = float(abs(weights).max()) / STEPS
    return Heads(np.rint(weights / (size or 1.0)).astype(np.int8), size)


def _rows(lesson: Lesson, sight: Sight, bits: int) -> tuple[Indices, Indices, Indices]:
    """Give what is seen of each candidate, how many each unit has, and which is the head.

    Units whose head is not known, or lies farther back than is seen, are left out.
    """
    looks, links, ends = lesson
    rows, sizes, chosen = [], [], []
    for first in range(0, len(looks), AT_ONCE):
        stop = min(first + AT_ONCE, len(looks))
        real = _columns_of(links[first:stop], np.arange(first, stop), sight)
        candidates = _candidates(looks, sight, first, stop, ends)
        known = (real >= 0) & candidates[np.arange(stop - first), real]
        seen = numbers(looks, sight, bits, first, stop)[known]
        rows.append(seen[candidates[known]].astype(np.int32))
        sizes.append(candidates[known].sum(axis=1))
        before = np.cumsum(candidates[known], axis=1) - 1
        chosen.append(before[np.arange(len(before)), real[known]])
    return (
        np.concatenate(rows),
        np.concatenate(sizes),
        np.concatenate(chosen),
    )


def _stacked(rows: Sequence[Indices]) -> Indices:
    """Put rows below each other; -1 fills those of units of which less is known."""
    width = max(each.shape[1] for each in rows)
    edges = [((0, 0), (0, width - each.shape[1])) for each in rows]
    return np.concatenate(
        [np.pad(each, edge, constant_values=-1) for each, edge in zip(rows, edges, strict=True)]
    )


def _columns_of(links: Indices, units: Indices, sight: Sight) -> Indices:
    """Give the column of the head of each unit, -1 where there is none."""
    far = links - units
    last = sight.width - END
    column = np.where(far > sight.ahead, last + UNSEEN, far + sight.back)
    column = np.where(links == ROOT, last + END, column)
    return np.where((links < ROOT) | ((links > ROOT) & (far < -sight.back)), -1, column)


def _candidates(looks: Looks, sight: Sight, first: int, stop: int, ends: Flags | None) -> Flags:
    found = sight.candidates(len(looks), first, stop)
    if ends is not None:
        sentence: Indices = np.cumsum(ends) - ends
        padded: Indices = np.pad(sentence, (sight.back, sight.ahead), constant_values=-1)
        around = sliding_window_view(padded, sight.width)[first:stop]
        found[:, : sight.width] &= around == sentence[first:stop, None]
        found[:, UNSEEN] = False
    return found


def links_of(chances: Floats, sight: Sight) -> tuple[Floats, Floats]:
    """Give what speaks for each link, as far ahead as back, and for each root.

    Heads farther on than is seen share the probability of what has not been seen.
    """
    units, root, unseen = np.split(chances, [sight.width, sight.width + 1], axis=1)
    farther = sight.back - sight.ahead
    beyond = np.repeat(unseen - np.log(max(farther, 1)), farther, axis=1)
    return np.concatenate([units, beyond], axis=1), root[:, 0]


def damaged(what: str) -> ModelError:
    """Say what is wrong with a model."""
    return ModelError(f"the model is damaged: {what}", remedy="train it again")
