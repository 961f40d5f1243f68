"""Find the best sentence boundaries and the best dependency trees of the sentences together.

The score of a parse is the sum of the scores of all arcs, of the root of each sentence, and of
all gaps. Sentences have at most `longest` units; a longer one comes out in parts. The trees of all
short spans are charted first (`chart.py`). Then one pass over the ends of sentences finds the best
boundaries (`best_parse`), or sums over all of them (`boundary_probabilities`).

`IncrementalSearch` does the same for units that are still arriving. The sentence that is still
open begins at one of the last units. Each such beginning has its own best boundaries before it;
those that all of them share can no longer change, and are given out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.config import check_integer
from caesura.core.errors import CaesuraError
from caesura.ml.parsing.chart import (
    IMPOSSIBLE,
    MOST_UNITS,
    IncrementalChart,
    Parse,
    ParseScores,
    best_heads,
    join_best,
    join_log_sum,
    sentence_scores,
)

SMALL_PIECE = 64
"""Pieces of at most this many units go into an incremental chart."""


class IncrementalSearch:
    """A search that takes units piece by piece and returns sentences as soon as they are final.

    The result does not depend on the pieces. With `patience`, a sentence is final at the latest
    when so many units have arrived after it: what is best then is kept, and memory never holds
    more than patience + longest units and the last piece. Without `patience` the result is exact.
    """

    def __init__(
        self, longest: int, patience: int | None = None, state: Mapping[str, Any] | None = None
    ) -> None:
        check_integer("longest", longest, 1, MOST_UNITS)
        if patience is not None:
            check_integer("patience", patience, 0, sys.maxsize)
        self.longest = longest
        self.patience = patience
        saved = state or {"given": 0, "before": [0.0], "origin": [0], "scores": None}
        self.given = int(saved["given"])
        """Units of the sentences that were given out; the units in memory follow them."""
        self._before: list[float] = _from_json(saved["before"]).tolist()
        """Score of the best sentences before each unit in memory, and before the next one."""
        self._origin: list[int] = list(saved["origin"])
        """The first unit of the last of those sentences."""
        self._scores = (
            None if saved["scores"] is None else ParseScores(*map(_from_json, saved["scores"]))
        )
        self._chart: IncrementalChart | None = None
        """The chart of the last units, if they came in small pieces."""
        self._rows: list[Floats] = []
        """With patience, the scores of the sentences that end at each unit in memory."""
        if self._scores is not None and patience is not None:
            for table in sentence_scores(self._scores, 0, longest, join_best):
                self._rows.extend(table)

    def push(self, scores: ParseScores) -> Parse:
        """Add units and return the sentences that have become final.

        A unit can be pushed when the scores of all its arcs are known, also those to units that
        have not arrived.
        """
        old, score = self._take(scores), self._before[0]
        if len(scores) and self._scores is not None:
            self._find_ends(self._scores, old)
        return self._give_out(self._final_units(), score)

    def close(self) -> Parse:
        """End the recording and return what is left; the last unit ends a sentence."""
        if self._before[-1] == -np.inf:
            raise CaesuraError(IMPOSSIBLE)
        return self._give_out(len(self._before) - 1, self._before[0])

    def state(self) -> Mapping[str, Any]:
        """Return, as JSON can hold it, what is needed to go on."""
        scores = self._scores if self._scores is not None and len(self._scores) else None
        return {
            "given": self.given,
            "before": _to_json(np.array(self._before)),
            "origin": list(self._origin),
            "scores": None
            if scores is None
            else [_to_json(each) for each in (scores.arcs, scores.roots, scores.gaps)],
        }

    def _take(self, scores: ParseScores) -> int:
        """Add units to those in memory; return how many there were before."""
        kept = self._scores
        if scores.opens and (self.given or kept is not None):
            raise CaesuraError(
                "units that follow others lack the scores of the gap in front of them",
                remedy="give as many rows of gap scores as there are units",
            )
        self._scores = scores if kept is None else kept.extended(scores)
        return 0 if kept is None else len(kept)

    def _find_ends(self, scores: ParseScores, old: int) -> None:
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
                held = self._fix(at, held, begun, boundary)

    def _tables(self, scores: ParseScores, old: int) -> Iterable[Floats]:
        """Chart the units from `old` on; return the scores of the sentences that end at each."""
        if len(scores) - old > SMALL_PIECE:
            self._chart = None
            return sentence_scores(scores, old, self.longest, join_best)
        if self._chart is None:
            self._chart = IncrementalChart(self.longest, scores.reach)
            self._chart.add(scores[max(old - self.longest + 1, 0) : old])
        return [self._chart.add(scores[old:])]

    def _end(self, unit: int, row: Floats, begun: Floats, boundary: Floats) -> None:
        """Find the best sentences up to a unit; `row` has the scores of those that end there."""
        ways = row + begun[unit : unit + self.longest]
        first = int(ways.argmax())
        self._before[unit + 1] = score = ways.item(first)
        self._origin[unit + 1] = unit + 1 - self.longest + first
        if unit + 1 < len(boundary):
            begun[unit + self.longest] = score + boundary[unit + 1]

    def _fix(self, count: int, old: int, begun: Floats, boundary: Floats) -> int:
        """Fix the boundary that is best now and lies `patience` units back, and those before it.

        Return the unit after it; `old` is that of the last decision. No later sentence may begin
        before it: results that depend on such a sentence are computed again.
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
        """Go back over the sentences before a unit to one that begins at `most` or earlier."""
        while first > most:
            first = self._origin[first]
        return first

    def _final_units(self) -> int:
        """Return the last sentence beginning that all possible continuations share."""
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

    def _give_out(self, stop: int, score: float) -> Parse:
        """Give out the first `stop` units, whole sentences; `score` is that of all before them.

        Scores after them start from 0 again, so that sums stay small however long a talk is.
        """
        if self._scores is None or not stop:
            return Parse(np.zeros(0, np.int64), np.zeros(0, np.bool_), 0.0)
        last = []
        first = stop
        while first:
            last.append(first - 1)
            first = self._origin[first]
        ends = np.zeros(stop, np.bool_)
        ends[last] = True
        heads = self._heads(self._scores, ends, last[::-1])
        heads[heads >= 0] += self.given
        self._scores, self._rows = self._scores[stop:], self._rows[stop:]
        base = self._before[stop]
        self._before = [each - base for each in self._before[stop:]]
        self._origin = [origin - stop for origin in self._origin[stop:]]
        self.given += stop
        return Parse(heads, ends, base - score)

    def _heads(self, scores: ParseScores, ends: Flags, last: list[int]) -> Indices:
        """Find the heads in the first sentences, and remove these from the chart."""
        if self._chart is None:
            return best_heads(scores[: len(ends)], ends)
        uncharted = len(scores) - len(self._chart)
        if uncharted:
            heads = best_heads(scores[: len(ends)], ends)
        else:
            heads = np.array(self._chart.trace_heads(last))
        self._chart.forget(max(len(ends) - uncharted, 0))
        return heads


def _to_json(values: Floats) -> list[Any]:
    """Return numbers as JSON can hold them: minus infinity as null."""
    listed: list[Any] = np.where(values == -np.inf, None, values).tolist()  # type: ignore[call-overload]
    return listed


def _from_json(listed: list[Any]) -> Floats:
    values = np.array(listed, np.float64)
    values[np.isnan(values)] = -np.inf
    return values


def best_parse(scores: ParseScores, longest: int) -> Parse:
    """Find the best boundaries and dependency trees of a recording."""
    search = IncrementalSearch(longest)
    parts = [search.push(scores), search.close()]
    return Parse(
        np.concatenate([part.heads for part in parts]),
        np.concatenate([part.ends for part in parts]),
        sum(part.score for part in parts),
    )


def boundary_probabilities(scores: ParseScores, longest: int) -> Floats:
    """Return the probability of a boundary at each gap between units: a sum over all parses."""
    check_integer("longest", longest, 1, MOST_UNITS)
    if len(scores) < 2:
        return np.zeros(0)
    table = _sum_table(scores, longest)
    boundary = scores.gaps[:, 1]
    before = _log_sums_before(table[:-longest], boundary)
    after = _log_sums_before(_reversed(table), np.append(0.0, boundary[:0:-1]))[::-1]
    if before[-1] == -np.inf:
        raise CaesuraError(IMPOSSIBLE)
    found: Floats = np.exp(before[:-1] + boundary[1:] + after[1:] - before[-1])
    return np.minimum(found, 1.0)


def _log_sums_before(table: Floats, boundary: Floats) -> Floats:
    """Return the log-sum over all sentences up to each unit, if one ends there."""
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


def _sum_table(scores: ParseScores, longest: int) -> Floats:
    """Return the log-sums over all trees of the sentences that end at each unit, padded below."""
    table = np.full((len(scores) + longest, longest), -np.inf)
    done = 0
    for piece in sentence_scores(scores, 0, longest, join_log_sum):
        table[done : done + len(piece)] = piece
        done += len(piece)
    return table


def _reversed(table: Floats) -> Floats:
    """View the table with the units in reverse order, where beginnings become ends.

    Sentences that would begin before the first unit are in the padding.
    """
    longest = table.shape[1]
    row, cell = table.strides
    shape = (len(table) - longest, longest)
    return as_strided(table[-2:-1], shape, (-row, cell - row), writeable=False)
