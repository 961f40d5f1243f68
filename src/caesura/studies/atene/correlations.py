"""How well measures predict what taggers make of recognisers' output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from caesura.against import Against, Terms, against
from caesura.columns import Floats, Strings
from caesura.contracts import Undefined, Value
from caesura.numeric.stats import (
    Interval,
    Resampling,
    Rows,
    bootstrapped,
    interval,
    randomization_p,
    swapped,
)
from caesura.observed import Observed
from caesura.studies.atene.measuring import Column

ETER = "ETER"
OTHERS = "mean of the other taggers"
SPEARMAN = "spearman"
TRADES = 10
"""How many more times things are traded than drawn: with many tests a p must get very low."""

MISSING = Undefined("there is no number")


@dataclass(frozen=True)
class Mean:
    """A mean over calls and taggers, its interval, and the mean of each tagger."""

    value: Value
    interval: Interval | Undefined | None
    taggers: Mapping[str, Value]


@dataclass(frozen=True)
class Test:
    """How far one measure is above another, over the calls, and how sure that is."""

    one: str
    other: str
    difference: float
    interval: Interval | Undefined
    p: float
    p_corrected: float = 1.0


@dataclass(frozen=True)
class Table:
    """Measures by recogniser and call, and ETER by tagger too."""

    measures: Mapping[str, Column]
    eter: Mapping[str, Column]
    resampling: Resampling

    @property
    def recognisers(self) -> Strings:
        """The recognisers, in order."""
        return tuple(dict.fromkeys(name for name, _ in next(iter(self.eter.values()))))

    def against(self, without: Strings = ()) -> Against:
        """Correlate every measure with ETER, and with the taggers the mean of the others."""
        found = {
            title: {(*key, ""): _value(each) for key, each in column.items()}
            for title, column in self.measures.items()
        }
        found[ETER] = self._by_task(self.eter)
        if len(self.eter) > 1:
            found[OTHERS] = self._by_task({name: self._others(name) for name in self.eter})
        titles = tuple(title for title in found if title != ETER)
        terms = Terms(titles[0], without, self.resampling)
        return against(Observed(found), ETER, titles, terms)

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
    def _against(self) -> dict[Strings, Against]:
        return {}

    def correlated(self, without: Strings = ()) -> Against:
        """Do so once."""
        if without not in self._against:
            self._against[without] = self.against(without)
        return self._against[without]

    def means(self, without: Strings = ()) -> dict[str, Mean]:
        """Give Spearman's mean correlation of each measure."""
        return {
            each.metric: Mean(each.value, each.interval, each.tasks)
            for each in self.correlated(without).correlations
            if each.coefficient == SPEARMAN
        }

    def by_call(self, measure: str, without: Strings = ()) -> Floats:
        """Give the correlation in each call, the mean over taggers; NaN where there is none."""
        found = self.correlated(without)
        cells = zip(found.found.pairs, found.values[measure, SPEARMAN], strict=True)
        rows = [
            [_nan(value) for _, value in group]
            for _, group in groupby(cells, key=lambda cell: cell[0].show)
        ]
        whole = np.array(rows)
        known = np.isfinite(whole)
        total = np.where(known, whole, 0.0).sum(axis=1)
        return np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), np.nan)

    def tested(self, one: str, other: str, without: Strings = ()) -> Test:
        """Test the difference of two measures: calls trade their correlations at random."""
        pair = np.array([self.by_call(one, without), self.by_call(other, without)])
        first, second = pair[:, np.isfinite(pair).all(axis=0)][..., None]
        count = max(len(first), 1)
        apart: Rows = first - second
        found = float(apart.sum()) / count
        often = replace(self.resampling, resamples=TRADES * self.resampling.resamples)
        traded = [float((a - b).sum()) / count for a, b in swapped(first, second, often)]
        drawn: list[Value] = [
            float(row.sum()) / count for (row,) in bootstrapped([apart], self.resampling)
        ]
        around = interval(drawn, self.resampling.level)
        return Test(one, other, found, around, randomization_p(found, traded))


def _value(number: float) -> Value:
    return MISSING if number != number else number


def _nan(value: Value) -> float:
    return float("nan") if isinstance(value, Undefined) else value
