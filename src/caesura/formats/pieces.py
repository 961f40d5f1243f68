"""A transcript as captions see it: pieces that are shown unbroken, and what breaks cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import ne
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.formats import width
from caesura.formats.source import LATEST
from caesura.formats.times import filled_times, in_order
from caesura.transcript import Flags, Floats, Indices, Transcript

AFTER_END, AFTER_PAUSE, ANYWHERE, AFTER_ABBREVIATION, IN_WORD = 0.0, 0.05, 0.25, 0.5, 2.0
"""Cost of a break after a final mark, after another mark, between words, after an abbreviation
such as `Dr.`, and inside a word."""

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
    """Words, what is written together as one, cut if it is wider than a line.

    Gap i is the one after piece i.
    """

    text: str
    codes: NDArray[Any]
    """Code points of the text."""
    kinds: NDArray[np.uint8]
    """What kind of character each code point is."""
    columns: Indices | None
    """Columns before each character; None if all characters take one."""
    left: Indices
    """First character of each piece."""
    right: Indices
    """Where the piece ends, without the blank that follows."""
    start: Indices
    end: Indices
    """Milliseconds."""
    word: Indices
    """The last word that it has part in."""

    def __post_init__(self) -> None:
        self.begin, self.finish = self.left, self.right
        if self.columns is not None:
            self.begin, self.finish = self.columns[self.left], self.columns[self.right]

    def __len__(self) -> int:
        return len(self.left)

    def kind(self, places: Indices) -> NDArray[np.uint8]:
        """Kind of the characters at some places."""
        found: NDArray[np.uint8] = self.kinds[self.codes[np.clip(places, 0, len(self.text) - 1)]]
        return found

    def pauses(self) -> Indices:
        """Milliseconds of silence after each piece but the last."""
        silence: Indices = np.maximum(self.start[1:] - self.end[:-1], 0)
        return silence

    def reach(self, room: int) -> Indices:
        """For a line from each piece on, the first piece that has no room on it."""
        found = np.searchsorted(self.finish, self.begin + room, side="right")
        return np.maximum(found, np.arange(1, len(self) + 1))

    def after(self, words: Flags) -> Flags:
        """Tell of gaps between pieces what is known of gaps between words."""
        last = np.append(self.word[1:] != self.word[:-1], True)
        found: Flags = words[self.word] & last
        return found


def cut(transcript: Transcript, ends: Flags, room: int, format: str) -> Pieces:
    """Make pieces no wider than `room`; none goes beyond a word after which `ends` is true."""
    times = (np.clip(seconds, 0, LATEST) for seconds in filled_times(in_order(transcript), format))
    start, end = (np.rint(seconds * 1000).astype(np.int64) for seconds in times)
    surface = transcript.surface()
    length = np.fromiter(map(len, surface), np.int64, len(surface))
    text = "".join(surface) or " "
    del surface
    if not text.isprintable():
        text = text.translate(_BLANKS)
    codes = width.codes(text)
    right = np.cumsum(length)
    left = right - length
    right -= (length > 0) & (codes[right - 1] == ord(" "))
    kinds = width.table(codes, width.kind)
    columns = width.columns(codes)
    at = np.arange(len(length))
    whole = _joined(Pieces(text, codes, kinds, columns, left, right, start, end, at), ends)
    wide = np.flatnonzero(whole.finish - whole.begin > room)
    return _parted(whole, wide, room) if len(wide) else whole


def _joined(words: Pieces, ends: Flags) -> Pieces:
    """Join words that no blank parts, unless their script lets a line end between them."""
    glued = (words.right[:-1] == words.left[1:]) & ~ends[:-1]
    if not glued.any():
        return words
    free = width.allowed(words.kind(words.right[:-1] - 1), words.kind(words.left[1:]))
    last = np.append(~glued | free, True)
    first = np.append(True, last[:-1])
    return replace(
        words,
        left=words.left[first],
        right=words.right[last],
        start=words.start[first],
        end=words.end[last],
        word=words.word[last],
    )


def _parted(pieces: Pieces, wide: Indices, room: int) -> Pieces:
    """Cut the pieces that are too wide; each part gets its share of the time."""
    text, left, right = pieces.text, pieces.left, pieces.right
    inner = {at: left[at] + width.cuts(text[left[at] : right[at]], room) for at in wide.tolist()}
    count = np.ones(len(pieces), np.int64)
    count[wide] += [len(inner[at]) for at in wide.tolist()]
    owner = np.repeat(np.arange(len(pieces)), count)
    left, right = left[owner], right[owner]
    first = np.cumsum(count) - count
    for at in wide.tolist():
        new = np.arange(first[at] + 1, first[at] + count[at])
        left[new] = right[new - 1] = inner[at]
    length = np.maximum(pieces.right - pieces.left, 1)[owner]
    lasts = (pieces.end - pieces.start)[owner]
    start = pieces.start[owner] + lasts * (left - pieces.left[owner]) // length
    end = pieces.start[owner] + lasts * (right - pieces.left[owner]) // length
    word = pieces.word[owner]
    return replace(pieces, left=left, right=right, start=start, end=end, word=word)


def ugliness(pieces: Pieces, marks: tuple[str, ...] | None) -> Floats:
    """Cost of a break after each piece."""
    last, before, after = (pieces.kind(pieces.right + shift) for shift in (-1, -2, 0))
    closed = ((last & width.CLOSING) != 0) & ((last & (width.END | width.PAUSE)) == 0)
    mark = np.where(closed, before, last)
    cost = np.full(len(pieces), ANYWHERE)
    cost[(mark & width.PAUSE) != 0] = AFTER_PAUSE
    final, sure = (mark & width.END) != 0, _sure(pieces, marks, mark)
    cost[final & sure] = AFTER_END
    cost[final & ~sure] = AFTER_ABBREVIATION
    pauses = pieces.pauses() / 1000
    cost[:-1] *= 1 - 0.8 * np.minimum(pauses / LONG_PAUSE, 1)
    cost[:-1] -= LULL * np.clip(pauses - LONG_PAUSE, 0, 2)
    glued = np.append(pieces.right[:-1] == pieces.left[1:], False)
    cost[glued & ~width.allowed(last, after)] = IN_WORD
    return cost


def _sure(pieces: Pieces, marks: tuple[str, ...] | None, mark: NDArray[Any]) -> Flags:
    """Whether a final mark cannot be the dot of an abbreviation, which belongs to its word."""
    sure: Flags = (mark & width.DOT) == 0
    if marks is not None:
        sure |= np.fromiter(map(bool, marks), np.bool_, len(marks))[pieces.word]
    return sure


def turns(transcript: Transcript) -> Flags:
    """Whether the speaker changes after each word."""
    changes = np.zeros(len(transcript), np.bool_)
    speakers = transcript.speaker
    if speakers:
        changes[:-1] = np.fromiter(map(ne, speakers, speakers[1:]), np.bool_, len(speakers) - 1)
    return changes


def ends(transcript: Transcript) -> Flags:
    """Whether a sentence ends after each word; without sentences all is one."""
    last = np.zeros(len(transcript), np.bool_)
    if transcript.sentences is not None:
        last |= transcript.sentences.boundary
    last[-1:] = True
    return last
