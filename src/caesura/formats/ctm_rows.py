"""The rows of a CTM as columns, quickly where they are plain and with care where not."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from caesura.formats import nist
from caesura.formats.source import LATEST, Source, counted, share

logger = logging.getLogger("caesura")

BLOCK = 1 << 20
"""Characters parsed at a time, so that a long file never stands in memory as fields."""

Columns = list[Any]
"""recording, channel, start, length, word and, when known, confidence and speaker."""

ALTERNATIVES = frozenset({"<ALT_BEGIN>", "<ALT>", "<ALT_END>"})
"""Rows of these say which words are readings of the same stretch."""


def blocks(source: Source) -> Iterator[Columns]:
    """Read block by block: one that is not plain, line by line."""
    alternatives = _Alternatives()
    for line, block in _blocks(source):
        columns = None if alternatives.inside else _plain(block)
        yield columns or _careful(block, line, source, alternatives)
    alternatives.close(source)


def _blocks(source: Source) -> Iterator[tuple[int, str]]:
    """Pieces of the text that end at a line end, with the number of their first line."""
    text, at, line = source.text, 0, 1
    while at < len(text):
        stop = text.find("\n", at + BLOCK)
        stop = len(text) if stop < 0 else stop + 1
        block = text[at:stop]
        yield line, block
        line += block.count("\n")
        at = stop


def _plain(block: str) -> Columns | None:
    """Columns of a block in which all lines have the same good fields, or None."""
    if any(odd in block for odd in (";", "*", "\\", "<ALT")):
        return None
    widths = set(map(len, map(str.split, block.removesuffix("\n").split("\n"))))
    width = widths.pop()
    if widths or width not in (5, 6, 8):
        return None
    fields = block.split()
    try:
        numbers = [
            np.fromiter(map(float, fields[i::width]), np.float64) for i in (2, 3, 5) if i < width
        ]
    except ValueError:
        return None
    if not all(((times >= 0) & (times <= LATEST)).all() for times in numbers[:2]):
        return None
    if width > 5:
        numbers[2][~((numbers[2] >= 0) & (numbers[2] <= 1))] = np.nan
    columns = [fields[0::width], fields[1::width], *numbers[:2], fields[4::width], *numbers[2:]]
    return [*columns, list(map(nist.known, fields[7::width]))] if width == 8 else columns


class _Alternatives:
    """Follows `<ALT_BEGIN> a <ALT> b <ALT_END>` and lets the first reading through."""

    def __init__(self) -> None:
        self.inside = False
        self.first = True
        self.seen = 0

    def skips(self, word: str) -> bool:
        if word == "<ALT_BEGIN>":
            self.inside, self.first, self.seen = True, True, self.seen + 1
        elif word == "<ALT>":
            self.first = False
        elif word == "<ALT_END>":
            self.inside, self.first = False, True
        else:
            return not self.first
        return True

    def close(self, source: Source) -> None:
        if self.inside:
            raise source.error("an <ALT_BEGIN> has no <ALT_END>")
        if self.seen:
            number = counted(self.seen, "alternative", "alternatives")
            logger.warning("%s: %s: the first reading is kept", source.name, number)


def _careful(block: str, line: int, source: Source, alternatives: _Alternatives) -> Columns:
    """Columns of a block with comments, escapes, alternatives or uneven lines."""
    rows: list[tuple[str, str, float, float, str, float, str]] = []
    for number, text in enumerate(block.split("\n"), line):
        if not text.strip() or text.lstrip().startswith(";;"):
            continue
        fields = text.split()
        if len(fields) < 5:
            raise source.error(
                f"a row has {counted(len(fields), 'field', 'fields')} where recording, channel, "
                "start, duration and word are needed",
                number,
            )
        if alternatives.skips(fields[4]):
            continue
        start, length = (nist.time(cell, number, source) for cell in fields[2:4])
        confidence = _confidence(fields[5], number, source) if len(fields) > 5 else np.nan
        speaker = nist.known(fields[7]) if len(fields) > 7 else ""
        rows.append((fields[0], fields[1], start, length, _word(fields[4]), confidence, speaker))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 7
    for i in (2, 3, 5):
        columns[i] = np.array(columns[i], dtype=np.float64)  # type: ignore[call-overload]
    return columns


def _confidence(cell: str, line: int, source: Source) -> float:
    """Confidence; -1, NA and whatever is not between 0 and 1 say that there is none."""
    if cell.lower() in (*nist.UNKNOWN, "na"):
        return np.nan
    try:
        float(cell)
    except ValueError as error:
        raise source.error(f"{cell!r} is not a confidence", line) from error
    return share(cell)


def _word(cell: str) -> str:
    r"""Take a `;tag` off a word; `\;` is a semicolon that belongs to it."""
    return re.sub(r"(?<!\\);.*$", "", cell).replace("\\;", ";") or cell
