"""A transcript as captions see it: pieces that are shown unbroken, and what breaks cost."""

from __future__ import annotations

from dataclasses import dataclass
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.formats import width
from caesura.formats.source import LATEST
from caesura.formats.times import filled_times
from caesura.transcript import Flags, Floats, Indices, Transcript

AFTER_END, AFTER_PAUSE, ANYWHERE, IN_WORD = 0.0, 0.05, 0.3, 2.0
"""Cost of a break after a final mark, after another mark, between words, and inside a word."""

LONG_PAUSE = 0.5
"""Seconds; where nothing is said for so long, a break does hardly any harm."""

LULL = 0.5
"""What each further second of silence, up to two, speaks for a break."""

_BLANKS = str.maketrans(
    dict.fromkeys((*range(32), *range(127, 161), 0x2028, 0x2029, 0xFFFE, 0xFFFF), " ")
)
"""Line ends and control characters, which captions cannot show."""


@dataclass
class Pieces:
    """Words, and parts of words that are wider than a line; gap i is the one after piece i."""

    text: str
    codes: NDArray[Any]
    """Code points of the text."""
    left: Indices
    """First character of each piece."""
    right: Indices
    """Where the piece ends, without the blank that follows."""
    begin: Indices
    finish: Indices
    """The same in columns."""
    start: Indices
    end: Indices
    """Milliseconds."""
    word: Indices
    """The word it belongs to."""

    def __len__(self) -> int:
        return len(self.left)

    def pauses(self) -> Indices:
        """Milliseconds of silence after each piece but the last."""
        silence: Indices = np.maximum(self.start[1:] - self.end[:-1], 0)
        return silence

    def reach(self, room: int) -> Indices:
        """For a line from each piece on, the first piece that has no room on it."""
        found = np.searchsorted(self.finish, self.begin + room, side="right")
        return np.maximum(found, np.arange(1, len(self) + 1))


def cut(transcript: Transcript, room: int, format: str) -> Pieces:
    """Make pieces no wider than `room`."""
    times = (np.clip(seconds, 0, LATEST) for seconds in filled_times(transcript, format))
    start, end = (np.rint(seconds * 1000).astype(np.int64) for seconds in times)
    surface = transcript.surface()
    length = np.fromiter(map(len, surface), np.int64, len(surface))
    text = "".join(surface)
    del surface
    if not text.isprintable():
        text = text.translate(_BLANKS)
    right = np.cumsum(length)
    left = right - length
    codes = width.codes(text)
    if len(text):
        right -= (length > 0) & (codes[right - 1] == ord(" "))
    places = width.columns(codes)
    pieces = Pieces(text, codes, left, right, left, right, start, end, np.arange(len(length)))
    if places is not None:
        pieces.begin, pieces.finish = places[left], places[right]
    wide = np.flatnonzero(pieces.finish - pieces.begin > room)
    return _parted(pieces, wide, room, places) if len(wide) else pieces


def _parted(pieces: Pieces, wide: Indices, room: int, places: Indices | None) -> Pieces:
    """Cut the words that are too wide; a part gets its share of the word's time."""
    text, left, right = pieces.text, pieces.left, pieces.right
    inner = {w: left[w] + width.cuts(text[left[w] : right[w]], room) for w in wide.tolist()}
    count = np.ones(len(pieces), np.int64)
    count[wide] += [len(inner[w]) for w in wide.tolist()]
    word = np.repeat(pieces.word, count)
    left, right = left[word], right[word]
    first = np.cumsum(count) - count
    for w in wide.tolist():
        at = np.arange(first[w] + 1, first[w] + count[w])
        left[at] = right[at - 1] = inner[w]
    begin, finish = (left, right) if places is None else (places[left], places[right])
    whole = np.maximum(pieces.finish - pieces.begin, 1)[word]
    lasts = (pieces.end - pieces.start)[word]
    start = pieces.start[word] + lasts * (begin - pieces.begin[word]) // whole
    end = pieces.start[word] + lasts * (finish - pieces.begin[word]) // whole
    return Pieces(text, pieces.codes, left, right, begin, finish, start, end, word)


def ugliness(pieces: Pieces, marks: tuple[str, ...] | None) -> Floats:
    """Cost of a break after each piece."""
    kinds = width.table(pieces.codes, width.kind)
    last, before = (kinds[pieces.codes[np.maximum(pieces.right - n, 0)]] for n in (1, 2))
    closed = ((last & width.CLOSING) != 0) & ((last & (width.END | width.PAUSE)) == 0)
    mark = np.where(closed, before, last)
    cost = np.full(len(pieces), ANYWHERE)
    cost[(mark & (width.PAUSE | width.END)) != 0] = AFTER_PAUSE
    cost[((mark & width.END) != 0) & _sure(pieces, marks, mark)] = AFTER_END
    pauses = pieces.pauses() / 1000
    cost[:-1] *= 1 - 0.8 * np.minimum(pauses / LONG_PAUSE, 1)
    cost[:-1] -= LULL * np.clip(pauses - LONG_PAUSE, 0, 2)
    glued = np.zeros(len(pieces), np.bool_)
    glued[:-1] = pieces.right[:-1] == pieces.left[1:]
    after = kinds[pieces.codes[np.minimum(pieces.right, len(pieces.codes) - 1)]]
    cost[glued & ~width.allowed(last, after)] = IN_WORD
    return cost


def _sure(pieces: Pieces, marks: tuple[str, ...] | None, mark: NDArray[Any]) -> Flags:
    """Whether a final mark cannot be the dot of an abbreviation, which belongs to its word."""
    sure: Flags = (mark & width.DOT) == 0
    sure |= pieces.right - pieces.left == 1
    if marks is not None:
        sure |= np.fromiter(map(bool, marks), np.bool_, len(marks))[pieces.word]
    return sure


def turns(pieces: Pieces, speakers: tuple[str, ...] | None) -> Flags:
    """Whether the speaker changes after each piece."""
    changes = np.zeros(len(pieces), np.bool_)
    if speakers is not None and len(pieces):
        words = np.zeros(len(speakers), np.bool_)
        words[:-1] = np.fromiter(map(ne, speakers, speakers[1:]), np.bool_, len(speakers) - 1)
        changes = words[pieces.word] & _last_of_word(pieces)
    return changes


def ends(pieces: Pieces, boundary: Flags | None) -> Flags:
    """Whether a sentence ends after each piece; without sentences all is one."""
    last = np.zeros(len(pieces), np.bool_)
    if boundary is not None:
        last = boundary[pieces.word] & _last_of_word(pieces)
    last[-1:] = True
    return last


def _last_of_word(pieces: Pieces) -> Any:
    return np.append(pieces.word[1:] != pieces.word[:-1], True)
