"""Anchors: substrings that occur exactly once in both texts, chained to a likely alignment.

This is the idea of patience diff. Several parts of the texts are handled at once; a substring
need be unique only within its part.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.text.charmatch.units import Codes

_BASE, _PART, _MIX = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD


class Anchors(NamedTuple):
    """Where equal substrings of some length begin in both texts."""

    gold: Indices
    system: Indices
    length: int


@dataclass(frozen=True)
class Parts:
    """Parts of two texts, concatenated: their characters, and where each part begins."""

    gold: Codes
    system: Codes
    gold_starts: Indices
    system_starts: Indices

    @classmethod
    def of(cls, gold: Codes, system: Codes, boxes: Indices) -> Parts:
        """Take the parts of both texts that are inside boxes."""
        return cls(
            gold[ranges(boxes[:, 0], boxes[:, 2] - boxes[:, 0])],
            system[ranges(boxes[:, 1], boxes[:, 3] - boxes[:, 1])],
            np.concatenate(([0], np.cumsum(boxes[:, 2] - boxes[:, 0]))),
            np.concatenate(([0], np.cumsum(boxes[:, 3] - boxes[:, 1]))),
        )


def ranges(starts: Indices, lengths: Indices) -> Indices:
    """Concatenate the integers of several ranges."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def find_anchors(parts: Parts, lengths: Sequence[int]) -> list[Anchors]:
    """Find the substrings of each length that occur exactly once in both texts of a part.

    They are found by hash: a collision may hide one, or pair two that differ (callers check).
    """
    codes = np.concatenate((parts.gold, parts.system)).astype(np.uint64)
    starts = (parts.gold_starts, parts.system_starts)
    ends = np.concatenate([starts[0][1:], starts[1][1:] + len(parts.gold)])
    sizes = np.concatenate([np.diff(start) for start in starts])
    salts = np.tile(np.arange(len(sizes) // 2, dtype=np.uint64) * np.uint64(_PART), 2)
    found = []
    for length in lengths:
        hashes = _hashes(codes, length)
        hashes += np.repeat(salts, sizes)
        kept = np.maximum(sizes - (length - 1), 0)
        found.append(_unique_in_both(hashes, ranges(ends - sizes, kept), len(parts.gold), length))
    return found


def _hashes(codes: NDArray[np.uint64], length: int) -> NDArray[np.uint64]:
    """Return the polynomial hash of the substring of this length that begins at each place."""
    result, done = np.zeros_like(codes), 0
    block, size = codes.copy(), 1
    while length:
        factor = np.uint64(pow(_BASE, size, 2**64))
        if length & 1:
            result *= factor
            result[: len(codes) - done] += block[done:]
            done += size
        following = block[size:].copy()
        block *= factor
        block[: len(following)] += following
        size, length = 2 * size, length >> 1
    return result


def _unique_in_both(
    hashes: NDArray[np.uint64], places: Indices, border: int, length: int
) -> Anchors:
    bits = np.uint64(len(hashes).bit_length())
    keys = hashes[places]
    keys ^= keys >> np.uint64(32)
    keys *= np.uint64(_MIX)
    keys >>= bits
    keys <<= bits
    keys |= places.astype(np.uint64)
    keys.sort()
    same = np.zeros(len(keys) + 1, np.bool_)
    if len(keys):
        same[1:-1] = (keys[1:] >> bits) == (keys[:-1] >> bits)
    first = np.flatnonzero(same[1:-1] & ~same[:-2] & ~same[2:])
    mask = (np.uint64(1) << bits) - np.uint64(1)
    gold, system = ((keys[first + k] & mask).astype(np.int64) for k in (0, 1))
    across = (gold < border) & (system >= border)
    partner = np.full(border, -1, np.int64)
    partner[gold[across]] = system[across] - border
    gold = np.flatnonzero(partner >= 0)
    return Anchors(gold, partner[gold], length)


def chain_anchors(parts: Parts, grams: Sequence[Anchors]) -> tuple[Indices, Indices]:
    """Join anchors to runs (gold, system, length) and keep the most that are in order.

    Each part begins and ends with a run, possibly of length 0; the second result is the part.
    """
    partner = np.full(len(parts.gold), -1, np.int64)
    for gram in sorted(grams, key=lambda gram: gram.length):
        gold, system, length = _join_diagonal(gram.gold, gram.system, gram.length)
        partner[ranges(gold, length)] = ranges(system, length)
    known = np.flatnonzero(partner >= 0)
    equal = parts.gold[known] == parts.system[partner[known]]
    known = known[equal]
    part = np.searchsorted(parts.gold_starts, known, side="right")
    runs = np.stack(_join_diagonal(known, partner[known], 1, part), axis=1)
    runs = runs[_longest_rising(runs[:, 1].tolist())]
    return _add_corners(parts, _trim_overlaps(runs))


def _join_diagonal(
    gold: Indices, system: Indices, length: int, part: Indices | None = None
) -> tuple[Indices, Indices, Indices]:
    """Join substrings that follow each other on one diagonal."""
    new = np.ones(len(gold), np.bool_)
    new[1:] = (np.diff(gold) != 1) | (np.diff(system) != 1)
    if part is not None:
        new[1:] |= np.diff(part) != 0
    first = np.flatnonzero(new)
    counts = np.diff(first, append=len(gold))
    return gold[first], system[first], counts + (length - 1)


def _longest_rising(values: list[int]) -> list[int]:
    """Return the indices of a longest strictly rising subsequence."""
    tops: list[int] = []
    at: list[int] = []
    back: list[int] = []
    for index, value in enumerate(values):
        place = bisect_left(tops, value)
        if place == len(tops):
            tops.append(value)
            at.append(index)
        else:
            tops[place], at[place] = value, index
        back.append(at[place - 1] if place else -1)
    chosen: list[int] = []
    index = at[-1] if at else -1
    while index >= 0:
        chosen.append(index)
        index = back[index]
    return chosen[::-1]


def _trim_overlaps(runs: Indices) -> Indices:
    """Cut off what overlaps with the runs before."""
    if not len(runs):
        return runs
    ends = np.maximum.accumulate(runs[:, 1] + runs[:, 2])
    over = np.maximum(np.concatenate(([0], ends[:-1])) - runs[:, 1], 0)
    runs = runs + np.stack((over, over, -over), axis=1)
    return runs[runs[:, 2] > 0]


def _add_corners(parts: Parts, runs: Indices) -> tuple[Indices, Indices]:
    nothing = np.zeros(len(parts.gold_starts) - 1, np.int64)
    first = np.stack((parts.gold_starts[:-1], parts.system_starts[:-1], nothing), axis=1)
    last = np.stack((parts.gold_starts[1:], parts.system_starts[1:], nothing), axis=1)
    part = np.searchsorted(parts.gold_starts, runs[:, 0], side="right") - 1
    part = np.concatenate((part, np.arange(len(nothing)), np.arange(len(nothing))))
    runs = np.concatenate((runs, first, last))
    kind = np.repeat([1, 0, 2], (len(runs) - 2 * len(nothing), len(nothing), len(nothing)))
    order = np.lexsort((runs[:, 0], kind, part))
    return runs[order], part[order]


def common_length(
    gold: Codes, system: Codes, places: tuple[Indices, Indices], room: Indices, step: int
) -> Indices:
    """Count the characters that agree from each pair of places on, forwards or backwards."""
    found = np.zeros(len(room), np.int64)
    active, size = np.flatnonzero(room > 0), 4
    while len(active):
        inside = found[active][:, None] + np.arange(size)
        within = inside < room[active][:, None]
        inside = np.where(within, inside * step, 0)
        here = [place[active][:, None] + inside for place in places]
        equal = within & (gold[here[0]] == system[here[1]])
        all_equal = equal.all(axis=1)
        found[active] += np.where(all_equal, size, equal.argmin(axis=1))
        active = active[all_equal]
        size = min(2 * size, 2**16)
    return np.minimum(found, room)
