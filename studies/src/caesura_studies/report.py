"""What every study shares: its parts, and the report, numbers and figures that it writes."""

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
from caesura.evaluation.reports import table as grid
from caesura.evaluation.reports.figures import COLOURS, line_styles, panel_image
from caesura.evaluation.reports.render import markdown_rows
from caesura.evaluation.resampling import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Number:
    """A number, or a name, as printed and as it is right, and how one can tell.

    `slack` is how far what is right may be off, where it is computed from rounded numbers.
    """

    place: str
    printed: str
    right: Fraction | Value | str
    why: str = ""
    slack: Fraction = Fraction()

    @property
    def agrees(self) -> bool:
        """Whether what is right rounds to what is printed; a half may be rounded either way."""
        if isinstance(self.right, (str, Undefined)):
            return self.right == self.printed
        off = abs(Fraction(self.right) - Fraction(self.printed))
        return off <= half(self.printed) + self.slack

    def shown(self, least: int = 0) -> str:
        """Write what is right with as many digits as are printed, or at least so many."""
        if isinstance(self.right, str):
            return self.right
        if isinstance(self.right, Undefined):
            return "undefined"
        digits = len(self.printed.partition(".")[2])
        return written(Fraction(self.right), max(digits, least) if digits else 0)


def half(text: str) -> Fraction:
    """Half a unit of the last printed digit."""
    return Fraction(1, 2 * 10 ** len(text.partition(".")[2]))


def written(value: Fraction, digits: int = 3) -> str:
    """Write a number as papers do: no zero in front, halves rounded up."""
    rounded = (value * 10**digits + Fraction(1, 2)).__floor__()
    text = f"{rounded / 10**digits:.{digits}f}"
    return text.removeprefix("0") if digits else text


def wrong(numbers: Iterable[Number]) -> list[Number]:
    """Give those that are not printed as they should be."""
    return [each for each in numbers if not each.agrees]


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
    for style, (label, points) in zip(line_styles(len(series)), series.items(), strict=True):
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


DIGITS = 3


@dataclass(frozen=True)
class Picture:
    """A figure to be drawn: the name of its file, what it shows, and its size in inches."""

    name: str
    caption: str
    size: tuple[float, float]
    draw: Callable[[Axes], None]


@dataclass(frozen=True)
class Part:
    """A part of a study: a chapter of the report, its numbers, and what it says in short."""

    key: str
    title: str
    text: str
    numbers: Any = None
    short: Sequence[str] = ()
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True)
class Outcome:
    """What a study found: the text to print, and the files it wrote."""

    text: str
    files: tuple[Path, ...]


def left_out(key: str, title: str, reason: str) -> Part:
    """Make the part that says why there is none."""
    told = (f"Left out: {title} ({reason}).",)
    return Part(key, title, f"**Left out**: {reason}.", {"left_out": reason}, told)


def refuse_file(out: Path) -> None:
    """Raise an error, before any work is done, if a folder cannot have this name."""
    if out.exists() and not out.is_dir():
        raise OutputError("the output is a file", where=str(out), remedy="name a folder")


def publish(out: Path, title: str, parts: Sequence[Part], ending: str) -> Outcome:
    """Write `report.md`, `results.json` and the figures into a folder, made if need be."""
    drawn, lost = _drawn([each for part in parts for each in part.pictures])
    short = listed([*(line for part in parts for line in part.short), *lost])
    chapters = [
        "\n\n".join([f"## {at}. {part.title}", part.text, *_shown(part, drawn)])
        for at, part in enumerate(parts, 1)
    ]
    made = f"## How the numbers were made\n\nCaesura {__version__}. {ending}"
    report = "\n\n".join([f"# {title}", "## In short", short, *chapters, made]) + "\n"
    numbers = {"caesura": __version__} | {part.key: part.numbers for part in parts}
    contents = {"report.md": report.encode(), "results.json": as_json(numbers), **drawn}
    for name, content in contents.items():
        with atomic(out / name) as file:
            file.write(content)
    return Outcome(f"# {title}\n\n{short}\n", tuple(out / name for name in contents))


def _drawn(pictures: Sequence[Picture]) -> tuple[dict[str, bytes], list[str]]:
    """Draw all figures, or say why there are none."""
    try:
        return {each.name: panel_image(*each.size, each.draw) for each in pictures}, []
    except OutputError as error:
        return {}, [f"Left out: figures ({error})."]


def _shown(part: Part, drawn: Mapping[str, bytes]) -> list[str]:
    return [f"![{each.caption}]({each.name})" for each in part.pictures if each.name in drawn]


def as_json(numbers: Mapping[str, Any]) -> bytes:
    """Numbers for a file: what is undefined is null, fractions are decimal."""
    text = json.dumps(numbers, indent=1, ensure_ascii=False, allow_nan=False, default=_plain)
    return (text + "\n").encode()


def _plain(each: object) -> Any:
    if isinstance(each, Undefined):
        return None
    if isinstance(each, Fraction):
        return float(each)
    if isinstance(each, Number):
        return vars(each) | {"agrees": each.agrees}
    if is_dataclass(each):
        return vars(each)
    raise TypeError(f"{each!r} is no number")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], labels: int = 1) -> str:
    """Lay out a Markdown table; all columns but the first few hold numbers."""
    return markdown_rows(grid.Table("", tuple(head), tuple(map(tuple, rows)), labels))


def number(value: Value) -> str:
    """Write a value as the tables of studies have it."""
    return grid.format_number(value, DIGITS)


def signed(value: Value) -> str:
    """Write a difference with its sign."""
    return number(value) if isinstance(value, Undefined) else f"{value:+.{DIGITS}f}"


def sure(value: Value, interval: Interval | Undefined | None) -> str:
    """Write a value with its interval."""
    return f"{number(value)} {grid.format_interval(interval)}"


def part_of(part: int, whole: int) -> str:
    """Write a share, in per cent too."""
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")


def dots(axes: Axes, series: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draw points, each series in its own colour and shape."""
    for style, (label, points) in zip(line_styles(len(series)), series.items(), strict=True):
        look = style | {"linestyle": "none", "label": label, "markersize": 4}
        axes.plot([x for x, _ in points], [y for _, y in points], **look)
    axes.grid(color="0.88", lw=0.5)


def listed(items: Sequence[str]) -> str:
    """Write a Markdown list."""
    return "\n".join(f"- {item}" for item in items)
