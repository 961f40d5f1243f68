"""A table before it is laid out: cells of text, notes and signatures; how numbers are written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from caesura.core.protocols import Metric
from caesura.core.values import Undefined, Value
from caesura.evaluation.resampling import Interval
from caesura.text.display_width import char_width as columns_of

WIDTH = 80
"""Columns of a terminal; a wider table is split into several."""

GAP = 2
"""Columns between two cells of a row."""

HEADER_WIDTH = 12
"""A header does not widen a column beyond this: it is wrapped instead."""

LABEL_WIDTH = 24
"""The columns of the terminal that labels keep when a table is split."""

WORD_WIDTH = 14
"""Words up to this width are not broken if a table has several labels."""

LINE_BREAKS = (r"(?<= )", r"(?<=[|,])", r"(?<=[_/.(])", "")
"""Where a line may end, the best places first; at any character if there is no other way."""

LARGE = 1e7
REASON_LIST = ": there are "
"""What separates a reason from details that may differ from row to row."""

JOINERS = "\u200c\u200d"


@dataclass(frozen=True)
class Table:
    """Rows under a header; the first `labels` columns are text, the others numbers."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", printable(self.title))
        object.__setattr__(self, "rows", tuple(tuple(map(printable, row)) for row in self.rows))
        for name in ("head", "notes", "signatures"):
            object.__setattr__(self, name, tuple(map(printable, getattr(self, name))))

    def widths(self) -> list[int]:
        """Return the width of each column if its header is wrapped and its cells are not."""
        return [
            max(
                min(HEADER_WIDTH, max(map(display_width, head.split(" ")))),
                *(display_width(row[i]) for row in self.rows),
                1,
            )
            for i, head in enumerate(self.head)
        ]

    def width(self) -> int:
        """Return the width of the whole table."""
        return sum(self.widths()) + GAP * (len(self.head) - 1)

    def narrow_widths(self, width: int) -> list[int]:
        """Return the width of each column if labels are wrapped, the widest first, to fit."""
        sizes = self.widths()
        floors = [min(size, self._floor(i)) for i, size in enumerate(sizes[: self.labels])]
        for _ in range(self.width() - width):
            left = [i for i, floor in enumerate(floors) if sizes[i] > floor]
            if not left:
                break
            sizes[max(left, key=sizes.__getitem__)] -= 1
        return sizes

    def _floor(self, i: int) -> int:
        """Return the least width of a label: its longest word, or less if that may be broken."""
        if self.labels == 1:
            return LABEL_WIDTH
        words = (word for row in (self.head, *self.rows) for word in row[i].split(" "))
        return min(WORD_WIDTH, max(map(display_width, words)))

    def join_labels(self) -> Table:
        """Join all labels to one column."""
        rows = [(", ".join(row[: self.labels]), *row[self.labels :]) for row in self.rows]
        head = (", ".join(self.head[: self.labels]), *self.head[self.labels :])
        return replace(self, head=head, rows=tuple(rows), labels=1)

    def fold(self, width: int) -> list[Table]:
        """Split the table into several with fewer columns if it is too wide."""
        if sum(self.narrow_widths(width)) + GAP * (len(self.head) - 1) <= width:
            return [self]
        whole = self.join_labels()
        sizes = whole.widths()
        room = width - min(LABEL_WIDTH, sizes[0])
        groups = _column_groups(sizes[1:], room, len(sizes))
        even = _column_groups(sizes[1:], room, ceil((len(sizes) - 1) / len(groups)))
        best = even if len(even) == len(groups) else groups
        return [whole.select_columns([0, *(i + 1 for i in group)]) for group in best]

    def select_columns(self, places: Sequence[int]) -> Table:
        """Return the table with these columns only."""
        rows = tuple(tuple(row[i] for i in places) for row in self.rows)
        return replace(self, head=tuple(self.head[i] for i in places), rows=rows)


def _column_groups(sizes: Sequence[int], room: int, most: int) -> list[list[int]]:
    """Group columns: at most `most` together, and no more than fit."""
    groups: list[list[int]] = [[]]
    left = room
    for i, size in enumerate(sizes):
        if groups[-1] and (size + GAP > left or len(groups[-1]) == most):
            groups.append([])
            left = room
        groups[-1].append(i)
        left -= size + GAP
    return groups


def printable(text: str) -> str:
    """Replace characters that could break a line or control a terminal."""
    if text.isprintable():
        return text
    return "".join(
        " " if char.isspace() else char if char.isprintable() or char in JOINERS else "\ufffd"
        for char in text
    )


def display_width(text: str) -> int:
    """Return the columns that a text takes up in a terminal."""
    return len(text) if text.isascii() else sum(map(columns_of, text))


def truncate(text: str, room: int) -> str:
    """Cut off the end of a text that is too long, and mark it with …."""
    if display_width(text) <= room:
        return text
    kept = ""
    for char in text:
        if display_width(kept + char) >= room:
            break
        kept += char
    return kept.rstrip() + "…"


def wrap(text: str, room: int, places: Sequence[str] = LINE_BREAKS) -> list[str]:
    """Break a text into lines of at most `room` columns, at the best `places`."""
    lines = [""]
    for piece in _pieces(text, room, places):
        if lines[-1] and display_width((lines[-1] + piece).rstrip()) > room:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _pieces(text: str, room: int, places: Sequence[str]) -> Iterator[str]:
    """Split a text at the best places that give pieces short enough."""
    for piece in re.split(places[0], text):
        if len(places) == 1 or display_width(piece.rstrip()) <= room:
            yield piece
        else:
            yield from _pieces(piece, room, places[1:])


def format_number(value: Value, digits: int = 4) -> str:
    """Write a value: counts as integers, rates with so many decimal digits."""
    if isinstance(value, Undefined):
        return "undefined"
    if isinstance(value, int):
        return str(value)
    return _decimal(value, digits)


def format_interval(interval: Interval | Undefined | None) -> str:
    """Write an interval, or a dash where there is none."""
    if interval is None or isinstance(interval, Undefined):
        return "–"
    low, high = interval
    return f"[{_decimal(low, 3)}, {_decimal(high, 3)}]"


def format_p(p: float | None) -> str:
    """Write a p-value, which is never exactly 0."""
    return "–" if p is None else "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _decimal(value: float, digits: int) -> str:
    return f"{value:z.{digits}f}" if abs(value) < LARGE else f"{value:.6g}"


def undefined_notes(
    values: Iterable[tuple[str, Value]], front: str = "undefined"
) -> tuple[str, ...]:
    """Return notes that say why values are undefined, one for each kind of reason."""
    by_reason: dict[str, list[tuple[str, str]]] = {}
    for name, value in values:
        if isinstance(value, Undefined):
            kind, _, rest = value.reason.partition(REASON_LIST)
            by_reason.setdefault(kind, []).append((name, rest))
    return tuple(
        f"{front} ({_in_rows(name for name, _ in rows)}): {_reason(kind, [r for _, r in rows])}"
        for kind, rows in by_reason.items()
    )


def _in_rows(names: Iterable[str]) -> str:
    """List names once each, with the number of rows if there are several."""
    counts = Counter(names).items()
    return ", ".join(f"{name} in {count} rows" if count > 1 else name for name, count in counts)


def _reason(kind: str, rests: Sequence[str]) -> str:
    """Return a reason with its details: those that all rows share, or those of the first row."""
    if not rests[0]:
        return kind
    joint = REASON_LIST if len(set(rests)) == 1 else "; in the first of them there are "
    return f"{kind}{joint}{rests[0]}"


def metric_labels(metrics: Sequence[Metric]) -> list[str]:
    """Return the names of metrics, with settings only if several have the same name."""
    names = [metric.name for metric in metrics]
    return [
        name if names.count(name) == 1 else repr(metric)
        for name, metric in zip(names, metrics, strict=True)
    ]
