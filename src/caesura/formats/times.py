"""Times for formats that cannot do without."""

from __future__ import annotations

import logging

import numpy as np

from caesura.errors import OutputError
from caesura.transcript import Floats, Transcript

logger = logging.getLogger("caesura")

OVERLAP = 1.0
"""Seconds by which words that follow each other may overlap; times further off are mistakes."""


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
