"""RTTM of NIST: rows about words, speakers and sentence units, each with start and duration."""

from __future__ import annotations

import logging
import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from caesura.formats import nist
from caesura.formats.base import TextFormat
from caesura.formats.rows import Rows
from caesura.formats.source import Source, number
from caesura.formats.times import decimal, filled_times
from caesura.transcript import Transcript

logger = logging.getLogger("caesura")

TYPES = frozenset(
    "SEGMENT NOSCORE NO_RT_METADATA LEXEME NON-LEX NON-SPEECH FILLER EDIT SU IP CB A/P SPEAKER "
    "SPKR-INFO".split()
)
"""What a row can be about."""

LABELS = {"statement": ".", "backchannel": ".", "question": "?"}
"""The sentence mark that each kind of sentence unit stands for."""

SLACK = 5e-4
"""Seconds by which a word may lie outside its sentence unit: times have three decimals."""


@dataclass(frozen=True)
class _Row:
    """One row; `place` is its line."""

    place: int
    kind: str
    channel: nist.Channel
    start: float
    end: float
    text: str
    subtype: str
    speaker: str
    confidence: float


@dataclass
class _Channel:
    words: list[_Row] = field(default_factory=list)
    units: list[_Row] = field(default_factory=list)


@dataclass(frozen=True, repr=False)
class Rttm(TextFormat):
    """Words (LEXEME) with speakers, times and confidences, and sentence units (SU) if there are.

    A sentence ends with the last word of each unit. Files that only say who speaks when have no
    words and are refused.
    """

    name = "rttm"
    suffixes = (".rttm",)
    carries = frozenset(
        "start end confidence speaker opening mark sentences labels id".split()  #
    )
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether every row begins with one of the types."""
        kinds = [text.split()[0] for _, text in nist.rows(source)]
        return bool(kinds) and all(kind in TYPES for kind in kinds)

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Collect words and units of each channel, words in the order of their times."""
        channels: dict[nist.Channel, _Channel] = {}
        for line, text in nist.rows(source):
            row = _row(text, line, source)
            channel = channels.setdefault(row.channel, _Channel())
            if row.kind == "LEXEME":
                channel.words.append(row)
            elif row.kind == "SU":
                channel.units.append(row)
        if channels and not any(channel.words for channel in channels.values()):
            raise source.error(
                "the file has no words, it only says who speaks when",
                remedy="give a file with LEXEME rows, or a CTM or STM file",
            )
        names = nist.ids(channels)
        for key, channel in channels.items():
            yield _transcript(names[key], channel)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write speakers, their turns, sentence units and words."""
        for transcript in transcripts:
            yield from _written(transcript)


def _row(text: str, line: int, source: Source) -> _Row:
    fields = text.split()
    if fields[0] not in TYPES:
        raise source.error(f"{fields[0]!r} is not a type of row that RTTM has", line)
    if len(fields) < 8:
        raise source.error(f"a row has {len(fields)} fields of nine or ten", line)
    kind, recording, channel, begin, length, ortho, subtype, speaker, *more = fields
    start, duration = (_time(cell, line, source) for cell in (begin, length))
    confidence = number(more[0]) if more else math.nan
    return _Row(
        line,
        kind,
        (recording, channel),
        start,
        round(start + duration, 6),
        nist.known(ortho),
        nist.known(subtype),
        nist.known(speaker),
        confidence if 0 <= confidence <= 1 else math.nan,
    )


def _time(cell: str, line: int, source: Source) -> float:
    return nist.time(cell, line, source) if nist.known(cell) else math.nan


def _transcript(id: str, channel: _Channel) -> Transcript:
    rows = Rows()
    words = [row for row in channel.words if row.text]
    if all(row.start == row.start for row in words):
        words.sort(key=lambda row: row.start)
    owners: list[_Row | None] = []
    units = _Units(channel.units)
    for row in words:
        before = len(rows)
        rows.token(
            row.text,
            start=_cell(row.start),
            end=_cell(row.end),
            speaker=row.speaker or None,
            confidence=_cell(row.confidence),
        )
        if len(rows) > before:
            owners.append(units.of(row))
    if any(owners):
        lasts = {owner: i for i, owner in enumerate(owners) if owner}
        rows.ends = sorted(lasts.values())
        rows.labels = {i: LABELS.get(unit.subtype, "") for unit, i in lasts.items()}
        rows.labels = {i: label for i, label in rows.labels.items() if label}
    return rows.transcript(id)


def _cell(value: float) -> float | None:
    return value if value == value else None


class _Units:
    """The sentence units of a channel, to be asked for the one a word lies in."""

    def __init__(self, units: Sequence[_Row]) -> None:
        self.units: dict[str, list[_Row]] = {}
        for unit in sorted(units, key=lambda unit: (unit.start, unit.place)):
            if unit.end == unit.end:
                self.units.setdefault(unit.speaker, []).append(unit)
        self.starts = {name: [unit.start for unit in found] for name, found in self.units.items()}

    def of(self, word: _Row) -> _Row | None:
        """Find the unit of the word's speaker, or of nobody in particular, around its middle.

        Where several meet, it is the last one that stands before the word in the file.
        """
        middle = (word.start + word.end) / 2
        around = [
            unit
            for speaker in dict.fromkeys((word.speaker, ""))
            for unit in self._around(speaker, middle)
        ]
        if not around:
            return None
        before = [unit for unit in around if unit.place < word.place]
        return max(before or around[-1:], key=lambda unit: unit.place)

    def _around(self, speaker: str, time: float) -> Iterator[_Row]:
        units = self.units.get(speaker, [])
        for i in range(bisect_right(self.starts.get(speaker, []), time + SLACK) - 1, -1, -1):
            if units[i].end < time - SLACK:
                break
            yield units[i]


def _written(transcript: Transcript) -> Iterator[str]:
    if not len(transcript):
        return
    front = nist.front(transcript.id)
    starts, ends = (column.tolist() for column in filled_times(transcript, "rttm"))
    speakers = [nist.field(name) or "<NA>" for name in transcript.speaker or ()]
    speakers = speakers or ["<NA>"] * len(transcript)
    confidences = np.full(len(transcript), np.nan)
    if transcript.confidence is not None:
        confidences = transcript.confidence
    for name in dict.fromkeys(speakers):
        yield f"SPKR-INFO {front} <NA> <NA> <NA> unknown {name} <NA> <NA>\n"
    heads = _heads(transcript, speakers)
    for i, surface in enumerate(transcript.surface()):
        for kind, subtype, name, last in heads.get(i, ()):
            times = _span(starts[i], max(ends[i : last + 1]))
            yield f"{kind} {front} {times} <NA> {subtype} {name} <NA> <NA>\n"
        word = nist.field(surface)
        subtype = "frag" if word.endswith("-") else "lex"
        sure = "<NA>" if np.isnan(confidences[i]) else f"{confidences[i]:.6g}"
        times = _span(starts[i], ends[i])
        yield f"LEXEME {front} {times} {word} {subtype} {speakers[i]} {sure} <NA>\n"


def _heads(transcript: Transcript, speakers: list[str]) -> dict[int, list[tuple[str, ...]]]:
    """Give type, subtype, speaker and last word of the rows that stand before each word."""
    heads: dict[int, list[tuple[str, ...]]] = {}
    return heads


def _span(start: float, end: float) -> str:
    return f"{decimal(start)} {decimal(end - start)}"
