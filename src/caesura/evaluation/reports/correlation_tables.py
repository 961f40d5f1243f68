"""Tables of correlations: metrics against results, and what they hang on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from caesura.core.atomic import atomic
from caesura.core.values import Undefined, Value
from caesura.evaluation.correlation import ALONE, SYSTEMS, Against, Correlation, Correlations
from caesura.evaluation.reports.render import marked_all, plain, typeset
from caesura.evaluation.reports.table import Grid, between, number, reasons
from caesura.evaluation.reports.write import write_json, write_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


WIDTH = 5.4
"""Inches of a figure."""


def write_correlations(found: Correlations, path: Path) -> None:
    """Write tables or a figure into a file, of the kind that its suffix says."""
    suffix = path.suffix.lower()
    if suffix in (".png", ".svg"):
        with atomic(path) as file:
            file.write(_picture(found, suffix[1:]))
    elif suffix == ".json":
        write_json(path, found.to_dict())
    else:
        write_text(path, (marked_all if suffix == ".md" else typeset)(grids(found)))


def _picture(found: Correlations, kind: str) -> bytes:
    """Spearman's correlations with their intervals, a row for each metric."""
    from caesura.evaluation.reports.figures import dots, picture

    means = [(one, one.of(metric)) for one in found.results for metric in one.metrics]
    several = len(found.results) > 1
    labels = [f"{mean.metric}, {one.result}" if several else mean.metric for one, mean in means]

    def draw(axes: Axes) -> None:
        dots(axes, labels, [(mean.value, mean.interval) for _, mean in means])
        axes.axvline(0, color="0.6", lw=0.6, zorder=0)
        axes.set_title(f"Spearman with {', '.join(one.result for one in found.results)}")

    return picture(WIDTH, 0.7 + 0.25 * len(means), draw, kind)


def terminal(found: Correlations) -> str:
    """Lay correlations out for a terminal of 80 columns."""
    return "\n\n".join(plain(grid) for grid in grids(found))


def grids(found: Correlations) -> Iterator[Grid]:
    """All tables there is something for."""
    for one in found.results:
        *others, last = _tables(one)
        yield from others
        yield replace(last, signatures=(one.signature,))


def _tables(one: Against) -> Iterator[Grid]:
    yield _means(one)
    if one.differences:
        yield _differences(one)
    if one.found.tasks != ALONE:
        yield _tasks(one)
    if len(one.found.systems) > SYSTEMS:
        yield _without_each(one)


def _means(one: Against) -> Grid:
    """A row for each metric, with the way the result goes when the metric rises."""
    rows = [
        (
            metric,
            _way(one.of(metric).value),
            *_drawn(one, one.of(metric)),
            number(one.of(metric, "kendall").value),
            number(one.of(metric, "pearson").value),
        )
        for metric in one.metrics
    ]
    head = ("metric", one.result, "Spearman", *_head(one), "Kendall", "Pearson")
    undefined = reasons([(metric, one.of(metric).value) for metric in one.metrics])
    return Grid(
        f"{one.result}: correlation over {_counted(one)}",
        head,
        tuple(rows),
        labels=2,
        notes=(*one.remarks, *undefined),
    )


def _way(value: Value) -> str:
    """Say where the result goes when the metric rises."""
    if isinstance(value, Undefined):
        return "?"
    return "rises" if value > 0 else "falls" if value < 0 else "stays"


def _differences(one: Against) -> Grid:
    rows = [
        (
            metric,
            *_drawn(one, one.difference(metric)),
            number(one.difference(metric, "kendall").value),
            number(one.difference(metric, "pearson").value),
        )
        for metric in one.metrics
        if metric != one.terms.baseline
    ]
    head = ("metric", "Spearman", *_head(one), "Kendall", "Pearson")
    return Grid(f"{one.result}: difference to {one.terms.baseline}", head, tuple(rows))


def _tasks(one: Against) -> Grid:
    """Spearman's correlation by task system."""
    rows = [
        (metric, *(number(one.of(metric).tasks[task]) for task in one.found.tasks))
        for metric in one.metrics
    ]
    return Grid(
        f"{one.result}: Spearman of each task system", ("metric", *one.found.tasks), tuple(rows)
    )


def _without_each(one: Against) -> Grid:
    """Spearman's correlation without one system more."""
    rows = [
        (metric, *(number(found[metric]) for found in one.without_each.values()))
        for metric in one.metrics
    ]
    head = ("metric", *one.found.systems)
    return Grid(f"{one.result}: Spearman without one system", head, tuple(rows))


def _drawn(one: Against, found: Correlation) -> list[str]:
    drawn = [between(found.interval)] if one.terms.resampling.resamples else []
    return [number(found.value), *drawn]


def _head(one: Against) -> list[str]:
    drawn = one.terms.resampling
    return [f"{drawn.level * 100:g}% interval"] if drawn.resamples else []


def _counted(one: Against) -> str:
    """Say how many systems, shows and task systems there are."""
    found = one.found
    tasks = "" if found.tasks == ALONE else _many(len(found.tasks), "task system")
    parts = [_many(len(found.systems), "system"), f"mean of {_many(len(found.shows), 'show')}"]
    return ", ".join(parts) + (f", then of {tasks}" if tasks else "")


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
