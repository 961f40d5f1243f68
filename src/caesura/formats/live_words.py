"""Read words as they arrive, line by line: JSON objects or rows of a CTM."""

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
from caesura.formats.base import LATEST, Source, counted, share, string, without_lone_surrogates
from caesura.formats.nist import nist_fields
from caesura.formats.nist.ctm import EVENT, PAUSES
from caesura.text.languages import language_code
from caesura.text.punctuation import WordParts, detach_marks, is_opening, split_marks

logger = logging.getLogger("caesura")

LONGEST = 1 << 20
"""The most bytes of a line."""

AT_ONCE = 200
"""The most lines in a chunk, so that results come soon even if much has arrived."""


def chunks(
    file: BinaryIO,
    skip: int = 0,
    waiting: AbstractContextManager[Any] | None = None,
    silence: float = inf,
) -> Iterator[Sequence[bytes]]:
    """Yield chunks of whole lines as soon as they arrive.

    The first `skip` lines are left out. `waiting` is entered while there is nothing to read. An
    empty chunk is yielded, once, if nothing arrives for `silence` seconds.
    """
    rest, active = b"", False
    while_waiting = waiting or nullcontext()
    while True:
        with while_waiting:
            quiet = active and _is_quiet(file, silence)
            data = b"" if quiet else file.read1(1 << 16)  # type: ignore[attr-defined]
        if quiet:
            active = False
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
            active = True
            yield lines[first : first + AT_ONCE]
    if rest and not skip:
        yield [rest]


def _is_quiet(file: BinaryIO, seconds: float) -> bool:
    """Whether nothing arrives through a pipe for so many seconds; a file is always ready."""
    if seconds == inf:
        return False
    try:
        return not select.select([file], [], [], seconds)[0]
    except (OSError, ValueError):
        return False


FORMATS = ("jsonl-words", "ctm")
ON_ERROR = ("stop", "skip")
SHAPE = 'a word is an object such as {"word": "so", "start": 0.5, "end": 0.8}'
NEITHER = (
    f"a line is a row of a CTM or a JSON object ({SHAPE}); other files become a CTM by caesura "
    "convert FILE --to ctm"
)
CELLS = frozenset(MISSING) - {"head"}
"""Layers that can be given with a single word; its head would be another word."""

EVIDENCE = "evidence."
NAMES = frozenset(("word", "id", "language"))
ALTERNATIVES = {"<ALT_BEGIN>": 1, "<ALT>": 2, "<ALT_END>": 0}
"""Rows of a CTM around alternatives, and the state they begin; the first alternative counts."""

Line = bytes | str | Mapping[str, Any] | Transcript
Row = dict[str, Any]


class LiveWords:
    """Turns lines into batches of words, each of one recording.

    `lines` is the number of lines read so far, `rows` are words that are still held back: the
    last row of a CTM waits for the next one, which may be its pause or its punctuation.
    `language` is for words that do not say theirs.
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
        state = saved or {}
        self.format: str = format or state.get("format", "")
        self.lines: int = state.get("lines", 0)
        self.rows: list[Row] = state.get("rows", [])
        self.id: str = state.get("id", "")
        self.language: str = state.get("language", language)
        self.recording: str = state.get("recording", "")
        self.channel: str = state.get("channel", "")
        self.opening: str = state.get("opening", "")
        self.alternative: int = state.get("alternative", 0)
        self.layers: set[str] = set(state.get("layers", ()))
        self.batch_names: list[str] | None = state.get("batch_names")
        self._ignored: set[str] = set()

    def state(self) -> dict[str, Any]:
        """Return, for JSON, how many lines were read and which words are held back."""
        texts = ("format", "id", "language", "recording", "channel", "opening")
        state = {name: getattr(self, name) for name in (*texts, "lines", "rows", "alternative")}
        return {**state, "layers": sorted(self.layers), "batch_names": self.batch_names}

    def batches(self, chunks: Iterable[Sequence[Line]]) -> Iterator[Transcript]:
        """Yield the words of chunks of lines; a bad line is an error, or left out if asked for.

        At an empty chunk, because nobody speaks, the words held back are yielded, and then an
        empty transcript.
        """
        for chunk in chunks:
            if not chunk:
                yield from self.flush()
                yield Transcript(())
            for line in chunk:
                if isinstance(line, Transcript):
                    yield from self.flush()
                    yield detach_marks(line)
                    continue
                try:
                    self._read_line(line)
                except FormatError as error:
                    if self.on_error == "stop":
                        yield from self._release(self._held)
                        raise
                    logger.warning("%s; the line is left out", error)
                self.lines += 1
            yield from self._release(self._held)

    def flush(self) -> Iterator[Transcript]:
        """Yield the words that are held back."""
        if self.opening and self.rows:
            self.rows[-1]["mark"] = self.rows[-1].get("mark", "") + self.opening
        self.opening = ""
        yield from self._release(0)

    @property
    def _held(self) -> int:
        return 1 if self.format == "ctm" else 0

    def _release(self, held: int) -> Iterator[Transcript]:
        """Yield words; a new batch begins with each recording and with each new layer.

        A layer exists from its first cell on, for all words that follow; so it makes no
        difference how many lines arrive at once.
        """
        while len(self.rows) > held:
            count = self._batch_size(self.rows[: len(self.rows) - held])
            batch, self.rows = self.rows[:count], self.rows[count:]
            yield self._transcript(batch)

    def _batch_size(self, rows: Sequence[Row]) -> int:
        """Count the first rows that belong to one recording and bring no new layer.

        The language is that of the first word: a recording does not end if it changes.
        """
        id = rows[0]["id"]
        if self.batch_names is None or id != self.batch_names[0]:
            self.batch_names, self.layers = [id, rows[0]["language"]], set()
        self.layers |= rows[0].keys() - NAMES
        known = self.layers | NAMES
        for count, row in enumerate(rows):
            if row["id"] != id or not row.keys() <= known:
                return count
        return len(rows)

    def _transcript(self, rows: Sequence[Row]) -> Transcript:
        columns: dict[str, Any] = {}
        evidence: dict[str, Any] = {}
        for name in sorted(self.layers):
            missing = MISSING.get(name, math.nan)
            cells = [row.get(name, missing) for row in rows]
            if name.startswith(EVIDENCE):
                evidence[name.removeprefix(EVIDENCE)] = cells
            else:
                columns[name] = cells
        id, language = self.batch_names or ("", "")
        words = tuple(row["word"] for row in rows)
        return Transcript(words, id, language, evidence=evidence or None, **columns)

    def _read_line(self, line: bytes | str | Mapping[str, Any]) -> None:
        """Read one line and add its words to `rows`."""
        if not isinstance(line, (bytes, str)):
            self.format = self.format or FORMATS[0]
            self.rows.append(self._row(line))
            return
        text = self._text(line)
        if not text:
            return
        self.format = self.format or ("jsonl-words" if text.startswith("{") else "ctm")
        if self.format == "ctm":
            self._read_ctm(text.split())
            return
        try:
            document = json.loads(without_lone_surrogates(text))
        except (ValueError, RecursionError) as error:
            raise self._error(f"not a JSON line: {text[:80]!r}", SHAPE) from error
        self.rows.append(self._row(document))

    def _text(self, line: bytes | str) -> str:
        try:
            text = line if isinstance(line, str) else line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._error("the line is not UTF-8 text") from error
        text = text.strip().removeprefix("\ufeff")
        return "" if text.startswith(";;") else text

    def _row(self, document: Any) -> Row:
        """Return the row of a JSON object."""
        word = document.get("word") if isinstance(document, (dict, Mapping)) else None
        if not isinstance(word, str) or not word.strip():
            raise self._error("there is no word", SHAPE)
        row: Row = {}
        for name, cell in document.items():
            if cell is None or cell != cell or name == "word":
                continue
            if name in CELLS:
                row[name] = self._cell(name, cell)
            elif name == "evidence":
                row.update(self._evidence(cell))
            elif name in NAMES:
                told = self._cell("speaker", cell)
                if name != "language" or language_code(told):
                    setattr(self, name, told)
            else:
                self._warn_of_unknown(name)
        return self._with_word(" ".join(word.split()), row)

    def _with_word(self, surface: str, row: Row) -> Row:
        """Add the word, its punctuation and the names of the recording to a row."""
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

    def _warn_of_unknown(self, name: str) -> None:
        if name not in self._ignored and len(self._ignored) < 20:
            self._ignored.add(name)
            logger.warning("%s: the key %r is unknown and is left out", self.source.name, name)

    def _read_ctm(self, fields: Sequence[str]) -> None:
        """Read a row of a CTM: a word, or what belongs to the word before."""
        if len(fields) < 5:
            raise self._error(
                f"a row has {counted(len(fields), 'field', 'fields')} where recording, channel, "
                "start, duration and word are needed",
                remedy=NEITHER,
            )
        if fields[4] in ALTERNATIVES:
            self.alternative = ALTERNATIVES[fields[4]]
            return
        if self.alternative == 2:
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
        self._set_recording(*fields[:2])
        self._add_ctm_word(
            re.sub(r"(?<!\\);.*$", "", fields[4]).replace("\\;", ";") or fields[4], row
        )

    def _set_recording(self, recording: str, channel: str) -> None:
        """Set the id of the recording; each channel after the first has an id of its own."""
        if recording != self.recording:
            self.recording, self.channel = recording, channel
        self.id = recording if channel == self.channel else f"{recording}.{channel}"

    def _add_ctm_word(self, written: str, row: Row) -> None:
        last = self.rows[-1] if self.rows and self.rows[-1]["id"] == self.id else None
        pieces = WordParts("", written, "") if EVENT.fullmatch(written) else split_marks(written)
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
