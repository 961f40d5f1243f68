"""Boxes in which sentences begin or end, so that their best paths depend on each other.

Such a box is solved for each state at its beginning and end: whether the path passed the beginning
of both current sentences. Then the best sequence of paths through all boxes is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq

from caesura.core.arrays import Flags, Indices
from caesura.text.charmatch.lattice import (
    GOLD_BEGIN,
    GOLD_END,
    SYSTEM_BEGIN,
    SYSTEM_END,
    Boxes,
    CharStream,
    Paths,
    solve,
)
from caesura.text.charmatch.units import Units, char_codes


@dataclass(frozen=True)
class BoxSentences:
    """Boxes (gold start, system start, gold end, system end) and the sentences in them.

    `first` and `last` are the sentences (gold, system) at the beginning and the end of each box;
    `starts` and `stops` flag the boxes where sentences of both sides start or end exactly there.
    """

    boxes: Indices
    first: Indices
    last: Indices
    starts: Flags
    stops: Flags

    @classmethod
    def of(cls, boxes: Indices, gold: Indices, system: Indices) -> BoxSentences:
        """Find the sentences of boxes, given where sentences end."""
        ends = (gold, system)
        first = [np.searchsorted(e, boxes[:, k], side="right") for k, e in enumerate(ends)]
        last = [np.searchsorted(e, boxes[:, 2 + k]) for k, e in enumerate(ends)]
        starts = np.append(0, gold)[first[0]] == boxes[:, 0]
        return cls(
            boxes, np.stack(first, 1), np.stack(last, 1), starts, gold[last[0]] == boxes[:, 2]
        )

    @property
    def inside(self) -> Indices:
        """The number of sentences that end inside each box, on both sides."""
        return self.last - self.first

    @property
    def coupled(self) -> Flags:
        """Whether sentences can begin or end together elsewhere than at the corners of a box."""
        some = self.inside > 0
        coupled: Flags = some.all(axis=1) | (some.any(axis=1) & (self.starts | self.stops))
        return coupled

    def take(self, which: Indices) -> BoxSentences:
        """Return some of the boxes."""
        return BoxSentences(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


class _SignedText:
    """A text with signs between sentences, and the conversion of places with and without."""

    def __init__(self, units: Units, end: int, begin: int) -> None:
        self.bounds = np.append(0, units.sentences)
        codes = char_codes(units.text)
        stops = np.zeros(len(codes) + 1, np.bool_)
        stops[np.append(0, units.tokens)] = True
        places = np.repeat(self.bounds, 2)
        signs = np.tile([end, begin], len(self.bounds))
        self.stream = CharStream(np.insert(codes, places, signs), np.insert(stops, places, True))
        self.signs = places + np.arange(len(places))

    def with_signs(self, places: Indices) -> Indices:
        """Convert places; those between sentences come after the end, before the beginning."""
        before = np.searchsorted(self.bounds, places)
        return places + before + np.searchsorted(self.bounds, places, side="right")

    def without_signs(self, places: Indices) -> Indices:
        """Convert places to those of the text without signs."""
        return places - np.searchsorted(self.signs, places)


class SentenceSolver:
    """Solve boxes that depend on each other: sentences begin in one and end in another."""

    def __init__(self, gold: Units, system: Units, runs: Indices, corners: Indices) -> None:
        self.units = gold, system
        self.bounds = np.append(0, gold.sentences), np.append(0, system.sentences)
        self.passed = [
            matched_before(runs, side, bounds) for side, bounds in enumerate(self.bounds)
        ]
        self.corners = self._numbers(corners[:, :2])
        self.known: dict[tuple[int, int], bool] = {}

    def _numbers(self, pairs: Indices) -> Indices:
        return pairs[:, 0] * len(self.bounds[1]) + pairs[:, 1]

    def solve(self, pieces: BoxSentences, band: Indices) -> tuple[Paths, Indices]:
        """Return the paths through all boxes, and the sentence pairs that end after a box."""
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
        paths = self._solve_lattices(pieces, band, which, begun[which] | again)
        owners, credited = _choose_paths(_pack_values(paths.values), linked, ends)
        return paths.take(owners), pieces.last[credited]

    def _solve_lattices(
        self, pieces: BoxSentences, band: Indices, which: Indices, opened: Flags
    ) -> Paths:
        """Solve the lattices of boxes; return paths in places of the texts without signs."""
        sides = (
            _SignedText(self.units[0], GOLD_END, GOLD_BEGIN),
            _SignedText(self.units[1], SYSTEM_END, SYSTEM_BEGIN),
        )
        begin, end = (
            [side.with_signs(pieces.boxes[:, at + k]) for k, side in enumerate(sides)]
            for at in (0, 2)
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
                rows[:, column] = side.without_signs(rows[:, column])
        return paths

    def fits(self, gold: Indices, system: Indices) -> Flags:
        """Flag the pairs of sentences of which at least half of the longer one is matched.

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


def matched_before(runs: Indices, side: int, places: Indices) -> Indices:
    """Count the characters of runs that lie before places of one side."""
    runs = np.concatenate((np.zeros((1, 3), np.int64), runs))
    before = np.cumsum(runs[:, 2]) - runs[:, 2]
    run = np.searchsorted(runs[:, side], places, side="right") - 1
    inside: Indices = np.minimum(places - runs[run, side], runs[run, 2])
    return before[run] + inside


def _pack_values(values: Indices) -> list[int | None]:
    """Pack values into numbers whose sums compare in the right order."""
    return [
        None if characters < 0 else (characters << 80) + (tokens << 40) + sentences
        for characters, tokens, sentences in values.tolist()
    ]


class _Choice(NamedTuple):
    """The best paths through some boxes: their value, the last owner, and its state."""

    value: int
    owner: int
    linked: bool
    credited: bool = False


def _choose_paths(values: list[int | None], linked: Flags, ends: Flags) -> tuple[Indices, Flags]:
    """Choose a path (its owner) for each box, and whether its last pair counts, for the best sum.

    A linked box has two lattices; the second is for paths whose sentences began in the box
    before it.
    """
    ways: list[tuple[_Choice, _Choice | None]] = []
    given: list[int | None] = [0, None]
    lattice = 0
    for box in range(len(ends)):
        count = 1 + int(linked[box])
        plain, open_ = (_best_choice(values, lattice, given[:count], layer) for layer in (0, 1))
        assert plain is not None
        if ends[box] and open_ is not None and open_.value + 1 > plain.value:
            plain = open_._replace(value=open_.value + 1, credited=True)
        ways.append((plain, open_))
        given = [plain.value, None if open_ is None else open_.value]
        lattice += count
    chosen: list[_Choice] = []
    through = False
    for plain, open_ in reversed(ways):
        chosen.append(open_ if through and open_ is not None else plain)
        through = chosen[-1].linked
    chosen.reverse()
    return np.array([way.owner for way in chosen]), np.array([way.credited for way in chosen])


def _best_choice(
    values: list[int | None], lattice: int, given: list[int | None], layer: int
) -> _Choice | None:
    """Return the best path through a box that ends in this layer."""
    best = None
    for number, base in enumerate(given):
        owner = 2 * (lattice + number) + layer
        value = values[owner]
        if base is not None and value is not None and (best is None or base + value > best.value):
            best = _Choice(base + value, owner, bool(number))
    return best
