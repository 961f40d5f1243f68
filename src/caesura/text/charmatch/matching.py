"""The best matching of the characters of two texts, and which tokens and sentences it keeps.

A matching pairs equal characters in order. A token counts if an equal token has all its
characters matched one to one; two sentences count as one if what is matched of either is matched
into the other, and that is at least half of the longer one. The best matching has the most
matched characters, then the most tokens, then the most sentences (Jo et al. 2024, made exact).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq

from caesura.core.arrays import ByValue, Flags, Indices
from caesura.core.errors import MismatchError
from caesura.text.charmatch.anchors import ranges
from caesura.text.charmatch.boxes import Boxes, Paths, Stream, too_different
from caesura.text.charmatch.cuts import Side, forced, gaps
from caesura.text.charmatch.lattice import solve
from caesura.text.charmatch.sentences import Chain, Pieces, passed
from caesura.text.charmatch.units import Units

LARGEST = 250_000_000
"""Cells of all lattices together; more would take longer than anyone waits."""

ROW = 2_000
"""What a row of a lattice costs besides its cells, in cells."""


@dataclass(frozen=True, eq=False)
class Matching(ByValue):
    """How much of two texts agrees, by one best matching.

    `tokens` and `sentences` are pairs of indices (gold, system) into those of the units,
    `runs` the maximal runs (gold start, system start, length) of matched characters. They are
    characters of `gold` and `system` as they stand here, rewritten where that was needed.
    """

    gold: Units
    system: Units
    characters: int
    tokens: Indices
    sentences: Indices
    runs: Indices

    def __post_init__(self) -> None:
        for values in (self.tokens, self.sentences, self.runs):
            values.flags.writeable = False


def match(gold: Units, system: Units, tables: Sequence[str] = ()) -> Matching:
    """Match a text with its reference, character by character, as well as possible.

    Tokens are put into one of their equal forms (see `Units.rewritten`) only if the characters
    differ; only if they still do are they aligned.
    """
    if gold.text != system.text:
        gold, system = gold.rewritten(tables), system.rewritten(tables)
    if gold.text != system.text:
        return _either_way(gold, system)
    runs = np.array([(0, 0, len(gold.text))], np.int64)
    tokens, _ = _kept(_shared(runs, gold.tokens, system.tokens))
    sentences, _ = _kept(_shared(runs, gold.sentences, system.sentences))
    return Matching(gold, system, len(gold.text), tokens, sentences, runs[runs[:, 2] > 0])


def _either_way(gold: Units, system: Units) -> Matching:
    """Align with the shorter text first, which is quicker; if that is too much, the other way."""
    ways = [False, True] if len(gold.text) <= len(system.text) else [True, False]
    try:
        return _one_way(gold, system, ways[0])
    except MismatchError:
        return _one_way(gold, system, ways[1])


def _one_way(gold: Units, system: Units, turned: bool) -> Matching:
    if not turned:
        return aligned(gold, system)
    found = aligned(system, gold)
    return Matching(
        gold,
        system,
        found.characters,
        found.tokens[:, ::-1].copy(),
        found.sentences[:, ::-1].copy(),
        found.runs[:, [1, 0, 2]],
    )


def aligned(gold: Units, system: Units, runs: Indices | None = None) -> Matching:
    """Match texts whose characters differ.

    `runs` (gold start, system start, length) are known to be in every best matching; they hold
    the first and the last point. They are found if they are not given.
    """
    if not gold.text or not system.text:
        nothing = np.zeros((0, 3), np.int64)
        return Matching(gold, system, 0, nothing[:, :2], nothing[:, :2], nothing)
    sides = [Side.of(units.text, units.tokens, units.sentences) for units in (gold, system)]
    runs = forced(*sides) if runs is None else runs
    return _Alignment(gold, system, sides[0], sides[1], runs).result()


def _shared(runs: Indices, gold: Indices, system: Indices) -> Indices:
    """Ends that lie together on a run: rows (number of gold end, of system end, run).

    The beginning of a text has number 0, the first end 1.
    """
    gold, system = np.append(0, gold), np.append(0, system)
    first = np.searchsorted(gold, runs[:, 0])
    counts = np.searchsorted(gold, runs[:, 0] + runs[:, 2], side="right") - first
    at, run = ranges(first, counts), np.repeat(np.arange(len(runs)), counts)
    there = gold[at] + (runs[:, 1] - runs[:, 0])[run]
    place = np.searchsorted(system, there)
    place[place == len(system)] = 0
    both = system[place] == there
    return np.stack((at[both], place[both], run[both]), axis=1)


def _kept(shared: Indices) -> tuple[Indices, Flags]:
    """Units that begin and end together, and whether they lie on one run."""
    steps = np.diff(shared, axis=0)
    kept = np.flatnonzero((steps[:, :2] == 1).all(axis=1))
    return shared[kept, :2], steps[kept, 2] == 0


@dataclass(frozen=True)
class _Alignment:
    """Two texts, and runs that are in every best matching of them."""

    gold: Units
    system: Units
    gold_side: Side
    system_side: Side
    runs: Indices

    def result(self) -> Matching:
        """Solve what lies between the runs and put all together."""
        boxes = gaps(self.runs)
        pieces = Pieces.of(boxes, self.gold.sentences, self.system.sentences)
        band = self._bands(boxes, 2 * pieces.inside.sum(axis=1) * pieces.coupled)
        corners = _shared(self.runs, self.gold.sentences, self.system.sentences)
        simple = np.flatnonzero(~pieces.coupled & (boxes[:, 2:] > boxes[:, :2]).all(axis=1))
        paths = [self._simple(boxes[simple], band[simple])]
        chain = Chain(self.gold, self.system, self.runs, corners)
        which = np.flatnonzero(pieces.coupled)
        coupled, credits = chain.settle(pieces.take(which), band[which])
        paths.append(coupled)
        runs = _joined(np.concatenate([self.runs, *(path.matched[:, 1:] for path in paths)]))
        return Matching(
            self.gold,
            self.system,
            int(runs[:, 2].sum()),
            self._tokens(paths),
            self._sentences(corners, runs, np.concatenate((coupled.sentences[:, 1:], credits))),
            runs,
        )

    def _bands(self, boxes: Indices, signs: Indices) -> Indices:
        """How far best paths can lie below and above the first diagonal of each box.

        `signs` is how much longer the lattice of a box is than the box.
        """
        gold, system = self.gold.text, self.system.text
        sizes = boxes[:, 2:] - boxes[:, :2]
        rows = sizes[:, 0] + signs
        least = np.maximum((sizes.sum(axis=1) - LARGEST // (rows + 1)) // 2, 0)
        matched = [
            LCSseq.similarity(gold[a:c], system[b:d], score_cutoff=cutoff)
            for (a, b, c, d), cutoff in zip(boxes.tolist(), least.tolist(), strict=True)
        ]
        band = sizes - np.array(matched, np.int64)[:, None]
        cells = int((rows * (band.sum(axis=1) + signs + 1)).sum())
        if (least > matched).any() or cells + ROW * int(rows.max(initial=0)) > LARGEST:
            raise too_different()
        return band

    def _simple(self, boxes: Indices, band: Indices) -> Paths:
        """Solve boxes where no two sentences can end together."""
        none = np.zeros(len(boxes), np.int64)
        lattices = Boxes(
            boxes[:, 0],
            boxes[:, 2],
            boxes[:, 1],
            boxes[:, 3],
            band[:, 0],
            band[:, 1],
            none > 0,
            none,
            none,
        )
        gold, system = (Stream(s.codes, s.marks > 0) for s in (self.gold_side, self.system_side))
        return solve(gold, system, lattices, None)

    def _tokens(self, paths: list[Paths]) -> Indices:
        on_runs, whole = _kept(_shared(self.runs, self.gold.tokens, self.system.tokens))
        ends = np.concatenate([path.tokens[:, 1:] for path in paths])
        inside = np.stack(
            (
                np.searchsorted(self.gold.tokens, ends[:, 0]),
                np.searchsorted(self.system.tokens, ends[:, 1]),
            ),
            axis=1,
        )
        return _ordered(np.concatenate((on_runs[whole], inside)))

    def _sentences(self, corners: Indices, runs: Indices, inside: Indices) -> Indices:
        """Join the sentences found inside boxes with those between points of all best paths."""
        pairs, whole = _kept(corners)
        ends = np.append(0, self.gold.sentences), np.append(0, self.system.sentences)
        longest = np.maximum(*(np.diff(end)[pairs[:, side]] for side, end in enumerate(ends)))
        start, stop = (passed(runs, 0, ends[0][pairs[:, 0] + k]) for k in (0, 1))
        whole |= 2 * (stop - start) >= longest
        return _ordered(np.concatenate((pairs[whole], inside)))


def _joined(runs: Indices) -> Indices:
    """Put runs in order; join those that follow each other on one diagonal."""
    runs = runs[runs[:, 2] > 0]
    runs = runs[np.argsort(runs[:, 0])]
    first = np.ones(len(runs), np.bool_)
    first[1:] = (runs[1:, :2] != runs[:-1, :2] + runs[:-1, 2:]).any(axis=1)
    starts = np.flatnonzero(first)
    if not len(starts):
        return runs
    return np.column_stack((runs[starts, :2], np.add.reduceat(runs[:, 2], starts)))


def _ordered(pairs: Indices) -> Indices:
    return pairs[np.argsort(pairs[:, 0])]
