"""One recording made comparable: normalised, aligned if need be, and counted by each metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from caesura.contracts import Counts, Metric
from caesura.errors import LayerError
from caesura.numeric.stats import Resampling, Rows
from caesura.pairing import refuse_other_words
from caesura.text.align import Carried, carry
from caesura.text.normalize import normalize
from caesura.transcript import Indices, Transcript

BLOCK = 5
"""Sentences that are drawn together when parts of one recording are resampled."""

REMEDIES = {"sentences": "find sentences first: caesura segment … --to jsonl"}

NO_RESAMPLING = Resampling(resamples=0)


@dataclass(frozen=True)
class Terms:
    """How texts are made comparable, and how often their counts are drawn again."""

    normalize: tuple[str, ...]
    align: bool
    resampling: Resampling = NO_RESAMPLING


@dataclass(frozen=True)
class Coverage:
    """What an alignment of a hypothesis with one reference left without a counterpart."""

    hypothesis_words_unmatched: int
    reference_words_unmatched: int
    words_replaced: int
    boundaries_lost: int

    @classmethod
    def of(cls, carried: Carried) -> Coverage:
        """Read it off what was carried over."""
        found = carried.alignment
        return cls(found.insertions, found.deletions, found.substitutions, carried.lost_boundaries)


@dataclass(frozen=True)
class Document:
    """One recording: the texts as they were compared, and a set of counts for each metric.

    `hypothesis` is as it was read, `compared` and `references` are normalised, and `carried`
    are the references on the words of the hypothesis.
    """

    id: str
    hypothesis: Transcript
    compared: Transcript
    references: tuple[Transcript, ...]
    carried: tuple[Transcript, ...]
    counts: tuple[Counts, ...]
    coverage: tuple[Coverage, ...] = ()

    @property
    def words(self) -> int:
        """How many words were compared."""
        return len(self.compared)

    def references_for(self, metric: Metric) -> tuple[Transcript, ...]:
        """Give the references on the words that a metric wants."""
        return self.carried if metric.same_words else self.references

    def blocks(self, metric: Metric) -> list[Counts]:
        """Counts of each few sentences; none if a metric cannot tell them apart."""
        columns = metric.spread(self.compared, self.references_for(metric))
        if columns is None or not self.words:
            return []
        starts = self._starts()
        sums = {name: np.add.reduceat(gaps, starts, dtype=kind(gaps)) for name, gaps in columns}
        return [
            Counts(**{name: each[i].item() for name, each in sums.items()})
            for i in range(len(starts))
        ]

    def _starts(self) -> Indices:
        """First word of each block: as many places where any reference ends a sentence."""
        known = [one.sentences.boundary for one in self.carried if one.sentences is not None]
        flags: list[Any] = [each for each in known if len(each) == self.words]
        ends = np.flatnonzero(np.logical_or.reduce(flags)) if flags else np.zeros(0, np.int64)
        starts = np.append(0, ends[BLOCK - 1 :: BLOCK] + 1)
        return starts[starts < self.words]


def kind(gaps: Rows) -> type[np.float64] | type[np.int64]:
    """Give the type in which a column is summed."""
    return np.float64 if gaps.dtype.kind == "f" else np.int64


def document(
    hypothesis: Transcript,
    references: Sequence[Transcript],
    metrics: Sequence[Metric],
    terms: Terms,
) -> Document:
    """Compare one recording with its references."""
    for metric in metrics:
        _require_layers([hypothesis, *references], metric)
    ours = normalize(hypothesis, terms.normalize)
    theirs = tuple(normalize(one, terms.normalize) for one in references)
    carried: tuple[Transcript, ...] = theirs
    coverage: tuple[Coverage, ...] = ()
    if terms.align:
        layers = dict.fromkeys(layer for metric in metrics for layer in metric.compares)
        bare = Transcript(ours.words, id=ours.id, sentences=ours.sentences)
        moved = [carry(one, bare, layers) for one in theirs]
        carried = tuple(each.transcript for each in moved)
        coverage = tuple(map(Coverage.of, moved))
    elif any(metric.same_words for metric in metrics):
        for number, one in enumerate(theirs, 1):
            refuse_other_words(ours, one, f"reference {number}")
    made = Document(hypothesis.id, hypothesis, ours, theirs, carried, (), coverage)
    counts = [metric.count(ours, made.references_for(metric)) for metric in metrics]
    return replace(made, counts=tuple(counts))


def _require_layers(transcripts: Sequence[Transcript], metric: Metric) -> None:
    for side, transcript in enumerate(transcripts):
        for layer in metric.compares:
            if getattr(transcript, layer) is None:
                owner = f"reference {side}" if side else "the hypothesis"
                raise LayerError(
                    f"{owner} ({transcript.id or 'unnamed'}) has no {layer}, "
                    f"which {metric.name} compares",
                    remedy=REMEDIES.get(layer, f"give a format that carries {layer}"),
                )
