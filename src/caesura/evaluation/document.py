"""One recording made comparable: normalised, aligned if need be, and counted by each metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.errors import LayerError, MismatchError
from caesura.core.protocols import Metric, PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts
from caesura.evaluation.pairing import require_same_words, side_names
from caesura.evaluation.resampling import Resampling
from caesura.text.alignment.transfer import Transferred, transfer_layers
from caesura.text.normalization.steps import Normalizer

BLOCK_SENTENCES = 5
"""Sentences that are drawn together when parts of one recording are resampled."""

BLOCK_SIZES = {"sentences": BLOCK_SENTENCES, "words": 100}
"""The same for all that such parts can be made of."""

PLAIN_TEXT_FORMATS = {"lines", "text", "turns", "tokens"}
FEW_SHARED_WORDS = 0.5

LAYER_NAMES = {"end": "end times"}
LAYER_REMEDIES = {"sentences": "find sentences first: caesura segment … --to jsonl"}

NO_RESAMPLING = Resampling(resamples=0)


@dataclass(frozen=True)
class ScoringSettings:
    """How texts are made comparable, and how often their counts are drawn again."""

    normalize: tuple[str, ...]
    align: bool
    resampling: Resampling = NO_RESAMPLING
    base: str = ""
    """Whose words annotators are compared on, if theirs differ."""

    asked: bool = True
    """Whether the normalisation was named, and so is done for metrics of raw text too."""

    def steps(self, metric: Metric) -> tuple[str, ...]:
        """Give the normalisation for a metric."""
        return () if metric.raw and not self.asked else self.normalize


@dataclass(frozen=True)
class Coverage:
    """What an alignment of a hypothesis with one reference left without a counterpart."""

    hypothesis_words_unmatched: int
    reference_words_unmatched: int
    words_replaced: int
    boundaries_lost: int

    @classmethod
    def of(cls, carried: Transferred) -> Coverage:
        """Read it off what was carried over."""
        found = carried.alignment
        lost = len(carried.lost_boundaries)
        return cls(found.insertions, found.deletions, found.substitutions, lost)


@dataclass(frozen=True)
class Document:
    """One recording: the texts as they were compared, and a set of counts for each metric.

    `hypothesis` and `originals` are as they were read, `compared` and `references` are
    normalised by `settings` when they are asked for, and `aligned` are the references on the words
    of the hypothesis, if they were aligned. `lost` has, for each reference that was aligned, the
    gaps near which boundaries of it have none of their own.
    """

    id: str
    hypothesis: Transcript
    originals: tuple[Transcript, ...]
    counts: tuple[Counts, ...] = ()
    settings: ScoringSettings | None = None
    aligned: tuple[Transcript, ...] | None = None
    coverage: tuple[Coverage, ...] = ()
    lost: tuple[Indices, ...] = ()
    normalizer: Normalizer = field(default_factory=Normalizer, repr=False, compare=False)

    def normalized(self, transcript: Transcript) -> Transcript:
        """Normalise a text of this recording; each is normalised only once."""
        return self.normalizer(transcript, self.settings.normalize if self.settings else ())

    @property
    def compared(self) -> Transcript:
        """The hypothesis, normalised."""
        return self.normalized(self.hypothesis)

    @property
    def references(self) -> tuple[Transcript, ...]:
        """The references, normalised."""
        return tuple(map(self.normalized, self.originals))

    @property
    def carried(self) -> tuple[Transcript, ...]:
        """The references, normalised, and on the words of the hypothesis if they were aligned."""
        return self.references if self.aligned is None else self.aligned

    @property
    def words(self) -> int:
        """How many words were compared."""
        return len(self.compared)

    def is_compared_raw(self, metric: Metric) -> bool:
        """Tell whether a metric compares the texts as they were read, without normalisation."""
        return metric.raw and self.settings is not None and not self.settings.asked

    def texts_for(self, metric: Metric) -> tuple[Transcript, tuple[Transcript, ...]]:
        """Return hypothesis and references as a metric compares them."""
        if self.is_compared_raw(metric):
            return self.hypothesis, self.originals
        return self.compared, self.carried if metric.same_words else self.references

    def count(self, metric: Metric) -> Counts:
        """Count on the whole, with what the references have lost."""
        lost = Counts(**{name: int(gaps.sum()) for name, gaps in self.missed(metric) or ()})
        try:
            return metric.count(*self.texts_for(metric)) + lost
        except MismatchError as error:
            where = error.where or self.id
            raise MismatchError(error.what, where=where, remedy=error.remedy) from error

    def missed(self, metric: Metric) -> PerGapCounts | None:
        """Give what boundaries add that the references have lost."""
        return metric.missed(self.lost, self.words) if self.lost and metric.same_words else None

    def blocks(self, metric: Metric) -> list[Counts]:
        """Counts of each few sentences, or words; none if a metric cannot tell them apart."""
        hypothesis, references = self.texts_for(metric)
        columns = metric.per_gap_counts(hypothesis, references)
        if columns is None or not len(hypothesis):
            return []
        texts = references if metric.raw else self.carried
        by_words = metric.parts == "words"
        starts = (
            _word_block_starts(len(hypothesis))
            if by_words
            else _sentence_block_starts(hypothesis, texts)
        )
        sums: dict[str, Indices] = {}
        for name, gaps in (*columns, *(self.missed(metric) or ())):
            sums[name] = sums.get(name, 0) + np.add.reduceat(gaps, starts, dtype=np.int64)
        return [
            Counts(**{name: int(each[i]) for name, each in sums.items()})
            for i in range(len(starts))
        ]


def _word_block_starts(count: int) -> Indices:
    """First word of each block of as many words; what is left over goes with the last one."""
    size = BLOCK_SIZES["words"]
    return np.arange(max(1, count // size)) * size


def _sentence_block_starts(hypothesis: Transcript, references: Sequence[Transcript]) -> Indices:
    """First word of each block: as many places where any reference ends a sentence.

    If no reference has the same words, it is those of the hypothesis.
    """
    texts = [one for one in references if one.words == hypothesis.words] or [hypothesis]
    known: list[Any] = [one.sentences.boundary for one in texts if one.sentences is not None]
    ends = np.flatnonzero(np.logical_or.reduce(known)) if known else np.zeros(0, np.int64)
    starts = np.append(0, ends[BLOCK_SENTENCES - 1 :: BLOCK_SENTENCES] + 1)
    return starts[starts < len(hypothesis)]


def alignment_remarks(documents: Sequence[Document], metric: Metric) -> list[str]:
    """Tell what an alignment could not do for a metric."""
    told = []
    lost = sum(len(places) for each in documents for places in each.lost)
    if lost and any(each.missed(metric) is None for each in documents):
        told.append(
            f"{lost} boundaries of the references stand after words that the hypothesis lacks, "
            "and are not counted"
        )
    for number, shared in enumerate(_shared_word_rates(documents), 1):
        if shared < FEW_SHARED_WORDS:
            told.append(
                f"the hypothesis has {shared:.0%} of the words of reference {number}: "
                "are they the same recordings?"
            )
    return told


def _shared_word_rates(documents: Sequence[Document]) -> list[float]:
    """For each reference that was aligned, the part of its words that the hypothesis has too."""
    aligned = [each for each in documents if each.coverage]
    parts = []
    for number in range(len(aligned[0].coverage) if aligned else 0):
        words = sum(len(each.references[number]) for each in aligned)
        other = sum(
            each.coverage[number].reference_words_unmatched + each.coverage[number].words_replaced
            for each in aligned
        )
        parts.append(1 - other / words if words else 1.0)
    return parts


def format_remarks(documents: Sequence[Document], metric: Metric) -> list[str]:
    """Tell if some plain texts were read in one way and some in another.

    Where texts are compared as they are read, that may well be meant.
    """
    if metric.raw:
        return []
    texts = [text for each in documents for text in (each.hypothesis, *each.references)]
    kinds = {text.origin.format for text in texts if text.origin} & PLAIN_TEXT_FORMATS
    if len(kinds) < 2:
        return []
    return [
        f"plain texts were read as {' and as '.join(sorted(kinds))}, in which sentences end at "
        "different things: if that is wrong, name one with --format"
    ]


def score_document(
    hypothesis: Transcript,
    references: Sequence[Transcript],
    metrics: Sequence[Metric],
    settings: ScoringSettings,
    called: Strings = (),
    normalizer: Normalizer | None = None,
) -> Document:
    """Compare one recording with its references; `called` is what errors call the sides."""
    for metric in metrics:
        _require_layers([hypothesis, *references], metric, called)
    made = Document(
        hypothesis.id,
        hypothesis,
        tuple(references),
        settings=settings,
        normalizer=normalizer or Normalizer(),
    )
    if settings.align:
        layers = dict.fromkeys(layer for metric in metrics for layer in metric.compares)
        bare = Transcript(made.compared.words, id=hypothesis.id)
        moved = [transfer_layers(one, bare, layers) for one in made.references]
        made = replace(
            made,
            aligned=tuple(each.transcript for each in moved),
            coverage=tuple(map(Coverage.of, moved)),
            lost=tuple(each.lost_boundaries for each in moved),
        )
    elif any(metric.same_words for metric in metrics):
        for number, one in enumerate(made.references, 1):
            require_same_words(made.compared, one, f"reference {number}")
    return replace(made, counts=tuple(map(made.count, metrics)))


def _require_layers(
    transcripts: Sequence[Transcript], metric: Metric, called: Sequence[str]
) -> None:
    for side, transcript in enumerate(transcripts):
        for layer in metric.compares:
            if getattr(transcript, layer) is None:
                names = side_names(len(transcripts), called)
                remedy = LAYER_REMEDIES.get(layer, "give a file that has them")
                if _only_first_has(layer, transcripts):
                    remedy = f"{names[0]} has them: are the two sides swapped? If not, {remedy}"
                raise LayerError(
                    f"{names[side]} ({transcript.id or 'unnamed'}) has no "
                    f"{LAYER_NAMES.get(layer, layer)}, which {metric!r} compares",
                    remedy=remedy,
                )


def _only_first_has(layer: str, transcripts: Sequence[Transcript]) -> bool:
    has, *others = (getattr(one, layer) is not None for one in transcripts)
    return has and not any(others)
