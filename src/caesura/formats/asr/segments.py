"""Segments of text with timed words, as recognisers write them, turned into a transcript.

Blanks and punctuation may be in the words, or only in the text of the segment.
"""

from __future__ import annotations

import logging
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from caesura.core.transcript import Transcript
from caesura.formats.builder import Rows
from caesura.text.punctuation import (
    has_script_without_blanks,
    is_opening,
    is_without_blanks,
    split_marks,
    split_words,
    written_together,
)

logger = logging.getLogger("caesura")


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
            parts.append([part for word in words for part in _split_words(word, characters=False)])
        else:
            whole = TimedText(segment.text, segment.start, segment.end, speaker=segment.speaker)
            parts.append(_split_words(whole, characters))
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


def _split_words(whole: TimedText, characters: bool) -> list[TimedText]:
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
