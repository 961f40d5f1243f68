"""Best paths through lattices of characters (dynamic programming), many lattices at a time.

A point (i, j) of a lattice lies between characters of two streams. A path goes down (a gold
character unmatched), right (a system character unmatched) or along the diagonal (two equal
characters matched). Its value counts matched characters first, then tokens whose characters are
all matched one to one, then sentences that begin and end together. Where sentences matter, the
streams hold a sign for the beginning and one for the end of each; a second layer of values is for
paths that passed the beginning of both current sentences. Rows are arrays over a band of
diagonals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Indices
from caesura.core.errors import MismatchError
from caesura.text.charmatch.units import Codes

GOLD_END, GOLD_BEGIN, SYSTEM_END, SYSTEM_BEGIN, GOLD_PADDING, SYSTEM_PADDING = range(-6, 0)
NONE = -(2**60)
LEFT, UP, MATCH, TOKEN, CLOSE, OPEN = range(6)
WIDEST_ROW = 2**15
"""Cells that are computed at once, so that they fit the processor's cache."""

Cells = NDArray[np.int64]
Fits = Callable[[Indices, Indices], Flags]


@dataclass(frozen=True)
class CharStream:
    """Characters, and flags: whether a token ends before each of them and at the end."""

    codes: Codes
    stops: Flags


@dataclass(frozen=True)
class Boxes:
    """Lattices to solve: boxes of both streams, their bands, and the state at their beginning.

    The band holds the diagonals from `below` under the first point to `above` over it.
    `opened` says that the paths passed the beginning of the first two sentences, whose numbers
    are `gold_sentence` and `system_sentence`.
    """

    gold: Indices
    gold_stop: Indices
    system: Indices
    system_stop: Indices
    below: Indices
    above: Indices
    opened: Flags
    gold_sentence: Indices
    system_sentence: Indices

    def __len__(self) -> int:
        return len(self.gold)

    @property
    def rows(self) -> Indices:
        """The number of gold characters of each lattice."""
        return self.gold_stop - self.gold

    @property
    def width(self) -> Indices:
        """The number of diagonals of each band."""
        return self.below + self.above + 1

    def take(self, which: Indices) -> Boxes:
        """Return some of the boxes."""
        return Boxes(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Paths:
    """One best path for each lattice and layer; its owner is 2 * lattice + layer.

    `matched` has rows (owner, gold, system, length), `tokens` (owner, gold end, system end),
    `sentences` (owner, gold sentence, system sentence), `values` (characters, tokens, sentences)
    of each owner, -1 where there is no path.
    """

    values: Indices
    matched: Indices
    tokens: Indices
    sentences: Indices

    @classmethod
    def none(cls) -> Paths:
        """Return no paths."""
        return cls(*(np.zeros((0, columns), np.int64) for columns in (3, 4, 3, 3)))

    def take(self, owners: Indices) -> Paths:
        """Return the paths of some owners."""
        parts = (self.matched, self.tokens, self.sentences)
        matched, tokens, sentences = (rows[np.isin(rows[:, 0], owners)] for rows in parts)
        return Paths(self.values[owners], matched, tokens, sentences)


def solve(gold: CharStream, system: CharStream, boxes: Boxes, fits: Fits | None) -> Paths:
    """Find the best path of each lattice; with `fits`, also matching sentences.

    `fits` flags the pairs of sentences that share enough characters to match.
    """
    values = np.full((len(boxes) * 2, 3), -1, np.int64)
    found: list[list[Indices]] = [[], [], []]
    for which in _batches(boxes):
        batch = _Batch(gold, system, boxes.take(which), fits)
        ends = batch.run()
        for layer in range(batch.layers):
            reached = np.flatnonzero(ends[layer] >= 0)
            owners = which[reached] * 2 + layer
            values[owners] = batch.unpack(ends[layer, reached])
            for part, rows in zip(found, batch.trace(reached, layer), strict=True):
                rows[:, 0] = which[rows[:, 0]] * 2 + layer
                part.append(rows)
    matched, tokens, sentences = (
        np.concatenate([np.zeros((0, columns), np.int64), *part])
        for part, columns in zip(found, (4, 3, 3), strict=True)
    )
    return Paths(values, matched, tokens, sentences)


def _batches(boxes: Boxes) -> Iterator[Indices]:
    """Group lattices with bands of similar width, the longest first."""
    exponent = np.maximum(boxes.width - 1, 1).astype(np.float64)
    kind = np.ceil(2 * np.log2(exponent)).astype(np.int64)
    order = np.lexsort((-boxes.rows, kind))
    rows, width = boxes.rows[order], boxes.width[order]
    stops = np.searchsorted(kind[order], kind[order], side="right")
    at = 0
    while at < len(order):
        widest = int(width[at : stops[at]].max())
        most = min(WIDEST_ROW // widest, 16 * WIDEST_ROW // (int(rows[at]) + widest))
        stop = min(int(stops[at]), at + max(most, 1))
        yield order[at:stop]
        at = stop


class _Batch:
    """Lattices of similar size, the longest first, padded to one shape."""

    def __init__(
        self, gold: CharStream, system: CharStream, boxes: Boxes, fits: Fits | None
    ) -> None:
        self.boxes, self.fits = boxes, fits
        self.layers = 1 if fits is None else 2
        self.rows, self.columns = boxes.rows, boxes.system_stop - boxes.system
        self.width = int(boxes.width.max())
        longest = int(self.rows[0])
        span = longest + self.width
        begin, nothing = boxes.gold, np.zeros(len(boxes), np.int64)
        self.gold = _padded(gold.codes, begin, self.rows, nothing, longest, GOLD_PADDING)
        self.gold_stop = _padded(gold.stops, begin, self.rows + 1, nothing, longest + 1, False)
        begin = boxes.system
        self.system = _padded(system.codes, begin, self.columns, boxes.below, span, SYSTEM_PADDING)
        self.system_stop = _padded(
            system.stops, begin, self.columns + 1, boxes.below, span + 1, False
        )
        self._weigh()

    def _weigh(self) -> None:
        """Pack the three counts into one number, with as many bits as these lattices need."""
        self.gold_ends = np.cumsum(self.gold == GOLD_END, axis=1)
        self.system_ends = np.cumsum(self.system == SYSTEM_END, axis=1)
        sentences = int(self.gold_ends[:, -1].max()) if self.layers == 2 else 0
        tokens = int(self.gold_stop.sum(axis=1).max())
        self.token = 1 << sentences.bit_length()
        self.character = self.token << tokens.bit_length()
        self.apart = self.character << int(self.rows[0]).bit_length()
        if self.apart * (2 + int(self.system_ends.max())) > -NONE:
            raise too_different()

    def unpack(self, values: Cells) -> Indices:
        """Return the characters, tokens and sentences of packed values."""
        rest = values % self.character
        return np.stack((values // self.character, rest // self.token, rest % self.token), axis=1)

    def run(self) -> Cells:
        """Go through all rows; return the value of each layer at the last point."""
        alive = np.searchsorted(-self.rows, -np.arange(int(self.rows[0]) + 2), side="right")
        self.offsets = np.concatenate(([0, 0], np.cumsum(alive[1:-1]))) * self.width
        self.steps = np.zeros(int(self.offsets[-1]), np.uint8)
        ends = np.full((self.layers, len(self.rows)), NONE, np.int64)
        last = self.columns - self.rows + self.boxes.below
        best, token = self._first_row()
        for row in range(1, len(alive) - 1):
            count = int(alive[row])
            best, token, steps = self._next_row(row, best[:, :count], token[:, :count])
            self.steps[self.offsets[row] : self.offsets[row + 1]] = steps.ravel()
            done = np.arange(int(alive[row + 1]), count)
            ends[:, done] = best[:, done, last[done]]
        return ends

    def _first_row(self) -> tuple[Cells, Cells]:
        column = np.arange(self.width) - self.boxes.below[:, None]
        best = np.full((self.layers, *column.shape), NONE, np.int64)
        best[0, column >= 0] = 0
        if self.layers == 2:
            before = np.zeros_like(column)
            before[:, 1:] = self.system_ends[:, : self.width - 1]
            best[1, (column >= 0) & (before == 0) & self.boxes.opened[:, None]] = 0
        stops = self.system_stop[:, : self.width] & self.gold_stop[:, :1]
        return best, np.where(stops, best, NONE)

    def _next_row(self, row: int, best: Cells, token: Cells) -> tuple[Cells, Cells, Cells]:
        """Go down one row: `token` is for paths matched since two tokens began together."""
        count = best.shape[1]
        ends = self.system_stop[:count, row : row + self.width]
        here = self.gold_stop[:count, row, None]
        equal = (
            self.system[:count, row - 1 : row - 1 + self.width] == self.gold[:count, row - 1, None]
        )
        gain = equal * (self.character - NONE) + NONE
        both = (ends & here) * -NONE + NONE
        diagonal = best + gain
        token = np.maximum(token + gain, NONE)
        ended = token + (both + self.token)
        base = np.maximum(np.maximum(diagonal, ended), NONE)
        np.maximum(base[..., :-1], best[..., 1:], out=base[..., :-1])
        steps = (base == diagonal).view(np.uint8) + np.uint8(UP)
        np.maximum(steps, (base == ended).view(np.uint8) * np.uint8(TOKEN), out=steps)
        if self.layers == 2:
            self._pass_signs(row, best, base, steps)
        new = self._spread(row, base)
        steps *= (new == base).view(np.uint8)
        token = np.maximum(token + (ends | here) * NONE, new + both)
        np.maximum(token, NONE, out=token)
        return new, token, steps[0] if self.layers == 1 else steps[0] | steps[1] << 4

    def _spread(self, row: int, base: Cells) -> Cells:
        """Go right from every cell; in the second layer not over the end of a sentence."""
        new = np.maximum.accumulate(base, axis=-1)
        if self.layers == 2:
            passed = self.system_ends[: base.shape[1], row - 1 : row - 1 + self.width]
            lift = passed * self.apart
            within = np.maximum.accumulate(base[1] + lift, axis=-1) - lift
            new[1] = np.where(within < 0, NONE, within)
        return new

    def _pass_signs(self, row: int, best: Cells, base: Cells, steps: Cells) -> None:
        """Handle the beginnings and ends of gold sentences that meet those of system sentences."""
        signs = self.gold[: base.shape[1], row - 1]
        boxes = np.flatnonzero((signs == GOLD_END) | (signs == GOLD_BEGIN))
        if not len(boxes):
            return
        base[1, boxes] = NONE
        beside = self.system[boxes, row - 1 : row - 1 + self.width] - (SYSTEM_END - GOLD_END)
        which, at = np.nonzero(beside == signs[boxes, None])
        box = boxes[which]
        begins = signs[box] == GOLD_BEGIN
        new = box[begins], at[begins]
        base[1, *new], steps[1, *new] = best[0, *new], OPEN
        box, at = box[~begins], at[~begins]
        alive = best[1, box, at] >= 0
        box, at = box[alive], at[alive]
        assert self.fits is not None
        fit = self.fits(*self._sentences(box, row, at))
        box, at = box[fit], at[fit]
        counted = best[1, box, at] + 1
        better = counted > base[0, box, at]
        box, at = box[better], at[better]
        base[0, box, at], steps[0, box, at] = counted[better], CLOSE

    def _sentences(self, box: Indices, row: Indices | int, at: Indices) -> tuple[Indices, Indices]:
        """Return the numbers of the sentences that end with the last step to these points."""
        gold = self.boxes.gold_sentence[box] + self.gold_ends[box, row - 1] - 1
        return gold, self.boxes.system_sentence[box] + self.system_ends[box, row - 1 + at] - 1

    def trace(self, box: Indices, layer: int) -> tuple[Indices, Indices, Indices]:
        """Trace the paths back from the last points; rows are as in `Paths`, by lattice."""
        shape = np.where(self.gold_stop, np.arange(self.gold_stop.shape[1]), 0)
        before = np.maximum.accumulate(shape, axis=1)
        row, at = self.rows[box], (self.columns - self.rows + self.boxes.below)[box]
        depth = np.full(len(box), layer)
        matched, tokens, sentences = [], [], []
        while len(box):
            step = self.steps[self.offsets[row] + box * self.width + at] >> (4 * depth) & 15
            is_token, closes = step == TOKEN, step == CLOSE
            length = (step >= MATCH).astype(np.int64)
            length[is_token] = row[is_token] - before[box[is_token], row[is_token] - 1]
            places = np.stack((box, row, row + at, length))
            matched.append(places[:, is_token | (step == MATCH)])
            tokens.append(places[:3, is_token])
            if closes.any():
                pair = self._sentences(box[closes], row[closes], at[closes])
                sentences.append(np.stack((box[closes], *pair)))
            depth[closes], depth[step == OPEN] = 1, 0
            row = row - np.where(step == UP, 1, length)
            at = at + (step == UP) - (step == LEFT)
            on = row > 0
            box, row, at, depth = box[on], row[on], at[on], depth[on]
        return self._placed(matched, tokens, sentences)

    def _placed(
        self, matched: list[Indices], tokens: list[Indices], sentences: list[Indices]
    ) -> tuple[Indices, Indices, Indices]:
        """Convert rows and columns of lattices to places in the streams."""
        placed = []
        for part, columns in ((matched, 4), (tokens, 3)):
            rows = np.concatenate([np.zeros((columns, 0), np.int64), *part], axis=1)
            rows[1] += self.boxes.gold[rows[0]]
            rows[2] += self.boxes.system[rows[0]] - self.boxes.below[rows[0]]
            if columns == 4:
                rows[1:3] -= rows[3]
            placed.append(rows.T)
        pairs = np.concatenate([np.zeros((3, 0), np.int64), *sentences], axis=1)
        return placed[0], placed[1], pairs.T


def _padded(
    values: NDArray[Any], begin: Indices, lengths: Indices, lead: Indices, span: int, padding: int
) -> NDArray[Any]:
    """Cut parts out of an array and put them into rows, each after some padding."""
    inside = np.arange(span) - lead[:, None]
    known = (inside >= 0) & (inside < lengths[:, None])
    return np.where(known, values[np.where(known, inside + begin[:, None], 0)], padding)


def too_different() -> MismatchError:
    """Return the error for texts whose exact alignment would take too long."""
    return MismatchError(
        "hypothesis and reference differ too much, or repeat themselves too often, to be aligned "
        "exactly",
        remedy="check that both are of the same recording, or score it in shorter documents",
    )
