"""CTM (NIST, Kaldi, Rev): one word a line with start, duration and perhaps confidence."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np

from caesura.core.arrays import Floats
from caesura.core.errors import OutputError
from caesura.core.transcript import Transcript
from caesura.formats.base import LATEST, Source, TextFormat, counted, share
from caesura.formats.nist import nist_fields
from caesura.formats.time_interpolation import decimal, filled_times
from caesura.text.punctuation import WordParts, is_opening, split_marks

logger = logging.getLogger("caesura")

BLOCK = 1 << 20
"""Characters parsed at a time, so that the fields of a long file are never all in memory."""

Columns = list[Any]
"""Recording, channel, start, duration, word and, when known, confidence and speaker."""

ALTERNATIVES = frozenset({"<ALT_BEGIN>", "<ALT>", "<ALT_END>"})
"""Rows that mark which words are alternatives for the same time."""


def _read_columns(source: Source) -> Iterator[Columns]:
    """Read block by block; a block that is not regular is read line by line."""
    alternatives = _Alternatives()
    for line, block in _blocks(source):
        columns = None if alternatives.inside else _regular_columns(block)
        yield columns or _irregular_columns(block, line, source, alternatives)
    alternatives.close(source)


def _blocks(source: Source) -> Iterator[tuple[int, str]]:
    """Yield blocks of whole lines with the number of their first line."""
    text, at, line = source.text, 0, 1
    while at < len(text):
        stop = text.find("\n", at + BLOCK)
        stop = len(text) if stop < 0 else stop + 1
        block = text[at:stop]
        yield line, block
        line += block.count("\n")
        at = stop


def _regular_columns(block: str) -> Columns | None:
    """Return the columns of a block whose lines all have the same valid fields, else None."""
    if any(odd in block for odd in (";", "*", "\\", "<ALT")):
        return None
    widths = set(map(len, map(str.split, block.removesuffix("\n").split("\n"))))
    width = widths.pop()
    if widths or width not in (5, 6, 8):
        return None
    fields = block.split()
    try:
        numbers = [
            np.fromiter(map(float, fields[i::width]), np.float64) for i in (2, 3, 5) if i < width
        ]
    except ValueError:
        return None
    if not all(((times >= 0) & (times <= LATEST)).all() for times in numbers[:2]):
        return None
    if width > 5:
        numbers[2][~((numbers[2] >= 0) & (numbers[2] <= 1))] = np.nan
    columns = [fields[0::width], fields[1::width], *numbers[:2], fields[4::width], *numbers[2:]]
    return [*columns, list(map(nist_fields.read_name, fields[7::width]))] if width == 8 else columns


class _Alternatives:
    """Follows `<ALT_BEGIN> a <ALT> b <ALT_END>`, of which only the first alternative is read."""

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
            number = counted(self.seen, "alternative", "alternatives")
            logger.warning("%s: %s: only the first one is read", source.name, number)


def _irregular_columns(
    block: str, line: int, source: Source, alternatives: _Alternatives
) -> Columns:
    """Return the columns of a block with comments, escapes, alternatives or uneven lines."""
    rows: list[tuple[str, str, float, float, str, float, str]] = []
    for number, text in enumerate(block.split("\n"), line):
        if not text.strip() or text.lstrip().startswith(";;"):
            continue
        fields = text.split()
        if len(fields) < 5:
            raise source.error(
                f"a row has {counted(len(fields), 'field', 'fields')} where recording, channel, "
                "start, duration and word are needed",
                number,
            )
        if alternatives.skips(fields[4]):
            continue
        start, length = (nist_fields.read_time(cell, number, source) for cell in fields[2:4])
        confidence = _confidence(fields[5], number, source) if len(fields) > 5 else np.nan
        speaker = nist_fields.read_name(fields[7]) if len(fields) > 7 else ""
        rows.append((fields[0], fields[1], start, length, _word(fields[4]), confidence, speaker))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 7
    for i in (2, 3, 5):
        columns[i] = np.array(columns[i], dtype=np.float64)  # type: ignore[call-overload]
    return columns


def _confidence(cell: str, line: int, source: Source) -> float:
    """Read a confidence; NaN for NA, -1 and anything else that is not between 0 and 1."""
    if cell.lower() in (*nist_fields.UNKNOWN, "na"):
        return np.nan
    try:
        float(cell)
    except ValueError as error:
        raise source.error(f"{cell!r} is not a confidence", line) from error
    return share(cell)


def _word(cell: str) -> str:
    r"""Remove a `;tag` from a word; `\;` is a semicolon that belongs to the word."""
    return re.sub(r"(?<!\\);.*$", "", cell).replace("\\;", ";") or cell


PAUSES = frozenset(
    "<s> </s> <sil> <silence> <pause> <pau> <p> <eps> <epsilon> sil SIL !SIL [SIL] <SIL> [sil] <S> "
    "</S> <p:> [pause] <blank>".split()
)
"""Rows of these mark a pause, not a word."""

EVENT = re.compile(r"\[[^\[\]]+\]|\(%[^()]+\)|<[^<>]+>")
"""A sound that is written like a word: `[noise]`, `(%hesitation)`, `<laugh>`."""


@dataclass
class _Channel:
    """The columns of one channel of a recording, in blocks."""

    surface: list[list[str]] = field(default_factory=list)
    start: list[Floats] = field(default_factory=list)
    length: list[Floats] = field(default_factory=list)
    confidence: list[Floats] = field(default_factory=list)
    speaker: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, repr=False)
class Ctm(TextFormat):
    """CTM (NIST, Kaldi): rows of recording, channel, start, duration, word and confidence.

    Pause markers become pauses.
    A row of punctuation alone is the mark of the word before it; a sound such as `[noise]` is one
    word. Of alternatives (`<ALT_BEGIN>`) the first is read. Words of one recording stay in the
    order of the file; several channels are several recordings, named `recording.channel`.
    """

    name = "ctm"
    may_be_empty = True
    suffixes = (".ctm",)
    carries = frozenset({"start", "end", "confidence", "speaker", "opening", "mark", "pause", "id"})
    holds = "many"

    @classmethod
    def recognises(cls, source: Source) -> bool:
        """Whether the first rows have a start and a duration in columns 3 and 4."""
        first = [text.split() for _, text in islice(nist_fields.content_lines(source), 5)]
        return bool(first) and all(5 <= len(row) <= 8 and _is_time(*row[2:4]) for row in first)

    def parse(self, source: Source) -> Iterator[Transcript]:
        """Read block by block, then make each channel a recording."""
        vocabulary: dict[str, str] = {}
        channels: dict[nist_fields.Channel, _Channel] = {}
        for columns in _read_columns(source):
            _add_to_channels(columns, channels, vocabulary)
        ids = nist_fields.recording_ids(channels)
        for channel, parts in channels.items():
            yield _transcript(ids[channel], parts)

    def render(self, transcripts: Iterable[Transcript]) -> Iterator[str]:
        """Write a row for each word and each pause marker."""
        used: dict[str, str] = {}
        for transcript in transcripts:
            fields = nist_fields.id_fields(transcript.id)
            _check_id(fields, transcript.id, used)
            yield from _rendered_rows(transcript, fields)


def _is_time(start: str, length: str) -> bool:
    return all(re.fullmatch(r"\d+(\.\d*)?|\*", cell) for cell in (start, length))


def _add_to_channels(
    columns: Columns, channels: dict[nist_fields.Channel, _Channel], vocabulary: dict[str, str]
) -> None:
    """Add the rows of a block to their channels; equal words become one object."""
    recordings, names, start, length, words, *more = columns
    if not len(words):
        return
    confidence = more[0] if more else np.full(len(words), np.nan)
    speakers = more[1] if len(more) > 1 else None
    surface = [vocabulary.setdefault(word, word) for word in words]
    for key, at in _rows_of_channels(recordings, names):
        parts = channels.setdefault(key, _Channel())
        whole = isinstance(at, slice)
        pick = (lambda c, at=at: c[at]) if whole else (lambda c, at=at: [c[i] for i in at])
        parts.surface.append(pick(surface))
        parts.start.append(start[at])
        parts.length.append(length[at])
        parts.confidence.append(confidence[at])
        parts.speaker.append(pick(speakers) if speakers else [""] * len(parts.surface[-1]))


def _rows_of_channels(recordings: Any, names: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield each channel of a block and the indices of its rows."""
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
        rows, opening, mark, pause = _attach_marks_and_pauses(surface, pieces)
        words = np.array(rows, dtype=np.int64)
        start, end, confidence = start[words], end[words], confidence[words]
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


def _pieces(surfaces: set[str]) -> dict[str, WordParts]:
    """Separate all words from their punctuation, unless the file has nothing but punctuation."""
    pieces = {
        word: WordParts("", word, "") if EVENT.fullmatch(word) else split_marks(word)
        for word in surfaces
    }
    if any(pieces[word].word for word in surfaces - PAUSES):
        return pieces
    return {word: WordParts("", word, "") for word in surfaces}


def _attach_marks_and_pauses(
    surface: list[str], pieces: dict[str, WordParts]
) -> tuple[list[int], list[str], list[str], list[str]]:
    """Return the rows that are words, with their openings, marks and pause markers.

    These stand in rows of their own before and after the words.
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


def _check_id(fields: str, id: str, used: dict[str, str]) -> None:
    """Refuse recordings that would be read as a comment or as part of another one."""
    if fields.startswith(";;"):
        raise OutputError(
            f"the id {id!r} would make each row of a CTM a comment",
            remedy="give the recording an id that does not begin with ;;",
        )
    if fields in used:
        raise OutputError(
            f"the recordings {used[fields]!r} and {id!r} would be one in a CTM: {fields!r}",
            remedy="write into a folder, or give one of them another id",
        )
    used[fields] = id


def _rendered_rows(transcript: Transcript, fields: str) -> Iterator[str]:
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
        if nist_fields.as_field(speakers[i]):
            tail = f"{tail or ' NA'} lex {nist_fields.as_field(speakers[i])}"
        yield f"{fields} {decimal(start)} {decimal(end - start)} {_word_field(surfaces[i])}{tail}\n"
        if pauses[last]:
            after = starts[last + 1] if last + 1 < len(starts) else end
            marker = pauses[last] if pauses[last] in PAUSES else "<sil>"
            yield f"{fields} {decimal(end)} {decimal(max(after - end, 0))} {marker}\n"
        i = last + 1


def _word_field(surface: str) -> str:
    r"""Make a field of a word; a semicolon, which would begin a tag, is escaped."""
    field = nist_fields.as_field(surface)
    if not field or field in PAUSES or field in ALTERNATIVES:
        means = "stands for something else" if field else "cannot be"
        raise OutputError(
            f"a word is {surface.strip()!r}, which {means} in a CTM",
            remedy="take such words out, or choose another format",
        )
    return field.replace(";", "\\;")
