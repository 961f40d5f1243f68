"""Plain tables for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from caesura.contracts import Undefined, Value

GAP = "  "


def table(rows: Sequence[Sequence[str]], head: Sequence[str], width: int = 80) -> str:
    """Lay out a table whose last column is wrapped so that lines fit the terminal."""
    cells = [list(head), *(list(row) for row in rows)]
    columns = len(head)
    widths = [max(len(row[i]) for row in cells) for i in range(columns)]
    room = max(20, width - sum(widths[:-1]) - len(GAP) * (columns - 1))
    lines = []
    for number, row in enumerate(cells):
        front = GAP.join(cell.ljust(w) for cell, w in zip(row[:-1], widths, strict=False))
        wrapped = textwrap.wrap(row[-1], room, break_long_words=False) or [""]
        lead = front + GAP if front else ""
        lines.append((lead + wrapped[0]).rstrip())
        lines += [" " * len(lead) + more for more in wrapped[1:]]
        if number == 0:
            rule = [*widths[:-1], min(widths[-1], room)]
            lines.append(GAP.join("─" * w for w in rule))
    return "\n".join(lines)


def shown(value: Value) -> str:
    """Write a value for a table: counts whole, rates with four digits, undefined with why."""
    if isinstance(value, Undefined):
        return f"undefined: {value.reason}"
    return str(value) if isinstance(value, int) else f"{value:.4f}"
