"""Where two matched texts differ: groups of tokens and ends of sentences, with their context.

Both texts are split at the places where a token ends in both. The tokens between two such places
are a group: they share characters, or stand at the same place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.core.protocols import Disagreement
from caesura.metrics.base import CONTEXT
from caesura.text.charmatch.anchors import ranges
from caesura.text.charmatch.matching import Matching
from caesura.text.charmatch.sentence_matching import matched_before
from caesura.text.charmatch.units import Tokenization, Units

SENTENCE_END = " ¶ "
"""Shows the end of a sentence inside a text."""


class TokensAround(NamedTuple):
    """Tokens around a place: their text, and the span from the first to beyond the last."""

    text: str
    span: tuple[int, int]


class TokenView:
    """One text for display: its tokens as written, where sentences end, and words by token."""

    def __init__(self, cut: Tokenization, units: Units) -> None:
        self.tokens = [cut.tokens[at] for at in units.kept_tokens.tolist()]
        self.ends = set(units.sentences.tolist())
        # Punctuation that is no word is reported at the word before it.
        sources = np.maximum(np.maximum.accumulate(cut.source), 0)
        self.words: list[int] = sources[np.searchsorted(cut.owner, units.kept_tokens)].tolist()
        self.stops: list[int] = units.tokens.tolist()
        self.sentences = [0, *np.searchsorted(units.tokens, units.sentences, side="right").tolist()]

    def text(self, first: int, beyond: int) -> str:
        """Return tokens with blanks between them."""
        return " ".join(self.tokens[max(first, 0) : beyond])

    def sentence(self, number: int) -> tuple[int, int]:
        """Return the first token of a sentence, and the one beyond its last."""
        return self.sentences[number], self.sentences[number + 1]

    def word(self, token: int) -> int:
        """Return the word of a token, or the last word if there is no such token."""
        return self.words[min(token, len(self.words) - 1)] if self.words else 0

    def at(self, place: int) -> TokensAround:
        """Return the tokens on both sides of a place, or the one that contains it."""
        token = bisect_left(self.stops, place)
        inside = token < len(self.stops) and self.stops[token] > place > 0
        if inside:
            return TokensAround(self.tokens[token], (token, token + 1))
        beyond = bisect_right(self.stops, place)
        joint = SENTENCE_END if place in self.ends else " "
        shown = f"{self.text(beyond - 1, beyond)}{joint}{self.text(beyond, beyond + 1)}"
        return TokensAround(shown.strip(" "), (max(beyond - 1, 0), beyond + 1))


@dataclass(frozen=True)
class TextDifferences:
    """The differences of two matched texts."""

    reference: TokenView
    hypothesis: TokenView
    matching: Matching
    reference_number: int

    @classmethod
    def of(
        cls,
        reference: Tokenization,
        hypothesis: Tokenization,
        matching: Matching,
        reference_number: int,
    ) -> TextDifferences:
        """Take the tokens of two texts and their matching."""
        gold, system = TokenView(reference, matching.gold), TokenView(hypothesis, matching.system)
        return cls(gold, system, matching, reference_number)

    def tokens(self) -> Iterator[Disagreement]:
        """Yield each group of incorrect tokens."""
        for group in token_groups(self.matching):
            texts = self.reference.text(*group.gold), self.hypothesis.text(*group.system)
            yield self._disagreement("token", group.kind, texts, group.system)

    def sentences(self) -> Iterator[Disagreement]:
        """Yield sentence ends that one text lacks, and sentences that share too little."""
        found = sentence_end_differences(self.matching)
        for kind, places in (("missed", found.missed), ("added", found.added)):
            for gold, system in places.tolist():
                left, right = self.reference.at(gold), self.hypothesis.at(system)
                yield self._disagreement("sentence", kind, (left.text, right.text), right.span)
        for gold, system in found.changed.tolist():
            span = self.hypothesis.sentence(system)
            texts = self.reference.text(*self.reference.sentence(gold)), self.hypothesis.text(*span)
            yield self._disagreement("sentence", "changed", texts, span)

    def _disagreement(
        self, level: str, kind: str, texts: tuple[str, str], span: tuple[int, int]
    ) -> Disagreement:
        side, (first, beyond) = self.hypothesis, span
        return Disagreement(
            level,
            kind,
            *texts,
            side.text(first - CONTEXT, first),
            side.text(beyond, beyond + CONTEXT),
            side.word(first),
            self.reference_number,
        )


@dataclass(frozen=True, slots=True)
class Group:
    """Tokens of both texts (first, and beyond the last), and how they differ.

    Kinds are `1:n`, `m:1` and `m:n` (split differently), `changed` (other characters), `missing`
    (only in the reference) and `added` (only in the hypothesis).
    """

    kind: str
    gold: tuple[int, int]
    system: tuple[int, int]


def token_groups(matching: Matching) -> Iterator[Group]:
    """Yield the groups of incorrect tokens, in order; each token is in one group."""
    places = [np.append(0, units.tokens).tolist() for units in (matching.gold, matching.system)]
    for a, b, c, d in _wrong_segments(matching).tolist():
        if a == c:
            yield from (Group("added", (a, a), (at, at + 1)) for at in range(b, d))
        elif b == d:
            yield from (Group("missing", (at, at + 1), (b, b)) for at in range(a, c))
        else:
            gold = matching.gold.text[places[0][a] : places[0][c]]
            system = matching.system.text[places[1][b] : places[1][d]]
            yield Group(_group_kind(c - a, d - b) if gold == system else "changed", (a, c), (b, d))


def _group_kind(gold: int, system: int) -> str:
    return f"{'1' if gold == 1 else 'm'}:{'1' if system == 1 else 'n'}"


def _wrong_segments(matching: Matching) -> Indices:
    """Return the segments between two common token ends that are no correct token."""
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
        """Return the numbers of token ends (gold, system) that lie together on the path.

        Those at a gap are left out if the characters beside it could be matched differently, so
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
        """Flag the corners that are the same in every matching as good as this one."""
        inside = (gold > self.start[run, 0]) & (gold < self.stop[run, 0])
        early = (gold == self.start[run, 0]) & (system <= self.start[run, 1])
        gap = np.clip(run - early, 0, len(self.start) - 2)
        left = (gold == self.stop[gap, 0]) & (system == self.stop[gap, 1])
        right = (gold == self.start[gap + 1, 0]) & (system == self.start[gap + 1, 1])
        moves = self._moves()[gap]
        sure: Flags = inside | ((left | ~moves[:, 0]) & (right | ~moves[:, 1]))
        return sure

    def _moves(self) -> Flags:
        """Flag whether the character after, or before, each gap also occurs in it."""
        gold, system = self.matching.gold.text, self.matching.system.text
        found = []
        for (a, b), (c, d) in zip(self.stop[:-1].tolist(), self.start[1:].tolist(), strict=True):
            inside = gold[a:c] + system[b:d]
            after = c < len(gold) and d < len(system) and gold[c] in inside
            found.append((after, a > 0 and b > 0 and gold[a - 1] in inside))
        return np.array(found, np.bool_)

    def across(self, side: int, places: Indices) -> Indices:
        """Convert places of one text to the other; unmatched characters are counted off."""
        run = np.searchsorted(self.start[:, side], places, side="right") - 1
        there = self.start[run, 1 - side] + places - self.start[run, side]
        after = np.minimum(run + 1, len(self.start) - 1)
        found: Indices = np.minimum(there, self.start[after, 1 - side])
        return found


@dataclass(frozen=True, slots=True)
class EndDifferences:
    """Sentence ends that only one text has, each with its place in the other.

    `changed` are pairs of sentences that begin and end together, but share too little.
    """

    missed: Indices
    added: Indices
    changed: Indices


def sentence_end_differences(matching: Matching) -> EndDifferences:
    """Find the sentence ends that only one text has.

    Ends are the same if the same number of matched characters stands before them.
    """
    gold, system = matching.gold.sentences, matching.system.sentences
    keys = [
        _number_repeats(matched_before(matching.runs, side, s))
        for side, s in enumerate((gold, system))
    ]
    ours, theirs = (np.isin(keys[k], keys[1 - k]) for k in (0, 1))
    path = _Path(matching)
    missed, added = gold[~ours], system[~theirs]
    return EndDifferences(
        np.stack((missed, path.across(0, missed)), axis=1),
        np.stack((path.across(1, added), added), axis=1),
        _changed_sentences(
            np.stack((np.flatnonzero(ours), np.flatnonzero(theirs)), axis=1), matching
        ),
    )


def _number_repeats(places: Indices) -> Indices:
    """Make equal places distinct by their order."""
    again = np.arange(len(places)) - np.searchsorted(places, places)
    # No more ends can be at one place than there are characters, and those fit 31 bits.
    return (places << 31) + again


def _changed_sentences(shared: Indices, matching: Matching) -> Indices:
    begun = np.diff(shared, axis=0, prepend=-1)
    pairs = shared[(begun == 1).all(axis=1)]
    found: Indices = pairs[~np.isin(pairs[:, 0], matching.sentences[:, 0])]
    return found
