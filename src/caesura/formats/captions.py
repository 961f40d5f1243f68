"""Captions: a transcript's sentences laid out as cues, by captioners' conventions."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from caesura.formats import pieces as parts
from caesura.formats.base import TextFormat
from caesura.formats.breaks import Programme, Shares
from caesura.formats.pieces import Pieces
from caesura.transcript import Flags, Floats, Indices, Transcript

LONG_SENTENCE = 300
"""Pieces; a longer sentence is first cut at its best gaps, however its parts come out."""

A_LINE = 1000.0
"""Cost of a line: as few lines as will do come before all else."""


class Cues(NamedTuple):
    """What is shown, in order: from when to when (milliseconds), lines, and who says them."""

    start: Indices
    end: Indices
    text: list[str]
    speaker: list[str]

    def stamps(self, point: str) -> tuple[list[str], list[str]]:
        """Give the times as texts `01:23:45` with `point` and milliseconds."""
        return _stamps(self.start, point), _stamps(self.end, point)


@dataclass(frozen=True, repr=False)
class Captions(TextFormat):
    """A format of captions and how they are laid out.

    A cue shows at most `lines` lines of `characters` columns (wide characters take two) for at
    most `longest` seconds, and for `shortest` where the next cue leaves the time. It has words of
    one speaker and one sentence; a sentence that lasts less than `shortest` shares a cue with a
    neighbour if both fit and the pause between them is below `merge` seconds.
    """

    needs = frozenset({"start", "end"})

    lines: int = 2
    characters: int = 42
    shortest: float = 1.0
    longest: float = 7.0
    merge: float = 0.5

    def __post_init__(self) -> None:
        for name, most in (("lines", 10), ("characters", 1000)):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= most:
                raise ValueError(f"{name} is a whole number from 1 to {most}, not {value!r}")
        if not 0 <= self.shortest <= self.longest < inf or self.longest == 0:
            raise ValueError("shortest and longest are seconds, the first not above the second")
        if not 0 <= self.merge < inf:
            raise ValueError("merge is a number of seconds, not below 0")

    def cues(self, transcript: Transcript) -> Cues:
        """Lay out a recording."""
        pieces = parts.cut(transcript, self.characters, self.name)
        if not len(pieces):
            return Cues(pieces.left, pieces.left, [], [])
        line = pieces.reach(self.characters)
        ugly = parts.ugliness(pieces, transcript.mark)
        final = _cue_ends(pieces, line, ugly, transcript, self)
        last = np.flatnonzero(final)
        first = np.append(0, last[:-1] + 1)
        texts = _texts(pieces, first, last, final | _folds(pieces, first, last, line, ugly, self))
        start, end = _milliseconds(pieces, first)
        order = np.argsort(start, kind="stable")
        order = order[[bool(texts[i]) for i in order.tolist()]]
        names = transcript.speaker or [""] * len(transcript)
        return Cues(
            *_shown(start[order], end[order], self),
            [texts[i] for i in order.tolist()],
            [names[i] for i in pieces.word[first[order]].tolist()],
        )


def _most(reach: Indices) -> Indices:
    """Pieces that a line or cue may have that ends at each piece."""
    last = np.arange(len(reach))
    return last + 1 - np.searchsorted(reach, last, side="right")


def _cue_ends(
    pieces: Pieces, line: Indices, ugly: Floats, transcript: Transcript, settings: Captions
) -> Flags:
    """Whether a cue ends after each piece."""
    turn = parts.turns(pieces, transcript.speaker)
    boundary = None if transcript.sentences is None else transcript.sentences.boundary
    final = parts.ends(pieces, boundary) | turn
    _shorten(final, ugly)
    last = np.flatnonzero(final)
    first = np.append(0, last[:-1] + 1)
    reach = line
    for _ in range(settings.lines - 1):
        reach = np.append(line, len(line))[reach]
    fits = reach[first] > last
    fits &= pieces.end[last] - pieces.start[first] <= settings.longest
    final[_merged(pieces, first, last, reach, fits & ~turn[last], settings)] = False
    room = settings.lines * settings.characters
    programme = Programme(
        (
            Shares(pieces.begin / room, pieces.finish / room),
            Shares(pieces.start / settings.longest, pieces.end / settings.longest),
        ),
        _most(reach),
        ugly,
    )
    final[programme.breaks(first[~fits], last[~fits])] = True
    return final


def _shorten(final: Flags, ugly: Floats) -> None:
    """Cut sentences of very many pieces into halves that are not too uneven."""
    last = np.flatnonzero(final)
    first = np.append(0, last[:-1] + 1)
    long = last - first >= LONG_SENTENCE
    for begin, stop in zip(first[long].tolist(), last[long].tolist(), strict=True):
        while stop - begin >= LONG_SENTENCE:
            middle = begin + LONG_SENTENCE // 2
            window = ugly[middle : min(stop, begin + LONG_SENTENCE) - 1]
            begin = middle + int(np.argmin(window)) + 1
            final[begin - 1] = True


def _merged(
    pieces: Pieces,
    first: Indices,
    last: Indices,
    reach: Indices,
    fits: Flags,
    settings: Captions,
) -> list[int]:
    """Ends of sentences that share the cue of the next one."""
    lasts = pieces.end[last] - pieces.start[first]
    short = lasts < settings.shortest
    close = pieces.pauses()[last[:-1]] < settings.merge
    may = fits[:-1] & fits[1:] & close & (short[:-1] | short[1:])
    begins = first.tolist()
    found = []
    for at in np.flatnonzero(may).tolist():
        begin, end = begins[at], int(last[at + 1])
        if reach[begin] > end and pieces.end[end] - pieces.start[begin] <= settings.longest:
            begins[at + 1] = begin
            found.append(int(last[at]))
    return found


def _folds(
    pieces: Pieces,
    first: Indices,
    last: Indices,
    line: Indices,
    ugly: Floats,
    settings: Captions,
) -> Flags:
    """Whether a line of a cue ends, and another begins, after each piece."""
    room = settings.characters
    long = line[first] <= last
    programme = Programme(
        (Shares(pieces.begin / room, pieces.finish / room),), _most(line), ugly, A_LINE
    )
    folds = np.zeros(len(pieces), np.bool_)
    folds[programme.breaks(first[long], last[long])] = True
    return folds


def _texts(pieces: Pieces, first: Indices, last: Indices, ends: Flags) -> list[str]:
    """Lines of each cue, joined."""
    stop = np.flatnonzero(ends)
    start = np.append(0, stop[:-1] + 1)
    text = pieces.text
    spans = zip(pieces.left[start].tolist(), pieces.right[stop].tolist(), strict=True)
    lines = [text[a:b].strip() for a, b in spans]
    begins = np.searchsorted(start, first).tolist()
    stops = (np.searchsorted(stop, last) + 1).tolist()
    return ["\n".join(filter(None, lines[a:b])) for a, b in zip(begins, stops, strict=True)]


def _milliseconds(pieces: Pieces, first: Indices) -> tuple[Indices, Indices]:
    """When each cue's words begin and end."""
    end = np.maximum.reduceat(pieces.end, first)
    start, end = (np.clip(times, 0, 1e12) * 1000 for times in (pieces.start[first], end))
    return np.rint(start).astype(np.int64), np.rint(end).astype(np.int64)


def _shown(start: Indices, end: Indices, settings: Captions) -> tuple[Indices, Indices]:
    """Times in which cues are on the screen, one after another.

    Cues that begin at the same time share the time until the next one begins.
    """
    new = np.flatnonzero(np.diff(start, prepend=-1))
    if len(new) < len(start):
        known = np.append(new, len(start))
        times = np.append(start[new], max(int(end[new[-1] :].max()), int(start[-1])))
        start = np.interp(np.arange(len(start)), known, times).astype(np.int64)
    end = np.maximum(end, start + round(settings.shortest * 1000))
    end = np.minimum(end, start + round(settings.longest * 1000))
    end[:-1] = np.minimum(end[:-1], start[1:])
    return start, end


def _stamps(times: Indices, point: str) -> list[str]:
    minutes, rest = np.divmod(times, 60_000)
    seconds, rest = np.divmod(rest, 1000)
    known, which = np.unique(minutes, return_inverse=True)
    front = [f"{minute // 60:02}:{minute % 60:02}:" for minute in known.tolist()]
    middle = [f"{second:02}{point}" for second in range(60)]
    back = [f"{millisecond:03}" for millisecond in range(1000)]
    fields = zip(which.tolist(), seconds.tolist(), rest.tolist(), strict=True)
    return [front[m] + middle[s] + back[r] for m, s, r in fields]
