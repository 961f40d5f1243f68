"""How captions are laid out: line breaks, cue breaks and display times.

`Captions` is the base class of the caption formats: it has the settings, and `Captions.cues` lays
out a transcript in these steps.

1. The text is cut into pieces that no line break may divide: words, or several words written
   together. A break after each piece gets a cost (`break_costs`): low after punctuation and at
   pauses, high inside a word.
2. Each sentence is a cue. A sentence too long for a cue is split, one that is very short shares a
   cue with its neighbour (`_Layout.cue_ends`).
3. A cue too wide for a line is broken into lines (`_Layout.line_ends`).
4. Cues get their display times (`_display_times`).

Both kinds of breaks are found by dynamic programming (`BreakOptimizer`): the best ones give parts
of similar size and have low costs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from operator import ne
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.transcript import Transcript
from caesura.formats.base import LATEST, TextFormat
from caesura.formats.time_interpolation import filled_times, in_order
from caesura.text import display_width

logger = logging.getLogger("caesura")

AFTER_END, AFTER_PAUSE, ANYWHERE, AFTER_ABBREVIATION, IN_WORD = 0.0, 0.05, 0.25, 0.5, 2.0
"""Cost of a break after a final mark, after another mark, between words, after an abbreviation
such as `Dr.`, and inside a word."""

LONG_PAUSE = 0.5
"""Seconds: at a silence of this length a break has a fifth of its cost."""

PAUSE_BONUS = 0.5
"""How much each further second of silence, up to two, lowers the cost of a break."""

LINE_COST = 1000.0
"""Cost of a line: to have as few lines as possible comes first."""

LONG_SENTENCE = 300
"""Pieces: a longer sentence is first cut into parts that have half to all of that many."""


class Cues(NamedTuple):
    """Cues in order: start and end (milliseconds), lines, and speaker."""

    start: Indices
    end: Indices
    text: list[str]
    speaker: list[str]

    def timestamps(self, point: str) -> tuple[list[str], list[str]]:
        """Return starts and ends as `01:23:45`, then `point` and milliseconds."""
        return _timestamps(self.start, point), _timestamps(self.end, point)


@dataclass(frozen=True, repr=False)
class Captions(TextFormat):
    """A caption format, with the settings of its layout.

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
        """Lay out a recording as cues."""
        turn = _speaker_changes(transcript)
        sentence = _sentence_ends(transcript) | turn
        pieces = make_pieces(transcript, sentence, self.characters, self.name)
        if not pieces.text.strip():
            return Cues(pieces.left[:0], pieces.left[:0], [], [])
        layout = _Layout(pieces, break_costs(pieces, transcript.mark), self)
        cue_ends = layout.cue_ends(pieces.after_words(sentence), pieces.after_words(turn))
        first, last = _segments(cue_ends)
        if transcript.sentences is None and len(first) > 1:
            _warn_of_running_text(transcript)
        texts = layout.texts(first, last, cue_ends | layout.line_ends(first, last))
        start, end = pieces.start[first], np.maximum.reduceat(pieces.end, first)
        order = np.argsort(start, kind="stable")
        order = order[[bool(texts[i]) for i in order.tolist()]]
        speakers = transcript.speaker or [""] * len(transcript)
        return Cues(
            *_display_times(start[order], end[order], self),
            [texts[i] for i in order.tolist()],
            [speakers[i] for i in pieces.word[first[order]].tolist()],
        )


def _warn_of_running_text(transcript: Transcript) -> None:
    logger.warning(
        "%s: no sentences are known, so cues break the running text anywhere; "
        "caesura segment finds sentences",
        transcript.id or "a recording",
    )


def _speaker_changes(transcript: Transcript) -> Flags:
    """Whether the speaker changes after each word."""
    changes = np.zeros(len(transcript), np.bool_)
    speakers = transcript.speaker
    if speakers:
        changes[:-1] = np.fromiter(map(ne, speakers, speakers[1:]), np.bool_, len(speakers) - 1)
    return changes


def _sentence_ends(transcript: Transcript) -> Flags:
    """Whether a sentence ends after each word; without sentences all is one."""
    ends = np.zeros(len(transcript), np.bool_)
    if transcript.sentences is not None:
        ends |= transcript.sentences.boundary
    ends[-1:] = True
    return ends


def _segments(ends: Flags) -> tuple[Indices, Indices]:
    """Return the first and the last piece of each segment, given where segments end."""
    last = np.flatnonzero(ends)
    return np.append(0, last[:-1] + 1), last


class _Layout:
    """Decides after which pieces cues end, and lines within cues."""

    def __init__(self, pieces: Pieces, break_cost: Floats, settings: Captions) -> None:
        self.pieces = pieces
        self.break_cost = break_cost
        self.settings = settings
        self.longest = _milliseconds(settings.longest)
        self.line_reach = pieces.reach(settings.characters)
        """For a line that begins with each piece: the first piece that does not fit on it."""
        self.cue_reach = self.line_reach
        """The same for a cue."""
        for _ in range(settings.lines - 1):
            self.cue_reach = np.append(self.line_reach, len(pieces))[self.cue_reach]

    def cue_ends(self, sentence: Flags, turn: Flags) -> Flags:
        """Return whether a cue ends after each piece, given where sentences and turns end."""
        ends = self._cut_very_long(sentence)
        first, last = _segments(ends)
        fits = self._fits(first, last)
        ends[self._shared_ends(first, last, fits, turn)] = False
        columns = self.settings.lines * self.settings.characters
        space = Limit(self.pieces.begin, self.pieces.finish, columns)
        time = Limit(self.pieces.start, self.pieces.end, self.longest)
        optimizer = BreakOptimizer((space, time), _max_pieces(self.cue_reach), self.break_cost)
        ends[optimizer.breaks(first[~fits], last[~fits])] = True
        return ends

    def _fits(self, first: Indices, last: Indices) -> Flags:
        """Return which segments fit into one cue."""
        duration = self.pieces.end[last] - self.pieces.start[first]
        fits: Flags = (self.cue_reach[first] > last) & (duration <= self.longest)
        return fits

    def _cut_very_long(self, sentence: Flags) -> Flags:
        """Cut sentences of very many pieces where a break costs least."""
        first, last = _segments(sentence)
        ends = sentence.copy()
        long = last - first >= LONG_SENTENCE
        for begin, end in zip(first[long].tolist(), last[long].tolist(), strict=True):
            while end - begin >= LONG_SENTENCE:
                middle = begin + LONG_SENTENCE // 2
                stop = min(begin + LONG_SENTENCE, end - LONG_SENTENCE // 4)
                begin = middle + int(np.argmin(self.break_cost[middle:stop])) + 1
                ends[begin - 1] = True
        return ends

    def _shared_ends(self, first: Indices, last: Indices, fits: Flags, turn: Flags) -> list[int]:
        """Return the ends of sentences that share a cue with the next sentence."""
        short = self.pieces.end[last] - self.pieces.start[first] < self.settings.shortest * 1000
        close = self.pieces.pauses()[last[:-1]] < self.settings.merge * 1000
        may = fits[:-1] & fits[1:] & close & (short[:-1] | short[1:]) & ~turn[last[:-1]]
        begins, shared = first.copy(), []
        for at in np.flatnonzero(may).tolist():
            if self._fits(begins[at], last[at + 1]):
                begins[at + 1] = begins[at]
                shared.append(int(last[at]))
        return shared

    def line_ends(self, first: Indices, last: Indices) -> Flags:
        """Return whether a line ends after each piece inside the cues `first` to `last`."""
        columns = Limit(self.pieces.begin, self.pieces.finish, self.settings.characters)
        max_pieces = _max_pieces(self.line_reach)
        optimizer = BreakOptimizer((columns,), max_pieces, self.break_cost, LINE_COST)
        wide = self.line_reach[first] <= last
        ends = np.zeros(len(self.pieces), np.bool_)
        ends[optimizer.breaks(first[wide], last[wide])] = True
        return ends

    def texts(self, first: Indices, last: Indices, line_ends: Flags) -> list[str]:
        """Return the text of each cue, its lines joined by line feeds."""
        start, stop = _segments(line_ends)
        text = self.pieces.text
        left, right = self.pieces.left[start].tolist(), self.pieces.right[stop].tolist()
        lines = [text[a:b].strip() for a, b in zip(left, right, strict=True)]
        begins = np.searchsorted(start, first).tolist()
        stops = (np.searchsorted(stop, last) + 1).tolist()
        return ["\n".join(filter(None, lines[a:b])) for a, b in zip(begins, stops, strict=True)]


def _max_pieces(reach: Indices) -> Indices:
    """Return how many pieces a line or cue may have that ends at each piece."""
    last = np.arange(len(reach))
    return last + 1 - np.searchsorted(reach, last, side="right")


# The best breaks, by dynamic programming.

BATCH_CELLS = 1 << 16
"""Parts compared together: enough for arrays to pay, few enough to stay in the cache."""

FULL = 1 + 1e-9
"""A part is too large if it is filled above this share; the excess over 1 allows for rounding."""


@dataclass(frozen=True)
class Limit:
    """What a part may hold: `most` columns or milliseconds, counted from `begin` to `finish`.

    `begin` and `finish` have the place of each piece in the same unit.
    """

    begin: Indices
    finish: Indices
    most: int


@dataclass(frozen=True)
class BreakOptimizer:
    """Breaks segments into parts (cues or lines) at the lowest cost.

    The cost of a part is the square of the share of it that stays empty, plus `part_cost`; to it
    come the costs of the breaks. `max_pieces` is how many pieces a part may have that ends at each
    piece.
    """

    limits: tuple[Limit, ...]
    max_pieces: Indices
    break_cost: Floats
    part_cost: float = 0.0

    def breaks(self, first: Indices, last: Indices) -> Indices:
        """Return the pieces after which to break, for the segments `first` to `last`."""
        if not len(first):
            return first
        breaks = [self._break_batch(*batch) for batch in _batches(first, last, self.max_pieces)]
        return np.sort(np.concatenate(breaks))

    def _break_batch(self, first: Indices, count: Indices) -> Indices:
        """Break segments of about the same number of pieces, all at once, piece by piece."""
        size = int(count.max())
        at = np.minimum(first + np.arange(size)[:, None], len(self.max_pieces) - 1)
        max_pieces = np.minimum(self.max_pieces[at], size)
        depth = int(max_pieces.max())
        begins = [_padded((m.begin[at] - m.begin[first]) / m.most, depth) for m in self.limits]
        finishes = [(m.finish[at] - m.begin[first]) / m.most for m in self.limits]
        closing = self.break_cost[at] + self.part_cost
        best = np.full((size + depth + 1, len(first)), np.inf)
        best[depth] = 0
        for p in range(size):
            windows = [begin[p + 1 : p + 1 + depth] for begin in begins]
            cost = _part_costs([finish[p] for finish in finishes], windows, max_pieces[p])
            cost += best[p + 1 : p + 1 + depth]
            np.add(cost.min(axis=0), closing[p], out=best[p + 1 + depth])
        return self._trace_back(best, begins, finishes, max_pieces, first, count)

    @staticmethod
    def _trace_back(
        best: Floats,
        begins: list[Floats],
        finishes: list[Floats],
        max_pieces: Indices,
        first: Indices,
        count: Indices,
    ) -> Indices:
        """Follow the cheapest parts back from the end of each segment."""
        depth = len(best) - len(max_pieces) - 1
        breaks = []
        column, done = np.arange(len(first)), count
        while len(column):
            rows = done + np.arange(depth)[:, None]
            ends = [finish[done - 1, column] for finish in finishes]
            windows = [begin[rows, column] for begin in begins]
            cost = _part_costs(ends, windows, max_pieces[done - 1, column])
            done = done - depth + np.argmin(cost + best[rows, column], axis=0)
            column, done = column[done > 0], done[done > 0]
            breaks.append(first[column] + done - 1)
        return np.concatenate(breaks)


def _part_costs(finish: list[Floats], begins: list[Floats], max_pieces: Indices) -> Floats:
    """Return the costs of the parts that end at a piece, those with the most pieces first."""
    fill = finish[0] - begins[0]
    for end, begin in zip(finish[1:], begins[1:], strict=True):
        np.maximum(fill, end - begin, out=fill)
    np.minimum(fill[-1], 1, out=fill[-1])
    depth = len(fill)
    bad: Flags = fill > FULL
    bad |= np.arange(depth)[:, None] < depth - max_pieces
    bad[-1] = False
    np.subtract(1, fill, out=fill)
    fill *= fill
    np.putmask(fill, bad, np.inf)
    return fill


def _padded(begin: Floats, depth: int) -> Floats:
    """Put `depth` rows before the pieces that never fit into a part."""
    return np.concatenate([np.full((depth, begin.shape[1]), -np.inf), begin])


def _batches(
    first: Indices, last: Indices, max_pieces: Indices
) -> Iterator[tuple[Indices, Indices]]:
    """Yield segments (first piece, number of pieces) in batches of about the same length."""
    count = last - first + 1
    order = np.argsort(count, kind="stable")
    sizes, deepest, stop = count[order], int(max_pieces.max()), len(order)
    while stop:
        longest = int(sizes[stop - 1])
        start = max(
            stop - max(1, BATCH_CELLS // min(longest, deepest)),
            int(np.searchsorted(sizes, longest - longest // 4)),
        )
        batch = order[start:stop]
        yield first[batch], count[batch]
        stop = start


# The pieces of a text, and what a break after each of them costs.

_BLANKS = str.maketrans(
    dict.fromkeys((*range(32), *range(127, 161), 0x2028, 0x2029, 0xFFFE, 0xFFFF), " ")
)
"""Line ends and control characters, which captions cannot show."""


@dataclass
class Pieces:
    """Text that no line break divides: a word, or several written together, one entry each.

    A word wider than a line is cut into several pieces.
    """

    text: str
    codes: NDArray[Any]
    """Code points of the text."""
    kinds: NDArray[np.uint8]
    """The kinds of each code point, as a table."""
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
    """The last word of which the piece has a part."""

    def __post_init__(self) -> None:
        self.begin, self.finish = self.left, self.right
        """Columns at which each piece begins and ends."""
        if self.columns is not None:
            self.begin, self.finish = self.columns[self.left], self.columns[self.right]

    def __len__(self) -> int:
        return len(self.left)

    def kinds_at(self, places: Indices) -> NDArray[np.uint8]:
        """Return the kinds of the characters at some places."""
        found: NDArray[np.uint8] = self.kinds[self.codes[np.clip(places, 0, len(self.text) - 1)]]
        return found

    def pauses(self) -> Indices:
        """Return the milliseconds of silence after each piece but the last."""
        silence: Indices = np.maximum(self.start[1:] - self.end[:-1], 0)
        return silence

    def reach(self, columns: int) -> Indices:
        """For a line that begins with each piece, return the first piece that does not fit."""
        found = np.searchsorted(self.finish, self.begin + columns, side="right")
        return np.maximum(found, np.arange(1, len(self) + 1))

    def after_words(self, words: Flags) -> Flags:
        """Turn a flag for the gap after each word into one for the gap after each piece."""
        last = np.append(self.word[1:] != self.word[:-1], True)
        found: Flags = words[self.word] & last
        return found


def make_pieces(transcript: Transcript, ends: Flags, columns: int, format: str) -> Pieces:
    """Make pieces no wider than `columns`; none goes beyond a word after which `ends` is true."""
    filled = filled_times(in_order(transcript), format)
    times = (np.minimum(seconds, LATEST) for seconds in filled)
    start, end = (np.rint(seconds * 1000).astype(np.int64) for seconds in times)
    surface = transcript.surface()
    length = np.fromiter(map(len, surface), np.int64, len(surface))
    text = "".join(surface) or " "
    del surface
    if not text.isprintable():
        text = text.translate(_BLANKS)
    codes = display_width.code_points(text)
    right = np.cumsum(length)
    left = right - length
    right -= (length > 0) & (codes[right - 1] == ord(" "))
    kinds = display_width.lookup_table(codes, display_width.char_kind)
    offsets = display_width.column_offsets(codes)
    at = np.arange(len(length))
    whole = _join_unspaced(Pieces(text, codes, kinds, offsets, left, right, start, end, at), ends)
    wide = np.flatnonzero(whole.finish - whole.begin > columns)
    return _cut_wide(whole, wide, columns) if len(wide) else whole


def _join_unspaced(words: Pieces, ends: Flags) -> Pieces:
    """Join words without a blank between them, unless their script lets a line end there."""
    glued = (words.right[:-1] == words.left[1:]) & ~ends[:-1]
    if not glued.any():
        return words
    free = display_width.may_break_between(
        words.kinds_at(words.right[:-1] - 1), words.kinds_at(words.left[1:])
    )
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


def _cut_wide(pieces: Pieces, wide: Indices, columns: int) -> Pieces:
    """Cut the pieces that are wider than a line; each part gets its share of the time."""
    text, left, right = pieces.text, pieces.left, pieces.right
    inner = {
        at: left[at] + display_width.cut_places(text[left[at] : right[at]], columns)
        for at in wide.tolist()
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
    duration = (pieces.end - pieces.start)[owner]
    start = pieces.start[owner] + duration * (left - pieces.left[owner]) // length
    end = pieces.start[owner] + duration * (right - pieces.left[owner]) // length
    word = pieces.word[owner]
    return replace(pieces, left=left, right=right, start=start, end=end, word=word)


def break_costs(pieces: Pieces, marks: tuple[str, ...] | None) -> Floats:
    """Return the cost of a break after each piece."""
    last, before, after = (pieces.kinds_at(pieces.right + shift) for shift in (-1, -2, 0))
    closed = ((last & display_width.CLOSING) != 0) & (
        (last & (display_width.END | display_width.PAUSE)) == 0
    )
    mark = np.where(closed, before, last)
    cost = np.full(len(pieces), ANYWHERE)
    cost[(mark & display_width.PAUSE) != 0] = AFTER_PAUSE
    final, certain = (mark & display_width.END) != 0, _no_abbreviation(pieces, marks, mark)
    cost[final & certain] = AFTER_END
    cost[final & ~certain] = AFTER_ABBREVIATION
    pauses = pieces.pauses() / 1000
    cost[:-1] *= 1 - 0.8 * np.minimum(pauses / LONG_PAUSE, 1)
    cost[:-1] -= PAUSE_BONUS * np.clip(pauses - LONG_PAUSE, 0, 2)
    glued = np.append(pieces.right[:-1] == pieces.left[1:], False)
    cost[glued & ~display_width.may_break_between(last, after)] = IN_WORD
    return cost


def _no_abbreviation(pieces: Pieces, marks: tuple[str, ...] | None, mark: NDArray[Any]) -> Flags:
    """Whether a final mark cannot be the dot of an abbreviation, which belongs to its word."""
    certain: Flags = (mark & display_width.DOT) == 0
    if marks is not None:
        certain |= np.fromiter(map(bool, marks), np.bool_, len(marks))[pieces.word]
    return certain


# Display times.


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def _display_times(start: Indices, end: Indices, settings: Captions) -> tuple[Indices, Indices]:
    """Return the times at which cues are on the screen, one after another."""
    shortest, longest = _milliseconds(settings.shortest), _milliseconds(settings.longest)
    start = _separate_starts(start, end, shortest)
    end = np.minimum(np.maximum(end, start + shortest), start + longest)
    end[:-1] = np.minimum(end[:-1], start[1:])
    return start, end


def _separate_starts(start: Indices, end: Indices, shortest: int) -> Indices:
    """Divide the time among cues that begin at the same time."""
    new = np.flatnonzero(np.diff(start, prepend=-1))
    if len(new) == len(start):
        return start
    count = np.diff(new, append=len(start))
    wanted = np.maximum(np.maximum.reduceat(end, new) - start[new], shortest * count)
    wanted[:-1] = np.minimum(wanted[:-1], np.diff(start[new]))
    group = np.repeat(np.arange(len(new)), count)
    shift: Indices = wanted[group] * (np.arange(len(start)) - new[group]) // count[group]
    return start + shift


def _timestamps(times: Indices, point: str) -> list[str]:
    minutes, rest = np.divmod(times, 60_000)
    seconds, rest = np.divmod(rest, 1000)
    known, which = np.unique(minutes, return_inverse=True)
    front = [f"{minute // 60:02}:{minute % 60:02}:" for minute in known.tolist()]
    middle = [f"{second:02}{point}" for second in range(60)]
    back = [f"{millisecond:03}" for millisecond in range(1000)]
    fields = zip(which.tolist(), seconds.tolist(), rest.tolist(), strict=True)
    return [front[m] + middle[s] + back[r] for m, s, r in fields]
