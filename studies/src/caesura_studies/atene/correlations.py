"""How well measures predict the ETER of taggers on recogniser output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from caesura.core.arrays import Strings
from caesura.core.errors import MismatchError
from caesura.core.values import Undefined, Value
from caesura.evaluation.correlation import (
    FEW_SYSTEMS,
    CorrelationSettings,
    ResultCorrelations,
    correlate_result,
)
from caesura.evaluation.correlation_data import Observations
from caesura.evaluation.resampling import (
    Interval,
    Resampling,
    Rows,
    bootstrap_sums,
    percentile_interval,
    randomization_p,
    randomization_sums,
)
from caesura_studies.atene.scoring import Column

ETER = "ETER"
OTHERS = "mean of the other taggers"
SPEARMAN = "spearman"
MORE_RANDOMIZATIONS = 10
"""Randomizations per bootstrap resample: with many tests, small p-values are needed."""

SEPARATE = ("WIL", "RIL")
"""Measures correlated separately: if one has no number, the others keep theirs."""

MISSING = Undefined("there is no number")
NO_CALL = Undefined("no call has both correlations")


@dataclass(frozen=True)
class Averaged:
    """A mean over calls and taggers, its interval, and the mean of each tagger.

    `undefined` counts, by reason, the pairs of call and tagger that have no correlation.
    """

    value: Value
    interval: Interval | Undefined | None
    taggers: Mapping[str, Value]
    undefined: Mapping[str, int]


@dataclass(frozen=True)
class Test:
    """The difference of the correlations of two measures over the calls, with its p-value."""

    one: str
    other: str
    difference: Value
    interval: Interval | Undefined
    p: float
    p_corrected: float = 1.0


@dataclass(frozen=True)
class Table:
    """Measures by recogniser and call, and ETER also by tagger."""

    measures: Mapping[str, Column]
    eter: Mapping[str, Column]
    resampling: Resampling

    @property
    def recognisers(self) -> Strings:
        """The recognisers, in order."""
        return tuple(dict.fromkeys(name for name, _ in next(iter(self.eter.values()))))

    @cached_property
    def _observed(self) -> Observations:
        """All numbers, and for each tagger the mean ETER of the others."""
        found = {
            title: {(*key, ""): _value(each) for key, each in column.items()}
            for title, column in self.measures.items()
        }
        found[ETER] = self._by_task(self.eter)
        if len(self.eter) > 1:
            found[OTHERS] = self._by_task({name: self._others(name) for name in self.eter})
        return Observations(found)

    def _by_task(self, columns: Mapping[str, Column]) -> dict[tuple[str, str, str], Value]:
        return {
            (*key, name): _value(each)
            for name, column in columns.items()
            for key, each in column.items()
        }

    def _others(self, name: str) -> Column:
        rest = [column for other, column in self.eter.items() if other != name]
        return {key: float(np.mean([column[key] for column in rest])) for key in rest[0]}

    @cached_property
    def _correlated(self) -> dict[Strings, tuple[ResultCorrelations, ...]]:
        return {}

    def correlated(self, without: Strings = ()) -> tuple[ResultCorrelations, ...]:
        """Correlate measures with ETER: first all that belong together, then the separate ones."""
        if without not in self._correlated:
            titles = [title for title in self._observed.columns if title != ETER]
            found = [self._against([each for each in titles if each not in SEPARATE], without)]
            for title in (each for each in titles if each in SEPARATE):
                with suppress(MismatchError):
                    found.append(self._against([title], without))
            self._correlated[without] = tuple(found)
        return self._correlated[without]

    def _against(self, titles: Sequence[str], without: Strings) -> ResultCorrelations:
        terms = CorrelationSettings(titles[0], without, self.resampling)
        return correlate_result(self._observed, ETER, tuple(titles), terms)

    def means(self, without: Strings = ()) -> dict[str, Averaged]:
        """Return the mean Spearman correlation of each measure."""
        return {
            each.metric: Averaged(each.value, each.interval, each.tasks, each.undefined)
            for found in self.correlated(without)
            for each in found.correlations
            if each.coefficient == SPEARMAN
        }

    def remarks(self, without: Strings = ()) -> list[str]:
        """List missing correlations; for separate measures only what the others do not lack."""
        together, *rest = self.correlated(without)
        alone = {each.metrics[0]: each for each in rest}
        description = together.remarks
        for title in (each for each in SEPARATE if each in self.measures):
            found = alone[title].remarks if title in alone else [FEW_SYSTEMS.reason]
            description += [f"{title}: {each}" for each in found if each not in together.remarks]
        return description

    def by_call(self, measure: str, without: Strings = ()) -> dict[str, float]:
        """Return the correlation in each call that has one, averaged over taggers."""
        found = next(each for each in self.correlated(without) if measure in each.metrics)
        rows: dict[str, list[float]] = {}
        for cell, value in zip(found.data.pairs, found.values[measure, SPEARMAN], strict=True):
            if not isinstance(value, Undefined):
                rows.setdefault(cell.show, []).append(value)
        return {call: float(np.mean(values)) for call, values in rows.items()}

    def tested(self, one: str, other: str, without: Strings = ()) -> Test:
        """Test the difference of two measures by randomization over calls."""
        ours, theirs = self.by_call(one, without), self.by_call(other, without)
        calls = [call for call in ours if call in theirs]
        if not calls:
            return Test(one, other, NO_CALL, NO_CALL, 1.0)
        first, second = (np.array([[each[call]] for call in calls]) for each in (ours, theirs))
        count = len(calls)
        apart: Rows = first - second
        found = float(apart.sum()) / count
        often = replace(self.resampling, resamples=MORE_RANDOMIZATIONS * self.resampling.resamples)
        traded = [float((a - b).sum()) / count for a, b in randomization_sums(first, second, often)]
        drawn: list[Value] = [
            float(row.sum()) / count for (row,) in bootstrap_sums([apart], self.resampling)
        ]
        around = percentile_interval(drawn, self.resampling.level)
        return Test(one, other, found, around, randomization_p(found, traded))


def _value(cell: float) -> Value:
    return MISSING if cell != cell else cell


def is_below(one: Value, other: Value) -> bool:
    """Whether a number is below another; false if one is undefined."""
    return not isinstance(one, Undefined) and not isinstance(other, Undefined) and one < other
