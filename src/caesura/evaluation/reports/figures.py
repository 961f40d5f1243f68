"""Draw results: values with their intervals, curves of sweeps, and a strip of boundaries.

At the end: how far the probabilities on a card can be trusted.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import cycle
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.core.atomic import atomic
from caesura.core.errors import OutputError
from caesura.core.values import Undefined, Value
from caesura.evaluation.document import Document
from caesura.evaluation.reports.score_tables import headline_values, sweep_label, worst_first
from caesura.evaluation.reports.table import metric_labels, printable, wrap
from caesura.evaluation.reports.write import Results
from caesura.evaluation.resampling import Interval
from caesura.evaluation.scores import Sweep
from caesura.metrics.base import boundary_flags
from caesura.metrics.wisebe import WiSeBE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Panel = tuple[float, Callable[["SubFigure"], None]]
"""The height of a panel in inches, and the function that draws it."""

STRIP_WORDS = 400
"""The most words of a strip; of a longer document it shows the part with most errors."""

HIT, FALSE, SHADE = "#0072B2", "#D55E00", "#DDDDDD"


Rows = list[tuple[str, Flags]]
"""Names, each with flags of the gaps that are boundaries."""


@dataclass(frozen=True)
class Strip:
    """Boundaries of references and systems in one document, and the windows of the metric."""

    document: Document
    references: Rows
    systems: Rows
    windows: tuple[Indices, Indices]
    metric: WiSeBE | None

    @cached_property
    def in_windows(self) -> Flags:
        """Flags of the gaps inside windows."""
        steps = np.zeros(self.document.words + 1, np.int64)
        steps[self.windows[0]] += 1
        steps[self.windows[1] + 1] -= 1
        flags: Flags = np.cumsum(steps)[:-1] > 0
        return flags

    def errors(self) -> Indices:
        """Count for each gap the false alarms, and the missed windows that begin there.

        Without a system, count the gaps where references differ.
        """
        errors = np.zeros(self.document.words, np.int64)
        first, last = self.windows
        if not self.systems:
            at = sum(flags.astype(np.int64) for _, flags in self.references)
            errors += (at > 0) & (at < len(self.references))
        for _, ours in self.systems:
            errors += ours & ~self.in_windows
            met = np.concatenate([[0], np.cumsum(ours)])
            errors[first] += met[last + 1] == met[first]
        return errors

    def shown_range(self) -> tuple[int, int]:
        """Return the first word of the part to show, and the one after its last."""
        words = self.document.words
        if words <= STRIP_WORDS:
            return 0, words
        sums = np.concatenate([[0], np.cumsum(self.errors())])
        worst = int(np.argmax(sums[STRIP_WORDS:] - sums[:-STRIP_WORDS]))
        return worst, worst + STRIP_WORDS


def strip_panels(results: Results) -> Iterator[Panel]:
    """Yield the strip of the worst document, if boundaries were compared."""
    strip = worst_strip(results)
    if strip is not None:
        rows = len(strip.references) + len(strip.systems)
        yield 1.25 + 0.19 * rows, lambda place: _draw_strip(place, strip, results)


def worst_strip(results: Results) -> Strip | None:
    """Return the strip of the worst document; systems with other words are left out."""
    first = results.scores[0]
    document = first.documents[worst_first(results, 0)[0]] if first.documents else None
    if document is None or not document.words or document.compared.sentences is None:
        return None
    there = [
        (name, one)
        for name, one in zip(results.references, document.carried, strict=True)
        if one.sentences is not None and one.words == document.compared.words
    ]
    if not there:
        return None
    metric = next((metric for metric in first.metrics if isinstance(metric, WiSeBE)), None)
    finder = metric or WiSeBE(window_gap=0)
    documents = [_same_document(one.documents, document) for one in results.scores]
    systems = [
        (name, boundary_flags(own.compared, finder.count_end))
        for name, own in zip(results.systems, documents, strict=True)
        if own.compared.words == document.compared.words and own.compared.sentences is not None
        if not results.between_annotators
    ]
    references = [(name, boundary_flags(one, finder.count_end)) for name, one in there]
    windows = finder.windows([one for _, one in there])
    return Strip(document, references, systems, windows, metric)


def _same_document(documents: tuple[Document, ...], wanted: Document) -> Document:
    if len(documents) == 1:
        return documents[0]
    return next(document for document in documents if document.id == wanted.id)


def _draw_strip(place: SubFigure, strip: Strip, results: Results) -> None:
    axes = place.subplots()
    begin, end = strip.shown_range()
    rows = [name for name, _ in (*strip.references, *strip.systems)]
    for first, last in zip(*strip.windows, strict=True):
        if begin <= last and first < end:
            # Gap i lies between words i + 1 and i + 2, counted from 1.
            axes.axvspan(first + 0.9, last + 2.1, color=SHADE, lw=0, zorder=0)
    for row, (_, flags) in enumerate(strip.references):
        at = np.flatnonzero(flags[begin:end]) + begin + 1.5
        axes.vlines(at, row - 0.36, row + 0.36, color="0.15", lw=1.0)
    for row, (_, flags) in enumerate(strip.systems, len(strip.references)):
        _marks(axes, row, flags, strip.in_windows, (begin, end))
    axes.axhline(len(strip.references) - 0.5, color="0.6", lw=0.5)
    axes.set_yticks(range(len(rows)), [shorten_name(row) for row in rows])
    axes.tick_params("y", length=0)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(begin + 0.5, end + 1.5)
    axes.set_xlabel("word")
    axes.set_title(_title(strip, results, begin, end))
    _legend(place, strip)


def _marks(axes: Axes, row: int, flags: Flags, inside: Flags, part: tuple[int, int]) -> None:
    """Draw boundaries: filled inside a window, open outside."""
    begin, end = part
    for chosen, colour, fill in ((inside, HIT, HIT), (~inside, FALSE, "white")):
        at = np.flatnonzero((flags & chosen)[begin:end]) + begin + 1.5
        axes.plot(
            at, [row] * len(at), "o", ms=3.9, mec=colour, mfc=fill, mew=1.0, ls="", clip_on=False
        )


def _title(strip: Strip, results: Results, begin: int, end: int) -> str:
    several = len(results.scores[0].documents) > 1
    what = "Boundaries"
    what += f" of {shorten_name(strip.document.id)}, the worst document" if several else ""
    if end - begin < strip.document.words:
        where = "they differ most" if results.between_annotators else "most is wrong"
        what += f": words {begin + 1} to {end} of {strip.document.words}, where {where}"
    left = 0 if results.between_annotators else len(results.systems) - len(strip.systems)
    return what + (f"\n({left} systems with other words are left out)" if left else "")


def _legend(place: SubFigure, strip: Strip) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    where = "a window" if strip.metric else "a boundary of a reference"
    dot = {"ls": "", "marker": "o", "ms": 3.9}
    handles = [
        Line2D([], [], color="0.15", ls="", marker="|", ms=8),
        Patch(color=SHADE),
        Line2D([], [], mec=HIT, mfc=HIT, **dot),  # type: ignore[arg-type]
        Line2D([], [], mec=FALSE, mfc="white", **dot),  # type: ignore[arg-type]
    ]
    names = [
        "reference",
        f"window (gap {strip.metric.window_gap})" if strip.metric else "in some reference",
        f"hit: in {where}",
        "false alarm",
    ]
    count = 4 if strip.systems else 2
    place.legend(handles[:count], names[:count], loc="outside lower center", ncols=count)


def shorten_name(text: str, room: int = 28) -> str:
    """Shorten a name so that there is room for the drawing."""
    text = printable(text)
    return text if len(text) <= room else f"{text[: room // 2]}…{text[1 - room // 2 :]}"


WIDTH = 7.2
"""The width of a figure in inches: the text width of a page."""

PANELS_ACROSS = 4
"""The most panels beside each other."""

HEADER_CHARACTERS = 72
"""The characters of the titles of all panels beside each other."""

MOST_BANDS = 4
"""The most systems whose curves have bands; more would hide each other."""

COLOURS = "#0072B2 #D55E00 #009E73 #CC79A7 #56B4E9 #E69F00 #000000 #8C6D31".split()
"""Colours for all kinds of colour vision (Okabe and Ito); markers and lines differ too."""

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


def write_figure(results: Results, path: str | Path) -> None:
    """Draw results into a PNG or SVG file; the same results give the same bytes."""
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in METADATA:
        raise OutputError(
            "a figure is a .png or .svg file", where=str(path), remedy="choose one of these"
        )
    with _matplotlib_defaults(str(path)):
        from matplotlib.figure import Figure

        panels = [*_value_panels(results), *_sweep_panels(results), *strip_panels(results)]
        heights = [height for height, _ in panels]
        whole = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
        whole.get_layout_engine().set(wspace=0.04)  # type: ignore[union-attr, call-arg]
        places = whole.subfigures(len(panels), 1, height_ratios=heights, squeeze=False)
        for place, (_, draw) in zip(places[:, 0], panels, strict=True):
            draw(place)
        image = _image(whole, kind)
    with atomic(path) as file:
        file.write(image)


def panel_image(
    width: float, height: float, draw: Callable[[Axes], None], kind: str = "svg"
) -> bytes:
    """Return an image of one panel; the same numbers give the same bytes."""
    with _matplotlib_defaults():
        from matplotlib.figure import Figure

        whole = Figure(figsize=(width, height), layout="constrained")
        draw(whole.subplots())
        return _image(whole, kind)


def _image(whole: Figure, kind: str) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(whole)
    _fix_layout(whole)
    image = io.BytesIO()
    whole.savefig(image, format=kind, metadata=METADATA[kind])
    return image.getvalue()


def _fix_layout(whole: Figure) -> None:
    """Compute the layout and round it: its last bits differ from run to run."""
    whole.draw_without_rendering()
    whole.set_layout_engine("none")
    for place in whole.subfigs:
        box = place.bbox_relative
        box.p0, box.p1 = box.p0.round(6), box.p1.round(6)
    for axes in whole.axes:
        (x0, y0), (x1, y1) = axes.get_position().get_points().round(6)
        axes.set_position((x0, y0, x1 - x0, y1 - y0))


def require_matplotlib(where: str) -> None:
    """Raise an error that says what to install, if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise OutputError(
            "figures need matplotlib, which is not installed",
            where=where,
            remedy="pip install 'caesura[plot]', or matplotlib itself",
        ) from error


@contextmanager
def _matplotlib_defaults(where: str = "") -> Iterator[None]:
    """Use our own settings of matplotlib, whatever those of the user are."""
    require_matplotlib(where)
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # Names in scripts that the font lacks are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def line_styles(count: int) -> list[dict[str, Any]]:
    """Return colour, marker and line style for each system."""
    pairs = zip(range(count), cycle(COLOURS), cycle(MARKERS), cycle(LINES), strict=False)
    return [{"color": c, "marker": m, "linestyle": line} for _, c, m, line in pairs]


def _value_panels(results: Results) -> Iterator[Panel]:
    """Yield panels of values with intervals: one for a single system, else one per metric."""
    columns = headline_values(results)
    labels = metric_labels(results.scores[0].metrics)
    heads = [f"{labels[i]} {value}" for i, value in columns]
    cells = [
        [(one.values[i][value], one.intervals[i].get(value)) for i, value in columns]
        for one in results.scores
    ]
    resampling = results.scores[0].settings.resampling
    what = f"values and their {resampling.level * 100:g}% intervals"
    what = what if resampling.resamples else "values"
    if len(results.scores) == 1:
        title = f"{shorten_name(results.systems[0], 60)}: {what}"

        def alone(place: SubFigure) -> None:
            axes = place.subplots()
            draw_values(axes, ["\n".join(wrap(head, 28)) for head in heads], cells[0])
            axes.set_title(title)

        yield 0.8 + 0.36 * len(heads), alone
        return
    across = ceil(len(heads) / ceil(len(heads) / PANELS_ACROSS))
    for first in range(0, len(heads), across):
        part = range(first, min(first + across, len(heads)))
        chosen = [(heads[k], [row[k] for row in cells]) for k in part]
        title = "" if first else what.capitalize()
        lines = max(len(wrap(head, HEADER_CHARACTERS // across)) for head, _ in chosen)
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
    names = [shorten_name(system) for system in results.systems]
    for k, (axes, (head, cells)) in enumerate(zip(each, columns, strict=False)):
        draw_values(axes, names if k == 0 else [""] * len(names), cells)
        axes.set_title("\n".join(wrap(head, HEADER_CHARACTERS // across)), loc="center")
    for axes in each[len(columns) :]:
        axes.set_visible(False)
    if title:
        place.suptitle(title, x=0.01, ha="left", fontsize=STYLE["axes.titlesize"])


def draw_values(axes: Axes, names: Sequence[str], cells: Sequence[Cell]) -> None:
    """Draw a dot for each value, and a line for its interval; or write that it is undefined."""
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


def _sweep_panels(results: Results) -> Iterator[Panel]:
    """Yield panels with the main value of each system over each sweep, two sweeps in a row."""
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
        for style, one in zip(line_styles(len(results.scores)), results.scores, strict=True):
            _curve(axes, one.sweeps[k], style, _has_bands(results))
        sweep = results.scores[0].sweeps[k]
        level = sweep.scores.settings.resampling.level * 100
        title = sweep_label(sweep) + (f", {level:g}% bands" if _has_bands(results) else "")
        axes.set_title("\n".join(wrap(title, 44)))
        axes.set_xlabel(sweep.setting)
        axes.set_ylabel(sweep.scores.metrics[0].main)
        axes.grid(color="0.88", lw=0.5)
    if len(results.systems) > 1:
        # A name that begins with an underscore would be left out of a legend.
        names = [f" {shorten_name(system, 24)}" for system in results.systems]
        lines = [line for line in each[0].get_lines() if line.get_gid() == "curve"]
        place.legend(lines, names, loc="outside lower center", ncols=min(4, len(names)))


def _has_bands(results: Results) -> bool:
    drawn = results.scores[0].settings.resampling.resamples > 0
    return drawn and len(results.scores) <= MOST_BANDS


def _curve(axes: Axes, sweep: Sweep, style: dict[str, Any], banded: bool) -> None:
    main = sweep.scores.metrics[0].main
    numeric = all(type(point) in (int, float) for point in sweep.points)
    xs = list(sweep.points) if numeric else list(range(len(sweep.points)))
    values = [each[main] for each in sweep.scores.values]
    ys = [float("nan") if isinstance(value, Undefined) else value for value in values]
    axes.plot(xs, ys, ms=3.2, gid="curve", **style)
    if not numeric:
        axes.set_xticks(xs, [shorten_name(str(point), 12) for point in sweep.points])
    elif all(type(point) is int for point in sweep.points):
        axes.locator_params(axis="x", integer=True)
    if banded:
        drawn = [each.get(main) for each in sweep.scores.intervals]
        ends = [each if isinstance(each, tuple) else (float("nan"),) * 2 for each in drawn]
        low, high = zip(*ends, strict=True)
        axes.fill_between(xs, low, high, color=style["color"], alpha=0.13, lw=0)


RELIABILITY_SIZE = 3.4
"""Width and height of the drawing of a reliability table, in inches."""


def write_reliability(rows: Sequence[Mapping[str, Any]], path: str | Path, title: str = "") -> None:
    """Draw the bins of a card into a PNG or SVG file; the same bins give the same bytes.

    The area of a dot shows how many gaps its bin has; the line is perfect calibration.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in METADATA:
        raise OutputError(
            "a figure is a .png or .svg file", where=str(path), remedy="choose one of these"
        )
    if not rows:
        raise OutputError(
            "the card has no reliability table to draw",
            where=str(path),
            remedy="train the model with --dev",
        )
    require_matplotlib(str(path))
    image = panel_image(
        RELIABILITY_SIZE, RELIABILITY_SIZE, lambda axes: _draw_reliability(axes, rows, title), kind
    )
    with atomic(path) as file:
        file.write(image)


def _draw_reliability(axes: Axes, rows: Sequence[Mapping[str, Any]], title: str) -> None:
    most = max(row["gaps"] for row in rows)
    axes.plot([0, 1], [0, 1], color="0.6", lw=0.8, ls="--")
    predicted, observed = ([row[name] for row in rows] for name in ("predicted", "observed"))
    axes.plot(predicted, observed, color=COLOURS[0], lw=1.0)
    sizes = [8 + 40 * row["gaps"] / most for row in rows]
    axes.scatter(predicted, observed, s=sizes, color=COLOURS[0], zorder=3)
    axes.set_xlabel("probability of a boundary")
    axes.set_ylabel("share of boundaries")
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    axes.grid(color="0.88", lw=0.5)
    axes.set_title(title)
