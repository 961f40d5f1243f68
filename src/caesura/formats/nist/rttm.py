"""RTTM of NIST: rows about words, speakers and sentence units, each with start and duration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from caesura.core.transcript import Transcript
from caesura.formats.base import Source, TextFormat, counted, share
from caesura.formats.builder import Rows, SentenceSpan, SentenceSpans, end_sentences
from caesura.formats.nist import nist_fields
from caesura.formats.time_interpolation import decimal, filled_times

TYPES = frozenset(
    "SEGMENT NOSCORE NO_RT_METADATA LEXEME NON-LEX NON-SPEECH FILLER EDIT SU IP CB A/P SPEAKER "
    "SPKR-INFO".split()
)
"""Types of rows."""

LABELS = {"statement": ".", "backchannel": ".", "question": "?"}
"""Subtypes of sentence units, and the mark at the end of such a sentence."""

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
    """RTTM (NIST): words (LEXEME) with speakers and times, and sentence units (SU) if any.

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
        kinds = [text.split()[0] for _, text in nist_fields.content_lines(source)]
        return bool(kinds) and all(kind in TYPES for kind in kinds)

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Collect words and units of each channel, words in the order of their times."""
        channels: dict[nist_fields.Channel, _Channel] = {}
        for line, text in nist_fields.content_lines(source):
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
        ids = nist_fields.recording_ids(channels)
        for key, channel in channels.items():
            if channel.words:
                yield _transcript(ids[key], channel)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write a row for each speaker, turn, sentence unit and word."""
        for transcript in transcripts:
            yield from _rendered_rows(transcript)


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
        nist_fields.read_name(ortho),
        nist_fields.read_name(subtype),
        nist_fields.read_name(speaker),
        share(more[0]) if more else math.nan,
    )


def _time(cell: str, line: int, source: Source) -> float:
    return nist_fields.read_time(cell, line, source) if nist_fields.read_name(cell) else math.nan


def _transcript(id: str, channel: _Channel) -> Transcript:
    rows = Rows()
    words = [row for row in channel.words if row.text]
    if all(row.start == row.start for row in words):
        words.sort(key=lambda row: row.start)
    sentences = SentenceSpans((_sentence(row) for row in channel.units), SLACK)
    owners: list[SentenceSpan | None] = []
    for row in words:
        before = len(rows)
        rows.token(
            row.text,
            start=row.start,
            end=row.end,
            speaker=row.speaker or None,
            confidence=row.confidence,
        )
        owner = sentences.find((row.start + row.end) / 2, (row.line,), row.speaker)
        owners += [owner] * (len(rows) - before)
    end_sentences(rows, owners, [owner.label if owner else "" for owner in owners])
    return rows.transcript(id)


def _sentence(row: _Row) -> SentenceSpan:
    label = LABELS.get(row.subtype, "")
    return SentenceSpan(row.start, row.end, (row.line,), row.speaker, label)


def _rendered_rows(transcript: Transcript) -> Iterator[str]:
    if not len(transcript):
        return
    front = nist_fields.id_fields(transcript.id)
    starts, ends = (column.tolist() for column in filled_times(transcript, "rttm"))
    names = transcript.speaker or ("",) * len(transcript)
    speakers = [nist_fields.as_field(name) or "<NA>" for name in names]
    for name in dict.fromkeys(speakers):
        yield f"SPKR-INFO {front} <NA> <NA> <NA> unknown {name} <NA> <NA>\n"
    rows_before = _rows_before(transcript, speakers)
    confidences = _confidences(transcript)
    for i, surface in enumerate(transcript.surface()):
        for kind, subtype, name, last in rows_before[i]:
            times = _span(starts[i], max(ends[i : last + 1]))
            yield f"{kind} {front} {times} <NA> {subtype} {name} <NA> <NA>\n"
        subtype = "frag" if transcript.words[i].endswith("-") else "lex"
        word = f"{_span(starts[i], ends[i])} {nist_fields.as_field(surface)} {subtype}"
        yield f"LEXEME {front} {word} {speakers[i]} {confidences[i]} <NA>\n"


def _rows_before(
    transcript: Transcript, speakers: list[str]
) -> list[list[tuple[str, str, str, int]]]:
    """Return type, subtype, speaker and last word of the rows that come before each word."""
    rows: list[list[tuple[str, str, str, int]]] = [[] for _ in speakers]
    first = 0
    for name, turn in groupby(speakers):
        last = first + len(list(turn)) - 1
        rows[first].append(("SPEAKER", "<NA>", name, last))
        first = last + 1
    if transcript.sentences is not None:
        labels = transcript.sentences.label or ("",) * len(speakers)
        for first, last in transcript.sentences.sentences:
            subtype = {"?": "question", "": "<NA>"}.get(labels[last], "statement")
            several = len(set(speakers[first : last + 1])) > 1
            rows[first].append(("SU", subtype, "<NA>" if several else speakers[first], last))
    return rows


def _confidences(transcript: Transcript) -> list[str]:
    if transcript.confidence is None:
        return ["<NA>"] * len(transcript)
    return ["<NA>" if cell != cell else f"{cell:.6g}" for cell in transcript.confidence.tolist()]


def _span(start: float, end: float) -> str:
    """Return start and duration."""
    return f"{decimal(start)} {decimal(end - start)}"
