"""The word of the hypothesis to which each count of `Joint` belongs, for resampling of parts.

Correct and spurious units are counted at their own word, missing ones at the word of the last
correct token before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.metrics.joint_words import flag_correct
from caesura.text.charmatch.units import Tokenization, Units

if TYPE_CHECKING:
    from caesura.metrics.joint import MatchedTexts


def counts_by_word(
    found: MatchedTexts, hypothesis: Transcript, reference: Transcript
) -> PerGapCounts:
    """Yield how much each word of the hypothesis adds to each count."""
    matching, count = found.matching, len(hypothesis)
    gold, system = matching.gold, matching.system
    at = _token_words(found.hypothesis, system)
    near = _last_correct_words(matching.tokens, len(gold.tokens), at)
    for unit, pairs in (("token", matching.tokens), ("sentence", matching.sentences)):
        ours, theirs = at, near
        if unit == "sentence":
            ours = at[np.searchsorted(system.tokens, system.sentences)]
            theirs = near[np.searchsorted(gold.tokens, gold.sentences)]
        yield from _unit_columns(unit, ours, theirs, pairs, count)
    words = _word_places(found.hypothesis, system, at), _word_places(found.reference, gold, near)
    yield from _unit_columns("word", *words, found.words, count)
    yield "characters", _sum_at(near, np.diff(gold.tokens, prepend=0), count)
    yield "characters_found", _sum_at(at, np.diff(system.tokens, prepend=0), count)
    yield "characters_matched", _sum_at(at, _matched_characters(matching.runs, system), count)
    both = np.concatenate([places[places >= 0] for places in words])
    aligned = words[0][found.words[:, 1]]
    pairs = found.transcript_pairs
    for name, flags in flag_correct(reference, hypothesis, pairs).items():
        yield f"{name}_correct", np.bincount(pairs[flags, 1], minlength=count)
        yield f"{name}_aligned", np.bincount(aligned, minlength=count)
        yield f"{name}_words", np.bincount(both, minlength=count)


def _token_words(cut: Tokenization, units: Units) -> Indices:
    """Return the word of the transcript for each token; punctuation has the word before it."""
    first = np.searchsorted(cut.owner, units.kept_tokens)
    return np.maximum.accumulate(cut.source[first]).clip(min=0)


def _last_correct_words(tokens: Indices, count: int, at: Indices) -> Indices:
    """Return the word of the last correct token before each of `count` tokens."""
    before = np.searchsorted(tokens[:, 0], np.arange(count), side="right") - 1
    places = np.append(at[tokens[:, 1]], 0)
    return places[before]


def _word_places(cut: Tokenization, units: Units, at: Indices) -> Indices:
    """Return the place of each word; -1 for words of empty tokens."""
    place = np.full(len(cut.tokens), -1, np.int64)
    place[units.kept_tokens] = at
    return place[cut.owner]


def _unit_columns(
    unit: str, ours: Indices, theirs: Indices, pairs: Indices, count: int
) -> PerGapCounts:
    spurious, missing = ours.copy(), theirs.copy()
    spurious[pairs[:, 1]] = missing[pairs[:, 0]] = -1
    for kind, places in (("tp", ours[pairs[:, 1]]), ("fp", spurious), ("fn", missing)):
        yield f"{unit}_{kind}", np.bincount(places[places >= 0], minlength=count)


def _sum_at(places: Indices, numbers: Indices, count: int) -> Indices:
    column = np.zeros(count, np.int64)
    np.add.at(column, places, numbers)
    return column


def _matched_characters(runs: Indices, system: Units) -> Indices:
    """Count the matched characters of each token."""
    if not len(runs):
        return np.zeros(len(system.tokens), np.int64)
    _, start, length = runs.T
    done = np.cumsum(length)
    knots = np.stack((start, start + length), axis=1).ravel()
    sums = np.stack((done - length, done), axis=1).ravel()
    upto: Indices = np.interp(system.tokens, knots, sums).astype(np.int64)
    return np.diff(upto, prepend=0)
