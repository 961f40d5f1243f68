"""Captions: a transcript's sentences laid out as cues, by captioners' conventions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from operator import ne
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.transcript import Transcript
from caesura.formats.base import TextFormat
from caesura.formats.source import LATEST
from caesura.formats.time_interpolation import filled_times, in_order
from caesura.text import display_width

CELLS = 1 << 16
"""Parts looked at together: enough for arrays to pay, few enough to stay in the cache."""

FULL = 1 + 1e-9
"""A share of room above this is too much; what lies between is rounding."""


@dataclass(frozen=True)
class Measure:
    """Where pieces begin and finish, in columns or milliseconds, and how much a part may hold."""

    begin: Indices
    finish: Indices
    whole: int


@dataclass(frozen=True)
class Programme:
    """What parts and breaks cost; `most` is how many pieces a part may have that ends at each."""

    measures: tuple[Measure, ...]
    most: Indices
    ugly: Floats
    each: float = 0.0

    def breaks(self, first: Indices, last: Indices) -> Indices:
        """Give the pieces inside the stretches first..last after which to break."""
        if not len(first):
            return first
        found = [self._batch(*stretches) for stretches in _alike(first, last, self.most)]
        return np.sort(np.concatenate(found))

    def _batch(self, first: Indices, count: Indices) -> Indices:
        """Break stretches of about the same number of pieces, place by place, all at once."""
        size = int(count.max())
        at = np.minimum(first + np.arange(size)[:, None], len(self.most) - 1)
        most = np.minimum(self.most[at], size)
        depth = int(most.max())
        begins = [_padded((m.begin[at] - m.begin[first]) / m.whole, depth) for m in self.measures]
        finishes = [(m.finish[at] - m.begin[first]) / m.whole for m in self.measures]
        closing = self.ugly[at] + self.each
        best = np.full((size + depth + 1, len(first)), np.inf)
        best[depth] = 0
        for p in range(size):
            windows = [begin[p + 1 : p + 1 + depth] for begin in begins]
            cost = _costs([finish[p] for finish in finishes], windows, most[p])
            cost += best[p + 1 : p + 1 + depth]
            np.add(cost.min(axis=0), closing[p], out=best[p + 1 + depth])
        return self._traced(best, begins, finishes, most, first, count)

    @staticmethod
    def _traced(
        best: Floats,
        begins: list[Floats],
        finishes: list[Floats],
        most: Indices,
        first: Indices,
        count: Indices,
    ) -> Indices:
        """Follow the cheapest parts back from the end of each stretch."""
        depth = len(best) - len(most) - 1
        found = []
        column, done = np.arange(len(first)), count
        while len(column):
            rows = done + np.arange(depth)[:, None]
            ends = [finish[done - 1, column] for finish in finishes]
            cost = _costs(ends, [begin[rows, column] for begin in begins], most[done - 1, column])
            done = done - depth + np.argmin(cost + best[rows, column], axis=0)
            column, done = column[done > 0], done[done > 0]
            found.append(first[column] + done - 1)
        return np.concatenate(found)


def _costs(finish: list[Floats], begins: list[Floats], most: Indices) -> Floats:
    """Cost of the parts that end at a piece, those with the most pieces first."""
    fill = finish[0] - begins[0]
    for end, begin in zip(finish[1:], begins[1:], strict=True):
        np.maximum(fill, end - begin, out=fill)
    np.minimum(fill[-1], 1, out=fill[-1])
    depth = len(fill)
    bad: Flags = fill > FULL
    bad |= np.arange(depth)[:, None] < depth - most
    bad[-1] = False
    np.subtract(1, fill, out=fill)
    fill *= fill
    np.putmask(fill, bad, np.inf)
    return fill


def _padded(begin: Floats, depth: int) -> Floats:
    """Put before the pieces as many that no part has room for."""
    return np.concatenate([np.full((depth, begin.shape[1]), -np.inf), begin])


def _alike(first: Indices, last: Indices, most: Indices) -> Iterator[tuple[Indices, Indices]]:
    """Give stretches in batches of about the same number of pieces."""
    count = last - first + 1
    order = np.argsort(count, kind="stable")
    sizes, deepest, stop = count[order], int(most.max()), len(order)
    while stop:
        longest = int(sizes[stop - 1])
        start = max(
            stop - max(1, CELLS // min(longest, deepest)),
            int(np.searchsorted(sizes, longest - longest // 4)),
        )
        batch = order[start:stop]
        yield first[batch], count[batch]
        stop = start


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
    codes = display_width.codes(text)
    right = np.cumsum(length)
    left = right - length
    right -= (length > 0) & (codes[right - 1] == ord(" "))
    kinds = display_width.table(codes, display_width.kind)
    columns = display_width.columns(codes)
    at = np.arange(len(length))
    whole = _joined(Pieces(text, codes, kinds, columns, left, right, start, end, at), ends)
    wide = np.flatnonzero(whole.finish - whole.begin > room)
    return _parted(whole, wide, room) if len(wide) else whole


def _joined(words: Pieces, ends: Flags) -> Pieces:
    """Join words that no blank parts, unless their script lets a line end between them."""
    glued = (words.right[:-1] == words.left[1:]) & ~ends[:-1]
    if not glued.any():
        return words
    free = display_width.allowed(words.kind(words.right[:-1] - 1), words.kind(words.left[1:]))
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
    inner = {
        at: left[at] + display_width.cuts(text[left[at] : right[at]], room) for at in wide.tolist()
    }
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
    closed = ((last & display_width.CLOSING) != 0) & (
        (last & (display_width.END | display_width.PAUSE)) == 0
    )
    mark = np.where(closed, before, last)
    cost = np.full(len(pieces), ANYWHERE)
    cost[(mark & display_width.PAUSE) != 0] = AFTER_PAUSE
    final, sure = (mark & display_width.END) != 0, _sure(pieces, marks, mark)
    cost[final & sure] = AFTER_END
    cost[final & ~sure] = AFTER_ABBREVIATION
    pauses = pieces.pauses() / 1000
    cost[:-1] *= 1 - 0.8 * np.minimum(pauses / LONG_PAUSE, 1)
    cost[:-1] -= LULL * np.clip(pauses - LONG_PAUSE, 0, 2)
    glued = np.append(pieces.right[:-1] == pieces.left[1:], False)
    cost[glued & ~display_width.allowed(last, after)] = IN_WORD
    return cost


def _sure(pieces: Pieces, marks: tuple[str, ...] | None, mark: NDArray[Any]) -> Flags:
    """Whether a final mark cannot be the dot of an abbreviation, which belongs to its word."""
    sure: Flags = (mark & display_width.DOT) == 0
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
        turn = turns(transcript)
        sentence = ends(transcript) | turn
        pieces = cut(transcript, sentence, self.characters, self.name)
        if not pieces.text.strip():
            return Cues(pieces.left[:0], pieces.left[:0], [], [])
        layout = _Layout(pieces, ugliness(pieces, transcript.mark), self)
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
