"""Score one recording: normalise its texts, align them if asked to, and count with each metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.errors import LayerError, MismatchError, PluginError
from caesura.core.protocols import Metric, PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts
from caesura.evaluation.pairing import require_same_words, side_names
from caesura.evaluation.resampling import Resampling
from caesura.text.alignment.transfer import Transferred, transfer_layers
from caesura.text.normalization.steps import Normalizer, normalize
from caesura.text.restore import as_read

BLOCK_SENTENCES = 5
"""Sentences in a block: blocks are resampled if there is only one recording."""

BLOCK_SIZES = {"sentences": BLOCK_SENTENCES, "words": 100}
"""The size of a block, by `Metric.parts`."""

PLAIN_TEXT_FORMATS = {"lines", "text", "turns", "tokens"}
FEW_SHARED_WORDS = 0.5
"""The share of common words below which a remark asks whether the recordings are the same."""

LAYER_NAMES = {"end": "end times"}
LAYER_REMEDIES = {"sentences": "find sentences first: caesura segment … --to jsonl"}

NO_RESAMPLING = Resampling(resamples=0)


@dataclass(frozen=True)
class ScoringSettings:
    """How texts are made comparable, and how often their counts are resampled."""

    normalize: tuple[str, ...]
    align: bool
    resampling: Resampling = NO_RESAMPLING
    base: str = ""
    """The annotator to whose words the others are aligned, if their words differ."""

    explicit: bool = True
    """Whether the user named the steps; then metrics of raw text are normalised too."""

    def steps(self, metric: Metric) -> tuple[str, ...]:
        """Return the steps of normalisation for a metric."""
        return () if metric.raw and not self.explicit else self.normalize


@dataclass(frozen=True)
class Coverage:
    """What an alignment of a hypothesis with one reference could not match."""

    hypothesis_words_unmatched: int
    reference_words_unmatched: int
    words_replaced: int
    boundaries_lost: int

    @classmethod
    def of(cls, transferred: Transferred) -> Coverage:
        """Count what a transfer of boundaries left over."""
        alignment = transferred.alignment
        lost = len(transferred.lost_boundaries)
        return cls(alignment.insertions, alignment.deletions, alignment.substitutions, lost)


@dataclass(frozen=True)
class Document:
    """One scored recording: its texts, and the counts of each metric.

    `hypothesis` and `originals` (the references) are as they were given; `compared` and
    `references` are the same texts, normalised and without what was restored. If texts were
    aligned, `aligned` are the references on the words of the hypothesis, and `lost` has, for
    each reference, the gaps next to boundaries that could not be carried over.
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
        """Normalise a text of this recording; the result is kept, so it is done only once."""
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
        """The references, normalised, and on the words of the hypothesis if texts were aligned."""
        return self.references if self.aligned is None else self.aligned

    @property
    def words(self) -> int:
        """The number of words of the normalised hypothesis."""
        return len(self.compared)

    def is_compared_raw(self, metric: Metric) -> bool:
        """Tell whether a metric compares the texts as they were read, without normalisation."""
        return metric.raw and self.settings is not None and not self.settings.explicit

    def texts_for(self, metric: Metric) -> tuple[Transcript, tuple[Transcript, ...]]:
        """Return hypothesis and references as a metric compares them."""
        if metric.shown:
            steps = self.settings.steps(metric) if self.settings else ()
            one, *others = (normalize(text, steps) for text in (self.hypothesis, *self.originals))
            return one, tuple(others)
        if self.is_compared_raw(metric):
            return as_read(self.hypothesis), tuple(map(as_read, self.originals))
        return self.compared, self.carried if metric.same_words else self.references

    def count(self, metric: Metric) -> Counts:
        """Count on the whole recording, boundaries that were lost in the alignment included."""
        lost = Counts(**{name: int(gaps.sum()) for name, gaps in self.lost_counts(metric) or ()})
        try:
            counts: object = metric.count(*self.texts_for(metric))
        except MismatchError as error:
            where = error.where or self.id
            raise MismatchError(error.what, where=where, remedy=error.remedy) from error
        if not isinstance(counts, Counts):
            raise PluginError(
                f"{type(metric).__name__}.count gives a {type(counts).__name__}",
                remedy="return caesura.Counts(name=number, …)",
            )
        return counts + lost

    def lost_counts(self, metric: Metric) -> PerGapCounts | None:
        """Return what boundaries that were lost in the alignment add to the counts."""
        return (
            metric.missed_counts(self.lost, self.words) if self.lost and metric.same_words else None
        )

    def block_counts(self, metric: Metric) -> list[Counts]:
        """Return the counts of each block of sentences or words.

        The list is empty if a metric cannot tell which word adds what.
        """
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
        for name, gaps in (*columns, *(self.lost_counts(metric) or ())):
            sums[name] = sums.get(name, 0) + np.add.reduceat(gaps, starts, dtype=np.int64)
        return [
            Counts(**{name: int(each[i]) for name, each in sums.items()})
            for i in range(len(starts))
        ]


def _word_block_starts(count: int) -> Indices:
    """Return the first word of each block; the last block has what is left over."""
    size = BLOCK_SIZES["words"]
    return np.arange(max(1, count // size)) * size


def _sentence_block_starts(hypothesis: Transcript, references: Sequence[Transcript]) -> Indices:
    """Return the first word of each block of sentences.

    A sentence ends where any reference ends one, or the hypothesis if no reference has its words.
    """
    texts = [one for one in references if one.words == hypothesis.words] or [hypothesis]
    known: list[Any] = [one.sentences.boundary for one in texts if one.sentences is not None]
    ends = np.flatnonzero(np.logical_or.reduce(known)) if known else np.zeros(0, np.int64)
    starts = np.append(0, ends[BLOCK_SENTENCES - 1 :: BLOCK_SENTENCES] + 1)
    return starts[starts < len(hypothesis)]


def alignment_remarks(documents: Sequence[Document], metric: Metric) -> list[str]:
    """Return remarks on what an alignment could not do for a metric."""
    remarks = []
    lost = sum(len(places) for each in documents for places in each.lost)
    if lost and any(each.lost_counts(metric) is None for each in documents):
        remarks.append(
            f"{lost} boundaries of the references follow words that the hypothesis does not "
            "have, and are not counted"
        )
    for number, shared in enumerate(_shared_word_rates(documents), 1):
        if shared < FEW_SHARED_WORDS:
            remarks.append(
                f"the hypothesis has {shared:.0%} of the words of reference {number}: "
                "are they the same recordings?"
            )
    return remarks


def _shared_word_rates(documents: Sequence[Document]) -> list[float]:
    """Return for each aligned reference the share of its words that the hypothesis has too."""
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
    """Return a remark if plain texts were read in different formats.

    There is none for metrics that compare texts as they are read: they are meant for that.
    """
    if metric.raw:
        return []
    texts = [text for each in documents for text in (each.hypothesis, *each.references)]
    kinds = {text.origin.format for text in texts if text.origin} & PLAIN_TEXT_FORMATS
    if len(kinds) < 2:
        return []
    return [
        f"plain texts were read as {' and as '.join(sorted(kinds))}, which end sentences "
        "in different places: if that is wrong, name one format with format= (--format)"
    ]


def score_document(
    hypothesis: Transcript,
    references: Sequence[Transcript],
    metrics: Sequence[Metric],
    settings: ScoringSettings,
    known_names: Strings = (),
    normalizer: Normalizer | None = None,
) -> Document:
    """Compare one recording with its references; error messages use the `known_names`."""
    for metric in metrics:
        _require_layers([hypothesis, *references], metric, known_names)
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
    transcripts: Sequence[Transcript], metric: Metric, known_names: Sequence[str]
) -> None:
    for side, transcript in enumerate(transcripts):
        for layer in metric.compares:
            if getattr(transcript, layer) is None:
                names = side_names(len(transcripts), known_names)
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
