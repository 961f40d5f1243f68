"""What every study shares: its parts, and the report, numbers and figures that it writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caesura import __version__
from caesura.core.atomic import atomic
from caesura.core.errors import OutputError
from caesura.core.values import Undefined, Value
from caesura.evaluation.reports import table as grid
from caesura.evaluation.reports.figures import picture, styles
from caesura.evaluation.reports.render import marked_rows
from caesura.evaluation.resampling import Interval
from caesura_studies.printed import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        return {each.name: picture(*each.size, each.draw) for each in pictures}, []
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
    return marked_rows(grid.Grid("", tuple(head), tuple(map(tuple, rows)), labels))


def number(value: Value) -> str:
    """Write a value as the tables of studies have it."""
    return grid.number(value, DIGITS)


def signed(value: Value) -> str:
    """Write a difference with its sign."""
    return number(value) if isinstance(value, Undefined) else f"{value:+.{DIGITS}f}"


def sure(value: Value, interval: Interval | Undefined | None) -> str:
    """Write a value with its interval."""
    return f"{number(value)} {grid.between(interval)}"


def part_of(part: int, whole: int) -> str:
    """Write a share, in per cent too."""
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")


def dots(axes: Axes, series: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draw points, each series in its own colour and shape."""
    for style, (label, points) in zip(styles(len(series)), series.items(), strict=True):
        look = style | {"linestyle": "none", "label": label, "markersize": 4}
        axes.plot([x for x, _ in points], [y for _, y in points], **look)
    axes.grid(color="0.88", lw=0.5)


def listed(items: Sequence[str]) -> str:
    """Write a Markdown list."""
    return "\n".join(f"- {item}" for item in items)
