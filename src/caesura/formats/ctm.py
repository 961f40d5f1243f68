"""CTM of NIST, Kaldi and Rev: a word a line with start, duration and perhaps confidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np

from caesura.errors import OutputError
from caesura.formats import ctm_rows, nist
from caesura.formats.base import TextFormat
from caesura.formats.source import Source
from caesura.formats.times import decimal, filled_times
from caesura.text.marks import Pieces, is_opening, split_marks
from caesura.transcript import Floats, Transcript

PAUSES = frozenset(
    "<s> </s> <sil> <silence> <pause> <pau> <p> <eps> <epsilon> sil SIL !SIL [SIL] <SIL> [sil] <S> "
    "</S> <p:> [pause] <blank>".split()
)
"""Rows of these stand for a pause, not for a word."""

EVENT = re.compile(r"\[[^\[\]]+\]|\(%[^()]+\)|<[^<>]+>")
"""A sound that Kaldi and others write as a word: `[noise]`, `(%hesitation)`, `<laugh>`."""


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

    A row of punctuation alone is the mark of the word before it; a sound such as `[noise]` is one
    word. Alternatives (`<ALT_BEGIN>`) count with their first reading. Words of one recording stay
    in the order of the file; several channels are several recordings, named `recording.channel`.
    """

    name = "ctm"
    may_be_empty = True
    suffixes = (".ctm",)
    carries = frozenset({"start", "end", "confidence", "speaker", "opening", "mark", "pause", "id"})
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the first rows have a start and a duration in their place."""
        first = [text.split() for _, text in islice(nist.rows(source), 5)]
        return bool(first) and all(5 <= len(row) <= 8 and _is_time(*row[2:4]) for row in first)

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read block by block, then make each channel a recording."""
        vocabulary: dict[str, str] = {}
        channels: dict[nist.Channel, _Channel] = {}
        for columns in ctm_rows.blocks(source):
            _distribute(columns, channels, vocabulary)
        names = nist.ids(channels)
        for channel, parts in channels.items():
            yield _transcript(names[channel], parts)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write a row a word, and a row a pause marker."""
        taken: dict[str, str] = {}
        for transcript in transcripts:
            front = nist.front(transcript.id)
            _check_front(front, transcript.id, taken)
            yield from _rendered(transcript, front)


def _is_time(start: str, length: str) -> bool:
    return all(re.fullmatch(r"\d+(\.\d*)?|\*", cell) for cell in (start, length))


def _distribute(
    columns: ctm_rows.Columns, channels: dict[nist.Channel, _Channel], vocabulary: dict[str, str]
) -> None:
    """Give the rows of a block to their channels; equal words become one object."""
    recordings, names, start, length, words, *more = columns
    if not len(words):
        return
    confidence = more[0] if more else np.full(len(words), np.nan)
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
    start: Floats = np.concatenate(parts.start).round(6)
    end: Floats = (start + np.concatenate(parts.length)).round(6)
    confidence = np.concatenate(parts.confidence)
    pieces = _pieces(set(surface))
    pause: list[str] = []
    if not pieces.keys().isdisjoint(PAUSES) or not all(p.word for p in pieces.values()):
        rows, opening, mark, pause = _gathered(surface, pieces)
        kept = np.array(rows, dtype=np.int64)
        start, end, confidence = start[kept], end[kept], confidence[kept]
        surface, speakers = [surface[i] for i in rows], [speakers[i] for i in rows]
    elif any(p.opening or p.mark for p in pieces.values()):
        opening = [pieces[w].opening for w in surface]
        mark = [pieces[w].mark for w in surface]
    else:
        opening = mark = []
    return Transcript(
        words=tuple(pieces[w].word for w in surface),
        id=id,
        start=start,
        end=end,
        confidence=confidence if np.isfinite(confidence).any() else None,
        speaker=tuple(speakers) if any(speakers) else None,
        opening=tuple(opening) if any(opening) or any(mark) else None,
        mark=tuple(mark) if any(opening) or any(mark) else None,
        pause=tuple(pause) if any(pause) else None,
    )


def _pieces(surfaces: set[str]) -> dict[str, Pieces]:
    """Take punctuation off all words; where there is nothing else, it is what was said."""
    pieces = {
        word: Pieces("", word, "") if EVENT.fullmatch(word) else split_marks(word)
        for word in surfaces
    }
    if any(pieces[word].word for word in surfaces - PAUSES):
        return pieces
    return {word: Pieces("", word, "") for word in surfaces}


def _gathered(
    surface: list[str], pieces: dict[str, Pieces]
) -> tuple[list[int], list[str], list[str], list[str]]:
    """Give the rows that are words, and before, after and between them the others.

    These are the openings, the marks and the pause markers of the words.
    """
    rows: list[int] = []
    opening: list[str] = []
    mark: list[str] = []
    pause: list[str] = []
    waiting = ""
    for i, written in enumerate(surface):
        before, word, after = pieces[written]
        if written in PAUSES:
            pause[-1:] = [written] if pause else []
        elif word:
            rows.append(i)
            opening.append(waiting + before)
            mark.append(after)
            pause.append("")
            waiting = ""
        elif mark and not is_opening(written):
            mark[-1] += written
        else:
            waiting += written
    if waiting:
        mark[-1] += waiting
    return rows, opening, mark, pause


def _check_front(front: str, id: str, taken: dict[str, str]) -> None:
    """Refuse recordings that would be read as a comment or as part of another one."""
    if front.startswith(";;"):
        raise OutputError(
            f"the id {id!r} would make each row of a CTM a comment",
            remedy="give the recording an id that does not begin with ;;",
        )
    if front in taken:
        raise OutputError(
            f"the recordings {taken[front]!r} and {id!r} would be one in a CTM: {front!r}",
            remedy="write into a folder, or give one of them another id",
        )
    taken[front] = id


def _rendered(transcript: Transcript, front: str) -> Iterator[str]:
    starts, ends = (column.tolist() for column in filled_times(transcript, "ctm"))
    unknown = [np.nan] * len(transcript)
    confidences = unknown if transcript.confidence is None else transcript.confidence.tolist()
    pauses = transcript.pause or ("",) * len(transcript)
    speakers = transcript.speaker or ("",) * len(transcript)
    lasts = {span.first: span.last for span in transcript.multiwords or ()}
    surfaces = transcript.surface()
    i = 0
    while i < len(surfaces):
        last = lasts.get(i, i)
        start, end, confidence = starts[i], max(ends[i : last + 1]), confidences[i]
        tail = "" if confidence != confidence else f" {confidence!r}"
        if nist.field(speakers[i]):
            tail = f"{tail or ' NA'} lex {nist.field(speakers[i])}"
        yield f"{front} {decimal(start)} {decimal(end - start)} {_field(surfaces[i])}{tail}\n"
        if pauses[last]:
            after = starts[last + 1] if last + 1 < len(starts) else end
            marker = pauses[last] if pauses[last] in PAUSES else "<sil>"
            yield f"{front} {decimal(end)} {decimal(max(after - end, 0))} {marker}\n"
        i = last + 1


def _field(surface: str) -> str:
    r"""Make one field; a semicolon, which would begin a tag, is escaped."""
    field = nist.field(surface)
    if not field or field in PAUSES or field in ctm_rows.ALTERNATIVES:
        means = "stands for something else" if field else "cannot be"
        raise OutputError(
            f"a word is {surface.strip()!r}, which {means} in a CTM",
            remedy="take such words out, or choose another format",
        )
    return field.replace(";", "\\;")
