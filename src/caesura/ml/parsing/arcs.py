"""Score dependency arcs: which unit is the head of which (equations 3 and 4 of Oba and others).

P(head | unit) is the exponential of a sum of weights, normalised over the candidates of a unit:
those up to `back` units before it and `ahead` units after it, and two that are no unit at hand,
the end of the sentence whose root it is (`<b>` with Oba and others), and a head that lies
farther on and has not been seen yet (`<c>`). In *sequential* mode candidates do not depend on
where sentences end; in *normal* mode sentences are given, and only units of the same one are
candidates. What a template looks at of unit and candidate together has a hash, and the first
bits of that are the number of a weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.config import between, whole
from caesura.core.errors import ModelError
from caesura.ml import maxent
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


AT_ONCE = 128
"""Units that are looked at at a time: what is seen of them stays close to the processor."""

STEPS = 127
"""Weights are kept in so many steps up to the largest one, and as many down."""

FEWEST, MOST = 8, 22
"""Bits of the number of a weight."""

SEARCH = maxent.Search(steps=80, gain=3e-5)


ROOT = -1
"""What stands for the head of a root; below that nothing is known of a head."""


class Lesson(NamedTuple):
    """Units and their heads.

    Where the ends of sentences are given, only units of the same sentence are candidates.
    """

    looks: Looks
    links: Indices
    ends: Flags | None = None


@dataclass(frozen=True, eq=False)
class Heads:
    """Weights, found by hashes, in whole steps of a size."""

    steps: NDArray[np.int8]
    size: float

    @property
    def bits(self) -> int:
        """Bits of the number of a weight."""
        return len(self.steps).bit_length() - 1

    @cached_property
    def _weights(self) -> NDArray[np.float32]:
        return self.steps * np.float32(self.size)

    def chances(
        self, looks: Looks, sight: Sight, span: slice = slice(None), ends: Flags | None = None
    ) -> Floats:
        """Give the logarithm of the probability of each candidate of each unit in a span.

        What is no candidate has minus infinity.
        """
        first, stop, _ = span.indices(len(looks))
        found = np.empty((stop - first, sight.width - END))
        for begin in range(first, stop, AT_ONCE):
            end = min(begin + AT_ONCE, stop)
            scores = self._weights.take(numbers(looks, sight, self.bits, begin, end)).sum(axis=2)
            candidates = _candidates(looks, sight, begin, end, ends)
            scores = np.where(candidates, scores, -np.inf)
            found[begin - first : end - first] = maxent.log_softmax(scores)
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is known as arrays."""
        return {"steps": self.steps, "size": np.array([self.size])}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Heads:
        """Make one of arrays, or raise a `ModelError`."""
        if set(arrays) != {"steps", "size"}:
            raise damaged(f"it has the arrays {', '.join(sorted(arrays)) or 'none'}")
        steps, size = arrays["steps"], arrays["size"]
        count = len(steps) if steps.ndim == 1 else 0
        if steps.dtype != np.int8 or count not in {1 << bits for bits in range(FEWEST, MOST + 1)}:
            raise damaged("weights are no small numbers, or not as many as there can be")
        if size.shape != (1,) or size.dtype != np.float64 or not 0 <= size[0] < 1e6:
            raise damaged("the size of a step is no number")
        return cls(np.array(steps), float(size[0]))


def learn(lessons: Sequence[Lesson], sight: Sight, bits: int, ridge: float) -> Heads:
    """Find the weights under which the known heads are most probable."""
    whole("bits", bits, FEWEST, MOST)
    between("ridge", ridge, 1e-9, 1e9)
    taught = [_rows(each, sight, bits) for each in lessons if len(each.looks)]
    if not any(len(sizes) for _, sizes, _ in taught):
        return Heads(np.zeros(1 << bits, np.int8), 0.0)
    rows, sizes, chosen = zip(*taught, strict=True)
    begin = np.append(0, np.cumsum(np.concatenate(sizes)))
    matrix = maxent.sparse_rows(_stacked(rows), 1 << bits)
    weights = maxent.conditional_logit(
        matrix, begin, begin[:-1] + np.concatenate(chosen), ridge, SEARCH
    )
    size = float(abs(weights).max()) / STEPS
    return Heads(np.rint(weights / (size or 1.0)).astype(np.int8), size)


def _rows(lesson: Lesson, sight: Sight, bits: int) -> tuple[Indices, Indices, Indices]:
    """Give what is seen of each candidate, how many each unit has, and which is the head.

    Units whose head is not known, or lies farther back than is seen, are left out.
    """
    looks, links, ends = lesson
    rows, sizes, chosen = [], [], []
    for first in range(0, len(looks), AT_ONCE):
        stop = min(first + AT_ONCE, len(looks))
        real = _columns_of(links[first:stop], np.arange(first, stop), sight)
        candidates = _candidates(looks, sight, first, stop, ends)
        known = (real >= 0) & candidates[np.arange(stop - first), real]
        seen = numbers(looks, sight, bits, first, stop)[known]
        rows.append(seen[candidates[known]].astype(np.int32))
        sizes.append(candidates[known].sum(axis=1))
        before = np.cumsum(candidates[known], axis=1) - 1
        chosen.append(before[np.arange(len(before)), real[known]])
    return (
        np.concatenate(rows),
        np.concatenate(sizes),
        np.concatenate(chosen),
    )


def _stacked(rows: Sequence[Indices]) -> Indices:
    """Put rows below each other; -1 fills those of units of which less is known."""
    width = max(each.shape[1] for each in rows)
    edges = [((0, 0), (0, width - each.shape[1])) for each in rows]
    return np.concatenate(
        [np.pad(each, edge, constant_values=-1) for each, edge in zip(rows, edges, strict=True)]
    )


def _columns_of(links: Indices, units: Indices, sight: Sight) -> Indices:
    """Give the column of the head of each unit, -1 where there is none."""
    far = links - units
    last = sight.width - END
    column = np.where(far > sight.ahead, last + UNSEEN, far + sight.back)
    column = np.where(links == ROOT, last + END, column)
    return np.where((links < ROOT) | ((links > ROOT) & (far < -sight.back)), -1, column)


def _candidates(looks: Looks, sight: Sight, first: int, stop: int, ends: Flags | None) -> Flags:
    found = sight.candidates(len(looks), first, stop)
    if ends is not None:
        sentence: Indices = np.cumsum(ends) - ends
        padded: Indices = np.pad(sentence, (sight.back, sight.ahead), constant_values=-1)
        around = sliding_window_view(padded, sight.width)[first:stop]
        found[:, : sight.width] &= around == sentence[first:stop, None]
        found[:, UNSEEN] = False
    return found


def links_of(chances: Floats, sight: Sight) -> tuple[Floats, Floats]:
    """Give what speaks for each link, as far ahead as back, and for each root.

    Heads farther on than is seen share the probability of what has not been seen.
    """
    units, root, unseen = np.split(chances, [sight.width, sight.width + 1], axis=1)
    farther = sight.back - sight.ahead
    beyond = np.repeat(unseen - np.log(max(farther, 1)), farther, axis=1)
    return np.concatenate([units, beyond], axis=1), root[:, 0]


def damaged(what: str) -> ModelError:
    """Say what is wrong with a model."""
    return ModelError(f"the model is damaged: {what}", remedy="train it again")
