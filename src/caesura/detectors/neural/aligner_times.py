"""Times as other recognisers and aligners would give them, to train on.

No two of them measure a pause alike. Forced aligners end a word where its sound ends. Whisper gives
words end to end: a pause becomes part of a word beside it, and only at a mark that Whisper writes,
or between its segments, some of the pause is left. A model that has seen the times of one of them
alone takes the habits of another for speech.

Times here are those of the gaps and words of one recording: the pause after each word in seconds,
and the seconds that each word takes. Nothing that is not known becomes known.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from caesura.core.arrays import Flags, Floats, Indices

COMMA, FIRST_END = 1, 2
"""The class of a gap with a comma, and the first one that ends a sentence."""

STEPS = (0.01, 0.02, 0.04, 0.1, 0.2)
"""To so many seconds recognisers round."""

WHISPER_STEP = 0.02
LONGEST_MEDIAN = 0.7
"""Whisper takes no more seconds than these for the usual length of a word."""


def altered_times(pauses: Floats, lasts: Floats, draw: Generator) -> tuple[Floats, Floats]:
    """Stretch, shorten, blur and round pauses and words, all of a recording in one way."""
    found = pauses * np.exp(draw.normal(0, 0.35))
    whole = np.maximum(found, 0.0)
    kind = draw.random()
    if kind < 0.35:
        found = found - draw.uniform(0, 0.3)
    elif kind < 0.55:
        found = np.where(found < draw.uniform(0.05, 0.5), 0.0, found)
    lasts = lasts * np.exp(draw.normal(0, draw.uniform(0, 0.3), len(lasts)))
    if draw.random() < 0.5:
        # The word before a pause takes up what the pause has lost.
        lasts = lasts + np.nan_to_num(whole - np.maximum(found, 0.0))
    if draw.random() < 0.5:
        found = found + draw.normal(0, draw.uniform(0.01, 0.1), len(found)) * (found > 0)
    if draw.random() < 0.3:
        is_lost = draw.random(len(found)) < draw.uniform(0, 0.3)
        found = np.where(is_lost & ~np.isnan(found), 0.0, found)
    found = np.maximum(found, 0.0)
    if draw.random() < 0.4:
        found = _rounded(found, draw.choice(STEPS))
    return found, lasts


def whisper_times(
    pauses: Floats, lasts: Floats, target: Indices, draw: Generator
) -> tuple[Floats, Floats]:
    """Give words end to end, as programs with Whisper do; `target` is the class of each gap.

    openai-whisper and faster-whisper count the pause at a mark to the word before it, and cut a
    word at a sentence end to twice the usual length. whisper-timestamped leaves the pause at any
    mark. Others leave none. Between segments, most of them leave a long pause.
    """
    silence = np.nan_to_num(np.maximum(pauses, 0.0))
    chance = draw.random((5, len(silence)))
    is_end = (target >= FIRST_END) & (chance[0] < draw.uniform(0.7, 1.0))
    # Whisper also writes full stops where there are none, above all at pauses.
    is_end |= (silence > 0.4) & (chance[0] < draw.uniform(0.0, 0.15))
    is_marked = is_end | ((target == COMMA) & (chance[1] < draw.uniform(0.5, 1.0)))
    before = is_marked | (chance[2] < draw.uniform(0.3, 1.0))
    before &= ~is_end | (chance[2] < draw.uniform(0.6, 1.0))
    program = draw.random()
    if program < 0.55:
        longest = 2 * min(LONGEST_MEDIAN, _median(lasts)) * draw.uniform(0.8, 1.2)
        after = np.append(np.nan_to_num(lasts[1:]), 0.0)
        room = np.where(before, longest, np.maximum(longest - after, 0.0))
        left = np.where(is_end, np.maximum(silence - room, 0.0), 0.0)
    elif program < 0.85:
        left = np.where(is_marked, silence * draw.uniform(0.6, 1.0), 0.0)
    else:
        left = np.zeros(len(silence))
    left = np.maximum(left, _left_between_segments(silence, is_end, chance[3:], draw))
    lost = silence - left
    lasts = lasts + np.where(before, lost, 0.0)
    lasts[1:] += np.where(before, 0.0, lost)[:-1]
    return np.where(np.isnan(pauses), np.nan, _rounded(left, WHISPER_STEP)), lasts


def _left_between_segments(
    silence: Floats, is_end: Flags, chance: Floats, draw: Generator
) -> Floats:
    """Return what is left of the pauses between segments; most segments end where sentences do."""
    ends = np.where(is_end, draw.uniform(0.0, 0.7), draw.uniform(0.0, 0.08))
    is_long = silence > draw.uniform(0.3, 1.5)
    between: Floats = np.where(is_long & (chance[0] < ends), silence, 0.0)
    left: Floats = between * (1 - chance[1] * draw.uniform(0, 0.5))
    return left


def _median(lasts: Floats) -> float:
    known = lasts[~np.isnan(lasts)]
    return float(np.median(known)) if len(known) else 0.0


def _rounded(times: Floats, step: float) -> Floats:
    found: Floats = np.rint(times / step) * step
    return found
