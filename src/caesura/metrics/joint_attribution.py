"""Where in the hypothesis each count of a joint score belongs, so that parts can be resampled.

What is right or spurious stands at its own word. What is missing stands where the last right
token before it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.metrics.joint_words import right
from caesura.text.charmatch.units import Cutting, Units

if TYPE_CHECKING:
    from caesura.metrics.joint import Pairing


def placed(found: Pairing, hypothesis: Transcript, reference: Transcript) -> PerGapCounts:
    """Say how much each word of the hypothesis adds to each count."""
    matching, count = found.matching, len(hypothesis)
    gold, system = matching.gold, matching.system
    at = _places(found.hypothesis, system)
    near = _near(matching.tokens, len(gold.tokens), at)
    for unit, pairs in (("token", matching.tokens), ("sentence", matching.sentences)):
        ours, theirs = at, near
        if unit == "sentence":
            ours = at[np.searchsorted(system.tokens, system.sentences)]
            theirs = near[np.searchsorted(gold.tokens, gold.sentences)]
        yield from _counted(unit, ours, theirs, pairs, count)
    words = _of_words(found.hypothesis, system, at), _of_words(found.reference, gold, near)
    yield from _counted("word", *words, found.words, count)
    yield "characters", _summed(near, np.diff(gold.tokens, prepend=0), count)
    yield "characters_found", _summed(at, np.diff(system.tokens, prepend=0), count)
    yield "characters_matched", _summed(at, _matched(matching.runs, system), count)
    both = np.concatenate([each[each >= 0] for each in words])
    aligned = words[0][found.words[:, 1]]
    said = found.said
    for name, flags in right(reference, hypothesis, said).items():
        yield f"{name}_correct", np.bincount(said[flags, 1], minlength=count)
        yield f"{name}_aligned", np.bincount(aligned, minlength=count)
        yield f"{name}_words", np.bincount(both, minlength=count)


def _places(cut: Cutting, units: Units) -> Indices:
    """The word of the transcript at which each token stands; punctuation goes with the last."""
    first = np.searchsorted(cut.owner, units.kept_tokens)
    return np.maximum.accumulate(cut.source[first]).clip(min=0)


def _near(tokens: Indices, count: int, at: Indices) -> Indices:
    """The word at which the last right token stands, for each of `count` tokens."""
    before = np.searchsorted(tokens[:, 0], np.arange(count), side="right") - 1
    places = np.append(at[tokens[:, 1]], 0)
    return places[before]


def _of_words(cut: Cutting, units: Units, at: Indices) -> Indices:
    """The place of each word of a cutting; -1 for those of tokens that count for nothing."""
    place = np.full(len(cut.tokens), -1, np.int64)
    place[units.kept_tokens] = at
    return place[cut.owner]


def _counted(unit: str, ours: Indices, theirs: Indices, pairs: Indices, count: int) -> PerGapCounts:
    spurious, missing = ours.copy(), theirs.copy()
    spurious[pairs[:, 1]] = missing[pairs[:, 0]] = -1
    for kind, places in (("tp", ours[pairs[:, 1]]), ("fp", spurious), ("fn", missing)):
        yield f"{unit}_{kind}", np.bincount(places[places >= 0], minlength=count)


def _summed(places: Indices, numbers: Indices, count: int) -> Indices:
    column = np.zeros(count, np.int64)
    np.add.at(column, places, numbers)
    return column


def _matched(runs: Indices, system: Units) -> Indices:
    """How many characters of each token are matched."""
    if not len(runs):
        return np.zeros(len(system.tokens), np.int64)
    _, start, length = runs.T
    done = np.cumsum(length)
    knots = np.stack((start, start + length), axis=1).ravel()
    sums = np.stack((done - length, done), axis=1).ravel()
    upto: Indices = np.interp(system.tokens, knots, sums).astype(np.int64)
    return np.diff(upto, prepend=0)
