"""Points that every best matching of two texts passes, so that they can be cut there.

Take any alignment. Another path that leaves it and comes back pays at least one edit for each
stretch of the alignment between that is unique in both texts, as it cannot match it whole
elsewhere; and a best path pays no more than the alignment's own edits there. So a point with
more unique stretches than edits on both sides, however far one looks, is on every best path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from caesura.core.arrays import Indices
from caesura.text.charmatch.anchors import Grams, Parts, chain, common, ranges, unique_grams
from caesura.text.charmatch.boxes import Codes


class Row(NamedTuple):
    """A part of a row: its first column, what is matched before it, bits, how many."""

    column: int
    passed: int
    bits: int
    width: int

    def matched(self) -> Indices:
        """How much can be matched up to each column, the last one included."""
        raw = np.frombuffer(self.bits.to_bytes(self.width // 8 + 1, "little"), np.uint8)
        clear = np.unpackbits(raw, bitorder="little")[: self.width] ^ np.uint8(1)
        return np.append(0, np.cumsum(clear, dtype=np.int64)) + self.passed


def crossings(
    gold: Codes, system: Codes, band: tuple[int, int], matched: int, places: list[int]
) -> Indices:
    """Give the one column where all best paths cross each of some rows, or -1.

    `band` says how far best paths lie below and above the first diagonal, `matched` how many
    characters they match; `places` ascend.
    """
    before = _rows(gold, system, band, places)
    rows = [len(gold) - place for place in reversed(places)]
    after = reversed(list(_rows(gold[::-1], system[::-1], band, rows)))
    pairs = zip(before, after, strict=True)
    return np.array([_crossing(one, other, len(system), matched) for one, other in pairs], np.int64)


def _crossing(before: Row, after: Row, columns: int, matched: int) -> int:
    behind = columns - after.column - after.width
    first = max(before.column, behind)
    last = min(before.column + before.width, behind + after.width) + 1
    total = before.matched()[first - before.column : last - before.column]
    total = total + after.matched()[::-1][first - behind : last - behind]
    best = np.flatnonzero(total == matched)
    return first + int(best[0]) if len(best) == 1 else -1


def _rows(gold: Codes, system: Codes, band: tuple[int, int], places: list[int]) -> Iterator[Row]:
    """Go down the rows, in blocks of rows that share a window of columns."""
    below, above = band
    block = max(256, (below + above) // 4)
    left = right = passed = row = 0
    wanted = iter([*places, -1])
    place = next(wanted)
    for begin in range(0, len(gold) + 1, block):
        start, stop = max(0, begin - below), min(len(system), begin + block + above)
        gone = start - left
        passed += gone - (row & ((1 << gone) - 1)).bit_count()
        row = (row >> gone) | ((1 << (stop - right)) - 1) << (right - start)
        left, right = start, stop
        letters = gold[begin : begin + block].tolist()
        known = _places_of(set(letters), system[left:right])
        full = (1 << (right - left)) - 1
        for at, letter in enumerate([*letters, -1][:block], begin):
            if at == place:
                yield Row(left, passed, row, right - left)
                place = next(wanted)
            fit = row & known.get(letter, 0)
            if fit:
                row = ((row + fit) | (row - fit)) & full


def _places_of(letters: set[int], system: Codes) -> dict[int, int]:
    """For each letter a number with the bits set where it stands."""
    order = np.argsort(system, kind="stable")
    sought = np.array(sorted(letters), np.int32)
    first, last = (np.searchsorted(system[order], sought, side=side) for side in ("left", "right"))
    found = {}
    for letter, start, stop in zip(sought.tolist(), first.tolist(), last.tolist(), strict=True):
        bits = np.zeros(len(system), np.uint8)
        bits[order[start:stop]] = 1
        found[letter] = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
    return found


LEVELS = ((24,), (16, 12), (12, 10, 8), (10, 8, 7, 6, 5), (8, 6, 5, 4, 3), (7, 5, 4, 3, 2))
"""Lengths of unique stretches: shorter ones as the parts get smaller."""

SMALL = 40
"""Characters of a part that is not worth cutting."""

MOST_GRAMS = 1000
"""Stretches counted in one run: more of them prove no more than that it is long."""

LARGEST_GAP = 10**6
"""Product of lengths up to which the edits of a gap are counted exactly."""

WORTH, LARGEST = 4_000_000, 80_000_000_000
"""Cells of a box that is looked at row by row: fewer are not worth it, more take too long."""

SHARE = 0.75
"""Least part of a box that is matched: where less is, best paths lie far apart."""

SPACING = 200
"""About how many characters lie between the rows that are looked at."""

FAR = 1 << 40


@dataclass(frozen=True)
class Side:
    """A text for cutting: its characters and, at each point, 0, 1 (token end) or 3 (sentence)."""

    text: str
    codes: Codes
    marks: NDArray[np.uint8]

    @classmethod
    def of(cls, text: str, tokens: Indices, sentences: Indices) -> Side:
        """Mark the ends of tokens and sentences."""
        marks = np.zeros(len(text) + 1, np.uint8)
        marks[tokens] = 1
        marks[sentences] = marks[0] = 3
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)
        return cls(text, codes, marks)


def forced(gold: Side, system: Side) -> Indices:
    """Find runs (gold, system, length) that are matched in every best matching.

    The first begins at the beginning and the last ends at the end; each begins and ends where
    tokens end on both sides, and where sentences end on both sides or on neither.
    """
    runs = np.array([(0, 0, 0), (len(gold.text), len(system.text), 0)], np.int64)
    runs = _by_grams(gold, system, runs)
    found = [
        _by_grams(gold, system, _merged(points)) for points in _by_rows(gold, system, gaps(runs))
    ]
    return _with_equal(gold.text, system.text, _merged(np.concatenate((runs, *found))))


def _by_grams(gold: Side, system: Side, runs: Indices) -> Indices:
    """Find runs between known ones by stretches that are unique there."""
    for lengths in LEVELS:
        boxes = gaps(runs)
        large = (boxes[:, 2:] - boxes[:, :2]).max(axis=1) > SMALL
        large &= (boxes[:, 2:] > boxes[:, :2]).all(axis=1)
        if large.any():
            found = _cut(gold, system, boxes[large], lengths)
            runs = _merged(np.concatenate((runs, found)))
    return runs


def _by_rows(gold: Side, system: Side, boxes: Indices) -> Iterator[Indices]:
    """Find points on all best paths in each box that is large for a lattice and not for bits.

    They are runs of length 0; the corners of the box are among them.
    """
    rows, columns = (boxes[:, 2:] - boxes[:, :2]).T
    for a, b, c, d in boxes[(rows > 0) & (rows * (rows + columns) >= WORTH)].tolist():
        both = c - a + d - b
        least = max((both - LARGEST // (c - a)) // 2, int(both * SHARE / 2))
        matched = LCSseq.similarity(gold.text[a:c], system.text[b:d], score_cutoff=least)
        below, above = c - a - matched, d - b - matched
        if matched < least or (c - a) * (below + above) < WORTH:
            continue
        stops = np.flatnonzero(gold.marks[a:c])
        places = stops[:: max(len(stops) * SPACING // (c - a), 1)]
        across = crossings(
            gold.codes[a:c], system.codes[b:d], (below, above), matched, places.tolist()
        )
        points = np.column_stack((places, across, np.zeros_like(places)))[across >= 0]
        points[:, :2] += a, b
        fit = gold.marks[points[:, 0]] == system.marks[points[:, 1]]
        yield np.concatenate((points[fit], [(a, b, 0), (c, d, 0)]))


def _with_equal(gold: str, system: str, runs: Indices) -> Indices:
    """Add the boxes between runs that hold equal texts, whose one best path is the diagonal."""
    boxes = gaps(runs)
    rows, columns = (boxes[:, 2:] - boxes[:, :2]).T
    square = np.flatnonzero((rows == columns) & (rows > 0))
    equal = [gold[a:c] == system[b:d] for a, b, c, d in boxes[square].tolist()]
    chosen = square[np.array(equal, np.bool_)]
    return _merged(np.concatenate((runs, np.column_stack((boxes[chosen, :2], rows[chosen])))))


def gaps(runs: Indices) -> Indices:
    """Boxes (gold start, system start, gold end, system end) between runs."""
    return np.concatenate((runs[:-1, :2] + runs[:-1, 2:], runs[1:, :2]), axis=1)


def _merged(runs: Indices) -> Indices:
    """Put runs in order and join those that touch."""
    runs = runs[np.lexsort((runs[:, 2], runs[:, 1], runs[:, 0]))]
    touching = (runs[1:, :2] == runs[:-1, :2] + runs[:-1, 2:]).all(axis=1)
    first = np.flatnonzero(np.concatenate(([True], ~touching)))
    ends = (runs[:, 0] + runs[:, 2])[np.append(first[1:], len(runs)) - 1]
    return np.stack((runs[first, 0], runs[first, 1], ends - runs[first, 0]), axis=1)


def _cut(gold: Side, system: Side, boxes: Indices, lengths: tuple[int, ...]) -> Indices:
    """Find forced runs inside some boxes by unique stretches of these lengths."""
    parts = Parts.of(gold.codes, system.codes, boxes)
    grams = unique_grams(parts, lengths)
    runs, part = chain(parts, grams)
    shift = boxes[:, :2] - np.stack((parts.gold_starts[:-1], parts.system_starts[:-1]), axis=1)
    runs, gap = _extended(parts, runs, part)
    edits = _edits(gold.text, system.text, gap, shift[part])
    begin, end = _safe(runs, part, edits, _evidence(len(parts.gold), runs, grams))
    good = np.flatnonzero(begin <= end)
    shift, diagonal = shift[part[good]], runs[good, 1] - runs[good, 0]
    diagonal += shift[:, 1] - shift[:, 0]
    return _at_tokens(gold, system, begin[good] + shift[:, 0], end[good] + shift[:, 0], diagonal)


def _extended(parts: Parts, runs: Indices, part: Indices) -> tuple[Indices, Indices]:
    """Lengthen runs as far as characters agree; give the gap (a box) that is left before each."""
    gap = np.zeros((len(runs), 4), np.int64)
    begins = np.diff(part, prepend=-1) != 0
    gap[1:] = gaps(runs)
    gap[:, :2] = np.where(begins[:, None], runs[:, :2], gap[:, :2])
    gap[:, 2:] = runs[:, :2]
    room = (gap[:, 2:] - gap[:, :2]).min(axis=1)
    on = common(parts.gold, parts.system, (gap[:, 0], gap[:, 1]), room, 1)
    gap[:, :2] += on[:, None]
    back = common(parts.gold, parts.system, (gap[:, 2] - 1, gap[:, 3] - 1), room - on, -1)
    gap[:, 2:] -= back[:, None]
    longer = runs - np.stack((back, back, -back), axis=1)
    longer[:-1, 2] += on[1:]
    return longer, gap


def _edits(gold: str, system: str, gap: Indices, shift: Indices) -> Indices:
    """How many characters of each gap are unmatched at best, or (in large gaps) at most."""
    rows, columns = (gap[:, 2:] - gap[:, :2]).T
    edits: Indices = rows + columns
    product = rows * columns
    mixed = np.flatnonzero((product > 0) & (product <= LARGEST_GAP))
    places = (gap[mixed] + shift[mixed][:, [0, 1, 0, 1]]).tolist()
    matched = [LCSseq.similarity(gold[a:c], system[b:d]) for a, b, c, d in places]
    edits[mixed] -= 2 * np.array(matched, np.int64)
    return edits


@dataclass(frozen=True)
class _Evidence:
    """The next end, and the last beginning, of a unique stretch from each point of the gold text.

    Only stretches count that lie whole in a run.
    """

    next_end: Indices
    last_begin: Indices


def _evidence(length: int, runs: Indices, grams: list[Grams]) -> _Evidence:
    end = np.full(length + 1, FAR)
    begin = np.full(length + 1, -FAR)
    for gram in sorted(grams, key=lambda gram: -gram.length):
        run = np.searchsorted(runs[:, 0], gram.gold, side="right") - 1
        held = gram.gold + gram.length <= runs[run, 0] + runs[run, 2]
        held &= gram.system - gram.gold == runs[run, 1] - runs[run, 0]
        start = gram.gold[held]
        end[start] = start + gram.length
        begin[start + gram.length] = start
    return _Evidence(np.minimum.accumulate(end[::-1])[::-1], np.maximum.accumulate(begin))


def _safe(
    runs: Indices, part: Indices, edits: Indices, evidence: _Evidence
) -> tuple[Indices, Indices]:
    """The first and the last point of each run that is on every best path, if first <= last."""
    begin, end = runs[:, 0], runs[:, 0] + runs[:, 2]
    most = np.full(len(runs), MOST_GRAMS)
    count, _ = _walk(evidence.next_end, begin, end, most)
    after = np.append(edits[1:], 0)
    left = _deficit(edits, count, part)
    right = _deficit(after[::-1], count[::-1], part.max(initial=0) - part[::-1])[::-1]
    hopeful = np.flatnonzero((count > left) & (count > right))
    first, last = np.full(len(runs), FAR), np.full(len(runs), -FAR)
    begin, end = begin[hopeful], end[hopeful]
    need = np.maximum(left[hopeful] + 1, 0)
    made, first[hopeful] = _walk(evidence.next_end, begin, end, need)
    first[hopeful[made < need]] = FAR
    need = np.maximum(right[hopeful] + 1, 0)
    backwards = -evidence.last_begin[::-1]
    made, back = _walk(backwards, -end, -begin, need, len(backwards) - 1)
    last[hopeful] = -back
    last[hopeful[made < need]] = -FAR
    return first, last


def _walk(
    following: Indices, place: Indices, limit: Indices, most: Indices, origin: int = 0
) -> tuple[Indices, Indices]:
    """Step from each place to the following one until a limit; give the count and the place.

    The place after x is at `origin + x`.
    """
    place, count = place.copy(), np.zeros(len(place), np.int64)
    active = np.flatnonzero(most > 0)
    while len(active):
        there = following[place[active] + origin]
        inside = there <= limit[active]
        active, there = active[inside], there[inside]
        place[active] = there
        count[active] += 1
        active = active[count[active] < most[active]]
    return count, place


def _deficit(edits: Indices, count: Indices, part: Indices) -> Indices:
    """How many more edits than stretches lie before each run, looking as far as is worst.

    A path cannot leave its part, so what lies before that does not matter.
    """
    so_far = np.cumsum(edits) - (np.cumsum(count) - count) - FAR * part
    before = np.where(edits > 0, so_far - edits, FAR * (part.max(initial=0) + 2))
    return so_far - np.minimum.accumulate(before)


def _at_tokens(
    gold: Side, system: Side, begin: Indices, end: Indices, diagonal: Indices
) -> Indices:
    """Narrow runs so that they begin and end where both texts can be cut."""
    lengths = end - begin + 1
    places = ranges(begin, lengths)
    mark = gold.marks[places]
    fit = np.flatnonzero((mark > 0) & (mark == system.marks[places + np.repeat(diagonal, lengths)]))
    stops = np.cumsum(lengths)
    first = np.searchsorted(fit, stops - lengths)
    last = np.searchsorted(fit, stops) - 1
    some = first <= last
    first, last = places[fit[first[some]]], places[fit[last[some]]]
    return np.stack((first, first + diagonal[some], last - first), axis=1)
