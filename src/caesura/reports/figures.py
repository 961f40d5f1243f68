"""Figures of results: values with their intervals, curves of sweeps, strips of boundaries."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caesura.contracts import Undefined, Value
from caesura.errors import OutputError
from caesura.numeric.stats import Interval
from caesura.outputs import atomic
from caesura.reports import strips
from caesura.reports.grid import labels_of, wrap
from caesura.reports.grids import shown
from caesura.reports.lists import swept
from caesura.reports.results import Results
from caesura.scores import Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

WIDTH = 7.2
"""Inches: the text width of a page."""

ACROSS = 4
"""Most panels beside each other."""

HEADS = 72
"""Characters for the heads of all panels beside each other."""

BANDED = 4
"""With more systems than this, the bands of their curves would hide each other."""

COLOURS = "#0072B2 #D55E00 #009E73 #CC79A7 #56B4E9 #E69F00 #000000 #8C6D31".split()
"""Told apart with any colour vision (Okabe and Ito); markers and lines differ as well."""

MARKERS = "os^Dv<>PXhp*"
LINES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 2))]

STYLE: Any = {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "lines.linewidth": 1.2,
    "figure.dpi": 200,
    "savefig.dpi": 200,
    "svg.hashsalt": "caesura",
    # Names of systems are text, whatever signs they have.
    "text.parse_math": False,
}
METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


def figure(results: Results, path: str | Path) -> None:
    """Draw what there is to show into a PNG or SVG file, the same bytes for the same results."""
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in METADATA:
        raise OutputError(
            "a figure is a .png or .svg file", where=str(path), remedy="choose one of these"
        )
    with _drawing(str(path)):
        from matplotlib.figure import Figure

        panels = [*_values(results), *_curves(results), *strips.panels(results)]
        heights = [height for height, _ in panels]
        whole = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
        whole.get_layout_engine().set(wspace=0.04)  # type: ignore[union-attr, call-arg]
        places = whole.subfigures(len(panels), 1, height_ratios=heights, squeeze=False)
        for place, (_, draw) in zip(places[:, 0], panels, strict=True):
            draw(place)
        image = _image(whole, kind)
    with atomic(path) as file:
        file.write(image)


def picture(width: float, height: float, draw: Callable[[Axes], None], kind: str = "svg") -> bytes:
    """Draw one panel of so many inches; gives the same bytes for the same numbers."""
    with _drawing():
        from matplotlib.figure import Figure

        whole = Figure(figsize=(width, height), layout="constrained")
        draw(whole.subplots())
        return _image(whole, kind)


def _image(whole: Figure, kind: str) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(whole)
    _settle(whole)
    image = io.BytesIO()
    whole.savefig(image, format=kind, metadata=METADATA[kind])
    return image.getvalue()


def _settle(whole: Figure) -> None:
    """Lay everything out and round its place: the last bits differ from run to run."""
    whole.draw_without_rendering()
    whole.set_layout_engine("none")
    for place in whole.subfigs:
        box = place.bbox_relative
        box.p0, box.p1 = box.p0.round(6), box.p1.round(6)
    for axes in whole.axes:
        (x0, y0), (x1, y1) = axes.get_position().get_points().round(6)
        axes.set_position((x0, y0, x1 - x0, y1 - y0))


def require_matplotlib(where: str) -> None:
    """Raise an error that says what to install, if figures cannot be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise OutputError(
            "figures need matplotlib, which is not installed",
            where=where,
            remedy="pip install 'caesura[plot]', or matplotlib itself",
        ) from error


@contextmanager
def _drawing(where: str = "") -> Iterator[None]:
    """Set matplotlib up, whatever the user's own settings are."""
    require_matplotlib(where)
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # Names in scripts that the font lacks are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def styles(count: int) -> list[dict[str, Any]]:
    """Give colour, marker and line for each system."""
    pairs = zip(range(count), cycle(COLOURS), cycle(MARKERS), cycle(LINES), strict=False)
    return [{"color": c, "marker": m, "linestyle": line} for _, c, m, line in pairs]


def _values(results: Results) -> Iterator[strips.Panel]:
    """Dots with whiskers: of one system a row for each metric, of several a panel for each."""
    columns = shown(results)
    labels = labels_of(results.scores[0].metrics)
    heads = [f"{labels[i]} {value}" for i, value in columns]
    cells = [
        [(one.values[i][value], one.intervals[i].get(value)) for i, value in columns]
        for one in results.scores
    ]
    resampling = results.scores[0].terms.resampling
    what = f"values and their {resampling.level * 100:g}% intervals"
    what = what if resampling.resamples else "values"
    if len(results.scores) == 1:
        title = f"{strips.short(results.systems[0], 60)}: {what}"

        def alone(place: SubFigure) -> None:
            axes = place.subplots()
            dots(axes, ["\n".join(wrap(head, 28)) for head in heads], cells[0])
            axes.set_title(title)

        yield 0.8 + 0.36 * len(heads), alone
        return
    across = ceil(len(heads) / ceil(len(heads) / ACROSS))
    for first in range(0, len(heads), across):
        part = range(first, min(first + across, len(heads)))
        chosen = [(heads[k], [row[k] for row in cells]) for k in part]
        title = "" if first else what.capitalize()
        lines = max(len(wrap(head, HEADS // across)) for head, _ in chosen)
        height = 0.7 + 0.14 * lines + max(0.5, 0.2 * len(cells))
        yield height, partial(_side_by_side, results, chosen, across, title)


Cell = tuple[Value, Interval | Undefined | None]


def _side_by_side(
    results: Results,
    columns: Sequence[tuple[str, list[Cell]]],
    across: int,
    title: str,
    place: SubFigure,
) -> None:
    each = place.subplots(1, across, squeeze=False)[0]
    names = [strips.short(system) for system in results.systems]
    for k, (axes, (head, cells)) in enumerate(zip(each, columns, strict=False)):
        dots(axes, names if k == 0 else [""] * len(names), cells)
        axes.set_title("\n".join(wrap(head, HEADS // across)), loc="center")
    for axes in each[len(columns) :]:
        axes.set_visible(False)
    if title:
        place.suptitle(title, x=0.01, ha="left", fontsize=STYLE["axes.titlesize"])


def dots(axes: Axes, names: Sequence[str], cells: Sequence[Cell]) -> None:
    """A dot for each value, a whisker for its interval, a word where it is undefined."""
    for row, (value, drawn) in enumerate(cells):
        if isinstance(value, Undefined):
            at = axes.get_yaxis_transform()
            axes.text(0.5, row, "undefined", ha="center", va="center", style="italic", transform=at)
            continue
        if isinstance(drawn, tuple):
            axes.plot(drawn, [row, row], color=COLOURS[0], lw=1.4, solid_capstyle="butt")
            axes.plot(drawn, [row, row], "|", color=COLOURS[0], ms=5)
        axes.plot([value], [row], "o", color=COLOURS[0], ms=4.5)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params("y", length=0)
    axes.grid(axis="x", color="0.88", lw=0.5)
    axes.locator_params(axis="x", nbins=4)
    axes.set_axisbelow(True)


def _curves(results: Results) -> Iterator[strips.Panel]:
    """The main value of each system over the points of each sweep, two sweeps in a row."""
    count = len(results.scores[0].sweeps)
    for first in range(0, count, 2):
        part = range(first, min(first + 2, count))
        legend = len(results.systems) > 1
        rows = ceil(len(results.systems) / 4) if legend else 0
        height = 2.5 + 0.17 * rows
        yield height, partial(_curves_beside, results, part)


def _curves_beside(results: Results, part: Sequence[int], place: SubFigure) -> None:
    each = place.subplots(1, len(part), squeeze=False)[0]
    for axes, k in zip(each, part, strict=True):
        for style, one in zip(styles(len(results.scores)), results.scores, strict=True):
            _curve(axes, one.sweeps[k], style, _banded(results))
        sweep = results.scores[0].sweeps[k]
        level = sweep.scores.terms.resampling.level * 100
        title = swept(sweep) + (f", {level:g}% bands" if _banded(results) else "")
        axes.set_title("\n".join(wrap(title, 44)))
        axes.set_xlabel(sweep.setting)
        axes.set_ylabel(sweep.scores.metrics[0].main)
        axes.grid(color="0.88", lw=0.5)
    if len(results.systems) > 1:
        # A name that begins with an underscore would be left out of a legend.
        names = [f" {strips.short(system, 24)}" for system in results.systems]
        lines = [line for line in each[0].get_lines() if line.get_gid() == "curve"]
        place.legend(lines, names, loc="outside lower center", ncols=min(4, len(names)))


def _banded(results: Results) -> bool:
    drawn = results.scores[0].terms.resampling.resamples > 0
    return drawn and len(results.scores) <= BANDED


def _curve(axes: Axes, sweep: Sweep, style: dict[str, Any], banded: bool) -> None:
    main = sweep.scores.metrics[0].main
    numeric = all(type(point) in (int, float) for point in sweep.points)
    xs = list(sweep.points) if numeric else list(range(len(sweep.points)))
    values = [each[main] for each in sweep.scores.values]
    ys = [float("nan") if isinstance(value, Undefined) else value for value in values]
    axes.plot(xs, ys, ms=3.2, gid="curve", **style)
    if not numeric:
        axes.set_xticks(xs, [strips.short(str(point), 12) for point in sweep.points])
    elif all(type(point) is int for point in sweep.points):
        axes.locator_params(axis="x", integer=True)
    if banded:
        drawn = [each.get(main) for each in sweep.scores.intervals]
        ends = [each if isinstance(each, tuple) else (float("nan"),) * 2 for each in drawn]
        low, high = zip(*ends, strict=True)
        axes.fill_between(xs, low, high, color=style["color"], alpha=0.13, lw=0)
