"""Charts: how good, or how probable, the dependency trees of every short span of units are.

A tree gives each unit but one, the root, a link to its head, and no two links cross. Spans are
filled by width, and all spans of a width at once. A row of a chart holds the spans of one width,
in the column of their first unit (`_from`); seen with shorter strides, they are in that of their
last one (`_to`), so that the two parts of a span always lie in two plain slices.

The best tree of each sentence is read off a chart from the whole to the parts. All sentences are
taken apart together: in each step every span that is left is cut once. Of equally good trees it
is always the same one that is found, whatever else is in the chart.
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
"""What a sum of nothing is taken relative to."""

IMPOSSIBLE = "no sentences and links of these units have a score above minus infinity"

Join = Callable[[Floats, Floats], object]
"""Writes into one row what the ways to make up its spans, many rows, come to."""


def largest(ways: Floats, out: Floats) -> None:
    """Give the score of the best way."""
    np.maximum.reduce(ways, axis=0, out=out)


def summed(ways: Floats, out: Floats) -> None:
    """Give the logarithm of the sum over all ways; `ways` does not keep its content."""
    top = np.maximum(np.maximum.reduce(ways, axis=0), LOWEST)
    ways -= top
    np.exp(ways, out=ways)
    np.log(np.add.reduce(ways, axis=0), out=out)
    out += top


@dataclass(frozen=True, eq=False)
class Scores:
    """What speaks for each link, each root and each boundary, as logarithms.

    `links[i, reach + d]` is for the head of unit i to be unit i + d; what lies outside of the
    recording and d = 0 is not looked at. `roots` is for a unit to be the root of its sentence.
    `gaps` has a row for each gap between units: for no boundary, and for a boundary. Where units
    follow others, there is one more row, for the gap in front of the first of them. Minus
    infinity rules something out.
    """

    links: Floats
    roots: Floats
    gaps: Floats
    opens: bool = field(init=False)
    """Whether no gap was given in front of the first unit."""

    def __post_init__(self) -> None:
        self._check_shapes()
        for name in ("links", "roots", "gaps"):
            if not (getattr(self, name) < np.inf).all():
                raise CaesuraError(f"scores of {name} are to be numbers or minus infinity")
        object.__setattr__(self, "opens", len(self.gaps) < len(self.roots))
        if self.opens:
            object.__setattr__(self, "gaps", np.concatenate([np.zeros((1, 2)), self.gaps]))

    def _check_shapes(self) -> None:
        size = len(self.roots)
        links, gaps = self.links.shape, self.gaps.shape
        if len(links) != 2 or links[0] != size or links[1] % 2 == 0:
            raise CaesuraError(
                f"{size} units have link scores of shape {links}",
                remedy="give a row for each unit and an odd number of columns",
            )
        if len(gaps) != 2 or gaps[1] != 2 or gaps[0] not in {max(size - 1, 0), size}:
            raise CaesuraError(
                f"{size} units have gap scores of shape {gaps}",
                remedy="give a row for each gap between units and two columns",
            )

    def __len__(self) -> int:
        return len(self.roots)

    def __getitem__(self, units: slice | Indices) -> Scores:
        return Scores._of(self.links[units], self.roots[units], self.gaps[units])

    @property
    def reach(self) -> int:
        """Units between a unit and the farthest head that has a score, the head included."""
        return int(self.links.shape[1]) // 2

    def then(self, more: Scores) -> Scores:
        """Give these units and those that follow them."""
        if more.reach != self.reach:
            raise CaesuraError(f"links reach {self.reach} units, and then {more.reach}")
        return Scores._of(
            np.concatenate([self.links, more.links]),
            np.concatenate([self.roots, more.roots]),
            np.concatenate([self.gaps, more.gaps]),
        )

    @classmethod
    def _of(cls, links: Floats, roots: Floats, gaps: Floats) -> Scores:
        """Put together what was checked before."""
        made = object.__new__(cls)
        made.__dict__.update(links=links, roots=roots, gaps=gaps, opens=False)
        return made


class Chart:
    """All spans of at most `longest` of some units that are no boundaries inside.

    right: the first unit is the head of all others; left: the last one is; open: as well, and
    the unit at the other end depends on it and may yet get more dependants beyond the span;
    joined: left, and there is no boundary in front.

    Right spans are chains: the first unit, its farthest dependant, the farthest one of that, and
    so on to the last unit. Without the last link, an open span, a shorter chain is left. As links
    do not reach far, there are few ways to make up even a long one. Left spans are alike.
    """

    def __init__(self, scores: Scores, longest: int, join: Join) -> None:
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
        links = scores.links[:, middle - self.reach : middle + self.reach + 1]
        self._links = np.ascontiguousarray(links.T)
        with np.errstate(divide="ignore"):
            for width in range(1, self.widest):
                if width <= self.reach:
                    self._fill_near(width, open_left, scores.gaps)
                else:
                    self._chain(self.left_from, self.open_left_to, width)

    def _fill_near(self, width: int, open_left: Floats, gaps: Floats) -> None:
        """Fill the spans whose ends can be linked, from each unit to the one `width` after it."""
        count = self.right_from.shape[1] - width
        ways, inner = self._ways[:width, :count], np.empty(count)
        np.add(self.right_from[:width, :count], self.joined_to[width - 1 :: -1, width:], out=ways)
        self._join(ways, inner)
        head_left, head_right = self._links[self.reach - width], self._links[self.reach + width]
        np.add(inner, head_left[width:], out=self.open_right_from[width, :count])
        np.add(inner, head_right[:count], out=open_left[width, :count])
        self._chain(self.left_from, self.open_left_to, width)
        left = self.left_from[width, :count]
        np.add(left, gaps[:count, 0], out=self._joined_from[width, :count])
        self._chain(self.right_from, self._open_right_to, width)

    def _chain(self, rows: Floats, opened: Floats, width: int, begun: Floats | None = None) -> None:
        """Fill the chains of one width: shorter ones and a link more, or such that are `begun`."""
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
        """Fill the right spans that are too wide for a link between their ends."""
        for width in range(self.reach + 1, self.widest):
            self._chain(self.right_from, self._open_right_to, width)

    def whole(self) -> Floats:
        """Give the sentences that end at each unit, a row for each width.

        They are chains that begin with a left span, whose last unit is the root.
        """
        found = _rows(self.widest, len(self.roots), self.roots)
        with np.errstate(divide="ignore"):
            for width in range(1, self.widest):
                rooted = self.left_from[width, : len(self.roots) - width] + self.roots[width:]
                self._chain(found, self._open_right_to, width, rooted)
        return to_last(found)


def _rows(count: int, size: int, first: Floats | float) -> Floats:
    """Make rows that hold nothing yet but the first of them, the spans of one unit."""
    rows = np.full((count, size), -np.inf)
    rows[0] = first
    return rows


def to_last(rows: Floats) -> Floats:
    """See spans in the columns of their last units; those in front of the first unit are none."""
    cell = rows.itemsize
    return as_strided(rows, strides=((rows.shape[1] - 1) * cell, cell))


def sentences(scores: Scores, first: int, longest: int, join: Join) -> Iterator[Floats]:
    """Give, for each unit from `first` on, the sentences that end there: a table for each piece.

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


MOST = 1000
"""Units of a sentence that can be charted: its chart takes 64 MB."""

CELLS = 1 << 16
"""Spans of sentences that are charted at a time."""

Spans = tuple[Indices, Indices]
"""First and last units."""


@dataclass(frozen=True, eq=False)
class Structure:
    """Sentences and the links inside them."""

    heads: Indices
    """The head of each unit, -1 for the root of a sentence."""

    ends: Flags
    """Whether each unit is the last one of a sentence."""

    score: float
    """What speaks for it, all together."""


def normal(links: Floats, roots: Floats, ends: Flags) -> Structure:
    """Find the best links where it is given which units end sentences, of any length to `MOST`."""
    scores = Scores(links, roots, np.zeros((len(roots), 2)))
    if len(ends) != len(scores) or not ends[-1:].all():
        raise CaesuraError(
            f"{len(scores)} units have {len(ends)} flags for the ends of sentences",
            remedy="give a flag for each unit; the last one ends a sentence",
        )
    heads = linked(scores, ends)
    units = np.arange(len(ends))
    root = heads < 0
    chosen = links[units, np.where(root, 0, heads - units + scores.reach)]
    return Structure(heads, ends, float(np.where(root, roots, chosen).sum()))


def linked(scores: Scores, ends: Flags) -> Indices:
    """Find the head of each unit of sentences, -1 for their roots."""
    last = np.flatnonzero(ends)
    first = np.append(0, last + 1)[:-1]
    found = np.full(len(ends), -1)
    for group in _groups(last - first + 1):
        count = (last - first + 1)[group]
        begin = np.cumsum(count) - count
        stop = begin + count - 1
        units = np.arange(int(count.sum())) + np.repeat(first[group] - begin, count)
        chart = Chart(scores[units], int(count.max()), largest)
        inside = traced(chart, begin, stop)
        found[units] = np.where(inside < 0, -1, units[inside])
    return found


def _groups(count: Indices) -> Iterator[Indices]:
    """Put sentences of about the same length together, as many as are charted at a time."""
    if count.max(initial=0) > MOST:
        raise CaesuraError(
            f"a sentence of {count.max()} units is too long for its links to be found",
            remedy=f"give boundaries after at most {MOST} units",
        )
    kind = np.ceil(np.log2(count)).astype(np.int64)
    if count.sum() * count.max(initial=0) <= CELLS:
        kind[:] = kind.max(initial=0)
    for each in np.unique(kind):
        alike = np.flatnonzero(kind == each)
        piece = np.cumsum(count[alike]) // max(CELLS >> int(each), 1)
        yield from np.split(alike, np.flatnonzero(np.diff(piece)) + 1)


def traced(chart: Chart, first: Indices, last: Indices) -> Indices:
    """Head of each unit of the chart, where sentences begin and end; -1 for their roots."""
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
        # Between neighbours there is nothing to find, and most links are between neighbours.
        inner_right, inner_left = _inner(chart, _long(_merged(left_open, right_open), 2))
        left, right = _long(_merged(left, inner_left)), _long(_merged(right, inner_right))
    return found


def _left(chart: Chart, spans: Spans, found: Indices) -> tuple[Spans, Spans]:
    """Find the farthest dependant of each last unit: where it begins to lead."""
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
    """Find where the dependants of the first unit end and those of the last one begin."""
    first, last = spans
    unit = first + _cut(chart.right_from, chart.joined_to, spans, last - first - 1)
    return (first, unit), (unit + 1, last)


def _cut(
    front: Floats, back: Floats, spans: Spans, width: Indices, ahead: int = 0, behind: int = 0
) -> Indices:
    """Width of the front part of each span in the best way to cut it.

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
    """Leave out the spans that are too short for anything to be left to find."""
    kept = spans[1] - spans[0] >= width
    return spans[0][kept], spans[1][kept]


ROOM = 128
"""Units that there is room for at first."""


class Endings:
    """The spans of at most `longest` units, three rows for each last unit.

    They have the left spans, the right ones and the sentences that end there, the widest one
    first. Behind each is room that stays empty. Seen with strides that are a cell shorter
    (`_from`), spans with the same first unit stand in a column, and those that do not exist are
    in that room.
    """

    def __init__(self, longest: int, reach: int) -> None:
        self.longest = longest
        self.reach = min(reach, longest - 1)
        self._rows = self._from = np.zeros((0, 3, longest + self.reach))
        self._make_rows(ROOM)
        self._begin = 0
        """Row of the first unit kept."""
        self._links: list[list[float]] = []
        """For the heads that follow each unit, the nearest one first."""
        self._roots: list[float] = []
        self._stay: list[float] = []
        self._left: list[list[float]] = []
        """Left spans by their first unit, as far as links reach; right ones alike."""
        self._right: list[list[float]] = []
        self._open_left: list[list[float]] = []
        """Open spans by their last unit, the widest one first."""
        self._open_right: list[list[float]] = []

    def __len__(self) -> int:
        return len(self._left)

    def add(self, scores: Scores) -> Floats:
        """Take more units; give, as `spans.sentences` does, the sentences that end at each.

        Those that would begin in front of the units kept have no meaning.
        """
        old, size = len(self), len(self) + len(scores)
        if self._begin + size > len(self._rows):
            self._make_room(size)
        middle = scores.reach
        self._links += scores.links[:, middle + 1 : middle + self.reach + 1].tolist()
        before: list[list[float]] = scores.links[:, middle - self.reach : middle].tolist()
        self._roots += scores.roots.tolist()
        self._stay += scores.gaps[:, 0].tolist()
        for unit, links in enumerate(before, old):
            self._fill(unit, links)
        return self._rows[self._begin + old : self._begin + size, 2, : self.longest].copy()

    def forget(self, count: int) -> None:
        """Let go of the first units: whole sentences."""
        self._begin += count
        del self._roots[:count], self._stay[:count], self._links[:count]
        del self._left[:count], self._right[:count]
        del self._open_left[:count], self._open_right[:count]

    def _make_room(self, size: int) -> None:
        """Put the rows kept in front, among more rows if that is not enough."""
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

    def _fill(self, last: int, links: list[float]) -> None:
        """Fill the spans that end at a unit, with the links to the heads before it."""
        open_left, open_right = self._near(last, links)
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

    def _near(self, last: int, links: list[float]) -> tuple[list[float], list[float]]:
        """Fill the left spans that end at a unit and are near; give the open ones."""
        lefts, rights, stay = self._left, self._right, self._stay
        open_left: list[float] = []
        open_right: list[float] = []
        joined = [stay[last]]
        for width in range(1, min(self.reach, last) + 1):
            first = last - width
            inner = max(map(add, rights[first], joined))
            open_left.insert(0, inner + self._links[first][width - 1])
            open_right.insert(0, inner + links[-width])
            left = max(map(add, lefts[first], open_left))
            lefts[first].append(left)
            joined.insert(0, left + stay[first])
        return open_left, open_right

    def traced(self, ends: Sequence[int]) -> list[int]:
        """Head of each unit of the first sentences, -1 for their roots; `ends` has last units.

        Of equally good structures it is the one that `tracing.traced` finds.
        """
        heads = [-1] * (ends[-1] + 1)
        first = 0
        for last in ends:
            self._trace(first, last, heads)
            first = last + 1
        return heads

    def _trace(self, first: int, last: int, heads: list[int]) -> None:
        """Find the links of one sentence."""
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
        """Find the chain of a left span; give its open spans.

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
        """Find the chain of a right span; give its open spans.

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
    """Give the first of the best ways."""
    return ways.index(max(ways))
