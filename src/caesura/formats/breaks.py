"""Where to break stretches of pieces so that the parts fit: an exact dynamic programme.

A part from piece i to piece j costs (1 - fill)^2, where `fill` is the larger of the shares of its
room and of its time that it uses, plus `each`; a break after piece j costs `ugly[j]` more. So
parts come out few, full and even, and breaks fall where they do least harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from caesura.transcript import Flags, Floats, Indices

CELLS = 1 << 16
"""Parts looked at together: enough for arrays to pay, few enough to stay in the cache."""

FULL = 1 + 1e-9
"""A share of room above this is too much; what lies between is rounding."""


@dataclass(frozen=True)
class Measure:
    """Where pieces begin and finish, in columns or milliseconds, and how much a part may hold."""

    begin: Indices
    finish: Indices
    whole: int


@dataclass(frozen=True)
class Programme:
    """What parts and breaks cost; `most` is how many pieces a part may have that ends at each."""

    measures: tuple[Measure, ...]
    most: Indices
    ugly: Floats
    each: float = 0.0

    def breaks(self, first: Indices, last: Indices) -> Indices:
        """Give the pieces inside the stretches first..last after which to break."""
        if not len(first):
            return first
        found = [self._batch(*stretches) for stretches in _alike(first, last, self.most)]
        return np.sort(np.concatenate(found))

    def _batch(self, first: Indices, count: Indices) -> Indices:
        """Break stretches of about the same number of pieces, place by place, all at once."""
        size = int(count.max())
        at = np.minimum(first + np.arange(size)[:, None], len(self.most) - 1)
        most = np.minimum(self.most[at], size)
        depth = int(most.max())
        begins = [_padded((m.begin[at] - m.begin[first]) / m.whole, depth) for m in self.measures]
        finishes = [(m.finish[at] - m.begin[first]) / m.whole for m in self.measures]
        closing = self.ugly[at] + self.each
        best = np.full((size + depth + 1, len(first)), np.inf)
        best[depth] = 0
        for p in range(size):
            windows = [begin[p + 1 : p + 1 + depth] for begin in begins]
            cost = _costs([finish[p] for finish in finishes], windows, most[p])
            cost += best[p + 1 : p + 1 + depth]
            np.add(cost.min(axis=0), closing[p], out=best[p + 1 + depth])
        return self._traced(best, begins, finishes, most, first, count)

    @staticmethod
    def _traced(
        best: Floats,
        begins: list[Floats],
        finishes: list[Floats],
        most: Indices,
        first: Indices,
        count: Indices,
    ) -> Indices:
        """Follow the cheapest parts back from the end of each stretch."""
        depth = len(best) - len(most) - 1
        found = []
        column, done = np.arange(len(first)), count
        while len(column):
            rows = done + np.arange(depth)[:, None]
            ends = [finish[done - 1, column] for finish in finishes]
            cost = _costs(ends, [begin[rows, column] for begin in begins], most[done - 1, column])
            done = done - depth + np.argmin(cost + best[rows, column], axis=0)
            column, done = column[done > 0], done[done > 0]
            found.append(first[column] + done - 1)
        return np.concatenate(found)


def _costs(finish: list[Floats], begins: list[Floats], most: Indices) -> Floats:
    """Cost of the parts that end at a piece, those with the most pieces first."""
    fill = finish[0] - begins[0]
    for end, begin in zip(finish[1:], begins[1:], strict=True):
        np.maximum(fill, end - begin, out=fill)
    np.minimum(fill[-1], 1, out=fill[-1])
    depth = len(fill)
    bad: Flags = fill > FULL
    bad |= np.arange(depth)[:, None] < depth - most
    bad[-1] = False
    np.subtract(1, fill, out=fill)
    fill *= fill
    np.putmask(fill, bad, np.inf)
    return fill


def _padded(begin: Floats, depth: int) -> Floats:
    """Put before the pieces as many that no part has room for."""
    return np.concatenate([np.full((depth, begin.shape[1]), -np.inf), begin])


def _alike(first: Indices, last: Indices, most: Indices) -> Iterator[tuple[Indices, Indices]]:
    """Give stretches in batches of about the same number of pieces."""
    count = last - first + 1
    order = np.argsort(count, kind="stable")
    sizes, deepest, stop = count[order], int(most.max()), len(order)
    while stop:
        longest = int(sizes[stop - 1])
        start = max(
            stop - max(1, CELLS // min(longest, deepest)),
            int(np.searchsorted(sizes, longest - longest // 4)),
        )
        batch = order[start:stop]
        yield first[batch], count[batch]
        stop = start
