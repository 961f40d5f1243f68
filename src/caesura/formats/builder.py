"""Build a transcript of what a file holds.

`Rows` takes words one by one. `transcript_of_segments` takes segments as recognisers write them,
with timed words, where blanks and punctuation may be in the words or only in the text of the
segment. `SentenceSpans` finds the words of sentences that a file gives as spans of time.
"""

from __future__ import annotations

import logging
import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import MISSING
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.text.punctuation import (
    has_script_without_blanks,
    is_opening,
    is_without_blanks,
    split_marks,
    split_words,
    written_together,
)

logger = logging.getLogger("caesura")

STAMP = re.compile(r"(?=.*:)[\d:.–-]+(?:\].*)?|[–-]")
"""A time inside a note of the transcriber: `[inaudible 00:00:04]`, `[laughter 1:02-1:04].`"""


class Rows:
    """The words of a transcript so far, with their columns (layers).

    A column exists from its first known cell on.
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self.columns: dict[str, list[Any]] = {}
        self.entities: list[Span] | None = None
        self.multiwords: list[Span] | None = None
        self.alternatives: list[Span] | None = None
        self.ends: list[int] | None = None
        self.labels: dict[int, str] = {}
        self._opening = ""
        self._turn = 0

    def __len__(self) -> int:
        return len(self.words)

    def add(self, word: str, **cells: Any) -> None:
        """Add a word as it is; cells are its values in columns (None or NaN: unknown)."""
        count = len(self.words)
        for name, cell in cells.items():
            if cell is None or cell != cell:
                continue
            column = self.columns.get(name)
            if column is None:
                column = self.columns[name] = [MISSING[name]] * count
            elif len(column) < count:
                column.extend([MISSING[name]] * (count - len(column)))
            column.append(cell)
        self.words.append(word)

    def token(self, surface: str, **cells: Any) -> None:
        """Add a written word; its punctuation goes into the layers `opening` and `mark`.

        Punctuation without a word goes to the word before it, or to the next word if it opens
        something.
        """
        opening, word, mark = split_marks(surface)
        if word:
            opening = self._opening + opening
            self._opening = ""
            self.add(word, **{"opening": opening or None, "mark": mark or None, **cells})
        elif surface:
            self.punctuation(surface, blank=cells.get("blank", True))

    def phrase(
        self, surface: str, start: float = math.nan, end: float = math.nan, **cells: Any
    ) -> None:
        """Add what a file has as one word, and what may be several words with blanks between.

        The start belongs to the first word and the end to the last. Punctuation before the first
        word opens that word. The time in a note such as `[inaudible 00:00:04]` is no word but
        part of the mark.
        """
        first, noted = len(self.words), False
        pieces = surface.split()
        if any(split_marks(piece).word and not self._in_note(piece) for piece in pieces):
            self.turn()
        for piece in pieces:
            if self._in_note(piece):
                self.punctuation(piece)
                noted = True
            else:
                self.token(piece, **cells)
        last = len(self.words) - 1
        if last >= first and not math.isnan(start):
            self.set("start", first, start)
        if (last >= first or noted) and not math.isnan(end):
            self.set("end", last, end)

    def _in_note(self, piece: str) -> bool:
        """Whether a piece is the time in a note that began with the word before."""
        last = len(self.words) - 1
        if last < 0 or "[" not in self.cell("opening", last) or "]" in self.cell("mark", last):
            return False
        return STAMP.fullmatch(piece) is not None

    def turn(self) -> None:
        """Begin a turn: punctuation before its first word will open that word."""
        self._turn = len(self.words)

    def glue(self) -> None:
        """Remove the blank after what was added last."""
        if self._opening:
            self._opening = self._opening.removesuffix(" ")
        elif self.words:
            self.set("blank", len(self.words) - 1, False)

    def open(self, surface: str, blank: bool = False) -> None:
        """Add punctuation that opens the next word."""
        self._opening += surface + (" " if blank else "")

    def punctuation(self, surface: str, blank: bool = True) -> None:
        """Attach punctuation that is separated by blanks; the blank before it is kept."""
        if len(self.words) == self._turn or is_opening(surface):
            self.open(surface, blank)
            return
        before = " " if self.cell("blank", len(self.words) - 1) else ""
        self.attach(before + surface, blank)

    def attach(self, surface: str, blank: bool = True) -> None:
        """Attach punctuation to the last word, without a blank."""
        if not self.words:
            self.open(surface, blank)
            return
        last = len(self.words) - 1
        self.set("mark", last, self.cell("mark", last) + surface)
        self.set("blank", last, blank)

    def cell(self, name: str, at: int) -> Any:
        """Return the cell of a word."""
        column = self.columns.get(name, ())
        return column[at] if at < len(column) else MISSING[name]

    def set(self, name: str, at: int, cell: Any) -> None:
        """Change the cell of a word that was added before."""
        if self.cell(name, at) == cell:
            return
        column = self.columns.setdefault(name, [])
        column.extend([MISSING[name]] * (at + 1 - len(column)))
        column[at] = cell

    def end_sentence(self, label: str = "") -> None:
        """End a sentence after the last word, unless one ends there already."""
        if self.ends is None:
            self.ends = []
        last = len(self.words) - 1
        if last >= 0 and (not self.ends or self.ends[-1] != last):
            self.ends.append(last)
        if label and last >= 0:
            self.labels[last] = label

    def entity(self, first: int, last: int, label: str, key: str = "") -> None:
        """Add a named entity over words `first` to `last`."""
        self.entities = self.entities or []
        self.entities.append(Span(first, last, label, key))

    def multiword(self, first: int, last: int, surface: str) -> None:
        """Add that words `first` to `last` are written together as `surface`."""
        self.multiwords = self.multiwords or []
        self.multiwords.append(Span(first, last, surface))

    def alternative(self, first: int, last: int, label: str) -> None:
        """Add that `label` is an alternative transcription of words `first` to `last`."""
        self.alternatives = self.alternatives or []
        self.alternatives.append(Span(first, last, label))

    def transcript(self, id: str = "", language: str = "") -> Transcript:
        """Return the transcript."""
        count = len(self.words)
        if self._opening and count:
            mark = self.cell("mark", count - 1) + " " + self._opening.rstrip()
            self.set("mark", count - 1, mark)
        for name, column in self.columns.items():
            column.extend([MISSING[name]] * (count - len(column)))
        sentences = None
        if self.ends is not None:
            boundary = np.zeros(count, dtype=np.bool_)
            boundary[self.ends] = True
            label = tuple(self.labels.get(i, "") for i in range(count)) if self.labels else None
            sentences = Segmentation(boundary, label)
        return Transcript(
            words=tuple(self.words),
            id=id,
            language=language,
            entities=None if self.entities is None else tuple(self.entities),
            multiwords=None if self.multiwords is None else tuple(self.multiwords),
            alternatives=None if self.alternatives is None else tuple(self.alternatives),
            sentences=sentences,
            **{name: _immutable(column) for name, column in self.columns.items()},
        )


def _immutable(column: list[Any]) -> Any:
    """Return a tuple of strings; numbers become arrays in the transcript."""
    return tuple(column) if isinstance(column[0], str) else column


def piece_ends(surfaces: Sequence[str], pieces: Iterable[str]) -> list[bool] | None:
    """Return for each word whether a piece of the running text ends with it, blanks aside.

    Return None if the text is not made of these words.
    """
    bare = ["".join(surface.split()) for surface in surfaces]
    bare_pieces = ["".join(piece.split()) for piece in pieces]
    if "".join(bare) != "".join(bare_pieces):
        return None
    ends = set(accumulate(map(len, bare_pieces)))
    return [end in ends for end in accumulate(len(word) for word in bare)]


# Segments of text with timed words


class TimedText(NamedTuple):
    """A text with times, usually a word; white space at its edges is a blank between words."""

    text: str
    start: float = math.nan
    end: float = math.nan
    confidence: float = math.nan
    speaker: str = ""


class Segment(NamedTuple):
    """A segment as a recogniser wrote it: its text and, if they are timed, its words."""

    text: str
    words: Sequence[TimedText] = ()
    start: float = math.nan
    end: float = math.nan
    speaker: str = ""


def transcript_of_segments(
    segments: Iterable[Segment], where: str, id: str, language: str = ""
) -> Transcript:
    """Return the transcript of a recogniser's segments; `where` is the file, for warnings."""
    segments = list(segments)
    characters = is_without_blanks(" ".join(segment.text for segment in segments))
    marked = any(word.text[:1].isspace() for segment in segments for word in segment.words[1:])
    parts: list[list[TimedText]] = []
    different = 0
    for segment in segments:
        words = [word for word in segment.words if word.text]
        if any(word.text.strip() for word in words):
            aligned = align_words(segment.text, words)
            different += aligned is None and bool(segment.text.strip())
            words = aligned or (words if marked else _with_blanks(words))
            parts.append([part for word in words for part in _split_timed(word, characters=False)])
        else:
            whole = TimedText(segment.text, segment.start, segment.end, speaker=segment.speaker)
            parts.append(_split_timed(whole, characters))
    if different:
        logger.warning(
            "%s: in %d of %d segments the words differ from the text; the words are used",
            where,
            different,
            len(segments),
        )
    rows = Rows()
    _add_words(rows, _joined_segments([part for part in parts if part]))
    return rows.transcript(id, language)


def align_words(text: str, words: Sequence[TimedText]) -> list[TimedText] | None:
    """Return each word with its part of the text, with punctuation and blanks.

    Words may lack the punctuation of the text. Return None if the text has other words.
    """
    for ignored in ("PZC", "PZCS"):
        at = [i for i, char in enumerate(text) if not _has_category(char, ignored)]
        spelt = [
            "".join(char for char in word.text if not _has_category(char, ignored))
            for word in words
        ]
        if at and "".join(spelt) == "".join(text[i] for i in at):
            kept = [(word, len(core)) for word, core in zip(words, spelt, strict=True) if core]
            return _cut_text(text, at, kept)
    return None


def _has_category(char: str, categories: str) -> bool:
    return unicodedata.category(char)[0] in categories


def _cut_text(text: str, at: list[int], words: list[tuple[TimedText, int]]) -> list[TimedText]:
    """Cut the text between words; `at` are the places of the characters that the words have."""
    cuts, done = [0], 0
    for (before, length), (after, _) in pairwise(words):
        done += length
        left, right = at[done - 1] + 1, at[done]
        cuts.append(
            left + _length_of_first(text[left:right], before.text.rstrip(), after.text.lstrip())
        )
    cuts.append(len(text))
    return [
        word._replace(text=text[first:stop])
        for (word, _), (first, stop) in zip(words, pairwise(cuts), strict=True)
    ]


def _length_of_first(between: str, before: str, after: str) -> int:
    """Return how many characters between two words belong to the first of them.

    A word keeps the punctuation that it has itself; brackets and hyphens go to the word they open.
    """
    for i, char in enumerate(between):
        if char.isspace():
            return i
    size = len(between)
    kept = next((stop for stop in range(size, 0, -1) if before.endswith(between[:stop])), 0)
    stop = next((i for i in range(kept, size) if after.startswith(between[i:])), size)
    while stop > kept and (between[stop - 1] == "-" or is_opening(between[stop - 1])):
        stop -= 1
    return stop


def _with_blanks(words: list[TimedText]) -> list[TimedText]:
    """Add blanks between words, unless their script has none."""
    spaced = words[:1]
    for before, word in pairwise(words):
        close = written_together(before.text, word.text)
        spaced.append(word if close else word._replace(text=" " + word.text))
    return spaced


def _split_timed(whole: TimedText, characters: bool) -> list[TimedText]:
    """Split a text into words: the first gets its start, the last its end."""
    texts = split_words(whole.text, characters)
    if len(texts) < 2:
        return [whole] if whole.text else []
    if whole.text[-1].isspace():
        texts[-1] += " "
    spoken = [i for i, text in enumerate(texts) if split_marks(text.strip()).word] or [0]
    return [
        whole._replace(
            text=text,
            start=whole.start if i == spoken[0] else math.nan,
            end=whole.end if i == spoken[-1] else math.nan,
        )
        for i, text in enumerate(texts)
    ]


def _joined_segments(parts: list[list[TimedText]]) -> Iterator[TimedText]:
    """Yield the words of all segments, with blanks between segments where they are missing.

    If segments begin with blanks, one that begins without a blank may continue a word.
    """
    marked = any(part[0].text[:1].isspace() for part in parts[1:])
    before = " "
    for first, *rest in parts:
        text = first.text
        apart = text[:1].isspace() or before[-1:].isspace()
        if (
            not apart
            and not written_together(before, text)
            and not (marked and _continues_word(before, text))
        ):
            text = " " + text
        yield first._replace(text=text)
        yield from rest
        before = rest[-1].text if rest else text


def _continues_word(before: str, after: str) -> bool:
    return before[-1].isalnum() and (after[0].islower() or after[0] in ",.;:?!%'’")


def _add_words(rows: Rows, words: Iterable[TimedText]) -> None:
    """Add words to the rows; white space at their edges becomes the layer `blank`."""
    written = [word for word in words if word.text]
    for word, after in pairwise([*written, TimedText(" ")]):
        blank = word.text[-1].isspace() or after.text[0].isspace()
        cells = {"start": word.start, "end": word.end, "confidence": word.confidence}
        rows.token(
            word.text.strip(),
            speaker=word.speaker or None,
            **{name: None if math.isnan(cell) else cell for name, cell in cells.items()},
            **({} if blank else {"blank": False}),
        )


_BYTES = re.compile("[\udc80-\udcff]+")
_SPECIAL = re.compile(r"\s*(\[_.*\]|<\|.*\|>|\[SPEAKER_TURN\])\s*")


def is_special(text: str) -> bool:
    """Whether a token is no text but a marker, such as `[_BEG_]` or `[_TT_50]`."""
    return bool(_SPECIAL.fullmatch(text))


def mend_characters(text: str) -> str:
    """Put characters together again whose bytes are in different tokens."""
    return _BYTES.sub(
        lambda run: bytes(ord(char) - 0xDC00 for char in run[0]).decode("utf-8", "replace"), text
    )


def merge_pieces(pieces: Iterable[TimedText]) -> list[TimedText]:
    """Put the pieces of each word together.

    The end is that of the last piece with letters or digits, because a punctuation mark lasts
    into the pause. The confidence is the mean over the pieces with letters or digits.
    """
    words: list[list[TimedText]] = []
    for piece in pieces:
        if is_special(piece.text) or not piece.text:
            continue
        if words and not _begins_word(words[-1][-1].text, piece.text):
            words[-1].append(piece)
        else:
            words.append([piece])
    return [_joined_word(word) for word in words]


def _begins_word(before: str, text: str) -> bool:
    """Whether a piece begins a new word; in scripts without blanks every piece does."""
    if text[0].isspace() or before[-1].isspace():
        return True
    if _BYTES.match(text[0]) and _BYTES.match(before[-1]):
        return False
    return has_script_without_blanks(mend_characters(text[0]) + mend_characters(before[-1]))


def _joined_word(pieces: list[TimedText]) -> TimedText:
    spoken = [piece for piece in pieces if _has_letters(piece.text)] or pieces
    known = [piece.confidence for piece in spoken if not math.isnan(piece.confidence)]
    return TimedText(
        mend_characters("".join(piece.text for piece in pieces)),
        next((piece.start for piece in spoken if not math.isnan(piece.start)), math.nan),
        next((piece.end for piece in reversed(spoken) if not math.isnan(piece.end)), math.nan),
        round(math.fsum(known) / len(known), 6) if known else math.nan,
        pieces[0].speaker,
    )


def _has_letters(text: str) -> bool:
    return any(char.isalnum() or "\udc80" <= char <= "\udcff" for char in text)


# Sentences that are given as spans of time

FileOrder = tuple[float, ...]
"""Where something stands in its file: orders what happens at the same time."""


class SentenceSpan(NamedTuple):
    """The time in which a speaker ('' is any speaker) says a sentence.

    `label` is the class of the sentence's end.
    """

    start: float
    end: float
    order: FileOrder
    speaker: str = ""
    label: str = ""


class SentenceSpans:
    """The sentences of a recording, to find the one that a word belongs to."""

    def __init__(self, spans: Iterable[SentenceSpan], slack: float = 0.0) -> None:
        """Take the sentences; words may lie outside theirs by `slack` seconds."""
        self.slack = slack
        self.spans: dict[str, list[SentenceSpan]] = {}
        for span in sorted(span for span in spans if span.end >= span.start):
            self.spans.setdefault(span.speaker, []).append(span)
        self.starts = {who: [span.start for span in found] for who, found in self.spans.items()}
        self.latest = {
            who: list(accumulate((span.end for span in found), max))
            for who, found in self.spans.items()
        }

    def find(self, time: float, order: FileOrder, speaker: str) -> SentenceSpan | None:
        """Return the sentence of a word, given the middle of the word's time and its speaker.

        Where sentences overlap, it is the last one that begins before the word.
        """
        if math.isnan(time):
            return None
        around = [span for who in dict.fromkeys((speaker, "")) for span in self._around(who, time)]
        before = [span for span in around if span.order <= order]
        return max(before or around, key=lambda span: span.order, default=None)

    def _around(self, speaker: str, time: float) -> Iterator[SentenceSpan]:
        spans, latest = self.spans.get(speaker, []), self.latest.get(speaker, [])
        at = bisect_right(self.starts.get(speaker, []), time + self.slack) - 1
        while at >= 0 and latest[at] >= time - self.slack:
            if spans[at].end >= time - self.slack:
                yield spans[at]
            at -= 1


def end_sentences(rows: Rows, owners: Sequence[object], labels: Sequence[str]) -> None:
    """End a sentence after the last word of each; `owners` has the sentence of each word.

    Words that are in no sentence have None, and end nothing.
    """
    lasts = {owner: at for at, owner in enumerate(owners) if owner is not None}
    if lasts:
        rows.ends = sorted(lasts.values())
        rows.labels = {at: labels[at] for at in rows.ends if labels[at]}
