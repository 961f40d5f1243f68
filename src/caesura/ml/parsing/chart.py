"""Charts: the scores of the dependency trees of all short spans of units.

A tree gives each unit but the root an arc to its head, and no two arcs cross. `Chart` fills all
spans of a width at once. A row of it holds the spans of one width, in the column of their first
unit (`_from`); viewed with shorter strides they are in the column of their last unit (`_to`), so
that the two parts of a span always lie in two plain slices. `IncrementalChart` fills the spans
that end at one unit after another.

The best tree of each sentence is read off a chart from the whole to the parts (`trace_heads`), for
all sentences together: in each step every span that is left is cut once. Of equally good trees
always the same one is found, whatever else is in the chart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import add

import numpy as np
from numpy.lib.stride_tricks import as_strided

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.errors import CaesuraError

PIECE = 1024
"""Units whose chart is filled at a time: few enough for the cache."""

LOWEST = -1e300
"""Stands for minus infinity where a maximum is subtracted."""

IMPOSSIBLE = "no sentences and arcs of these units have a score above minus infinity"

Join = Callable[[Floats, Floats], object]
"""Combines the scores of the ways to build a span (rows) into one score."""


def join_best(ways: Floats, out: Floats) -> None:
    """Write the score of the best way into `out`."""
    np.maximum.reduce(ways, axis=0, out=out)


def join_log_sum(ways: Floats, out: Floats) -> None:
    """Write the logarithm of the sum over all ways into `out`; `ways` is overwritten."""
    top = np.maximum(np.maximum.reduce(ways, axis=0), LOWEST)
    ways -= top
    np.exp(ways, out=ways)
    np.log(np.add.reduce(ways, axis=0), out=out)
    out += top


@dataclass(frozen=True, eq=False)
class ParseScores:
    """Log-scores of each arc, each root and each boundary.

    `arcs[i, reach + d]` is the score of unit i + d as the head of unit i; cells outside of the
    recording and d = 0 are not used. `roots` has the score of each unit as the root of its
    sentence. `gaps` has a row for each gap between units: the score of no boundary, and of a
    boundary. Units that follow others have one more row, for the gap in front of the first of
    them. Minus infinity excludes something.
    """

    arcs: Floats
    roots: Floats
    gaps: Floats
    opens: bool = field(init=False)
    """Whether no gap was given in front of the first unit."""

    def __post_init__(self) -> None:
        self._check_shapes()
        for name in ("arcs", "roots", "gaps"):
            if not (getattr(self, name) < np.inf).all():
                raise CaesuraError(f"scores of {name} must be numbers or minus infinity")
        object.__setattr__(self, "opens", len(self.gaps) < len(self.roots))
        if self.opens:
            object.__setattr__(self, "gaps", np.concatenate([np.zeros((1, 2)), self.gaps]))

    def _check_shapes(self) -> None:
        size = len(self.roots)
        arcs, gaps = self.arcs.shape, self.gaps.shape
        if len(arcs) != 2 or arcs[0] != size or arcs[1] % 2 == 0:
            raise CaesuraError(
                f"{size} units have arc scores of shape {arcs}",
                remedy="give a row for each unit and an odd number of columns",
            )
        if len(gaps) != 2 or gaps[1] != 2 or gaps[0] not in {max(size - 1, 0), size}:
            raise CaesuraError(
                f"{size} units have gap scores of shape {gaps}",
                remedy="give a row for each gap between units and two columns",
            )

    def __len__(self) -> int:
        return len(self.roots)

    def __getitem__(self, units: slice | Indices) -> ParseScores:
        return ParseScores._of(self.arcs[units], self.roots[units], self.gaps[units])

    @property
    def reach(self) -> int:
        """The distance of the farthest head that has a score."""
        return int(self.arcs.shape[1]) // 2

    def extended(self, more: ParseScores) -> ParseScores:
        """Return these units and the units `more` after them."""
        if more.reach != self.reach:
            raise CaesuraError(f"arcs reach {self.reach} units, and then {more.reach}")
        return ParseScores._of(
            np.concatenate([self.arcs, more.arcs]),
            np.concatenate([self.roots, more.roots]),
            np.concatenate([self.gaps, more.gaps]),
        )

    @classmethod
    def _of(cls, arcs: Floats, roots: Floats, gaps: Floats) -> ParseScores:
        """Make scores without checks, from parts that were checked before."""
        made = object.__new__(cls)
        made.__dict__.update(arcs=arcs, roots=roots, gaps=gaps, opens=False)
        return made


class Chart:
    """The scores of all spans of at most `longest` units, without boundaries inside.

    Kinds of spans: right, where all units depend on the first one; left, where all depend on the
    last one; open, where in addition the unit at the other end may get more dependants beyond
    the span; joined, a left span without a boundary in front.

    Right spans are chains: the first unit, its farthest dependant, the farthest one of that, and
    so on to the last unit. Without its last arc (an open span) a shorter chain is left. As arcs
    do not reach far, there are few ways to make up even a long one. Left spans are alike.
    """

    def __init__(self, scores: ParseScores, longest: int, join: Join) -> None:
        size = len(scores)
        self.widest = min(longest, size)
        self.reach = min(scores.reach, self.widest - 1)
        self.roots = scores.roots
        self._join = join
        self._ways = np.empty((self.reach + 1, size))
        self.left_from, self.right_from = (_rows(self.widest, size, 0.0) for _ in range(2))
        near = self.reach + 1
        self.open_right_from, open_left = (_rows(near, size, -np.inf) for _ in range(2))
        self._joined_from = _rows(near, size, scores.gaps[:, 0])
        self.joined_to, self.open_left_to = to_last(self._joined_from), to_last(open_left)
        self._open_right_to = to_last(self.open_right_from)
        self.right_to = to_last(self.right_from)
        middle = scores.reach
        arcs = scores.arcs[:, middle - self.reach : middle + self.reach + 1]
        self._arcs = np.ascontiguousarray(arcs.T)
        with np.errstate(divide="ignore"):
            for width in range(1, self.widest):
                if width <= self.reach:
                    self._fill_near(width, open_left, scores.gaps)
                else:
                    self._chain(self.left_from, self.open_left_to, width)

    def _fill_near(self, width: int, open_left: Floats, gaps: Floats) -> None:
        """Fill the spans of a width whose ends an arc can join."""
        count = self.right_from.shape[1] - width
        ways, inner = self._ways[:width, :count], np.empty(count)
        np.add(self.right_from[:width, :count], self.joined_to[width - 1 :: -1, width:], out=ways)
        self._join(ways, inner)
        head_left, head_right = self._arcs[self.reach - width], self._arcs[self.reach + width]
        np.add(inner, head_left[width:], out=self.open_right_from[width, :count])
        np.add(inner, head_right[:count], out=open_left[width, :count])
        self._chain(self.left_from, self.open_left_to, width)
        left = self.left_from[width, :count]
        np.add(left, gaps[:count, 0], out=self._joined_from[width, :count])
        self._chain(self.right_from, self._open_right_to, width)

    def _chain(self, rows: Floats, opened: Floats, width: int, begun: Floats | None = None) -> None:
        """Fill the chains of one width: shorter ones plus an arc, or those in `begun`."""
        count = rows.shape[1] - width
        far = min(width, self.reach)
        ways = self._ways[: far + (begun is not None), :count]
        shorter = rows[width - far : width, :count][::-1]
        np.add(shorter, opened[1 : far + 1, width:], out=ways[:far])
        if begun is not None:
            ways[far] = begun
        if len(ways):
            self._join(ways, rows[width, :count])

    def fill_right(self) -> None:
        """Fill the right spans that are too wide for an arc between their ends."""
        for width in range(self.reach + 1, self.widest):
            self._chain(self.right_from, self._open_right_to, width)

    def whole(self) -> Floats:
        """Return the scores of the sentences that end at each unit, a row for each width.

        They are chains that begin with a left span, whose last unit is the root.
        """
        found = _rows(self.widest, len(self.roots), self.roots)
        with np.errstate(divide="ignore"):
            for width in range(1, self.widest):
                rooted = self.left_from[width, : len(self.roots) - width] + self.roots[width:]
                self._chain(found, self._open_right_to, width, rooted)
        return to_last(found)


def _rows(count: int, size: int, first: Floats | float) -> Floats:
    """Make empty rows; the first one holds the spans of one unit."""
    rows = np.full((count, size), -np.inf)
    rows[0] = first
    return rows


def to_last(rows: Floats) -> Floats:
    """View spans in the columns of their last units; cells before unit 0 have no meaning."""
    cell = rows.itemsize
    return as_strided(rows, strides=((rows.shape[1] - 1) * cell, cell))


def sentence_scores(scores: ParseScores, first: int, longest: int, join: Join) -> Iterator[Floats]:
    """Yield the scores of the sentences that end at each unit from `first` on, piece by piece.

    The last column is the sentence of this unit alone, the one before it that of two units.
    """
    for begin in range(first, len(scores), PIECE):
        context = max(begin - longest + 1, 0)
        found = Chart(scores[context : begin + PIECE], longest, join).whole()[:, begin - context :]
        table = np.full((found.shape[1], longest), -np.inf)
        table[:, longest - len(found) :] = found[::-1].T
        for row, missing in enumerate(range(longest - 1 - begin + context, 0, -1)):
            table[row : row + 1, :missing] = -np.inf
        yield table


MOST_UNITS = 1000
"""The longest sentence in units: its chart takes 64 MB."""

CELLS = 1 << 16
"""Cells of the charts that are filled at a time."""

Spans = tuple[Indices, Indices]
"""The first and the last unit of each span."""


@dataclass(frozen=True, eq=False)
class Parse:
    """Sentences and the dependency arcs inside them."""

    heads: Indices
    """The head of each unit, -1 for the root of a sentence."""

    ends: Flags
    """Whether each unit is the last one of a sentence."""

    score: float
    """The sum of all scores."""


def parse_sentences(arcs: Floats, roots: Floats, ends: Flags) -> Parse:
    """Find the best dependency tree of each sentence, given which units end sentences."""
    scores = ParseScores(arcs, roots, np.zeros((len(roots), 2)))
    if len(ends) != len(scores) or not ends[-1:].all():
        raise CaesuraError(
            f"{len(scores)} units have {len(ends)} flags for the ends of sentences",
            remedy="give a flag for each unit; the last one ends a sentence",
        )
    heads = best_heads(scores, ends)
    units = np.arange(len(ends))
    root = heads < 0
    chosen = arcs[units, np.where(root, 0, heads - units + scores.reach)]
    return Parse(heads, ends, float(np.where(root, roots, chosen).sum()))


def best_heads(scores: ParseScores, ends: Flags) -> Indices:
    """Return the head of each unit in the best trees, -1 for roots."""
    last = np.flatnonzero(ends)
    first = np.append(0, last + 1)[:-1]
    found = np.full(len(ends), -1)
    for group in _groups(last - first + 1):
        count = (last - first + 1)[group]
        begin = np.cumsum(count) - count
        stop = begin + count - 1
        units = np.arange(int(count.sum())) + np.repeat(first[group] - begin, count)
        chart = Chart(scores[units], int(count.max()), join_best)
        inside = trace_heads(chart, begin, stop)
        found[units] = np.where(inside < 0, -1, units[inside])
    return found


def _groups(count: Indices) -> Iterator[Indices]:
    """Group sentences of about the same length, as many as fit into one chart."""
    if count.max(initial=0) > MOST_UNITS:
        raise CaesuraError(
            f"a sentence of {count.max()} units is too long to be parsed",
            remedy=f"give boundaries after at most {MOST_UNITS} units",
        )
    kind = np.ceil(np.log2(count)).astype(np.int64)
    if count.sum() * count.max(initial=0) <= CELLS:
        kind[:] = kind.max(initial=0)
    for each in np.unique(kind):
        alike = np.flatnonzero(kind == each)
        piece = np.cumsum(count[alike]) // max(CELLS >> int(each), 1)
        yield from np.split(alike, np.flatnonzero(np.diff(piece)) + 1)


def trace_heads(chart: Chart, first: Indices, last: Indices) -> Indices:
    """Read off a chart the head of each unit, -1 for roots, of sentences from `first` to `last`."""
    chart.fill_right()
    rooted_to = to_last(chart.right_from + chart.roots)
    found = np.full(len(chart.roots), -1)
    root = first + _cut(chart.left_from, rooted_to, (first, last), last - first)
    score = chart.left_from[root - first, first] + rooted_to[last - root, last]
    if (score == -np.inf).any():
        raise CaesuraError(IMPOSSIBLE)
    left, right = _long((first, root)), _long((root, last))
    while len(left[0]) or len(right[0]):
        left, left_open = _left(chart, left, found)
        right, right_open = _right(chart, right, found)
        # Between neighbours there is nothing to find, and most arcs are between neighbours.
        inner_right, inner_left = _inner(chart, _long(_merged(left_open, right_open), 2))
        left, right = _long(_merged(left, inner_left)), _long(_merged(right, inner_right))
    return found


def _left(chart: Chart, spans: Spans, found: Indices) -> tuple[Spans, Spans]:
    """Find the farthest dependant of each last unit."""
    first, last = spans
    unit = first + _cut(chart.left_from, chart.open_left_to, spans, last - first, behind=1)
    found[unit] = last
    return (first, unit), (unit, last)


def _right(chart: Chart, spans: Spans, found: Indices) -> tuple[Spans, Spans]:
    """Find the farthest dependant of each first unit."""
    first, last = spans
    unit = first + _cut(chart.open_right_from, chart.right_to, spans, last - first, ahead=1)
    found[unit] = first
    return (unit, last), (first, unit)


def _inner(chart: Chart, spans: Spans) -> tuple[Spans, Spans]:
    """Find where the dependants of the first unit end and those of the last unit begin."""
    first, last = spans
    unit = first + _cut(chart.right_from, chart.joined_to, spans, last - first - 1)
    return (first, unit), (unit + 1, last)


def _cut(
    front: Floats, back: Floats, spans: Spans, width: Indices, ahead: int = 0, behind: int = 0
) -> Indices:
    """Return the width of the front part of each span where it is best cut.

    `width` is that of both parts together; they are at least `ahead` and `behind` wide.
    """
    first, last = spans
    if not len(first):
        return first
    one = np.arange(ahead, min(int(width.max()) - behind, len(front) - 1) + 1)[:, None]
    other = width - one
    fits = (other >= behind) & (other < len(back))
    ways = front[one, first] + back[np.where(fits, other, behind), last]
    cut: Indices = np.where(fits, ways, -np.inf).argmax(axis=0) + ahead
    return cut


def _merged(some: Spans, others: Spans) -> Spans:
    return np.concatenate([some[0], others[0]]), np.concatenate([some[1], others[1]])


def _long(spans: Spans, width: int = 1) -> Spans:
    """Drop the spans that are narrower than `width`."""
    kept = spans[1] - spans[0] >= width
    return spans[0][kept], spans[1][kept]


INITIAL_ROWS = 128
"""Units that an incremental chart has room for at first."""


class IncrementalChart:
    """A chart that takes unit after unit, with three rows for each last unit.

    The rows hold the left spans, the right spans and the sentences that end there, the widest one
    first, and then cells that stay empty. Viewed with strides that are a cell shorter (`_from`),
    spans with the same first unit are in one column, and spans that do not exist are in the
    empty cells.
    """

    def __init__(self, longest: int, reach: int) -> None:
        self.longest = longest
        self.reach = min(reach, longest - 1)
        self._rows = self._from = np.zeros((0, 3, longest + self.reach))
        self._make_rows(INITIAL_ROWS)
        self._begin = 0
        """The row of the first unit."""
        self._arcs: list[list[float]] = []
        """Scores of the heads after each unit, the nearest one first."""
        self._roots: list[float] = []
        self._stay: list[float] = []
        self._left: list[list[float]] = []
        """Left spans by their first unit, as wide as arcs reach; so are the right ones."""
        self._right: list[list[float]] = []
        self._open_left: list[list[float]] = []
        """Open spans by their last unit, the widest one first."""
        self._open_right: list[list[float]] = []

    def __len__(self) -> int:
        return len(self._left)

    def add(self, scores: ParseScores) -> Floats:
        """Add units; return the scores of sentences that end at each, as `sentence_scores` does.

        Cells of sentences that would begin before the first unit have no meaning.
        """
        old, size = len(self), len(self) + len(scores)
        if self._begin + size > len(self._rows):
            self._make_room(size)
        middle = scores.reach
        self._arcs += scores.arcs[:, middle + 1 : middle + self.reach + 1].tolist()
        before: list[list[float]] = scores.arcs[:, middle - self.reach : middle].tolist()
        self._roots += scores.roots.tolist()
        self._stay += scores.gaps[:, 0].tolist()
        for unit, arcs in enumerate(before, old):
            self._fill(unit, arcs)
        return self._rows[self._begin + old : self._begin + size, 2, : self.longest].copy()

    def forget(self, count: int) -> None:
        """Remove the first units, which are whole sentences."""
        self._begin += count
        del self._roots[:count], self._stay[:count], self._arcs[:count]
        del self._left[:count], self._right[:count]
        del self._open_left[:count], self._open_right[:count]

    def _make_room(self, size: int) -> None:
        """Move the rows to the front, and make more rows if that is not enough."""
        kept = self._rows[self._begin : self._begin + len(self)]
        if 2 * size > len(self._rows):
            self._make_rows(4 * size)
        self._rows[: len(self)] = kept
        self._begin = 0

    def _make_rows(self, count: int) -> None:
        self._rows = np.full((count, *self._rows.shape[1:]), -np.inf)
        unit, row, cell = self._rows.strides
        shape = (count, 3, count + self.longest - 1)
        self._from = as_strided(self._rows, shape, (unit - cell, row, cell))

    def _fill(self, last: int, arcs: list[float]) -> None:
        """Fill the spans that end at a unit; `arcs` has the scores of the heads before it."""
        open_left, open_right = self._near(last, arcs)
        count, wide, at = len(open_left), self.longest - 1, self._begin + last
        shorter = self._from[at - count : at, :, at : at + wide]
        opened = np.array((open_left, open_right, open_right)).T[:, :, None]
        row = self._rows[at, :, : self.longest]
        np.maximum.reduce(shorter + opened, axis=0, out=row[:, :wide], initial=-np.inf)
        root = self._roots[last]
        row[:, wide] = 0.0, 0.0, root
        np.maximum(row[2], row[0] + root, out=row[2])
        right: list[float] = row[1, wide - count : wide].tolist()
        for spans, each in zip(self._right[last - count :], right, strict=True):
            spans.append(each)
        self._left.append([0.0])
        self._right.append([0.0])
        self._open_left.append(open_left)
        self._open_right.append(open_right)

    def _near(self, last: int, arcs: list[float]) -> tuple[list[float], list[float]]:
        """Fill the left spans that end at a unit and are near; return the open ones."""
        lefts, rights, stay = self._left, self._right, self._stay
        open_left: list[float] = []
        open_right: list[float] = []
        joined = [stay[last]]
        for width in range(1, min(self.reach, last) + 1):
            first = last - width
            inner = max(map(add, rights[first], joined))
            open_left.insert(0, inner + self._arcs[first][width - 1])
            open_right.insert(0, inner + arcs[-width])
            left = max(map(add, lefts[first], open_left))
            lefts[first].append(left)
            joined.insert(0, left + stay[first])
        return open_left, open_right

    def trace_heads(self, ends: Sequence[int]) -> list[int]:
        """Head of each unit of the first sentences, -1 for their roots; `ends` has last units.

        Of equally good structures it is the one that `trace_heads` finds.
        """
        heads = [-1] * (ends[-1] + 1)
        first = 0
        for last in ends:
            self._trace(first, last, heads)
            first = last + 1
        return heads

    def _trace(self, first: int, last: int, heads: list[int]) -> None:
        """Find the heads of one sentence."""
        wide, width, at = self.longest - 1, last - first, self._begin + first
        left: list[float] = self._from[at : at + width + 1, 0, at + wide].tolist()
        right: list[float] = self._rows[at + width, 1, wide - width : wide + 1].tolist()
        rooted = map(add, right, self._roots[first : last + 1])
        root = first + _best(list(map(add, left, rooted)))
        opened = self._trace_left(left, first, root, heads)
        opened += self._trace_right(right[root - first :], root, last, heads)
        while opened:
            first, last = opened.pop()
            if last - first < 2:
                continue
            back = [self._left[k][last - k] + self._stay[k] for k in range(first + 1, last + 1)]
            cut = first + _best(list(map(add, self._right[first], back)))
            right = [self._right[k][cut - k] for k in range(first, cut + 1)]
            opened += self._trace_right(right, first, cut, heads)
            opened += self._trace_left(self._left[cut + 1], cut + 1, last, heads)

    def _trace_left(
        self, left: list[float], first: int, last: int, heads: list[int]
    ) -> list[tuple[int, int]]:
        """Find the chain of a left span and return its open spans.

        `left` has the left spans from the first unit to each.
        """
        opened = []
        while last > first:
            near = max(last - self.reach, first)
            ways = list(map(add, left[near - first :], self._open_left[last][near - last :]))
            unit = near + _best(ways)
            heads[unit] = last
            opened.append((unit, last))
            last = unit
        return opened

    def _trace_right(
        self, right: list[float], first: int, last: int, heads: list[int]
    ) -> list[tuple[int, int]]:
        """Find the chain of a right span and return its open spans.

        `right` has the right spans from each unit to the last one.
        """
        opened = []
        begin = first
        while first < last:
            near = range(first + 1, min(first + self.reach, last) + 1)
            ways = [self._open_right[k][first - k] + right[k - begin] for k in near]
            unit = first + 1 + _best(ways)
            heads[unit] = first
            opened.append((first, unit))
            first = unit
        return opened


def _best(ways: list[float]) -> int:
    """Return the index of the first of the best ways."""
    return ways.index(max(ways))
