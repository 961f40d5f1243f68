"""Find the best sentence boundaries and the best dependency trees of the sentences together.

The score of boundaries and arcs is the sum of the scores of each arc, of the root of each
sentence, and of each gap. Sentences have at most `longest` units: what is longer comes out in
parts. Trees are charted span by span (`chart.py`); then one pass over the ends of sentences finds
the best boundaries, or adds up all of them. Units may still be arriving: a sentence that may yet
grow begins at one of the last units. Each such beginning has its own best boundaries before it;
those that all of them share can no longer change.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.config import whole
from caesura.core.errors import CaesuraError
from caesura.ml.parsing.chart import (
    IMPOSSIBLE,
    MOST,
    Endings,
    Scores,
    Structure,
    largest,
    linked,
    sentences,
    summed,
)

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


def best(scores: Scores, longest: int) -> Structure:
    """Find the best boundaries and links of a recording."""
    growing = Growing(longest)
    parts = [growing.push(scores), growing.close()]
    return Structure(
        np.concatenate([part.heads for part in parts]),
        np.concatenate([part.ends for part in parts]),
        sum(part.score for part in parts),
    )


def posterior(scores: Scores, longest: int) -> Floats:
    """Probability of a boundary at each gap between units: the sum over all structures."""
    whole("longest", longest, 1, MOST)
    if len(scores) < 2:
        return np.zeros(0)
    table = _table(scores, longest)
    boundary = scores.gaps[:, 1]
    before = _before(table[:-longest], boundary)
    after = _before(_turned(table), np.append(0.0, boundary[:0:-1]))[::-1]
    if before[-1] == -np.inf:
        raise CaesuraError(IMPOSSIBLE)
    found: Floats = np.exp(before[:-1] + boundary[1:] + after[1:] - before[-1])
    return np.minimum(found, 1.0)


def _before(table: Floats, boundary: Floats) -> Floats:
    """Logarithm of the sum over all sentences up to each unit, if one ends there."""
    size, longest = table.shape
    begun = np.full(longest + size, -np.inf)
    begun[longest - 1] = 0.0
    ended = np.empty(size)
    add, total = np.add, np.logaddexp.reduce
    for at, row in enumerate(table):
        ended[at] = total(add(row, begun[at : at + longest]))
        if at + 1 < size:
            begun[at + longest] = ended[at] + boundary[at + 1]
    return ended


def _table(scores: Scores, longest: int) -> Floats:
    """Give the sums over all structures of the sentences that end at each unit, and room behind."""
    table = np.full((len(scores) + longest, longest), -np.inf)
    done = 0
    for piece in sentences(scores, 0, longest, summed):
        table[done : done + len(piece)] = piece
        done += len(piece)
    return table


def _turned(table: Floats) -> Floats:
    """See the table of the units in opposite order, with what begins as what ends.

    What would begin in front of the first unit is seen in the room behind the last.
    """
    longest = table.shape[1]
    row, cell = table.strides
    shape = (len(table) - longest, longest)
    return as_strided(table[-2:-1], shape, (-row, cell - row), writeable=False)
