"""What recognisers write about words: pieces of text with times, blanks marked or left out."""

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
from caesura.text.punctuation import is_opening, split_marks
from caesura.text.word_splitting import (
    has_script_without_blanks,
    is_without_blanks,
    split_words,
    written_together,
)

_BYTES = re.compile("[\udc80-\udcff]+")
_SPECIAL = re.compile(r"\s*(\[_.*\]|<\|.*\|>|\[SPEAKER_TURN\])\s*")


def is_special(text: str) -> bool:
    """Whether a token stands for something else than text, such as `[_BEG_]` or `[_TT_50]`."""
    return bool(_SPECIAL.fullmatch(text))


def mended(text: str) -> str:
    """Put characters together again whose bytes were written apart."""
    return _BYTES.sub(
        lambda run: bytes(ord(char) - 0xDC00 for char in run[0]).decode("utf-8", "replace"), text
    )


def merged(pieces: Iterable[Spoken]) -> list[Spoken]:
    """Put the pieces of each word together.

    A word ends with its last piece that has letters or digits, because the piece of a mark
    lasts into the pause; its confidence is the mean over such pieces.
    """
    words: list[list[Spoken]] = []
    for piece in pieces:
        if is_special(piece.text) or not piece.text:
            continue
        if words and not _begins(words[-1][-1].text, piece.text):
            words[-1].append(piece)
        else:
            words.append([piece])
    return [_whole(word) for word in words]


def _begins(before: str, text: str) -> bool:
    """Whether a piece begins a new word; in scripts without blanks each does."""
    if text[0].isspace() or before[-1].isspace():
        return True
    if _BYTES.match(text[0]) and _BYTES.match(before[-1]):
        return False
    return has_script_without_blanks(mended(text[0]) + mended(before[-1]))


def _whole(pieces: list[Spoken]) -> Spoken:
    said = [piece for piece in pieces if _is_said(piece.text)] or pieces
    known = [piece.confidence for piece in said if not math.isnan(piece.confidence)]
    return Spoken(
        mended("".join(piece.text for piece in pieces)),
        next((piece.start for piece in said if not math.isnan(piece.start)), math.nan),
        next((piece.end for piece in reversed(said) if not math.isnan(piece.end)), math.nan),
        round(math.fsum(known) / len(known), 6) if known else math.nan,
        pieces[0].speaker,
    )


def _is_said(text: str) -> bool:
    return any(char.isalnum() or "\udc80" <= char <= "\udcff" for char in text)


logger = logging.getLogger("caesura")


class Spoken(NamedTuple):
    """A piece of text that was timed, a word as a rule; white space at its edges is a blank."""

    text: str
    start: float = math.nan
    end: float = math.nan
    confidence: float = math.nan
    speaker: str = ""


class Segment(NamedTuple):
    """A stretch of speech as a recogniser wrote it: its text and, when timed, its words."""

    text: str
    words: Sequence[Spoken] = ()
    start: float = math.nan
    end: float = math.nan
    speaker: str = ""


def of_segments(segments: Iterable[Segment], where: str, id: str, language: str = "") -> Transcript:
    """Make a transcript of a recogniser's segments; `where` names the file in warnings."""
    segments = list(segments)
    characters = is_without_blanks(" ".join(segment.text for segment in segments))
    marked = any(word.text[:1].isspace() for segment in segments for word in segment.words[1:])
    parts: list[list[Spoken]] = []
    strange = 0
    for segment in segments:
        words = [word for word in segment.words if word.text]
        if any(word.text.strip() for word in words):
            found = aligned(segment.text, words)
            strange += found is None and bool(segment.text.strip())
            words = found or (words if marked else _apart(words))
            parts.append([part for word in words for part in _spread(word, characters=False)])
        else:
            whole = Spoken(segment.text, segment.start, segment.end, speaker=segment.speaker)
            parts.append(_spread(whole, characters))
    if strange:
        logger.warning(
            "%s: in %d of %d segments the words are not those of the text; the words are kept",
            where,
            strange,
            len(segments),
        )
    rows = Rows()
    _fill(rows, _continued([part for part in parts if part]))
    return rows.transcript(id, language)


def aligned(text: str, words: Sequence[Spoken]) -> list[Spoken] | None:
    """Give each word the part of the text it stands for, with marks and blanks.

    Words may lack the punctuation of the text. None if they are not the words of the text.
    """
    for ignored in ("PZC", "PZCS"):
        at = [i for i, char in enumerate(text) if not _is(char, ignored)]
        spelt = ["".join(char for char in word.text if not _is(char, ignored)) for word in words]
        if at and "".join(spelt) == "".join(text[i] for i in at):
            kept = [(word, len(core)) for word, core in zip(words, spelt, strict=True) if core]
            return _cut(text, at, kept)
    return None


def _is(char: str, kinds: str) -> bool:
    return unicodedata.category(char)[0] in kinds


def _cut(text: str, at: list[int], words: list[tuple[Spoken, int]]) -> list[Spoken]:
    """Cut the text between words; what `at` leaves out lies between or inside them."""
    cuts, done = [0], 0
    for (before, length), (after, _) in pairwise(words):
        done += length
        left, right = at[done - 1] + 1, at[done]
        cuts.append(left + _edge(text[left:right], before.text.rstrip(), after.text.lstrip()))
    cuts.append(len(text))
    return [
        word._replace(text=text[first:stop])
        for (word, _), (first, stop) in zip(words, pairwise(cuts), strict=True)
    ]


def _edge(between: str, before: str, after: str) -> int:
    """Tell how much of the text between two words belongs to the first of them.

    What the words have themselves is theirs; brackets and hyphens go with what they lead to.
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


def _apart(words: list[Spoken]) -> list[Spoken]:
    """Assume blanks between words where no file and no script says otherwise."""
    spaced = words[:1]
    for before, word in pairwise(words):
        close = written_together(before.text, word.text)
        spaced.append(word if close else word._replace(text=" " + word.text))
    return spaced


def _spread(whole: Spoken, characters: bool) -> list[Spoken]:
    """Cut a piece into written words: the first gets its start, the last its end."""
    texts = split_words(whole.text, characters)
    if len(texts) < 2:
        return [whole] if whole.text else []
    if whole.text[-1].isspace():
        texts[-1] += " "
    said = [i for i, text in enumerate(texts) if split_marks(text.strip()).word] or [0]
    return [
        whole._replace(
            text=text,
            start=whole.start if i == said[0] else math.nan,
            end=whole.end if i == said[-1] else math.nan,
        )
        for i, text in enumerate(texts)
    ]


def _continued(parts: list[list[Spoken]]) -> Iterator[Spoken]:
    """Put segments one after another with a blank between them, if that is how they are written.

    Where segments begin with a blank, one that begins without it in mid-word goes on with it.
    """
    marked = any(part[0].text[:1].isspace() for part in parts[1:])
    before = " "
    for first, *rest in parts:
        text = first.text
        apart = text[:1].isspace() or before[-1:].isspace()
        if (
            not apart
            and not written_together(before, text)
            and not (marked and _goes_on(before, text))
        ):
            text = " " + text
        yield first._replace(text=text)
        yield from rest
        before = rest[-1].text if rest else text


def _goes_on(before: str, after: str) -> bool:
    return before[-1].isalnum() and (after[0].islower() or after[0] in ",.;:?!%'’")


def _fill(rows: Rows, words: Iterable[Spoken]) -> None:
    """Add words to rows; blanks are where white space stands at their edges."""
    written = [word for word in words if word.text]
    for word, after in pairwise([*written, Spoken(" ")]):
        blank = word.text[-1].isspace() or after.text[0].isspace()
        cells = {"start": word.start, "end": word.end, "confidence": word.confidence}
        rows.token(
            word.text.strip(),
            speaker=word.speaker or None,
            **{name: None if math.isnan(cell) else cell for name, cell in cells.items()},
            **({} if blank else {"blank": False}),
        )
