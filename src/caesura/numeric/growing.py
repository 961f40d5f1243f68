"""The best boundaries and links of units that are still arriving.

A sentence that may yet grow begins at one of the last units. Each such beginning has its own best
boundaries before it; those that all of them share can no longer change.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from caesura.columns import Floats, Indices
from caesura.errors import CaesuraError
from caesura.numeric.spans import IMPOSSIBLE, Scores, largest, sentences
from caesura.numeric.tracing import MOST, Structure, structure
from caesura.settings import whole


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
        self._before = _floats(saved["before"])
        """Score of the best sentences before each unit kept, and before the next one."""
        self._origin: Indices = np.array(saved["origin"], np.int64)
        """Where the last of those sentences begins."""
        self._scores = None if saved["scores"] is None else Scores(*map(_floats, saved["scores"]))
        self._table = np.zeros((0, longest))
        if self._scores is not None and patience is not None:
            self._table = np.concatenate(list(sentences(self._scores, 0, longest, largest)))

    def push(self, scores: Scores) -> Structure:
        """Take the next units; give the sentences that have become final.

        A unit can be pushed when the scores of all its links are known, also to units that have
        yet to arrive.
        """
        old = self._take(scores)
        if len(scores) and self._scores is not None:
            self._find_ends(self._scores, old)
        return self._give(self._shared())

    def close(self) -> Structure:
        """End the recording; give what is left. The last unit ends a sentence."""
        if self._before[-1] == -np.inf:
            raise CaesuraError(IMPOSSIBLE)
        return self._give(len(self._before) - 1)

    def state(self) -> Mapping[str, Any]:
        """Give, as JSON can hold it, what is needed to take up the thread."""
        scores = self._scores if self._scores is not None and len(self._scores) else None
        return {
            "given": self.given,
            "before": _listed(self._before),
            "origin": self._origin.tolist(),
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
        begun[longest - 1 : longest + old] = self._before + boundary[: old + 1]
        self._before = np.append(self._before, np.empty(size - old))
        self._origin = np.append(self._origin, np.empty(size - old, np.int64))
        at, held = old, 0
        for table in sentences(scores, old, longest, largest):
            if self.patience is not None:
                self._table = np.concatenate([self._table, table])
            for row in table:
                self._end(at, row, begun, boundary)
                at += 1
                held = self._hold(at, held, begun, boundary)

    def _end(self, unit: int, row: Floats, begun: Floats, boundary: Floats) -> None:
        """Find the best sentences up to a unit; `row` has those that end there."""
        ways = row + begun[unit : unit + self.longest]
        first = int(ways.argmax())
        self._before[unit + 1] = ways[first]
        self._origin[unit + 1] = unit + 1 - self.longest + first
        if unit + 1 < len(boundary):
            begun[unit + self.longest] = ways[first] + boundary[unit + 1]

    def _hold(self, count: int, old: int, begun: Floats, boundary: Floats) -> int:
        """Decide the boundary that is best now and lies `patience` units back, and those before.

        Give the unit behind it; that of the last decision was `old`. What comes after is found
        again, as from now on no sentence begins before it.
        """
        patience = self.patience
        if patience is None or count - old <= patience or self._before[count] == -np.inf:
            return old
        held = self._back(count, count - patience)
        if held > old:
            self._before[:held] = begun[: held + self.longest - 1] = -np.inf
            for unit in range(held, count):
                self._end(unit, self._table[unit], begun, boundary)
        return held

    def _back(self, first: int, most: int) -> int:
        """Follow the sentences before a unit to one that begins at `most` or earlier."""
        while first > most:
            first = int(self._origin[first])
        return first

    def _shared(self) -> int:
        """Give the last beginning of a sentence that whatever may follow has in common."""
        size = len(self._before) - 1
        first = max(size - self.longest + 1, 0)
        alive = np.flatnonzero(self._before[first:] > -np.inf) + first
        if not len(alive):
            raise CaesuraError(IMPOSSIBLE)
        origin = self._origin.tolist()
        heap: list[int] = (-alive).tolist()
        heapify(heap)
        while len(heap) > 1:
            latest = heappop(heap)
            if heap[0] != latest:
                heappush(heap, -origin[-latest])
        return -heap[0]

    def _give(self, stop: int) -> Structure:
        """Let go of the first units: whole sentences."""
        if self._scores is None or not stop:
            return Structure(np.zeros(0, np.int64), np.zeros(0, np.bool_), 0.0)
        ends = np.zeros(stop, np.bool_)
        first = stop
        while first:
            ends[first - 1] = True
            first = int(self._origin[first])
        found = structure(self._scores[:stop], ends, begun=self.given > 0)
        heads = np.where(found.heads < 0, -1, found.heads + self.given)
        self._scores, self._table = self._scores[stop:], self._table[stop:]
        self._before, self._origin = self._before[stop:], self._origin[stop:] - stop
        self.given += stop
        return Structure(heads, ends, found.score)


def _listed(values: Floats) -> list[Any]:
    """Give numbers as JSON can hold them: minus infinity as null."""
    listed: list[Any] = np.where(values == -np.inf, None, values).tolist()  # type: ignore[call-overload]
    return listed


def _floats(listed: list[Any]) -> Floats:
    values = np.array(listed, np.float64)
    values[np.isnan(values)] = -np.inf
    return values
