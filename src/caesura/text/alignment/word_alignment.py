"""Align the words of two texts with the fewest edits, or with the weights of sclite.

Of several alignments with the fewest edits, it is the one that `rapidfuzz` returns for the whole
document, which is also jiwer's, so that numbers agree. With sclite's weights it is sclite's.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from caesura.core.arrays import ByValue, Flags, Indices
from caesura.core.config import check_one_of
from caesura.core.errors import LayerError
from caesura.text.alignment.sclite import NumberedTexts, Unpaired, lightest_alignment

WEIGHTS = ("edits", "sclite")
"""What is minimised: the number of edits, or their weights as in sclite (see `sclite`)."""


@dataclass(frozen=True, eq=False)
class Alignment(ByValue):
    """For each target word the source word it is aligned with (-1: none), and whether equal."""

    source: Indices
    equal: Flags
    source_length: int

    def __post_init__(self) -> None:
        source = np.array(self.source, dtype=np.int64)
        equal = np.array(self.equal, dtype=np.bool_)
        if len(source) != len(equal):
            raise LayerError(f"equal has {len(equal)} cells for {len(source)} words")
        if np.count_nonzero((source < -1) | (source >= self.source_length)):
            raise LayerError(f"source points outside the {self.source_length} words")
        if np.count_nonzero(equal & (source < 0)):
            raise LayerError("a word without a counterpart cannot be equal to it")
        for name, values in (("source", source), ("equal", equal)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @property
    def hits(self) -> int:
        """Target words aligned to an equal word."""
        return int(np.count_nonzero(self.equal))

    @property
    def substitutions(self) -> int:
        """Target words aligned to another word."""
        return int(np.count_nonzero(self.source >= 0)) - self.hits

    @property
    def insertions(self) -> int:
        """Target words without a counterpart."""
        return int(np.count_nonzero(self.source < 0))

    @property
    def deletions(self) -> int:
        """Source words without a counterpart."""
        return self.source_length - self.hits - self.substitutions

    @property
    def edits(self) -> int:
        """The number of edits."""
        return self.substitutions + self.insertions + self.deletions

    @property
    def target(self) -> Indices:
        """For each source word the target word it is aligned with, -1 if there is none."""
        return self._places(self.source >= 0)

    @property
    def equal_target(self) -> Indices:
        """For each source word the equal target word it is aligned with, -1 if there is none."""
        return self._places(self.equal)

    @property
    def gaps(self) -> Indices:
        """For each source gap the gap after the last target word aligned at or before it."""
        return np.maximum.accumulate(self.target)

    def _places(self, known: Flags) -> Indices:
        place = np.full(self.source_length, -1, dtype=np.int64)
        place[self.source[known]] = np.flatnonzero(known)
        return place

    def check(self, source: int, target: int) -> None:
        """Raise an error unless this is an alignment of texts of this length."""
        if (self.source_length, len(self.source)) != (source, target):
            raise LayerError(
                f"the alignment is of {self.source_length} and {len(self.source)} words, "
                f"the texts have {source} and {target}"
            )


def align(source: Sequence[str], target: Sequence[str], weights: str = "edits") -> Alignment:
    """Align two texts word by word with the fewest edits, or with the least weight."""
    check_one_of("weights", weights, WEIGHTS)
    ends = np.array([len(source)]), np.array([len(target)])
    return _align_numbers(source, target, ends, weights)


def align_parts(
    source: Sequence[str],
    target: Sequence[str],
    source_stops: Sequence[int] | Indices,
    target_stops: Sequence[int] | Indices,
    weights: str = "edits",
) -> Alignment:
    """Align each part of a text with its counterpart, and return one alignment of all.

    A part holds the words from the stop of the part before to its own; it may be empty.
    """
    check_one_of("weights", weights, WEIGHTS)
    stops = _check_stops(source_stops, len(source)), _check_stops(target_stops, len(target))
    if len(stops[0]) != len(stops[1]):
        raise LayerError(f"{len(stops[0])} parts cannot be aligned with {len(stops[1])}")
    return _align_numbers(source, target, stops, weights)


def _align_numbers(
    source: Sequence[str], target: Sequence[str], stops: tuple[Indices, Indices], weights: str
) -> Alignment:
    known: defaultdict[str, int] = defaultdict(count().__next__)
    numbers = [array("Q", map(known.__getitem__, words)) for words in (source, target)]
    texts = NumberedTexts(numbers[0], numbers[1], *stops)
    found = _pair_words(texts, _fewest_edits(texts))
    if weights == "edits":
        return found
    hits, pairs = (_count_in_parts(flags, stops[1]) for flags in (found.equal, found.source >= 0))
    return _pair_words(texts, lightest_alignment(texts, hits, pairs))


def _check_stops(stops: Sequence[int] | Indices, words: int) -> Indices:
    checked = np.asarray(stops, np.int64)
    if checked[-1:].sum() != words or (np.diff(checked, prepend=0) < 0).any():
        raise LayerError(f"stops of parts must ascend to {words}, the number of words")
    return checked


def _count_in_parts(flags: Flags, stops: Indices) -> Indices:
    """Count the flags that are set in each part."""
    return np.diff(np.append(0, np.cumsum(flags))[stops], prepend=0)


def _fewest_edits(texts: NumberedTexts) -> Unpaired:
    """Return the unpaired words of the alignment of each part with the fewest edits."""
    unpaired = Unpaired([], [])
    begin = start = 0
    stops = zip(texts.source_stops.tolist(), texts.target_stops.tolist(), strict=True)
    for end, stop in stops:
        # with a `score_hint` this would be faster, and choose others among equally good ones
        found = Levenshtein.editops(texts.source[begin:end], texts.target[start:stop])
        edits: list[Any] = found.as_list()
        for tag, ours, theirs in edits:
            if tag == "delete":
                unpaired.source.append(begin + ours)
            elif tag == "insert":
                unpaired.target.append(start + theirs)
        begin, start = end, stop
    return unpaired


def _pair_words(texts: NumberedTexts, unpaired: Unpaired) -> Alignment:
    """Pair all other words in order: both texts have equally many."""
    source, target = (np.asarray(words) for words in texts[:2])
    kept, others = (
        _complement(unpaired.source, len(source)),
        _complement(unpaired.target, len(target)),
    )
    place = np.full(len(target), -1)
    place[others] = kept
    equal = np.zeros(len(target), dtype=np.bool_)
    equal[others] = source[kept] == target[others]
    return Alignment(place, equal, len(source))


def _complement(some: list[int], count: int) -> Indices:
    flags = np.ones(count, np.bool_)
    flags[some] = False
    return flags.nonzero()[0]


KINDS = ("equal", "substituted", "deleted", "inserted")
"""The kinds of rows, in the order of their codes."""

EQUAL, SUBSTITUTED, DELETED, INSERTED = range(len(KINDS))


@dataclass(frozen=True)
class SideBySide:
    """Rows for display: source word and target word (-1: none), kind and part of each."""

    source: Indices
    target: Indices
    kind: NDArray[np.int8]
    part: Indices

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def wrong(self) -> Indices:
        """The rows that are errors."""
        return np.flatnonzero(self.kind != EQUAL)


def side_by_side(
    alignment: Alignment, source_part: Indices | None = None, target_part: Indices | None = None
) -> SideBySide:
    """Put the words of both texts in rows, part after part if they were aligned in parts.

    Between two aligned pairs, inserted words come before deleted ones.
    """
    deleted = np.flatnonzero(alignment.target < 0)
    reached = np.maximum.accumulate(alignment.source)
    count = len(alignment.source)
    source = np.concatenate((alignment.source, deleted))
    target = np.concatenate((np.arange(count), np.full(len(deleted), -1)))
    kind = np.full(len(source), DELETED, np.int8)
    kind[:count] = np.where(alignment.equal, EQUAL, SUBSTITUTED)
    kind[:count][alignment.source < 0] = INSERTED
    place = np.concatenate((reached, deleted))
    part = np.zeros_like(source)
    if source_part is not None and target_part is not None:
        part = np.concatenate((target_part, source_part[deleted]))
    # Sorting is stable, so that inserted words stay behind the word that they follow.
    order = np.lexsort((place, part))
    return SideBySide(source[order], target[order], kind[order], part[order])
