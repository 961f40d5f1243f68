"""Scores of one system: counts, values, confidence intervals, remarks and signatures.

A `DisagreementSummary` lists what a system does differently most often, and where.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from math import nan
from numbers import Real
from typing import Any

import numpy as np

from caesura import __version__
from caesura.core import registry
from caesura.core.arrays import Strings
from caesura.core.errors import CaesuraError, MismatchError, PluginError, UnknownName, advice
from caesura.core.protocols import Disagreement, Metric
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, as_json
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

EXAMPLES_KEPT = 5
"""Examples that are kept of each disagreement."""

LISTED_PER_LEVEL = 100
"""Disagreements of each level that JSON lists."""


@dataclass(frozen=True, slots=True)
class RecurringDisagreement:
    """A disagreement, how often it occurs, and its first examples as (document, place) pairs."""

    level: str
    kind: str
    reference: str
    hypothesis: str
    count: int
    examples: tuple[tuple[int, Disagreement], ...]
    loss: float = 0.0
    """The loss of all its occurrences together."""


@dataclass(frozen=True)
class DisagreementSummary:
    """All disagreements in some documents, the same ones counted together."""

    recurring: tuple[RecurringDisagreement, ...] = ()
    kinds: dict[str, dict[str, int]] = field(default_factory=dict)
    """For each level how many disagreements there are of each kind."""

    @classmethod
    def of(cls, documents: Iterable[Iterable[Disagreement]]) -> DisagreementSummary:
        """Count the disagreements of documents; equally frequent ones keep their order."""
        examples: dict[tuple[str, str, str, str], list[tuple[int, Disagreement]]] = {}
        counts: Counter[tuple[str, str, str, str]] = Counter()
        losses: defaultdict[tuple[str, str, str, str], float] = defaultdict(float)
        for number, disagreements in enumerate(documents):
            for one in disagreements:
                key = one.level, one.kind, one.reference, one.hypothesis
                counts[key] += 1
                losses[key] += one.loss
                places = examples.setdefault(key, [])
                if len(places) < EXAMPLES_KEPT:
                    places.append((number, one))
        kinds: dict[str, Counter[str]] = {}
        for (level, kind, *_), count in counts.items():
            kinds.setdefault(level, Counter())[kind] += count
        made = [
            RecurringDisagreement(*key, n, tuple(examples[key]), losses[key])
            for key, n in counts.items()
        ]
        return cls(
            tuple(sorted(made, key=_by_harm)),
            {
                level: dict(counts_of_level.most_common())
                for level, counts_of_level in kinds.items()
            },
        )

    def of_level(self, level: str) -> Iterator[RecurringDisagreement]:
        """Yield the disagreements of one level."""
        return (one for one in self.recurring if one.level == level)

    def most_frequent(self, per_level: int) -> list[RecurringDisagreement]:
        """Return the most frequent disagreements, at most so many of each level."""
        kept = [one for level in self.kinds for one in islice(self.of_level(level), per_level)]
        return sorted(kept, key=_by_harm)

    def to_dict(self, documents: Iterable[str]) -> list[dict[str, Any]]:
        """Return the most frequent ones for JSON, each with an example; `documents` are names."""
        names = list(documents)
        return [_json(disagreement, names) for disagreement in self.most_frequent(LISTED_PER_LEVEL)]


def _by_harm(disagreement: RecurringDisagreement) -> tuple[float, int]:
    """Sort the most harmful first, then the most frequent."""
    return -disagreement.loss, -disagreement.count


def _json(disagreement: RecurringDisagreement, documents: list[str]) -> dict[str, Any]:
    number, one = disagreement.examples[0]
    return {
        "level": disagreement.level,
        "kind": disagreement.kind,
        "reference": disagreement.reference,
        "hypothesis": disagreement.hypothesis,
        "count": disagreement.count,
        **({"loss": disagreement.loss} if disagreement.loss else {}),
        "example": {
            "document": documents[number],
            "reference": one.reference_number,
            "place": one.place,
            "before": one.before,
            "after": one.after,
        },
    }


CHECKSUM_DIGITS = 12
"""Digits of a model's checksum that signatures show."""


@dataclass(frozen=True)
class Sweep:
    """Scores of one metric for each value (`points`) of one of its settings."""

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


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        """Return a short description; `print` shows the tables."""
        of = f" of {self.system}" if self.system else ""
        documents, references = len(self.documents), self.references
        return f"<Scores{of}: {', '.join(self)}; documents={documents}, references={references}>"

    def __str__(self) -> str:
        """Return the tables that the command `score` prints."""
        from caesura.evaluation.reports.render import terminal
        from caesura.evaluation.reports.write import Results

        return terminal(Results.of(self))

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
        places = [
            i
            for i, one in enumerate(self.metrics)
            if metric in (one, one.name, repr(one)) or _is_same_metric(metric, one)
        ]
        if len(places) == 1:
            return places[0]
        if places:
            full = " or ".join(repr(repr(self.metrics[i])) for i in places)
            raise UnknownName(f"there are {len(places)} metrics {metric!r}", remedy=f"say {full}")
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
        """The values of each metric over all documents, in the order of `metrics`."""
        return tuple(map(checked_values, self.metrics, self.totals))

    @cached_property
    def units(self) -> tuple[list[Counts], ...]:
        """For each metric the counts to resample: of documents, or of blocks of the only one."""
        if len(self.documents) == 1:
            only = self.documents[0]
            return tuple(only.block_counts(metric) for metric in self.metrics)
        return tuple(
            [metric.resampled_counts(document.counts[i]) for document in self.documents]
            for i, metric in enumerate(self.metrics)
        )

    @cached_property
    def intervals(self) -> tuple[dict[str, Interval | Undefined], ...]:
        """The confidence intervals of the rates of each metric."""
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
        return {
            name: percentile_interval([values[name] for values in drawn], level) for name in rates
        }

    @cached_property
    def signatures(self) -> tuple[str, ...]:
        """The signature of each metric: a line that says how its values can be reproduced."""
        lost = sum(one.boundaries_lost for each in self.documents for one in each.coverage)
        base = f",base={self.settings.base}" if self.settings.base else ""
        aligned = f"words(lost={lost}{base})" if self.settings.align else "no"
        front = (
            f"references={self.references}|documents={len(self.documents)}{self._sidecar_signature}"
        )
        front += self._format_signature
        return tuple(
            f"{metric!r}|{front}|normalize={describe(self.settings.steps(metric))}"
            f"|align={aligned if metric.same_words else 'no'}{_model_signature(metric)}"
            f"{self._bootstrap_signature(i)}|caesura={__version__}"
            for i, metric in enumerate(self.metrics)
        )

    @property
    def _sidecar_signature(self) -> str:
        """How many alternatives, and classes of entities, references have from sidecar files."""
        texts = [one for each in self.documents for one in each.originals]
        count = sum(len(one.alternatives or ()) for one in texts)
        classed = sum(one.origin.classed for one in texts if one.origin)
        signature = f"|alternatives={count}" if count else ""
        return f"{signature}|classes={classed}" if classed else signature

    @property
    def _format_signature(self) -> str:
        """The formats that the user named for reading."""
        ours = [each.hypothesis for each in self.documents]
        theirs = [one for each in self.documents for one in each.originals]
        signature = ""
        for side, texts in (("format", ours), ("reference_format", theirs)):
            asked = dict.fromkeys(text.origin.asked for text in texts if text.origin)
            named = "+".join(filter(None, asked))
            signature += f"|{side}={named}" if named else ""
        return signature

    def _bootstrap_signature(self, i: int) -> str:
        if not self.settings.resampling.resamples:
            return ""
        parts = self.metrics[i].parts
        what = f"blocks({BLOCK_SIZES[parts]} {parts})" if len(self.documents) == 1 else "documents"
        return f"|bootstrap({self.settings.resampling},units={len(self.units[i])} {what})"

    @cached_property
    def remarks(self) -> tuple[list[str], ...]:
        """For each metric what a reader must know about its values."""
        return tuple(self.remarks_about(i, self.values[i]) for i in range(len(self.metrics)))

    def remarks_about(self, i: int, names: Iterable[str]) -> list[str]:
        """Return what a reader must know about these values of a metric."""
        return [*self.metrics[i].remarks(self.totals[i]), *self._interval_remarks(i, names)]

    @cached_property
    def disagreements(self) -> tuple[DisagreementSummary, ...]:
        """For each metric the disagreements that it can list, the same ones counted together."""
        return tuple(
            DisagreementSummary.of(
                metric.disagreements(*each.texts_for(metric)) for each in self.documents
            )
            for metric in self.metrics
        )

    def _interval_remarks(self, i: int, names: Iterable[str]) -> list[str]:
        count = len(self.units[i]) if self.settings.resampling.resamples else 0
        intervals = {name: self.intervals[i][name] for name in names if name in self.intervals[i]}
        missing: dict[str, list[str]] = {}
        for name, interval in intervals.items():
            if isinstance(interval, Undefined):
                missing.setdefault(interval.reason, []).append(name)
        remarks = [
            f"no interval{self._which(i, named, reason)}: {reason}"
            for reason, named in missing.items()
        ]
        if 2 <= count < FEW_UNITS and sum(map(len, missing.values())) < len(intervals):
            remarks.append(f"the intervals are based on only {count} units: they are too narrow")
        if intervals and self.settings.resampling.resamples < FEWEST_RESAMPLES:
            remarks.append("the intervals are based on too few resamples to mean much")
        if self.settings.base:
            remarks.append(
                f"aligned to the words of {self.settings.base}: "
                "with those of another annotator the numbers differ"
            )
        texts, metric = self.documents, self.metrics[i]
        return [*remarks, *alignment_remarks(texts, metric), *format_remarks(texts, metric)]

    def _which(self, i: int, names: Sequence[str], reason: str) -> str:
        """Name the values that have no interval; return nothing if none of the values has one."""
        alike = all(interval == Undefined(reason) for interval in self.intervals[i].values())
        return "" if alike and len(self.intervals[i]) > 1 else f" ({', '.join(names)})"

    def as_agreement(self, base: str = "") -> Scores:
        """Mark scores as those of annotators, aligned to the words of `base` if that is named."""
        return replace(self, settings=replace(self.settings, base=base), between_annotators=True)

    def with_metrics(self, metrics: slice) -> Scores:
        """Return the scores of some of the metrics."""
        documents = [
            replace(document, counts=document.counts[metrics]) for document in self.documents
        ]
        return replace(self, metrics=self.metrics[metrics], documents=tuple(documents))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries and lists: what `score --json` prints."""
        result: dict[str, Any] = {
            "references": list(self.reference_names),
            "documents": [self._document_dict(document) for document in self.documents],
            "scores": [
                self.metric_dict(i) | self._disagreements_dict(i) for i in range(len(self.metrics))
            ],
        }
        if self.sweeps:
            result["sweeps"] = [
                {
                    "metric": sweep.scores.metrics[0].name,
                    "setting": sweep.setting,
                    "points": list(sweep.points),
                    "scores": [sweep.scores.metric_dict(i) for i in range(len(sweep.points))],
                }
                for sweep in self.sweeps
            ]
        return result

    def metric_dict(self, i: int) -> dict[str, Any]:
        """Return the values, intervals, remarks and signature of one metric for JSON."""
        return {
            "metric": repr(self.metrics[i]),
            **describe_values(self.values[i]),
            "intervals": {
                name: None if isinstance(interval, Undefined) else list(interval)
                for name, interval in self.intervals[i].items()
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

    def _disagreements_dict(self, i: int) -> dict[str, Any]:
        summary = self.disagreements[i]
        return {
            "disagreements": summary.to_dict(each.id for each in self.documents),
            "disagreement_kinds": summary.kinds,
        }

    def _document_dict(self, document: Document) -> dict[str, Any]:
        result: dict[str, Any] = {"id": document.id, "words": reference_length(document)}
        if document.coverage:
            result["alignment"] = [vars(one) for one in document.coverage]
        result["scores"] = [
            {
                "metric": repr(metric),
                **describe_values(metric.values(counts)),
                "counts": dict(metric.resampled_counts(counts)),
            }
            for metric, counts in zip(self.metrics, document.counts, strict=True)
        ]
        return result


def checked_values(metric: Metric, counts: Counts) -> dict[str, Value]:
    """Return the values of a metric; a `PluginError` says what is wrong with them, if anything."""
    values: Any = metric.values(counts)
    name = f"{type(metric).__name__}.values"
    if not isinstance(values, Mapping):
        what = f"{name} gives a {type(values).__name__}"
        raise PluginError(what, remedy="return a dict, as in {'f1': 1.0}")
    for key, value in values.items():
        if not isinstance(value, (Real, Undefined)):
            raise PluginError(
                f"{name} gives {value!r} for {key!r}",
                remedy="return a number, or caesura.Undefined(reason)",
            )
    if metric.main not in values:
        raise PluginError(
            f"{name} gives no {metric.main!r}, the main value",
            remedy=f"set main to one of {', '.join(values) or 'its values'}",
        )
    return dict(values)


def reference_length(document: Document) -> int:
    """Return the number of words of the first reference, which is the same for all systems."""
    return len(document.normalized(document.originals[0]))


def _model_signature(metric: Metric) -> str:
    """Name the model that values depend on by the beginning of its checksum."""
    return f"|model={metric.checksum[:CHECKSUM_DIGITS]}" if metric.checksum else ""


def describe_values(values: dict[str, Value]) -> dict[str, Any]:
    """Return values for JSON, and the reasons why some are undefined."""
    undefined = {name: v.reason for name, v in values.items() if isinstance(v, Undefined)}
    return {"values": {n: as_json(v) for n, v in values.items()}, "undefined": undefined}


def data_frame(rows: Iterable[dict[str, Any]]) -> Any:
    """Make a pandas DataFrame of rows, or raise an error that says what to install."""
    try:
        import pandas
    except ImportError as error:
        raise CaesuraError(
            "a data frame needs pandas, which is not installed",
            remedy="pip install 'caesura[tables]', or pandas itself",
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
    """Return the names of all counts, and a row of numbers for each unit."""
    names = list(dict.fromkeys(name for each in units for name in each))
    return names, np.array([[each[name] for name in names] for each in units])


def counts_of_row(names: Sequence[str], row: Rows) -> Counts:
    """Return a row, or a sum of rows, as counts."""
    return Counts(**dict(zip(names, row.tolist(), strict=True)))


def score_recordings(
    hypotheses: Sequence[Transcript],
    references: Sequence[Sequence[Transcript]],
    metrics: Sequence[Metric],
    settings: ScoringSettings,
    known_names: Strings = (),
) -> Scores:
    """Pair recordings by id and score them; error messages use the `known_names` of the sides."""
    pairs = pair_recordings(hypotheses, references, known_names) if references else []
    return score_pairs(pairs, len(references), metrics, settings, known_names)


def score_pairs(
    pairs: Sequence[Pair],
    references: int,
    metrics: Sequence[Metric],
    settings: ScoringSettings,
    known_names: Strings = (),
    normalizer: Normalizer | None = None,
) -> Scores:
    """Score recordings that are paired already; `references` is their number for each.

    A `normalizer` remembers texts that were normalised before.
    """
    if not references:
        raise MismatchError("there is no reference to score against")
    normalizer = normalizer or Normalizer()
    documents = [
        score_document(ours, theirs, metrics, settings, known_names, normalizer)
        for ours, theirs in pairs
    ]
    return Scores(tuple(metrics), tuple(documents), references, settings)
