"""What a study hands back and writes: Markdown to read, JSON to compute with, figures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caesura.contracts import Undefined, Value
from caesura.errors import OutputError
from caesura.formats.files import atomic
from caesura.numeric.stats import Interval


@dataclass(frozen=True)
class Part:
    """A part of a study: a chapter of the report, its numbers, and what it says in short."""

    key: str
    title: str
    text: str
    numbers: Mapping[str, Any]
    short: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What a study found: the text to print, all its numbers, and the files it wrote."""

    text: str
    numbers: Mapping[str, Any]
    files: tuple[Path, ...] = field(default=())


def refuse_file(out: Path) -> None:
    """Raise an error, before any work is done, if a folder cannot have this name."""
    if out.exists() and not out.is_dir():
        raise OutputError("the output is a file", where=str(out), remedy="name a folder")


def write(out: Path, contents: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Write files into a folder, which is made if need be; each appears when it is complete."""
    for name, content in contents.items():
        with atomic(out / name) as file:
            file.write(content)
    return tuple(out / name for name in contents)


def as_bytes(numbers: Mapping[str, Any]) -> bytes:
    """Numbers as JSON, for a file."""
    return (json.dumps(numbers, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """Lay out a Markdown table; all columns but the first `texts` hold numbers."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (head, *rows)]
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(head))]
    rule = ["-" * w if i < texts else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    lines = [
        [
            c.ljust(w) if i < texts else c.rjust(w)
            for i, (c, w) in enumerate(zip(r, widths, strict=True))
        ]
        for r in cells
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))


def number(value: Value | None, digits: int = 3) -> str:
    """Write a number; counts with a comma at thousands, what is undefined as a dash."""
    if value is None or isinstance(value, Undefined):
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"


def signed(value: Value | None, digits: int = 3) -> str:
    """Write a difference with its sign."""
    return number(value, digits) if not isinstance(value, float) else f"{value:+.{digits}f}"


def between(limits: Interval | Undefined | None, digits: int = 3) -> str:
    """Write an interval."""
    if limits is None or isinstance(limits, Undefined):
        return "–"
    return f"[{limits[0]:.{digits}f}, {limits[1]:.{digits}f}]"


def listed(items: Sequence[str]) -> str:
    """Write a Markdown list."""
    return "\n".join(f"- {item}" for item in items)
