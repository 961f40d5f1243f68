"""Charts: how good, or how probable, the structures of every short span of units are.

A structure gives each unit but one, the root, a link to its head, and no two links cross. Spans
are filled by width, and all spans of a width at once. A row of a chart holds the spans of one
width, in the column of their first unit (`_from`); seen with shorter strides, they are in that of
their last one (`_to`), so that the two parts of a span always lie in two plain slices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.lib.stride_tricks import as_strided

from caesura.core.arrays import Floats, Indices
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
