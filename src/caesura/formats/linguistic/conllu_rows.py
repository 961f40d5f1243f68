"""The rows of CoNLL-U files as columns, read many sentences at a time: treebanks are large."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import itemgetter
from sys import intern

import numpy as np

from caesura.core.arrays import Flags, Indices, Strings
from caesura.core.errors import FormatError
from caesura.core.transcript import Span
from caesura.formats.base import Source, counted
from caesura.text.display_width import code_points

NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
EMPTY = re.compile(r"[0-9]+\.[0-9]+")


def first_error(text: str, number: int, columns: list[str], source: Source) -> FormatError:
    """Return the first error in sentences that begin in line `number`."""
    sentence = _SentenceChecker(columns, source)
    for line, row in enumerate([*text.split("\n"), ""], number):
        if not row:
            fault = sentence.end()
            sentence = _SentenceChecker(columns, source)
        else:
            fault = None if row.startswith("#") else sentence.add(row.split("\t"), line)
        if fault:
            return fault
    return source.error("this is no CoNLL-U")


class _SentenceChecker:
    """Checks one sentence, row by row."""

    def __init__(self, columns: list[str], source: Source) -> None:
        self.columns, self.source = columns, source
        self.heads: list[tuple[str, int]] = []
        self.last = (0, 0)

    def add(self, row: list[str], line: int) -> FormatError | None:
        """Check a row: a word, a multiword token or an empty node."""
        width, id = len(self.columns), row[0]
        if len(row) != width:
            return self.source.error(
                f"a row has {counted(len(row), 'column', 'columns')} where {width} are needed",
                line,
                "put one TAB between columns, and an empty line between sentences",
            )
        if not row[self.columns.index("FORM")]:
            return self.source.error("a word is empty", line)
        if EMPTY.fullmatch(id):
            return None
        span, expected = RANGE.fullmatch(id), str(len(self.heads) + 1)
        if (span[1] if span else id) != expected:
            return self.source.error(f"id {id!r} stands where {expected} should", line)
        if span and int(span[2]) < int(span[1]):
            return self.source.error(f"the multiword token {id!r} has no words", line)
        if span:
            self.last = max(self.last, (int(span[2]), line))
        else:
            self.heads.append(
                (row[self.columns.index("HEAD")] if "HEAD" in self.columns else "_", line)
            )
        return None

    def end(self) -> FormatError | None:
        """Check the heads and the ranges of multiword tokens."""
        count = len(self.heads)
        if self.last[0] > count:
            return self.source.error("a multiword token goes on after the sentence", self.last[1])
        for head, line in self.heads:
            if head != "_" and not (NUMBER.fullmatch(head) and int(head) <= count):
                return self.source.error(f"head {head!r} is no word of the sentence", line)
        return None


COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
TEXTS = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "DEPREL")
"""Columns that are read as texts."""

KEYS = (
    "SpaceAfter AlignBegin AlignEnd BunsetuBILabel NER NE ner Speaker Confidence Opening Mark Pause"
).split()
"""Keys of MISC that a transcript has a layer for."""

PIECE = 1 << 18
"""Bytes read at a time: what fits into the processor's cache is read faster."""

DIGITS = 9
"""Digits of the largest number that is read."""

TAB, NEWLINE, HASH, ZERO, UNDERSCORE = map(ord, "\t\n#0_")
_GLOBAL = re.compile(rb"#[ \t]*global\.columns[ \t]*=[ \t]*(.*)")
_WHITE = re.compile(rb"^[ \t\x0b\x0c]+$", re.MULTILINE)


class _ColumnGroup(dict[str, Strings]):
    """Neighbouring columns, read as one text: together they have few different values.

    Each distinct text is split once. `_` is an empty cell but in FORM, where it is a word.
    """

    def __init__(self, names: list[str], first: int) -> None:
        super().__init__()
        self.names, self.first, self.last = names, first, first + len(names) - 1
        self.empty = ["" if name != "FORM" else "_" for name in names]

    def __missing__(self, text: str) -> Strings:
        pairs = zip(text.split("\t"), self.empty, strict=True)
        self[text] = parts = tuple(empty if cell == "_" else intern(cell) for cell, empty in pairs)
        return parts

    def columns(self, cells: list[str]) -> Iterator[tuple[str, list[str]]]:
        """Yield the name and the cells of each column."""
        parts = list(map(self.__getitem__, cells))
        for at, name in enumerate(self.names):
            yield name, list(map(itemgetter(at), parts))


def _groups(place: dict[str, int]) -> list[_ColumnGroup]:
    groups: list[_ColumnGroup] = []
    for name, at in place.items():
        if name not in TEXTS:
            continue
        if groups and groups[-1].last == at - 1:
            groups[-1] = _ColumnGroup([*groups[-1].names, name], groups[-1].first)
        else:
            groups.append(_ColumnGroup([name], at))
    return groups


class _Grid:
    """The positions of all cells in the text of some sentences, found without splitting it."""

    def __init__(self, text: str, width: int) -> None:
        self.text = text
        self.codes = code_points(text)
        ends = np.flatnonzero(self.codes == NEWLINE)
        starts = np.concatenate(([0], ends[:-1] + 1))
        begin = self.codes[starts]
        rows = (begin != HASH) & (begin != NEWLINE)
        tabs = np.flatnonzero(self.codes == TAB)
        counts = np.diff(np.searchsorted(tabs, np.append(starts, len(text))))
        self.even = bool((counts[rows] == width - 1).all())
        if not self.even:
            return
        tabs = tabs[np.repeat(rows, counts)].reshape(-1, width - 1)
        self.left = np.column_stack((starts[rows], tabs + 1))
        self.right = np.column_stack((tabs, ends[rows]))
        block = np.cumsum(begin == NEWLINE)[rows]
        if len(block):
            self._sentences(np.flatnonzero(np.diff(block, prepend=-1)))

    def _sentences(self, first: Indices) -> None:
        """Find the words of each sentence, given the first row of each."""
        ids, self.plain = self.numbers(0)
        self.plain &= ids > 0
        self.others = not self.plain.all()
        self.before = np.concatenate(([0], np.cumsum(self.plain)))
        """Words before each row."""
        self.bounds = self.before[np.append(first, len(self.plain))]
        lengths = np.diff(self.bounds)
        self.base = np.repeat(self.bounds[:-1], lengths)
        """First word of each word's sentence."""
        self.size = np.repeat(lengths, lengths)
        """Words in each word's sentence."""
        expected = np.arange(len(self.base)) - self.base + 1
        self.counted = bool(lengths.all()) and np.array_equal(ids[self.plain], expected)
        stops = np.append(0, self.right[first[1:] - 1, -1])
        self.gaps = list(zip(stops.tolist(), self.left[first, 0].tolist(), strict=True))
        """Where the comments before each sentence begin and end."""

    def numbers(self, column: int) -> tuple[Indices, Flags]:
        """Read a column of numbers; also return which cells are numbers without leading zeros."""
        left, length = self.left[:, column], self.right[:, column] - self.left[:, column]
        good = (length > 0) & (length <= DIGITS)
        values = np.zeros(len(left), np.int64)
        for place in range(int(length.max(initial=0, where=good))):
            inside = place < length
            digit = self.codes[np.where(inside, left + place, 0)].astype(np.int64) - ZERO
            good &= ~inside | ((digit >= 0) & (digit <= 9))
            values = np.where(inside, 10 * values + digit, values)
        return values, good & ((length == 1) | (self.codes[left] != ZERO))

    def cells(self, first: int, last: int) -> list[str]:
        """Return the texts of columns `first` to `last`, for rows that are words."""
        left, right = self.left[:, first], self.right[:, last]
        if self.others:
            left, right = left[self.plain], right[self.plain]
        text = self.text
        return [text[a:b] for a, b in zip(left.tolist(), right.tolist(), strict=True)]

    def heads(self, column: int) -> Indices | None:
        """Return heads as indices of words, -1 for `_`; None if one is outside its sentence."""
        numbers, good = (values[self.plain] for values in self.numbers(column))
        left, right = self.left[self.plain, column], self.right[self.plain, column]
        unknown = (right - left == 1) & (self.codes[left] == UNDERSCORE)
        if not (unknown | (good & (numbers <= self.size))).all():
            return None
        heads = np.where(numbers > 0, self.base + numbers - 1, np.arange(len(numbers)))
        return np.where(unknown, -1, heads)

    def ranges(self) -> list[tuple[int, int, int]] | None:
        """Return row, first and last word of multiword tokens; None if a row is not valid."""
        found = []
        for row in np.flatnonzero(~self.plain).tolist():
            id, at = self.text[self.left[row, 0] : self.right[row, 0]], int(self.before[row])
            span = RANGE.fullmatch(id)
            if span:
                first, last = int(span[1]), int(span[2])
                if at >= len(self.base) or at != self.base[at] + first - 1:
                    return None
                if not first <= last <= self.size[at]:
                    return None
                found.append((row, at, at + last - first))
            elif not EMPTY.fullmatch(id):
                return None
        return found


class Table:
    """All words of a file, column by column, and the first word and comments of each sentence.

    `cells` has the columns of the file and the keys of MISC; one that is missing has no content.
    `wanted` names the columns to read besides FORM; without it all are read.
    """

    def __init__(self, source: Source, wanted: str = "") -> None:
        self.source = source
        self.words: list[str] = []
        self.cells: dict[str, list[str]] = {}
        self.heads: list[Indices] = []
        self.first: list[int] = []
        self.comments: list[str] = []
        self.multiwords: list[Span] = []
        self.empty = 0
        data = source.data
        if not data[:1].isascii() or b"\r" in data or b"\0" in data:
            data = "\n".join(line for _, line in source.lines()).encode()
        named = _GLOBAL.match(data)
        self.columns = named[1].decode(errors="replace").split() if named else list(COLUMNS)
        if self.columns[:1] != ["ID"] or "FORM" not in self.columns:
            raise source.error("global.columns has to begin with ID and to have FORM", 1)
        chosen = ["FORM", *wanted.split()] if wanted else self.columns
        self.place = {name: at for at, name in enumerate(self.columns) if name in chosen}
        self._groups = _groups(self.place)
        self._comments_before = "\n"
        self._read(data)

    def _read(self, data: bytes) -> None:
        """Read piece by piece; if that fails, treat lines of blanks as empty lines."""
        at, cleaned = 0, False
        while at < len(data):
            stop = data.find(b"\n\n", at + PIECE)
            stop = len(data) if stop < 0 else stop + 2
            if self._add(self._decoded(data[at:stop])):
                at = stop
            elif cleaned:
                line = data.count(b"\n", 0, at) + 1
                raise first_error(self._decoded(data[at:]), line, self.columns, self.source)
            else:
                data, cleaned = _WHITE.sub(b"", data), True
        for column in self.cells.values():
            column.extend([""] * (len(self.words) - len(column)))

    def _decoded(self, data: bytes) -> str:
        """Decode a piece on its own: one wide character makes a long text slow to handle."""
        try:
            return data.decode()
        except UnicodeDecodeError:
            return self.source.text

    def _add(self, text: str) -> bool:
        """Add the columns of whole sentences, or return False if they are not valid."""
        grid = _Grid(text if text.endswith("\n") else f"{text}\n", len(self.columns))
        if not grid.even:
            return False
        if not len(grid.left):
            self._comments_before += text
            return True
        columns = {
            name: column
            for group in self._groups
            for name, column in group.columns(grid.cells(group.first, group.last))
        }
        words = columns.pop("FORM")
        heads = grid.heads(self.place["HEAD"]) if "HEAD" in self.place else grid.base
        ranges = grid.ranges()
        if not grid.counted or "" in words or heads is None or ranges is None:
            return False
        offset = len(self.words)
        for name, column in columns.items():
            self._put(name, column)
        if "MISC" in self.place:
            self._misc(grid.cells(self.place["MISC"], self.place["MISC"]))
        self.words += words
        for row, first, last in ranges:
            self._multiword(grid, row, first + offset, last + offset)
        self.empty += len(grid.plain) - len(words) - len(ranges)
        if "HEAD" in self.place:
            self.heads.append(np.where(heads < 0, -1, heads + offset))
        self.first += (grid.bounds[:-1] + offset).tolist()
        comments = [grid.text[first:stop] for first, stop in grid.gaps]
        self.comments += [self._comments_before + comments[0], *comments[1:]]
        self._comments_before = grid.text[int(grid.right[-1, -1]) :]
        return True

    def _misc(self, cells: list[str]) -> None:
        distinct = list(set(cells))
        whole = "|".join(distinct)
        for key in [key for key in KEYS if f"{key}=" in whole]:
            if len(distinct) > len(cells) // 2:
                self._put(key, _values(cells, key))
            else:
                values = dict(zip(distinct, _values(distinct, key), strict=True))
                self._put(key, map(values.__getitem__, cells))

    def _put(self, name: str, cells: Iterable[str]) -> None:
        """Extend a column; words before it that have no cells get empty ones."""
        column = self.cells.setdefault(name, [])
        column.extend([""] * (len(self.words) - len(column)))
        column.extend(cells)

    def _multiword(self, grid: _Grid, row: int, first: int, last: int) -> None:
        """Add a multiword token; its last word gets its blank, each of its words its times."""
        cells = grid.text[grid.left[row, 0] : grid.right[row, -1]].split("\t")
        self.multiwords.append(Span(first, last, cells[self.place["FORM"]]))
        misc = cells[self.place["MISC"]] if "MISC" in self.place else "_"
        for key in ("SpaceAfter", "AlignBegin", "AlignEnd") if misc != "_" else ():
            (cell,) = _values([misc], key)
            if cell:
                self._put(key, ())
                for at in range(last if key == "SpaceAfter" else first, last + 1):
                    self.cells[key][at] = self.cells[key][at] or cell


def _values(cells: list[str], key: str) -> list[str]:
    """Return the values of a key in cells of MISC."""
    front = f"|{key}="
    return [f"|{cell}".partition(front)[2].partition("|")[0] for cell in cells]
