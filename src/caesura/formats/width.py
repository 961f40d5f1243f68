"""What characters take up on a line, and where their script lets a line end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.text.marks import END_MARKS
from caesura.transcript import Indices

END, PAUSE, CLOSING, OPENING, SPACELESS = 1, 2, 4, 8, 16
"""Kinds of characters; one may be of several."""

_PAUSES = frozenset(",;:、，；：،؛…—–―·・")
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, kana and Chinese characters: written without blanks."""


def width(char: str) -> int:
    """Columns of one character: East Asian wide ones take two, combining marks none."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def kind(char: str) -> int:
    """Tell what a character means for a break after or before it."""
    category = unicodedata.category(char)
    return (
        END * (char in END_MARKS)
        | PAUSE * (char in _PAUSES)
        | CLOSING * (category in ("Pe", "Pf", "Po") or char in "\"'")
        | OPENING * (category in ("Ps", "Pi"))
        | SPACELESS * (_SPACELESS.match(char) is not None)
    )


def spaceless(char: str) -> bool:
    """Whether a character's script, or CJK punctuation, is written without blanks."""
    return _SPACELESS.match(char) is not None or char in "、。！？，「」『』"


def codes(text: str) -> NDArray[Any]:
    """Code points of a text."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def looked_up(text: str, of: Callable[[str], int]) -> NDArray[np.uint8]:
    """Make a table of a small property over the code points that a text has."""
    chars = set(text)
    table = np.zeros(ord(max(chars, default="\0")) + 1, np.uint8)
    for char in chars:
        table[ord(char)] = of(char)
    return table


def columns(text: str) -> Indices | None:
    """Columns before each character and at the end; None if every character takes one."""
    if text.isascii():
        return None
    places = np.zeros(len(text) + 1, np.int64)
    np.cumsum(looked_up(text, width)[codes(text)], out=places[1:])
    return places


def cuts(word: str, room: int) -> list[int]:
    """Where to cut a word wider than `room`: wherever its script allows, else when it is full."""
    found, used, before = [], 0, ""
    for at, char in enumerate(word):
        size = width(char)
        if size and used and (used + size > room or _parts(before, char)):
            found.append(at)
            used = 0
        used += size
        before = char
    return found


def _parts(before: str, after: str) -> bool:
    """Whether a line may end between two characters that no blank parts."""
    return bool(allowed(np.array(kind(before)), np.array(kind(after))))


def allowed(before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether a line may end between characters of these kinds that no blank parts."""
    free = ((before | after) & SPACELESS) != 0
    result: NDArray[np.bool_] = free & ((before & OPENING) == 0) & ((after & CLOSING) == 0)
    return result
