"""What is seen of a unit and of those that may be its head, as numbers of weights.

The candidates of a unit are those up to `back` units before it and `ahead` units after it, and
two that are no unit at hand: the end of the sentence whose root it is (`<b>` with Oba and
others), and a head that lies farther on and has not been seen yet (`<c>`). What a template looks
at of both together has a hash, and the first bits of that are the number of a weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Indices
from caesura.ml.features import Hashes, constant

META = ("<b>", "<c>")
END, UNSEEN = -2, -1
"""Columns of the candidates that are no unit, counted from behind."""

FAR = (1, 2, 3, 4, 6, 9)
"""Distances from which on they are told apart."""

MARGIN = 1
"""Units beside a unit that are looked at too."""

TEMPLATES = """
| | far
| | gap
| | far gap
tag | | far
tag | | far gap
word | | far
first | | far
last | | far
last_tag | | far
last_subtag | | far
| tag | far
| word | far
| first | far
| last | far
tag | tag |
tag | tag | far
tag | tag | far gap
last_tag | tag | far
last_tag | last_tag | far
last_subtag | last_subtag | far
last_subtag | tag |
last_subtag | last |
last | last_subtag |
last | last |
last | tag |
last | tag | far
last | word |
first | tag | far
first | word |
word | tag |
word | tag | far
word | word |
tag | word |
tag | word | far
tag first_tag | tag first_tag | far
first tag | first tag | far
tag tag+ | tag | far
tag- tag | tag | far
tag | tag tag+ | far
tag | tag- tag | far
tag- tag tag+ | tag |
tag | tag- tag tag+ |
tag- tag tag+ | tag- tag tag+ |
"""
"""Columns of the unit, columns of the candidate, and what lies between them: the distance, and
the greatest of the numbers in front of units. `tag+` is the column of the unit after it."""


class Sight(NamedTuple):
    """How many units before and after itself a unit sees."""

    back: int
    ahead: int

    @property
    def width(self) -> int:
        """How many places are seen, that of the unit included."""
        return self.back + 1 + self.ahead

    def candidates(self, count: int, first: int, stop: int) -> Flags:
        """Tell which candidates there are for the units `first` to `stop` of so many."""
        steps = np.arange(-self.back, self.ahead + 1)
        place = np.arange(first, stop)[:, None] + steps
        units = (place >= 0) & (place < count) & (steps != 0)
        return np.concatenate([units, np.ones((stop - first, len(META)), np.bool_)], axis=1)


@dataclass(frozen=True, eq=False)
class Looks:
    """Units as columns of hashes, with a small number for what lies in front of each."""

    columns: Mapping[str, Hashes]
    gaps: Indices

    def __len__(self) -> int:
        return len(self.gaps)

    def __getitem__(self, units: slice) -> Looks:
        return Looks({name: cells[units] for name, cells in self.columns.items()}, self.gaps[units])

    def then(self, more: Looks) -> Looks:
        """Give these units and those that follow; a column that is missing has nothing in it."""
        names = dict.fromkeys((*self.columns, *more.columns))
        parts = [(each.columns, np.zeros(len(each), np.uint64)) for each in (self, more)]
        columns = {n: np.concatenate([c.get(n, none) for c, none in parts]) for n in names}
        return Looks(columns, np.concatenate([self.gaps, more.gaps]))


@dataclass(frozen=True, eq=False)
class _Mix:
    """Factors that make hashes of all templates at once: a column for each template.

    Rows are columns of units at places beside them. Templates that look at the gap come last.
    """

    parts: Sequence[tuple[str, int]]
    base: Hashes
    unit: Hashes
    head: Hashes
    meta: Hashes
    far: Hashes
    gap: slice

    @classmethod
    def of(cls, templates: Sequence[str]) -> _Mix:
        cells = [[cell.split() for cell in each.split("|")] for each in templates]
        names = dict.fromkeys(name for unit, head, _ in cells for name in (*unit, *head))
        mark = np.array([constant(symbol) for symbol in META], np.uint64)
        head = _factors(names, [head for _, head, _ in cells], "head")
        itself = np.array([name[-1] not in "+-" for name in names], np.bool_)
        looks = np.array(["gap" in between for _, _, between in cells], np.bool_)
        return cls(
            [(name.rstrip("+-"), name.count("+") - name.count("-")) for name in names],
            np.array([constant(each) for each in templates], np.uint64),
            _factors(names, [unit for unit, _, _ in cells], "unit"),
            head,
            mark[:, None] * head[itself].sum(axis=0, dtype=np.uint64),
            np.where(["far" in between for _, _, between in cells], constant("far"), 0).astype(
                np.uint64
            ),
            slice(len(looks) - int(looks.sum()), None),
        )


def _factors(names: Mapping[str, None], cells: Sequence[Sequence[str]], role: str) -> Hashes:
    found = np.zeros((len(names), len(cells)), np.uint64)
    for row, name in enumerate(names):
        for column, used in enumerate(cells):
            if name in used:
                found[row, column] = constant(f"{role} {name}")
    return found


@lru_cache(maxsize=16)
def _mix(columns: frozenset[str]) -> _Mix:
    """Give the factors of the templates that look at these columns alone."""
    rows = [row for row in TEMPLATES.strip().splitlines() if _names(row) <= columns]
    return _Mix.of(sorted(rows, key=lambda row: "gap" in row))


def _names(template: str) -> set[str]:
    unit, head, _ = template.split("|")
    return {name.rstrip("+-") for name in (*unit.split(), *head.split())}


def numbers(looks: Looks, sight: Sight, bits: int, first: int, stop: int) -> Indices:
    """Give the numbers of the weights of the units `first` to `stop`.

    A row for each unit, a column for each candidate, and in depth each template.
    """
    mix = _mix(frozenset(looks.columns))
    size, width = stop - first, sight.width
    seen = _seen(looks, mix.parts, first - sight.back, stop + sight.ahead)
    units = mix.base + seen[sight.back : sight.back + size] @ mix.unit
    heads = seen @ mix.head
    keys = np.empty((size, width + len(META), len(mix.base)), np.uint64)
    np.add(units[:, None], _windows(heads, width), out=keys[:, :width])
    np.add(units[:, None], mix.meta, out=keys[:, width:])
    keys += _far(sight)[:, None] * mix.far
    keys[:, :, mix.gap] += _between(looks.gaps, sight, first, stop)[:, :, None]
    keys >>= np.uint64(64 - bits)
    return keys.view(np.int64)


def _seen(looks: Looks, parts: Sequence[tuple[str, int]], first: int, stop: int) -> Hashes:
    """Give a row for each unit `first` to `stop`, 0 where there is none, a column for each part."""
    found = np.zeros((stop - first, len(parts)), np.uint64)
    for column, (name, at) in enumerate(parts):
        begin, end = max(first + at, 0), max(min(stop + at, len(looks)), 0)
        if begin < end:
            found[begin - first - at : end - first - at, column] = looks.columns[name][begin:end]
    return found


@lru_cache(maxsize=16)
def _far(sight: Sight) -> Hashes:
    """Give a hash of the distance of each candidate."""
    steps = np.arange(-sight.back, sight.ahead + 1)
    bins = np.searchsorted(FAR, abs(steps), side="right")
    texts = [f"{side} {far}" for side, far in zip(steps > 0, bins, strict=True)]
    return np.array([constant(text) for text in (*texts, *META)], np.uint64)


def _between(gaps: Indices, sight: Sight, first: int, stop: int) -> Hashes:
    """Give a hash of the greatest number between each unit and each candidate."""
    back, ahead = sight
    size = stop - first
    place = np.arange(first - back + 1, stop + ahead + 1)
    inside = (place >= 0) & (place < len(gaps))
    padded = np.where(inside, gaps[np.clip(place, 0, max(len(gaps) - 1, 0))] + 1, 0)
    around = _windows(padded, back + ahead + 1)
    found = np.zeros((size, sight.width + len(META)), np.int64)
    found[:, :back] = np.maximum.accumulate(around[:, back - 1 :: -1][:, :back], axis=1)[:, ::-1]
    after = around[:, back:]
    found[:, back + 1 : sight.width] = np.maximum.accumulate(after[:, :ahead], axis=1)
    found[:, sight.width :] = after[:, :1]
    return _steps(int(padded.max(initial=0)) + 1)[found]


def _windows(rows: NDArray[Any], width: int) -> NDArray[Any]:
    """See all windows of so many rows, one after another."""
    count = len(rows) - width + 1
    shape, strides = (count, width, *rows.shape[1:]), (rows.strides[0], *rows.strides)
    return as_strided(rows, shape, strides, writeable=False)


@lru_cache(maxsize=16)
def _steps(count: int) -> Hashes:
    return np.array([constant(f"gap {each}") for each in range(count)], np.uint64)
