"""Metrics against the results of tasks: tables in, correlations out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from caesura.core.arrays import Strings
from caesura.core.errors import UnknownName, advice
from caesura.evaluation.correlation import Against, Terms, against
from caesura.evaluation.correlation_data import SHOW, SYSTEM, TASK, Heads, Tables, observed
from caesura.evaluation.resampling import RESAMPLES, SEED, Resampling
from caesura.evaluation.scores import data_frame


@dataclass(frozen=True)
class Correlations:
    """Metrics against results, one after another."""

    results: tuple[Against, ...]

    def __getitem__(self, result: str) -> Against:
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
    """Measure how well metrics predict what a task makes of recognisers' output.

    Tables are CSV or TSV files with a row for each `system` and `show` (and `task`, if they have
    that column), files that `score --json` or `compare --json` wrote, or rows that are there
    already; they are joined. Each `metric` and `result` is a column of them, or a value of the
    scores. Other metrics are compared with the `baseline`, the first if none is named. Systems
    in `without` are left out; columns in `negate` count with the opposite sign. Intervals come
    from `resamples` draws of shows.
    """
    metrics, results, turned = _several(metric), _several(result), _several(negate)
    for kind, names in (("metric", metrics), ("result", results)):
        if not names:
            raise UnknownName(f"there is no {kind}", remedy="name a column of the tables")
    first = baseline or metrics[0]
    _refuse_unknown(first, metrics, "baseline")
    for name in turned:
        _refuse_unknown(name, (*metrics, *results), "column to negate")
    signs = {name: f"-{name}" for name in turned}
    terms = Terms(signs.get(first, first), _several(without), Resampling(resamples, seed))
    found = observed(tables, Heads(system, show, task, (*metrics, *results))).negated(turned)
    named = tuple(signs.get(name, name) for name in metrics)
    return Correlations(
        tuple(against(found, signs.get(name, name), named, terms) for name in results)
    )


def _several(names: str | Sequence[str]) -> Strings:
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))


def _refuse_unknown(name: str, known: Strings, kind: str) -> None:
    if name not in known:
        raise UnknownName(
            f"the {kind} {name!r} is not among those asked for",
            remedy=advice(name, known, "it is one of"),
        )
