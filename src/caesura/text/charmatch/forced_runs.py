"""Forced runs: runs that are part of every best matching, where both texts can be cut.

Take any alignment. A path that leaves it and comes back pays at least one edit for each anchor
(substring that is unique in both texts) that it bypasses, because it cannot match the anchor
elsewhere; and a best path pays no more than the alignment's own edits there. So a point that has
more anchors than edits on both sides, however far one looks, is on every best path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from caesura.core.arrays import Indices
from caesura.text.charmatch.anchors import (
    Anchors,
    Parts,
    chain_anchors,
    common_length,
    find_anchors,
    ranges,
)
from caesura.text.charmatch.units import Codes, char_codes


class LcsRow(NamedTuple):
    """Part of a row of the LCS table: first column, matches before it, bits, number of bits."""

    column: int
    passed: int
    bits: int
    width: int

    def matched(self) -> Indices:
        """Return how many characters can be matched up to each column, the last one included."""
        raw = np.frombuffer(self.bits.to_bytes(self.width // 8 + 1, "little"), np.uint8)
        clear = np.unpackbits(raw, bitorder="little")[: self.width] ^ np.uint8(1)
        return np.append(0, np.cumsum(clear, dtype=np.int64)) + self.passed


def forced_columns(
    gold: Codes, system: Codes, band: tuple[int, int], matched: int, places: list[int]
) -> Indices:
    """Return, for each of these rows, the one column where all best paths cross it, or -1.

    `band` is how far best paths lie below and above the first diagonal, `matched` how many
    characters they match; `places` are the rows, in ascending order.
    """
    before = _lcs_rows(gold, system, band, places)
    rows = [len(gold) - place for place in reversed(places)]
    after = reversed(list(_lcs_rows(gold[::-1], system[::-1], band, rows)))
    pairs = zip(before, after, strict=True)
    return np.array(
        [_forced_column(one, other, len(system), matched) for one, other in pairs], np.int64
    )


def _forced_column(before: LcsRow, after: LcsRow, columns: int, matched: int) -> int:
    behind = columns - after.column - after.width
    first = max(before.column, behind)
    last = min(before.column + before.width, behind + after.width) + 1
    total = before.matched()[first - before.column : last - before.column]
    total = total + after.matched()[::-1][first - behind : last - behind]
    best = np.flatnonzero(total == matched)
    return first + int(best[0]) if len(best) == 1 else -1


def _lcs_rows(
    gold: Codes, system: Codes, band: tuple[int, int], places: list[int]
) -> Iterator[LcsRow]:
    """Yield the wanted rows of the LCS table (bit-parallel, in blocks with a window of columns)."""
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
        known = _letter_bits(set(letters), system[left:right])
        full = (1 << (right - left)) - 1
        for at, letter in enumerate([*letters, -1][:block], begin):
            if at == place:
                yield LcsRow(left, passed, row, right - left)
                place = next(wanted)
            fit = row & known.get(letter, 0)
            if fit:
                row = ((row + fit) | (row - fit)) & full


def _letter_bits(letters: set[int], system: Codes) -> dict[int, int]:
    """Return, for each letter, a number whose bits are set where it occurs."""
    order = np.argsort(system, kind="stable")
    sought = np.array(sorted(letters), np.int32)
    first, last = (np.searchsorted(system[order], sought, side=side) for side in ("left", "right"))
    found = {}
    for letter, start, stop in zip(sought.tolist(), first.tolist(), last.tolist(), strict=True):
        bits = np.zeros(len(system), np.uint8)
        bits[order[start:stop]] = 1
        found[letter] = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
    return found


ANCHOR_LENGTHS = ((24,), (16, 12), (12, 10, 8), (10, 8, 7, 6, 5), (8, 6, 5, 4, 3), (7, 5, 4, 3, 2))
"""Lengths of anchors: shorter ones as the parts get smaller."""

MIN_BOX = 40
"""Boxes up to this many characters are not worth cutting."""

MAX_ANCHORS = 1000
"""Anchors counted in one run: more prove nothing but that it is long."""

MAX_EXACT_GAP = 10**6
"""Product of lengths up to which the edits of a gap are counted exactly."""

MIN_CELLS, MAX_CELLS = 4_000_000, 80_000_000_000
"""Cells of a box that is examined row by row: fewer are not worth it, more take too long."""

MIN_MATCHED = 0.75
"""Least share of a box that is matched: where it is less, best paths lie far apart."""

ROW_SPACING = 200
"""About how many characters lie between the rows that are examined."""

FAR = 1 << 40


@dataclass(frozen=True)
class MarkedText:
    """A text with a mark at each point: 0, 1 (a token ends) or 3 (a sentence ends)."""

    text: str
    codes: Codes
    marks: NDArray[np.uint8]

    @classmethod
    def of(cls, text: str, tokens: Indices, sentences: Indices) -> MarkedText:
        """Mark the ends of tokens and sentences."""
        marks = np.zeros(len(text) + 1, np.uint8)
        marks[tokens] = 1
        marks[sentences] = marks[0] = 3
        return cls(text, char_codes(text), marks)


def forced_runs(gold: MarkedText, system: MarkedText) -> Indices:
    """Find runs (gold, system, length) that are part of every best matching.

    The first begins at the beginning and the last ends at the end. Each begins and ends where
    tokens end on both sides, and where sentences end on both sides or on neither.
    """
    runs = np.array([(0, 0, 0), (len(gold.text), len(system.text), 0)], np.int64)
    runs = _runs_by_anchors(gold, system, runs)
    found = [
        _runs_by_anchors(gold, system, _merge_runs(points))
        for points in _points_by_rows(gold, system, boxes_between(runs))
    ]
    return _add_equal_boxes(gold.text, system.text, _merge_runs(np.concatenate((runs, *found))))


def _runs_by_anchors(gold: MarkedText, system: MarkedText, runs: Indices) -> Indices:
    """Find runs between known ones by anchors."""
    for lengths in ANCHOR_LENGTHS:
        boxes = boxes_between(runs)
        large = (boxes[:, 2:] - boxes[:, :2]).max(axis=1) > MIN_BOX
        large &= (boxes[:, 2:] > boxes[:, :2]).all(axis=1)
        if large.any():
            found = _forced_in_boxes(gold, system, boxes[large], lengths)
            runs = _merge_runs(np.concatenate((runs, found)))
    return runs


def _points_by_rows(gold: MarkedText, system: MarkedText, boxes: Indices) -> Iterator[Indices]:
    """Find points on all best paths in boxes that are large for a lattice, but not for bits.

    The points are runs of length 0; the corners of the box are among them.
    """
    rows, columns = (boxes[:, 2:] - boxes[:, :2]).T
    for a, b, c, d in boxes[(rows > 0) & (rows * (rows + columns) >= MIN_CELLS)].tolist():
        both = c - a + d - b
        least = max((both - MAX_CELLS // (c - a)) // 2, int(both * MIN_MATCHED / 2))
        matched = LCSseq.similarity(gold.text[a:c], system.text[b:d], score_cutoff=least)
        below, above = c - a - matched, d - b - matched
        if matched < least or (c - a) * (below + above) < MIN_CELLS:
            continue
        stops = np.flatnonzero(gold.marks[a:c])
        places = stops[:: max(len(stops) * ROW_SPACING // (c - a), 1)]
        across = forced_columns(
            gold.codes[a:c], system.codes[b:d], (below, above), matched, places.tolist()
        )
        points = np.column_stack((places, across, np.zeros_like(places)))[across >= 0]
        points[:, :2] += a, b
        fit = gold.marks[points[:, 0]] == system.marks[points[:, 1]]
        yield np.concatenate((points[fit], [(a, b, 0), (c, d, 0)]))


def _add_equal_boxes(gold: str, system: str, runs: Indices) -> Indices:
    """Add boxes that hold equal texts, whose only best path is the diagonal."""
    boxes = boxes_between(runs)
    rows, columns = (boxes[:, 2:] - boxes[:, :2]).T
    square = np.flatnonzero((rows == columns) & (rows > 0))
    equal = [gold[a:c] == system[b:d] for a, b, c, d in boxes[square].tolist()]
    chosen = square[np.array(equal, np.bool_)]
    return _merge_runs(np.concatenate((runs, np.column_stack((boxes[chosen, :2], rows[chosen])))))


def boxes_between(runs: Indices) -> Indices:
    """Return the boxes (gold start, system start, gold end, system end) between runs."""
    return np.concatenate((runs[:-1, :2] + runs[:-1, 2:], runs[1:, :2]), axis=1)


def _merge_runs(runs: Indices) -> Indices:
    """Sort runs and join those that touch."""
    runs = runs[np.lexsort((runs[:, 2], runs[:, 1], runs[:, 0]))]
    touching = (runs[1:, :2] == runs[:-1, :2] + runs[:-1, 2:]).all(axis=1)
    first = np.flatnonzero(np.concatenate(([True], ~touching)))
    ends = (runs[:, 0] + runs[:, 2])[np.append(first[1:], len(runs)) - 1]
    return np.stack((runs[first, 0], runs[first, 1], ends - runs[first, 0]), axis=1)


def _forced_in_boxes(
    gold: MarkedText, system: MarkedText, boxes: Indices, lengths: tuple[int, ...]
) -> Indices:
    """Find forced runs inside boxes by anchors of these lengths."""
    parts = Parts.of(gold.codes, system.codes, boxes)
    grams = find_anchors(parts, lengths)
    runs, part = chain_anchors(parts, grams)
    shift = boxes[:, :2] - np.stack((parts.gold_starts[:-1], parts.system_starts[:-1]), axis=1)
    runs, gap = _extend_runs(parts, runs, part)
    edits = _edits_in_gaps(gold.text, system.text, gap, shift[part])
    begin, end = _safe_points(runs, part, edits, _anchor_ends(len(parts.gold), runs, grams))
    good = np.flatnonzero(begin <= end)
    shift, diagonal = shift[part[good]], runs[good, 1] - runs[good, 0]
    diagonal += shift[:, 1] - shift[:, 0]
    return _narrow_to_token_ends(
        gold, system, begin[good] + shift[:, 0], end[good] + shift[:, 0], diagonal
    )


def _extend_runs(parts: Parts, runs: Indices, part: Indices) -> tuple[Indices, Indices]:
    """Extend runs as far as characters agree; return them and the box left before each."""
    gap = np.zeros((len(runs), 4), np.int64)
    begins = np.diff(part, prepend=-1) != 0
    gap[1:] = boxes_between(runs)
    gap[:, :2] = np.where(begins[:, None], runs[:, :2], gap[:, :2])
    gap[:, 2:] = runs[:, :2]
    room = (gap[:, 2:] - gap[:, :2]).min(axis=1)
    on = common_length(parts.gold, parts.system, (gap[:, 0], gap[:, 1]), room, 1)
    gap[:, :2] += on[:, None]
    back = common_length(parts.gold, parts.system, (gap[:, 2] - 1, gap[:, 3] - 1), room - on, -1)
    gap[:, 2:] -= back[:, None]
    longer = runs - np.stack((back, back, -back), axis=1)
    longer[:-1, 2] += on[1:]
    return longer, gap


def _edits_in_gaps(gold: str, system: str, gap: Indices, shift: Indices) -> Indices:
    """Count the unmatched characters of each gap: the fewest possible, or in large gaps all."""
    rows, columns = (gap[:, 2:] - gap[:, :2]).T
    edits: Indices = rows + columns
    product = rows * columns
    mixed = np.flatnonzero((product > 0) & (product <= MAX_EXACT_GAP))
    places = (gap[mixed] + shift[mixed][:, [0, 1, 0, 1]]).tolist()
    matched = [LCSseq.similarity(gold[a:c], system[b:d]) for a, b, c, d in places]
    edits[mixed] -= 2 * np.array(matched, np.int64)
    return edits


@dataclass(frozen=True)
class _AnchorEnds:
    """The next end and the last beginning of an anchor, from each point of the gold text.

    Only anchors that lie within one run count.
    """

    next_end: Indices
    last_begin: Indices


def _anchor_ends(length: int, runs: Indices, grams: list[Anchors]) -> _AnchorEnds:
    end = np.full(length + 1, FAR)
    begin = np.full(length + 1, -FAR)
    for gram in sorted(grams, key=lambda gram: -gram.length):
        run = np.searchsorted(runs[:, 0], gram.gold, side="right") - 1
        held = gram.gold + gram.length <= runs[run, 0] + runs[run, 2]
        held &= gram.system - gram.gold == runs[run, 1] - runs[run, 0]
        start = gram.gold[held]
        end[start] = start + gram.length
        begin[start + gram.length] = start
    return _AnchorEnds(np.minimum.accumulate(end[::-1])[::-1], np.maximum.accumulate(begin))


def _safe_points(
    runs: Indices, part: Indices, edits: Indices, evidence: _AnchorEnds
) -> tuple[Indices, Indices]:
    """Return the first and last point of each run on every best path (none if first > last)."""
    begin, end = runs[:, 0], runs[:, 0] + runs[:, 2]
    most = np.full(len(runs), MAX_ANCHORS)
    count, _ = _walk(evidence.next_end, begin, end, most)
    after = np.append(edits[1:], 0)
    left = _edit_excess(edits, count, part)
    right = _edit_excess(after[::-1], count[::-1], part.max(initial=0) - part[::-1])[::-1]
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
    """Step from each place to the following one up to a limit; return the steps and the places.

    The place that follows x is `following[origin + x]`.
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


def _edit_excess(edits: Indices, count: Indices, part: Indices) -> Indices:
    """Return how many more edits than anchors lie before each run, at the worst distance.

    A path cannot leave its part, so that what lies before the part does not matter.
    """
    so_far = np.cumsum(edits) - (np.cumsum(count) - count) - FAR * part
    before = np.where(edits > 0, so_far - edits, FAR * (part.max(initial=0) + 2))
    return so_far - np.minimum.accumulate(before)


def _narrow_to_token_ends(
    gold: MarkedText, system: MarkedText, begin: Indices, end: Indices, diagonal: Indices
) -> Indices:
    """Narrow runs so that they begin and end where tokens end in both texts."""
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
