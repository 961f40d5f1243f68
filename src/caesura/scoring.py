"""Scoring: recordings are paired, made comparable, counted one by one, and summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caesura.contracts import Counts, Metric, Undefined, Value, as_json
from caesura.errors import LayerError, MismatchError
from caesura.text.align import Carried, align, carry
from caesura.text.normalize import describe, normalize
from caesura.transcript import Transcript
from caesura.version import __version__


@dataclass(frozen=True)
class Terms:
    """How texts are made comparable: steps of normalisation, and whether words are aligned."""

    normalize: tuple[str, ...]
    align: bool


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
    """One recording's counts, a set for each metric, and its coverage by each reference."""

    id: str
    words: int
    counts: tuple[Counts, ...]
    coverage: tuple[Coverage, ...] = ()


@dataclass(frozen=True)
class Scores:
    """Counts of metrics on documents; values come from their sums, each with a signature."""

    metrics: tuple[Metric, ...]
    documents: tuple[Document, ...]
    references: int
    terms: Terms

    @property
    def values(self) -> tuple[dict[str, Value], ...]:
        """The values of each metric over all documents."""
        return tuple(
            metric.values(sum((document.counts[i] for document in self.documents), Counts()))
            for i, metric in enumerate(self.metrics)
        )

    @property
    def signatures(self) -> tuple[str, ...]:
        """For each metric the line that reproduces its values."""
        lost = sum(one.boundaries_lost for each in self.documents for one in each.coverage)
        aligned = f"words(lost={lost})" if self.terms.align else "no"
        tail = (
            f"references={self.references}|documents={len(self.documents)}"
            f"|normalize={describe(self.terms.normalize)}|align={aligned}|caesura={__version__}"
        )
        return tuple(f"{metric!r}|{tail}" for metric in self.metrics)

    def to_json(self) -> dict[str, Any]:
        """Give what `score --json` prints."""
        scores = [
            {"metric": repr(metric), **_told(values), "intervals": {}, "signature": signature}
            for metric, values, signature in zip(
                self.metrics, self.values, self.signatures, strict=True
            )
        ]
        return {"documents": [self._document(each) for each in self.documents], "scores": scores}

    def _document(self, document: Document) -> dict[str, Any]:
        told: dict[str, Any] = {"id": document.id, "words": document.words}
        if document.coverage:
            told["alignment"] = [vars(one) for one in document.coverage]
        told["scores"] = [
            {"metric": repr(metric), **_told(metric.values(counts)), "counts": dict(counts)}
            for metric, counts in zip(self.metrics, document.counts, strict=True)
        ]
        return told


def _told(values: dict[str, Value]) -> dict[str, Any]:
    """Values as JSON has them, and why some are undefined."""
    undefined = {name: v.reason for name, v in values.items() if isinstance(v, Undefined)}
    return {"values": {n: as_json(v) for n, v in values.items()}, "undefined": undefined}


def scored(
    hypotheses: list[Transcript],
    references: list[list[Transcript]],
    metrics: list[Metric],
    terms: Terms,
) -> Scores:
    """Count on each recording."""
    if not references:
        raise MismatchError("there is no reference to score against")
    documents = [
        _document(ours, theirs, metrics, terms) for ours, theirs in paired(hypotheses, references)
    ]
    return Scores(tuple(metrics), tuple(documents), len(references), terms)


def paired(
    hypotheses: list[Transcript], references: list[list[Transcript]]
) -> list[tuple[Transcript, list[Transcript]]]:
    """Find each recording's references by id; a single recording needs none."""
    if len(hypotheses) == 1 and all(len(one) == 1 for one in references):
        return [(hypotheses[0], [one[0] for one in references])]
    ours = _by_id(hypotheses, "the hypothesis")
    theirs = [_by_id(one, f"reference {i}") for i, one in enumerate(references, 1)]
    for i, one in enumerate(theirs, 1):
        _refuse_strangers([id for id in ours if id not in one], f"reference {i}")
        _refuse_strangers([id for id in one if id not in ours], "the hypothesis")
    return [(transcript, [one[id] for one in theirs]) for id, transcript in ours.items()]


def _by_id(transcripts: list[Transcript], side: str) -> dict[str, Transcript]:
    found: dict[str, Transcript] = {}
    for transcript in transcripts:
        if transcript.id in found:
            raise MismatchError(
                f"{side} has two recordings named {transcript.id!r}",
                remedy="score them apart, or give them names of their own",
            )
        found[transcript.id] = transcript
    return found


def _refuse_strangers(ids: list[str], side: str) -> None:
    if ids:
        shown = ", ".join(repr(id) for id in ids[:5]) + (", …" if len(ids) > 5 else "")
        raise MismatchError(
            f"{len(ids)} recordings are not in {side}: {shown}",
            remedy="give both sides the same recordings; they are paired by name",
        )


def _document(
    hypothesis: Transcript, references: list[Transcript], metrics: list[Metric], terms: Terms
) -> Document:
    for metric in metrics:
        _require_layers([hypothesis, *references], metric)
    ours = normalize(hypothesis, terms.normalize)
    theirs = [normalize(one, terms.normalize) for one in references]
    if terms.align:
        alignments = [align(one.words, ours.words) for one in theirs]
        pairs = list(zip(theirs, alignments, strict=True))
        bare = Transcript(ours.words, id=ours.id)
        carried = [[carry(one, bare, m.compares, found) for one, found in pairs] for m in metrics]
        moved = [[each.transcript for each in one] for one in carried]
        coverage = tuple(map(Coverage.of, carried[0]))
    else:
        moved, coverage = [theirs] * len(metrics), ()
        if any(metric.same_words for metric in metrics):
            for number, one in enumerate(theirs, 1):
                _refuse_other_words(ours, one, f"reference {number}")
    counts = [
        metric.count(ours, there if metric.same_words else theirs)
        for metric, there in zip(metrics, moved, strict=True)
    ]
    return Document(hypothesis.id, len(ours), tuple(counts), coverage)


def _require_layers(transcripts: list[Transcript], metric: Metric) -> None:
    for side, transcript in enumerate(transcripts):
        for layer in metric.compares:
            if getattr(transcript, layer) is None:
                owner = f"reference {side}" if side else "the hypothesis"
                raise LayerError(
                    f"{owner} ({transcript.id or 'unnamed'}) has no {layer}, "
                    f"which {metric.name} compares",
                    remedy="find sentences first: caesura segment … --to jsonl",
                )


def _refuse_other_words(ours: Transcript, theirs: Transcript, side: str) -> None:
    if ours.words == theirs.words:
        return
    pairs = enumerate(zip(ours.words, theirs.words, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(ours), len(theirs)))
    shown = [
        repr(text.words[at]) if at < len(text) else "the end of the text" for text in (ours, theirs)
    ]
    raise MismatchError(
        f"the words differ: word {at + 1} is {shown[0]} in the hypothesis and {shown[1]} in {side} "
        f"({len(ours)} and {len(theirs)} words)",
        where=ours.id,
        remedy="add --align to carry the boundaries over by alignment",
    )
