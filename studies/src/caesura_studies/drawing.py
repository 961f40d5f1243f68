"""What the figures of studies share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from caesura.core.values import Undefined, Value
from caesura.evaluation.reports.figures import COLOURS, styles
from caesura.evaluation.resampling import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Curve = Mapping[float, Value]


def panels(axes: Axes, rows: int, columns: int, **options: Any) -> list[Axes]:
    """Put several panels where there is one; the first of them have to be used."""
    whole = axes.get_figure()
    assert whole is not None
    axes.remove()
    return list(whole.subplots(rows, columns, squeeze=False, **options).flat)


def height(value: Value) -> float:
    """Give a number for a figure, where nothing is drawn for what is undefined."""
    return float("nan") if isinstance(value, Undefined) else value


def curves(axes: Axes, series: Mapping[str, Curve]) -> None:
    """Draw a line for each series."""
    for style, (label, points) in zip(styles(len(series)), series.items(), strict=True):
        ys = [height(each) for each in points.values()]
        axes.plot(list(points), ys, label=label, markersize=3, **style)
    axes.grid(color="0.88", lw=0.5)


def band(axes: Axes, points: Mapping[float, Interval | Undefined], colour: int = 0) -> None:
    """Shade the intervals of a line."""
    ends = [(float("nan"),) * 2 if isinstance(e, Undefined) else e for e in points.values()]
    low, high = zip(*ends, strict=True)
    axes.fill_between(list(points), low, high, color=COLOURS[colour], alpha=0.15, lw=0)


def legend_below(axes: Sequence[Axes], columns: int) -> None:
    """Put one legend for all panels under them."""
    whole = axes[0].get_figure()
    handles, labels = axes[0].get_legend_handles_labels()
    assert whole is not None
    whole.legend(handles, labels, loc="outside lower center", ncols=columns)


def hide(axes: Sequence[Axes]) -> None:
    """Leave the places of unused panels empty."""
    for each in axes:
        each.set_visible(False)


def logarithmic(axes: Axes, places: Sequence[float]) -> None:
    """Make an axis of weights, which grow by factors, with a mark for some of them."""
    axes.set_xscale("log")
    axes.set_xticks(list(places), [f"{each:g}" for each in places])
    axes.minorticks_off()
