"""Words and their features as hashes, so that models hold no text, and tables that look them up.

`Table` looks up many hashes at once; the rest makes features of words and their neighbours.

A column has a hash of 64 bits for each word (of its spelling, say). A template names some
columns and positions; its key at a word is a hash of the values there. Two different values have
the same key about once in 2^32 pairs, which is seldom enough: among a million keys a hundred
pairs collide, and of the unknown keys one in four thousand looks like a known one.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices
from caesura.text.punctuation import strip_punctuation


class Table:
    """A hash table of distinct non-negative integers, with open addressing.

    Half of it stays empty, so that most lookups end at the first slot: about ten times faster
    than searching a sorted list of a million. Keys are multiplied by a random number, so that
    nobody can make a list of keys that collide.
    """

    def __init__(self, keys: Indices) -> None:
        bits = max(2 * len(keys), 2).bit_length()
        self._factor = np.uint64(secrets.randbits(64) | 1)
        self._shift = np.uint64(64 - bits)
        self._mask = np.int64((1 << bits) - 1)
        self._key = np.full(1 << bits, -1, np.int64)
        self._index = np.zeros(1 << bits, np.int32)
        left = np.arange(len(keys))
        slot = self._slots(keys)
        while len(left):
            free = self._key[slot] < 0
            self._index[slot[free]] = left[free]
            self._key[slot[free]] = keys[left[free]]
            moved = self._key[slot] != keys[left]
            left, slot = left[moved], (slot[moved] + 1) & self._mask
        # Keys that fell into one slot together were written in the order of the list, index and
        # key alike, so the last one holds the slot and the others have moved on.

    def _slots(self, keys: Indices) -> NDArray[np.int64]:
        hashed: NDArray[np.uint64] = keys.astype(np.uint64) * self._factor
        return (hashed >> self._shift).astype(np.int64)

    def find(self, keys: Indices) -> NDArray[np.int64]:
        """Return the index of each integer in the list, -1 if it is not there."""
        slot = self._slots(keys)
        found, real = self._key[slot], keys >= 0
        same = found == keys
        hit = np.flatnonzero(same & real)
        place = np.full(len(keys), -1, np.int64)
        place[hit] = self._index[slot[hit]]
        left = np.flatnonzero(~same & real & (found >= 0))
        slot = slot[left]
        while len(left):
            slot = (slot + 1) & self._mask
            found, wanted = self._key[slot], keys[left]
            hit = found == wanted
            place[left[hit]] = self._index[slot[hit]]
            on = ~hit & (found >= 0)
            left, slot = left[on], slot[on]
        return place


_NUMBER = re.compile(r"\d+([.,:]\d+)*")


def normalized_spelling(word: str) -> str:
    """Return a word as models see it: lower case, without punctuation, any number as 0.

    Of punctuation alone nothing is left.
    """
    return _NUMBER.sub("0", strip_punctuation(word).lower().replace("’", "'").rstrip("."))


def hash_spelling(spelling: str) -> int:
    """Return the hash of a spelling: models hold no text."""
    return int.from_bytes(blake2b(spelling.encode("utf-8", "replace"), digest_size=8).digest())


# Features of words and their neighbours

REACH = 3
"""How many words before and after are looked at."""

Hashes = NDArray[np.uint64]
Keys = NDArray[np.int64]
"""Keys of features: a row for each template, a column for each word."""

Template = tuple[tuple[str, int], ...]
"""Names of columns, each with a position: 0 is the word itself, -1 the one before."""

PAUSES = (0.0, 0.05, 0.2, 0.5, 1.0)
"""Lower limits in seconds of the bins of pauses; below 0 speech overlaps.

Interpolated times leave gaps of some milliseconds next to real pauses, and no pause
elsewhere: a gap shorter than 0.05 is no pause."""

NO_PAUSE = len(PAUSES) + 1
"""The bin of unknown pauses."""


def _alike(columns: Sequence[str], *shapes: Sequence[int]) -> list[Template]:
    """Return a template of each shape for each column."""
    return [tuple((name, at) for at in shape) for name in columns for shape in shapes]


TEMPLATES: tuple[Template, ...] = (
    (),
    *_alike(("word", "tag", "subtag"), *((at,) for at in range(-REACH, REACH + 1))),
    *_alike(("tag", "subtag"), (-2, -1), (-1, 0), (0, 1), (1, 2)),
    *_alike(("tag", "subtag"), (-2, -1, 0), (-1, 0, 1), (0, 1, 2)),
    *_alike(("word",), (-1, 0), (0, 1)),
    (("word", -1), ("tag", 0)),
    (("tag", -1), ("word", 0)),
    *_alike(("pause",), (-1,), (0,), (1,)),
    (("pause", 0), ("word", 0)),
    (("pause", 0), ("tag", 0)),
    (("pause", 0), ("tag", -1)),
    (("pause", 0), ("tag", -1), ("tag", 0)),
    (("turn", 0),),
    (("turn", 0), ("pause", 0)),
)
"""The templates of chunkers; `pause` and `turn` are those of the gap before a word."""


def pause_bins(pauses: Floats) -> Indices:
    """Return the bin of each pause: 0 where speech overlaps, `NO_PAUSE` where it is unknown."""
    # To whole milliseconds, so that what a subtraction leaves over does not count as overlap.
    bins = np.searchsorted(PAUSES, np.round(pauses, 3), side="right")
    return np.where(np.isnan(pauses), NO_PAUSE, bins).astype(np.int64)


def hash_numbers(numbers: Indices) -> Hashes:
    """Return a hash of 64 bits for each small number."""
    found: Hashes = _number_hashes(int(numbers.max(initial=0)) + 1)[numbers]
    return found


@cache
def _number_hashes(count: int) -> Hashes:
    return np.array([constant(f"number {each}") for each in range(count)], np.uint64)


@cache
def constant(text: str) -> np.uint64:
    """Return an odd hash of a text, the same on every machine."""
    return np.uint64(int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) | 1)


def padded(column: Hashes) -> Hashes:
    """Add zeros, which stand for missing words, before and after a column."""
    found = np.zeros(len(column) + 2 * REACH, np.uint64)
    found[REACH : len(column) + REACH] = column
    return found


class Plan(NamedTuple):
    """How the keys of templates are made from the values of their parts."""

    templates: tuple[Template, ...]
    """The templates whose columns are there."""

    parts: tuple[tuple[str, int], ...]
    """The distinct columns and positions that they name."""

    members: Indices
    """The parts of each template, a row for the first part of each, the second, and so on.

    A template with fewer parts has the number `len(parts)` there.
    """

    factors: Hashes
    base: Hashes
    """Constants that tell parts and templates apart where values are summed up."""


@lru_cache(maxsize=64)
def plan(columns: frozenset[str], templates: tuple[Template, ...]) -> Plan:
    """Plan the keys of those templates whose columns are there."""
    chosen = tuple(each for each in templates if all(name in columns for name, _ in each))
    parts = tuple(dict.fromkeys(part for template in chosen for part in template))
    members = np.full((max(map(len, chosen), default=0) or 1, len(chosen)), len(parts))
    for column, template in enumerate(chosen):
        members[: len(template), column] = [parts.index(part) for part in template]
    factors = np.array([constant(f"{name} {at}") for name, at in parts], np.uint64)
    base = np.array([constant(repr(template)) for template in chosen], np.uint64)
    return Plan(chosen, parts, members, factors[:, None], base[:, None])


def summed_keys(plan: Plan, values: Hashes) -> Keys:
    """Hash the values of each template's parts by a sum of products; this overwrites `values`.

    `values` has a row for each part of the plan and a last one of zeros. What is missing has the
    value 0 and adds nothing.
    """
    values[:-1] *= plan.factors
    found = values[plan.members[0]]
    for more in plan.members[1:]:
        found += values[more]
    found += plan.base
    found >>= np.uint64(32)
    made: Keys = found.view(np.int64)
    return made


def keys(
    columns: Mapping[str, Hashes],
    first: int,
    stop: int,
    templates: tuple[Template, ...] = TEMPLATES,
) -> Keys:
    """Return a row of keys for each template, a column for each of the words `first` to `stop`.

    Columns are padded; templates whose columns are missing have no row.
    """
    planned = plan(frozenset(columns), templates)
    values = np.zeros((len(planned.parts) + 1, stop - first), np.uint64)
    for row, (name, at) in zip(values, planned.parts, strict=False):
        row[:] = columns[name][first + REACH + at : stop + REACH + at]
    return summed_keys(planned, values)
