"""Find the entities of a reference in recognised words: by time and sound, or by alignment.

Also here: `drop_overlaps`, which keeps the longest of overlapping entities.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.errors import CaesuraError
from caesura.core.transcript import Span, Transcript
from caesura.text.alignment.transfer import project_spans
from caesura.text.alignment.word_alignment import Alignment, align
from caesura.text.normalization.steps import BARE_STEPS, normalize
from caesura.text.phonetics import LETTERS, check_source, phone_distances
from caesura.text.phonetics import phones as phones_of

SPELLING_CLASSES = tuple(
    "ABBREVIATION ALPHANUMERIC CONTRACTION FALLBACK RANGE TWITTER WEBSITE".split()
)
"""Classes of Rev's transcripts that describe how something is written, not what it names."""


def drop_overlaps(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Keep spans that do not overlap, in order: of those that do, the longest (ties: the first).

    A span stays unless it overlaps a longer one that stays. Spans of the same words are ordered
    by label and key, so that the order of the input does not matter.
    """
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.first - span.last, span)):
        at = bisect(kept, span.first, key=lambda other: other.first)
        if at and kept[at - 1].last >= span.first:
            continue
        if at < len(kept) and kept[at].first <= span.last:
            continue
        insort(kept, span)
    return tuple(kept)


COMPARISON_STEPS = ("unicode", *BARE_STEPS)
"""Normalisation before words are compared: recognisers differ in case and punctuation."""


def comparable_words(transcript: Transcript) -> tuple[Transcript, Indices]:
    """Return the words without case and punctuation, and their places in the original."""
    # Normalisation moves the confidence with its word, so that it can carry the place.
    places = np.arange(len(transcript), dtype=np.float64)
    found = normalize(transcript.replace(confidence=places), COMPARISON_STEPS)
    assert found.confidence is not None
    left = found.confidence.astype(np.int64)
    own = None if transcript.confidence is None else transcript.confidence[left]
    return found.replace(confidence=own), left


COLLAR = 0.5
"""Seconds before and after an entity in which its words are searched."""

MAX_CANDIDATES = 256
"""If more words are at the time of an entity, the time says too little."""

MAX_DISTANCE = 0.85
"""From this phone distance on, words resemble an entity only by chance."""

NO_WORDS = (0, -1)
"""A span without words."""


class Projected(NamedTuple):
    """The hypothesis words `first` to `last` of an entity, and how they were found.

    `by` is 'time', 'alignment' or 'lost'. A lost entity has no words: `first` is the word before
    which it should stand, `last` is `first` - 1. `distance` is the phone distance: 0 equal, 1
    nothing shared or lost.
    """

    entity: Span
    first: int
    last: int
    by: str
    distance: float

    @property
    def found(self) -> bool:
        """Whether the entity has words."""
        return self.last >= self.first


def project(
    reference: Transcript,
    hypothesis: Transcript,
    collar: float = COLLAR,
    alignment: Alignment | None = None,
    phones: str = LETTERS,
) -> tuple[Projected, ...]:
    """Find the hypothesis words of each entity of the reference, in the order of the entities.

    By time: if the entity and the hypothesis have times, the candidates are the words that
    overlap with the entity, widened by `collar` seconds. The span whose `phones` (by rules from
    'letters', or from a 'dictionary') are closest is chosen; of equally close ones the closest
    in time, then the shorter, then the earlier. Words that the `alignment` pairs with an equal
    word outside the entity are no candidates.

    By alignment: without times, if `clocks_differ`, or if these words sound closer than any at
    its time, the words from the first to the last that the `alignment` pairs with the entity. By
    default words are aligned in lower case with the fewest edits.
    """
    check_source(phones)
    if not collar >= 0:
        raise CaesuraError(f"collar must be 0 seconds or more, not {collar}")
    entities = reference.entities or ()
    if alignment is None:
        alignment = align(_lower(reference.words), _lower(hypothesis.words))
    alignment.check(len(reference), len(hypothesis))
    ours = _PhonesAndTimes.of(reference, reference.language or hypothesis.language, phones)
    theirs = _PhonesAndTimes.of(hypothesis, hypothesis.language or reference.language, phones)
    equal = np.where(alignment.equal, alignment.source, -1)
    there = [(entity.first, entity.last) for entity in project_spans(entities, alignment)]
    aligned = [NO_WORDS if last < first else (first, last) for first, last in there]
    off = clocks_differ(reference, hypothesis, alignment, collar)
    timed = {} if off else _find_by_time(entities, ours, theirs, equal, collar)
    said = [ours.phones_of(entity.first, entity.last) for entity in entities]
    far = phone_distances(said, [theirs.phones_of(*words) for words in aligned]).tolist()
    near = phone_distances(
        said, [theirs.phones_of(*timed.get(at, NO_WORDS)) for at in range(len(said))]
    ).tolist()
    before = [0, *(alignment.gaps + 1).tolist()]
    made = []
    for at, entity in enumerate(entities):
        then = timed.get(at, NO_WORDS)
        if then != NO_WORDS and near[at] < MAX_DISTANCE and near[at] <= far[at]:
            made.append(Projected(entity, *then, "time", near[at]))
        elif aligned[at] != NO_WORDS and (at not in timed or far[at] < MAX_DISTANCE):
            made.append(Projected(entity, *aligned[at], "alignment", far[at]))
        else:
            made.append(_lost_entity(entity, before[entity.first]))
    return tuple(made)


def clocks_differ(
    reference: Transcript, hypothesis: Transcript, alignment: Alignment, collar: float = COLLAR
) -> bool:
    """Whether the times of both sides differ too much to be compared.

    They do if the median difference between equal words is more than a collar.
    """
    if reference.start is None or hypothesis.start is None:
        return False
    equal = np.flatnonzero(alignment.equal)
    off = hypothesis.start[equal] - reference.start[alignment.source[equal]]
    off = off[np.isfinite(off)]
    return bool(len(off)) and abs(float(np.median(off))) > max(collar, COLLAR)


def separate_overlaps(projected: Sequence[Projected]) -> tuple[Projected, ...]:
    """Make the words of entities disjoint: words belong to the first entity in the reference.

    An entity without words left is lost. Entities keep the order of the reference.
    """
    free, made = 0, []
    for one in projected:
        first = max(one.first, free)
        cut = one._replace(first=first) if first <= one.last else _lost_entity(one.entity, first)
        made.append(cut)
        free = cut.last + 1
    return tuple(made)


def _lower(words: Sequence[str]) -> list[str]:
    return [word.lower() for word in words]


def _lost_entity(entity: Span, place: int) -> Projected:
    return Projected(entity, place, place - 1, "lost", 1.0)


@dataclass(frozen=True)
class _PhonesAndTimes:
    """The phones of a transcript in one string, where each word begins, and the times of words.

    A word without times may be anywhere between the nearest words with times.
    """

    phones: str
    begin: Indices
    start: Floats
    end: Floats
    known: Flags

    @classmethod
    def of(cls, transcript: Transcript, language: str, source: str) -> _PhonesAndTimes:
        """Get the phones and times of a transcript."""
        each = phones_of(transcript.words, language, source)
        begin = np.append(0, np.cumsum(np.fromiter(map(len, each), np.int64, len(each))))
        return cls("".join(each), begin, *_time_bounds(transcript))

    def phones_of(self, first: int, last: int) -> str:
        """Return the phones of words `first` to `last`."""
        return self.phones[self.begin[first] : self.begin[last + 1]]

    @cached_property
    def ordered(self) -> tuple[Floats, Floats]:
        """The latest end up to each word, and the earliest start from it on."""
        return np.maximum.accumulate(self.end), np.minimum.accumulate(self.start[::-1])[::-1]

    def overlapping(self, low: float, high: float) -> Indices:
        """Return the words that overlap with a time."""
        ends, starts = self.ordered
        first = int(np.searchsorted(ends, low))
        stop = int(np.searchsorted(starts, high, side="right"))
        inside = (self.end[first:stop] >= low) & (self.start[first:stop] <= high)
        return first + np.flatnonzero(inside)


def _time_bounds(transcript: Transcript) -> tuple[Floats, Floats, Flags]:
    """Return the earliest starts and latest ends of words, and flags where both are known."""
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


def _find_by_time(
    entities: Sequence[Span],
    ours: _PhonesAndTimes,
    theirs: _PhonesAndTimes,
    equal: Indices,
    collar: float,
) -> dict[int, tuple[int, int]]:
    """Find the words of entities by time and phones; `NO_WORDS` if there are no candidates."""
    if not theirs.known.any():
        return {}
    searches: list[_Search] = []
    for at, entity in enumerate(entities):
        inside = slice(entity.first, entity.last + 1)
        said = ours.phones_of(entity.first, entity.last)
        if said and ours.known[inside].any():
            low, high = float(ours.start[inside].min()), float(ours.end[inside].max())
            words = theirs.overlapping(low - collar, high + collar)
            source = equal[words]
            words = words[(source < 0) | ((source >= entity.first) & (source <= entity.last))]
            if len(words) <= MAX_CANDIDATES:
                searches.append(_Search(at, said, low, high, words))
    return _closest_spans(searches, theirs) if searches else {}


class _Search(NamedTuple):
    """A search for an entity: its phones, its time, and the candidate words."""

    at: int
    phones: str
    low: float
    high: float
    words: Indices


def _closest_spans(
    searches: Sequence[_Search], target: _PhonesAndTimes
) -> dict[int, tuple[int, int]]:
    """Choose the closest span for each entity; `NO_WORDS` without candidates."""
    owner, first, last = _candidate_spans(searches, target)
    places = zip(target.begin[first].tolist(), target.begin[last + 1].tolist(), strict=True)
    wanted = [searches[one].phones for one in owner.tolist()]
    far = phone_distances(wanted, [target.phones[begin:end] for begin, end in places])
    low, high = (
        np.array(column)[owner] for column in zip(*(a[2:4] for a in searches), strict=True)
    )
    off = (_seconds_apart(target.start[first], low) + _seconds_apart(target.end[last], high)).round(
        6
    )
    order = np.lexsort((first, last - first, off, far, owner))
    _, best = np.unique(owner[order], return_index=True)
    best = order[best]
    chosen = zip(owner[best].tolist(), first[best].tolist(), last[best].tolist(), strict=True)
    found = {searches[one].at: (begin, end) for one, begin, end in chosen}
    return {one.at: NO_WORDS for one in searches} | found


def _seconds_apart(ours: Floats, theirs: Floats) -> Floats:
    """Return the seconds between times; 0 between two equal infinities."""
    unequal = ours != theirs
    return np.abs(np.subtract(ours, theirs, out=np.zeros(len(ours)), where=unequal))


def _candidate_spans(
    searches: Sequence[_Search], target: _PhonesAndTimes
) -> tuple[Indices, Indices, Indices]:
    """Return the spans of contiguous candidates: one word, or at most twice the entity's phones.

    For each span: the number of the search, the first and the last word.
    """
    words = np.concatenate([one.words for one in searches])
    owner = np.repeat(np.arange(len(searches)), [len(one.words) for one in searches])
    length = np.array([len(one.phones) for one in searches])[owner]
    room = np.searchsorted(target.begin, target.begin[words] + 2 * length, side="right") - 2
    parts = np.flatnonzero((np.diff(words) != 1) | (np.diff(owner) != 0))
    ends = np.append(words[parts], words[-1:])
    segment_end = ends[np.searchsorted(parts, np.arange(len(words)))]
    counts = np.minimum(np.maximum(room, words), segment_end) - words + 1
    first = np.repeat(words, counts)
    step = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(owner, counts), first, first + step
