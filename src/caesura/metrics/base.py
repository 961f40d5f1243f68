"""Shared by metrics: counting by gap, averaging over references, a cache, words of context.

At the end: warnings about texts that share too few words to be of the same recording.
"""

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
from caesura.text.alignment.word_alignment import Alignment

NO_HYPOTHESIS = "no boundary in the hypothesis"
NO_REFERENCE = "no boundary in the reference"
NONE_GIVEN = "nothing was scored: there is no recording, or no reference"
ONE_GIVEN = "agreement takes two references: there is only one"
NO_BOUNDARY = "no boundary in any reference"
NO_GAPS = "there are no gaps between words"

NAME_AND_NUMBERS = re.compile(r"(.+?)((?:_\d+)+)", re.ASCII | re.DOTALL)


class GapMetric(Metric):
    """A metric whose counts are sums over the gaps between words."""

    @abstractmethod
    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield how much each gap adds to each count."""

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Return the counts: sums over all gaps."""
        return Counts(
            **{name: column_sum(gaps) for name, gaps in self.per_gap_counts(hypothesis, references)}
        )


class PerReference(Metric):
    """A metric that compares with one reference; its value for several is the mean.

    The counts for each reference are kept apart, and its values are given as `f1_1`, `f1_2` and
    so on, beside the mean. If one of them is undefined, so is the mean.
    """

    @abstractmethod
    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return the values for one reference."""

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return the mean rates and the summed counts, then those of each reference."""
        parts = split_by_reference(counts)
        rates = [self.rates(part) for part in parts]
        if not parts:
            return {name: Undefined(NONE_GIVEN) for name in self.rates(Counts())}
        found = {name: mean_over_references([one[name] for one in rates]) for name in rates[0]}
        parts = [self.resampled_counts(part) for part in parts]
        found |= dict(Counts.total(parts))
        if len(parts) > 1:
            for number, (one, part) in enumerate(zip(rates, parts, strict=True), 1):
                found |= {f"{name}_{number}": value for name, value in (one | dict(part)).items()}
        return found


class Pairwise(PerReference, GapMetric):
    """A metric that compares the gaps of a hypothesis with those of one reference."""

    @abstractmethod
    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield how much each gap adds to each count for one of the references."""

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield the counts of all references, with the number of the reference in their names."""
        if self.same_words:
            require_same_length(hypothesis, references)
        for number, reference in enumerate(references, 1):
            for name, gaps in self.compare(hypothesis, reference, references):
                yield f"{name}_{number}", gaps


def lost_boundary_counts(lost: Sequence[Indices], count: int, *names: str) -> PerGapCounts:
    """Yield, under these names, the boundaries that each reference lost in an alignment."""
    for number, places in enumerate(lost, 1):
        for name in names:
            yield f"{name}_{number}", np.bincount(places, minlength=count)


def split_by_reference(counts: Counts) -> list[Counts]:
    """Return the counts of each reference, without its number in their names."""
    parts: dict[int, dict[str, float]] = {}
    for name, count in counts.items():
        stem, numbers = split_name(name)
        if len(numbers) == 1:
            parts.setdefault(numbers[0], {})[stem] = count
    return [Counts(**parts[number]) for number in sorted(parts)]


@lru_cache(maxsize=1 << 12)
def split_name(name: str) -> tuple[str, tuple[int, ...]]:
    """Split a name into its stem and reference numbers: `f1_1_2` is `f1` and (1, 2)."""
    match = NAME_AND_NUMBERS.fullmatch(name)
    if not match:
        return name, ()
    return match[1], tuple(map(int, match[2].split("_")[1:]))


def mean_over_references(values: Sequence[Value]) -> Value:
    """Return the mean over references; undefined if the value of one of them is."""
    if len(values) == 1:
        return values[0]
    for number, value in enumerate(values, 1):
        if isinstance(value, Undefined):
            return Undefined(f"reference {number}: {value.reason}")
    # fsum, because the order of references must not matter, not even in the last digit.
    return fsum(values) / len(values)  # type: ignore[arg-type]


def harmonic_mean(precision: Value, recall: Value) -> Value:
    """Return F1 = 2PR / (P + R); undefined if P or R is, 0 if both are 0."""
    for value in (precision, recall):
        if isinstance(value, Undefined):
            return value
    total = precision + recall  # type: ignore[operator]
    return 2 * precision * recall / total if total else 0.0  # type: ignore[operator]


def column_sum(gaps: NDArray[Any]) -> int:
    """Return the sum of a column of flags or numbers."""
    if gaps.dtype == np.bool_:
        return int(np.count_nonzero(gaps))
    return int(gaps.sum(dtype=np.int64))


def require_sentences(transcript: Transcript) -> Segmentation:
    """Return the sentences of a transcript, or raise an error that says how to get them."""
    if transcript.sentences is None:
        raise LayerError(
            f"{transcript.id or 'a transcript'} has no sentences",
            remedy="find them first: caesura segment",
        )
    return transcript.sentences


def require_entities(reference: Transcript, hypothesis: Transcript) -> tuple[Span, ...]:
    """Return the entities of a reference, or raise an error that says how to get them."""
    if reference.entities is None:
        remedy = "give a file that has them, such as nlp, bio or jsonl"
        if hypothesis.entities is not None:
            remedy = f"the hypothesis has them: are the two sides swapped? If not, {remedy}"
        name = reference.id or "unnamed"
        raise LayerError(f"a reference ({name}) has no entities", remedy=remedy)
    return reference.entities


def boundary_flags(transcript: Transcript, count_end: bool = False) -> Flags:
    """Flag the gaps where a sentence ends; the last gap, always an end, only with `count_end`."""
    boundary = require_sentences(transcript).boundary
    if count_end or not len(boundary):
        return boundary
    inside = boundary.copy()
    inside[-1] = False
    return inside


def counted_gaps(count: int, count_end: bool = False) -> Flags:
    """Flag the gaps after `count` words that count: all, or all but the last."""
    flags = np.ones(count, np.bool_)
    if not count_end:
        flags[-1:] = False
    return flags


def votes(references: Sequence[Transcript], count_end: bool = False) -> Indices:
    """Count the references that have a boundary at each gap."""
    at = np.zeros(len(references[0]), np.int64)
    for reference in references:
        at += boundary_flags(reference, count_end)
    return at


def sparse_column(count: int, places: Indices, numbers: Indices | int = 1) -> Indices:
    """Make a column over `count` words that has `numbers` at these places and 0 elsewhere."""
    made = np.zeros(count, np.int64)
    made[places] = numbers
    return made


def require_same_length(hypothesis: Transcript, references: Sequence[Transcript]) -> None:
    """Raise an error unless all references have as many words as the hypothesis."""
    for reference in references:
        if len(reference) != len(hypothesis):
            raise MismatchError(
                f"the hypothesis has {len(hypothesis)} words and a reference {len(reference)}",
                where=hypothesis.id,
                remedy="add align=True (--align) to carry the boundaries over by alignment",
            )


T = TypeVar("T")
Key = tuple[Metric, int, int]

MAX_CACHED_WORDS = 2_000_000
"""How many words the transcripts of all cached results may have together."""


class Entry(NamedTuple, Generic[T]):
    """A result with its transcripts, which are kept so that their identities are not reused."""

    hypothesis: Transcript
    reference: Transcript
    result: T

    @property
    def words(self) -> int:
        """The words of both transcripts, and at least one."""
        return 1 + len(self.hypothesis) + len(self.reference)


class ResultCache(Generic[T]):
    """A cache of results by metric and pair of transcripts (by identity, not by value)."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Key, Entry[T]] = OrderedDict()
        self._words = 0

    def put(self, metric: Metric, hypothesis: Transcript, reference: Transcript, result: T) -> T:
        """Store a result, drop the oldest ones if there is no room, and return it."""
        key = (metric, id(hypothesis), id(reference))
        entry = Entry(hypothesis, reference, result)
        self._drop(key)
        self._entries[key] = entry
        self._words += entry.words
        while self._words > MAX_CACHED_WORDS:
            self._drop(next(iter(self._entries)))
        return result

    def get(self, metric: Metric, hypothesis: Transcript, reference: Transcript) -> T | None:
        """Return a result, or None if it is not in the cache."""
        entry = self._entries.get((metric, id(hypothesis), id(reference)))
        return entry.result if entry else None

    def _drop(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        self._words -= entry.words if entry else 0


CONTEXT = 3
"""How many words are shown before and after a place."""


def context_words(words: Strings, first: int, last: int) -> tuple[str, str]:
    """Return the words before word `first` and those after word `last`, as text."""
    before, after = words[max(0, first - CONTEXT) : first], words[last + 1 : last + 1 + CONTEXT]
    return " ".join(before), " ".join(after)


PREFIX = "text_"
"""The prefix of the names of these counts."""

HALF = 0.5


def match_columns(alignment: Alignment, size: int) -> PerGapCounts:
    """Yield the words of both texts and those they share, all counted at the first word."""
    for name, count in (
        ("said", alignment.source_length),
        ("recognised", len(alignment.source)),
        ("shared", alignment.hits),
    ):
        yield f"{PREFIX}{name}", np.eye(1, size, dtype=np.int64)[0] * count


def is_mismatch(said: float, shared: float) -> bool:
    """Whether less than half of the reference words were recognised."""
    return shared < HALF * said


def mismatch_remarks(counts: Counts, number: int) -> list[str]:
    """Return a warning if the counts show that hypothesis and reference share too few words."""
    return mismatch_remark(counts[f"{PREFIX}said"], counts[f"{PREFIX}shared"], number)


def mismatch_remark(said: float, shared: float, number: int) -> list[str]:
    """Return a warning if less than half of the reference words are shared."""
    if not is_mismatch(said, shared):
        return []
    return [
        f"the hypothesis shares {shared / said:.0%} of the words of reference {number}: are they "
        "the same recordings, in the same language, with the same normalisation?"
    ]


def recognised_share(counts: Counts) -> float | None:
    """Return hypothesis words / reference words if that is less than half, else None."""
    said, recognised = counts[f"{PREFIX}said"], counts[f"{PREFIX}recognised"]
    return recognised / said if recognised < HALF * said else None
