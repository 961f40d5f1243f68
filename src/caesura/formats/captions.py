"""Captions: a transcript's sentences laid out as cues, by captioners' conventions."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from caesura.formats import pieces as parts
from caesura.formats.base import TextFormat
from caesura.formats.breaks import Measure, Programme
from caesura.formats.pieces import Pieces
from caesura.transcript import Flags, Floats, Indices, Transcript

LONG_SENTENCE = 300
"""Pieces; a longer sentence is first cut into parts that have half to all of that many."""

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
        if not 0 <= self.shortest <= self.longest < inf or self.longest < 0.001:
            raise ValueError("shortest and longest are seconds, the first not above the second")
        if not 0 <= self.merge < inf:
            raise ValueError("merge is a number of seconds, not below 0")

    def cues(self, transcript: Transcript) -> Cues:
        """Lay out a recording."""
        turn = parts.turns(transcript)
        sentence = parts.ends(transcript) | turn
        pieces = parts.cut(transcript, sentence, self.characters, self.name)
        if not pieces.text.strip():
            return Cues(pieces.left[:0], pieces.left[:0], [], [])
        layout = _Layout(pieces, parts.ugliness(pieces, transcript.mark), self)
        final = layout.cue_ends(pieces.after(sentence), pieces.after(turn))
        first, last = _stretches(final)
        texts = layout.texts(first, last, final | layout.folds(first, last))
        start, end = pieces.start[first], np.maximum.reduceat(pieces.end, first)
        order = np.argsort(start, kind="stable")
        order = order[[bool(texts[i]) for i in order.tolist()]]
        names = transcript.speaker or [""] * len(transcript)
        return Cues(
            *_shown(start[order], end[order], self),
            [texts[i] for i in order.tolist()],
            [names[i] for i in pieces.word[first[order]].tolist()],
        )


def _stretches(final: Flags) -> tuple[Indices, Indices]:
    """First and last piece of what ends where `final` is true."""
    last = np.flatnonzero(final)
    return np.append(0, last[:-1] + 1), last


class _Layout:
    """Pieces on their way into cues and lines."""

    def __init__(self, pieces: Pieces, ugly: Floats, settings: Captions) -> None:
        self.pieces = pieces
        self.ugly = ugly
        self.settings = settings
        self.longest = _milliseconds(settings.longest)
        self.line = pieces.reach(settings.characters)
        self.cue = self.line
        """For a line, and a cue, from each piece on: the first piece that has no room in it."""
        for _ in range(settings.lines - 1):
            self.cue = np.append(self.line, len(pieces))[self.cue]

    def cue_ends(self, sentence: Flags, turn: Flags) -> Flags:
        """Tell whether a cue ends after each piece, given where sentences and turns do."""
        final = self.shortened(sentence)
        first, last = _stretches(final)
        fits = self.fit(first, last)
        final[self.merged(first, last, fits, turn)] = False
        room = self.settings.lines * self.settings.characters
        space = Measure(self.pieces.begin, self.pieces.finish, room)
        time = Measure(self.pieces.start, self.pieces.end, self.longest)
        programme = Programme((space, time), _most(self.cue), self.ugly)
        final[programme.breaks(first[~fits], last[~fits])] = True
        return final

    def fit(self, first: Indices, last: Indices) -> Flags:
        """Tell which stretches fit into a cue."""
        lasts = self.pieces.end[last] - self.pieces.start[first]
        fits: Flags = (self.cue[first] > last) & (lasts <= self.longest)
        return fits

    def shortened(self, sentence: Flags) -> Flags:
        """Cut sentences of very many pieces at the best gap of each stretch."""
        first, last = _stretches(sentence)
        final = sentence.copy()
        long = last - first >= LONG_SENTENCE
        for begin, end in zip(first[long].tolist(), last[long].tolist(), strict=True):
            while end - begin >= LONG_SENTENCE:
                middle = begin + LONG_SENTENCE // 2
                stop = min(begin + LONG_SENTENCE, end - LONG_SENTENCE // 4)
                begin = middle + int(np.argmin(self.ugly[middle:stop])) + 1
                final[begin - 1] = True
        return final

    def merged(self, first: Indices, last: Indices, fits: Flags, turn: Flags) -> list[int]:
        """Find the ends of sentences that share the cue of the next one."""
        short = self.pieces.end[last] - self.pieces.start[first] < self.settings.shortest * 1000
        close = self.pieces.pauses()[last[:-1]] < self.settings.merge * 1000
        may = fits[:-1] & fits[1:] & close & (short[:-1] | short[1:]) & ~turn[last[:-1]]
        begins, found = first.copy(), []
        for at in np.flatnonzero(may).tolist():
            if self.fit(begins[at], last[at + 1]):
                begins[at + 1] = begins[at]
                found.append(int(last[at]))
        return found

    def folds(self, first: Indices, last: Indices) -> Flags:
        """Tell whether, inside a cue, a line ends after each piece."""
        room = self.settings.characters
        space = Measure(self.pieces.begin, self.pieces.finish, room)
        programme = Programme((space,), _most(self.line), self.ugly, A_LINE)
        long = self.line[first] <= last
        folds = np.zeros(len(self.pieces), np.bool_)
        folds[programme.breaks(first[long], last[long])] = True
        return folds

    def texts(self, first: Indices, last: Indices, ends: Flags) -> list[str]:
        """Give the lines of each cue, joined."""
        start, stop = _stretches(ends)
        text = self.pieces.text
        left, right = self.pieces.left[start].tolist(), self.pieces.right[stop].tolist()
        lines = [text[a:b].strip() for a, b in zip(left, right, strict=True)]
        begins = np.searchsorted(start, first).tolist()
        stops = (np.searchsorted(stop, last) + 1).tolist()
        return ["\n".join(filter(None, lines[a:b])) for a, b in zip(begins, stops, strict=True)]


def _most(reach: Indices) -> Indices:
    """Pieces that a line or cue may have that ends at each piece."""
    last = np.arange(len(reach))
    return last + 1 - np.searchsorted(reach, last, side="right")


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def _shown(start: Indices, end: Indices, settings: Captions) -> tuple[Indices, Indices]:
    """Times in which cues are on the screen, one after another."""
    shortest, longest = _milliseconds(settings.shortest), _milliseconds(settings.longest)
    start = _apart(start, end, shortest)
    end = np.minimum(np.maximum(end, start + shortest), start + longest)
    end[:-1] = np.minimum(end[:-1], start[1:])
    return start, end


def _apart(start: Indices, end: Indices, shortest: int) -> Indices:
    """Let cues that begin at the same time share the time that they have together."""
    new = np.flatnonzero(np.diff(start, prepend=-1))
    if len(new) == len(start):
        return start
    count = np.diff(new, append=len(start))
    wanted = np.maximum(np.maximum.reduceat(end, new) - start[new], shortest * count)
    wanted[:-1] = np.minimum(wanted[:-1], np.diff(start[new]))
    group = np.repeat(np.arange(len(new)), count)
    shift: Indices = wanted[group] * (np.arange(len(start)) - new[group]) // count[group]
    return start + shift


def _stamps(times: Indices, point: str) -> list[str]:
    minutes, rest = np.divmod(times, 60_000)
    seconds, rest = np.divmod(rest, 1000)
    known, which = np.unique(minutes, return_inverse=True)
    front = [f"{minute // 60:02}:{minute % 60:02}:" for minute in known.tolist()]
    middle = [f"{second:02}{point}" for second in range(60)]
    back = [f"{millisecond:03}" for millisecond in range(1000)]
    fields = zip(which.tolist(), seconds.tolist(), rest.tolist(), strict=True)
    return [front[m] + middle[s] + back[r] for m, s, r in fields]
