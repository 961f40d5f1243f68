"""Choose among the alternative transcriptions of a reference.

A reference with alternatives is a lattice: its words one after another, and for each alternative a
path that bypasses the words it replaces. The chosen path has the fewest edits to the hypothesis,
found by dynamic programming over all paths at once, so that overlapping alternatives need no rule
of their own (a path takes one of them, or one after another).

The minimum is exact within each segment; a short text (`MAX_UNCUT`) is one segment. A longer one
is cut wherever an alignment of the words as written has `MIN_EQUAL_RUN` equal words on both sides,
and segments that are still too large (`MAX_CELLS`) are cut where there are most. Only such a cut
can hide a better choice, and only if the best path leaves the run of equal words it is in. Where
no words are equal, both texts are cut in the same proportion.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.transcript import Span, Transcript
from caesura.text.alignment.word_alignment import align
from caesura.text.normalization.token_edits import replace_words

MAX_CELLS = 1 << 19
"""The largest segment: words of the lattice times words of the hypothesis."""

MAX_UNCUT = 1 << 14
"""The largest text that is not cut at all."""

MIN_EQUAL_RUN = 8
"""Equal words on both sides of a place where a text is cut."""

Row = np.ndarray[Any, np.dtype[np.int32]]
ONE = np.int32(1)


def choose_alternatives(reference: Transcript, words: Sequence[str]) -> Transcript:
    """Replace words of a reference by those alternatives that leave the fewest edits to `words`.

    Of equally good choices, at each place from the end on, the words as written come first, then
    alternatives in their order. No alternatives are left; entities cover the replacing words.
    """
    alternatives = reference.alternatives or ()
    plain = reference.replace(alternatives=None)
    chosen = [
        choice
        for part, spans, first, stop in _segments(reference.words, words, alternatives)
        for choice in _best_alternatives(
            reference.words[part], words[first:stop], spans, part.start
        )
    ]
    return replace_words(plain, chosen)


def _segments(
    ours: Sequence[str], theirs: Sequence[str], alternatives: tuple[Span, ...]
) -> Iterator[tuple[slice, list[Span], int, int]]:
    """Yield the segments with alternatives: our words, these alternatives, and their words."""
    if not alternatives:
        return
    cuts = _Segmentation(ours, theirs, alternatives).found()
    starts = np.array([span.first for span in alternatives])
    for (at, first), (end, stop) in pairwise(cuts):
        low, high = np.searchsorted(starts, [at, end]).tolist()
        if low < high:
            yield slice(at, end), list(alternatives[low:high]), first, stop


class _Segmentation:
    """Where a long text is cut into segments."""

    def __init__(
        self, ours: Sequence[str], theirs: Sequence[str], alternatives: tuple[Span, ...]
    ) -> None:
        self.ends = (len(ours), len(theirs))
        sizes = np.ones(len(ours) + 1, np.int64)
        covered = np.zeros(len(ours) + 1, np.int64)
        for first, last, label, _ in alternatives:
            sizes[first] += len(label.split())
            covered[first + 1] += 1
            covered[last + 1] -= 1
        self.sizes = np.concatenate([[0], np.cumsum(sizes)])
        self.free = np.cumsum(covered) == 0
        """Whether a cut before each of our words (or at the end) splits no alternative."""
        self.large = self.sizes[-1] * self.ends[1] > MAX_UNCUT
        if self.large:
            aligned = align(ours, theirs)
            self.place = aligned.equal_target
            self._runs(self.place)
            self.gap = np.concatenate([[0], aligned.gaps + 1])

    def _runs(self, place: Indices) -> None:
        """Compute how far each cut is from words that differ, on both sides."""
        joins = np.zeros(len(place) + 1, np.bool_)
        joins[1:-1] = (place[1:] >= 0) & (place[:-1] >= 0) & (np.diff(place) == 1)
        at = np.arange(len(joins))
        before = at - np.maximum.accumulate(np.where(joins, 0, at))
        after = np.minimum.accumulate(np.where(joins, len(at), at)[::-1])[::-1] - at
        self.depth = np.minimum(before, after)

    def found(self) -> list[tuple[int, int]]:
        """Return all cuts, both ends included, as places before our and their words."""
        if not self.large:
            return [(0, 0), self.ends]
        deep = np.flatnonzero(self.free & (self.depth >= MIN_EQUAL_RUN)).tolist()
        sure = [(0, 0), *((at, int(self.gap[at])) for at in deep), self.ends]
        found, open = [(0, 0)], list(pairwise(sure))[::-1]
        while open:
            low, high = open.pop()
            cut = self._cut(low, high)
            if cut is None:
                found.append(high)
            else:
                open += [(cut, high), (low, cut)]
        return found

    def _cut(self, low: tuple[int, int], high: tuple[int, int]) -> tuple[int, int] | None:
        """Return the deepest cut in the middle half of a segment that is too large."""
        size = self.sizes[high[0]] - self.sizes[low[0]]
        if size * (high[1] - low[1]) <= MAX_CELLS or high[0] - low[0] < 2:
            return None
        edge = (high[0] - low[0]) // 4
        for first, stop in ((low[0] + edge + 1, high[0] - edge), (low[0] + 1, high[0])):
            inner = np.flatnonzero(self.free[first:stop]) + first
            if len(inner):
                away = np.abs(inner - (low[0] + high[0]) // 2)
                at = int(inner[np.lexsort((away, -self.depth[inner]))[0]])
                return at, self._place(at, low, high)
        return None

    def _place(self, at: int, low: tuple[int, int], high: tuple[int, int]) -> int:
        """Return the place of a cut in their words: in proportion if no words are equal."""
        if not (self.place[low[0] : high[0]] >= 0).any():
            return low[1] + (at - low[0]) * (high[1] - low[1]) // (high[0] - low[0])
        return int(self.gap[at].clip(low[1], high[1]))


@dataclass(frozen=True)
class _Path:
    """One path to a node of the lattice: its words, the row before them, and one after each.

    A word is an array over their words: -1 where it occurs, else 0. A row has, for each number
    of their words, the fewest edits minus that number.
    """

    alternative: Span | None
    words: list[Row]
    rows: list[Row]

    def back(self, at: int) -> int:
        """Trace back to the start of the path; return the place in their words there."""
        for number in range(len(self.words), 0, -1):
            word, before, row = self.words[number - 1], self.rows[number - 1], self.rows[number]
            while not (at and row[at] == before[at - 1] + word[at - 1]):
                if row[at] == before[at] + 1:
                    break
                at -= 1
            else:
                at -= 1
        return at


def _best_alternatives(
    ours: Sequence[str], theirs: Sequence[str], alternatives: list[Span], offset: int
) -> list[Span]:
    """Return the alternatives on the path with the fewest edits, in order."""
    head, tail = _equal_ends(
        ours, theirs, alternatives[0].first - offset, _last(alternatives) + 1 - offset
    )
    ours, theirs = ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]
    offset += head
    ending: dict[int, list[Span]] = defaultdict(list)
    for span in alternatives:
        ending[span.last + 1 - offset].append(span)
    places = _WordPlaces(theirs)

    def way(row: Row, words: Sequence[str], alternative: Span | None) -> _Path:
        rows, places_of_words = [row], [places[word] for word in words]
        for word in places_of_words:
            rows.append(_next_row(rows[-1], word))
        return _Path(alternative, places_of_words, rows)

    ways: list[list[_Path]] = [[]]
    nodes: list[Row] = [np.zeros(len(theirs) + 1, np.int32)]
    for node, word in enumerate(ours, 1):
        ways.append([way(nodes[-1], [word], None)])
        for span in ending.get(node, ()):
            ways[-1].append(way(nodes[span.first - offset], span.label.split(), span))
        ends = [path.rows[-1] for path in ways[-1]]
        nodes.append(ends[0] if len(ends) == 1 else np.minimum.reduce(ends))
    return _trace(ways, nodes, len(theirs), offset)


def _last(alternatives: list[Span]) -> int:
    return max(span.last for span in alternatives)


def _equal_ends(
    ours: Sequence[str], theirs: Sequence[str], first: int, stop: int
) -> tuple[int, int]:
    """Count equal words before the first alternative and after the last: no path edits them."""
    head, most = 0, min(first, len(theirs))
    while head < most and ours[head] == theirs[head]:
        head += 1
    tail, most = 0, min(len(ours) - stop, len(theirs) - head)
    while tail < most and ours[-tail - 1] == theirs[-tail - 1]:
        tail += 1
    return head, tail


class _WordPlaces(dict[str, Row]):
    """For each word an array over a text: -1 where it occurs, 0 elsewhere."""

    def __init__(self, words: Sequence[str]) -> None:
        self.count = len(words)
        self.nowhere = np.zeros(self.count, np.int32)
        self.at: dict[str, list[int]] = defaultdict(list)
        for at, word in enumerate(words):
            self.at[word].append(at)

    def __missing__(self, word: str) -> Row:
        row = self.nowhere
        if word in self.at:
            row = self.nowhere.copy()
            row[self.at[word]] = -1
        self[word] = row
        return row


def _next_row(row: Row, word: Row) -> Row:
    """Return the row after one more word: it is deleted, or paired with one of theirs.

    Insertions cost nothing here, because rows are reduced by the number of their words.
    """
    new: Row = row + ONE
    np.minimum(new[1:], row[:-1] + word, out=new[1:])
    return np.minimum.accumulate(new, out=new)


def _trace(ways: list[list[_Path]], nodes: list[Row], at: int, offset: int) -> list[Span]:
    """Trace the best path back, with the first of equally good paths at each node."""
    node = len(nodes) - 1
    chosen = []
    while node:
        best = next(way for way in ways[node] if way.rows[-1][at] == nodes[node][at])
        at = best.back(at)
        if best.alternative is None:
            node -= 1
        else:
            chosen.append(best.alternative)
            node = best.alternative.first - offset
    return chosen[::-1]
