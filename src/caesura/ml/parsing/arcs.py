"""Score dependency arcs: which unit is the head of which (equations 3 and 4 of Oba and others).

A unit is what gets a head: a cluster of words. P(head | unit) is the exponential of a sum of
weights, normalised over the candidates of the unit. These are the units up to `back` before it
and up to `ahead` after it, and two special ones: the end of the sentence, if the unit is its root
(`<b>` with Oba and others), and a head that lies farther ahead (`<c>`). In *sequential* mode
candidates do not depend on where sentences end; in *normal* mode sentences are given, and only
units of the same sentence are candidates. Each feature template hashes columns of the unit and of
the candidate; the first bits of the hash are the index of a weight.
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
from caesura.core.config import check_integer, check_number
from caesura.core.errors import ModelError
from caesura.ml import maxent
from caesura.ml.features import Hashes, constant

SPECIAL = ("<b>", "<c>")
END, UNSEEN = -2, -1
"""Columns of the special candidates, counted from the end."""

DISTANCES = (1, 2, 3, 4, 6, 9)
"""Lower edges of the distance bins."""

MARGIN = 1
"""Neighbours on either side of a unit that the templates use."""

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
"""Columns of the unit | columns of the candidate | what lies between them: the distance (far), and
the greatest gap number. `tag+` is the tag of the next unit, `tag-` of the one before."""


class CandidateWindow(NamedTuple):
    """How many units before and after a unit are candidates for its head."""

    back: int
    ahead: int

    @property
    def width(self) -> int:
        """The number of units in the window, the unit itself included."""
        return self.back + 1 + self.ahead

    def candidates(self, count: int, first: int, stop: int) -> Flags:
        """Return which candidates exist for the units `first` to `stop` out of `count`."""
        steps = np.arange(-self.back, self.ahead + 1)
        place = np.arange(first, stop)[:, None] + steps
        units = (place >= 0) & (place < count) & (steps != 0)
        return np.concatenate([units, np.ones((stop - first, len(SPECIAL)), np.bool_)], axis=1)


@dataclass(frozen=True, eq=False)
class UnitFeatures:
    """Features of units: columns of hashes, and the number of the gap before each unit."""

    columns: Mapping[str, Hashes]
    gaps: Indices

    def __len__(self) -> int:
        return len(self.gaps)

    def __getitem__(self, units: slice) -> UnitFeatures:
        return UnitFeatures(
            {name: cells[units] for name, cells in self.columns.items()}, self.gaps[units]
        )

    def extended(self, more: UnitFeatures) -> UnitFeatures:
        """Return these units and `more` units after them; a missing column is filled with 0."""
        names = dict.fromkeys((*self.columns, *more.columns))
        parts = [(each.columns, np.zeros(len(each), np.uint64)) for each in (self, more)]
        columns = {n: np.concatenate([c.get(n, none) for c, none in parts]) for n in names}
        return UnitFeatures(columns, np.concatenate([self.gaps, more.gaps]))


@dataclass(frozen=True, eq=False)
class _HashFactors:
    """Factors that hash all templates at once: a column for each template.

    Rows are the columns of units and of their neighbours. Templates with the gap come last.
    """

    parts: Sequence[tuple[str, int]]
    base: Hashes
    unit: Hashes
    head: Hashes
    special: Hashes
    far: Hashes
    gap: slice

    @classmethod
    def of(cls, templates: Sequence[str]) -> _HashFactors:
        cells = [[cell.split() for cell in each.split("|")] for each in templates]
        names = dict.fromkeys(name for unit, head, _ in cells for name in (*unit, *head))
        mark = np.array([constant(symbol) for symbol in SPECIAL], np.uint64)
        head = _factors(names, [head for _, head, _ in cells], "head")
        itself = np.array([name[-1] not in "+-" for name in names], np.bool_)
        has_gap = np.array(["gap" in between for _, _, between in cells], np.bool_)
        return cls(
            [(name.rstrip("+-"), name.count("+") - name.count("-")) for name in names],
            np.array([constant(each) for each in templates], np.uint64),
            _factors(names, [unit for unit, _, _ in cells], "unit"),
            head,
            mark[:, None] * head[itself].sum(axis=0, dtype=np.uint64),
            np.where(["far" in between for _, _, between in cells], constant("far"), 0).astype(
                np.uint64
            ),
            slice(len(has_gap) - int(has_gap.sum()), None),
        )


def _factors(names: Mapping[str, None], cells: Sequence[Sequence[str]], role: str) -> Hashes:
    found = np.zeros((len(names), len(cells)), np.uint64)
    for row, name in enumerate(names):
        for column, used in enumerate(cells):
            if name in used:
                found[row, column] = constant(f"{role} {name}")
    return found


@lru_cache(maxsize=16)
def _hash_factors(columns: frozenset[str]) -> _HashFactors:
    """Return the factors of the templates that use no other columns than these."""
    rows = [row for row in TEMPLATES.strip().splitlines() if _names(row) <= columns]
    return _HashFactors.of(sorted(rows, key=lambda row: "gap" in row))


def _names(template: str) -> set[str]:
    unit, head, _ = template.split("|")
    return {name.rstrip("+-") for name in (*unit.split(), *head.split())}


def weight_indices(
    features: UnitFeatures, window: CandidateWindow, bits: int, first: int, stop: int
) -> Indices:
    """Return the indices of the weights of the units `first` to `stop`.

    The axes are units, candidates and templates.
    """
    mix = _hash_factors(frozenset(features.columns))
    size, width = stop - first, window.width
    columns = _feature_matrix(features, mix.parts, first - window.back, stop + window.ahead)
    units = mix.base + columns[window.back : window.back + size] @ mix.unit
    heads = columns @ mix.head
    keys = np.empty((size, width + len(SPECIAL), len(mix.base)), np.uint64)
    np.add(units[:, None], _windows(heads, width), out=keys[:, :width])
    np.add(units[:, None], mix.special, out=keys[:, width:])
    keys += _distance_hashes(window)[:, None] * mix.far
    keys[:, :, mix.gap] += _gap_hashes(features.gaps, window, first, stop)[:, :, None]
    keys >>= np.uint64(64 - bits)
    return keys.view(np.int64)


def _feature_matrix(
    features: UnitFeatures, parts: Sequence[tuple[str, int]], first: int, stop: int
) -> Hashes:
    """Return a row for each unit `first` to `stop`, 0 where there is none; a column a part."""
    found = np.zeros((stop - first, len(parts)), np.uint64)
    for column, (name, at) in enumerate(parts):
        begin, end = max(first + at, 0), max(min(stop + at, len(features)), 0)
        if begin < end:
            found[begin - first - at : end - first - at, column] = features.columns[name][begin:end]
    return found


@lru_cache(maxsize=16)
def _distance_hashes(window: CandidateWindow) -> Hashes:
    """Return a hash of the distance of each candidate."""
    steps = np.arange(-window.back, window.ahead + 1)
    bins = np.searchsorted(DISTANCES, abs(steps), side="right")
    texts = [f"{side} {far}" for side, far in zip(steps > 0, bins, strict=True)]
    return np.array([constant(text) for text in (*texts, *SPECIAL)], np.uint64)


def _gap_hashes(gaps: Indices, window: CandidateWindow, first: int, stop: int) -> Hashes:
    """Return a hash of the greatest gap number between each unit and each candidate."""
    back, ahead = window
    size = stop - first
    place = np.arange(first - back + 1, stop + ahead + 1)
    inside = (place >= 0) & (place < len(gaps))
    padded = np.where(inside, gaps[np.clip(place, 0, max(len(gaps) - 1, 0))] + 1, 0)
    around = _windows(padded, back + ahead + 1)
    found = np.zeros((size, window.width + len(SPECIAL)), np.int64)
    found[:, :back] = np.maximum.accumulate(around[:, back - 1 :: -1][:, :back], axis=1)[:, ::-1]
    after = around[:, back:]
    found[:, back + 1 : window.width] = np.maximum.accumulate(after[:, :ahead], axis=1)
    found[:, window.width :] = after[:, :1]
    return _gap_constants(int(padded.max(initial=0)) + 1)[found]


def _windows(rows: NDArray[Any], width: int) -> NDArray[Any]:
    """Return a view of all windows of `width` rows."""
    count = len(rows) - width + 1
    shape, strides = (count, width, *rows.shape[1:]), (rows.strides[0], *rows.strides)
    return as_strided(rows, shape, strides, writeable=False)


@lru_cache(maxsize=16)
def _gap_constants(count: int) -> Hashes:
    return np.array([constant(f"gap {each}") for each in range(count)], np.uint64)


AT_ONCE = 128
"""Units that are scored at a time: few enough for the processor's cache."""

STEPS = 127
"""Weights are quantised to this many steps above 0 and as many below."""

FEWEST_BITS, MOST_BITS = 8, 22
"""Limits for the bits of a weight's index."""

SEARCH = maxent.Search(steps=80, gain=3e-5)

ROOT = -1
"""The head of a root; a lower number means that the head is unknown."""


class ArcExample(NamedTuple):
    """Training example: the units of a recording and their heads.

    If `ends` says which units end sentences, only units of the same sentence are candidates.
    """

    features: UnitFeatures
    heads: Indices
    ends: Flags | None = None


@dataclass(frozen=True, eq=False)
class ArcModel:
    """Quantised weights of hashed features: a weight is `steps[index]` * `size`."""

    steps: NDArray[np.int8]
    size: float

    @property
    def bits(self) -> int:
        """The bits of a weight's index."""
        return len(self.steps).bit_length() - 1

    @cached_property
    def _weights(self) -> NDArray[np.float32]:
        return self.steps * np.float32(self.size)

    def log_probabilities(
        self,
        features: UnitFeatures,
        window: CandidateWindow,
        span: slice = slice(None),
        ends: Flags | None = None,
    ) -> Floats:
        """Return the log-probability of each candidate of each unit in a span.

        A candidate that does not exist has minus infinity.
        """
        first, stop, _ = span.indices(len(features))
        found = np.empty((stop - first, window.width - END))
        for begin in range(first, stop, AT_ONCE):
            end = min(begin + AT_ONCE, stop)
            scores = self._weights.take(
                weight_indices(features, window, self.bits, begin, end)
            ).sum(axis=2)
            candidates = _candidates(features, window, begin, end, ends)
            scores = np.where(candidates, scores, -np.inf)
            found[begin - first : end - first] = maxent.log_softmax(scores)
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the model as named arrays."""
        return {"steps": self.steps, "size": np.array([self.size])}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> ArcModel:
        """Make a model from the arrays of `arrays()`, or raise a `ModelError`."""
        if set(arrays) != {"steps", "size"}:
            raise damaged(f"it has the arrays {', '.join(sorted(arrays)) or 'none'}")
        steps, size = arrays["steps"], arrays["size"]
        count = len(steps) if steps.ndim == 1 else 0
        if steps.dtype != np.int8 or count not in {
            1 << bits for bits in range(FEWEST_BITS, MOST_BITS + 1)
        }:
            raise damaged("weights are not 8-bit integers, or their number is wrong")
        if size.shape != (1,) or size.dtype != np.float64 or not 0 <= size[0] < 1e6:
            raise damaged("the size of a step is not a number")
        return cls(np.array(steps), float(size[0]))


def train_arcs(
    examples: Sequence[ArcExample], window: CandidateWindow, bits: int, ridge: float
) -> ArcModel:
    """Train the weights by maximum likelihood of the known heads, with the penalty `ridge`."""
    check_integer("bits", bits, FEWEST_BITS, MOST_BITS)
    check_number("ridge", ridge, 1e-9, 1e9)
    encoded = [_encode(each, window, bits) for each in examples if len(each.features)]
    if not any(len(sizes) for _, sizes, _ in encoded):
        return ArcModel(np.zeros(1 << bits, np.int8), 0.0)
    rows, sizes, chosen = zip(*encoded, strict=True)
    begin = np.append(0, np.cumsum(np.concatenate(sizes)))
    matrix = maxent.sparse_rows(_stacked(rows), 1 << bits)
    weights = maxent.conditional_logit(
        matrix, begin, begin[:-1] + np.concatenate(chosen), ridge, SEARCH
    )
    size = float(abs(weights).max()) / STEPS
    return ArcModel(np.rint(weights / (size or 1.0)).astype(np.int8), size)


def _encode(
    example: ArcExample, window: CandidateWindow, bits: int
) -> tuple[Indices, Indices, Indices]:
    """Return the weight indices of all candidates, their number for each unit, and the heads.

    Units whose head is unknown, or lies before the window, are left out.
    """
    features, heads, ends = example
    rows, sizes, chosen = [], [], []
    for first in range(0, len(features), AT_ONCE):
        stop = min(first + AT_ONCE, len(features))
        column = _head_columns(heads[first:stop], np.arange(first, stop), window)
        candidates = _candidates(features, window, first, stop, ends)
        known = (column >= 0) & candidates[np.arange(stop - first), column]
        indices = weight_indices(features, window, bits, first, stop)[known]
        rows.append(indices[candidates[known]].astype(np.int32))
        sizes.append(candidates[known].sum(axis=1))
        before = np.cumsum(candidates[known], axis=1) - 1
        chosen.append(before[np.arange(len(before)), column[known]])
    return np.concatenate(rows), np.concatenate(sizes), np.concatenate(chosen)


def _stacked(rows: Sequence[Indices]) -> Indices:
    """Concatenate rows; rows of recordings with fewer features are filled with -1."""
    width = max(each.shape[1] for each in rows)
    edges = [((0, 0), (0, width - each.shape[1])) for each in rows]
    return np.concatenate(
        [np.pad(each, edge, constant_values=-1) for each, edge in zip(rows, edges, strict=True)]
    )


def _head_columns(heads: Indices, units: Indices, window: CandidateWindow) -> Indices:
    """Return the column of the head of each unit, -1 where there is none."""
    far = heads - units
    last = window.width - END
    column = np.where(far > window.ahead, last + UNSEEN, far + window.back)
    column = np.where(heads == ROOT, last + END, column)
    return np.where((heads < ROOT) | ((heads > ROOT) & (far < -window.back)), -1, column)


def _candidates(
    features: UnitFeatures, window: CandidateWindow, first: int, stop: int, ends: Flags | None
) -> Flags:
    found = window.candidates(len(features), first, stop)
    if ends is not None:
        sentence: Indices = np.cumsum(ends) - ends
        padded: Indices = np.pad(sentence, (window.back, window.ahead), constant_values=-1)
        around = sliding_window_view(padded, window.width)[first:stop]
        found[:, : window.width] &= around == sentence[first:stop, None]
        found[:, UNSEEN] = False
    return found


def arc_scores(log_probabilities: Floats, window: CandidateWindow) -> tuple[Floats, Floats]:
    """Return the scores of arcs, as far ahead as back, and of roots.

    Heads beyond the window share the probability of the candidate `<c>` evenly.
    """
    units, root, unseen = np.split(log_probabilities, [window.width, window.width + 1], axis=1)
    farther = window.back - window.ahead
    beyond = np.repeat(unseen - np.log(max(farther, 1)), farther, axis=1)
    return np.concatenate([units, beyond], axis=1), root[:, 0]


def damaged(what: str) -> ModelError:
    """Return the error for a stored model that is damaged."""
    return ModelError(f"the model is damaged: {what}", remedy="train it again")
