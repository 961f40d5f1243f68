"""What metrics of boundaries share: counting by gaps, and averaging over references."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from math import fsum
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Indices, Strings
from caesura.core.errors import LayerError, MismatchError
from caesura.core.protocols import Metric, PerGapCounts
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Undefined, Value

NO_HYPOTHESIS = "no boundary in the hypothesis"
NO_REFERENCE = "no boundary in the reference"
NONE_GIVEN = "nothing was scored: there is no recording, or no reference"
ONE_GIVEN = "one reference agrees with nobody: it takes two"
NO_BOUNDARY = "no boundary in any reference"
NO_GAPS = "there are no gaps between words"

NUMBERED = re.compile(r"(.+?)((?:_\d+)+)", re.ASCII | re.DOTALL)


class GapMetric(Metric):
    """A metric whose counts are sums over the gaps between words."""

    @abstractmethod
    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Say how much each gap adds to each count."""

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Sum over all gaps."""
        return Counts(
            **{name: total(gaps) for name, gaps in self.per_gap_counts(hypothesis, references)}
        )


class PerReference(Metric):
    """A metric of a hypothesis and one reference; of several references it is the mean.

    The counts of each reference are kept apart, and the values of each stand beside the mean
    as `f1_1`, `f1_2` and so on. If one of them is undefined, so is the mean.
    """

    @abstractmethod
    def rates(self, counts: Counts) -> dict[str, Value]:
        """Give the values against one reference."""

    def values(self, counts: Counts) -> dict[str, Value]:
        """Average the rates over references and add up the counts; each reference after that."""
        parts = by_reference(counts)
        rates = [self.rates(part) for part in parts]
        if not parts:
            return {name: Undefined(NONE_GIVEN) for name in self.rates(Counts())}
        found = {name: mean([each[name] for each in rates]) for name in rates[0]}
        parts = [self.drawn(part) for part in parts]
        found |= dict(Counts.total(parts))
        if len(parts) > 1:
            for number, (each, part) in enumerate(zip(rates, parts, strict=True), 1):
                found |= {f"{name}_{number}": value for name, value in (each | dict(part)).items()}
        return found


class Pairwise(PerReference, GapMetric):
    """A metric of the gaps of a hypothesis and one reference."""

    @abstractmethod
    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Say how much each gap adds to each count against one of the references."""

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Number the counts by reference."""
        if self.same_words:
            refuse_other_lengths(hypothesis, references)
        for number, reference in enumerate(references, 1):
            for name, gaps in self.compare(hypothesis, reference, references):
                yield f"{name}_{number}", gaps


def missing(lost: Sequence[Indices], count: int, *names: str) -> PerGapCounts:
    """Add what each reference has lost to its counts of these names."""
    for number, places in enumerate(lost, 1):
        for name in names:
            yield f"{name}_{number}", np.bincount(places, minlength=count)


def by_reference(counts: Counts) -> list[Counts]:
    """Take the counts that are numbered by reference apart."""
    parts: dict[int, dict[str, float]] = {}
    for name, count in counts.items():
        stem, numbers = numbered(name)
        if len(numbers) == 1:
            parts.setdefault(numbers[0], {})[stem] = count
    return [Counts(**parts[number]) for number in sorted(parts)]


@lru_cache(maxsize=1 << 12)
def numbered(name: str) -> tuple[str, tuple[int, ...]]:
    """Read the references off a name: `f1_2` is of the second, `f1_1_2` of two, `f1` of none."""
    found = NUMBERED.fullmatch(name)
    if not found:
        return name, ()
    return found[1], tuple(map(int, found[2].split("_")[1:]))


def mean(values: Sequence[Value]) -> Value:
    """Average over references; undefined if one of them is."""
    if len(values) == 1:
        return values[0]
    for number, value in enumerate(values, 1):
        if isinstance(value, Undefined):
            return Undefined(f"reference {number}: {value.reason}")
    # fsum, because the order of references must not matter, not even in the last digit.
    return fsum(values) / len(values)  # type: ignore[arg-type]


def harmonic(precision: Value, recall: Value) -> Value:
    """F1 of two values; undefined if one of them is, 0 if both are."""
    for value in (precision, recall):
        if isinstance(value, Undefined):
            return value
    total = precision + recall  # type: ignore[operator]
    return 2 * precision * recall / total if total else 0.0  # type: ignore[operator]


def total(gaps: NDArray[Any]) -> int:
    """Sum a column."""
    if gaps.dtype == np.bool_:
        return int(np.count_nonzero(gaps))
    return int(gaps.sum(dtype=np.int64))


def known_sentences(transcript: Transcript) -> Segmentation:
    """Give the sentences, or say how to find them."""
    if transcript.sentences is None:
        raise LayerError(
            f"{transcript.id or 'a transcript'} has no sentences",
            remedy="find them first: caesura segment",
        )
    return transcript.sentences


def known_entities(reference: Transcript, hypothesis: Transcript) -> tuple[Span, ...]:
    """Give the entities of a reference, or say what to give."""
    if reference.entities is None:
        remedy = "give a file that has them, such as nlp, bio or jsonl"
        if hypothesis.entities is not None:
            remedy = f"the hypothesis has them: are the two sides swapped? If not, {remedy}"
        name = reference.id or "unnamed"
        raise LayerError(f"a reference ({name}) has no entities", remedy=remedy)
    return reference.entities


def ends(transcript: Transcript, count_end: bool = False) -> Flags:
    """Flag the gaps where a sentence ends; the last gap, always an end, only if it counts."""
    boundary = known_sentences(transcript).boundary
    if count_end or not len(boundary):
        return boundary
    inside = boundary.copy()
    inside[-1] = False
    return inside


def inside(count: int, count_end: bool = False) -> Flags:
    """Flag the gaps of so many words that count: all, or all but the last."""
    flags = np.ones(count, np.bool_)
    if not count_end:
        flags[-1:] = False
    return flags


def marks(references: Sequence[Transcript], count_end: bool = False) -> Indices:
    """How many references have a boundary at each gap."""
    at = np.zeros(len(references[0]), np.int64)
    for one in references:
        at += ends(one, count_end)
    return at


def column(count: int, places: Indices, numbers: Indices | int = 1) -> Indices:
    """Make a column over so many words that is 0 but for these places."""
    made = np.zeros(count, np.int64)
    made[places] = numbers
    return made


def refuse_other_lengths(hypothesis: Transcript, references: Sequence[Transcript]) -> None:
    """Raise an error unless all have as many words."""
    for reference in references:
        if len(reference) != len(hypothesis):
            raise MismatchError(
                f"the hypothesis has {len(hypothesis)} words and a reference {len(reference)}",
                where=hypothesis.id,
                remedy="add --align to carry the boundaries over by alignment",
            )


T = TypeVar("T")
Key = tuple[Metric, int, int]

MOST = 2_000_000
"""Words of all transcripts together whose results are kept."""


class Entry(NamedTuple, Generic[T]):
    """A result, and the transcripts it is of, so that their identities are not used again."""

    one: Transcript
    other: Transcript
    found: T

    @property
    def words(self) -> int:
        """How many words it is about, and one at least."""
        return 1 + len(self.one) + len(self.other)


class Kept(Generic[T]):
    """Results by metric and pair of transcripts, which are known by identity, not by value."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Key, Entry[T]] = OrderedDict()
        self._words = 0

    def put(self, metric: Metric, one: Transcript, other: Transcript, found: T) -> T:
        """Keep a result, at the cost of the oldest ones; gives it back."""
        key, entry = (metric, id(one), id(other)), Entry(one, other, found)
        self._drop(key)
        self._entries[key] = entry
        self._words += entry.words
        while self._words > MOST:
            self._drop(next(iter(self._entries)))
        return found

    def get(self, metric: Metric, one: Transcript, other: Transcript) -> T | None:
        """Give a result that is still kept."""
        entry = self._entries.get((metric, id(one), id(other)))
        return entry.found if entry else None

    def _drop(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        self._words -= entry.words if entry else 0


AROUND = 3
"""Words that are told before and after a place."""


def surrounding(words: Strings, first: int, last: int) -> tuple[str, str]:
    """Give what stands before word `first` and after word `last`."""
    before, after = words[max(0, first - AROUND) : first], words[last + 1 : last + 1 + AROUND]
    return " ".join(before), " ".join(after)
