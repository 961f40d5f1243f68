"""The output of a study: `report.md`, `results.json` and figures.

A study makes one `Part` for each chapter and gives them to `publish`. The rest are the parts that
chapters are made of: printed numbers that are checked (`Number`), formatted numbers, Markdown
tables and lists, and helpers for the figures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caesura import __version__
from caesura.core.atomic import atomic
from caesura.core.errors import OutputError
from caesura.core.values import Undefined, Value
from caesura.evaluation.reports.figures import COLOURS, line_styles, panel_image
from caesura.evaluation.reports.render import markdown_rows
from caesura.evaluation.reports.table import Table, format_interval, format_number
from caesura.evaluation.resampling import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIGITS = 3
"""Digits after the decimal point in the tables of the reports."""


# The report and its chapters.


@dataclass(frozen=True)
class Picture:
    """A figure: its file name, its caption, its size in inches and the function that draws it."""

    name: str
    caption: str
    size: tuple[float, float]
    draw: Callable[[Axes], None]


@dataclass(frozen=True)
class Part:
    """A chapter of the report.

    `key` is its key in `results.json`, where `numbers` go; `short` are its lines in the summary.
    """

    key: str
    title: str
    text: str
    numbers: Any = None
    short: Sequence[str] = ()
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True)
class Outcome:
    """The result of a study: the summary to print and the files that were written."""

    text: str
    files: tuple[Path, ...]


def omitted_chapter(key: str, title: str, reason: str) -> Part:
    """Return a chapter that only says why it was left out."""
    summary = (f"Left out: {title} ({reason}).",)
    return Part(key, title, f"**Left out**: {reason}.", {"left_out": reason}, summary)


def check_output_folder(out: Path) -> None:
    """Raise an error before any work is done if the output folder is a file."""
    if out.exists() and not out.is_dir():
        raise OutputError("the output is a file", where=str(out), remedy="name a folder")


def publish(out: Path, title: str, parts: Sequence[Part], ending: str) -> Outcome:
    """Write `report.md`, `results.json` and the figures; make the folder if necessary."""
    figures, errors = _draw_figures([each for part in parts for each in part.pictures])
    short = markdown_list([*(line for part in parts for line in part.short), *errors])
    chapters = [
        "\n\n".join([f"## {at}. {part.title}", part.text, *_figure_links(part, figures)])
        for at, part in enumerate(parts, 1)
    ]
    methods = f"## How the numbers were made\n\nCaesura {__version__}. {ending}"
    report = "\n\n".join([f"# {title}", "## In short", short, *chapters, methods]) + "\n"
    numbers = {"caesura": __version__} | {part.key: part.numbers for part in parts}
    contents = {"report.md": report.encode(), "results.json": to_json_bytes(numbers), **figures}
    for name, content in contents.items():
        with atomic(out / name) as file:
            file.write(content)
    return Outcome(f"# {title}\n\n{short}\n", tuple(out / name for name in contents))


def _draw_figures(pictures: Sequence[Picture]) -> tuple[dict[str, bytes], list[str]]:
    """Draw all figures; if that is not possible, return a line with the reason instead."""
    try:
        return {each.name: panel_image(*each.size, each.draw) for each in pictures}, []
    except OutputError as error:
        return {}, [f"Left out: figures ({error})."]


def _figure_links(part: Part, figures: Mapping[str, bytes]) -> list[str]:
    return [f"![{each.caption}]({each.name})" for each in part.pictures if each.name in figures]


def to_json_bytes(numbers: Mapping[str, Any]) -> bytes:
    """Encode numbers as JSON: undefined values are null, fractions are decimal numbers."""
    text = json.dumps(numbers, indent=1, ensure_ascii=False, allow_nan=False, default=_to_plain)
    return (text + "\n").encode()


def _to_plain(each: object) -> Any:
    if isinstance(each, Undefined):
        return None
    if isinstance(each, Fraction):
        return float(each)
    if isinstance(each, Number):
        return vars(each) | {"agrees": each.agrees}
    if is_dataclass(each):
        return vars(each)
    raise TypeError(f"{each!r} is no number")


# Numbers that a paper prints, and whether they are right.


@dataclass(frozen=True)
class Number:
    """A printed number or name, the correct one, and how it was computed.

    `slack` is the possible error of the correct number if it comes from rounded numbers.
    """

    place: str
    printed: str
    right: Fraction | Value | str
    why: str = ""
    slack: Fraction = Fraction()

    @property
    def agrees(self) -> bool:
        """Whether the correct number rounds to the printed one; a half may round either way."""
        if isinstance(self.right, (str, Undefined)):
            return self.right == self.printed
        error = abs(Fraction(self.right) - Fraction(self.printed))
        return error <= half_unit(self.printed) + self.slack

    def formatted(self, min_digits: int = 0) -> str:
        """Format the correct number with as many digits as the printed one, or `min_digits`."""
        if isinstance(self.right, str):
            return self.right
        if isinstance(self.right, Undefined):
            return "undefined"
        digits = len(self.printed.partition(".")[2])
        return format_fraction(Fraction(self.right), max(digits, min_digits) if digits else 0)


def half_unit(text: str) -> Fraction:
    """Return half a unit of the last printed digit."""
    return Fraction(1, 2 * 10 ** len(text.partition(".")[2]))


def wrong(numbers: Iterable[Number]) -> list[Number]:
    """Return the numbers that are printed wrongly."""
    return [each for each in numbers if not each.agrees]


def format_fraction(value: Fraction, digits: int = 3) -> str:
    """Format a number as papers do: no zero before the point, halves rounded up."""
    rounded = (value * 10**digits + Fraction(1, 2)).__floor__()
    text = f"{rounded / 10**digits:.{digits}f}"
    return text.removeprefix("0") if digits else text


# Formatted numbers, tables and lists.


def format_value(value: Value) -> str:
    """Format a value for a table of the report."""
    return format_number(value, DIGITS)


def format_difference(value: Value) -> str:
    """Format a difference with its sign."""
    return format_value(value) if isinstance(value, Undefined) else f"{value:+.{DIGITS}f}"


def with_interval(value: Value, interval: Interval | Undefined | None) -> str:
    """Format a value with its confidence interval."""
    return f"{format_value(value)} {format_interval(interval)}"


def format_share(part: int, whole: int) -> str:
    """Format a part of a whole, also in per cent."""
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")


def make_table(head: Sequence[str], rows: Sequence[Sequence[str]], labels: int = 1) -> str:
    """Return a Markdown table; all columns after the first `labels` hold numbers."""
    return markdown_rows(Table("", tuple(head), tuple(map(tuple, rows)), labels))


def markdown_list(items: Sequence[str]) -> str:
    """Return a Markdown list."""
    return "\n".join(f"- {item}" for item in items)


# Figures.

Curve = Mapping[float, Value]
"""The values of a curve by their position on the x axis."""


def split_into_panels(axes: Axes, rows: int, columns: int, **options: Any) -> list[Axes]:
    """Replace one panel by a grid of panels."""
    figure = axes.get_figure()
    assert figure is not None
    axes.remove()
    return list(figure.subplots(rows, columns, squeeze=False, **options).flat)


def hide_panels(axes: Sequence[Axes]) -> None:
    """Hide unused panels."""
    for each in axes:
        each.set_visible(False)


def legend_below(axes: Sequence[Axes], columns: int) -> None:
    """Put one legend for all panels below them."""
    figure = axes[0].get_figure()
    handles, labels = axes[0].get_legend_handles_labels()
    assert figure is not None
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)


def use_log_scale(axes: Axes, ticks: Sequence[float]) -> None:
    """Return the x axis a logarithmic scale with these ticks."""
    axes.set_xscale("log")
    axes.set_xticks(list(ticks), [f"{each:g}" for each in ticks])
    axes.minorticks_off()


def plot_value(value: Value) -> float:
    """Return a number to plot: NaN, which draws nothing, for undefined values."""
    return float("nan") if isinstance(value, Undefined) else value


def draw_curves(axes: Axes, series: Mapping[str, Curve]) -> None:
    """Draw one line for each series."""
    for style, (label, points) in zip(line_styles(len(series)), series.items(), strict=True):
        heights = [plot_value(each) for each in points.values()]
        axes.plot(list(points), heights, label=label, markersize=3, **style)
    axes.grid(color="0.88", lw=0.5)


def draw_interval_band(
    axes: Axes, points: Mapping[float, Interval | Undefined], colour: int = 0
) -> None:
    """Shade the confidence intervals of a line."""
    limits = [(float("nan"),) * 2 if isinstance(e, Undefined) else e for e in points.values()]
    low, high = zip(*limits, strict=True)
    axes.fill_between(list(points), low, high, color=COLOURS[colour], alpha=0.15, lw=0)


def draw_points(axes: Axes, series: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draw points, each series in its own colour and shape."""
    for style, (label, points) in zip(line_styles(len(series)), series.items(), strict=True):
        look = style | {"linestyle": "none", "label": label, "markersize": 4}
        axes.plot([x for x, _ in points], [y for _, y in points], **look)
    axes.grid(color="0.88", lw=0.5)
