"""Scores: counts of metrics on documents, the values of their sums, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from caesura import __version__
from caesura.core.arrays import Strings
from caesura.core.errors import MismatchError
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, as_json
from caesura.evaluation.disagreements import Digest
from caesura.evaluation.document import BLOCKS, Document, Terms, document, losses, mixtures
from caesura.evaluation.pairing import Pair, paired
from caesura.evaluation.resampling import FEW, FEWEST, Interval, Rows, bootstrapped, interval
from caesura.text.normalization.steps import Normalizer, describe

SHOWN = 12
"""Digits of a checksum that signatures show."""


@dataclass(frozen=True)
class Sweep:
    """One metric scored under a range of one of its settings."""

    setting: str
    points: tuple[Any, ...]
    scores: Scores


@dataclass(frozen=True)
class Scores:
    """Counts of metrics on documents; values come from their sums, each with a signature."""

    metrics: tuple[Metric, ...]
    documents: tuple[Document, ...]
    references: int
    terms: Terms
    sweeps: tuple[Sweep, ...] = ()
    reference_names: Strings = ()

    @cached_property
    def totals(self) -> tuple[Counts, ...]:
        """The counts of each metric over all documents."""
        return tuple(
            Counts.total(document.counts[i] for document in self.documents)
            for i in range(len(self.metrics))
        )

    @cached_property
    def values(self) -> tuple[dict[str, Value], ...]:
        """The values of each metric over all documents."""
        return tuple(
            metric.values(counts) for metric, counts in zip(self.metrics, self.totals, strict=True)
        )

    @cached_property
    def units(self) -> tuple[list[Counts], ...]:
        """What is drawn again: documents, or blocks of the only one."""
        if len(self.documents) == 1:
            only = self.documents[0]
            return tuple(only.blocks(metric) for metric in self.metrics)
        return tuple(
            [metric.drawn(each.counts[i]) for each in self.documents]
            for i, metric in enumerate(self.metrics)
        )

    @cached_property
    def intervals(self) -> tuple[dict[str, Interval | Undefined], ...]:
        """For each metric the confidence intervals of its rates."""
        return tuple(self._intervals(i) for i in range(len(self.metrics)))

    def _intervals(self, i: int) -> dict[str, Interval | Undefined]:
        rates = [name for name, value in self.values[i].items() if isinstance(value, float)]
        if not self.terms.resampling.resamples:
            return {}
        if len(self.units[i]) < 2:
            alone = Undefined("there is nothing to resample: it takes several documents or blocks")
            return dict.fromkeys(rates, alone)
        names, rows = tabled(self.units[i])
        drawn = [
            self.metrics[i].values(untabled(names, row))
            for (row,) in bootstrapped([rows], self.terms.resampling)
        ]
        level = self.terms.resampling.level
        return {name: interval([each[name] for each in drawn], level) for name in rates}

    @cached_property
    def signatures(self) -> tuple[str, ...]:
        """For each metric the line that reproduces its values."""
        lost = sum(one.boundaries_lost for each in self.documents for one in each.coverage)
        base = f",base={self.terms.base}" if self.terms.base else ""
        aligned = f"words(lost={lost}{base})" if self.terms.align else "no"
        front = f"references={self.references}|documents={len(self.documents)}{self._read}"
        front += self._formats
        return tuple(
            f"{metric!r}|{front}|normalize={describe(self.terms.steps(metric))}"
            f"|align={aligned if metric.same_words else 'no'}{_model(metric)}"
            f"{self._drawn(i)}|caesura={__version__}"
            for i, metric in enumerate(self.metrics)
        )

    @property
    def _read(self) -> str:
        """How many other ways there are to read references, of which the nearest counts.

        And how many of their entities have their class from another file.
        """
        texts = [one for each in self.documents for one in each.originals]
        count = sum(len(one.alternatives or ()) for one in texts)
        classed = sum(one.origin.classed for one in texts if one.origin)
        told = f"|alternatives={count}" if count else ""
        return f"{told}|classes={classed}" if classed else told

    @property
    def _formats(self) -> str:
        """In which formats texts were read, where files alone do not tell."""
        ours = [each.hypothesis for each in self.documents]
        theirs = [one for each in self.documents for one in each.originals]
        told = ""
        for side, texts in (("format", ours), ("reference_format", theirs)):
            asked = dict.fromkeys(text.origin.asked for text in texts if text.origin)
            named = "+".join(filter(None, asked))
            told += f"|{side}={named}" if named else ""
        return told

    def _drawn(self, i: int) -> str:
        if not self.terms.resampling.resamples:
            return ""
        parts = self.metrics[i].parts
        what = f"blocks({BLOCKS[parts]} {parts})" if len(self.documents) == 1 else "documents"
        return f"|bootstrap({self.terms.resampling},units={len(self.units[i])} {what})"

    @cached_property
    def remarks(self) -> tuple[list[str], ...]:
        """For each metric what a reader of its values must know."""
        return tuple(self.remarks_on(i, self.values[i]) for i in range(len(self.metrics)))

    def remarks_on(self, i: int, names: Iterable[str]) -> list[str]:
        """Give what a reader of some values of a metric must know."""
        return [*self.metrics[i].remarks(self.totals[i]), *self._doubts(i, names)]

    @cached_property
    def disagreements(self) -> tuple[Digest, ...]:
        """For each metric what recurs among the differences that it can tell one by one."""
        return tuple(
            Digest.of(metric.disagreements(*each.sides(metric)) for each in self.documents)
            for metric in self.metrics
        )

    def _doubts(self, i: int, names: Iterable[str]) -> list[str]:
        count = len(self.units[i]) if self.terms.resampling.resamples else 0
        found = {name: self.intervals[i][name] for name in names if name in self.intervals[i]}
        lacking: dict[str, list[str]] = {}
        for name, each in found.items():
            if isinstance(each, Undefined):
                lacking.setdefault(each.reason, []).append(name)
        doubts = [
            f"no interval{self._which(i, named, reason)}: {reason}"
            for reason, named in lacking.items()
        ]
        if 2 <= count < FEW and sum(map(len, lacking.values())) < len(found):
            doubts.append(f"the intervals rest on {count} units only: they come out too narrow")
        if found and self.terms.resampling.resamples < FEWEST:
            doubts.append("the intervals rest on too few resamples to mean much")
        if self.terms.base:
            doubts.append(f"on the words of {self.terms.base}: those of another give other numbers")
        texts, metric = self.documents, self.metrics[i]
        return [*doubts, *losses(texts, metric), *mixtures(texts, metric)]

    def _which(self, i: int, names: Sequence[str], reason: str) -> str:
        """Name values that have no interval for a reason; nothing if it is so of all."""
        alike = all(each == Undefined(reason) for each in self.intervals[i].values())
        return "" if alike and len(self.intervals[i]) > 1 else f" ({', '.join(names)})"

    def on_words_of(self, base: str) -> Scores:
        """Say whose words annotators are compared on."""
        return replace(self, terms=replace(self.terms, base=base))

    def chosen(self, metrics: slice) -> Scores:
        """Give the scores of some of the metrics."""
        documents = [replace(each, counts=each.counts[metrics]) for each in self.documents]
        return replace(self, metrics=self.metrics[metrics], documents=tuple(documents))

    def to_json(self) -> dict[str, Any]:
        """Give what `score --json` prints."""
        found: dict[str, Any] = {
            "references": list(self.reference_names),
            "documents": [self._document(each) for each in self.documents],
            "scores": [self.score_json(i) | self._differing(i) for i in range(len(self.metrics))],
        }
        if self.sweeps:
            found["sweeps"] = [
                {
                    "metric": each.scores.metrics[0].name,
                    "setting": each.setting,
                    "points": list(each.points),
                    "scores": [each.scores.score_json(i) for i in range(len(each.points))],
                }
                for each in self.sweeps
            ]
        return found

    def score_json(self, i: int) -> dict[str, Any]:
        """Give what JSON says of one metric."""
        return {
            "metric": repr(self.metrics[i]),
            **told(self.values[i]),
            "intervals": {
                name: None if isinstance(each, Undefined) else list(each)
                for name, each in self.intervals[i].items()
            },
            "remarks": self.remarks[i],
            "signature": self.signatures[i],
        }

    def _differing(self, i: int) -> dict[str, Any]:
        digest = self.disagreements[i]
        return {
            "disagreements": digest.to_json(each.id for each in self.documents),
            "disagreement_kinds": digest.kinds,
        }

    def _document(self, document: Document) -> dict[str, Any]:
        found: dict[str, Any] = {"id": document.id, "words": length(document)}
        if document.coverage:
            found["alignment"] = [vars(one) for one in document.coverage]
        found["scores"] = [
            {
                "metric": repr(metric),
                **told(metric.values(counts)),
                "counts": dict(metric.drawn(counts)),
            }
            for metric, counts in zip(self.metrics, document.counts, strict=True)
        ]
        return found


def length(document: Document) -> int:
    """Give the words of a recording: those of its first reference, the same for all systems."""
    return len(document.normalized(document.originals[0]))


def _model(metric: Metric) -> str:
    """Tell the model that values depend on, by the beginning of its checksum."""
    return f"|model={metric.checksum[:SHOWN]}" if metric.checksum else ""


def told(values: dict[str, Value]) -> dict[str, Any]:
    """Values as JSON has them, and why some are undefined."""
    undefined = {name: v.reason for name, v in values.items() if isinstance(v, Undefined)}
    return {"values": {n: as_json(v) for n, v in values.items()}, "undefined": undefined}


def tabled(units: Sequence[Counts]) -> tuple[list[str], Rows]:
    """Counts as rows under their names."""
    names = list(dict.fromkeys(name for each in units for name in each))
    return names, np.array([[each[name] for name in names] for each in units])


def untabled(names: Sequence[str], row: Rows) -> Counts:
    """Give the counts of a row, or of a sum of rows."""
    return Counts(**dict(zip(names, row.tolist(), strict=True)))


def scored(
    hypotheses: Sequence[Transcript],
    references: Sequence[Sequence[Transcript]],
    metrics: Sequence[Metric],
    terms: Terms,
    called: Strings = (),
) -> Scores:
    """Count on each recording; `called` is what errors call the hypothesis and the references."""
    pairs = paired(hypotheses, references, called) if references else []
    return score_pairs(pairs, len(references), metrics, terms, called)


def score_pairs(
    pairs: Sequence[Pair],
    references: int,
    metrics: Sequence[Metric],
    terms: Terms,
    called: Strings = (),
    normalizer: Normalizer | None = None,
) -> Scores:
    """Count on each hypothesis and its references, which are so many.

    A `normalizer` remembers texts that were normalised before.
    """
    if not references:
        raise MismatchError("there is no reference to score against")
    normalizer = normalizer or Normalizer()
    documents = [
        document(ours, theirs, metrics, terms, called, normalizer) for ours, theirs in pairs
    ]
    return Scores(tuple(metrics), tuple(documents), references, terms)
