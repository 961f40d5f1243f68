"""Ways to prepare texts: whether numbers are spelt, and what learners see of alternatives."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from caesura.core.transcript import Span, Transcript
from caesura.formats.sidecars import completed
from caesura.text.normalization.token_edits import rewritten

OTHERWISE = 0.5
"""The share of places with alternatives at which one of these is shown, if they are drawn."""


@dataclass(frozen=True)
class Way:
    """Whether numbers are spelt in all texts, and whether learners see alternatives, drawn."""

    key: str
    title: str
    spelt: bool
    drawn: bool


SPELT = Way("spelt", "numbers spelt", spelt=True, drawn=False)
OTHER_WAYS = (
    Way("spelt-drawn", "numbers spelt, alternatives drawn", spelt=True, drawn=True),
    Way("written", "numbers as written", spelt=False, drawn=False),
    Way("written-drawn", "numbers as written, alternatives drawn", spelt=False, drawn=True),
)


def meant(call: Transcript) -> Transcript:
    """Write numbers as they were meant, where a reading says so: `2020` for `202`."""
    words = list(call.words)
    for first, last, label, _ in call.alternatives or ():
        if first == last and label in completed(call.words[first]):
            words[first] = label
    return call.replace(words=tuple(words))


def shown(call: Transcript, way: Way) -> Transcript:
    """Show a call to learners: as it is written, or with alternatives in half of the places.

    Which, is drawn, the same for all learners: what is said in several ways (*two thousand
    twenty*, *twenty twenty*) a recogniser that writes digits writes in one.
    """
    bare = call.replace(alternatives=None)
    return rewritten(bare, _drawn(call)) if way.drawn else bare


def _drawn(call: Transcript) -> list[Span]:
    """Draw places, and one of the alternatives of each."""
    chance = np.random.default_rng(zlib.crc32(call.id.encode()))
    changes: list[Span] = []
    last = -1
    for (first, stop), group in groupby(call.alternatives or (), key=lambda span: span[:2]):
        if first > last:
            last = stop
            ways = list(group)
            if chance.random() < OTHERWISE:
                changes.append(ways[int(chance.integers(len(ways)))])
    return changes
