"""Times for formats that need them: interpolated where unknown, ignored where out of order."""

from __future__ import annotations

import logging
from bisect import bisect_right

import numpy as np

from caesura.core.arrays import Floats, Indices
from caesura.core.errors import OutputError
from caesura.core.transcript import Transcript
from caesura.formats.base import counted

logger = logging.getLogger("caesura")

OVERLAP = 1.0
"""Seconds by which successive words may overlap; times that are further off are mistakes."""


def in_order(transcript: Transcript) -> Transcript:
    """Remove times that are out of order, from as few words of each speaker as possible.

    Recognisers now and then give a word a time that is far off, which captions cannot use. A
    warning says how many words that were.
    """
    if transcript.start is None:
        return transcript
    known = np.flatnonzero(~np.isnan(transcript.start))
    if (np.diff(transcript.start[known]) >= 0).all():
        return transcript
    speakers = np.array(transcript.speaker or [""] * len(transcript), object)[known]
    misplaced = np.concatenate(
        [
            _out_of_order(transcript.start, known[speakers == name])
            for name in set(speakers.tolist())
        ]
    )
    if not len(misplaced):
        return transcript
    start, end = transcript.start.copy(), transcript.end
    start[misplaced] = np.nan
    if end is not None:
        end = end.copy()
        end[misplaced] = np.nan
    logger.warning(
        "%s: the times of %s are out of order and were not used",
        transcript.id or "a recording",
        counted(len(misplaced), "word", "words"),
    )
    return transcript.replace(start=start, end=end)


def _out_of_order(start: Floats, words: Indices) -> Indices:
    return np.delete(words, _longest_ordered(start[words].tolist()))


def _longest_ordered(times: list[float]) -> list[int]:
    """Return the places of a longest subsequence of times that never decreases."""
    ends: list[float] = []
    last: list[int] = []
    before: list[int] = []
    for at, time in enumerate(times):
        length = bisect_right(ends, time)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [time]
        last[length : length + 1] = [at]
    place, found = last[-1], []
    while place >= 0:
        found.append(place)
        place = before[place]
    return found[::-1]


def filled_times(transcript: Transcript, format: str) -> tuple[Floats, Floats]:
    """Return start and end of each word; unknown times are interpolated between known ones.

    A warning says how many words that were. Without any known time it is an error.
    """
    unknown = np.full(len(transcript), np.nan)
    start = unknown if transcript.start is None else transcript.start
    end = unknown if transcript.end is None else transcript.end
    holes = np.isnan(start) | np.isnan(end)
    if not holes.any():
        return start, np.maximum(start, end)
    count = len(transcript)
    place = np.concatenate([np.arange(count), np.arange(count) + 1])
    times = np.concatenate([start, end])
    known = ~np.isnan(times)
    if not known.any():
        raise OutputError(
            f"{transcript.id or 'the recording'} has no times, and {format} needs them",
            remedy="choose another format, or carry times over from another transcript",
        )
    order = np.lexsort((times[known], place[known]))
    knots = times[known][order]
    after = np.append(knots[1:], np.inf)
    # A word that runs a little into the next must not make times between them run backwards.
    knots = np.where((knots > after) & (knots - after < OVERLAP), after, knots)
    spread = np.interp(place, place[known][order], knots)
    start = np.where(np.isnan(start), spread[:count], start)
    end = np.where(np.isnan(end), spread[count:], end)
    logger.warning(
        "%s: the file has no times for %d of %d words; they were spread between those it has",
        transcript.id or "a recording",
        int(holes.sum()),
        count,
    )
    return np.round(start, 6), np.round(np.maximum(start, end), 6)


def decimal(value: float) -> str:
    """Write a number with up to six decimals, without an exponent and without final zeros."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
