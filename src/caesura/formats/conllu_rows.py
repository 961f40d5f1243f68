"""The rows of CoNLL-U as columns: many sentences at a time, since treebanks are large."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

import numpy as np

from caesura.errors import FormatError
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

_GLOBAL = re.compile(rb"#[ \t]*global\.columns[ \t]*=[ \t]*(.*)")
_SENTENCE = re.compile(r"\n\n((?:#.*\n)*)")
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
        self.picks = None if self.plain.all() else self.plain.tolist()
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
        return cells if self.picks is None else list(compress(cells, self.picks))

    def fit(self, numbers: Indices) -> bool:
        """Whether the heads (if there are any) point at words of the sentence."""
        return not len(numbers) or not ((numbers < -1) | (numbers > self.size)).any()

    def heads(self, numbers: Indices, offset: int) -> Indices:
        """Turn numbers within sentences into indices of words, those here beginning at offset."""
        heads = np.where(numbers > 0, self.base + numbers - 1, np.arange(len(numbers)))
        return np.where(numbers < 0, -1, heads + offset)

    def ranges(self, width: int) -> list[tuple[int, int, int]] | None:
        """Row, first and last word of multiword tokens; None if another row is no empty node."""
        found = []
        for row in np.flatnonzero(~self.plain).tolist():
            cell, at = self.fields[1 + row * width], int(self.before[row])
            span = _RANGE.fullmatch(cell)
            if not cell.startswith("\n") or not (span or _EMPTY.fullmatch(cell)):
                return None
            if span:
                first, last = int(span[1]), int(span[2])
                if at >= len(self.base) or at != self.base[at] + first - 1:
                    return None
                if not first <= last <= self.size[at]:
                    return None
                found.append((row, at, at + last - first))
        return found


class Sheet:
    """All words of a file, column by column, and the first word and comments of each sentence.

    Columns of the file and keys of MISC are in `cells`; one that is not there has no content.
    Columns other than FORM may be left unread: `wanted` names those to read.
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
        columns = named[1].decode(errors="replace").split() if named else list(COLUMNS)
        if columns[:1] != ["ID"] or "FORM" not in columns:
            raise source.error("global.columns has to begin with ID and to have FORM", 1)
        self.width = len(columns)
        chosen = wanted.split() or columns
        self.place = {name: at for at, name in enumerate(columns, 1) if name in chosen}
        self.place["FORM"] = columns.index("FORM") + 1
        self._ids, self._numbers = _Numbers("\n", 0), _Numbers("", -2)
        self._numbers["_"] = -1
        self._forms: dict[str, str] = {}
        self._vocabulary = {"_": ""}
        self._read(data)

    def _read(self, data: bytes) -> None:
        """Read piece by piece; from the first one that is odd on, read tidied lines."""
        at, tidy = 0, False
        while at < len(data):
            stop = data.find(b"\n\n", at + PIECE)
            stop = len(data) if stop < 0 else stop
            if self._add(self._decoded(data[at:stop])):
                at = stop + 2
            elif tidy:
                raise self.source.error("this is no CoNLL-U")
            else:
                data = self._tidied(self._decoded(data[at:]), data.count(b"\n", 0, at) + 1).encode()
                at, tidy = 0, True
        for column in self.cells.values():
            column.extend([""] * (len(self.words) - len(column)))

    def _decoded(self, data: bytes) -> str:
        """Decode a piece on its own: one odd character makes a long text slow to handle."""
        try:
            return data.decode()
        except UnicodeDecodeError:
            return self.source.text

    def _add(self, piece: str) -> bool:
        """Take over the columns of whole sentences, or leave them and say that they are odd."""
        parts = _SENTENCE.split("\n\n" + piece.strip("\n"))
        comments, bodies = parts[1::2], parts[2::2]
        heights = [body.count("\n") + 1 for body in bodies]
        fields = "\n".join(["", *bodies]).replace("\n", "\t\n").split("\t")
        if len(fields) != 1 + self.width * sum(heights):
            return False
        ids = np.fromiter(map(self._ids.__getitem__, fields[1 :: self.width]), np.int64)
        grid = _Grid(fields, ids, heights)
        words = grid.column(self.place["FORM"], self.width)
        heads = grid.column(self.place.get("HEAD"), self.width)
        numbers = np.fromiter(map(self._numbers.__getitem__, heads), np.int64)
        ranges = grid.ranges(self.width)
        if not grid.counted or "" in words or not grid.fit(numbers) or ranges is None:
            return False
        offset = len(self.words)
        self._texts(grid)
        self._misc(grid.column(self.place.get("MISC"), self.width))
        self.words += map(self._forms.setdefault, words, words)
        for row, first, last in ranges:
            cells = fields[row * self.width : (row + 1) * self.width + 1]
            self._multiword(cells, first + offset, last + offset)
        self.empty += len(ids) - len(words) - len(ranges)
        if heads:
            self.heads.append(grid.heads(numbers, offset))
        self.first += (grid.bounds[:-1] + offset).tolist()
        self.comments += comments
        return True

    def _texts(self, grid: _Grid) -> None:
        for name in TEXTS:
            cells = grid.column(self.place.get(name), self.width)
            if cells and (cells[0] != "_" or cells.count("_") < len(cells)):
                self._put(name, map(self._vocabulary.setdefault, cells, cells))

    def _misc(self, cells: list[str]) -> None:
        distinct = set(cells)
        whole = "|".join(distinct)
        for key in KEYS:
            if f"{key}=" in whole:
                values = {misc: value(misc, key) for misc in distinct}
                self._put(key, map(values.__getitem__, cells))

    def _put(self, name: str, cells: Iterable[str]) -> None:
        """Lengthen a column; where nothing was said of words before, their cells are empty."""
        column = self.cells.setdefault(name, [])
        column.extend([""] * (len(self.words) - len(column)))
        column.extend(cells)

    def _multiword(self, row: list[str], first: int, last: int) -> None:
        """Note a multiword token; its blank is that of its last word, its time that of each."""
        self.multiwords.append(Span(first, last, row[self.place["FORM"]]))
        misc = row[self.place["MISC"]] if "MISC" in self.place else ""
        said = {key: value(misc, key) for key in ("SpaceAfter", "AlignBegin", "AlignEnd")}
        for key, cell in said.items():
            if cell:
                self._put(key, ())
                column = self.cells[key]
                column.extend([""] * (last + 1 - len(column)))
                for at in range(last if key == "SpaceAfter" else first, last + 1):
                    column[at] = column[at] or cell

    def _tidied(self, text: str, number: int) -> str:
        """Give the text without what is legal but odd; complain of the first line that is not."""
        done: list[str] = []
        sentence = _Sentence(self)
        for line, row in enumerate(text.split("\n"), number):
            if row.startswith("#"):
                sentence.comments.append(row)
            elif row.strip():
                sentence.add(row, line)
            elif sentence.rows:
                done += [*sentence.comments, *sentence.checked(), ""]
                sentence = _Sentence(self)
        if sentence.rows:
            done += [*sentence.comments, *sentence.checked()]
        return "\n".join(done)


class _Sentence:
    """One sentence, line by line: slow, and sure of what is wrong where."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.comments: list[str] = []
        self.rows: list[tuple[int, list[str]]] = []
        self.count = 0
        self.stop = (0, 0)

    def error(self, what: str, line: int, remedy: str = "") -> FormatError:
        return self.sheet.source.error(what, line, remedy)

    def add(self, text: str, line: int) -> None:
        """Take a row that is a word, a multiword token or (to be left out) an empty node."""
        row = text.split("\t")
        if len(row) != self.sheet.width:
            raise self.error(
                f"a row has {len(row)} columns where {self.sheet.width} are needed",
                line,
                "columns are set apart by one TAB, sentences by an empty line",
            )
        if not row[self.sheet.place["FORM"] - 1]:
            raise self.error("a word is empty", line)
        span = _RANGE.fullmatch(row[0])
        if _EMPTY.fullmatch(row[0]):
            self.sheet.empty += 1
            return
        expected = str(self.count + 1)
        if (span[1] if span else row[0]) != expected:
            raise self.error(f"id {row[0]!r} stands where {expected} should", line)
        if span:
            self.stop = max(self.stop, (int(span[2]), line))
            if int(span[2]) <= self.count:
                raise self.error(f"the multiword token {row[0]!r} has no words", line)
        self.count += not span
        self.rows.append((line, row))

    def checked(self) -> Iterator[str]:
        """Give the rows when all that they point at is there."""
        if self.stop[0] > self.count:
            raise self.error("a multiword token goes on after the sentence", self.stop[1])
        at = self.sheet.place.get("HEAD")
        for line, row in self.rows:
            head = "_" if at is None or "-" in row[0] else row[at - 1]
            if head != "_" and not (_NUMBER.fullmatch(head) and int(head) <= self.count):
                raise self.error(f"head {head!r} is no word of the sentence", line)
            yield "\t".join(row)


def value(misc: str, key: str) -> str:
    """Give what a cell of MISC says under a key."""
    return f"|{misc}".partition(f"|{key}=")[2].partition("|")[0]
