"""RTTM of NIST: rows about words, speakers and sentence units, each with start and duration."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import NamedTuple

from caesura.core.transcript import Transcript
from caesura.formats.base import TextFormat
from caesura.formats.builder import Rows
from caesura.formats.nist import nist_fields
from caesura.formats.source import Source, counted, share
from caesura.formats.time_interpolation import decimal, filled_times

Place = tuple[float, ...]
"""Orders what happens at the same time: where it stands in the file."""


class Unit(NamedTuple):
    """A stretch of time in which somebody ('' is anybody) says a sentence.

    `label` is the class of the sentence's end.
    """

    start: float
    end: float
    place: Place
    speaker: str = ""
    label: str = ""


class Units:
    """Sentence units, to be asked for the one a word lies in."""

    def __init__(self, units: Iterable[Unit], slack: float = 0.0) -> None:
        """Take the units; words may lie outside theirs by `slack` seconds."""
        self.slack = slack
        self.units: dict[str, list[Unit]] = {}
        for unit in sorted(u for u in units if u.end >= u.start):
            self.units.setdefault(unit.speaker, []).append(unit)
        self.starts = {who: [unit.start for unit in found] for who, found in self.units.items()}
        self.latest = {
            who: list(accumulate((unit.end for unit in found), max))
            for who, found in self.units.items()
        }

    def of(self, middle: float, place: Place, speaker: str) -> Unit | None:
        """Find the unit of a word: of its speaker, or of anybody, around the word's middle.

        Where several meet, it is the last one that begins before the word.
        """
        if math.isnan(middle):
            return None
        around = [
            unit for who in dict.fromkeys((speaker, "")) for unit in self._around(who, middle)
        ]
        before = [unit for unit in around if unit.place <= place]
        return max(before or around, key=lambda unit: unit.place, default=None)

    def _around(self, speaker: str, time: float) -> Iterator[Unit]:
        units, latest = self.units.get(speaker, []), self.latest.get(speaker, [])
        at = bisect_right(self.starts.get(speaker, []), time + self.slack) - 1
        while at >= 0 and latest[at] >= time - self.slack:
            if units[at].end >= time - self.slack:
                yield units[at]
            at -= 1


def end_sentences(rows: Rows, owners: Sequence[object], labels: Sequence[str]) -> None:
    """End a sentence after the last word of each unit; `owners` has the unit of each word.

    Words that are in no unit have None, and end nothing.
    """
    lasts = {owner: at for at, owner in enumerate(owners) if owner is not None}
    if lasts:
        rows.ends = sorted(lasts.values())
        rows.labels = {at: labels[at] for at in rows.ends if labels[at]}


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
    line: int
    kind: str
    channel: nist_fields.Channel
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
    carries = frozenset("start end confidence speaker opening mark sentences labels id".split())
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether every row begins with one of the types."""
        kinds = [text.split()[0] for _, text in nist_fields.rows(source)]
        return bool(kinds) and all(kind in TYPES for kind in kinds)

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Collect words and units of each channel, words in the order of their times."""
        channels: dict[nist_fields.Channel, _Channel] = {}
        for line, text in nist_fields.rows(source):
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
        names = nist_fields.ids(channels)
        for key, channel in channels.items():
            if channel.words:
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
        raise source.error(
            f"a row has {counted(len(fields), 'field', 'fields')} of nine or ten", line
        )
    kind, recording, channel, begin, length, ortho, subtype, speaker, *more = fields
    start, duration = (_time(cell, line, source) for cell in (begin, length))
    return _Row(
        line,
        kind,
        (recording, channel),
        start,
        round(start + duration, 6),
        nist_fields.known(ortho),
        nist_fields.known(subtype),
        nist_fields.known(speaker),
        share(more[0]) if more else math.nan,
    )


def _time(cell: str, line: int, source: Source) -> float:
    return nist_fields.time(cell, line, source) if nist_fields.known(cell) else math.nan


def _transcript(id: str, channel: _Channel) -> Transcript:
    rows = Rows()
    words = [row for row in channel.words if row.text]
    if all(row.start == row.start for row in words):
        words.sort(key=lambda row: row.start)
    units = Units((_unit(row) for row in channel.units), SLACK)
    owners: list[Unit | None] = []
    for row in words:
        before = len(rows)
        rows.token(
            row.text,
            start=row.start,
            end=row.end,
            speaker=row.speaker or None,
            confidence=row.confidence,
        )
        owner = units.of((row.start + row.end) / 2, (row.line,), row.speaker)
        owners += [owner] * (len(rows) - before)
    end_sentences(rows, owners, [owner.label if owner else "" for owner in owners])
    return rows.transcript(id)


def _unit(row: _Row) -> Unit:
    return Unit(row.start, row.end, (row.line,), row.speaker, LABELS.get(row.subtype, ""))


def _written(transcript: Transcript) -> Iterator[str]:
    if not len(transcript):
        return
    front = nist_fields.front(transcript.id)
    starts, ends = (column.tolist() for column in filled_times(transcript, "rttm"))
    names = transcript.speaker or ("",) * len(transcript)
    speakers = [nist_fields.field(name) or "<NA>" for name in names]
    for name in dict.fromkeys(speakers):
        yield f"SPKR-INFO {front} <NA> <NA> <NA> unknown {name} <NA> <NA>\n"
    heads = _heads(transcript, speakers)
    sure = _confidences(transcript)
    for i, surface in enumerate(transcript.surface()):
        for kind, subtype, name, last in heads[i]:
            times = _span(starts[i], max(ends[i : last + 1]))
            yield f"{kind} {front} {times} <NA> {subtype} {name} <NA> <NA>\n"
        subtype = "frag" if transcript.words[i].endswith("-") else "lex"
        word = f"{_span(starts[i], ends[i])} {nist_fields.field(surface)} {subtype}"
        yield f"LEXEME {front} {word} {speakers[i]} {sure[i]} <NA>\n"


def _heads(transcript: Transcript, speakers: list[str]) -> list[list[tuple[str, str, str, int]]]:
    """Give type, subtype, speaker and last word of the rows that stand before each word."""
    heads: list[list[tuple[str, str, str, int]]] = [[] for _ in speakers]
    first = 0
    for name, turn in groupby(speakers):
        last = first + len(list(turn)) - 1
        heads[first].append(("SPEAKER", "<NA>", name, last))
        first = last + 1
    if transcript.sentences is not None:
        labels = transcript.sentences.label or ("",) * len(speakers)
        for first, last in transcript.sentences.sentences:
            subtype = {"?": "question", "": "<NA>"}.get(labels[last], "statement")
            several = len(set(speakers[first : last + 1])) > 1
            heads[first].append(("SU", subtype, "<NA>" if several else speakers[first], last))
    return heads


def _confidences(transcript: Transcript) -> list[str]:
    if transcript.confidence is None:
        return ["<NA>"] * len(transcript)
    return ["<NA>" if cell != cell else f"{cell:.6g}" for cell in transcript.confidence.tolist()]


def _span(start: float, end: float) -> str:
    """Give start and duration."""
    return f"{decimal(start)} {decimal(end - start)}"
