"""What metrics of boundaries share: counting by gaps, and averaging over references."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import fsum

import numpy as np

from caesura.contracts import Counts, Metric, Spread, Undefined, Value
from caesura.errors import LayerError, MismatchError
from caesura.transcript import Flags, Segmentation, Transcript

NO_HYPOTHESIS = "no boundary in the hypothesis"
NO_REFERENCE = "no boundary in the reference"
NONE_GIVEN = "no reference"
ONE_GIVEN = "one reference agrees with nobody: it takes two"


class GapMetric(Metric):
    """A metric whose counts are sums over the gaps between words."""

    @abstractmethod
    def spread(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Spread:
        """Say how much each gap adds to each count."""

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Sum over all gaps."""
        return Counts(**{name: total(gaps) for name, gaps in self.spread(hypothesis, references)})


class Pairwise(GapMetric):
    """A metric of a hypothesis and one reference; of several references it is the mean.

    The counts of each reference are kept apart, and the values of each stand beside the mean
    as `f1_1`, `f1_2` and so on. If one of them is undefined, so is the mean.
    """

    @abstractmethod
    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> Spread:
        """Say how much each gap adds to each count against one of the references."""

    @abstractmethod
    def rates(self, counts: Counts) -> dict[str, Value]:
        """Give the values against one reference."""

    def spread(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Spread:
        """Number the counts by reference."""
        for number, reference in enumerate(references, 1):
            for name, gaps in self.compare(hypothesis, reference, references):
                yield f"{name}_{number}", gaps

    def values(self, counts: Counts) -> dict[str, Value]:
        """Average the rates over references and add up the counts; each reference after that."""
        parts = by_reference(counts)
        rates = [self.rates(part) for part in parts]
        if not parts:
            return {name: Undefined(NONE_GIVEN) for name in self.rates(Counts())}
        found = {name: mean([each[name] for each in rates]) for name in rates[0]}
        found |= dict(sum(parts, Counts()))
        if len(parts) > 1:
            for number, (each, part) in enumerate(zip(rates, parts, strict=True), 1):
                found |= {f"{name}_{number}": value for name, value in (each | dict(part)).items()}
        return found


def by_reference(counts: Counts) -> list[Counts]:
    """Take counts apart that are numbered by reference."""
    parts: dict[int, dict[str, float]] = {}
    for name, number in counts.items():
        stem, _, reference = name.rpartition("_")
        parts.setdefault(int(reference), {})[stem] = number
    return [Counts(**parts[number]) for number in sorted(parts)]


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


def total(gaps: np.ndarray[tuple[int], np.dtype[np.generic]]) -> float:
    """Sum a column: a whole number if its cells are."""
    if gaps.dtype == np.bool_:
        return int(np.count_nonzero(gaps))
    return gaps.sum(dtype=np.float64 if gaps.dtype.kind == "f" else np.int64).item()  # type: ignore[no-any-return]


def known_sentences(transcript: Transcript) -> Segmentation:
    """Give the sentences, or say how to find them."""
    if transcript.sentences is None:
        raise LayerError(
            f"{transcript.id or 'a transcript'} has no sentences",
            remedy="find them first: caesura segment",
        )
    return transcript.sentences


def ends(transcript: Transcript, count_end: bool = False) -> Flags:
    """Flag the gaps where a sentence ends; the last gap, always an end, only if it counts."""
    boundary = known_sentences(transcript).boundary
    if count_end or not len(boundary):
        return boundary
    inside = boundary.copy()
    inside[-1] = False
    return inside


def refuse_other_lengths(hypothesis: Transcript, references: Sequence[Transcript]) -> None:
    """Raise an error unless all have as many words."""
    for reference in references:
        if len(reference) != len(hypothesis):
            raise MismatchError(
                "hypothesis and reference do not have the same number of words",
                where=hypothesis.id,
            )
