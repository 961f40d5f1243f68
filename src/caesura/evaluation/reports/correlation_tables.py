"""Tables and a figure of correlations of metrics with results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from caesura.core.atomic import atomic
from caesura.core.values import Undefined, Value
from caesura.evaluation.correlation import (
    FEWEST_SYSTEMS,
    NO_TASKS,
    Correlation,
    Correlations,
    ResultCorrelations,
)
from caesura.evaluation.reports.render import latex_tables, markdown_tables, plain_table
from caesura.evaluation.reports.table import Table, format_interval, format_number, undefined_notes
from caesura.evaluation.reports.write import write_json, write_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


WIDTH = 5.4
"""The width of a figure in inches."""


def write_correlations(correlations: Correlations, path: Path) -> None:
    """Write tables or a figure into a file, of the kind that its suffix says."""
    suffix = path.suffix.lower()
    if suffix in (".png", ".svg"):
        with atomic(path) as file:
            file.write(_figure_image(correlations, suffix[1:]))
    elif suffix == ".json":
        write_json(path, correlations.to_dict())
    else:
        write_text(
            path,
            (markdown_tables if suffix == ".md" else latex_tables)(
                correlation_tables(correlations)
            ),
        )


def _figure_image(correlations: Correlations, kind: str) -> bytes:
    """Draw Spearman's correlations with their intervals, a row for each metric."""
    from caesura.evaluation.reports.figures import draw_values, panel_image

    means = [(one, one.mean(metric)) for one in correlations.results for metric in one.metrics]
    several = len(correlations.results) > 1
    labels = [f"{mean.metric}, {one.result}" if several else mean.metric for one, mean in means]

    def draw(axes: Axes) -> None:
        draw_values(axes, labels, [(mean.value, mean.interval) for _, mean in means])
        axes.axvline(0, color="0.6", lw=0.6, zorder=0)
        axes.set_title(f"Spearman with {', '.join(one.result for one in correlations.results)}")

    return panel_image(WIDTH, 0.7 + 0.25 * len(means), draw, kind)


def correlations_text(correlations: Correlations) -> str:
    """Lay correlations out for a terminal of 80 columns."""
    return "\n\n".join(plain_table(table) for table in correlation_tables(correlations))


def correlation_tables(correlations: Correlations) -> Iterator[Table]:
    """Yield all tables of correlations."""
    for one in correlations.results:
        *others, last = _tables(one)
        yield from others
        yield replace(last, signatures=(one.signature,))


def _tables(one: ResultCorrelations) -> Iterator[Table]:
    yield _means(one)
    if one.differences:
        yield _differences(one)
    if one.data.tasks != NO_TASKS:
        yield _tasks(one)
    if len(one.data.systems) > FEWEST_SYSTEMS:
        yield _without_each(one)


def _means(one: ResultCorrelations) -> Table:
    """Return a table with a row for each metric: direction and mean correlations."""
    rows = [
        (
            metric,
            _direction(one.mean(metric).value),
            *_value_cells(one, one.mean(metric)),
            format_number(one.mean(metric, "kendall").value),
            format_number(one.mean(metric, "pearson").value),
        )
        for metric in one.metrics
    ]
    head = ("metric", one.result, "Spearman", *_interval_header(one), "Kendall", "Pearson")
    undefined = undefined_notes([(metric, one.mean(metric).value) for metric in one.metrics])
    return Table(
        f"{one.result}: correlation over {_count_data(one)}",
        head,
        tuple(rows),
        labels=2,
        notes=(*one.remarks, *undefined),
    )


def _direction(value: Value) -> str:
    """Say whether the result rises or falls when the metric rises."""
    if isinstance(value, Undefined):
        return "?"
    return "rises" if value > 0 else "falls" if value < 0 else "stays"


def _differences(one: ResultCorrelations) -> Table:
    rows = [
        (
            metric,
            *_value_cells(one, one.difference(metric)),
            format_number(one.difference(metric, "kendall").value),
            format_number(one.difference(metric, "pearson").value),
        )
        for metric in one.metrics
        if metric != one.settings.baseline
    ]
    head = ("metric", "Spearman", *_interval_header(one), "Kendall", "Pearson")
    return Table(f"{one.result}: difference to {one.settings.baseline}", head, tuple(rows))


def _tasks(one: ResultCorrelations) -> Table:
    """Return a table of Spearman's correlation for each task system."""
    rows = [
        (metric, *(format_number(one.mean(metric).tasks[task]) for task in one.data.tasks))
        for metric in one.metrics
    ]
    return Table(
        f"{one.result}: Spearman of each task system", ("metric", *one.data.tasks), tuple(rows)
    )


def _without_each(one: ResultCorrelations) -> Table:
    """Return a table of Spearman's correlation without each of the systems."""
    rows = [
        (metric, *(format_number(means[metric]) for means in one.without_each.values()))
        for metric in one.metrics
    ]
    head = ("metric", *one.data.systems)
    return Table(f"{one.result}: Spearman without one system", head, tuple(rows))


def _value_cells(one: ResultCorrelations, correlation: Correlation) -> list[str]:
    drawn = [format_interval(correlation.interval)] if one.settings.resampling.resamples else []
    return [format_number(correlation.value), *drawn]


def _interval_header(one: ResultCorrelations) -> list[str]:
    drawn = one.settings.resampling
    return [f"{drawn.level * 100:g}% interval"] if drawn.resamples else []


def _count_data(one: ResultCorrelations) -> str:
    """Return the numbers of systems, shows and task systems as text."""
    data = one.data
    tasks = "" if data.tasks == NO_TASKS else _plural(len(data.tasks), "task system")
    parts = [_plural(len(data.systems), "system"), f"mean of {_plural(len(data.shows), 'show')}"]
    return ", ".join(parts) + (f", then of {tasks}" if tasks else "")


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
