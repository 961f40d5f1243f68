"""Charts: how good, or how probable, the structures of every short span of units are.

A structure gives each unit but one, the root, a link to its head, and no two links cross. Spans
are filled by width, and all spans of a width at once. A row of a chart holds the spans of one
width, in the column of their first unit (`_from`) or of their last one (`_to`), so that the two
parts of a span always lie in two plain slices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from caesura.columns import Floats, Indices
from caesura.errors import CaesuraError

PIECE = 1024
"""Units whose chart is filled at a time: few enough for the cache."""

FEW = 4
"""Ends of sentences that are looked at one by one rather than width by width."""

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
    joined: left, and there is no boundary in front;
    rooted: right, and the first unit is the root of a sentence.
    """

    def __init__(self, scores: Scores, longest: int, join: Join) -> None:
        size = len(scores)
        self.widest = min(longest, size)
        self.reach = min(scores.reach, self.widest - 1)
        self.join = join
        shape = (self.widest, size)
        self._ways = np.empty(shape)
        near = (self.reach + 1, size)
        self.right_from, self.right_to, self.left_from = _rows(shape, 0.0, 3)
        (self.rooted_to,) = _rows(shape, scores.roots, 1)
        (self.joined_to,) = _rows(near, scores.gaps[:, 0], 1)
        self.open_right_from, self.open_left_to = _rows(near, -np.inf, 2)
        middle = scores.reach
        links = scores.links[:, middle - self.reach : middle + self.reach + 1]
        self._links = np.ascontiguousarray(links.T)
        with np.errstate(divide="ignore"):
            for width in range(1, self.widest):
                self._fill(width, scores)

    def _fill(self, width: int, scores: Scores) -> None:
        """Fill the spans from each unit to the one `width` after it."""
        count = self.right_from.shape[1] - width
        far = min(width, self.reach)
        shorter = slice(width - far, width)
        right, left = self.right_from[width, :count], self.left_from[width, :count]
        if width <= self.reach:
            self._fill_open(width, count)
        if far:
            opened = slice(1, far + 1)
            self._join(self.open_right_from[opened], self.right_to[shorter][::-1], right)
            self._join(self.left_from[shorter][::-1], self.open_left_to[opened], left)
        self.right_to[width, width:] = right
        if width < self.reach:
            np.add(left, scores.gaps[:count, 0], out=self.joined_to[width, width:])
        np.add(right, scores.roots[:count], out=self.rooted_to[width, width:])

    def whole(self, begin: int) -> Floats:
        """Give the sentences that end at each unit from `begin` on, a row for each width."""
        size = self.right_from.shape[1]
        found = np.full((self.widest, size - begin), -np.inf)
        if size - begin <= FEW:
            for end in range(begin, size):
                self._whole_to(end, found[: end + 1, end - begin])
            return found
        with np.errstate(divide="ignore"):
            for width in range(self.widest):
                end = max(begin, width)
                self._join(
                    self.left_from[: width + 1, end - width :],
                    self.rooted_to[width::-1, end:],
                    found[width, end - begin :],
                )
        return found

    def _whole_to(self, end: int, out: Floats) -> None:
        """Give the sentences that end at one unit, all widths at once."""
        widths = np.arange(len(out))
        front = widths[:, None]
        back = widths - front
        ways = self.left_from[front, end - widths] + self.rooted_to[np.maximum(back, 0), end]
        with np.errstate(divide="ignore"):
            self.join(np.where(back >= 0, ways, -np.inf), out)

    def _fill_open(self, width: int, count: int) -> None:
        """Fill the spans whose ends are linked, in one way and in the other."""
        inner = np.empty(count)
        self._join(self.right_from[:width], self.joined_to[width - 1 :: -1], inner)
        head_left, head_right = self._links[self.reach - width], self._links[self.reach + width]
        np.add(inner, head_left[width:], out=self.open_right_from[width, :count])
        np.add(inner, head_right[:count], out=self.open_left_to[width, width:])

    def _join(self, first: Floats, second: Floats, out: Floats) -> None:
        """Join what begins at each unit with what ends at the last unit of its span."""
        count = len(out)
        ways = self._ways[: len(first), :count]
        np.add(first[:, :count], second[:, -count:], out=ways)
        self.join(ways, out)


def _rows(shape: tuple[int, int], first: Floats | float, count: int) -> list[Floats]:
    """Make rows that hold nothing yet but the first of them, the spans of one unit."""
    rows = [np.full(shape, -np.inf) for _ in range(count)]
    for each in rows:
        each[0] = first
    return rows


def sentences(scores: Scores, first: int, longest: int, join: Join) -> Iterator[Floats]:
    """Give, for each unit from `first` on, the sentences that end there: a table for each piece.

    The last column is the sentence of this unit alone, the one before it that of two units.
    """
    for begin in range(first, len(scores), PIECE):
        context = max(begin - longest + 1, 0)
        chart = Chart(scores[context : begin + PIECE], longest, join)
        found = chart.whole(begin - context)
        table = np.full((found.shape[1], longest), -np.inf)
        table[:, longest - len(found) :] = found[::-1].T
        yield table
