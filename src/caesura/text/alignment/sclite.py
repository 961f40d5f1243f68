"""The alignment of sclite: a substitution weighs 4, an insertion or a deletion 3.

Of several lightest alignments it is the one that sclite chooses: read from the end, two words are
paired if possible, else the target's word is inserted if possible, else the source's is deleted.

The weight is 3 (n + m) - 2 (3 H + S) for texts of n and m words with H pairs of equal and S pairs
of other words, so that 3 H + S is maximised. Points (i, j) between words are handled in steps of
equal i + j, each an array over the diagonals j - i that a lightest alignment can touch. For a long
text only some steps are kept; what lies between them is computed again, near the path, when the
path is traced from its end.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from caesura.core.arrays import Indices

PAIR, INSERTION, DELETION = range(3)
"""The last move of the best path to a point; of equally good ones the first of these."""

PAIR_VALUE, HIT_VALUE = np.int32(1), np.int32(2)
"""The value of a pair of words, and the extra value if they are equal."""

NO_PATH = np.int32(-(2**30))
"""The value of a point that no path reaches."""

MAX_MOVES = 2**24
"""Moves that are kept at once."""

MAX_KEPT_BYTES = 2**26
"""Bytes of steps that are kept."""

MIN_BLOCK = 256
"""The fewest steps between those that are kept."""

Words = NDArray[np.int32]
Values = tuple[Words, Words]
"""The best value at the latest point of each diagonal: even diagonals of a frame, and odd ones."""


class Unpaired(NamedTuple):
    """The places of words without a counterpart."""

    source: list[int]
    target: list[int]


class NumberedTexts(NamedTuple):
    """Two texts as numbers, and the parts that are aligned with each other."""

    source: array[int]
    target: array[int]
    source_stops: Indices
    target_stops: Indices


@dataclass(frozen=True)
class Bands:
    """Parts of both texts, and the diagonals that their lightest alignments can touch."""

    source: Indices
    """Where each part begins among the source's words."""
    target: Indices
    rows: Indices
    columns: Indices
    low: Indices
    """The lowest diagonal that is touched."""
    high: Indices

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def steps(self) -> Indices:
        """The number of steps from the first point to the last."""
        return self.rows + self.columns

    def take(self, which: Any) -> Bands:
        """Return some of the parts."""
        return Bands(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


def lightest_alignment(texts: NumberedTexts, hits: Indices, pairs: Indices) -> Unpaired:
    """Return the unpaired words, given hits and pairs of some alignment of each part."""
    unpaired = Unpaired([], [])
    bands = _bands(texts, hits, pairs)
    source, target = (np.append(np.array(side, np.int32), np.int32(0)) for side in texts[:2])
    for batch in _batches(bands):
        for found in _Frame(source, target, batch).solve():
            unpaired.source.extend(found.source)
            unpaired.target.extend(found.target)
    return unpaired


def _bands(texts: NumberedTexts, hits: Indices, pairs: Indices) -> Bands:
    """Find the diagonals that the lightest alignment of each part can touch.

    Its value 3 H + S is at least 3 `hits` + the other `pairs`, and it has no more hits than the
    longest common subsequence. That bounds its pairs from below, and so its unpaired words from
    above, each of which moves the path by one diagonal.
    """
    starts = [np.append(0, stops[:-1]) for stops in (texts.source_stops, texts.target_stops)]
    rows, columns = texts.source_stops - starts[0], texts.target_stops - starts[1]
    worth = 2 * hits + pairs
    common = hits.copy()
    for at in np.flatnonzero(hits < np.minimum(rows, columns)).tolist():
        begin, start = starts[0][at], starts[1][at]
        ours = texts.source[begin : begin + rows[at]]
        common[at] = LCSseq.similarity(ours, texts.target[start : start + columns[at]])
    fewest = np.maximum(worth - 2 * common, -(-worth // 3))
    aside = (rows + columns - 2 * fewest - np.abs(columns - rows)) // 2
    low = np.minimum(columns - rows, 0) - aside
    high = np.maximum(columns - rows, 0) + aside
    whole = Bands(starts[0], starts[1], rows, columns, low, high)
    return whole.take(np.flatnonzero(low < high))


def _batches(bands: Bands) -> Iterator[Bands]:
    """Group parts of similar length, with bands of similar width."""
    kind = np.ceil(np.log2(bands.steps))
    width = bands.high - bands.low + 1
    order = np.lexsort((bands.steps, width, kind))
    kinds, widths = kind[order].tolist(), width[order].tolist()
    first = 0
    for at in range(1, len(order) + 1):
        if at < len(order) and kinds[at] == kinds[first]:
            size = (at - first + 1) * widths[at] * 2 ** kinds[at]
            if size <= MAX_MOVES and widths[at] <= 2 * widths[first]:
                continue
        yield bands.take(order[first:at])
        first = at


class _Moves(NamedTuple):
    """The moves of some steps, a byte for each cell and part."""

    codes: memoryview
    cells: int
    parts: int


class _Path:
    """The path of a part, traced from its end."""

    def __init__(self, part: int, source: int, target: int, rows: int, columns: int) -> None:
        self.part, self.source, self.target = part, source, target
        self.step, self.diagonal = rows + columns, columns - rows
        self.unpaired = Unpaired([], [])

    def trace(self, moves: _Moves, low: int, begin: int) -> None:
        """Follow moves, the lowest of which are on the diagonal `low`, to the step `begin`."""
        step, diagonal = self.step, self.diagonal
        while step > begin:
            cell = (step - begin - 1) * moves.cells + (diagonal - low + 1) // 2
            move = moves.codes[cell * moves.parts + self.part]
            if move == PAIR:
                step -= 2
            elif move == INSERTION:
                self.unpaired.target.append(self.target + (step + diagonal) // 2 - 1)
                step, diagonal = step - 1, diagonal - 1
            else:
                self.unpaired.source.append(self.source + (step - diagonal) // 2 - 1)
                step, diagonal = step - 1, diagonal + 1
        self.step, self.diagonal = step, diagonal


class _Frame:
    """Points of a batch of parts, as arrays over diagonals and parts.

    Diagonal d has number d - low + 1, so that there is room for one more on each side. Numbers are
    halved to find a place in the array of even ones and in that of odd ones.
    """

    def __init__(self, source: Words, target: Words, parts: Bands) -> None:
        self.parts = parts
        self.low, self.high = int(parts.low.min()), int(parts.high.max())
        self.cells = _cells(self.low, self.high)
        self.rows, self.columns = int(parts.rows.max()), int(parts.columns.max())
        self.source = np.ascontiguousarray(_lay_out(source, parts.source, self.rows)[::-1])
        self.target = _lay_out(target, parts.target, self.columns)

    def solve(self) -> Iterator[Unpaired]:
        """Yield the unpaired words of each part."""
        paths = self._paths()
        steps = int(self.parts.steps.max())
        block = self._block(steps)
        kept = self._kept(block, steps)
        while steps > 0:
            begin = (steps - 1) // block * block
            low, high = self.low, self.high
            if len(paths) == 1:
                at, reach = paths[0].diagonal, steps - begin
                low, high = max(low, at - reach), min(high, at + reach)
                low -= (low - self.low) % 2
            moves = self._moves(kept.pop(begin), low, high, begin, steps)
            for path in paths:
                path.trace(moves, low, begin)
            steps = max(path.step for path in paths)
        return (path.unpaired for path in paths)

    def _block(self, steps: int) -> int:
        """Return how many steps lie between those that are kept: all if their moves are few.

        Those of several parts always are: `_batches` sees to it.
        """
        if steps * self.cells <= MAX_MOVES:
            return steps
        size = steps * 2 * self.cells * NO_PATH.itemsize
        # a block holds as many moves as the square of its steps: beyond the root both grow alike
        return max(MIN_BLOCK, int(min(size / MAX_KEPT_BYTES, (size / 4) ** (1 / 3))))

    def _paths(self) -> list[_Path]:
        parts = self.parts
        ends = np.stack([parts.source, parts.target, parts.rows, parts.columns], axis=1)
        return [_Path(part, *end) for part, end in enumerate(ends.tolist())]

    def _begun(self) -> Values:
        even, odd = np.full((2, self.cells, len(self.parts)), NO_PATH)
        number = 1 - self.low
        (odd if number % 2 else even)[number // 2] = 0
        return even, odd

    def _kept(self, block: int, steps: int) -> dict[int, Values]:
        """Go through all steps and keep the values at the beginnings of blocks."""
        values = self._begun()
        kept = {0: self._begun()}
        for step in range(1, (steps - 1) // block * block + 1):
            self._step(values, self.low, self.high, step, None)
            if step % block == 0:
                kept[step] = (values[0].copy(), values[1].copy())
        return kept

    def _moves(self, values: Values, low: int, high: int, begin: int, end: int) -> _Moves:
        """Go through steps after `begin` within some diagonals, and keep their moves."""
        skipped, cells = (low - self.low) // 2, _cells(low, high)
        even, odd = (side[skipped : skipped + cells].copy() for side in values)
        moves = np.zeros((end - begin, cells, len(self.parts)), np.uint8)
        for step in range(begin, end):
            self._step((even, odd), low, high, step + 1, moves[step - begin])
        return _Moves(moves.reshape(-1).data, cells, len(self.parts))

    def _step(
        self, values: Values, low: int, high: int, step: int, moves: NDArray[np.uint8] | None
    ) -> None:
        """Compute the best values at the points of a step, and the moves to them."""
        first = max(low, -step, step - 2 * self.rows)
        first += (first + step) % 2
        count = (min(high, step, 2 * self.columns - step) - first) // 2 + 1
        odd = (first - low + 1) % 2
        at = (first - low + 1) // 2
        column, row = (step + first) // 2, self.rows - (step - first) // 2
        same = self.source[row : row + count] == self.target[column : column + count]
        own, other = values[odd], values[1 - odd]
        # a product and sums are several times faster here than a sum where words are the same
        paired = np.multiply(same.view(np.int8), HIT_VALUE, dtype=np.int32)
        paired += PAIR_VALUE
        paired += own[at : at + count]
        inserted = other[at + odd - 1 : at + odd - 1 + count]
        deleted = other[at + odd : at + odd + count]
        best = np.maximum(inserted, deleted)
        if moves is not None:
            alone = paired < best
            np.add(alone, alone & (inserted < deleted), out=moves[at : at + count], dtype=np.uint8)
        np.maximum(paired, best, out=own[at : at + count])


def _cells(low: int, high: int) -> int:
    """Return the places for even or odd diagonals, with one more on each side."""
    return (high - low + 5) // 2


def _lay_out(words: Words, begin: Indices, length: int) -> Words:
    """Put the words of each part into a column, with one unused place before them.

    What stands there, or after a shorter part, does not matter: no path of the part leads there.
    """
    return words.take(begin + np.arange(-1, length)[:, None], mode="clip")
