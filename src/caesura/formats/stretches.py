"""Cutting a recording into stretches of speech, for formats whose rows are such."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from caesura.formats.times import filled_times
from caesura.transcript import Flags, Transcript


class Stretch(NamedTuple):
    """Words `first` to `last`, spoken by one speaker from `start` to `end`."""

    first: int
    last: int
    start: float
    end: float


def stretches(transcript: Transcript, format: str) -> Iterator[Stretch]:
    """Cut where the speaker changes and at sentence ends or, without these, at known times.

    Recordings read from such a format are cut as they were; a recording with times for every
    word is cut into its words.
    """
    if not len(transcript):
        return
    lasts = np.flatnonzero(_cuts(transcript))
    firsts = np.append(0, lasts[:-1] + 1)
    unknown = np.full(len(transcript), np.nan)
    starts = unknown if transcript.start is None else transcript.start
    ends = unknown if transcript.end is None else transcript.end
    if np.isnan(starts[firsts]).any() or np.isnan(ends[lasts]).any():
        starts, ends = filled_times(transcript, format)
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        start, end = float(starts[first]), float(np.nanmax(ends[first : last + 1]))
        yield Stretch(first, last, start, max(start, end))


def _cuts(transcript: Transcript) -> Flags:
    """Tell after which words a stretch ends."""
    cut = np.ones(len(transcript), dtype=np.bool_)
    speakers = transcript.speaker or ("",) * len(transcript)
    cut[:-1] = [a != b for a, b in pairwise(speakers)]
    if transcript.sentences is not None:
        cut |= transcript.sentences.boundary
    else:
        if transcript.start is not None:
            cut[:-1] |= ~np.isnan(transcript.start[1:])
        if transcript.end is not None:
            cut |= ~np.isnan(transcript.end)
    return cut
