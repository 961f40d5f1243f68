"""Whether metrics predict the results of a task that uses recognisers' output.

For each show and task system, metric and result are correlated over the systems; the mean is
taken over shows, then over task systems (Ben Jannet et al. 2015, Table 2). Start at `correlate`;
the coefficients (Pearson's, Spearman's, Kendall's) and bootstrapped means come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from caesura import __version__
from caesura.core.arrays import Strings
from caesura.core.errors import MismatchError, UnknownName, advice
from caesura.core.values import Undefined, Value, as_json
from caesura.evaluation.correlation_data import (
    SHOW,
    SYSTEM,
    TASK,
    CompletePairs,
    Observations,
    Pair,
    TableColumns,
    Tables,
    complete_pairs,
    read_observations,
)
from caesura.evaluation.resampling import (
    FEW_UNITS,
    FEWEST_RESAMPLES,
    RESAMPLES,
    SEED,
    Interval,
    Resampling,
    Rows,
    bootstrap_draws,
    bootstrap_sums,
    percentile_interval,
)
from caesura.evaluation.scores import data_frame, interval_columns, number_columns

Series = Sequence[float] | Rows

TOO_SHORT = Undefined("a correlation takes two pairs of numbers")
CONSTANT = Undefined("one of the series does not vary")


def pearson(one: Series, other: Series) -> Value:
    """Return Pearson's correlation: how close two series come to a straight line."""
    return _correlate_series(one, other, "pearson")


def spearman(one: Series, other: Series) -> Value:
    """Return Spearman's correlation: that of the ranks; equal numbers share their mean rank."""
    return _correlate_series(one, other, "spearman")


def kendall(one: Series, other: Series) -> Value:
    """Return Kendall's tau-b: pairs in the same order minus those in the opposite, with ties."""
    return _correlate_series(one, other, "kendall")


def correlate_with_first(columns: Rows, coefficient: str) -> list[Value]:
    """Return the correlation of each other column with the first."""
    if len(columns) < 2:
        return [TOO_SHORT] * (columns.shape[1] - 1)
    # The numbers are compared with each other: their mean may differ in the last bit.
    constant = columns.min(0) == columns.max(0)
    with np.errstate(invalid="ignore"):
        coefficients = np.clip(COEFFICIENTS[coefficient](columns), -1, 1)
    return [
        CONSTANT if constant[0] or constant[at] else float(coefficients[at])
        for at in range(1, columns.shape[1])
    ]


def ranks(columns: Series) -> Rows:
    """Return the ranks from 1 within each column; equal numbers share their mean rank."""
    numbers = np.asarray(columns, float)
    order = np.argsort(numbers, axis=0, kind="stable")
    ordered = np.take_along_axis(numbers, order, 0)
    places = np.arange(len(numbers)).reshape(-1, *[1] * (numbers.ndim - 1))
    differs = ordered[1:] != ordered[:-1]
    edge = np.ones_like(numbers[:1], bool)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, differs]), places, 0))
    after = np.where(np.concatenate([differs, edge]), places, len(numbers))
    last = np.minimum.accumulate(after[::-1])[::-1]
    ranked = np.empty_like(numbers)
    np.put_along_axis(ranked, order, (first + last) / 2 + 1, 0)
    return ranked


def pearson_with_interval(
    one: Sequence[float], other: Sequence[float], resampling: Resampling
) -> tuple[Value, Interval | Undefined]:
    """Return Pearson's correlation and its confidence interval from resampled pairs."""
    pairs = np.array([one, other], float)
    drawn = [pearson(*pairs[:, units]) for units in bootstrap_draws(len(one), resampling)]
    return pearson(one, other), percentile_interval(drawn, resampling.level)


def _correlate_series(one: Series, other: Series, coefficient: str) -> Value:
    if len(one) != len(other):
        raise ValueError(f"series of {len(one)} and {len(other)} numbers have no pairs")
    (correlation,) = correlate_with_first(np.array([one, other], float).T, coefficient)
    return correlation


def _pearson_columns(columns: Rows) -> Rows:
    """Return Pearson's correlation of all columns with the first."""
    # Scaling by powers of two loses no digits; subtracting one of the numbers loses few.
    scaled = np.ldexp(columns, -np.frexp(np.abs(columns).max(0))[1])
    shifted = scaled - scaled[0]
    centred = shifted - shifted.mean(0)
    # Divided last and summed alike, so that ranks on a line give exactly 1.
    products, squares = (centred[:, :1] * centred).sum(0), (centred * centred).sum(0)
    return np.asarray(products / np.sqrt(squares[0] * squares))


def _kendall_columns(columns: Rows) -> Rows:
    """Return Kendall's tau-b of all columns with the first, from all pairs of rows."""
    # Ranks have the same order as the numbers, and their differences never overflow.
    ranked = ranks(columns)
    same, untied = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
    for at in range(len(ranked) - 1):
        signs = np.sign(ranked[at + 1 :] - ranked[at])
        same += signs[:, 0] @ signs
        untied += np.abs(signs).sum(0)
    return np.asarray(same / np.sqrt(untied[0] * untied))


COEFFICIENTS: dict[str, Callable[[Rows], Rows]] = {
    "spearman": lambda columns: _pearson_columns(ranks(columns)),
    "kendall": _kendall_columns,
    "pearson": _pearson_columns,
}


NO_VALUES = Undefined("nothing there is defined")


@dataclass(frozen=True)
class BootstrapMean:
    """A mean over groups, its interval (None without resamples), and the mean of each group."""

    value: Value
    interval: Interval | Undefined | None
    groups: tuple[Value, ...]


def bootstrap_means(cells: Rows, resampling: Resampling) -> list[BootstrapMean]:
    """Return the mean of each column of an array of units × columns × groups, without NaN.

    Groups without any number are left out. The same units are drawn for all columns. If none of
    the numbers of a group is in a resample, the resample has no mean.
    """
    known = ~np.isnan(cells)
    rows = np.stack([np.where(known, cells, 0.0), known.astype(float)], 1)
    groups, some = _group_means(rows.sum(0)), np.asarray(known.any(0))
    shape, flat = rows.shape[1:], rows.reshape(len(rows), -1)
    draws = np.array(
        [
            _mean_of_groups(_group_means(row.reshape(shape)), some)
            for (row,) in (bootstrap_sums([flat], resampling) if len(rows) > 1 else [])
        ]
    ).reshape(-1, cells.shape[1])
    return [
        BootstrapMean(
            _value(mean),
            _interval_of_draws(draws[:, at], resampling),
            tuple(map(_value, groups[at])),
        )
        for at, mean in enumerate(_mean_of_groups(groups, some))
    ]


def _group_means(sums: Rows) -> Rows:
    """Return the mean of each group from sums and counts of its units; NaN if it has none."""
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[0] / sums[1])


def _mean_of_groups(groups: Rows, some: Rows) -> Rows:
    """Return the mean over the groups that have numbers."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(some, groups, 0.0).sum(1) / some.sum(1))


def _interval_of_draws(drawn: Rows, resampling: Resampling) -> Interval | Undefined | None:
    if not resampling.resamples:
        return None
    if not len(drawn):
        return Undefined("there is only one to draw from")
    return percentile_interval([_value(each) for each in drawn], resampling.level)


def _value(number: float) -> Value:
    return NO_VALUES if np.isnan(number) else float(number)


FEWEST_SYSTEMS = 3
"""The least number of systems for a correlation: any two lie on a line."""

NO_TASKS = ("",)
"""The task systems of tables without a column for them."""

FEW_SYSTEMS = Undefined(f"fewer than {FEWEST_SYSTEMS} systems have all the numbers")


@dataclass(frozen=True)
class CorrelationSettings:
    """The baseline metric, the systems to leave out, and the resampling."""

    baseline: str
    without: Strings = ()
    resampling: Resampling = field(default_factory=Resampling)


@dataclass(frozen=True)
class Correlation:
    """The mean correlation of a metric with a result, or its difference to the baseline's.

    `interval` is None without resamples; `tasks` has the mean over shows of each task system;
    `undefined` counts, by reason, the pairs of show and task system that were left out.
    """

    metric: str
    coefficient: str
    value: Value
    interval: Interval | Undefined | None
    tasks: dict[str, Value]
    undefined: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers for JSON."""
        return {
            **vars(self),
            "value": as_json(self.value),
            "reason": self.value.reason if isinstance(self.value, Undefined) else "",
            "interval": list(self.interval) if isinstance(self.interval, tuple) else None,
            "tasks": {task: as_json(value) for task, value in self.tasks.items() if task},
        }


@dataclass(frozen=True, eq=False)
class ResultCorrelations:
    """Correlations of metrics with one result, and their differences to the baseline metric."""

    result: str
    metrics: Strings
    data: CompletePairs
    settings: CorrelationSettings

    @cached_property
    def values(self) -> dict[tuple[str, str], list[Value]]:
        """For each metric and coefficient the correlation of each pair of show and task system."""
        return {
            (metric, name): values
            for name in COEFFICIENTS
            for metric, values in zip(self.metrics, self._values(name), strict=True)
        }

    def _values(self, coefficient: str, without: str = "") -> list[list[Value]]:
        """Return for each metric the correlation of each pair, perhaps without one system."""
        rows = [_correlate_pair(pair, coefficient, without) for pair in self.data.pairs]
        return [list(column) for column in zip(*rows, strict=True)]

    @cached_property
    def correlations(self) -> tuple[Correlation, ...]:
        """The mean correlation of each metric, by each coefficient."""
        return self._means[: len(self.values)]

    @cached_property
    def differences(self) -> tuple[Correlation, ...]:
        """How far each other metric is above the baseline, on pairs where both have a value."""
        return self._means[len(self.values) :]

    @cached_property
    def _means(self) -> tuple[Correlation, ...]:
        """All means and differences at once, so that the same shows are drawn for all."""
        first = self.settings.baseline
        alone = [(each, each) for each in self.values]
        others = [((m, name), (first, name)) for m, name in self.values if m != first]
        numbers = {each: _array(values) for each, values in self.values.items()}
        columns = [
            *(numbers[each] for each, _ in alone),
            *(numbers[each] - numbers[base] for each, base in others),
        ]
        averaged = self._averaged(columns, self.settings.resampling)
        return tuple(
            Correlation(*one, mean.value, mean.interval, tasks, self._reasons(one, base))
            for (one, base), mean in zip([*alone, *others], averaged, strict=True)
            for tasks in [dict(zip(self.data.tasks, mean.groups, strict=True))]
        )

    def _averaged(self, columns: Sequence[Rows], resampling: Resampling) -> list[BootstrapMean]:
        shape = len(self.data.shows), len(self.data.tasks), len(columns)
        return bootstrap_means(np.stack(columns, 1).reshape(shape).transpose(0, 2, 1), resampling)

    def _reasons(self, *asked: tuple[str, str]) -> dict[str, int]:
        """Count the reasons why pairs have no correlation."""
        return dict(
            Counter(
                next(value.reason for value in each if isinstance(value, Undefined))
                for each in zip(*(self.values[one] for one in asked), strict=True)
                if any(isinstance(value, Undefined) for value in each)
            )
        )

    @cached_property
    def without_each(self) -> dict[str, dict[str, Value]]:
        """Spearman's mean correlation of each metric without each of the systems.

        A single very bad system raises every correlation: this shows it.
        """
        by_system = {}
        for system in self.data.systems:
            columns = list(map(_array, self._values("spearman", system)))
            averaged = self._averaged(columns, Resampling(0))
            by_system[system] = {m: a.value for m, a in zip(self.metrics, averaged, strict=True)}
        return by_system

    def mean(self, metric: str, coefficient: str = "spearman") -> Correlation:
        """Return the mean correlation of a metric with the result."""
        return _find(self.correlations, metric, coefficient)

    def difference(self, metric: str, coefficient: str = "spearman") -> Correlation:
        """Return how far the correlation of a metric is above that of the baseline."""
        return _find(self.differences, metric, coefficient)

    @property
    def signature(self) -> str:
        """A line that says how the numbers can be reproduced."""
        terms, data = self.settings, self.data
        shows = f"{len(data.shows)} shows"
        names = f"metrics={'+'.join(self.metrics)},result={self.result},baseline={terms.baseline}"
        parts = [
            f"correlate({names})",
            f"systems={'+'.join(data.systems)}",
            f"without={'+'.join(terms.without)}" if terms.without else "",
            f"shows={len(data.shows)}",
            f"tasks={'+'.join(data.tasks)}" if data.tasks != NO_TASKS else "",
            f"bootstrap({terms.resampling},units={shows})" if terms.resampling.resamples else "",
            f"caesura={__version__}",
        ]
        return "|".join(filter(None, parts))

    @property
    def remarks(self) -> list[str]:
        """What a reader must know about the numbers."""
        return [*self._sign_remarks(), *self._missing_remarks(), *self._interval_remarks()]

    def _sign_remarks(self) -> Iterator[str]:
        """Name metrics whose correlation has another sign than that of the baseline."""
        first = self.settings.baseline
        base = _or_nan(self.mean(first).value)
        for metric in self.metrics:
            if base * _or_nan(self.mean(metric).value) < 0:
                yield (
                    f"{metric} and {first} have correlations of opposite sign with {self.result}: "
                    "if higher is better in one and worse in the other, negate one (--negate), or "
                    "their difference means nothing"
                )

    def _missing_remarks(self) -> Iterator[str]:
        """Name what has no correlation, and which numbers are missing."""
        pairs, count = self.data.pairs, len(self.data.pairs)
        what = "shows" if self.data.tasks == NO_TASKS else "pairs of show and task system"
        by_reason: dict[tuple[str, int], list[str]] = {}
        for metric in self.metrics:
            for each in self.mean(metric).undefined.items():
                by_reason.setdefault(each, []).append(metric)
        for (reason, number), metrics in by_reason.items():
            names = "" if len(metrics) == len(self.metrics) else f"{', '.join(metrics)}: "
            yield f"{names}left out {number} of {count} {what}: {reason}"
        missing = sum(
            FEWEST_SYSTEMS <= len(pair.systems) < len(self.data.systems) for pair in pairs
        )
        if missing:
            yield (
                f"some systems have no numbers in {missing} of {count} {what}: "
                "the others were used there"
            )
        if self.data.incomplete:
            names = ", ".join(self.data.incomplete)
            yield f"left out because they never have all the numbers: {names}"

    def _interval_remarks(self) -> Iterator[str]:
        """Name what makes the intervals unreliable."""
        drawn = [each.interval for each in (*self.correlations, *self.differences)]
        for reason in dict.fromkeys(each.reason for each in drawn if isinstance(each, Undefined)):
            yield f"no interval: {reason}"
        some, shows = any(isinstance(each, tuple) for each in drawn), len(self.data.shows)
        if some and shows < FEW_UNITS:
            yield f"the intervals are based on only {shows} shows: they are too narrow"
        if some and self.settings.resampling.resamples < FEWEST_RESAMPLES:
            yield "the intervals are based on too few resamples to mean much"

    def to_dict(self) -> dict[str, Any]:
        """Return everything about one result for JSON."""
        return {
            "result": self.result,
            "metrics": self.metrics,
            "baseline": self.settings.baseline,
            "systems": self.data.systems,
            "without": self.settings.without,
            "shows": self.data.shows,
            "tasks": [task for task in self.data.tasks if task],
            "correlations": [each.to_dict() for each in self.correlations],
            "differences": [each.to_dict() for each in self.differences],
            "without_each": {
                system: {metric: as_json(value) for metric, value in values.items()}
                for system, values in self.without_each.items()
            },
            "pairs": [self._pair(at) for at in range(len(self.data.pairs))],
            "remarks": self.remarks,
            "signature": self.signature,
        }

    def mean_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a data frame: mean correlations and their differences."""
        apart = {(each.metric, each.coefficient): each for each in self.differences}
        for one in self.correlations:
            other = apart.get((one.metric, one.coefficient))
            yield {
                "result": self.result,
                "metric": one.metric,
                "coefficient": one.coefficient,
                **number_columns(one.value),
                **interval_columns(one.interval),
                "difference": np.nan if other is None else _or_nan(other.value),
                **interval_columns(other.interval if other else None, "difference_"),
            }

    def show_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of a data frame: the correlations of each show and task system."""
        for (metric, coefficient), values in self.values.items():
            for pair, value in zip(self.data.pairs, values, strict=True):
                yield {
                    "result": self.result,
                    "show": pair.show,
                    "task": pair.task,
                    "metric": metric,
                    "coefficient": coefficient,
                    **number_columns(value),
                }

    def _pair(self, at: int) -> dict[str, Any]:
        pair = self.data.pairs[at]
        document: dict[str, Any] = {"show": pair.show, "task": pair.task, "systems": pair.systems}
        for (metric, coefficient), values in self.values.items():
            document.setdefault(coefficient, {})[metric] = as_json(values[at])
        return document


def correlate_result(
    observed: Observations, result: str, metrics: Strings, terms: CorrelationSettings
) -> ResultCorrelations:
    """Correlate metrics with one result, over the systems that have all the numbers."""
    complete = complete_pairs(observed, (result, *metrics), terms.without)
    if len(complete.systems) < FEWEST_SYSTEMS:
        raise MismatchError(
            f"{len(complete.systems)} systems have numbers of {', '.join((result, *metrics))} on "
            "the same show",
            remedy=f"correlations take {FEWEST_SYSTEMS} or more; "
            "names must be the same in all tables",
        )
    return ResultCorrelations(result, metrics, complete, terms)


def _correlate_pair(pair: Pair, coefficient: str, without: str) -> list[Value]:
    """Return the correlation of each metric with the result, perhaps without one system."""
    kept = [row for row, system in enumerate(pair.systems) if system != without]
    if len(kept) < FEWEST_SYSTEMS:
        return [FEW_SYSTEMS] * (pair.numbers.shape[1] - 1)
    return correlate_with_first(pair.numbers[kept], coefficient)


def _array(values: Sequence[Value]) -> Rows:
    return np.array([_or_nan(value) for value in values])


def _or_nan(value: Value) -> float:
    return np.nan if isinstance(value, Undefined) else value


def _find(correlations: Sequence[Correlation], metric: str, coefficient: str) -> Correlation:
    for one in correlations:
        if (one.metric, one.coefficient) == (metric, coefficient):
            return one
    raise UnknownName(f"there is no {coefficient} of {metric!r}")


@dataclass(frozen=True)
class Correlations:
    """Correlations of metrics with several results; `correlations["eter"]` is one of them."""

    results: tuple[ResultCorrelations, ...]

    def __getitem__(self, result: str) -> ResultCorrelations:
        """Return the correlations of all metrics with one result."""
        known = [each.result for each in self.results]
        if result not in known:
            raise UnknownName(
                f"there is no result {result!r}", remedy=advice(result, known, "there are")
            )
        return self.results[known.index(result)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries and lists: what `correlate --json` prints."""
        return {"results": [each.to_dict() for each in self.results]}

    def to_frame(self, per_show: bool = False) -> Any:
        """Return a pandas DataFrame with a row for each result, metric and coefficient.

        `low` and `high` are the limits of the confidence interval of the mean correlation;
        `difference`, with limits of its own, is how far it is above that of the baseline. With
        `per_show` there is a row for each show and task system instead, without intervals.
        """
        if per_show:
            return data_frame(row for each in self.results for row in each.show_rows())
        return data_frame(row for each in self.results for row in each.mean_rows())


def correlate(
    tables: Tables,
    *,
    metric: str | Sequence[str],
    result: str | Sequence[str],
    baseline: str = "",
    without: str | Sequence[str] = (),
    negate: str | Sequence[str] = (),
    system: str = SYSTEM,
    show: str = SHOW,
    task: str = TASK,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Correlations:
    """Measure how well metrics predict the results of a task that uses recognisers' output.

    Tables are CSV or TSV files with a row for each `system` and `show` (and `task`, if they have
    that column), files that `score --json` or `compare --json` wrote, lists of dicts, or tables
    of pandas, Polars or Arrow; they are joined. Each `metric` and `result` is a column of them,
    or a value of the scores. The metrics are compared with the `baseline`, by default the first
    of them. Systems in `without` are left out; the numbers of columns in `negate` get the
    opposite sign. Intervals come from resampling shows.
    """
    metrics, results, negated = _as_tuple(metric), _as_tuple(result), _as_tuple(negate)
    for kind, names in (("metric", metrics), ("result", results)):
        if not names:
            raise UnknownName(f"there is no {kind}", remedy="name a column of the tables")
    first = baseline or metrics[0]
    _require_known(first, metrics, "baseline")
    for name in negated:
        _require_known(name, (*metrics, *results), "column to negate")
    signs = {name: f"-{name}" for name in negated}
    terms = CorrelationSettings(
        signs.get(first, first), _as_tuple(without), Resampling(resamples, seed)
    )
    observed = read_observations(
        tables, TableColumns(system, show, task, (*metrics, *results))
    ).negated(negated)
    named = tuple(signs.get(name, name) for name in metrics)
    return Correlations(
        tuple(correlate_result(observed, signs.get(name, name), named, terms) for name in results)
    )


def _as_tuple(names: str | Sequence[str]) -> Strings:
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))


def _require_known(name: str, known: Strings, kind: str) -> None:
    if name not in known:
        raise UnknownName(
            f"the {kind} {name!r} is not among those asked for",
            remedy=advice(name, known, "it is one of"),
        )
