"""The best sentences given log-odds at gaps, limits of their length and priors over it.

A segmentation scores the log-odds of its boundaries plus the priors of its sentences, which is the
logarithm of its probability but for a constant. `decode` finds the best one of a whole recording,
and a `Search` does so while words arrive. Both are exact (a semi-Markov model, decoded by dynamic
programming over where the last sentence begins):

- No sentence is longer than `longest`, unless it is one word that is longer by itself.
- Sentences fall short of `shortest` by as little as possible in all; `longest` comes first.
- Of what is left, the best score wins, and of equal scores the longest last sentence.

Beginnings as far back as the straight part of all priors, which is everywhere without priors, are
kept in a queue from which worse ones are dropped: a step costs the same for any limit. Only lengths
inside the tables of priors are tried one by one, as arrays. Scores are whole numbers, so that sums
are exact and a search that begins anew at a boundary decides alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices
from caesura.ml.length_prior import SECOND, LengthPrior

NAT = 1 << 32
"""How many units of a score are one nat."""

CERTAIN = 100.0
"""Log-odds are clipped to this, so that sums stay whole numbers of 64 bits."""

ASSUMED = 3 * SECOND // 10
"""The duration of a word whose end is unknown: 200 words a minute."""

LATEST = 10_000_000.0
"""Times from so many seconds on are taken as unknown."""

ANY = range(1 << 62)
"""The words themselves, as places where sentences begin."""


class Limit(NamedTuple):
    """A length in words, or in microseconds if the unit is seconds."""

    size: int
    unit: str


@dataclass(frozen=True, eq=False)
class Rules:
    """What sentences may be like: limits of their length, and priors times their `weight`."""

    shortest: Limit | None = None
    longest: Limit | None = None
    priors: tuple[LengthPrior, ...] = ()
    weight: float = 1.0

    @cached_property
    def scores(self) -> tuple[PriorScores, ...]:
        """The priors as whole numbers."""
        return tuple(PriorScores(prior, self.weight) for prior in self.priors)


class PriorScores:
    """A prior as whole numbers: a table, and a straight line from the length `stop` on."""

    def __init__(self, prior: LengthPrior, weight: float) -> None:
        self.unit, self.step = prior.unit, prior.step
        self.cells: Indices = np.rint(prior.table * (weight * NAT)).astype(np.int64)
        self.slope = round(prior.slope * weight * NAT / self.step)
        self.stop = len(self.cells) * self.step
        self.last = int(self.cells[-1])
        self.falling = self.cells[::-1].copy()

    def value(self, size: int) -> int:
        """Return the score of one length."""
        if size < self.stop:
            return int(self.cells[size // self.step])
        return self.last + self.slope * (size - self.stop)

    def values(self, sizes: Indices) -> Indices:
        """Return the scores of lengths, of which the first is the longest."""
        cells: Indices = sizes // self.step
        if sizes[0] < self.stop:
            found: Indices = self.cells[cells]
            return found
        found = self.cells[np.minimum(cells, len(self.cells) - 1)]
        found += self.slope * np.maximum(sizes - self.stop, 0)
        return found

    def values_of_words(self, longest: int, shortest: int) -> Indices:
        """Return the scores of all lengths from the longest down to the shortest, in words."""
        if longest < self.stop:
            return self.falling[self.stop - 1 - longest : self.stop - shortest]
        return self.values(np.arange(longest, shortest - 1, -1))

    @cached_property
    def gains(self) -> list[int]:
        """The most that any length can gain by so many steps more; the last holds for more."""
        count = len(self.cells)
        beyond = self.last + self.slope * self.step * np.arange(count + 2)
        cells = np.concatenate([self.cells, beyond])
        at = np.arange(count)
        gains = []
        for more in range(count + 1):
            # Lengths differ by a number of cells, or by one more if they lie within cells.
            longer = cells[at + more]
            if self.step > 1:
                longer = np.maximum(longer, cells[at + more + 1])
            gains.append(max(int((longer - self.cells).max()), self.slope * self.step * more))
        return gains

    def most_gain(self, more: int) -> int:
        """Return the most that a length can gain by being longer by `more`."""
        return self.gains[min(more // self.step, len(self.gains) - 1)]


class WordTimes:
    """Begin and end of words in microseconds after the first time, neither ever going back.

    A word whose start is unknown begins where the one before ended. One whose end is unknown
    lasts 0.3 s.
    """

    def __init__(self, state: Sequence[int] = (-1, 0, 0)) -> None:
        self.origin, self.begin, self.finish = state

    def extend(self, start: Floats | None, end: Floats | None, count: int) -> list[tuple[int, int]]:
        """Return begin and end of the next `count` words."""
        columns = (_microseconds(column, count) for column in (start, end))
        return [self._next(first, last) for first, last in zip(*columns, strict=True)]

    def state(self) -> list[int]:
        """Return what is needed to go on."""
        return [self.origin, self.begin, self.finish]

    def _next(self, start: int, end: int) -> tuple[int, int]:
        if self.origin < 0:
            self.origin = max(start - self.finish, 0) if start >= 0 else -1
        origin = max(self.origin, 0)
        self.begin = max(self.begin, start - origin if start >= 0 else self.finish)
        known = end - origin if end >= 0 else self.begin + ASSUMED
        self.finish = max(self.finish, self.begin, known)
        return self.begin, self.finish


def _microseconds(seconds: Floats | None, count: int) -> list[int]:
    """Round seconds; -1 stands for a time that is unknown or before the recording."""
    if seconds is None:
        return [-1] * count
    known = np.isfinite(seconds) & (seconds >= 0) & (seconds < LATEST)
    found: list[int] = np.where(known, np.rint(np.nan_to_num(seconds) * SECOND), -1).astype(
        np.int64
    ).tolist()  # fmt: skip
    return found


def fixed_point(log_odds: Floats) -> list[int]:
    """Return log-odds as whole numbers of the same sign; unknown ones are 0."""
    clipped = np.clip(np.nan_to_num(log_odds, nan=0.0), -CERTAIN, CERTAIN) * NAT
    found: list[int] = np.where(clipped > 0, np.ceil(clipped), np.floor(clipped)).astype(
        np.int64
    ).tolist()  # fmt: skip
    return found


def decode(
    log_odds: Floats, rules: Rules, start: Floats | None = None, end: Floats | None = None
) -> Flags:
    """Return which gaps are boundaries in the best segmentation; the last gap always is one."""
    search = Search(rules)
    times = WordTimes().extend(start, end, len(log_odds))
    for odds, (begin, finish) in zip(fixed_point(log_odds), times, strict=True):
        search.append(odds, begin, finish)
    boundary = np.zeros(len(log_odds), np.bool_)
    boundary[[stop - 1 for stop in search.path()]] = True
    return boundary


class Row(NamedTuple):
    """A word: the score of a boundary after it, and its begin and end in microseconds."""

    odds: int
    begin: int
    finish: int


class Search:
    """The best segmentations of the words so far, one for each place where the last may end.

    Position k is before word k. `best` has the score of the best segmentation of the words before
    each position, `short` by how much its sentences fall short, `back` where its last sentence
    begins, and `first` where its first one ends.
    """

    def __init__(self, rules: Rules, rows: Iterable[Row] = ()) -> None:
        self.rules = rules
        self._scores = rules.scores
        self.odds: list[int] = []
        self.times: list[int] = []
        """When each word begins."""
        self.finishes: list[int] = []
        self.best, self.short, self.back, self.first = [0], [0], [0], [0]
        self.open_from = 0
        """The first position from which a sentence may still be open, given `longest`."""
        self._ripe = self._straight = self._queued = 0
        self._queue: deque[int] = deque()
        self._keys: list[int] = []
        self._last_short = -1
        self._array = np.zeros(64, np.int64)
        self._begins = np.zeros(64, np.int64)
        for row in rows:
            self.append(*row)

    def append(self, odds: int, begin: int, finish: int) -> None:
        """Add a word."""
        self.odds.append(odds)
        self.times.append(begin)
        self.finishes.append(finish)
        if self._scores:
            self._store(len(self.times) - 1, self.best[-1], begin)
        stop = len(self.times)
        self._move(stop, finish)
        if self._scores or not self._queue or self.short[self._queue[0]]:
            short, value, back = self._choose(stop, finish)
        else:
            back = self._queue[0]
            short, value = 0, self.best[back]
        self.best.append(value + odds)
        self.short.append(short)
        self.back.append(back)
        self.first.append(self.first[back] or stop)
        if short:
            self._last_short = stop

    @property
    def rows(self) -> list[Row]:
        """The words so far."""
        return [*map(Row, self.odds, self.times, self.finishes)]

    def path(self) -> list[int]:
        """Return the positions where the sentences of all words end, in order."""
        found = []
        at = len(self.times)
        while at:
            found.append(at)
            at = self.back[at]
        return found[::-1]

    def settled(self) -> int:
        """Return where the first sentence ends, if that is certain or `longest` forces it, else 0.

        It is certain if it ends there in all segmentations that words to come may choose from,
        and also if no more words come.
        It is forced when it would be too long with the last word: then the best one decides.
        """
        live = [*self._queue, *range(max(self.open_from, self._queued), len(self.best))]
        ready = self._ready()
        chosen = max(
            (at for at in live if at < ready),
            key=lambda at: (-self.short[at], self.best[at], -at),
            default=0,
        )
        end = self.first[chosen]
        certain = all(self.first[at] == end or self._beaten(at, chosen) for at in live)
        if end and certain and self.path()[0] == end:
            return end
        if not self.open_from:
            return 0
        return self.first[max(live, key=lambda at: (-self.short[at], self.best[at], -at))]

    def after(self, position: int) -> Search:
        """Return a search of the words from a position on, where a sentence begins."""
        return Search(self.rules, self.rows[position:])

    def _begin(self, unit: str) -> Sequence[int]:
        return self.times if unit == "seconds" else ANY

    def _store(self, at: int, value: int, begin: int) -> None:
        if at == len(self._array):
            self._array = np.concatenate([self._array, np.zeros_like(self._array)])
            self._begins = np.concatenate([self._begins, np.zeros_like(self._begins)])
        self._array[at], self._begins[at] = value, begin

    def _move(self, stop: int, finish: int) -> None:
        """Move on which beginnings are still open, long enough, and beyond all tables."""
        rules = self.rules
        if rules.longest is not None:
            begins, edge = self._edge(rules.longest, stop, finish)
            while self.open_from < stop - 1 and begins[self.open_from] < edge:
                self.open_from += 1
        if rules.shortest is None:
            self._ripe = stop
        else:
            begins, edge = self._edge(rules.shortest, stop, finish)
            while self._ripe < stop and begins[self._ripe] <= edge:
                self._ripe += 1
        self._straight = self._next_straight(stop, finish) if self._scores else stop
        while self._queued < self._straight and self._queued < self._ripe:
            self._enter(self._queued)
            self._queued += 1
        while self._queue and self._queue[0] < self.open_from:
            self._queue.popleft()

    def _edge(self, limit: Limit, stop: int, finish: int) -> tuple[Sequence[int], int]:
        """Return the beginnings of words, and the last with which a sentence has that length."""
        return self._begin(limit.unit), (stop if limit.unit == "words" else finish) - limit.size

    def _next_straight(self, stop: int, finish: int) -> int:
        last = stop
        for one in self._scores:
            begins, edge = (
                self._begin(one.unit),
                (stop if one.unit == "words" else finish) - one.stop,
            )
            at = self._straight
            while at < last and begins[at] <= edge:
                at += 1
            last = at
        return last

    def _enter(self, at: int) -> None:
        """Queue a beginning, and drop those before it that it beats from now on."""
        key = self.best[at]
        for one in self._scores:
            key -= one.slope * self._begin(one.unit)[at]
        short, queue, keys = self.short[at], self._queue, self._keys
        while queue:
            other = self.short[queue[-1]]
            if other < short or (other == short and keys[queue[-1]] >= key):
                break
            queue.pop()
        queue.append(at)
        keys.append(key)

    def _choose(self, stop: int, finish: int) -> tuple[int, int, int]:
        """Return the best beginning of a sentence that ends at `stop`: shortfall, score, place."""
        found: list[tuple[int, int, int]] = []
        if self._queue:
            at = self._queue[0]
            value = self._keys[at]
            for one in self._scores:
                value += one.last + one.slope * (
                    (stop if one.unit == "words" else finish) - one.stop
                )
            found.append((self.short[at], -value, at))
        near = max(self.open_from, self._queued)
        if near < self._ripe:
            is_plain = self._last_short < near
            found.append(
                self._best_in_tables(near, stop, finish)
                if is_plain
                else min(self._tries(near, self._ripe, stop, finish))
            )
        if not found or min(found)[0]:
            found.extend(self._tries(max(self.open_from, self._ripe), stop, stop, finish))
        short, loss, at = min(found)
        return short, -loss, at

    def _best_in_tables(self, near: int, stop: int, finish: int) -> tuple[int, int, int]:
        values = self._array[near : self._ripe]
        for one in self._scores:
            values = values + (
                one.values_of_words(stop - near, stop - self._ripe + 1)
                if one.unit == "words"
                else one.values(finish - self._begins[near : self._ripe])
            )
        best = int(values.argmax())
        return 0, -int(values[best]), near + best

    def _tries(
        self, first: int, last: int, stop: int, finish: int
    ) -> Iterator[tuple[int, int, int]]:
        """Yield shortfall, loss and place of beginnings one by one, of any kind."""
        ends = {"words": stop, "seconds": finish}
        least = self.rules.shortest
        for at in range(first, last):
            short = self.short[at]
            if least is not None:
                size = ends[least.unit] - self._begin(least.unit)[at]
                short += max(least.size - size, 0)
            value = self.best[at]
            for one in self._scores:
                value += one.value(ends[one.unit] - self._begin(one.unit)[at])
            yield short, -value, at

    def _ready(self) -> int:
        """Return the position before which sentences are long enough when the next word comes."""
        least, stop = self.rules.shortest, len(self.times)
        ready = stop + 1
        if least is not None:
            ready = max(stop + 2 - least.size, 0) if least.unit == "words" else self._ripe
        # The time at which the next word begins is not known yet.
        timed = any(one.unit == "seconds" for one in self._scores)
        return min(ready, stop) if timed else ready

    def _beaten(self, at: int, chosen: int) -> bool:
        """Whether a sentence from `chosen` on is better than one from `at` on, whatever follows."""
        if self.short[chosen] > self.short[at]:
            return False
        if at >= chosen:
            is_free = self.rules.longest is None and not self._scores
            worse = self.short[chosen] < self.short[at] or self.best[chosen] >= self.best[at]
            return is_free and worse
        more = (
            one.most_gain(self._begin(one.unit)[chosen] - self._begin(one.unit)[at])
            for one in self._scores
        )
        return self.short[chosen] < self.short[at] or self.best[chosen] - self.best[at] > sum(more)
