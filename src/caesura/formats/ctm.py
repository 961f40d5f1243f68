"""CTM of NIST, Kaldi and Rev: a word a line with start, duration and perhaps confidence."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np

from caesura.formats import nist
from caesura.formats.base import TextFormat
from caesura.formats.source import Source
from caesura.formats.times import filled_times
from caesura.text.marks import split_marks
from caesura.transcript import Floats, Transcript

logger = logging.getLogger("caesura")

PAUSES = frozenset(
    "<s> </s> <sil> <silence> <pause> <pau> <p> <eps> <epsilon> sil SIL !SIL [SIL] <SIL> [sil] <S> "
    "</S> <p:> [pause] <blank>".split()
)
"""Rows of these stand for a pause, not for a word."""

BLOCK = 1 << 20
"""Characters parsed at a time, so that a long file never stands in memory as fields."""


@dataclass
class _Channel:
    """Columns of one recording and channel, block by block."""

    surface: list[list[str]] = field(default_factory=list)
    start: list[Floats] = field(default_factory=list)
    length: list[Floats] = field(default_factory=list)
    confidence: list[Floats] = field(default_factory=list)
    speaker: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, repr=False)
class Ctm(TextFormat):
    """Recording, channel, start, duration, word, confidence; pause markers become pauses.

    Alternatives (`<ALT_BEGIN>`) count with their first reading. Words of one recording stay in
    the order of the file; several channels are several recordings, named `recording.channel`.
    """

    name = "ctm"
    suffixes = (".ctm",)
    carries = frozenset({"start", "end", "confidence", "speaker", "opening", "mark", "pause", "id"})
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the first rows have a start and a duration in their place."""
        first = [text.split() for _, text in islice(nist.rows(source), 5)]
        return bool(first) and all(5 <= len(row) <= 8 and _is_time(*row[2:4]) for row in first)

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read blocks of lines as arrays; blocks that are not plain, line by line."""
        vocabulary: dict[str, str] = {}
        channels: dict[nist.Channel, _Channel] = {}
        alternatives = _Alternatives()
        for line, block in _blocks(source):
            columns = None if alternatives.inside else _plain(block)
            if columns is None:
                columns = _careful(block, line, source, alternatives)
            _distribute(columns, channels, vocabulary)
        alternatives.close(source)
        names = nist.ids(channels)
        for channel, parts in channels.items():
            yield _transcript(names[channel], parts)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write a row a word, and a row a pause marker."""
        for transcript in transcripts:
            yield from _rendered(transcript)


def _is_time(start: str, length: str) -> bool:
    return all(re.fullmatch(r"\d+(\.\d*)?|\*", cell) for cell in (start, length))


def _blocks(source: Source) -> Iterator[tuple[int, str]]:
    """Pieces of the text that end at a line end, with the number of their first line."""
    text, at, line = source.text, 0, 1
    while at < len(text):
        stop = text.find("\n", at + BLOCK)
        stop = len(text) if stop < 0 else stop + 1
        block = text[at:stop]
        yield line, block
        line += block.count("\n")
        at = stop


Columns = list[Any]
"""recording, channel, start, length, word and, when known, confidence and speaker."""


def _plain(block: str) -> Columns | None:
    """Columns of a block in which all lines have the same good fields, or None."""
    if any(odd in block for odd in (";", "*", "\\", "\r")):
        return None
    lines = block.count("\n") + (not block.endswith("\n"))
    fields = block.split()
    width = len(block.split("\n", 1)[0].split())
    if width not in (5, 6, 8) or width * lines != len(fields):
        return None
    try:
        numbers = [np.array(fields[i::width], dtype=np.float64) for i in (2, 3, 5) if i < width]
    except ValueError:
        return None
    if (
        not all(np.isfinite(column).all() for column in numbers)
        or (np.minimum(*numbers[:2]) < 0).any()
    ):
        return None
    columns = [fields[0::width], fields[1::width], *numbers[:2], fields[4::width], *numbers[2:]]
    return [*columns, list(map(nist.known, fields[7::width]))] if width == 8 else columns


class _Alternatives:
    """Follows `<ALT_BEGIN> a <ALT> b <ALT_END>` and lets the first reading through."""

    def __init__(self) -> None:
        self.inside = False
        self.first = True
        self.seen = 0

    def skips(self, word: str) -> bool:
        if word == "<ALT_BEGIN>":
            self.inside, self.first, self.seen = True, True, self.seen + 1
        elif word == "<ALT>":
            self.first = False
        elif word == "<ALT_END>":
            self.inside, self.first = False, True
        else:
            return not self.first
        return True

    def close(self, source: Source) -> None:
        if self.inside:
            raise source.error("an <ALT_BEGIN> has no <ALT_END>")
        if self.seen:
            logger.warning("%s: %d alternatives: the first reading is kept", source.name, self.seen)


def _careful(block: str, line: int, source: Source, alternatives: _Alternatives) -> Columns:
    """Columns of a block with comments, escapes, alternatives or uneven lines."""
    rows: list[tuple[str, str, float, float, str, float, str]] = []
    for number, text in enumerate(block.replace("\r\n", "\n").split("\n"), line):
        if not text.strip() or text.lstrip().startswith(";;"):
            continue
        fields = text.split()
        if len(fields) < 5:
            raise source.error(
                f"a row has {len(fields)} fields where recording, channel, start, duration and "
                "word are needed",
                number,
            )
        if alternatives.skips(fields[4]):
            continue
        start, length = (nist.time(cell, number, source) for cell in fields[2:4])
        confidence = _confidence(fields[5], number, source) if len(fields) > 5 else np.nan
        speaker = nist.known(fields[7]) if len(fields) > 7 else ""
        rows.append((fields[0], fields[1], start, length, _word(fields[4]), confidence, speaker))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 7
    for i in (2, 3, 5):
        columns[i] = np.array(columns[i], dtype=np.float64)  # type: ignore[call-overload]
    return columns


def _confidence(cell: str, line: int, source: Source) -> float:
    """Confidence; -1 and NA are ways to say that there is none."""
    if cell.lower() in (*nist.UNKNOWN, "na"):
        return np.nan
    try:
        confidence = float(cell)
    except ValueError as error:
        raise source.error(f"{cell!r} is not a confidence", line) from error
    return confidence if confidence >= 0 else np.nan


def _word(cell: str) -> str:
    r"""Take a `;tag` off a word; `\;` is a semicolon that belongs to it."""
    return re.sub(r"(?<!\\);.*$", "", cell).replace("\\;", ";") or cell


def _distribute(
    columns: Columns, channels: dict[nist.Channel, _Channel], vocabulary: dict[str, str]
) -> None:
    """Give the rows of a block to their channels; equal words become one object."""
    recordings, names, start, length, words, *more = columns
    if not len(words):
        return
    confidence = more[0] if more else np.full(len(words), np.nan)
    confidence = np.where(confidence < 0, np.nan, confidence)
    speakers = more[1] if len(more) > 1 else None
    surface = [vocabulary.setdefault(word, word) for word in words]
    for key, at in _runs(recordings, names):
        parts = channels.setdefault(key, _Channel())
        whole = isinstance(at, slice)
        pick = (lambda c, at=at: c[at]) if whole else (lambda c, at=at: [c[i] for i in at])
        parts.surface.append(pick(surface))
        parts.start.append(start[at])
        parts.length.append(length[at])
        parts.confidence.append(confidence[at])
        parts.speaker.append(pick(speakers) if speakers else [""] * len(parts.surface[-1]))


def _runs(recordings: Any, names: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Give each channel of a block and where its rows are."""
    keys = dict.fromkeys(zip(recordings, names, strict=True))
    if len(keys) == 1:
        yield next(iter(keys)), slice(None)
        return
    rows: dict[tuple[str, str], list[int]] = {key: [] for key in keys}
    for i, key in enumerate(zip(recordings, names, strict=True)):
        rows[key].append(i)
    for key, at in rows.items():
        yield key, np.array(at)


def _transcript(id: str, parts: _Channel) -> Transcript:
    surface = list(chain.from_iterable(parts.surface))
    speakers = list(chain.from_iterable(parts.speaker))
    start = np.concatenate(parts.start)
    end = np.round(start + np.concatenate(parts.length), 6)
    confidence = np.concatenate(parts.confidence)
    pause = None
    markers = set(surface) & PAUSES
    if markers:
        surface, kept, pause = _without_pauses(surface, markers)
        start, end, confidence = start[kept], end[kept], confidence[kept]
        speakers = [speakers[i] for i in kept.tolist()]
    pieces = {word: split_marks(word) for word in set(surface)}
    pieces = {w: (p if p.word else p._replace(opening="", word=w)) for w, p in pieces.items()}
    glued = any(p.opening or p.mark for p in pieces.values())
    return Transcript(
        words=tuple(pieces[w].word for w in surface) if glued else tuple(surface),
        id=id,
        start=start,
        end=end,
        confidence=confidence if np.isfinite(confidence).any() else None,
        speaker=tuple(speakers) if any(speakers) else None,
        opening=tuple(pieces[w].opening for w in surface) if glued else None,
        mark=tuple(pieces[w].mark for w in surface) if glued else None,
        pause=pause,
    )


def _without_pauses(
    surface: list[str], markers: set[str]
) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int64]], tuple[str, ...]]:
    """Words only, where they were, and the pause marker after each of them."""
    words: list[str] = []
    kept: list[int] = []
    pause: list[str] = []
    for i, word in enumerate(surface):
        if word not in markers:
            words.append(word)
            kept.append(i)
            pause.append("")
        elif pause:
            pause[-1] = word
    return words, np.array(kept, dtype=np.int64), tuple(pause)


def _rendered(transcript: Transcript) -> Iterator[str]:
    front = nist.front(transcript.id)
    starts, ends = (column.tolist() for column in filled_times(transcript, "ctm"))
    unknown = [np.nan] * len(transcript)
    confidences = unknown if transcript.confidence is None else transcript.confidence.tolist()
    pauses = transcript.pause or ("",) * len(transcript)
    speakers = transcript.speaker or ("",) * len(transcript)
    for i, surface in enumerate(transcript.surface()):
        start, end, confidence = starts[i], ends[i], confidences[i]
        tail = "" if confidence != confidence else f" {confidence:.6g}"
        if speakers[i]:
            tail = f"{tail or ' NA'} lex {nist.field(speakers[i])}"
        yield f"{front} {start:.3f} {end - start:.3f} {_field(surface)}{tail}\n"
        if pauses[i] and i + 1 < len(transcript) and starts[i + 1] >= end:
            yield f"{front} {end:.3f} {starts[i + 1] - end:.3f} {_field(pauses[i])}\n"


def _field(text: str) -> str:
    r"""Make one field; a semicolon, which would begin a tag, is escaped."""
    return nist.field(text).replace(";", "\\;")
