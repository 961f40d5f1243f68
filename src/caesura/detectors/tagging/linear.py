"""The linear classifier of words that the tagger and the entity model share.

`WordFeatures` hashes the words of recordings and makes a key for each feature of a word and its
neighbours. `TrainingExamples` fits a weight for each feature and label by maximum entropy.
`LinearModel` holds these weights in 8 bits, scores words with them, and is stored as arrays.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.errors import ModelError
from caesura.ml import maxent
from caesura.ml.features import Hashes, Keys, Plan, Table, Template, hash_spelling, plan

logger = logging.getLogger("caesura.training")

LONGEST_AFFIX = 4
"""Letters of the longest prefixes and suffixes."""

AFFIXES = tuple(
    f"{side}{size}" for side in ("prefix", "suffix") for size in range(1, LONGEST_AFFIX + 1)
)

MARGIN = 2
"""How many words before and after a word are looked at."""

OUTSIDE = 0
"""The number of the distinct word that stands before, between and after recordings."""

MOST_LABELS = 1000
"""Labels that a model can have."""

STEPS = 127
"""The largest quantised weight."""

SMALLEST_SCALE, LARGEST_SCALE = 1e-6, 1e3

Quantised = NDArray[np.int8]
Scales = NDArray[np.float16]


def affix_hashes(word: str, longest: int) -> list[int]:
    """Hash the prefixes and suffixes in the order of `AFFIXES`; 0 for those above `longest`."""
    sizes = range(1, LONGEST_AFFIX + 1)
    prefixes = [hash_spelling(word[:size]) if size <= longest else 0 for size in sizes]
    suffixes = [hash_spelling(word[-size:]) if size <= longest else 0 for size in sizes]
    return [*prefixes, *suffixes]


@dataclass(frozen=True, eq=False)
class WordFeatures:
    """The words of recordings as numbers of distinct words, and hashes of each distinct word.

    There are `MARGIN` positions outside before, between and after recordings, so that no word
    sees a word of another recording.
    """

    columns: Mapping[str, Hashes]
    """Named hashes of the distinct words; 0 is a missing one. The first word is `OUTSIDE`."""

    numbers: Indices
    """The number of the distinct word at each position."""

    positions: Indices
    """The positions of words; all others are outside recordings."""

    combine: Callable[[Plan, Hashes], Keys]
    """The hash function that makes one key of the values of a template's parts."""

    tags: Hashes | None = None
    """Hashes of the tags at all positions, if tags are looked at."""

    @classmethod
    def of(
        cls,
        recordings: Iterable[Sequence[str]],
        columns: Mapping[str, int],
        hash_word: Callable[[str], Sequence[int]],
        outside: Sequence[int],
        combine: Callable[[Plan, Hashes], Keys],
    ) -> WordFeatures:
        """Number the distinct words of recordings and hash each of them.

        `columns` names those hashes of `hash_word` that are used, with their places; `outside`
        are the hashes of what stands outside recordings.
        """
        found: dict[str, int] = {}
        numbers = [OUTSIDE] * MARGIN
        for words in recordings:
            numbers += [found.setdefault(word, len(found) + 1) for word in words]
            numbers += [OUTSIDE] * MARGIN
        table = np.array([outside, *map(hash_word, found)], np.uint64)
        array = np.array(numbers, np.int64)
        named = {name: table[:, at] for name, at in columns.items()}
        return cls(named, array, np.flatnonzero(array != OUTSIDE), combine)

    def with_tags(self, tags: Hashes, outside: int) -> WordFeatures:
        """Add the hashes of the words' tags, and of what stands outside recordings."""
        found = np.full(len(self.numbers), outside, np.uint64)
        found[self.positions] = tags
        return replace(self, tags=found)

    def keys(self, templates: tuple[Template, ...]) -> Keys:
        """Return the keys of each word; templates whose columns are missing have none."""
        names = frozenset(self.columns) | ({"tag"} if self.tags is not None else set())
        planned = plan(names, templates)
        values = np.zeros((len(planned.parts) + 1, len(self.positions)), np.uint64)
        for row, (name, at) in zip(values, planned.parts, strict=False):
            place = self.positions + at
            if name == "tag" and self.tags is not None:
                row[:] = self.tags[place]
            else:
                row[:] = self.columns[name][self.numbers[place]]
        return self.combine(planned, values)

    def single_keys(
        self, templates: tuple[Template, ...]
    ) -> tuple[tuple[int, ...], tuple[int, ...], Keys]:
        """Return the keys of each distinct word for templates that look at one word alone.

        Before them come the offsets of these templates, and where each offset begins.
        """
        planned = plan(frozenset(self.columns), templates)
        values = np.zeros((len(planned.parts) + 1, len(self.columns["word"])), np.uint64)
        for row, (name, _) in zip(values, planned.parts, strict=False):
            row[:] = self.columns[name]
        return *_groups(planned.templates), self.combine(planned, values)


@lru_cache(maxsize=16)
def _groups(templates: tuple[Template, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the distinct offsets of templates that are sorted by offset, and their starts."""
    offsets = [at for ((_, at),) in templates]
    starts = [k for k, at in enumerate(offsets) if k == 0 or at != offsets[k - 1]]
    return tuple(offsets[k] for k in starts), tuple(starts)


@dataclass(frozen=True, eq=False)
class TrainingExamples:
    """Words whose labels are known: the features of each word as a sparse row.

    Several models can be fitted to the same rows: `labels` has the label numbers of each model
    under a text that says what it is about; -1 is an unknown label.
    """

    keys: Indices
    """The key of the feature in each column."""

    rows: Any
    labels: Mapping[str, Indices]
    count: int
    """How many labels each model has."""

    ridge: float
    offset: Floats | None = None
    """Scores of the labels of each word that the weights are added to."""

    @classmethod
    def of(
        cls,
        keys: Keys,
        labels: Mapping[str, Indices],
        count: int,
        cutoff: int,
        ridge: float,
        offset: Floats | None = None,
        frequent_first: bool = False,
    ) -> TrainingExamples:
        """Make rows of the features that occur at least `cutoff` times.

        With `frequent_first` frequent features stand side by side, which keeps them in the
        processor's cache; otherwise features are in the order of their keys.
        """
        distinct, times = np.unique(keys, return_counts=True)
        kept = np.flatnonzero((times >= cutoff) & (distinct >= 0))
        if frequent_first:
            kept = kept[np.argsort(-times[kept], kind="stable")]
        columns = Table(distinct[kept]).find(keys.ravel()).reshape(keys.shape)
        rows = maxent.sparse_rows(np.ascontiguousarray(columns.T), len(kept))
        return cls(distinct[kept], rows, labels, count, ridge, offset)

    def strongest(
        self, size: int, strength: Callable[[TrainingExamples], Floats]
    ) -> TrainingExamples:
        """Keep the `size` features of the greatest strength."""
        if len(self.keys) <= size:
            return self
        kept = np.sort(np.argsort(-strength(self), kind="stable")[:size])
        return replace(self, keys=self.keys[kept], rows=self.rows[:, kept].tocsr())

    def fit(self, search: maxent.Search, chosen: Any = True) -> Floats:
        """Fit the weights on the chosen words: a row for each feature, the labels side by side."""
        weights = []
        for about, labels in self.labels.items():
            if about:
                logger.info("  %s", about)
            known = np.flatnonzero((labels >= 0) & chosen)
            offset = None if self.offset is None else self.offset[known]
            rows = self.rows if len(known) == len(labels) else self.rows[known]
            weights.append(
                maxent.multinomial(rows, labels[known], self.count, self.ridge, offset, search)
            )
        return np.concatenate(weights, axis=1)

    @property
    def frequency(self) -> Floats:
        """The number of words with each feature."""
        return np.asarray(self.rows.sum(axis=0)).ravel()


def quantise(weights: Floats) -> tuple[Quantised, Scales]:
    """Round weights to whole numbers from -127 to 127, times a scale for each row."""
    largest = abs(weights).max(axis=1, initial=0)
    scales = np.clip(largest / STEPS, SMALLEST_SCALE, LARGEST_SCALE).astype(np.float16)
    steps = np.round(weights / scales.astype(np.float64)[:, None])
    return np.clip(steps, -STEPS, STEPS).astype(np.int8), scales


def dequantise(weights: Quantised, scales: Scales) -> NDArray[np.float32]:
    """Return the weights that quantised ones stand for."""
    return weights * scales.astype(np.float32)[:, None]


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Keys of features in ascending order, and their quantised weights for each label."""

    labels: Strings
    keys: Indices
    weights: Quantised
    scales: Scales

    title: ClassVar[str]
    """What error messages call the model."""

    labels_array: ClassVar[str]
    """The name of the stored array that holds the labels, as the bytes of a JSON list."""

    precision: ClassVar[type[np.floating[Any]]] = np.float32
    """The type of scores: sums of weights are exact in float64, and faster in float32."""

    @classmethod
    def quantised(cls, labels: Strings, keys: Indices, weights: Floats) -> Self:
        """Sort weights by their keys and quantise them."""
        order = np.argsort(keys)
        return cls(labels, keys[order], *quantise(weights[order]))

    @classmethod
    def columns_for(cls, labels: int) -> int:
        """Return how many weights each feature has if there are so many labels."""
        return labels

    def scores(
        self, words: WordFeatures, single: tuple[Template, ...], context: tuple[Template, ...]
    ) -> NDArray[Any]:
        """Score the labels of each word; `single` templates look at one word alone.

        The weights of these are summed up once for each distinct word.
        """
        offsets, starts, alone = words.single_keys(single)
        around = words.keys(context)
        found = self._table.find(np.concatenate([alone.ravel(), around.ravel()]))
        summed = self._sums(found[: alone.size].reshape(alone.shape), starts)
        total: NDArray[Any] = self._sums(found[alone.size :].reshape(around.shape))[:, 0]
        for group, offset in enumerate(offsets):
            total += summed[words.numbers[words.positions + offset], group]
        return total

    def context_scores(self, words: WordFeatures, context: tuple[Template, ...]) -> NDArray[Any]:
        """Score the labels of each word by templates that look at several words or at tags."""
        keys = words.keys(context)
        found: NDArray[Any] = self._sums(self._table.find(keys.ravel()).reshape(keys.shape))[:, 0]
        return found

    def _sums(self, places: Indices, starts: tuple[int, ...] = (0,)) -> NDArray[Any]:
        """Sum up the weights of each column of `places`, from each start to the next."""
        if self.precision is np.float32:
            return maxent.sum_rows(np.ascontiguousarray(places.T), self._rows, starts)
        # Sums in float64 are exact, in any order: all weights are small multiples of 2^-24.
        total = np.zeros((places.shape[1], len(starts), self.weights.shape[1]))
        for group, (first, stop) in enumerate(pairwise((*starts, len(places)))):
            for place in places[first:stop]:
                total[:, group] += self._rows[place]
        return total

    @cached_property
    def _table(self) -> Table:
        return Table(self.keys)

    @cached_property
    def _rows(self) -> NDArray[Any]:
        return maxent.with_zero_row(dequantise(self.weights, self.scales).astype(self.precision))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the model as arrays that can be stored."""
        return {
            self.labels_array: np.frombuffer(json.dumps(self.labels).encode(), np.uint8),
            "keys": self.keys.astype(np.uint32),
            "weights": self.weights,
            "scales": self.scales,
        }

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Make a model of stored arrays; raise a `ModelError` if they are damaged."""
        if set(arrays) != {cls.labels_array, "keys", "weights", "scales"}:
            raise cls.damaged(f"it has the arrays {', '.join(sorted(arrays)) or 'none'}")
        keys, weights, scales = (np.array(arrays[name]) for name in ("keys", "weights", "scales"))
        if keys.dtype != np.uint32 or keys.ndim != 1 or (keys[1:] <= keys[:-1]).any():
            raise cls.damaged("the keys are not whole numbers in ascending order")
        labels = cls._labels(arrays[cls.labels_array])
        shape = len(keys), cls.columns_for(len(labels))
        if weights.dtype != np.int8 or weights.shape != shape:
            raise cls.damaged(f"the weights do not fit {shape[0]} keys and {shape[1]} columns")
        if scales.dtype != np.float16 or scales.shape != keys.shape:
            raise cls.damaged(f"the scales do not fit {shape[0]} keys")
        if not ((scales >= 0) & (scales <= LARGEST_SCALE)).all():
            raise cls.damaged(f"the scales are not all numbers from 0 to {LARGEST_SCALE:g}")
        return cls(labels, keys.astype(np.int64), weights, scales)

    @classmethod
    def _labels(cls, array: NDArray[Any]) -> Strings:
        name = cls.labels_array
        if array.dtype != np.uint8 or array.ndim != 1:
            raise cls.damaged(f"the {name} are not stored as bytes")
        try:
            found = json.loads(array.tobytes().decode())
        except (ValueError, RecursionError) as error:
            raise cls.damaged(f"the {name} are not JSON") from error
        if not isinstance(found, list) or not found:
            raise cls.damaged(f"the {name} are not a list")
        if not all(isinstance(label, str) and label for label in found):
            raise cls.damaged(f"the {name} are not all texts")
        if found != sorted(set(found)):
            raise cls.damaged(f"the {name} are not sorted or not distinct")
        if problem := label_problem(found, name):
            raise cls.damaged(problem)
        return tuple(found)

    @classmethod
    def damaged(cls, problem: str) -> ModelError:
        """Return the error that says what is wrong with stored arrays."""
        return ModelError(f"the {cls.title} is damaged: {problem}", remedy="train it again")


def label_problem(labels: Sequence[str], name: str) -> str:
    """Say why labels of this name can be neither trained nor loaded, or '' if they can."""
    if len(labels) > MOST_LABELS:
        return f"there are {len(labels)} {name}, and there can be {MOST_LABELS}"
    odd = [label for label in labels if not label.isprintable()]
    return f"one of the {name} cannot be printed: {odd[0]!a}" if odd else ""
