"""TSV: a table for spreadsheets, one sentence a row with start, end, speaker and text."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from caesura.core.transcript import Transcript
from caesura.formats.base import Source, TextFormat, seconds
from caesura.formats.builder import Rows
from caesura.formats.time_interpolation import decimal
from caesura.text.punctuation import is_without_blanks, split_words, written_together

logger = logging.getLogger("caesura")

TIMES = ("start", "end")
COLUMNS = (*TIMES, "speaker", "text")
WHISPER = ["start", "end", "text"]
"""The columns of the files that openai-whisper writes, with times in whole milliseconds."""

UNITS = {"seconds": 1.0, "milliseconds": 0.001}


class _Row(NamedTuple):
    """A sentence of the table."""

    start: float
    end: float
    speaker: str
    text: str


@dataclass(frozen=True, repr=False)
class Tsv(TextFormat):
    """A table for spreadsheets: one sentence a row, under the header `start end speaker text`.

    Columns may come in any order, all but `text` may be missing, and others are not read. Times
    are the sentence's: its first word has the start, its last word the end. They are seconds, but
    milliseconds in the files that openai-whisper writes (`start end text`, whole numbers); `unit`
    ('seconds' or 'milliseconds') says which. If several people speak in a sentence, all are
    named, as in `Ana, Ben`.
    """

    unit: str = ""

    name = "tsv"
    suffixes = (".tsv",)
    carries = frozenset({"opening", "mark", "sentences"})

    def __post_init__(self) -> None:
        if self.unit and self.unit not in UNITS:
            raise ValueError(f"unit is one of {', '.join(UNITS)}, not {self.unit!r}")

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the first row names the text and at least one other column."""
        names = _header(source)[1]
        return "text" in names and bool(set(names) & {"start", "end", "speaker"})

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read each row as a sentence."""
        table = list(self._rows(source))
        characters = is_without_blanks(" ".join(row.text for row in table))
        rows = Rows()
        rows.ends = []
        before = ""
        for row in table:
            first = len(rows)
            if characters and written_together(before, row.text.strip()):
                rows.glue()
            _add_words(rows, row, characters)
            if len(rows) > first:
                rows.end_sentence()
                for name, word, time in (
                    ("start", first, row.start),
                    ("end", len(rows) - 1, row.end),
                ):
                    if not math.isnan(time):
                        rows.set(name, word, time)
            before = row.text.strip() or before
        yield rows.transcript(source.stem)

    def _rows(self, source: Source) -> Iterator[_Row]:
        first, names = _header(source)
        if "text" not in names:
            raise source.error(
                "the first row does not name a column 'text'",
                first,
                f"begin the file with: {' '.join(COLUMNS)} (with tabs between them)",
            )
        table = [
            (number, line.split("\t"))
            for number, line in source.lines()
            if number > first and line.strip()
        ]
        for number, cells in table:
            if len(cells) != len(names):
                raise source.error(f"a row has {len(cells)} of {len(names)} cells", number)
        rows = [(number, dict(zip(names, cells, strict=True))) for number, cells in table]
        scale = UNITS[self.unit or _unit(names, [row for _, row in rows], source)]
        for number, row in rows:
            start, end = (_time(row.get(name, ""), scale, number, source) for name in TIMES)
            yield _Row(start, end, row.get("speaker", "").strip(), row["text"])

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write the header, then a row for each sentence; unknown cells are empty."""
        transcript = self.single(transcripts)
        yield "\t".join(COLUMNS) + "\n"
        for sentence in transcript.split_sentences():
            speakers = dict.fromkeys(name for name in sentence.speaker or () if name)
            text = " ".join(sentence.text.split())
            if text:
                start, end = _span(sentence)
                cells = (start, end, " ".join(", ".join(speakers).split()), text)
                yield "\t".join(cells) + "\n"


def _header(source: Source) -> tuple[int, list[str]]:
    """Return the number of the first row, and the names of the columns there."""
    for number, line in source.lines():
        if line.strip():
            return number, [name.strip().lower() for name in line.split("\t")]
    return 1, []


def _unit(names: list[str], rows: Sequence[dict[str, str]], source: Source) -> str:
    """Tell milliseconds, as openai-whisper writes them, from seconds."""
    cells = [row.get(name, "").strip() for row in rows for name in TIMES]
    if names != WHISPER or not cells or not all(map(str.isdecimal, cells)):
        return "seconds"
    logger.warning(
        "%s: the times are read as milliseconds, as Whisper writes them; if they are seconds, "
        "add --format \"tsv(unit='seconds')\"",
        source.name,
    )
    return "milliseconds"


def _time(cell: str, scale: float, line: int, source: Source) -> float:
    """Read a time; an empty cell is an unknown one."""
    time = seconds(cell, scale)
    if math.isnan(time) and cell.strip():
        raise source.error(f"{cell!r} is not a time in seconds", line)
    return time


def _add_words(rows: Rows, row: _Row, characters: bool) -> None:
    """Add the words of a sentence; in a text without blanks each character is a word."""
    rows.turn()
    for place, piece in enumerate(split_words(row.text, characters)):
        surface = piece.strip()
        if place and piece == surface:
            rows.glue()
        rows.token(surface, speaker=row.speaker or None)


def _span(sentence: Transcript) -> tuple[str, str]:
    """Write the times of a sentence: the first start and the last end that are known."""
    starts, ends = (
        [] if times is None else [decimal(time) for time in times.tolist() if time == time]
        for times in (sentence.start, sentence.end)
    )
    return "".join(starts[:1]), "".join(ends[-1:])
