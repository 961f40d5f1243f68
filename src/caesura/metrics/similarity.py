"""BoundarySimilarity and SegmentationSimilarity: boundary edit distance (Fournier 2013)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.metrics.base import NO_GAPS, Pairwise, boundary_flags, counted_gaps, sparse_column

NO_EDITS = "no boundary in hypothesis and reference"


@dataclass(frozen=True, repr=False)
class BoundaryEdits(Pairwise):
    """Counts of boundaries that match, are transposed (moved a little), or are in one text only.

    Equal boundaries match. Of the others, two less than `reach` words apart, one of each text,
    can be a transposition at the cost distance / `reach`; all others are additions at the cost
    1. Of all pairings the cheapest counts, and of these the one with the fewest transpositions.
    """

    reach: int = 2

    def __post_init__(self) -> None:
        if type(self.reach) is not int or self.reach < 1:
            raise ValueError(f"reach is a number of words >= 1, not {self.reach!r}")

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield edits, each group of near boundaries at its first gap."""
        count = len(hypothesis)
        ours, theirs = boundary_flags(hypothesis), boundary_flags(reference)
        places = np.flatnonzero(ours != theirs)
        first, sizes, pairs, distance = _count_edits(places, ours[places], self.reach)
        yield "matches", ours & theirs
        yield "additions", sparse_column(count, places[first], sizes - 2 * pairs)
        yield "transpositions", sparse_column(count, places[first], pairs)
        yield "distance", sparse_column(count, places[first], distance)


@dataclass(frozen=True, repr=False)
class BoundarySimilarity(BoundaryEdits):
    """Boundary similarity B (Fournier 2013): 1 - edit cost / number of boundaries.

    Equal boundaries match. Of the others, two less than `reach` words apart, one of each text,
    can be a transposition at the cost distance / `reach`; all others are additions at the cost
    1. Of all pairings the cheapest counts, and of these the one with the fewest transpositions.
    B = 1 - cost / (matches + transpositions + additions). Several references: the mean.
    """

    name = "BoundarySimilarity"
    best: ClassVar = {"similarity": 1.0}
    main = "similarity"

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return B of Fournier (2013)."""
        kept = counts["matches"] + counts["transpositions"]
        most = self.reach * (kept + counts["additions"])
        return {"similarity": ratio(self.reach * kept - counts["distance"], most, NO_EDITS)}


@dataclass(frozen=True, repr=False)
class SegmentationSimilarity(BoundaryEdits):
    """Segmentation similarity S (Fournier and Inkpen 2012): 1 - edit cost / number of gaps.

    Edits and costs are those of `BoundarySimilarity`. As most gaps have no boundary in any
    text, S is near 1 for almost any hypothesis. Several references: the mean.
    """

    name = "SegmentationSimilarity"
    best: ClassVar = {"similarity": 1.0}
    main = "similarity"

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield edits and gaps."""
        yield from super().compare(hypothesis, reference, references)
        yield "gaps", counted_gaps(len(hypothesis))

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return S of Fournier and Inkpen (2012), with the edits of 2013."""
        most = self.reach * counts["gaps"]
        cost = self.reach * counts["additions"] + counts["distance"]
        return {"similarity": ratio(most - cost, most, NO_GAPS)}


def _count_edits(
    places: Indices, ours: Flags, reach: int
) -> tuple[Indices, Indices, Indices, Indices]:
    """Return, for each group of near places: its first index, its size, its pairs, their distance.

    Groups are too far apart for a pair across them. Few have more than two places, so that
    almost all the work is done on whole columns.
    """
    first = np.flatnonzero(_group_starts(places, ours, reach))
    sizes = np.diff(first, append=len(places))
    pairs, distance = np.zeros((2, len(first)), np.int64)
    two = first[sizes == 2]
    pairs[sizes == 2] = 1
    distance[sizes == 2] = places[two + 1] - places[two]
    for group in np.flatnonzero(sizes > 2).tolist():
        part = slice(first[group], first[group] + sizes[group])
        near, mine = places[part], ours[part]
        found = cheapest_pairing(near[mine].tolist(), near[~mine].tolist(), reach)
        pairs[group], distance[group] = found
    return first, sizes, pairs, distance


def _group_starts(places: Indices, ours: Flags, reach: int) -> Flags:
    """Flag places that start a group: nothing before is within reach of the other text's next."""
    far = np.iinfo(np.int64).max // 4
    opens = np.ones(len(places), np.bool_)
    if len(places) > 1:
        for side in (ours, ~ours):
            before = np.maximum.accumulate(np.where(side, places, -far))
            after = np.minimum.accumulate(np.where(side, far, places)[::-1])[::-1]
            opens[1:] &= after[1:] - before[:-1] >= reach
    return opens


def cheapest_pairing(ours: list[int], theirs: list[int], reach: int) -> tuple[int, int]:
    """Return how many pairs the cheapest pairing of ascending places has, and their distance.

    Crossing pairs never cost less, so that this is an alignment: `best[j]` is for the places of
    `ours` so far and the first j of `theirs`. A pair saves two additions. Cost and number of
    pairs are kept in one number, the cost in front.
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
