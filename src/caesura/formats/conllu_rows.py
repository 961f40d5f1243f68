"""The rows of CoNLL-U as columns: many sentences at a time, since treebanks are large."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import compress

import numpy as np

from caesura.formats.source import Source
from caesura.transcript import Indices, Span

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
TEXTS = ("LEMMA", "UPOS", "XPOS", "FEATS", "DEPREL")
"""Columns that are kept as they are."""

KEYS = (
    "SpaceAfter AlignBegin AlignEnd BunsetuBILabel NER NE ner Speaker Confidence Opening Mark Pause"
).split()
"""Keys of MISC that say something a transcript can hold."""

PIECE = 1 << 17
"""Characters read at a time: what fits into the processor's cache is read twice as fast."""

_GLOBAL = re.compile(r"#[ \t]*global\.columns[ \t]*=[ \t]*(.*)")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_RANGE = re.compile(r"\n?([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY = re.compile(r"\n?[0-9]+\.[0-9]+")


class _Numbers(dict[str, int]):
    """Numbers by their text (behind `front`), each read once; `other` for what is none."""

    def __init__(self, front: str, other: int) -> None:
        super().__init__()
        self.front, self.other = front, other

    def __missing__(self, cell: str) -> int:
        bare = cell.removeprefix(self.front)
        good = cell.startswith(self.front) and _NUMBER.fullmatch(bare)
        return self.setdefault(cell, int(bare)) if good else self.other


class _Grid:
    """The fields of some sentences; which rows are words, and where sentences begin in these."""

    def __init__(self, fields: list[str], ids: Indices, heights: Sequence[int]) -> None:
        self.fields = fields
        self.plain = ids > 0
        self.before = np.concatenate(([0], np.cumsum(self.plain)))
        """Words before each row."""
        self.bounds = self.before[np.cumsum([0, *heights])]
        lengths = np.diff(self.bounds)
        self.base = np.repeat(self.bounds[:-1], lengths)
        """First word of each word's sentence."""
        self.size = np.repeat(lengths, lengths)
        """Words in each word's sentence."""
        expected = np.arange(len(self.base)) - self.base + 1
        self.counted = bool(lengths.all()) and np.array_equal(ids[self.plain], expected)

    def column(self, place: int | None, width: int) -> list[str]:
        """Cells of the words in one column."""
        if place is None:
            return []
        cells = self.fields[place::width]
        return cells if len(cells) == len(self.base) else list(compress(cells, self.plain.tolist()))

    def heads(self, numbers: Indices) -> Indices | None:
        """Turn numbers within sentences into indices of words; None if one is out of place."""
        if ((numbers < -1) | (numbers > self.size)).any():
            return None
        heads = np.where(numbers > 0, self.base + numbers - 1, np.arange(len(numbers)))
        return np.where(numbers < 0, -1, heads)

    def others(self, width: int) -> list[tuple[int, int, int]] | None:
        """Row, first and last word of multiword tokens; last < first in an empty node.

        None if a row is neither.
        """
        found = []
        for row in np.flatnonzero(~self.plain).tolist():
            cell, at = self.fields[1 + row * width], int(self.before[row])
            span = _RANGE.fullmatch(cell)
            if not cell.startswith("\n") or not (span or _EMPTY.fullmatch(cell)):
                return None
            last = -1
            if span:
                if at >= len(self.base) or int(span[1]) != at - self.base[at] + 1:
                    return None
                last = int(self.base[at]) + int(span[2]) - 1
                if not at <= last < self.base[at] + self.size[at]:
                    return None
            found.append((row, at, last))
        return found


class Sheet:
    """All words of a file, column by column, and the first word and comments of each sentence.

    Columns of the file and keys of MISC are in `cells`; one that is not there has no content.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.words: list[str] = []
        self.cells: dict[str, list[str]] = {}
        self.heads: list[Indices] = []
        self.first: list[int] = []
        self.comments: list[str] = []
        self.multiwords: list[Span] = []
        self.empty = 0
        text = source.text
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        named = _GLOBAL.match(text)
        columns = named[1].split() if named else list(COLUMNS)
        if columns[:1] != ["ID"] or "FORM" not in columns:
            raise source.error("global.columns has to begin with ID and to have FORM", 1)
        self.width = len(columns)
        self.place = {name: at for at, name in enumerate(columns, 1)}
        self._ids, self._numbers = _Numbers("\n", 0), _Numbers("", -2)
        self._numbers["_"] = -1
        self._forms: dict[str, str] = {}
        self._texts = {"_": ""}
        self._read(text)

    def _read(self, text: str) -> None:
        """Read piece by piece; from the first one that is odd on, read tidied lines."""
        at, tidy = 0, False
        while at < len(text):
            stop = text.find("\n\n", at + PIECE)
            stop = len(text) if stop < 0 else stop
            if self._add(text[at:stop]):
                at = stop + 2
            elif tidy:
                raise self.source.error("this is no CoNLL-U")
            else:
                text = self._tidied(text[at:], text.count("\n", 0, at) + 1)
                at, tidy = 0, True
        for column in self.cells.values():
            column.extend([""] * (len(self.words) - len(column)))

    def _add(self, piece: str) -> bool:
        """Take over the columns of whole sentences, or leave them and say that they are odd."""
        blocks = _blocks(piece)
        if blocks is None:
            return False
        comments, bodies = blocks
        heights = [body.count("\n") for body in bodies]
        fields = "".join(bodies).replace("\n", "\t\n").split("\t")
        if len(fields) != 1 + self.width * sum(heights):
            return False
        ids = np.fromiter(map(self._ids.__getitem__, fields[1 :: self.width]), np.int64)
        grid = _Grid(fields, ids, heights)
        others = grid.others(self.width)
        words = grid.column(self.place["FORM"], self.width)
        if not grid.counted or others is None or "" in words or not self._attach(grid):
            return False
        offset = len(self.words)
        self._columns(grid)
        self.words += map(self._forms.setdefault, words, words)
        for row, first, last in others:
            self._other(fields[row * self.width : (row + 1) * self.width + 1], first + offset, last + offset)
        self.first += (grid.bounds[:-1] + offset).tolist()
        self.comments += comments
        return True

    def _attach(self, grid: _Grid) -> bool:
        cells = grid.column(self.place.get("HEAD"), self.width)
        numbers = np.fromiter(map(self._numbers.__getitem__, cells), np.int64)
        heads = grid.heads(numbers) if cells else None
        if heads is None:
            return not cells
        self.heads.append(np.where(heads < 0, -1, heads + len(self.words)))
        return True

    def _columns(self, grid: _Grid) -> None:
        for name in TEXTS:
            cells = grid.column(self.place.get(name), self.width)
            if cells.count("_") < len(cells):
                self._put(name, map(self._texts.setdefault, cells, cells))
        cells = grid.column(self.place.get("MISC"), self.width)
        distinct = set(cells)
        whole = "|".join(distinct)
        for key in KEYS:
            if f"{key}=" in whole:
                values = {misc: _value(misc, key) for misc in distinct}
                self._put(key, map(values.__getitem__, cells))

    def _put(self, name: str, cells: Iterable[str]) -> None:
        """Lengthen a column; where nothing was said of words before, their cells are empty."""
        column = self.cells.setdefault(name, [])
        column.extend([""] * (len(self.words) - len(column)))
        column.extend(cells)

    def _other(self, row: list[str], first: int, last: int) -> None:
        """Take over a multiword token; its blank is that of its last word."""
        if last < first:
            self.empty += 1
            return
        self.multiwords.append(Span(first, last, row[self.place["FORM"]]))
        misc = row[self.place["MISC"]] if "MISC" in self.place else ""
        if _value(misc, "SpaceAfter"):
            self._set("SpaceAfter", last, _value(misc, "SpaceAfter"))
        for key in ("AlignBegin", "AlignEnd"):
            ...
