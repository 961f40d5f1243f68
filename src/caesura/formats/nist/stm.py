"""STM (NIST): one segment of speech a row, with its recording, speaker and times."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags
from caesura.core.transcript import Transcript
from caesura.formats.base import Source, TextFormat, counted, number
from caesura.formats.builder import Rows
from caesura.formats.nist import nist_fields
from caesura.formats.nist.ctm import PAUSES
from caesura.formats.time_interpolation import decimal, filled_times


class Segment(NamedTuple):
    """Words `first` to `last`, spoken by one speaker from `start` to `end`."""

    first: int
    last: int
    start: float
    end: float


def segments(transcript: Transcript, format: str) -> Iterator[Segment]:
    """Cut a transcript where the speaker changes and at sentence ends or, without these, at times.

    A transcript read from STM is cut as it was in the file; one with times for every word is cut
    into its words.
    """
    if not len(transcript):
        return
    lasts = np.flatnonzero(_segment_ends(transcript))
    firsts = np.append(0, lasts[:-1] + 1)
    unknown = np.full(len(transcript), np.nan)
    starts = unknown if transcript.start is None else transcript.start
    ends = unknown if transcript.end is None else transcript.end
    if np.isnan(starts[firsts]).any() or np.isnan(ends[lasts]).any():
        starts, ends = filled_times(transcript, format)
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        start, end = float(starts[first]), float(np.nanmax(ends[first : last + 1]))
        yield Segment(first, last, start, max(start, end))


def _segment_ends(transcript: Transcript) -> Flags:
    """Return after which words a segment ends."""
    cut = np.ones(len(transcript), dtype=np.bool_)
    speakers = transcript.speaker or ("",) * len(transcript)
    cut[:-1] = [a != b for a, b in pairwise(speakers)]
    if transcript.sentences is not None:
        cut |= transcript.sentences.boundary
    else:
        if transcript.start is not None:
            cut[:-1] |= ~np.isnan(transcript.start[1:])
        if transcript.end is not None:
            cut |= ~np.isnan(transcript.end)
    return cut


logger = logging.getLogger("caesura")

IGNORED = "IGNORE_TIME_SEGMENT_IN_SCORING"
"""The text, in any case, of rows whose speech nobody transcribed."""

_ROW = re.compile(r"\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+([^\s<]+)\s*(.*)")
_LABEL = re.compile(r"<([^<>\s]*)>")
_DECLARED = re.compile(r';;\s*LABEL\s+"([^"]*)"')
_TOKENS = re.compile(r"\{[^\s{}]+\}|[{}]|(?:\\\S|[^\s{}\\]|\\(?=\s|$))+")
_EVENT = re.compile(r"\{[^\s{}]+\}|\[[^\s\[\]]+\]")
_ESCAPED = re.compile(r"\\([;{}/@])")
_VARIANT = re.compile(r"(?<=\w)\(\d+\)$")


class _Row(NamedTuple):
    line: int
    channel: nist_fields.Channel
    speaker: str
    start: float
    end: float
    text: str


@dataclass(frozen=True, repr=False)
class Stm(TextFormat):
    """STM (NIST): rows of recording, channel, speaker, start, end, perhaps a label, and the words.

    The first word of a row has its start and the last its end; rows are no sentences. Of
    alternatives `{ a / b / @ }` the first that has words is the text, the others are its
    alternatives; these are not written. Written is a row for each sentence where sentences are
    known, else a row for each segment that has times of its own.
    """

    name = "stm"
    may_be_empty = True
    suffixes = (".stm",)
    carries = frozenset({"start", "end", "speaker", "opening", "mark", "pause", "id"})
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether every row has three names, which are no numbers, and two times in order."""
        rows = _rows(source)
        names = {row.speaker for row in rows} - {""}
        named = bool(rows) and not any(number(name) == number(name) for name in names)
        return named and all(row.start <= row.end for row in rows)

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Collect the rows of each channel in the order of their times."""
        channels: dict[nist_fields.Channel, list[_Row]] = {}
        for row in _without_labels(_rows(source), _DECLARED.findall(source.text)):
            channels.setdefault(row.channel, []).append(row)
        ids = nist_fields.recording_ids(channels)
        reader = _Reader(source)
        for channel, rows in channels.items():
            rows.sort(key=lambda row: row.start)
            yield reader.transcript(ids[channel], rows)
        reader.warn()

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write the rows; all get a label if the first word of any could be taken for one."""
        rows = [row for transcript in transcripts for row in _rendered_rows(transcript)]
        label = "<O> " if any(_LABEL.match(text) for _, text in rows) else ""
        for front, text in rows:
            yield f"{front} {label}{text}\n"


def _rows(source: Source) -> list[_Row]:
    return [_row(text, line, source) for line, text in nist_fields.content_lines(source)]


def _row(text: str, line: int, source: Source) -> _Row:
    fields = _ROW.fullmatch(text)
    if not fields:
        raise source.error(
            "a row does not have the fields recording, channel, speaker, start and end", line
        )
    recording, channel, speaker, start, end, words = fields.groups()
    begin, stop = (
        nist_fields.read_time(start, line, source),
        nist_fields.read_time(end, line, source),
    )
    if stop < begin:
        logger.warning("%s:%d: the row ends before it begins", source.name, line)
    return _Row(line, (recording, channel), nist_fields.read_name(speaker), begin, stop, words)


def _without_labels(rows: list[_Row], declared: list[str]) -> Iterator[_Row]:
    """Remove labels such as `<O,WA>` from the texts; a sound such as `<laugh>` is no label."""
    everywhere = all(_LABEL.match(row.text) for row in rows if row.text)
    for row in rows:
        label = _LABEL.match(row.text)
        if label and (everywhere or "," in label[1] or label[1] in declared):
            yield row._replace(text=row.text[label.end() :])
        else:
            yield row


class _Reader:
    """Turns rows into transcripts, and counts rows that are left out."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.ignored = 0

    def transcript(self, id: str, segments: list[_Row]) -> Transcript:
        rows = Rows()
        for row in segments:
            if row.text.strip().upper() == IGNORED:
                self.ignored += 1
            else:
                self._add(rows, row)
        return rows.transcript(id)

    def _add(self, rows: Rows, row: _Row) -> None:
        first = len(rows)
        rows.turn()
        add_words = partial(_add_words, speaker=row.speaker or None)
        error = partial(self.source.error, line=row.line)
        nist_fields.add_with_alternatives(_TOKENS.findall(row.text), rows, add_words, error)
        if len(rows) > first:
            rows.set("start", first, row.start)
            if row.end >= row.start:
                rows.set("end", len(rows) - 1, row.end)

    def warn(self) -> None:
        if self.ignored:
            logger.warning(
                "%s: %s to be ignored in scoring and left out: words that a hypothesis has there "
                "count as insertions, unless you leave them out of it too",
                self.source.name,
                counted(self.ignored, "row is", "rows are"),
            )


def _add_words(tokens: Iterable[str], rows: Rows, speaker: str | None) -> None:
    """Add the words, sounds and pauses of a row."""
    for token in tokens:
        if token in PAUSES and rows:
            rows.set("pause", len(rows) - 1, token)
        elif _EVENT.fullmatch(token):
            rows.add(token, speaker=speaker)
        elif token not in PAUSES and token != nist_fields.NOTHING:
            rows.token(_ESCAPED.sub(r"\1", _VARIANT.sub("", token)), speaker=speaker)


def _rendered_rows(transcript: Transcript) -> Iterator[tuple[str, str]]:
    """Yield the fields before the words, and the words, of each row."""
    speakers = transcript.speaker or ("",) * len(transcript)
    pauses = transcript.pause or ("",) * len(transcript)
    surface = transcript.surface()
    fields = nist_fields.id_fields(transcript.id)
    for first, last, start, end in segments(transcript, "stm"):
        words = [
            token
            for i in range(first, last + 1)
            for token in (_escaped(surface[i]), nist_fields.as_field(pauses[i]))
            if token
        ]
        speaker = nist_fields.as_field(speakers[first]) or "unknown"
        yield f"{fields} {speaker} {decimal(start)} {decimal(end)}", " ".join(words)


def _escaped(word: str) -> str:
    """Make a field that is read as the word, not as a comment, alternative or nothing."""
    text = nist_fields.as_field(word).replace(";", "\\;")
    return f"\\{text}" if text in ("{", "}", "@", "/") else text
