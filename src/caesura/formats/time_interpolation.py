"""Times for formats that cannot do without."""

from __future__ import annotations

import logging
from bisect import bisect_right

import numpy as np

from caesura.core.arrays import Floats, Indices
from caesura.core.errors import OutputError
from caesura.core.transcript import Transcript
from caesura.formats.source import counted

logger = logging.getLogger("caesura")

OVERLAP = 1.0
"""Seconds by which words that follow each other may overlap; times further off are mistakes."""


def in_order(transcript: Transcript) -> Transcript:
    """Forget the times of the fewest words that leave each speaker's others in order.

    Recognisers now and then give a word a time far off, and who shows words in their order
    cannot use it. The user is told how many that were.
    """
    if transcript.start is None:
        return transcript
    known = np.flatnonzero(~np.isnan(transcript.start))
    if (np.diff(transcript.start[known]) >= 0).all():
        return transcript
    speakers = np.array(transcript.speaker or [""] * len(transcript), object)[known]
    astray = np.concatenate(
        [_astray(transcript.start, known[speakers == name]) for name in set(speakers.tolist())]
    )
    if not len(astray):
        return transcript
    start, end = transcript.start.copy(), transcript.end
    start[astray] = np.nan
    if end is not None:
        end = end.copy()
        end[astray] = np.nan
    logger.warning(
        "%s: the times of %s are out of order and were not used",
        transcript.id or "a recording",
        counted(len(astray), "word", "words"),
    )
    return transcript.replace(start=start, end=end)


def _astray(start: Floats, words: Indices) -> Indices:
    return np.delete(words, _rising(start[words].tolist()))


def _rising(times: list[float]) -> list[int]:
    """Give the places of a longest run of times, not side by side, that never fall."""
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
    """Give start and end of each word, the unknown ones spread evenly between known neighbours.

    The user is told how many that were; without any known time there is nothing to go by.
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
        "%s: times of %d of %d words are unknown and were spread between their neighbours",
        transcript.id or "a recording",
        int(holes.sum()),
        count,
    )
    return np.round(start, 6), np.round(np.maximum(start, end), 6)


def decimal(value: float) -> str:
    """Write a number without an exponent, microseconds kept, idle zeros left out."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
