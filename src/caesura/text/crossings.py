"""Where all best paths through a large lattice cross some of its rows.

Only how many characters can be matched is looked at, a row as one long number: bit j is clear
where one more can be matched up to the next column (Hyyrö 2004). A row is crossed where what can
be matched before and after it adds up to the most.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from caesura.columns import Indices
from caesura.text.boxes import Codes


class Row(NamedTuple):
    """A part of a row: its first column, what is matched before it, bits, how many."""

    column: int
    passed: int
    bits: int
    width: int

    def matched(self) -> Indices:
        """How much can be matched up to each column, the last one included."""
        raw = np.frombuffer(self.bits.to_bytes(self.width // 8 + 1, "little"), np.uint8)
        clear = np.unpackbits(raw, bitorder="little")[: self.width] ^ np.uint8(1)
        return np.append(0, np.cumsum(clear, dtype=np.int64)) + self.passed


def crossings(
    gold: Codes, system: Codes, band: tuple[int, int], matched: int, places: list[int]
) -> Indices:
    """Give the one column where all best paths cross each of some rows, or -1.

    `band` says how far best paths lie below and above the first diagonal, `matched` how many
    characters they match; `places` ascend.
    """
    before = _rows(gold, system, band, places)
    rows = [len(gold) - place for place in reversed(places)]
    after = reversed(list(_rows(gold[::-1], system[::-1], band, rows)))
    pairs = zip(before, after, strict=True)
    return np.array([_crossing(one, other, len(system), matched) for one, other in pairs], np.int64)


def _crossing(before: Row, after: Row, columns: int, matched: int) -> int:
    behind = columns - after.column - after.width
    first = max(before.column, behind)
    last = min(before.column + before.width, behind + after.width) + 1
    total = before.matched()[first - before.column : last - before.column]
    total = total + after.matched()[::-1][first - behind : last - behind]
    best = np.flatnonzero(total == matched)
    return first + int(best[0]) if len(best) == 1 else -1


def _rows(gold: Codes, system: Codes, band: tuple[int, int], places: list[int]) -> Iterator[Row]:
    """Go down the rows, in blocks of rows that share a window of columns."""
    below, above = band
    block = max(256, (below + above) // 4)
    left = right = passed = row = 0
    wanted = iter([*places, -1])
    place = next(wanted)
    for begin in range(0, len(gold) + 1, block):
        start, stop = max(0, begin - below), min(len(system), begin + block + above)
        gone = start - left
        passed += gone - (row & ((1 << gone) - 1)).bit_count()
        row = (row >> gone) | ((1 << (stop - right)) - 1) << (right - start)
        left, right = start, stop
        letters = gold[begin : begin + block].tolist()
        known = _places_of(set(letters), system[left:right])
        full = (1 << (right - left)) - 1
        for at, letter in enumerate([*letters, -1][:block], begin):
            if at == place:
                yield Row(left, passed, row, right - left)
                place = next(wanted)
            fit = row & known.get(letter, 0)
            if fit:
                row = ((row + fit) | (row - fit)) & full


def _places_of(letters: set[int], system: Codes) -> dict[int, int]:
    """For each letter a number with the bits set where it stands."""
    order = np.argsort(system, kind="stable")
    sought = np.array(sorted(letters), np.int32)
    first, last = (np.searchsorted(system[order], sought, side=side) for side in ("left", "right"))
    found = {}
    for letter, start, stop in zip(sought.tolist(), first.tolist(), last.tolist(), strict=True):
        bits = np.zeros(len(system), np.uint8)
        bits[order[start:stop]] = 1
        found[letter] = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
    return found
