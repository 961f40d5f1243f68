"""The best boundaries and links of units that are still arriving.

A sentence that may yet grow begins at one of the last units. Each such beginning has its own best
boundaries before it; those that all of them share can no longer change.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from operator import add
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.config import whole
from caesura.core.errors import CaesuraError
from caesura.ml.parsing.backtrace import MOST, Structure, linked
from caesura.ml.parsing.chart import IMPOSSIBLE, Scores, largest, sentences

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


FEW = 64
"""Units of a piece that are charted one by one rather than width by width."""


class Growing:
    """A search that takes units piece by piece and gives out sentences that are final.

    What comes out does not depend on the pieces. With `patience`, a sentence is final at the
    latest when so many units have arrived behind it: what was best by then holds, and memory
    never holds more than patience + longest units and the last piece. Without, all is exact.
    """

    def __init__(
        self, longest: int, patience: int | None = None, state: Mapping[str, Any] | None = None
    ) -> None:
        whole("longest", longest, 1, MOST)
        if patience is not None:
            whole("patience", patience, 0, sys.maxsize)
        self.longest = longest
        self.patience = patience
        saved = state or {"given": 0, "before": [0.0], "origin": [0], "scores": None}
        self.given = int(saved["given"])
        """Units of the sentences that were given out; what is kept begins behind them."""
        self._before: list[float] = _floats(saved["before"]).tolist()
        """Score of the best sentences before each unit kept, and before the next one."""
        self._origin: list[int] = list(saved["origin"])
        """Where the last of those sentences begins."""
        self._scores = None if saved["scores"] is None else Scores(*map(_floats, saved["scores"]))
        self._chart: Endings | None = None
        """The chart of the last units, if they came in small pieces."""
        self._rows: list[Floats] = []
        """With patience, the sentences that end at each unit kept."""
        if self._scores is not None and patience is not None:
            for table in sentences(self._scores, 0, longest, largest):
                self._rows.extend(table)

    def push(self, scores: Scores) -> Structure:
        """Take the next units; give the sentences that have become final.

        A unit can be pushed when the scores of all its links are known, also to units that have
        yet to arrive.
        """
        old, score = self._take(scores), self._before[0]
        if len(scores) and self._scores is not None:
            self._find_ends(self._scores, old)
        return self._give(self._shared(), score)

    def close(self) -> Structure:
        """End the recording; give what is left. The last unit ends a sentence."""
        if self._before[-1] == -np.inf:
            raise CaesuraError(IMPOSSIBLE)
        return self._give(len(self._before) - 1, self._before[0])

    def state(self) -> Mapping[str, Any]:
        """Give, as JSON can hold it, what is needed to take up the thread."""
        scores = self._scores if self._scores is not None and len(self._scores) else None
        return {
            "given": self.given,
            "before": _listed(np.array(self._before)),
            "origin": list(self._origin),
            "scores": None
            if scores is None
            else [_listed(each) for each in (scores.links, scores.roots, scores.gaps)],
        }

    def _take(self, scores: Scores) -> int:
        """Keep more units; give how many there were."""
        kept = self._scores
        if scores.opens and (self.given or kept is not None):
            raise CaesuraError(
                "units that follow others lack the scores of the gap in front of them",
                remedy="give as many rows of gap scores as there are units",
            )
        self._scores = scores if kept is None else kept.then(scores)
        return 0 if kept is None else len(kept)

    def _find_ends(self, scores: Scores, old: int) -> None:
        """Find the best sentences up to each of the units from `old` on."""
        longest, size = self.longest, len(scores)
        boundary = scores.gaps[:, 1].copy()
        boundary[: 0 if self.given else 1] = 0.0
        begun = np.full(longest + size, -np.inf)
        begun[longest - 1 : longest + old] = np.array(self._before) + boundary[: old + 1]
        at, held = old, 0
        for table in self._tables(scores, old):
            if self.patience is not None:
                self._rows.extend(table)
            for row in table:
                self._before.append(-np.inf)
                self._origin.append(at)
                self._end(at, row, begun, boundary)
                at += 1
                held = self._hold(at, held, begun, boundary)

    def _tables(self, scores: Scores, old: int) -> Iterable[Floats]:
        """Chart the units from `old` on; give the sentences that end at each."""
        if len(scores) - old > FEW:
            self._chart = None
            return sentences(scores, old, self.longest, largest)
        if self._chart is None:
            self._chart = Endings(self.longest, scores.reach)
            self._chart.add(scores[max(old - self.longest + 1, 0) : old])
        return [self._chart.add(scores[old:])]

    def _end(self, unit: int, row: Floats, begun: Floats, boundary: Floats) -> None:
        """Find the best sentences up to a unit; `row` has those that end there."""
        ways = row + begun[unit : unit + self.longest]
        first = int(ways.argmax())
        self._before[unit + 1] = score = ways.item(first)
        self._origin[unit + 1] = unit + 1 - self.longest + first
        if unit + 1 < len(boundary):
            begun[unit + self.longest] = score + boundary[unit + 1]

    def _hold(self, count: int, old: int, begun: Floats, boundary: Floats) -> int:
        """Decide the boundary that is best now and lies `patience` units back, and those before.

        Give the unit behind it; that of the last decision was `old`. From now on no sentence
        begins before it: what had one that does, or rests on such, is found again.
        """
        patience = self.patience
        if patience is None or count - old <= patience or self._before[count] == -np.inf:
            return old
        held = self._back(count, count - patience)
        if held > old:
            self._before[old:held] = [-np.inf] * (held - old)
            begun[: held + self.longest - 1] = -np.inf
            lost = set()
            for unit in range(held, count):
                if self._origin[unit + 1] < held or self._origin[unit + 1] in lost:
                    lost.add(unit + 1)
                    self._end(unit, self._rows[unit], begun, boundary)
        return held

    def _back(self, first: int, most: int) -> int:
        """Follow the sentences before a unit to one that begins at `most` or earlier."""
        while first > most:
            first = self._origin[first]
        return first

    def _shared(self) -> int:
        """Give the last beginning of a sentence that whatever may follow has in common."""
        size = len(self._before) - 1
        first = max(size - self.longest + 1, 0)
        alive = {unit for unit in range(first, size + 1) if self._before[unit] > -np.inf}
        if not alive:
            raise CaesuraError(IMPOSSIBLE)
        while len(alive) > 1:
            if size in alive:
                alive.remove(size)
                alive.add(self._origin[size])
            size -= 1
        return alive.pop()

    def _give(self, stop: int, score: float) -> Structure:
        """Let go of the first units: whole sentences. The score is that of all before them.

        What comes after counts from 0 again, so that sums stay small however long a talk is.
        """
        if self._scores is None or not stop:
            return Structure(np.zeros(0, np.int64), np.zeros(0, np.bool_), 0.0)
        last = []
        first = stop
        while first:
            last.append(first - 1)
            first = self._origin[first]
        ends = np.zeros(stop, np.bool_)
        ends[last] = True
        heads = self._linked(self._scores, ends, last[::-1])
        heads[heads >= 0] += self.given
        self._scores, self._rows = self._scores[stop:], self._rows[stop:]
        base = self._before[stop]
        self._before = [each - base for each in self._before[stop:]]
        self._origin = [origin - stop for origin in self._origin[stop:]]
        self.given += stop
        return Structure(heads, ends, base - score)

    def _linked(self, scores: Scores, ends: Flags, last: list[int]) -> Indices:
        """Find the heads in the first sentences, and let go of their chart."""
        if self._chart is None:
            return linked(scores[: len(ends)], ends)
        uncharted = len(scores) - len(self._chart)
        if uncharted:
            heads = linked(scores[: len(ends)], ends)
        else:
            heads = np.array(self._chart.traced(last))
        self._chart.forget(max(len(ends) - uncharted, 0))
        return heads


def _listed(values: Floats) -> list[Any]:
    """Give numbers as JSON can hold them: minus infinity as null."""
    listed: list[Any] = np.where(values == -np.inf, None, values).tolist()  # type: ignore[call-overload]
    return listed


def _floats(listed: list[Any]) -> Floats:
    values = np.array(listed, np.float64)
    values[np.isnan(values)] = -np.inf
    return values
