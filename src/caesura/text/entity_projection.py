"""Where the entities of a reference stand in recognised words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.errors import CaesuraError
from caesura.core.transcript import Span, Transcript
from caesura.text.alignment.transfer import placed
from caesura.text.alignment.word_alignment import Alignment, align
from caesura.text.normalization.steps import BARE, normalize
from caesura.text.phonetics import LETTERS, distances, known_source
from caesura.text.phonetics import phones as phones_of

STEPS = ("unicode", *BARE)
"""Recognisers do not agree on capitals, marks and ways to write what looks the same."""


def comparable(transcript: Transcript) -> tuple[Transcript, Indices]:
    """Give the words without case and punctuation, and their places among those given."""
    # Confidence is the one number that a word keeps for itself when others go.
    places = np.arange(len(transcript), dtype=np.float64)
    found = normalize(transcript.replace(confidence=places), STEPS)
    assert found.confidence is not None
    left = found.confidence.astype(np.int64)
    own = None if transcript.confidence is None else transcript.confidence[left]
    return found.replace(confidence=own), left


COLLAR = 0.5
"""Seconds before and after an entity in which its words are looked for."""

CANDIDATES = 256
"""Words beyond which a time says too little of where an entity is."""

SHARED = 0.85
"""The phone distance from which on words share nothing with an entity but chance."""

NONE = (0, -1)
"""No words."""


class Projected(NamedTuple):
    """Hypothesis words `first` to `last` that stand for an entity, and how they were found.

    `by` is 'time', 'alignment' or 'lost'; a lost one has no words: `last` is `first` - 1, and
    `first` the word before which it should stand. `distance` is that of the phones: 0 the
    same, 1 nothing shared, which is also that of a lost one.
    """

    entity: Span
    first: int
    last: int
    by: str
    distance: float

    @property
    def found(self) -> bool:
        """Whether there are words at all."""
        return self.last >= self.first


def project(
    reference: Transcript,
    hypothesis: Transcript,
    collar: float = COLLAR,
    alignment: Alignment | None = None,
    phones: str = LETTERS,
) -> tuple[Projected, ...]:
    """Find the hypothesis words of each entity of the reference, in the order of its entities.

    Where an entity and the hypothesis have times, it is the span among the words that overlap
    the entity, widened by `collar` seconds, whose `phones` (from 'letters', or a 'dictionary')
    are closest; of equally close ones the closest in time, then the shorter, then the earlier.
    Words that the `alignment` finds equal to others than the entity's stay with those. Without
    times, or where `clocks_differ`, it is the words from the first to the last that the
    `alignment` puts in the place of the entity's; so it is if these sound closer than any at its
    time. By default words are aligned in lower case with the fewest edits.
    """
    known_source(phones)
    if not collar >= 0:
        raise CaesuraError(f"a collar is 0 seconds or more, not {collar}")
    entities = reference.entities or ()
    if alignment is None:
        alignment = align(_lower(reference.words), _lower(hypothesis.words))
    alignment.check(len(reference), len(hypothesis))
    ours = _Heard.of(reference, reference.language or hypothesis.language, phones)
    theirs = _Heard.of(hypothesis, hypothesis.language or reference.language, phones)
    equal = np.where(alignment.equal, alignment.source, -1)
    there = [(each.first, each.last) for each in placed(entities, alignment)]
    aligned = [NONE if last < first else (first, last) for first, last in there]
    off = clocks_differ(reference, hypothesis, alignment, collar)
    timed = {} if off else _timed(entities, ours, theirs, equal, collar)
    said = [ours.said(each.first, each.last) for each in entities]
    far = distances(said, [theirs.said(*words) for words in aligned]).tolist()
    near = distances(said, [theirs.said(*timed.get(at, NONE)) for at in range(len(said))]).tolist()
    before = [0, *(alignment.gaps + 1).tolist()]
    made = []
    for at, entity in enumerate(entities):
        then = timed.get(at, NONE)
        if then != NONE and near[at] < SHARED and near[at] <= far[at]:
            made.append(Projected(entity, *then, "time", near[at]))
        elif aligned[at] != NONE and (at not in timed or far[at] < SHARED):
            made.append(Projected(entity, *aligned[at], "alignment", far[at]))
        else:
            made.append(_lost(entity, before[entity.first]))
    return tuple(made)


def clocks_differ(
    reference: Transcript, hypothesis: Transcript, alignment: Alignment, collar: float = COLLAR
) -> bool:
    """Whether times say nothing: equal words lie apart, in the median, by more than a collar."""
    if reference.start is None or hypothesis.start is None:
        return False
    equal = np.flatnonzero(alignment.equal)
    off = hypothesis.start[equal] - reference.start[alignment.source[equal]]
    off = off[np.isfinite(off)]
    return bool(len(off)) and abs(float(np.median(off))) > max(collar, COLLAR)


def parted(projected: Sequence[Projected]) -> tuple[Projected, ...]:
    """Cut what overlaps: words belong to the entity that comes first in the reference.

    What has no word left is lost; none stands before one that precedes it in the reference.
    """
    free, made = 0, []
    for one in projected:
        first = max(one.first, free)
        cut = one._replace(first=first) if first <= one.last else _lost(one.entity, first)
        made.append(cut)
        free = cut.last + 1
    return tuple(made)


def _lower(words: Sequence[str]) -> list[str]:
    return [word.lower() for word in words]


def _lost(entity: Span, place: int) -> Projected:
    return Projected(entity, place, place - 1, "lost", 1.0)


@dataclass(frozen=True)
class _Heard:
    """The phones of a transcript in one string, where each word's begin, and its times.

    A word without times may be anywhere between the words with times around it.
    """

    phones: str
    begin: Indices
    start: Floats
    end: Floats
    known: Flags

    @classmethod
    def of(cls, transcript: Transcript, language: str, source: str) -> _Heard:
        """Look up the phones, and fill in times."""
        each = phones_of(transcript.words, language, source)
        begin = np.append(0, np.cumsum(np.fromiter(map(len, each), np.int64, len(each))))
        return cls("".join(each), begin, *_bounds(transcript))

    def said(self, first: int, last: int) -> str:
        """Give the phones of words."""
        return self.phones[self.begin[first] : self.begin[last + 1]]

    @cached_property
    def ordered(self) -> tuple[Floats, Floats]:
        """Give the latest end up to each word, and the earliest start from it on."""
        return np.maximum.accumulate(self.end), np.minimum.accumulate(self.start[::-1])[::-1]

    def overlapping(self, low: float, high: float) -> Indices:
        """Find the words that overlap a time."""
        ends, starts = self.ordered
        first = int(np.searchsorted(ends, low))
        stop = int(np.searchsorted(starts, high, side="right"))
        inside = (self.end[first:stop] >= low) & (self.start[first:stop] <= high)
        return first + np.flatnonzero(inside)


def _bounds(transcript: Transcript) -> tuple[Floats, Floats, Flags]:
    """Give earliest starts and latest ends of words, and where both are known."""
    count = len(transcript)
    start, end = transcript.start, transcript.end
    if start is None or end is None:
        return np.full(count, -np.inf), np.full(count, np.inf), np.zeros(count, np.bool_)
    known = np.isfinite(start) & np.isfinite(end)
    numbers = np.arange(count)
    earlier = np.maximum.accumulate(np.where(known, numbers, -1))
    later = np.minimum.accumulate(np.where(known, numbers, count)[::-1])[::-1]
    low = np.where(known, start, np.append(end, -np.inf)[earlier])
    return low, np.where(known, end, np.append(start, np.inf)[later]), known


def _timed(
    entities: Sequence[Span], ours: _Heard, theirs: _Heard, equal: Indices, collar: float
) -> dict[int, tuple[int, int]]:
    """Find by time and phones the words of entities that have both; none if there are no words."""
    if not theirs.known.any():
        return {}
    asked: list[_Asked] = []
    for at, entity in enumerate(entities):
        inside = slice(entity.first, entity.last + 1)
        said = ours.said(entity.first, entity.last)
        if said and ours.known[inside].any():
            low, high = float(ours.start[inside].min()), float(ours.end[inside].max())
            words = theirs.overlapping(low - collar, high + collar)
            source = equal[words]
            words = words[(source < 0) | ((source >= entity.first) & (source <= entity.last))]
            if len(words) <= CANDIDATES:
                asked.append(_Asked(at, said, low, high, words))
    return _closest(asked, theirs) if asked else {}


class _Asked(NamedTuple):
    """An entity: what it sounds like, when it is said, and the words that may stand for it."""

    at: int
    said: str
    low: float
    high: float
    words: Indices


def _closest(asked: Sequence[_Asked], heard: _Heard) -> dict[int, tuple[int, int]]:
    """Choose among the spans of each entity; none for one that has no words to choose from."""
    owner, first, last = _spans(asked, heard)
    places = zip(heard.begin[first].tolist(), heard.begin[last + 1].tolist(), strict=True)
    said = [asked[one].said for one in owner.tolist()]
    far = distances(said, [heard.phones[begin:end] for begin, end in places])
    low, high = (np.array(column)[owner] for column in zip(*(a[2:4] for a in asked), strict=True))
    off = (_apart(heard.start[first], low) + _apart(heard.end[last], high)).round(6)
    order = np.lexsort((first, last - first, off, far, owner))
    _, best = np.unique(owner[order], return_index=True)
    best = order[best]
    chosen = zip(owner[best].tolist(), first[best].tolist(), last[best].tolist(), strict=True)
    found = {asked[one].at: (begin, end) for one, begin, end in chosen}
    return {one.at: NONE for one in asked} | found


def _apart(ours: Floats, theirs: Floats) -> Floats:
    """Give the seconds between times; none between two that are not bounded at all."""
    unequal = ours != theirs
    return np.abs(np.subtract(ours, theirs, out=np.zeros(len(ours)), where=unequal))


def _spans(asked: Sequence[_Asked], heard: _Heard) -> tuple[Indices, Indices, Indices]:
    """Give the spans of contiguous words, each one word or at most twice as long in phones.

    These are, for each span, the number of the entity and the first and the last word.
    """
    words = np.concatenate([one.words for one in asked])
    owner = np.repeat(np.arange(len(asked)), [len(one.words) for one in asked])
    length = np.array([len(one.said) for one in asked])[owner]
    room = np.searchsorted(heard.begin, heard.begin[words] + 2 * length, side="right") - 2
    parts = np.flatnonzero((np.diff(words) != 1) | (np.diff(owner) != 0))
    ends = np.append(words[parts], words[-1:])
    stretch = ends[np.searchsorted(parts, np.arange(len(words)))]
    counts = np.minimum(np.maximum(room, words), stretch) - words + 1
    first = np.repeat(words, counts)
    step = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(owner, counts), first, first + step
