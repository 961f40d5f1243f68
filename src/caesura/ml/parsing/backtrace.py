"""The links of the best structure of each sentence, read off a chart from the whole to the parts.

All sentences are taken apart together: in each round every span that is left is cut once. Of
equally good structures it is always the same one that is found, whatever else is in the chart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.errors import CaesuraError
from caesura.ml.parsing.chart import IMPOSSIBLE, Chart, Scores, largest, to_last

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
