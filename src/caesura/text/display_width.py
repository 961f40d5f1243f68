"""Character properties for laying out lines: display width, and where a line may break."""

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
"""Kinds of characters, as bits: one character may be of several kinds."""

_PAUSES = frozenset(",;:、，；：،؛…—–―·・")
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3001-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff01-\uff9f\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, kana and Chinese characters and their marks: all without blanks."""


@lru_cache(1 << 12)
def char_width(char: str) -> int:
    """Return the columns of one character: 2 for East Asian wide ones, 0 for combining marks."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


@lru_cache(1 << 12)
def char_kind(char: str) -> int:
    """Return the kinds of a character that decide on a line break after or before it."""
    category = unicodedata.category(char)
    return (
        END * (char in END_MARKS)
        | DOT * (char == ".")
        | PAUSE * (char in _PAUSES)
        | CLOSING * (category in ("Pe", "Pf", "Po") or char in "\"'")
        | OPENING * (category in ("Ps", "Pi"))
        | SPACELESS * (_SPACELESS.match(char) is not None)
    )


def is_spaceless(char: str) -> bool:
    """Whether a character's script is written without blanks."""
    return char_kind(char) & SPACELESS != 0


def code_points(text: str) -> NDArray[Any]:
    """Return the code points of a text; one byte each if all of them are ASCII."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def lookup_table(codes: NDArray[Any], property: Callable[[str], int]) -> NDArray[np.uint8]:
    """Return a table, indexed by code point, of a small property of the code points that occur."""
    occurs = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    occurs[codes] = True
    table = np.zeros(len(occurs), np.uint8)
    for code in np.flatnonzero(occurs).tolist():
        table[code] = property(chr(code))
    return table


def column_offsets(codes: NDArray[Any]) -> Indices | None:
    """Return the columns before each character and at the end; None if each takes one."""
    if codes.dtype == np.uint8:
        return None
    offsets = np.zeros(len(codes) + 1, np.int64)
    np.cumsum(lookup_table(codes, char_width)[codes], out=offsets[1:])
    return offsets


def cut_places(word: str, width: int) -> list[int]:
    """Return where to cut a word wider than `width`: where its script allows, else when full."""
    found, used, before = [], 0, ""
    for at, char in enumerate(word):
        size = char_width(char)
        full = used + size > width
        if size and used and (full or may_break_between(char_kind(before), char_kind(char))):
            found.append(at)
            used = 0
        used += size
        before = char
    return found


def may_break_between(before: Any, after: Any) -> Any:
    """Whether a line may end between two characters without a blank, given their kinds.

    The kinds may be single numbers or arrays.
    """
    free = ((before | after) & SPACELESS) != 0
    return free & ((before & OPENING) == 0) & ((after & CLOSING) == 0)
