"""Transcripts of the corpus CORAAL: tab-separated, one segment of speech a line. Only read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from caesura.core.transcript import Transcript
from caesura.formats.base import Source, TextFormat, seconds
from caesura.formats.builder import Rows
from caesura.formats.nist.ctm import PAUSES

COLUMNS = ("Line", "Spkr", "StTime", "Content", "EnTime")
"""The columns that the first line must name."""

PAUSE = "(pause)"
_UNHEARD = r"RD-[^/<>\s]*|unintelligible|inaudible|\?+"
_SLASHED = re.compile(rf"/({_UNHEARD})/", re.IGNORECASE)
_PAUSED = re.compile(r"\(pause\b[^()]*\)", re.IGNORECASE)
_NOTE = re.compile(r"[<(](?=[^<>()\w]*+\w)([^<>()]*+)[>)]")
_SIGNS = re.compile(r"[\[\]]|(?<!\w)/|/(?!\w)")
_PIECES = re.compile(r"\(pause\)|(?:(?!\(pause\))\S)+")


@dataclass(frozen=True, repr=False)
class Coraal(TextFormat):
    """Transcripts of the corpus CORAAL: one segment of speech a line, with its speaker and times.

    The first word of a segment has its start, the last its end.
    Notes such as `<laugh>` or `(laughing)`, redacted names and unintelligible speech are single
    words in angle brackets (`<sound_effect>`, `<RD-NAME-2>`, `<unintelligible>`). The signs for
    overlaps `[ ]` and unclear words `/ /` are left out, their words are read.
    """

    name = "coraal"
    writable = False
    suffixes = (".txt",)
    carries = frozenset({"start", "end", "speaker", "opening", "mark", "pause"})

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the first line names the columns."""
        header = source.text.lstrip().split("\n", 1)[0].split("\t")
        return {name.strip() for name in header} >= set(COLUMNS)

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read line by line."""
        lines = ((number, line) for number, line in source.lines() if line.strip())
        first, header = next(lines, (1, ""))
        names = [name.strip() for name in header.split("\t")]
        if not set(COLUMNS) <= set(names):
            raise source.error(
                f"the first line does not name the columns {', '.join(COLUMNS)}", first
            )
        rows = Rows()
        for number, line in lines:
            cells = line.split("\t")
            if len(cells) != len(names):
                raise source.error(f"a line has {len(cells)} of {len(names)} cells", number)
            row = dict(zip(names, cells, strict=True))
            times = [_time(row[name], number, source) for name in ("StTime", "EnTime")]
            _add(rows, row["Content"], row["Spkr"].strip(), times)
        yield rows.transcript(source.stem)


def _time(cell: str, line: int, source: Source) -> float:
    time = seconds(cell)
    if math.isnan(time):
        raise source.error(f"{cell!r} is not a time in seconds", line)
    return time


def _add(rows: Rows, content: str, speaker: str, times: list[float]) -> None:
    first = len(rows)
    rows.turn()
    for piece in _PIECES.findall(_without_signs(content)):
        if piece == PAUSE or piece in PAUSES:
            if rows and rows.cell("speaker", len(rows) - 1) == speaker:
                rows.set("pause", len(rows) - 1, piece)
        else:
            rows.token(piece, speaker=speaker or None)
    if len(rows) > first:
        rows.set("start", first, times[0])
        rows.set("end", len(rows) - 1, times[1])


def _without_signs(content: str) -> str:
    """Return the content with notes as single words and without the signs around words."""
    text = _SLASHED.sub(r"<\1>", content)
    text = _PAUSED.sub(" <pause> ", text)
    text = _NOTE.sub(lambda note: f"<{'_'.join(note[1].split())}>", text)
    text = re.sub(r"(?<=\w)<|(?<=>)(?=\w)", lambda edge: f" {edge[0]}", text)
    return _SIGNS.sub("", text).replace("<pause>", PAUSE)
