"""Match two texts: the best matching of their characters, tokens and sentences.

A matching pairs equal characters in order. A token is correct if all its characters are matched
one to one with those of an equal token. Two sentences match if all matched characters of either
are matched with the other, and these are at least half of the longer one. The best matching has
the most matched characters, then the most correct tokens, then the most matched sentences (Jo et
al. 2024, made exact).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq

from caesura.core.arrays import ByValue, Flags, Indices
from caesura.core.errors import MismatchError
from caesura.text.charmatch.anchors import ranges
from caesura.text.charmatch.forced_runs import MarkedText, boxes_between, forced_runs
from caesura.text.charmatch.lattice import Boxes, CharStream, Paths, solve, too_different
from caesura.text.charmatch.sentence_matching import BoxSentences, SentenceSolver, matched_before
from caesura.text.charmatch.units import Units

MAX_CELLS = 250_000_000
"""Cells of all lattices together; more would take too long."""

ROW_COST = 2_000
"""The cost of a row of a lattice besides its cells, in cells."""


@dataclass(frozen=True, eq=False)
class Matching(ByValue):
    """A best matching of two texts.

    `tokens` and `sentences` are the pairs (gold, system) of indices of those that match, `runs`
    the maximal runs (gold start, system start, length) of matched characters. All refer to
    `gold` and `system` as they are here, with tokens rewritten if that was needed.
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
    """Match the characters of a hypothesis (system) and a reference (gold) as well as possible.

    If the characters differ, tokens are rewritten to equal forms (see `Units.rewritten`); if
    they still differ, the texts are aligned.
    """
    if gold.text != system.text:
        gold, system = gold.rewritten(tables), system.rewritten(tables)
    if gold.text != system.text:
        return _match_shorter_first(gold, system)
    runs = np.array([(0, 0, len(gold.text))], np.int64)
    tokens, _ = _common_units(_shared_ends(runs, gold.tokens, system.tokens))
    sentences, _ = _common_units(_shared_ends(runs, gold.sentences, system.sentences))
    return Matching(gold, system, len(gold.text), tokens, sentences, runs[runs[:, 2] > 0])


def _match_shorter_first(gold: Units, system: Units) -> Matching:
    """Align with the shorter text first, which is faster; if that is too much, the other way."""
    ways = [False, True] if len(gold.text) <= len(system.text) else [True, False]
    try:
        return _match_in_order(gold, system, ways[0])
    except MismatchError:
        return _match_in_order(gold, system, ways[1])


def _match_in_order(gold: Units, system: Units, turned: bool) -> Matching:
    if not turned:
        return align_texts(gold, system)
    found = align_texts(system, gold)
    return Matching(
        gold,
        system,
        found.characters,
        found.tokens[:, ::-1].copy(),
        found.sentences[:, ::-1].copy(),
        found.runs[:, [1, 0, 2]],
    )


def align_texts(gold: Units, system: Units, runs: Indices | None = None) -> Matching:
    """Match texts whose characters differ.

    `runs` (gold start, system start, length) are known to be part of every best matching and
    include the first and the last point. They are found if they are not given.
    """
    if not gold.text or not system.text:
        nothing = np.zeros((0, 3), np.int64)
        return Matching(gold, system, 0, nothing[:, :2], nothing[:, :2], nothing)
    sides = [MarkedText.of(units.text, units.tokens, units.sentences) for units in (gold, system)]
    runs = forced_runs(*sides) if runs is None else runs
    return _Alignment(gold, system, sides[0], sides[1], runs).result()


def _shared_ends(runs: Indices, gold: Indices, system: Indices) -> Indices:
    """Return ends that lie together on a run, as rows (gold end, system end, run).

    The beginning of a text has the number 0, the first end 1.
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


def _common_units(shared: Indices) -> tuple[Indices, Flags]:
    """Return units that begin and end together, and whether each lies on one run."""
    steps = np.diff(shared, axis=0)
    kept = np.flatnonzero((steps[:, :2] == 1).all(axis=1))
    return shared[kept, :2], steps[kept, 2] == 0


@dataclass(frozen=True)
class _Alignment:
    """Two texts, and runs that are in every best matching of them."""

    gold: Units
    system: Units
    gold_side: MarkedText
    system_side: MarkedText
    runs: Indices

    def result(self) -> Matching:
        """Solve the boxes between the runs and put everything together."""
        boxes = boxes_between(self.runs)
        pieces = BoxSentences.of(boxes, self.gold.sentences, self.system.sentences)
        band = self._bands(boxes, 2 * pieces.inside.sum(axis=1) * pieces.coupled)
        corners = _shared_ends(self.runs, self.gold.sentences, self.system.sentences)
        simple = np.flatnonzero(~pieces.coupled & (boxes[:, 2:] > boxes[:, :2]).all(axis=1))
        paths = [self._simple(boxes[simple], band[simple])]
        solver = SentenceSolver(self.gold, self.system, self.runs, corners)
        which = np.flatnonzero(pieces.coupled)
        coupled, credits = solver.solve(pieces.take(which), band[which])
        paths.append(coupled)
        runs = _join_runs(np.concatenate([self.runs, *(path.matched[:, 1:] for path in paths)]))
        return Matching(
            self.gold,
            self.system,
            int(runs[:, 2].sum()),
            self._tokens(paths),
            self._sentences(corners, runs, np.concatenate((coupled.sentences[:, 1:], credits))),
            runs,
        )

    def _bands(self, boxes: Indices, signs: Indices) -> Indices:
        """Return how far best paths can lie below and above the first diagonal of each box.

        `signs` is how much longer the lattice of a box is than the box.
        """
        gold, system = self.gold.text, self.system.text
        sizes = boxes[:, 2:] - boxes[:, :2]
        rows = sizes[:, 0] + signs
        least = np.maximum((sizes.sum(axis=1) - MAX_CELLS // (rows + 1)) // 2, 0)
        matched = [
            LCSseq.similarity(gold[a:c], system[b:d], score_cutoff=cutoff)
            for (a, b, c, d), cutoff in zip(boxes.tolist(), least.tolist(), strict=True)
        ]
        band = sizes - np.array(matched, np.int64)[:, None]
        cells = int((rows * (band.sum(axis=1) + signs + 1)).sum())
        if (least > matched).any() or cells + ROW_COST * int(rows.max(initial=0)) > MAX_CELLS:
            raise too_different()
        return band

    def _simple(self, boxes: Indices, band: Indices) -> Paths:
        """Solve boxes in which no two sentences can end together."""
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
        gold, system = (
            CharStream(s.codes, s.marks > 0) for s in (self.gold_side, self.system_side)
        )
        return solve(gold, system, lattices, None)

    def _tokens(self, paths: list[Paths]) -> Indices:
        on_runs, whole = _common_units(
            _shared_ends(self.runs, self.gold.tokens, self.system.tokens)
        )
        ends = np.concatenate([path.tokens[:, 1:] for path in paths])
        inside = np.stack(
            (
                np.searchsorted(self.gold.tokens, ends[:, 0]),
                np.searchsorted(self.system.tokens, ends[:, 1]),
            ),
            axis=1,
        )
        return _sort_pairs(np.concatenate((on_runs[whole], inside)))

    def _sentences(self, corners: Indices, runs: Indices, inside: Indices) -> Indices:
        """Join the sentences found inside boxes with those between forced points."""
        pairs, whole = _common_units(corners)
        ends = np.append(0, self.gold.sentences), np.append(0, self.system.sentences)
        longest = np.maximum(*(np.diff(end)[pairs[:, side]] for side, end in enumerate(ends)))
        start, stop = (matched_before(runs, 0, ends[0][pairs[:, 0] + k]) for k in (0, 1))
        whole |= 2 * (stop - start) >= longest
        return _sort_pairs(np.concatenate((pairs[whole], inside)))


def _join_runs(runs: Indices) -> Indices:
    """Sort runs; join those that follow each other on one diagonal."""
    runs = runs[runs[:, 2] > 0]
    runs = runs[np.argsort(runs[:, 0])]
    first = np.ones(len(runs), np.bool_)
    first[1:] = (runs[1:, :2] != runs[:-1, :2] + runs[:-1, 2:]).any(axis=1)
    starts = np.flatnonzero(first)
    if not len(starts):
        return runs
    return np.column_stack((runs[starts, :2], np.add.reduceat(runs[:, 2], starts)))


def _sort_pairs(pairs: Indices) -> Indices:
    return pairs[np.argsort(pairs[:, 0])]
