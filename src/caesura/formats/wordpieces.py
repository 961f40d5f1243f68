"""Word pieces of Whisper's tokeniser: a piece that begins with a blank begins a word."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from caesura.formats.spoken import Spoken
from caesura.text.tokens import has_joined

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
    return has_joined(mended(text[0]) + mended(before[-1]))


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
