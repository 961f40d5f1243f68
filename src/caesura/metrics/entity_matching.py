"""Match the entities of two texts, on the same words, one to one at the least cost."""

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


def heaviest_pairing(weights: Sequence[Mapping[int, int]]) -> dict[int, int]:
    """Pair left with right, each at most once, for the greatest sum of `weights[left][right]`.

    Weights are positive whole numbers; without one there is no pair. Left nodes are added one
    after another, each along the heaviest augmenting path: the best pairing with one more node
    differs from the best one without it by just such a path.
    """
    owner: dict[int, int] = {}
    for left in range(len(weights)):
        _add_left(weights, owner, left)
    return {left: right for right, left in owner.items()}


def _add_left(weights: Sequence[Mapping[int, int]], owner: dict[int, int], start: int) -> None:
    """Add one more left node."""
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
"""The outcome of a pair in each scheme: all correct, wrong class, wrong extent, both wrong."""

SCHEMAS = ("strict", "exact", "partial", "type")

Pairs = dict[int, int]
"""Entities of the hypothesis by those of the reference."""


def error_kind(real: Span, found: Span) -> int:
    """Return what is wrong with an entity: 0 nothing, 1 its class, 2 its extent, 3 both."""
    extent = (real.first, real.last) != (found.first, found.last)
    return (real.label != found.label) + 2 * extent


def pair_costs(way: str, alpha: float) -> tuple[Fraction, ...]:
    """Return the cost of a pair of each kind; a missed or spurious entity costs 1.

    A schema maximises correct pairs, then all pairs: so exact and partial have the same pairs.
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
class EntityMatching:
    """Entities of a reference (`real`) and of a hypothesis (`found`), and possible pairs.

    `single` are pairs that overlap with nothing else; `knots` are groups with a choice: the
    kind of each overlapping pair, by entity of the reference and of the hypothesis.
    """

    real: tuple[Span, ...]
    found: tuple[Span, ...]
    single: Pairs
    knots: tuple[dict[int, dict[int, int]], ...]
    size: int

    @classmethod
    def of(cls, real: tuple[Span, ...], found: tuple[Span, ...], size: int) -> EntityMatching:
        """Find the entities that overlap."""
        single: Pairs = {}
        knots = []
        for left, right in _overlap_groups(real, found):
            if len(left) == len(right) == 1:
                single[left[0]] = right[0]
            elif left and right:
                # Long ones come last: then there is little to try for the others.
                left.sort(key=lambda i: real[i].last - real[i].first)
                knots.append({i: _overlapping_kinds(real[i], found, right) for i in left})
        return cls(real, found, single, tuple(knots), max(1, size))

    def pairs(self, way: str, alpha: float) -> Pairs:
        """Return the pairs of the least cost; on equal costs, those with more pairs at no cost.

        Remaining ties have equally many pairs of each kind, so that no count depends on order.
        """
        made = dict(self.single)
        price = pair_costs(way, alpha)
        for knot in self.knots:
            worth = _pair_weights(price, len(knot))
            left = list(knot)
            weights = [{j: worth[kind] for j, kind in knot[i].items()} for i in left]
            made |= {left[i]: j for i, j in heaviest_pairing(weights).items()}
        return made

    def kinds(self, pairs: Pairs) -> Indices:
        """Return what is wrong with each pair."""
        return np.array(
            [error_kind(self.real[i], self.found[j]) for i, j in pairs.items()], np.int64
        )

    def columns(self, alpha: float) -> PerGapCounts:
        """Yield the counts of each scheme; entities are counted at their first word."""
        ours, theirs = self._places(self.found), self._places(self.real)
        known: dict[tuple[Fraction, ...], Pairs] = {}
        for way, outcomes in OUTCOMES.items():
            price = pair_costs(way, alpha)
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


def _overlap_groups(
    real: Sequence[Span], found: Sequence[Span]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield groups of entities that are connected by overlaps, as numbers of both sides.

    Entities without words are in no group.
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


def _overlapping_kinds(one: Span, spans: Sequence[Span], which: Sequence[int]) -> dict[int, int]:
    return {
        at: error_kind(one, spans[at])
        for at in which
        if spans[at].first <= one.last and one.first <= spans[at].last
    }


def _pair_weights(price: Sequence[Fraction], most: int) -> Mapping[int, int]:
    """Return a weight for each kind of pair, in which later aims never outweigh earlier ones.

    The aims: least cost, most pairs at no cost, most correct pairs, most pairs, fewest wrong
    classes, fewest with both wrong. `most` is the largest number of pairs.
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
