"""Scores: counts of metrics on documents, the values of their sums, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np

from caesura import __version__
from caesura.core import registry
from caesura.core.arrays import Strings
from caesura.core.errors import CaesuraError, MismatchError, UnknownName, advice
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, as_json
from caesura.evaluation.disagreements import DisagreementSummary
from caesura.evaluation.document import (
    BLOCK_SIZES,
    Document,
    ScoringSettings,
    alignment_remarks,
    format_remarks,
    score_document,
)
from caesura.evaluation.pairing import Pair, pair_recordings
from caesura.evaluation.resampling import (
    FEW_UNITS,
    FEWEST_RESAMPLES,
    Interval,
    Rows,
    bootstrap_sums,
    percentile_interval,
)
from caesura.text.normalization.steps import Normalizer, describe

CHECKSUM_DIGITS = 12
"""Digits of a checksum that signatures show."""


@dataclass(frozen=True)
class Sweep:
    """One metric scored under a range of one of its settings."""

    setting: str
    points: tuple[Any, ...]
    scores: Scores


class MetricValues(dict[str, Value]):
    """Values of one metric by name, with an error that lists them if a name is not there."""

    def __init__(self, metric: str, values: dict[str, Value]) -> None:
        super().__init__(values)
        self.metric = metric

    def __missing__(self, name: object) -> Value:
        raise UnknownName(
            f"{self.metric} gives no value {name!r}", remedy=advice(str(name), self, "it gives")
        )


@dataclass(frozen=True)
class Scores:
    """Scores of one system: `scores["Boundary"]["f1"]` is a value over all documents.

    Values are computed from the sums of the documents' counts. Each metric has confidence
    intervals, remarks and a signature that reproduces its values.
    """

    metrics: tuple[Metric, ...]
    documents: tuple[Document, ...]
    references: int
    settings: ScoringSettings
    sweeps: tuple[Sweep, ...] = ()
    reference_names: Strings = ()
    system: str = ""
    """The name of the system, for reports."""

    between_annotators: bool = False
    """Whether the references were compared with each other, and there is no system."""

    def __getitem__(self, metric: str | Metric) -> MetricValues:
        """Return the values of a metric, given by its name, with or without its settings."""
        i = self._index(metric)
        return MetricValues(self.metrics[i].name, self.values[i])

    def __contains__(self, metric: object) -> bool:
        try:
            return isinstance(metric, (str, Metric)) and self._index(metric) >= 0
        except UnknownName:
            return False

    def __iter__(self) -> Iterator[str]:
        """Iterate over the metrics: their names, with settings where several have one name."""
        names = [metric.name for metric in self.metrics]
        return (
            metric.name if names.count(metric.name) == 1 else repr(metric)
            for metric in self.metrics
        )

    def _index(self, metric: str | Metric) -> int:
        """Find a metric, or raise an error that lists those that are there."""
        found = [
            i
            for i, one in enumerate(self.metrics)
            if metric in (one, one.name, repr(one)) or _is_same_metric(metric, one)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            full = " or ".join(repr(repr(self.metrics[i])) for i in found)
            raise UnknownName(f"there are {len(found)} metrics {metric!r}", remedy=f"say {full}")
        raise UnknownName(
            f"there are no scores of {metric!r}", remedy=advice(str(metric), self, "there are")
        )

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
        if not self.settings.resampling.resamples:
            return {}
        if len(self.units[i]) < 2:
            alone = Undefined("there is nothing to resample: it takes several documents or blocks")
            return dict.fromkeys(rates, alone)
        names, rows = count_rows(self.units[i])
        drawn = [
            self.metrics[i].values(counts_of_row(names, row))
            for (row,) in bootstrap_sums([rows], self.settings.resampling)
        ]
        level = self.settings.resampling.level
        return {name: percentile_interval([each[name] for each in drawn], level) for name in rates}

    @cached_property
    def signatures(self) -> tuple[str, ...]:
        """For each metric the line that reproduces its values."""
        lost = sum(one.boundaries_lost for each in self.documents for one in each.coverage)
        base = f",base={self.settings.base}" if self.settings.base else ""
        aligned = f"words(lost={lost}{base})" if self.settings.align else "no"
        front = f"references={self.references}|documents={len(self.documents)}{self._read}"
        front += self._formats
        return tuple(
            f"{metric!r}|{front}|normalize={describe(self.settings.steps(metric))}"
            f"|align={aligned if metric.same_words else 'no'}{_model_signature(metric)}"
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
        if not self.settings.resampling.resamples:
            return ""
        parts = self.metrics[i].parts
        what = f"blocks({BLOCK_SIZES[parts]} {parts})" if len(self.documents) == 1 else "documents"
        return f"|bootstrap({self.settings.resampling},units={len(self.units[i])} {what})"

    @cached_property
    def remarks(self) -> tuple[list[str], ...]:
        """For each metric what a reader of its values must know."""
        return tuple(self.remarks_about(i, self.values[i]) for i in range(len(self.metrics)))

    def remarks_about(self, i: int, names: Iterable[str]) -> list[str]:
        """Give what a reader of some values of a metric must know."""
        return [*self.metrics[i].remarks(self.totals[i]), *self._doubts(i, names)]

    @cached_property
    def disagreements(self) -> tuple[DisagreementSummary, ...]:
        """For each metric what recurs among the differences that it can tell one by one."""
        return tuple(
            DisagreementSummary.of(
                metric.disagreements(*each.texts_for(metric)) for each in self.documents
            )
            for metric in self.metrics
        )

    def _doubts(self, i: int, names: Iterable[str]) -> list[str]:
        count = len(self.units[i]) if self.settings.resampling.resamples else 0
        found = {name: self.intervals[i][name] for name in names if name in self.intervals[i]}
        lacking: dict[str, list[str]] = {}
        for name, each in found.items():
            if isinstance(each, Undefined):
                lacking.setdefault(each.reason, []).append(name)
        doubts = [
            f"no interval{self._which(i, named, reason)}: {reason}"
            for reason, named in lacking.items()
        ]
        if 2 <= count < FEW_UNITS and sum(map(len, lacking.values())) < len(found):
            doubts.append(f"the intervals rest on {count} units only: they come out too narrow")
        if found and self.settings.resampling.resamples < FEWEST_RESAMPLES:
            doubts.append("the intervals rest on too few resamples to mean much")
        if self.settings.base:
            doubts.append(
                f"on the words of {self.settings.base}: those of another give other numbers"
            )
        texts, metric = self.documents, self.metrics[i]
        return [*doubts, *alignment_remarks(texts, metric), *format_remarks(texts, metric)]

    def _which(self, i: int, names: Sequence[str], reason: str) -> str:
        """Name values that have no interval for a reason; nothing if it is so of all."""
        alike = all(each == Undefined(reason) for each in self.intervals[i].values())
        return "" if alike and len(self.intervals[i]) > 1 else f" ({', '.join(names)})"

    def as_agreement(self, base: str = "") -> Scores:
        """Mark scores as those of annotators, aligned to the words of `base` if that is named."""
        return replace(self, settings=replace(self.settings, base=base), between_annotators=True)

    def chosen(self, metrics: slice) -> Scores:
        """Give the scores of some of the metrics."""
        documents = [replace(each, counts=each.counts[metrics]) for each in self.documents]
        return replace(self, metrics=self.metrics[metrics], documents=tuple(documents))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries and lists: what `score --json` prints."""
        found: dict[str, Any] = {
            "references": list(self.reference_names),
            "documents": [self._document(each) for each in self.documents],
            "scores": [self.metric_dict(i) | self._differing(i) for i in range(len(self.metrics))],
        }
        if self.sweeps:
            found["sweeps"] = [
                {
                    "metric": each.scores.metrics[0].name,
                    "setting": each.setting,
                    "points": list(each.points),
                    "scores": [each.scores.metric_dict(i) for i in range(len(each.points))],
                }
                for each in self.sweeps
            ]
        return found

    def metric_dict(self, i: int) -> dict[str, Any]:
        """Give what JSON says of one metric."""
        return {
            "metric": repr(self.metrics[i]),
            **describe_values(self.values[i]),
            "intervals": {
                name: None if isinstance(each, Undefined) else list(each)
                for name, each in self.intervals[i].items()
            },
            "remarks": self.remarks[i],
            "signature": self.signatures[i],
        }

    def to_frame(self, per_document: bool = False) -> Any:
        """Return a pandas DataFrame with a row for each value of each metric.

        `low` and `high` are the limits of its confidence interval, NaN where there is none, and
        `undefined` says why a value is NaN. With `per_document` there is a row for each document
        too, without intervals.
        """
        if per_document:
            return data_frame(
                {
                    "document": each.id,
                    "words": reference_length(each),
                    "metric": label,
                    "name": name,
                }
                | number_columns(value)
                for each in self.documents
                for label, metric, counts in zip(self, self.metrics, each.counts, strict=True)
                for name, value in metric.values(counts).items()
            )
        return data_frame(self.frame_rows())

    def frame_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the data frame."""
        for i, metric in enumerate(self):
            for name, value in self.values[i].items():
                limits = interval_columns(self.intervals[i].get(name))
                yield {"metric": metric, "name": name} | number_columns(value) | limits

    def _differing(self, i: int) -> dict[str, Any]:
        digest = self.disagreements[i]
        return {
            "disagreements": digest.to_dict(each.id for each in self.documents),
            "disagreement_kinds": digest.kinds,
        }

    def _document(self, document: Document) -> dict[str, Any]:
        found: dict[str, Any] = {"id": document.id, "words": reference_length(document)}
        if document.coverage:
            found["alignment"] = [vars(one) for one in document.coverage]
        found["scores"] = [
            {
                "metric": repr(metric),
                **describe_values(metric.values(counts)),
                "counts": dict(metric.drawn(counts)),
            }
            for metric, counts in zip(self.metrics, document.counts, strict=True)
        ]
        return found


def reference_length(document: Document) -> int:
    """Give the words of a recording: those of its first reference, the same for all systems."""
    return len(document.normalized(document.originals[0]))


def _model_signature(metric: Metric) -> str:
    """Tell the model that values depend on, by the beginning of its checksum."""
    return f"|model={metric.checksum[:CHECKSUM_DIGITS]}" if metric.checksum else ""


def describe_values(values: dict[str, Value]) -> dict[str, Any]:
    """Values as JSON has them, and why some are undefined."""
    undefined = {name: v.reason for name, v in values.items() if isinstance(v, Undefined)}
    return {"values": {n: as_json(v) for n, v in values.items()}, "undefined": undefined}


def data_frame(rows: Iterable[dict[str, Any]]) -> Any:
    """Make a pandas DataFrame of rows, or raise an error that says what to install."""
    try:
        import pandas
    except ImportError as error:
        raise CaesuraError(
            "a data frame needs pandas, which is not installed", remedy="pip install pandas"
        ) from error
    return pandas.DataFrame(list(rows))


def number_columns(value: Value) -> dict[str, Any]:
    """Return the columns of a data frame for a value: the number, and why there is none."""
    reason = value.reason if isinstance(value, Undefined) else ""
    return {"value": nan if isinstance(value, Undefined) else value, "undefined": reason}


def interval_columns(interval: Interval | Undefined | None, front: str = "") -> dict[str, float]:
    """Return the columns of a data frame for the limits of a confidence interval."""
    low, high = interval if isinstance(interval, tuple) else (nan, nan)
    return {f"{front}low": low, f"{front}high": high}


def _is_same_metric(text: str | Metric, metric: Metric) -> bool:
    """Tell whether a text describes a metric, with defaults left out."""
    if not isinstance(text, str) or "(" not in text or text.split("(")[0].strip() != metric.name:
        return False
    try:
        return registry.parse("metric", text) == metric
    except CaesuraError:
        return False


def count_rows(units: Sequence[Counts]) -> tuple[list[str], Rows]:
    """Counts as rows under their names."""
    names = list(dict.fromkeys(name for each in units for name in each))
    return names, np.array([[each[name] for name in names] for each in units])


def counts_of_row(names: Sequence[str], row: Rows) -> Counts:
    """Give the counts of a row, or of a sum of rows."""
    return Counts(**dict(zip(names, row.tolist(), strict=True)))


def score_recordings(
    hypotheses: Sequence[Transcript],
    references: Sequence[Sequence[Transcript]],
    metrics: Sequence[Metric],
    settings: ScoringSettings,
    called: Strings = (),
) -> Scores:
    """Count on each recording; `called` is what errors call the hypothesis and the references."""
    pairs = pair_recordings(hypotheses, references, called) if references else []
    return score_pairs(pairs, len(references), metrics, settings, called)


def score_pairs(
    pairs: Sequence[Pair],
    references: int,
    metrics: Sequence[Metric],
    settings: ScoringSettings,
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
        score_document(ours, theirs, metrics, settings, called, normalizer)
        for ours, theirs in pairs
    ]
    return Scores(tuple(metrics), tuple(documents), references, settings)
