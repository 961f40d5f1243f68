"""Similarity by boundary edit distance (Fournier and Inkpen 2012, Fournier 2013)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.metrics.base import NO_GAPS, Pairwise, column, ends, inside

NO_EDITS = "no boundary in hypothesis and reference"


@dataclass(frozen=True, repr=False)
class Edits(Pairwise):
    """Boundaries that match, were moved a little (transposed), or stand in one text only.

    Equal boundaries match. Of those left over, one of each text less than `reach` words apart
    may be transposed, for distance / `reach`; all others are additions, for 1 each. It is
    the pairing that costs least in all, and of those the one with the fewest transpositions.
    """

    reach: int = 2

    def __post_init__(self) -> None:
        if type(self.reach) is not int or self.reach < 1:
            raise ValueError(f"reach is a number of words from 1 on, not {self.reach!r}")

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Count edits, each group of near boundaries at its first gap."""
        count = len(hypothesis)
        ours, theirs = ends(hypothesis), ends(reference)
        places = np.flatnonzero(ours != theirs)
        first, sizes, pairs, distance = _edits(places, ours[places], self.reach)
        yield "matches", ours & theirs
        yield "additions", column(count, places[first], sizes - 2 * pairs)
        yield "transpositions", column(count, places[first], pairs)
        yield "distance", column(count, places[first], distance)


@dataclass(frozen=True, repr=False)
class BoundarySimilarity(Edits):
    """Boundary similarity (B): how little must be edited, for each boundary there is.

    Equal boundaries match. Of those left over, one of each text less than `reach` words apart
    may be transposed, for distance / `reach`; all others are additions, for 1 each. It is
    the pairing that costs least in all, and of those the one with the fewest transpositions.
    B is 1 less the cost for each match, transposition and addition. Of several references it
    is the mean.
    """

    name = "BoundarySimilarity"
    best: ClassVar = {"similarity": 1.0}
    main = "similarity"

    def rates(self, counts: Counts) -> dict[str, Value]:
        """B of Fournier (2013)."""
        kept = counts["matches"] + counts["transpositions"]
        most = self.reach * (kept + counts["additions"])
        return {"similarity": ratio(self.reach * kept - counts["distance"], most, NO_EDITS)}


@dataclass(frozen=True, repr=False)
class SegmentationSimilarity(Edits):
    """Segmentation similarity (S): how little must be edited, for each gap between words.

    Edits are those of `BoundarySimilarity`; S is 1 less their cost for each gap. As most gaps
    have no boundary in any text, it is near 1 for almost everything. Of several references it
    is the mean.
    """

    name = "SegmentationSimilarity"
    best: ClassVar = {"similarity": 1.0}
    main = "similarity"

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Count edits and gaps."""
        yield from super().compare(hypothesis, reference, references)
        yield "gaps", inside(len(hypothesis))

    def rates(self, counts: Counts) -> dict[str, Value]:
        """S of Fournier and Inkpen (2012), with the edits of 2013."""
        most = self.reach * counts["gaps"]
        cost = self.reach * counts["additions"] + counts["distance"]
        return {"similarity": ratio(most - cost, most, NO_GAPS)}


def _edits(places: Indices, ours: Flags, reach: int) -> tuple[Indices, Indices, Indices, Indices]:
    """Index of the first of each group of places, its size, its pairs and their distances.

    No pair can reach from one group to another. Few have more than two places: almost all the
    work is done on whole columns.
    """
    first = np.flatnonzero(_opens(places, ours, reach))
    sizes = np.diff(first, append=len(places))
    pairs, distance = np.zeros((2, len(first)), np.int64)
    two = first[sizes == 2]
    pairs[sizes == 2] = 1
    distance[sizes == 2] = places[two + 1] - places[two]
    for group in np.flatnonzero(sizes > 2).tolist():
        part = slice(first[group], first[group] + sizes[group])
        near, mine = places[part], ours[part]
        found = cheapest(near[mine].tolist(), near[~mine].tolist(), reach)
        pairs[group], distance[group] = found
    return first, sizes, pairs, distance


def _opens(places: Indices, ours: Flags, reach: int) -> Flags:
    """Whether no place before this one is in reach of one of the other text from here on."""
    far = np.iinfo(np.int64).max // 4
    opens = np.ones(len(places), np.bool_)
    if len(places) > 1:
        for side in (ours, ~ours):
            before = np.maximum.accumulate(np.where(side, places, -far))
            after = np.minimum.accumulate(np.where(side, far, places)[::-1])[::-1]
            opens[1:] &= after[1:] - before[:-1] >= reach
    return opens


def cheapest(ours: list[int], theirs: list[int], reach: int) -> tuple[int, int]:
    """Give the pairs, and their distances in all, of the cheapest pairing of ascending places.

    On a line pairs that cross never cost less, so that it is an alignment: `best[j]` is for
    the places of ours so far and the first j of theirs. A pair spares two additions; cost and
    number of pairs are kept in one number, the cost in front.
    """
    front = len(ours) + 1
    best = [0]
    low = 0
    for place in ours:
        while low < len(theirs) and theirs[low] <= place - reach:
            low += 1
        while len(best) <= len(theirs) and theirs[len(best) - 1] < place + reach:
            best.append(best[-1])
        before = best[low]
        for j in range(low, len(best) - 1):
            saved = before + (abs(place - theirs[j]) - 2 * reach) * front + 1
            before = best[j + 1]
            best[j + 1] = min(before, best[j], saved)
    cost, pairs = divmod(best[-1], front)
    return pairs, cost + 2 * reach * pairs
