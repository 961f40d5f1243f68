"""A table before it is laid out: text in rows and columns, and what is said under it."""

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
"""Columns of a terminal; what needs more is told in two tables."""

GAP = 2
"""Columns between two cells of a row."""

HEADER_WIDTH = 12
"""Columns up to which a word of a head may widen a column; heads are wrapped."""

LABEL_WIDTH = 24
"""Columns that labels keep when a table has to be folded."""

WORD_WIDTH = 14
"""Columns of a word that is not broken where several labels share a line."""

LINE_BREAKS = (r"(?<= )", r"(?<=[|,])", r"(?<=[_/.(])", "")
"""Where a line may end, the best places first; at any character if there is no other way."""

LARGE = 1e7
REASON_LIST = ": there are "
"""What a reason goes on with, if that may differ from row to row."""

JOINERS = "\u200c\u200d"


@dataclass(frozen=True)
class Table:
    """Rows under a head; the first `labels` columns are text, all others are numbers."""

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
        """Columns that each column takes up if its cells are not wrapped, but its head is."""
        return [
            max(
                min(HEADER_WIDTH, max(map(display_width, head.split(" ")))),
                *(display_width(row[i]) for row in self.rows),
                1,
            )
            for i, head in enumerate(self.head)
        ]

    def width(self) -> int:
        """Columns that the whole table takes up."""
        return sum(self.widths()) + GAP * (len(self.head) - 1)

    def narrow_widths(self, width: int) -> list[int]:
        """Columns that each column takes up if labels are wrapped, the widest first, to fit."""
        sizes = self.widths()
        floors = [min(size, self._floor(i)) for i, size in enumerate(sizes[: self.labels])]
        for _ in range(self.width() - width):
            left = [i for i, floor in enumerate(floors) if sizes[i] > floor]
            if not left:
                break
            sizes[max(left, key=sizes.__getitem__)] -= 1
        return sizes

    def _floor(self, i: int) -> int:
        """Columns that a label keeps: its longest word, unless that may be broken too."""
        if self.labels == 1:
            return LABEL_WIDTH
        words = (word for row in (self.head, *self.rows) for word in row[i].split(" "))
        return min(WORD_WIDTH, max(map(display_width, words)))

    def join_labels(self) -> Table:
        """Make one column of all labels."""
        rows = [(", ".join(row[: self.labels]), *row[self.labels :]) for row in self.rows]
        head = (", ".join(self.head[: self.labels]), *self.head[self.labels :])
        return replace(self, head=head, rows=tuple(rows), labels=1)

    def fold(self, width: int) -> list[Table]:
        """PerGapCounts the columns over several tables where one of them is too wide."""
        if sum(self.narrow_widths(width)) + GAP * (len(self.head) - 1) <= width:
            return [self]
        whole = self.join_labels()
        sizes = whole.widths()
        room = width - min(LABEL_WIDTH, sizes[0])
        bands = _column_groups(sizes[1:], room, len(sizes))
        even = _column_groups(sizes[1:], room, ceil((len(sizes) - 1) / len(bands)))
        best = even if len(even) == len(bands) else bands
        return [whole.chosen([0, *(i + 1 for i in band)]) for band in best]

    def chosen(self, places: Sequence[int]) -> Table:
        """Keep these columns."""
        rows = tuple(tuple(row[i] for i in places) for row in self.rows)
        return replace(self, head=tuple(self.head[i] for i in places), rows=rows)


def _column_groups(sizes: Sequence[int], room: int, most: int) -> list[list[int]]:
    """Share columns out, at most so many together, and no more than there is room for."""
    bands: list[list[int]] = [[]]
    left = room
    for i, size in enumerate(sizes):
        if bands[-1] and (size + GAP > left or len(bands[-1]) == most):
            bands.append([])
            left = room
        bands[-1].append(i)
        left -= size + GAP
    return bands


def printable(text: str) -> str:
    """Leave nothing in a text that could break a line or command a terminal."""
    if text.isprintable():
        return text
    return "".join(
        " " if char.isspace() else char if char.isprintable() or char in JOINERS else "\ufffd"
        for char in text
    )


def display_width(text: str) -> int:
    """Columns that a text takes up on a line."""
    return len(text) if text.isascii() else sum(map(columns_of, text))


def truncate(text: str, room: int) -> str:
    """Leave off the end of what is too long."""
    if display_width(text) <= room:
        return text
    kept = ""
    for char in text:
        if display_width(kept + char) >= room:
            break
        kept += char
    return kept.rstrip() + "…"


def wrap(text: str, room: int, places: Sequence[str] = LINE_BREAKS) -> list[str]:
    """Break a text into lines of at most `room` columns."""
    lines = [""]
    for piece in _pieces(text, room, places):
        if lines[-1] and display_width((lines[-1] + piece).rstrip()) > room:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _pieces(text: str, room: int, places: Sequence[str]) -> Iterator[str]:
    """Cut at the best places that give pieces short enough."""
    for piece in re.split(places[0], text):
        if len(places) == 1 or display_width(piece.rstrip()) <= room:
            yield piece
        else:
            yield from _pieces(piece, room, places[1:])


def format_number(value: Value, digits: int = 4) -> str:
    """Write a value: counts whole, rates with so many digits."""
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
    """Write a p-value, which is never quite 0."""
    return "–" if p is None else "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _decimal(value: float, digits: int) -> str:
    return f"{value:z.{digits}f}" if abs(value) < LARGE else f"{value:.6g}"


def undefined_notes(
    values: Iterable[tuple[str, Value]], front: str = "undefined"
) -> tuple[str, ...]:
    """Say why named values are undefined, once for each kind of reason, and in how many rows."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, value in values:
        if isinstance(value, Undefined):
            kind, _, rest = value.reason.partition(REASON_LIST)
            found.setdefault(kind, []).append((name, rest))
    return tuple(
        f"{front} ({_in_rows(name for name, _ in told)}): {_reason(kind, [r for _, r in told])}"
        for kind, told in found.items()
    )


def _in_rows(names: Iterable[str]) -> str:
    """Name each once, with the number of rows if it is in several."""
    counts = Counter(names).items()
    return ", ".join(f"{name} in {count} rows" if count > 1 else name for name, count in counts)


def _reason(kind: str, rests: Sequence[str]) -> str:
    """Give a kind of reason with what it goes on with: what all share, or that of the first."""
    if not rests[0]:
        return kind
    joint = REASON_LIST if len(set(rests)) == 1 else "; in the first of them there are "
    return f"{kind}{joint}{rests[0]}"


def metric_labels(metrics: Sequence[Metric]) -> list[str]:
    """Name metrics, with their settings only if the name alone does not tell them apart."""
    names = [metric.name for metric in metrics]
    return [
        name if names.count(name) == 1 else repr(metric)
        for name, metric in zip(names, metrics, strict=True)
    ]
