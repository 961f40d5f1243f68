"""What a tagger sees of a word and its neighbours, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from caesura.columns import Indices
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

OWN: tuple[Template, ...] = tuple(((clue, 0),) for clue in range(SHAPE + 1))
AROUND: tuple[Template, ...] = tuple(
    ((clue, place),)
    for place, clues in {
        -2: (WORD, SUFFIX + 2),
        -1: (WORD, SUFFIX + 1, SUFFIX + 2, PREFIX + 2),
        1: (WORD, SUFFIX + 1, SUFFIX + 2, PREFIX + 2),
        2: (WORD, SUFFIX + 2),
    }.items()
    for clue in clues
)
PAIRS: tuple[Template, ...] = (((WORD, -1), (WORD, 0)), ((WORD, 0), (WORD, 1)))
ALONE = (*OWN, *AROUND)
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

    def kinds(self, templates: Sequence[Template]) -> Indices:
        """Give the keys of templates of one clue each for each distinct word."""
        columns = [clue for ((clue, _),) in templates]
        return _keys(templates, [self.clues[:, columns]])

    def keys(self, templates: Sequence[Template], tags: Indices | None = None) -> Indices:
        """Give the keys of templates for each word; `tags` are numbers of tags, from 1 on."""
        # No clue is 0, and what is beyond a recording is one.
        spread = np.ones(len(self.at), np.uint64)
        if tags is not None:
            spread[self.places] = tags + 1
        seen = []
        for depth in range(max(map(len, templates))):
            pairs = [template[depth] for template in templates if len(template) > depth]
            seen.append(np.stack([self._seen(*pair, spread) for pair in pairs], axis=1))
        return _keys(templates, seen)

    def _seen(self, clue: int, place: int, tags: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return tags[self.places + place] if clue == TAG else self.clues[self.shifted(place), clue]


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


def _keys(templates: Sequence[Template], seen: Sequence[NDArray[np.uint64]]) -> Indices:
    """Mix the numbers of templates with their first clues, then their second ones, and so on.

    Without one of its clues a template has no key. Two clues share a key once in 2^32 pairs,
    which is seldom enough for some ten thousand that are known.
    """
    numbers = _mixed(np.array([NUMBERS[template] for template in templates], np.uint64))
    key = np.tile(numbers, (len(seen[0]), 1))
    known = np.ones(key.shape, np.bool_)
    for depth, clues in enumerate(seen):
        deep = [at for at, template in enumerate(templates) if len(template) > depth]
        key[:, deep] = _mixed(key[:, deep] ^ clues)
        known[:, deep] &= clues != 0
    return np.where(known, (key >> np.uint64(32)).astype(np.int64), NO_KEY)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread numbers over all 64 bits (the last step of SplitMix64)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
