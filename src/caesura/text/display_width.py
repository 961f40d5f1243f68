"""What characters take up on a line, and where their script lets a line end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.text.punctuation import END_MARKS

END, PAUSE, CLOSING, OPENING, SPACELESS, DOT = 1, 2, 4, 8, 16, 32
"""Kinds of characters; one may be of several."""

_PAUSES = frozenset(",;:、，；：،؛…—–―·・")
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3001-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff01-\uff9f\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, kana and Chinese characters and their marks: all without blanks."""


@lru_cache(1 << 12)
def width(char: str) -> int:
    """Columns of one character: East Asian wide ones take two, combining marks none."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


@lru_cache(1 << 12)
def kind(char: str) -> int:
    """Tell what a character means for a break after or before it."""
    category = unicodedata.category(char)
    return (
        END * (char in END_MARKS)
        | DOT * (char == ".")
        | PAUSE * (char in _PAUSES)
        | CLOSING * (category in ("Pe", "Pf", "Po") or char in "\"'")
        | OPENING * (category in ("Ps", "Pi"))
        | SPACELESS * (_SPACELESS.match(char) is not None)
    )


def spaceless(char: str) -> bool:
    """Whether a character's script is written without blanks."""
    return kind(char) & SPACELESS != 0


def codes(text: str) -> NDArray[Any]:
    """Code points of a text; one byte each if all of them are ASCII."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def table(codes: NDArray[Any], of: Callable[[str], int]) -> NDArray[np.uint8]:
    """Make a table of a small property for the code points that occur."""
    seen = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    seen[codes] = True
    found = np.zeros(len(seen), np.uint8)
    for code in np.flatnonzero(seen).tolist():
        found[code] = of(chr(code))
    return found


def columns(codes: NDArray[Any]) -> Indices | None:
    """Columns before each character and at the end; None if every character takes one."""
    if codes.dtype == np.uint8:
        return None
    places = np.zeros(len(codes) + 1, np.int64)
    np.cumsum(table(codes, width)[codes], out=places[1:])
    return places


def cuts(word: str, room: int) -> list[int]:
    """Where to cut a word wider than `room`: wherever its script allows, else when it is full."""
    found, used, before = [], 0, ""
    for at, char in enumerate(word):
        size = width(char)
        if size and used and (used + size > room or allowed(kind(before), kind(char))):
            found.append(at)
            used = 0
        used += size
        before = char
    return found


def allowed(before: Any, after: Any) -> Any:
    """Whether a line may end between characters, or arrays of such, that no blank parts."""
    free = ((before | after) & SPACELESS) != 0
    return free & ((before & OPENING) == 0) & ((after & CLOSING) == 0)
