"""Where gaps go in stretches that were replaced by other words: their characters tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein

from caesura.text.align import Alignment
from caesura.transcript import Floats, Indices

LONGEST = 1000
"""Words of a stretch beyond which its sides are hardly the same speech."""

DIGIT = re.compile(r"\d")

LETTERS = 4
"""How many letters a digit stands for, as it is mostly read as a word of its own."""


def by_characters(aligned: Alignment, source: Sequence[str], target: Sequence[str]) -> Indices:
    """Give the target gap of each source gap, -1 where there is none before it.

    A gap next to an equal word, or in a stretch that one side lacks, goes after the last target
    word that stands at or before it. Where words were replaced by others, a gap goes to the one
    nearest to it when the characters of both are aligned; the last one to the last one.
    """
    gaps = aligned.gaps.copy()
    place = aligned.equal_target
    matched = np.flatnonzero(place >= 0)
    ours = np.concatenate([[-1], matched, [len(source)]])
    theirs = np.concatenate([[-1], place[matched], [len(target)]])
    both = (np.diff(ours) > 1) & (np.diff(theirs) > 1)
    for at in np.flatnonzero(both & (np.diff(ours) + np.diff(theirs) <= LONGEST)).tolist():
        first, last = int(ours[at]) + 1, int(ours[at + 1])
        start, end = int(theirs[at]) + 1, int(theirs[at + 1])
        gaps[first:last] = start - 1 + _nearest(source[first:last], target[start:end])
    return gaps


def _nearest(source: Sequence[str], target: Sequence[str]) -> Indices:
    """Count the target words before the gap that is nearest to each source gap."""
    ours, theirs = list(map(_spelt, source)), list(map(_spelt, target))
    ends = np.cumsum(list(map(len, ours)))
    reached = _reached("".join(ours), "".join(theirs))[ends]
    gaps = np.cumsum([0, *map(len, theirs)])
    reached[-1] = gaps[-1]
    nearest: Indices = np.abs(reached[:, np.newaxis] - gaps).argmin(axis=1)
    return nearest


def _reached(source: str, target: str) -> Floats:
    """Count the target characters that stand at or before each place in the source."""
    reached = np.zeros(len(source) + 1)
    for step in Levenshtein.opcodes(source, target):
        inside = slice(step.src_start + 1, step.src_end + 1)
        reached[inside] = step.dest_start
        if step.tag in ("equal", "replace"):
            reached[inside] += np.arange(1, step.src_end - step.src_start + 1)
    return reached


def _spelt(word: str) -> str:
    return DIGIT.sub(lambda found: found[0] * LETTERS, word)
