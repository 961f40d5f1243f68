"""Which words of two texts belong together when some of them share a multiword token.

Words that are tokens of their own belong together as their tokens do. The words of a multiword
token have no characters of their own: around each such token, as far as multiword tokens of
either text reach, the words of both are paired by their lower-case forms, in order and as many as
possible. On equal characters this is the pairing of the CoNLL 2018 evaluation, which in rare
cases of overlapping tokens lets in a word before the multiword token.

Where characters differ, those that are matched lie at the same place; what is left out between
two of them lies side by side, beginning at the left, so that a changed character moves nothing.
As in the CoNLL evaluation, exchanging the texts may pair other words around multiword tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import eq

import numpy as np

from caesura.core.arrays import Flags, Indices, Strings
from caesura.core.transcript import Transcript
from caesura.text.charmatch.boxes import too_different
from caesura.text.charmatch.matching import LARGEST, Matching
from caesura.text.charmatch.units import Cutting, Units

Place = tuple[int, int]
Region = tuple[Place, Place]
"""The first tokens of both texts, and the ones beyond the last."""


def word_pairs(gold: Cutting, system: Cutting, matching: Matching) -> Indices:
    """Give the pairs (gold word, system word), in order."""
    ours, theirs = Words.of(gold, matching.gold), Words.of(system, matching.system)
    tokens = matching.tokens
    plain = np.stack((ours.first[tokens[:, 0]], theirs.first[tokens[:, 1]]), axis=1)
    if not (ours.shares.any() or theirs.shares.any()):
        return plain
    # Multiword tokens that belong together, as those before them do, are a region of their own.
    follows = (np.diff(tokens, axis=0, prepend=-1) == 1).all(axis=1)
    whole = ours.shares[tokens[:, 0]] & theirs.shares[tokens[:, 1]] & follows
    regions = [((i, j), (i + 1, j + 1)) for i, j in tokens[whole].tolist()]
    others = [ours.shares.copy(), theirs.shares.copy()]
    for side in (0, 1):
        others[side][tokens[whole, side]] = False
    if others[0].any() or others[1].any():
        regions += _Walk(matching, others).regions()
    inside = [np.zeros(len(each), np.bool_) for each in others]
    pairs: list[Place] = []
    for (i, j), (last_i, last_j) in regions:
        inside[0][i:last_i] = inside[1][j:last_j] = True
        pairs += _by_form(ours, theirs, ours.numbers(i, last_i), theirs.numbers(j, last_j))
    alone = ~(inside[0] | ours.shares)[tokens[:, 0]] & ~(inside[1] | theirs.shares)[tokens[:, 1]]
    found = np.concatenate((plain[alone], np.array(pairs, np.int64).reshape(-1, 2)))
    return found[np.argsort(found[:, 0])]


@dataclass(frozen=True)
class Words:
    """The words of the tokens that count: of each token the first word, the one beyond the last."""

    forms: Strings
    first: Indices
    beyond: Indices
    shares: Flags
    shares_token: Flags

    @classmethod
    def of(cls, cut: Cutting, units: Units) -> Words:
        """Find the words of tokens."""
        if len(units.kept_tokens) == len(cut.words):
            first = np.arange(len(cut.words))
            return cls(cut.words, first, first + 1, cut.shares, cut.shares)
        first = np.searchsorted(cut.owner, units.kept_tokens)
        beyond = np.searchsorted(cut.owner, units.kept_tokens, side="right")
        return cls(cut.words, first, beyond, cut.shares[first], cut.shares)

    def folded(self, word: int) -> str:
        """Give the form by which a word is paired."""
        form = self.forms[word].lower()
        return form if self.shares_token[word] else "".join(form.split())

    def numbers(self, token: int, beyond: int) -> list[int]:
        """Number the words of some tokens."""
        return [
            word for at in range(token, beyond) for word in range(self.first[at], self.beyond[at])
        ]


def places(matching: Matching) -> tuple[Indices, Indices]:
    """Put the characters of both texts on one axis."""
    lengths = len(matching.gold.text), len(matching.system.text)
    if lengths == (matching.characters, matching.characters):
        return np.arange(lengths[0]), np.arange(lengths[1])
    runs = np.vstack([(0, 0, 0), matching.runs, (*lengths, 0)])
    starts, stops = runs[:, :2], runs[:, :2] + runs[:, 2:]
    gaps = (starts[1:] - stops[:-1]).max(axis=1)
    at = np.concatenate(([0], np.cumsum(gaps + runs[1:, 2]) - runs[1:, 2]))
    found = []
    for side, length in enumerate(lengths):
        # A stretch is a run and the gap after it.
        stretch = np.repeat(np.arange(len(runs) - 1), np.diff(starts[:, side]))
        here = np.arange(length)
        inside = here < stops[stretch, side]
        since = np.where(inside, starts[stretch, side], stops[stretch, side])
        found.append(here - since + at[stretch] + np.where(inside, 0, runs[stretch, 2]))
    return found[0], found[1]


class _Walk:
    """Goes through the tokens of both texts in the order in which they begin.

    Those of one word are left behind one by one; since nothing happens there, the walk leaps to
    the next multiword token.
    """

    def __init__(self, matching: Matching, shares: list[Flags]) -> None:
        self.sizes = len(shares[0]), len(shares[1])
        self.shares: list[list[bool]] = [each.tolist() for each in shares]
        begins, stops = [], []
        for units, axis in zip((matching.gold, matching.system), places(matching), strict=True):
            begins.append(axis[np.concatenate(([0], units.tokens))[:-1]])
            stops.append(axis[units.tokens - 1] + 1)
        self.start: list[list[int]] = [each.tolist() for each in begins]
        self.end: list[list[int]] = [each.tolist() for each in stops]
        self.before = np.searchsorted(begins[1], begins[0]).tolist()
        self.after = np.searchsorted(begins[0], begins[1], side="right").tolist()
        self.next = [_next(each) for each in shares]

    def regions(self) -> Iterator[Region]:
        """Give the regions in which words are paired by form."""
        i, j = self._leap(0, 0)
        while i < self.sizes[0] and j < self.sizes[1]:
            first, last = self._region(i, j)
            yield first, last
            i, j = self._leap(*last)

    def _leap(self, i: int, j: int) -> Place:
        """Find where the walk meets the next multiword token, or an end."""
        ours, theirs = self.next[0][i], self.next[1][j]
        if i == ours or j == theirs:
            return i, j
        at = max(j, self.before[ours - 1])
        if at < theirs:
            return ours, at
        return max(i, self.after[theirs - 1]), theirs

    def _region(self, i: int, j: int) -> Region:
        """Find where the words around a multiword token begin and end in both texts."""
        (ours, theirs), (start, other), (end, others_end) = self.shares, self.start, self.end
        if ours[i]:
            stop = end[i]
            j += not theirs[j] and other[j] < start[i]
        else:
            stop = others_end[j]
            i += not ours[i] and start[i] < other[j]
        first = i, j
        while not (self._is_past(0, i, stop) and self._is_past(1, j, stop)):
            if i < len(ours) and (j >= len(theirs) or start[i] <= other[j]):
                stop = max(stop, end[i]) if ours[i] else stop
                i += 1
            else:
                stop = max(stop, others_end[j]) if theirs[j] else stop
                j += 1
        return first, (i, j)

    def _is_past(self, side: int, at: int, stop: int) -> bool:
        if at >= self.sizes[side]:
            return True
        return self.start[side][at] >= stop if self.shares[side][at] else self.end[side][at] > stop


def _next(shares: Flags) -> list[int]:
    """For each token, and the end, the first multiword token from there on."""
    count = len(shares)
    at = np.where(shares, np.arange(count), count)
    return [*np.minimum.accumulate(at[::-1])[::-1].tolist(), count]


def _by_form(ours: Words, theirs: Words, first: list[int], second: list[int]) -> list[Place]:
    """Pair words whose forms are equal but for case; blanks count in multiword tokens only."""
    forms = [ours.folded(at) for at in first], [theirs.folded(at) for at in second]
    return [(first[a], second[b]) for a, b in common(*forms)]


def common(ours: list[str], theirs: list[str]) -> list[Place]:
    """Give the places of a longest common subsequence; of several, the one met first."""
    if ours == theirs:
        return [(at, at) for at in range(len(ours))]
    if len(ours) * len(theirs) > LARGEST // 100:
        raise too_different()
    rest = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for a in range(len(ours) - 1, -1, -1):
        row, below = rest[a], rest[a + 1]
        for b in range(len(theirs) - 1, -1, -1):
            same = ours[a] == theirs[b]
            row[b] = below[b + 1] + 1 if same else max(below[b], row[b + 1])
    pairs, a, b = [], 0, 0
    while a < len(ours) and b < len(theirs):
        if ours[a] == theirs[b]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif rest[a][b] == rest[a + 1][b]:
            a += 1
        else:
            b += 1
    return pairs


LAYERS = {
    "upos": ("tag",),
    "xpos": ("subtag",),
    "lemma": ("lemma",),
    "uas": ("head",),
    "las": ("head", "relation"),
}
"""What is compared, and the layers both texts must have for it."""


def known(name: str, gold: Transcript, system: Transcript) -> bool:
    """Whether both texts have the layers for it."""
    return all(
        getattr(text, layer) is not None for text in (gold, system) for layer in LAYERS[name]
    )


def correct(gold: Transcript, system: Transcript, pairs: Indices) -> dict[str, int]:
    """Count, for all that both texts have, the pairs of words of which the same is said."""
    return {name: int(np.count_nonzero(each)) for name, each in right(gold, system, pairs).items()}


def right(gold: Transcript, system: Transcript, pairs: Indices) -> dict[str, Flags]:
    """Flag, for all that both texts have, the pairs of words of which the same is said.

    Pairs are in order. As in the CoNLL 2018 evaluation, a word that has no lemma in the
    reference may have any, and of a relation counts what stands before the colon.
    """
    found: dict[str, Flags] = {}
    for name in (name for name in LAYERS if known(name, gold, system)):
        if name == "uas":
            found[name] = _heads(gold, system, pairs)
            continue
        ours, theirs = (
            _taken(getattr(text, LAYERS[name][-1]), pairs[:, side])
            for side, text in enumerate((gold, system))
        )
        same = np.fromiter(map(eq, ours, theirs), np.bool_, len(pairs))
        for at in np.flatnonzero(~same).tolist() if name in ("lemma", "las") else ():
            same[at] = _as_good(name, ours[at], theirs[at])
        found[name] = same & found["uas"] if name == "las" else same
    return found


def _taken(cells: Strings, at: Indices) -> Strings:
    """Give the cells at these places, which are in order: mostly they are all, or a stretch."""
    if not len(at):
        return ()
    first, last = int(at[0]), int(at[-1])
    if last - first + 1 == len(at):
        return cells[first : last + 1]
    return tuple(map(cells.__getitem__, at.tolist()))


def _as_good(name: str, ours: str, theirs: str) -> bool:
    """Whether cells that are not the same count as if they were."""
    if name == "lemma":
        return ours in ("", "_")
    return ours.partition(":")[0] == theirs.partition(":")[0]


def _heads(gold: Transcript, system: Transcript, pairs: Indices) -> Flags:
    """Whether heads belong together, or both words are roots."""
    assert gold.head is not None
    assert system.head is not None
    back = np.full(len(system) + 1, -2, np.int64)
    back[pairs[:, 1]] = pairs[:, 0]
    ours, theirs = gold.head[pairs[:, 0]], system.head[pairs[:, 1]]
    root = (ours == pairs[:, 0]) & (theirs == pairs[:, 1])
    attached = (theirs != pairs[:, 1]) & (theirs >= 0) & (ours != pairs[:, 0])
    same: Flags = root | (attached & (back[theirs] == ours))
    return same
