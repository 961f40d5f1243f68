"""A hash table that looks up many integers at once."""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices


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
