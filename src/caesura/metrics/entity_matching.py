"""Entities of two texts, on the same words, matched one to one at the least cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Span


def heaviest(weights: Sequence[Mapping[int, int]]) -> dict[int, int]:
    """Pair left with right, each at most once, for the greatest sum of `weights[left][right]`.

    Weights are positive whole numbers; what has none cannot be paired. The left come in one
    after another, each along the heaviest path that gives it a partner and others another one,
    or none: what is best for those before and this one differs from the best before by just
    such a path.
    """
    owner: dict[int, int] = {}
    for left in range(len(weights)):
        _add(weights, owner, left)
    return {left: right for right, left in owner.items()}


def _add(weights: Sequence[Mapping[int, int]], owner: dict[int, int], start: int) -> None:
    """Let one more in."""
    gain = {start: 0}
    came: dict[int, tuple[int, int]] = {}
    most, end, free = 0, start, -1
    waiting = deque([start])
    while waiting:
        left = waiting.popleft()
        for right, weight in weights[left].items():
            other = owner.get(right)
            if other == left:
                continue
            total = gain[left] + weight
            if other is None:
                if total > most:
                    most, end, free = total, left, right
                continue
            total -= weights[other][right]
            if other not in gain or total > gain[other]:
                gain[other], came[other] = total, (left, right)
                waiting.append(other)
                if total > most:
                    most, end, free = total, other, -1
    if free >= 0:
        owner[free] = end
    while end != start:
        end, right = came[end]
        owner[right] = end


OUTCOMES = {
    "strict": ("correct", "incorrect", "incorrect", "incorrect"),
    "exact": ("correct", "correct", "incorrect", "incorrect"),
    "partial": ("correct", "correct", "partial", "partial"),
    "type": ("correct", "incorrect", "correct", "incorrect"),
    "half": ("correct", "class", "extent", "both"),
    "eter": ("correct", "class", "extent", "both"),
}
"""What two matched entities are to each way of counting: both right, another class, another
extent, both wrong."""

SCHEMAS = ("strict", "exact", "partial", "type")

Pairs = dict[int, int]
"""Entities of the hypothesis by those of the reference."""


def kind(real: Span, found: Span) -> int:
    """Tell what is wrong with an entity: 0 nothing, 1 its class, 2 its extent, 3 both."""
    extent = (real.first, real.last) != (found.first, found.last)
    return (real.label != found.label) + 2 * extent


def costs(way: str, alpha: float) -> tuple[Fraction, ...]:
    """Give the cost of a pair of each kind; what is missed or spurious costs 1.

    A schema takes as many correct pairs as there can be, and then as many pairs: so exact and
    partial have the same pairs.
    """
    share = Fraction(1, 2) if way == "half" else Fraction(str(alpha))
    price = {
        "correct": Fraction(0),
        "incorrect": Fraction(1),
        "partial": Fraction(1),
        "class": 1 - share,
        "extent": share,
        "both": Fraction(1),
    }
    return tuple(price[outcome] for outcome in OUTCOMES[way])


@dataclass(frozen=True)
class Matched:
    """Entities of a reference and of a hypothesis, and what can be matched.

    `single` are pairs that overlap nothing else; `knots` are groups in which there is a
    choice: the kind of each pair that overlaps, by entity of the reference and of the hypothesis.
    """

    real: tuple[Span, ...]
    found: tuple[Span, ...]
    single: Pairs
    knots: tuple[dict[int, dict[int, int]], ...]
    size: int

    @classmethod
    def of(cls, real: tuple[Span, ...], found: tuple[Span, ...], size: int) -> Matched:
        """Find what overlaps."""
        single: Pairs = {}
        knots = []
        for left, right in _groups(real, found):
            if len(left) == len(right) == 1:
                single[left[0]] = right[0]
            elif left and right:
                # those that overlap much come last: then there is little to try for the others
                left.sort(key=lambda i: real[i].last - real[i].first)
                knots.append({i: _overlapping(real[i], found, right) for i in left})
        return cls(real, found, single, tuple(knots), max(1, size))

    def pairs(self, way: str, alpha: float) -> Pairs:
        """Match at the least cost; of equal costs take more pairs that cost nothing.

        Ties that are left have equally many pairs of each kind, so that no count depends on
        the order of anything.
        """
        made = dict(self.single)
        price = costs(way, alpha)
        for knot in self.knots:
            worth = _worth(price, len(knot))
            left = list(knot)
            weights = [{j: worth[kind] for j, kind in knot[i].items()} for i in left]
            made |= {left[i]: j for i, j in heaviest(weights).items()}
        return made

    def kinds(self, pairs: Pairs) -> Indices:
        """Tell what is wrong with each pair."""
        return np.array([kind(self.real[i], self.found[j]) for i, j in pairs.items()], np.int64)

    def columns(self, alpha: float) -> PerGapCounts:
        """Count each way, pairs and spurious ones at their first word in the hypothesis."""
        ours, theirs = self._places(self.found), self._places(self.real)
        known: dict[tuple[Fraction, ...], Pairs] = {}
        for way, outcomes in OUTCOMES.items():
            price = costs(way, alpha)
            pairs = known.get(price) or known.setdefault(price, self.pairs(way, alpha))
            kinds, places = self.kinds(pairs), ours[list(pairs.values())]
            for outcome in dict.fromkeys(outcomes):
                which = [number for number in range(4) if outcomes[number] == outcome]
                yield f"{way}_{outcome}", self._column(places[np.isin(kinds, which)])
            yield f"{way}_missed", self._column(np.delete(theirs, list(pairs)))
            yield f"{way}_spurious", self._column(np.delete(ours, list(pairs.values())))

    def _places(self, spans: Sequence[Span]) -> Indices:
        return np.array([min(span.first, self.size - 1) for span in spans], np.int64)

    def _column(self, places: Indices) -> Indices:
        return np.bincount(places, minlength=self.size)


def _groups(real: Sequence[Span], found: Sequence[Span]) -> Iterator[tuple[list[int], list[int]]]:
    """Give entities that hang together by their words, as numbers of both sides.

    Those without words hang on nothing.
    """
    both = [(span.first, span.last, 0, at) for at, span in enumerate(real)]
    both += [(span.first, span.last, 1, at) for at, span in enumerate(found)]
    group: tuple[list[int], list[int]] = [], []
    end = -1
    for first, last, side, at in sorted(both):
        if last < first:
            continue
        if first > end:
            yield group
            group = [], []
        group[side].append(at)
        end = max(end, last)
    yield group


def _overlapping(one: Span, spans: Sequence[Span], which: Sequence[int]) -> dict[int, int]:
    return {
        at: kind(one, spans[at])
        for at in which
        if spans[at].first <= one.last and one.first <= spans[at].last
    }


def _worth(price: Sequence[Fraction], most: int) -> Mapping[int, int]:
    """Turn what a pair saves into whole numbers, in which later aims never outweigh earlier ones.

    The aims are the least cost, most pairs that cost nothing, most that are right in all, most
    pairs, fewest with another class, fewest with both wrong; `most` is the greatest number of
    pairs.
    """
    base, scale = most + 2, lcm(*(each.denominator for each in price))
    worth = {}
    for kind, each in enumerate(price):
        saved = int((2 - each) * scale)
        aims = (saved, each == 0, kind == 0, 1, -(kind & 1), -(kind == 3))
        number = 0
        for aim in aims:
            number = number * base + int(aim)
        worth[kind] = number
    return worth
