"""Where two cuttings of a text disagree: groups of tokens, and ends of sentences.

Both texts are cut at the places where a token ends in both. What lies between two such places
is a group: tokens that share characters, or stand at the same place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.text.charmatch.anchors import ranges
from caesura.text.charmatch.matching import Matching
from caesura.text.charmatch.sentences import passed


@dataclass(frozen=True, slots=True)
class Group:
    """Tokens of both texts, each as the first and the one beyond, and how they disagree.

    Kinds are `1:n`, `m:1` and `m:n` (cut otherwise), `changed` (other characters), `missing`
    (only in the reference) and `added`.
    """

    kind: str
    gold: tuple[int, int]
    system: tuple[int, int]


def groups(matching: Matching) -> Iterator[Group]:
    """Give each token that is not right in the one group it belongs to, in order."""
    places = [np.append(0, units.tokens).tolist() for units in (matching.gold, matching.system)]
    for a, b, c, d in _wrong(matching).tolist():
        if a == c:
            yield from (Group("added", (a, a), (at, at + 1)) for at in range(b, d))
        elif b == d:
            yield from (Group("missing", (at, at + 1), (b, b)) for at in range(a, c))
        else:
            gold = matching.gold.text[places[0][a] : places[0][c]]
            system = matching.system.text[places[1][b] : places[1][d]]
            yield Group(_kind(c - a, d - b) if gold == system else "changed", (a, c), (b, d))


def _kind(gold: int, system: int) -> str:
    return f"{'1' if gold == 1 else 'm'}:{'1' if system == 1 else 'n'}"


def _wrong(matching: Matching) -> Indices:
    """Stretches between two cuts that are no right token: first tokens, and those beyond."""
    right = matching.tokens
    size = len(matching.system.tokens) + 1
    ends = np.array([(0, 0), (len(matching.gold.tokens), size - 1)])
    pairs = np.concatenate((ends, right, right + 1, _Path(matching).corners()))
    keys = np.unique(pairs[:, 0] * size + pairs[:, 1])
    cuts = np.stack(np.divmod(keys, size), axis=1)
    pieces = np.column_stack((cuts[:-1], cuts[1:]))
    is_right = np.zeros(len(matching.gold.tokens) + 1, np.bool_)
    is_right[right[:, 0]] = True
    single = (pieces[:, 2:] - pieces[:, :2] == 1).all(axis=1)
    wrong: Indices = pieces[~(single & is_right[pieces[:, 0]])]
    return wrong


class _Path:
    """The runs of a matching as a path through both texts, and the gaps between them."""

    def __init__(self, matching: Matching) -> None:
        self.matching = matching
        edge = (len(matching.gold.text), len(matching.system.text), 0)
        runs = np.vstack([(0, 0, 0), matching.runs, edge])
        self.start, self.stop = runs[:, :2], runs[:, :2] + runs[:, 2:]

    def corners(self) -> Indices:
        """Numbers of ends of tokens (gold, system) that lie together on the path.

        Those at a gap are left out if the characters beside it could be matched otherwise, so
        that they would not lie together: `can not` and `ca n't` are one group.
        """
        gold, system = (np.append(0, u.tokens) for u in (self.matching.gold, self.matching.system))
        run = np.searchsorted(self.start[:, 0], gold, side="right") - 1
        last = self.start[run, 1] + np.minimum(gold, self.stop[run, 0]) - self.start[run, 0]
        before = np.maximum(run - 1, 0)
        meets = (gold == self.start[run, 0]) & (self.stop[before, 0] == gold)
        first = np.where(meets, self.stop[before, 1], last)
        after = np.minimum(run + 1, len(self.start) - 1)
        astray = (gold > self.stop[run, 0]) & (self.start[after, 1] > self.stop[run, 1])
        begin = np.searchsorted(system, first)
        counts = np.searchsorted(system, last, side="right") - begin
        counts[astray] = 0
        which = np.repeat(np.arange(len(gold)), counts)
        found = np.stack((which, ranges(begin, counts)), axis=1)
        return found[self._is_sure(gold[which], system[found[:, 1]], run[which])]

    def _is_sure(self, gold: Indices, system: Indices, run: Indices) -> Flags:
        """Whether corners stay where they are in every matching as good as this one."""
        inside = (gold > self.start[run, 0]) & (gold < self.stop[run, 0])
        early = (gold == self.start[run, 0]) & (system <= self.start[run, 1])
        gap = np.clip(run - early, 0, len(self.start) - 2)
        left = (gold == self.stop[gap, 0]) & (system == self.stop[gap, 1])
        right = (gold == self.start[gap + 1, 0]) & (system == self.start[gap + 1, 1])
        moves = self._moves()[gap]
        sure: Flags = inside | ((left | ~moves[:, 0]) & (right | ~moves[:, 1]))
        return sure

    def _moves(self) -> Flags:
        """Whether the character after, or before, each gap occurs in it too."""
        gold, system = self.matching.gold.text, self.matching.system.text
        found = []
        for (a, b), (c, d) in zip(self.stop[:-1].tolist(), self.start[1:].tolist(), strict=True):
            inside = gold[a:c] + system[b:d]
            after = c < len(gold) and d < len(system) and gold[c] in inside
            found.append((after, a > 0 and b > 0 and gold[a - 1] in inside))
        return np.array(found, np.bool_)

    def across(self, side: int, places: Indices) -> Indices:
        """Where places in one text are in the other; what has no place is counted off."""
        run = np.searchsorted(self.start[:, side], places, side="right") - 1
        there = self.start[run, 1 - side] + places - self.start[run, side]
        after = np.minimum(run + 1, len(self.start) - 1)
        found: Indices = np.minimum(there, self.start[after, 1 - side])
        return found


@dataclass(frozen=True, slots=True)
class Ends:
    """Ends of sentences that only one text has, each with its place in the other.

    `changed` are pairs of sentences that begin and end together, but share too little.
    """

    missed: Indices
    added: Indices
    changed: Indices


def ends(matching: Matching) -> Ends:
    """Find the sentences that end in one text only.

    Ends are the same if as many matched characters stand before them.
    """
    gold, system = matching.gold.sentences, matching.system.sentences
    keys = [_numbered(passed(matching.runs, side, s)) for side, s in enumerate((gold, system))]
    ours, theirs = (np.isin(keys[k], keys[1 - k]) for k in (0, 1))
    path = _Path(matching)
    missed, added = gold[~ours], system[~theirs]
    return Ends(
        np.stack((missed, path.across(0, missed)), axis=1),
        np.stack((path.across(1, added), added), axis=1),
        _changed(np.stack((np.flatnonzero(ours), np.flatnonzero(theirs)), axis=1), matching),
    )


def _numbered(places: Indices) -> Indices:
    """Tell equal places apart by their order."""
    again = np.arange(len(places)) - np.searchsorted(places, places)
    # No more ends can be at one place than there are characters, and those fit 31 bits.
    return (places << 31) + again


def _changed(shared: Indices, matching: Matching) -> Indices:
    begun = np.diff(shared, axis=0, prepend=-1)
    pairs = shared[(begun == 1).all(axis=1)]
    found: Indices = pairs[~np.isin(pairs[:, 0], matching.sentences[:, 0])]
    return found
