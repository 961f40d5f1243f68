"""The chart of units that arrive: filled unit by unit, with all spans that end there.

It holds what a `spans.Chart` holds, to the last bit, but few spans are new with each unit, and
arrays as small as they are cost more in calls than in sums. So the spans whose ends can be linked
are filled in plain Python, and all wider ones in a few array operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add

import numpy as np
from numpy.lib.stride_tricks import as_strided

from caesura.columns import Floats
from caesura.numeric.spans import Scores

ROOM = 128
"""Units that there is room for at first."""


class Endings:
    """The spans of at most `longest` units, three rows for each last unit.

    They have the left spans, the right ones and the sentences that end there, the widest one
    first. Behind each is room that stays empty. Seen with strides that are a cell shorter
    (`_from`), spans with the same first unit stand in a column, and those that do not exist are
    in that room.
    """

    def __init__(self, longest: int, reach: int) -> None:
        self.longest = longest
        self.reach = min(reach, longest - 1)
        self._rows = self._from = np.zeros((0, 3, longest + self.reach))
        self._make_rows(ROOM)
        self._begin = 0
        """Row of the first unit kept."""
        self._links: list[list[float]] = []
        """For the heads that follow each unit, the nearest one first."""
        self._roots: list[float] = []
        self._stay: list[float] = []
        self._left: list[list[float]] = []
        """Left spans by their first unit, as far as links reach; right ones alike."""
        self._right: list[list[float]] = []
        self._open_left: list[list[float]] = []
        """Open spans by their last unit, the widest one first."""
        self._open_right: list[list[float]] = []

    def __len__(self) -> int:
        return len(self._left)

    def add(self, scores: Scores) -> Floats:
        """Take more units; give, as `spans.sentences` does, the sentences that end at each.

        Those that would begin in front of the units kept have no meaning.
        """
        old, size = len(self), len(self) + len(scores)
        if self._begin + size > len(self._rows):
            self._make_room(size)
        middle = scores.reach
        self._links += scores.links[:, middle + 1 : middle + self.reach + 1].tolist()
        before: list[list[float]] = scores.links[:, middle - self.reach : middle].tolist()
        self._roots += scores.roots.tolist()
        self._stay += scores.gaps[:, 0].tolist()
        for unit, links in enumerate(before, old):
            self._fill(unit, links)
        return self._rows[self._begin + old : self._begin + size, 2, : self.longest].copy()

    def forget(self, count: int) -> None:
        """Let go of the first units: whole sentences."""
        self._begin += count
        del self._roots[:count], self._stay[:count], self._links[:count]
        del self._left[:count], self._right[:count]
        del self._open_left[:count], self._open_right[:count]

    def _make_room(self, size: int) -> None:
        """Put the rows kept in front, among more rows if that is not enough."""
        kept = self._rows[self._begin : self._begin + len(self)]
        if 2 * size > len(self._rows):
            self._make_rows(4 * size)
        self._rows[: len(self)] = kept
        self._begin = 0

    def _make_rows(self, count: int) -> None:
        self._rows = np.full((count, *self._rows.shape[1:]), -np.inf)
        unit, row, cell = self._rows.strides
        shape = (count, 3, count + self.longest - 1)
        self._from = as_strided(self._rows, shape, (unit - cell, row, cell))

    def _fill(self, last: int, links: list[float]) -> None:
        """Fill the spans that end at a unit, with the links to the heads before it."""
        open_left, open_right = self._near(last, links)
        count, wide, at = len(open_left), self.longest - 1, self._begin + last
        shorter = self._from[at - count : at, :, at : at + wide]
        opened = np.array((open_left, open_right, open_right)).T[:, :, None]
        row = self._rows[at, :, : self.longest]
        np.maximum.reduce(shorter + opened, axis=0, out=row[:, :wide], initial=-np.inf)
        root = self._roots[last]
        row[:, wide] = 0.0, 0.0, root
        np.maximum(row[2], row[0] + root, out=row[2])
        right: list[float] = row[1, wide - count : wide].tolist()
        for spans, each in zip(self._right[last - count :], right, strict=True):
            spans.append(each)
        self._left.append([0.0])
        self._right.append([0.0])
        self._open_left.append(open_left)
        self._open_right.append(open_right)

    def _near(self, last: int, links: list[float]) -> tuple[list[float], list[float]]:
        """Fill the left spans that end at a unit and are near; give the open ones."""
        lefts, rights, stay = self._left, self._right, self._stay
        open_left: list[float] = []
        open_right: list[float] = []
        joined = [stay[last]]
        for width in range(1, min(self.reach, last) + 1):
            first = last - width
            inner = max(map(add, rights[first], joined))
            open_left.insert(0, inner + self._links[first][width - 1])
            open_right.insert(0, inner + links[-width])
            left = max(map(add, lefts[first], open_left))
            lefts[first].append(left)
            joined.insert(0, left + stay[first])
        return open_left, open_right

    def traced(self, ends: Sequence[int]) -> list[int]:
        """Head of each unit of the first sentences, -1 for their roots; `ends` has last units.

        Of equally good structures it is the one that `tracing.traced` finds.
        """
        heads = [-1] * (ends[-1] + 1)
        first = 0
        for last in ends:
            self._trace(first, last, heads)
            first = last + 1
        return heads

    def _trace(self, first: int, last: int, heads: list[int]) -> None:
        """Find the links of one sentence."""
        wide, width, at = self.longest - 1, last - first, self._begin + first
        left: list[float] = self._from[at : at + width + 1, 0, at + wide].tolist()
        right: list[float] = self._rows[at + width, 1, wide - width : wide + 1].tolist()
        rooted = map(add, right, self._roots[first : last + 1])
        root = first + _best(list(map(add, left, rooted)))
        opened = self._trace_left(left, first, root, heads)
        opened += self._trace_right(right[root - first :], root, last, heads)
        while opened:
            first, last = opened.pop()
            if last - first < 2:
                continue
            back = [self._left[k][last - k] + self._stay[k] for k in range(first + 1, last + 1)]
            cut = first + _best(list(map(add, self._right[first], back)))
            right = [self._right[k][cut - k] for k in range(first, cut + 1)]
            opened += self._trace_right(right, first, cut, heads)
            opened += self._trace_left(self._left[cut + 1], cut + 1, last, heads)

    def _trace_left(
        self, left: list[float], first: int, last: int, heads: list[int]
    ) -> list[tuple[int, int]]:
        """Find the chain of a left span; give its open spans.

        `left` has the left spans from the first unit to each.
        """
        opened = []
        while last > first:
            near = max(last - self.reach, first)
            ways = list(map(add, left[near - first :], self._open_left[last][near - last :]))
            unit = near + _best(ways)
            heads[unit] = last
            opened.append((unit, last))
            last = unit
        return opened

    def _trace_right(
        self, right: list[float], first: int, last: int, heads: list[int]
    ) -> list[tuple[int, int]]:
        """Find the chain of a right span; give its open spans.

        `right` has the right spans from each unit to the last one.
        """
        opened = []
        begin = first
        while first < last:
            near = range(first + 1, min(first + self.reach, last) + 1)
            ways = [self._open_right[k][first - k] + right[k - begin] for k in near]
            unit = first + 1 + _best(ways)
            heads[unit] = first
            opened.append((first, unit))
            first = unit
        return opened


def _best(ways: list[float]) -> int:
    """Give the first of the best ways."""
    return ways.index(max(ways))
