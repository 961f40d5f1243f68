"""What a tagger sees of a word and its neighbours, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.text.vocabulary import hashed

AFFIX = 4
"""Letters of the longest prefixes and suffixes."""

WORD, SHAPE, TAG = 0, 2 * AFFIX + 1, 2 * AFFIX + 2
PREFIX, SUFFIX = 1, AFFIX + 1
"""Columns of clues; prefixes of 1 to 4 letters begin at PREFIX, suffixes at SUFFIX."""

MARGIN = 2
"""How far neighbours are looked at."""

BEYOND = 0
"""The number of what is before and after a recording; as a tag it is 0 too."""

NO_KEY = -1

Template = tuple[tuple[int, int], ...]
"""Clues that are seen together, each with its place: 0 for the word itself, -1 for the last."""

NEAR: dict[int, tuple[int, ...]] = {
    0: tuple(range(SHAPE + 1)),
    -2: (WORD, SUFFIX + 2),
    -1: (WORD, SUFFIX + 1, SUFFIX + 2, PREFIX + 2),
    1: (WORD, SUFFIX + 1, SUFFIX + 2, PREFIX + 2),
    2: (WORD, SUFFIX + 2),
}
"""Clues that are seen one by one, by their places."""

ALONE: tuple[Template, ...] = tuple(
    ((clue, place),) for place, clues in NEAR.items() for clue in clues
)
STARTS = tuple(accumulate(map(len, NEAR.values()), initial=0))[:-1]
"""Where the clues of each place begin among these."""

PAIRS: tuple[Template, ...] = (((WORD, -1), (WORD, 0)), ((WORD, 0), (WORD, 1)))
FIRST = (*ALONE, *PAIRS)
"""What the first round sees."""

SECOND: tuple[Template, ...] = (
    ((TAG, 0),),
    ((TAG, -1),),
    ((TAG, 1),),
    ((TAG, -2), (TAG, -1)),
    ((TAG, 1), (TAG, 2)),
    ((TAG, -1), (TAG, 1)),
    ((TAG, -1), (TAG, 0), (TAG, 1)),
    ((TAG, -1), (WORD, 0)),
    ((TAG, 1), (WORD, 0)),
    ((TAG, -1), (TAG, 1), (WORD, 0)),
    ((TAG, -1), (SUFFIX + 1, 0)),
    ((TAG, 1), (SUFFIX + 1, 0)),
    ((WORD, -1), (TAG, 0)),
    ((WORD, 1), (TAG, 0)),
)
"""What the second round sees besides: tags that the first gave."""

NUMBERS = {template: number for number, template in enumerate((*FIRST, *SECOND), 1)}


@dataclass(frozen=True, eq=False)
class Words:
    """Recordings as numbers of distinct words, with room before, between and after them."""

    clues: NDArray[np.uint64]
    """Hashes of what is seen of each distinct word, 0 for nothing; the first is `BEYOND`."""

    at: Indices
    places: Indices
    """The places of words in `at`; the others are beyond a recording."""

    @classmethod
    def of(cls, recordings: Sequence[Sequence[str]]) -> Words:
        """Number the spellings of recordings."""
        numbers: dict[str, int] = {}
        room = [BEYOND] * MARGIN
        at = [*room]
        for spellings in recordings:
            at += [numbers.setdefault(word, len(numbers) + 1) for word in spellings]
            at += room
        beyond = [hashed("\n"), *[0] * SHAPE]
        clues = np.array([beyond, *map(_clues, numbers)], np.uint64)
        found = np.array(at, np.int64)
        return cls(clues, found, np.flatnonzero(found != BEYOND))

    def shifted(self, place: int) -> Indices:
        """Number the word that stands so many places after each word."""
        return self.at[self.places + place]

    def kinds(self, templates: tuple[Template, ...]) -> Indices:
        """Give the keys of templates of one clue each for each distinct word."""
        (depth,) = _plan(templates).depths
        return _keys(templates, [self.clues[:, depth.clues]])

    def keys(self, templates: tuple[Template, ...], tags: Indices | None = None) -> Indices:
        """Give the keys of templates for each word; `tags` are numbers of tags, from 1 on."""
        # No clue is 0, and what is beyond a recording is one.
        spread = np.ones(len(self.at), np.uint64)
        if tags is not None:
            spread[self.places] = tags + 1
        clues = np.concatenate([self.clues[self.at], spread[:, None]], axis=1)
        here = self.places[:, None]
        depths = _plan(templates).depths
        return _keys(templates, [clues[here + each.places, each.clues] for each in depths])


class Depth(NamedTuple):
    """The first clues of templates, or the second ones, and so on, of those that have as many."""

    templates: Indices
    clues: Indices
    places: Indices


class Plan(NamedTuple):
    """The numbers of templates, mixed, and where their clues are."""

    numbers: NDArray[np.uint64]
    depths: tuple[Depth, ...]


@lru_cache
def _plan(templates: tuple[Template, ...]) -> Plan:
    """Lay out, once and for all, where the clues of templates are."""
    numbers = _mixed(np.array([NUMBERS[template] for template in templates], np.uint64))
    depths = []
    for depth in range(max(map(len, templates))):
        deep = [at for at, template in enumerate(templates) if len(template) > depth]
        clues, places = zip(*(templates[at][depth] for at in deep), strict=True)
        depths.append(Depth(np.array(deep), np.array(clues), np.array(places)))
    return Plan(numbers, tuple(depths))


@lru_cache(maxsize=1 << 15)
def _clues(word: str) -> list[int]:
    """Hash a word, its prefixes and suffixes, and its shape."""
    sizes = range(1, AFFIX + 1)
    prefixes = [hashed(word[:size]) if size < len(word) else 0 for size in sizes]
    suffixes = [hashed(word[-size:]) if size < len(word) else 0 for size in sizes]
    return [hashed(word), *prefixes, *suffixes, hashed(_shape(word))]


def _shape(word: str) -> str:
    """Tell digits, letters and what else is in a word, and whether it is short."""
    kinds = {"0" if c.isdigit() else "a" if c.isalpha() else c for c in word}
    return f"{''.join(sorted(kinds))} {min(len(word), 3)}"


def _keys(templates: tuple[Template, ...], seen: Sequence[NDArray[np.uint64]]) -> Indices:
    """Mix the numbers of templates with their first clues, then their second ones, and so on.

    Without one of its clues a template has no key. Two clues share a key once in 2^32 pairs,
    which is seldom enough for some ten thousand that are known.
    """
    plan = _plan(templates)
    key = _mixed(plan.numbers ^ seen[0])
    unknown = seen[0] == 0
    for depth, clues in zip(plan.depths[1:], seen[1:], strict=True):
        key[:, depth.templates] = _mixed(key[:, depth.templates] ^ clues)
        unknown[:, depth.templates] |= clues == 0
    found = (key >> np.uint64(32)).astype(np.int64)
    found[unknown] = NO_KEY
    return found


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """PerGapCounts numbers over all 64 bits (the last step of SplitMix64)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
