"""Sentences that begin or end in a part of a text where the best matching is not yet settled.

Such a part is solved for what it may be given and may give: whether the path came through the
beginning of the two present sentences. The best sequence of parts is then chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq

from caesura.core.arrays import Flags, Indices
from caesura.text.charmatch.boxes import Boxes, Paths, Stream
from caesura.text.charmatch.lattice import GOLD_BEGIN, GOLD_END, SYSTEM_BEGIN, SYSTEM_END, solve
from caesura.text.charmatch.units import Units


@dataclass(frozen=True)
class Pieces:
    """Boxes (gold start, system start, gold end, system end) and the sentences in them.

    `first` and `last` are the sentences (gold, system) at the beginning and at the end of each
    box; `starts` and `stops` say whether sentences of both sides start or end right there.
    """

    boxes: Indices
    first: Indices
    last: Indices
    starts: Flags
    stops: Flags

    @classmethod
    def of(cls, boxes: Indices, gold: Indices, system: Indices) -> Pieces:
        """Look up boxes among the ends of sentences."""
        ends = (gold, system)
        first = [np.searchsorted(e, boxes[:, k], side="right") for k, e in enumerate(ends)]
        last = [np.searchsorted(e, boxes[:, 2 + k]) for k, e in enumerate(ends)]
        starts = np.append(0, gold)[first[0]] == boxes[:, 0]
        return cls(
            boxes, np.stack(first, 1), np.stack(last, 1), starts, gold[last[0]] == boxes[:, 2]
        )

    @property
    def inside(self) -> Indices:
        """How many sentences end inside each box, on both sides."""
        return self.last - self.first

    @property
    def coupled(self) -> Flags:
        """Whether sentences can begin or end together at more than the corners of each box."""
        some = self.inside > 0
        coupled: Flags = some.all(axis=1) | (some.any(axis=1) & (self.starts | self.stops))
        return coupled

    def take(self, which: Indices) -> Pieces:
        """Some of the pieces."""
        return Pieces(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


class _Signed:
    """A text with signs between sentences, and the way from places in one to the other."""

    def __init__(self, units: Units, end: int, begin: int) -> None:
        self.bounds = np.append(0, units.sentences)
        codes = np.frombuffer(units.text.encode("utf-32-le", "surrogatepass"), np.int32)
        stops = np.zeros(len(codes) + 1, np.bool_)
        stops[np.append(0, units.tokens)] = True
        places = np.repeat(self.bounds, 2)
        signs = np.tile([end, begin], len(self.bounds))
        self.stream = Stream(np.insert(codes, places, signs), np.insert(stops, places, True))
        self.signs = places + np.arange(len(places))

    def to(self, places: Indices) -> Indices:
        """Places with signs counted; between sentences, after the end and before the beginning."""
        before = np.searchsorted(self.bounds, places)
        return places + before + np.searchsorted(self.bounds, places, side="right")

    def back(self, places: Indices) -> Indices:
        """Places in the text without signs."""
        return places - np.searchsorted(self.signs, places)


class Chain:
    """What couples boxes: pairs of sentences that begin in one and end in another."""

    def __init__(self, gold: Units, system: Units, runs: Indices, corners: Indices) -> None:
        self.units = gold, system
        self.bounds = np.append(0, gold.sentences), np.append(0, system.sentences)
        self.passed = [passed(runs, side, bounds) for side, bounds in enumerate(self.bounds)]
        self.corners = self._numbers(corners[:, :2])
        self.known: dict[tuple[int, int], bool] = {}

    def _numbers(self, pairs: Indices) -> Indices:
        return pairs[:, 0] * len(self.bounds[1]) + pairs[:, 1]

    def settle(self, pieces: Pieces, band: Indices) -> tuple[Paths, Indices]:
        """Give the paths through all boxes, and the pairs that end together after a box."""
        count = len(pieces.boxes)
        if not count:
            return Paths.none(), np.zeros((0, 2), np.int64)
        begun = np.isin(self._numbers(pieces.first), self.corners) & ~pieces.starts
        linked = np.zeros(count + 1, np.bool_)
        linked[1:-1] = (pieces.last[:-1] == pieces.first[1:]).all(axis=1)
        linked[:-1] &= ~begun & ~pieces.starts
        ends = np.isin(self._numbers(pieces.last + 1), self.corners) & ~pieces.stops
        ends[ends] = self.fits(*pieces.last[ends].T)
        which = np.repeat(np.arange(count), 1 + linked[:-1])
        again = np.append(False, which[1:] == which[:-1])
        paths = self._solved(pieces, band, which, begun[which] | again)
        owners, credited = _choose(_packed(paths.values), linked, ends)
        return paths.take(owners), pieces.last[credited]

    def _solved(self, pieces: Pieces, band: Indices, which: Indices, opened: Flags) -> Paths:
        """Solve lattices of boxes and put their paths back into the texts without signs."""
        sides = (
            _Signed(self.units[0], GOLD_END, GOLD_BEGIN),
            _Signed(self.units[1], SYSTEM_END, SYSTEM_BEGIN),
        )
        begin, end = (
            [side.to(pieces.boxes[:, at + k]) for k, side in enumerate(sides)] for at in (0, 2)
        )
        signs = np.stack([end[k] - begin[k] for k in (0, 1)], 1)
        signs -= pieces.boxes[:, 2:] - pieces.boxes[:, :2]
        below, above = (band + signs).T
        none = np.zeros(len(begin[0]), np.bool_)
        lattices = Boxes(begin[0], end[0], begin[1], end[1], below, above, none, *pieces.first.T)
        lattices = replace(lattices.take(which), opened=opened)
        paths = solve(sides[0].stream, sides[1].stream, lattices, self.fits)
        for rows in (paths.matched, paths.tokens):
            for column, side in enumerate(sides, 1):
                rows[:, column] = side.back(rows[:, column])
        return paths

    def fits(self, gold: Indices, system: Indices) -> Flags:
        """Whether at least half of the longer of two sentences is matched in the other.

        It is known from the runs alone for most; asked for pairs on a best path only.
        """
        numbers = (gold, system)
        sizes = [b[n + 1] - b[n] for b, n in zip(self.bounds, numbers, strict=True)]
        starts, stops = (
            [before[n + k] for before, n in zip(self.passed, numbers, strict=True)] for k in (0, 1)
        )
        longest = np.maximum(*sizes)
        shared = np.maximum(np.minimum(*stops) - np.maximum(*starts), 0)
        free = [sizes[side] - (stops[side] - starts[side]) for side in (0, 1)]
        fit: Flags = 2 * shared >= longest
        unsure = np.flatnonzero(~fit & (2 * (shared + np.minimum(*free)) >= longest))
        for at in unsure.tolist():
            fit[at] = self._shares_half(int(gold[at]), int(system[at]))
        return fit

    def _shares_half(self, gold: int, system: int) -> bool:
        known = self.known.get((gold, system))
        if known is None:
            texts = [
                units.text[bounds[number] : bounds[number + 1]]
                for units, bounds, number in zip(
                    self.units, self.bounds, (gold, system), strict=True
                )
            ]
            least = (max(map(len, texts)) + 1) // 2
            known = LCSseq.similarity(*texts, score_cutoff=least) >= least
            self.known[gold, system] = known
        return known


def passed(runs: Indices, side: int, places: Indices) -> Indices:
    """How many characters of runs lie before places of one side."""
    runs = np.concatenate((np.zeros((1, 3), np.int64), runs))
    before = np.cumsum(runs[:, 2]) - runs[:, 2]
    run = np.searchsorted(runs[:, side], places, side="right") - 1
    inside: Indices = np.minimum(places - runs[run, side], runs[run, 2])
    return before[run] + inside


def _packed(values: Indices) -> list[int | None]:
    """Values as numbers that add and compare in order."""
    return [
        None if characters < 0 else (characters << 80) + (tokens << 40) + sentences
        for characters, tokens, sentences in values.tolist()
    ]


class _Way(NamedTuple):
    """The best way through some boxes: the last owner, and whether its box was given a pair."""

    value: int
    owner: int
    linked: bool
    credited: bool = False


def _choose(values: list[int | None], linked: Flags, ends: Flags) -> tuple[Indices, Flags]:
    """Choose for each box an owner of a path, and whether its last pair counts, for the best sum.

    A linked box has two lattices, the second for paths through the beginning that the box
    before it may have passed.
    """
    ways: list[tuple[_Way, _Way | None]] = []
    given: list[int | None] = [0, None]
    lattice = 0
    for box in range(len(ends)):
        count = 1 + int(linked[box])
        plain, open_ = (_best(values, lattice, given[:count], layer) for layer in (0, 1))
        assert plain is not None
        if ends[box] and open_ is not None and open_.value + 1 > plain.value:
            plain = open_._replace(value=open_.value + 1, credited=True)
        ways.append((plain, open_))
        given = [plain.value, None if open_ is None else open_.value]
        lattice += count
    chosen: list[_Way] = []
    through = False
    for plain, open_ in reversed(ways):
        chosen.append(open_ if through and open_ is not None else plain)
        through = chosen[-1].linked
    chosen.reverse()
    return np.array([way.owner for way in chosen]), np.array([way.credited for way in chosen])


def _best(
    values: list[int | None], lattice: int, given: list[int | None], layer: int
) -> _Way | None:
    """The best way through a box whose path ends in a layer."""
    best = None
    for number, base in enumerate(given):
        owner = 2 * (lattice + number) + layer
        value = values[owner]
        if base is not None and value is not None and (best is None or base + value > best.value):
            best = _Way(base + value, owner, bool(number))
    return best
