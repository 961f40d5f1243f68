"""Words that arrive line by line, as JSON objects or as rows of a CTM."""

from __future__ import annotations

import json
import logging
import math
import re
import select
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import inf
from typing import Any, BinaryIO

from caesura.core.arrays import MISSING
from caesura.core.errors import FormatError, UnknownName
from caesura.core.transcript import Transcript
from caesura.formats.nist import nist_fields
from caesura.formats.nist.ctm import EVENT, PAUSES
from caesura.formats.source import LATEST, Source, counted, share, string, without_lone_surrogates
from caesura.text.punctuation import Pieces, is_opening, split_marks

LONGEST = 1 << 20
"""Bytes of a line."""

AT_ONCE = 200
"""Lines that are given at once, however many are there: so what comes of them comes soon."""


def chunks(
    file: BinaryIO,
    skip: int = 0,
    waiting: AbstractContextManager[Any] | None = None,
    silence: float = inf,
) -> Iterator[Sequence[bytes]]:
    """Give whole lines as soon as they are there, some at once.

    The first `skip` lines are passed over. `waiting` is entered while there is nothing to read.
    Nothing at all is given, once, where nothing comes for `silence` seconds.
    """
    rest, spoken = b"", False
    patience = waiting or nullcontext()
    while True:
        with patience:
            quiet = spoken and _quiet(file, silence)
            data = b"" if quiet else file.read1(1 << 16)  # type: ignore[attr-defined]
        if quiet:
            spoken = False
            yield []
            continue
        if not data:
            break
        *lines, rest = (rest + data).split(b"\n")
        if len(rest) > LONGEST:
            lines, rest = [*lines, rest], b""
        passed = min(skip, len(lines))
        skip -= passed
        for first in range(passed, len(lines), AT_ONCE):
            spoken = True
            yield lines[first : first + AT_ONCE]
    if rest and not skip:
        yield [rest]


def _quiet(file: BinaryIO, seconds: float) -> bool:
    """Whether nothing comes through a pipe for so long; a file is always ready."""
    if seconds == inf:
        return False
    try:
        return not select.select([file], [], [], seconds)[0]
    except (OSError, ValueError):
        return False


logger = logging.getLogger("caesura")

FORMATS = ("jsonl-words", "ctm")
ON_ERROR = ("stop", "skip")
SHAPE = 'a word is an object such as {"word": "so", "start": 0.5, "end": 0.8}'
NEITHER = (
    f"a line is a row of a CTM or a JSON object ({SHAPE}); other files become a CTM by caesura "
    "convert FILE --to ctm"
)
CELLS = frozenset(MISSING) - {"head"}
"""What can be known of a word on its own; its head is another word."""

EVIDENCE = "evidence."
NAMES = frozenset(("word", "id", "language"))
ALTERNATIVES = {"<ALT_BEGIN>": 1, "<ALT>": 2, "<ALT_END>": 0}
"""Rows that say which words are alternatives of the same stretch; the first reading counts."""

Line = bytes | str | Mapping[str, Any] | Transcript
Row = dict[str, Any]


class Arriving:
    """Turns lines into words: each time as many as there are, of one recording.

    `lines` have been read; the words of `rows` are not given away yet. The last row of a CTM is
    held until the next comes, which may be its pause or its punctuation. `language` is that of
    words that do not tell theirs.
    """

    def __init__(
        self,
        format: str | None,
        on_error: str,
        name: str,
        saved: Mapping[str, Any] | None = None,
        language: str = "",
    ) -> None:
        for setting, known in ((format or FORMATS[0], FORMATS), (on_error, ON_ERROR)):
            if setting not in known:
                raise UnknownName(f"{setting!r} is not one of {', '.join(known)}")
        self.on_error = on_error
        self.source = Source(name, b"")
        kept = saved or {}
        self.format: str = format or kept.get("format", "")
        self.lines: int = kept.get("lines", 0)
        self.rows: list[Row] = kept.get("rows", [])
        self.id: str = kept.get("id", "")
        self.language: str = kept.get("language", language)
        self.recording: str = kept.get("recording", "")
        self.channel: str = kept.get("channel", "")
        self.opening: str = kept.get("opening", "")
        self.reading: int = kept.get("reading", 0)
        self.layers: set[str] = set(kept.get("layers", ()))
        self.of: list[str] | None = kept.get("of")
        self._ignored: set[str] = set()

    def state(self) -> dict[str, Any]:
        """Give, as JSON can hold it, how far lines have been read and what is held."""
        texts = ("format", "id", "language", "recording", "channel", "opening")
        kept = {name: getattr(self, name) for name in (*texts, "lines", "rows", "reading")}
        return {**kept, "layers": sorted(self.layers), "of": self.of}

    def batches(self, chunks: Iterable[Sequence[Line]]) -> Iterator[Transcript]:
        """Give the words of lines; one that is bad is an error, or left out if asked for.

        Where there are no lines, because nobody speaks, all words that are held are given, and
        then none.
        """
        for chunk in chunks:
            if not chunk:
                yield from self.rest()
                yield Transcript(())
            for line in chunk:
                if isinstance(line, Transcript):
                    yield from self.rest()
                    yield line
                    continue
                try:
                    self._take(line)
                except FormatError as error:
                    if self.on_error == "stop":
                        yield from self._released(self._held)
                        raise
                    logger.warning("%s; the line is left out", error)
                self.lines += 1
            yield from self._released(self._held)

    def rest(self) -> Iterator[Transcript]:
        """Give the words that are held."""
        if self.opening and self.rows:
            self.rows[-1]["mark"] = self.rows[-1].get("mark", "") + self.opening
        self.opening = ""
        yield from self._released(0)

    @property
    def _held(self) -> int:
        return 1 if self.format == "ctm" else 0

    def _released(self, held: int) -> Iterator[Transcript]:
        """Give words away, apart where a recording begins or a layer is seen for the first time.

        So it makes no difference how many lines came at once: a layer is there from its first
        cell on, for all words that follow.
        """
        while len(self.rows) > held:
            count = self._alike(self.rows[: len(self.rows) - held])
            batch, self.rows = self.rows[:count], self.rows[count:]
            yield self._words(batch)

    def _alike(self, rows: Sequence[Row]) -> int:
        """Count the first rows that are of one recording and have no layer that is new.

        The language is that of its first word: recordings do not end where speakers change it.
        """
        id = rows[0]["id"]
        if self.of is None or id != self.of[0]:
            self.of, self.layers = [id, rows[0]["language"]], set()
        self.layers |= rows[0].keys() - NAMES
        known = self.layers | NAMES
        for count, row in enumerate(rows):
            if row["id"] != id or not row.keys() <= known:
                return count
        return len(rows)

    def _words(self, rows: Sequence[Row]) -> Transcript:
        columns: dict[str, Any] = {}
        evidence: dict[str, Any] = {}
        for name in sorted(self.layers):
            missing = MISSING.get(name, math.nan)
            cells = [row.get(name, missing) for row in rows]
            if name.startswith(EVIDENCE):
                evidence[name.removeprefix(EVIDENCE)] = cells
            else:
                columns[name] = cells
        id, language = self.of or ("", "")
        words = tuple(row["word"] for row in rows)
        return Transcript(words, id, language, evidence=evidence or None, **columns)

    def _take(self, line: bytes | str | Mapping[str, Any]) -> None:
        """Read one line into rows."""
        if not isinstance(line, (bytes, str)):
            self.format = self.format or FORMATS[0]
            self.rows.append(self._checked(line))
            return
        text = self._text(line)
        if not text:
            return
        self.format = self.format or ("jsonl-words" if text.startswith("{") else "ctm")
        if self.format == "ctm":
            self._take_fields(text.split())
            return
        try:
            found = json.loads(without_lone_surrogates(text))
        except (ValueError, RecursionError) as error:
            raise self._error(f"not a JSON line: {text[:80]!r}", SHAPE) from error
        self.rows.append(self._checked(found))

    def _text(self, line: bytes | str) -> str:
        try:
            text = line if isinstance(line, str) else line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._error("the line is not UTF-8 text") from error
        text = text.strip().removeprefix("\ufeff")
        return "" if text.startswith(";;") else text

    def _checked(self, found: Any) -> Row:
        """Make a row of a JSON object."""
        word = found.get("word") if isinstance(found, (dict, Mapping)) else None
        if not isinstance(word, str) or not word.strip():
            raise self._error("there is no word", SHAPE)
        row: Row = {}
        for name, cell in found.items():
            if cell is None or cell != cell or name == "word":
                continue
            if name in CELLS:
                row[name] = self._cell(name, cell)
            elif name == "evidence":
                row.update(self._evidence(cell))
            elif name in NAMES:
                setattr(self, name, self._cell("speaker", cell))
            else:
                self._ignore(name)
        return self._written(" ".join(word.split()), row)

    def _written(self, surface: str, row: Row) -> Row:
        """Add the word, its punctuation taken off, and the recording."""
        opening, word, mark = split_marks(surface)
        if opening and word:
            row["opening"] = row.get("opening", "") + opening
        if mark:
            row["mark"] = mark + row.get("mark", "")
        row["word"], row["id"], row["language"] = word or surface, self.id, self.language
        return row

    def _cell(self, name: str, cell: Any) -> Any:
        missing = MISSING[name]
        if isinstance(missing, bool):
            fits = isinstance(cell, bool)
        elif isinstance(missing, str):
            cell = string(cell)
            fits = cell != ""
            if not fits:
                return ""
        else:
            fits = type(cell) in (int, float) and abs(cell) <= LATEST
            fits = fits and (cell >= 0 or name == "confidence")
        if not fits:
            raise self._error(f"{name!r} cannot be {cell!r}")
        return cell

    def _evidence(self, cells: Any) -> Row:
        if not isinstance(cells, Mapping):
            raise self._error("'evidence' is an object of numbers by name")
        for name, cell in cells.items():
            if cell is not None and (type(cell) not in (int, float) or not abs(cell) < 1e300):
                raise self._error(f"evidence {name!r} is {cell!r}, no number")
        return {EVIDENCE + name: cell for name, cell in cells.items() if cell is not None}

    def _ignore(self, name: str) -> None:
        if name not in self._ignored and len(self._ignored) < 20:
            self._ignored.add(name)
            logger.warning("%s: %r means nothing here and is left out", self.source.name, name)

    def _take_fields(self, fields: Sequence[str]) -> None:
        """Read a row of a CTM: a word, or what belongs to the word before."""
        if len(fields) < 5:
            raise self._error(
                f"a row has {counted(len(fields), 'field', 'fields')} where recording, channel, "
                "start, duration and word are needed",
                remedy=NEITHER,
            )
        if fields[4] in ALTERNATIVES:
            self.reading = ALTERNATIVES[fields[4]]
            return
        if self.reading == 2:
            return
        try:
            start, length = (
                nist_fields.read_time(cell, self.lines + 1, self.source) for cell in fields[2:4]
            )
        except FormatError as error:
            raise self._error(error.what, NEITHER) from error
        row: Row = {"start": start, "end": round(start + length, 6)}
        confidence = share(fields[5]) if len(fields) > 5 else math.nan
        if not math.isnan(confidence):
            row["confidence"] = confidence
        if len(fields) > 7 and nist_fields.read_name(fields[7]):
            row["speaker"] = nist_fields.read_name(fields[7])
        self._name(*fields[:2])
        self._place(re.sub(r"(?<!\\);.*$", "", fields[4]).replace("\\;", ";") or fields[4], row)

    def _name(self, recording: str, channel: str) -> None:
        """Begin another recording if the first fields say so; its further channels are others."""
        if recording != self.recording:
            self.recording, self.channel = recording, channel
        self.id = recording if channel == self.channel else f"{recording}.{channel}"

    def _place(self, written: str, row: Row) -> None:
        last = self.rows[-1] if self.rows and self.rows[-1]["id"] == self.id else None
        pieces = Pieces("", written, "") if EVENT.fullmatch(written) else split_marks(written)
        if written in PAUSES:
            if last is not None:
                last["pause"] = written
        elif pieces.word:
            opening, self.opening = self.opening + pieces.opening, ""
            marks = {"opening": opening, "mark": pieces.mark}
            row |= {name: mark for name, mark in marks.items() if mark}
            self.rows.append({**row, "word": pieces.word, "id": self.id, "language": self.language})
        elif last is not None and not is_opening(written):
            last["mark"] = last.get("mark", "") + written
        else:
            self.opening += written

    def _error(self, what: str, remedy: str = "") -> FormatError:
        return self.source.error(what, self.lines + 1, remedy)
