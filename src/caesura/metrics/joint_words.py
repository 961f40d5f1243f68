"""Aligned words of two matched texts, also inside multiword tokens, and their annotation.

Words that are tokens are aligned as their tokens are. The words of a multiword token have no
characters of their own: around each such token, as far as multiword tokens of either text reach,
the words of both texts are aligned by their lower-case forms (longest common subsequence). If the
characters are equal, this is the alignment of the CoNLL 2018 evaluation, which in rare cases of
overlapping tokens includes a word before the multiword token.

If characters differ, matched ones have the same position; unmatched ones between them lie side by
side from the left, so that a changed character moves nothing. As in the CoNLL evaluation,
exchanging the texts may align other words around multiword tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import eq

import numpy as np

from caesura.core.arrays import Flags, Indices, Strings
from caesura.core.transcript import Transcript
from caesura.text.charmatch.lattice import too_different
from caesura.text.charmatch.matching import MAX_CELLS, Matching
from caesura.text.charmatch.units import Tokenization, Units

Place = tuple[int, int]
Region = tuple[Place, Place]
"""The first tokens of both texts, and those beyond the last."""


def word_pairs(gold: Tokenization, system: Tokenization, matching: Matching) -> Indices:
    """Return the pairs (gold word, system word) of aligned words, in order."""
    ours, theirs = TokenWords.of(gold, matching.gold), TokenWords.of(system, matching.system)
    tokens = matching.tokens
    plain = np.stack((ours.first[tokens[:, 0]], theirs.first[tokens[:, 1]]), axis=1)
    if not (ours.shares.any() or theirs.shares.any()):
        return plain
    # Multiword tokens that match, as the tokens before them do, are a region of their own.
    follows = (np.diff(tokens, axis=0, prepend=-1) == 1).all(axis=1)
    whole = ours.shares[tokens[:, 0]] & theirs.shares[tokens[:, 1]] & follows
    regions = [((i, j), (i + 1, j + 1)) for i, j in tokens[whole].tolist()]
    others = [ours.shares.copy(), theirs.shares.copy()]
    for side in (0, 1):
        others[side][tokens[whole, side]] = False
    if others[0].any() or others[1].any():
        regions += _RegionWalk(matching, others).regions()
    inside = [np.zeros(len(each), np.bool_) for each in others]
    pairs: list[Place] = []
    for (i, j), (last_i, last_j) in regions:
        inside[0][i:last_i] = inside[1][j:last_j] = True
        pairs += _pair_by_form(ours, theirs, ours.numbers(i, last_i), theirs.numbers(j, last_j))
    alone = ~(inside[0] | ours.shares)[tokens[:, 0]] & ~(inside[1] | theirs.shares)[tokens[:, 1]]
    found = np.concatenate((plain[alone], np.array(pairs, np.int64).reshape(-1, 2)))
    return found[np.argsort(found[:, 0])]


@dataclass(frozen=True)
class TokenWords:
    """The words of tokens: for each token its first word, and the one beyond its last."""

    forms: Strings
    first: Indices
    beyond: Indices
    shares: Flags
    shares_token: Flags

    @classmethod
    def of(cls, cut: Tokenization, units: Units) -> TokenWords:
        """Find the words of the tokens that are not empty."""
        if len(units.kept_tokens) == len(cut.words):
            first = np.arange(len(cut.words))
            return cls(cut.words, first, first + 1, cut.shares, cut.shares)
        first = np.searchsorted(cut.owner, units.kept_tokens)
        beyond = np.searchsorted(cut.owner, units.kept_tokens, side="right")
        return cls(cut.words, first, beyond, cut.shares[first], cut.shares)

    def folded(self, word: int) -> str:
        """Return the form by which a word is aligned."""
        form = self.forms[word].lower()
        return form if self.shares_token[word] else "".join(form.split())

    def numbers(self, token: int, beyond: int) -> list[int]:
        """Return the numbers of the words of some tokens."""
        return [
            word for at in range(token, beyond) for word in range(self.first[at], self.beyond[at])
        ]


def shared_positions(matching: Matching) -> tuple[Indices, Indices]:
    """Return positions of the characters of both texts on one common axis."""
    lengths = len(matching.gold.text), len(matching.system.text)
    if lengths == (matching.characters, matching.characters):
        return np.arange(lengths[0]), np.arange(lengths[1])
    runs = np.vstack([(0, 0, 0), matching.runs, (*lengths, 0)])
    starts, stops = runs[:, :2], runs[:, :2] + runs[:, 2:]
    gaps = (starts[1:] - stops[:-1]).max(axis=1)
    at = np.concatenate(([0], np.cumsum(gaps + runs[1:, 2]) - runs[1:, 2]))
    found = []
    for side, length in enumerate(lengths):
        # A segment is a run and the gap after it.
        segment = np.repeat(np.arange(len(runs) - 1), np.diff(starts[:, side]))
        here = np.arange(length)
        inside = here < stops[segment, side]
        since = np.where(inside, starts[segment, side], stops[segment, side])
        found.append(here - since + at[segment] + np.where(inside, 0, runs[segment, 2]))
    return found[0], found[1]


class _RegionWalk:
    """Walk through the tokens of both texts in the order in which they begin.

    Nothing happens at tokens of one word, so that the walk jumps to the next multiword token.
    """

    def __init__(self, matching: Matching, shares: list[Flags]) -> None:
        self.sizes = len(shares[0]), len(shares[1])
        self.shares: list[list[bool]] = [each.tolist() for each in shares]
        begins, stops = [], []
        for units, axis in zip(
            (matching.gold, matching.system), shared_positions(matching), strict=True
        ):
            begins.append(axis[np.concatenate(([0], units.tokens))[:-1]])
            stops.append(axis[units.tokens - 1] + 1)
        self.start: list[list[int]] = [each.tolist() for each in begins]
        self.end: list[list[int]] = [each.tolist() for each in stops]
        self.before = np.searchsorted(begins[1], begins[0]).tolist()
        self.after = np.searchsorted(begins[0], begins[1], side="right").tolist()
        self.next = [_next_multiword(each) for each in shares]

    def regions(self) -> Iterator[Region]:
        """Yield the regions in which words are aligned by form."""
        i, j = self._jump(0, 0)
        while i < self.sizes[0] and j < self.sizes[1]:
            first, last = self._region(i, j)
            yield first, last
            i, j = self._jump(*last)

    def _jump(self, i: int, j: int) -> Place:
        """Return where the walk meets the next multiword token, or an end."""
        ours, theirs = self.next[0][i], self.next[1][j]
        if i == ours or j == theirs:
            return i, j
        at = max(j, self.before[ours - 1])
        if at < theirs:
            return ours, at
        return max(i, self.after[theirs - 1]), theirs

    def _region(self, i: int, j: int) -> Region:
        """Return where the words around a multiword token begin and end in both texts."""
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


def _next_multiword(shares: Flags) -> list[int]:
    """Return, for each token and the end, the first multiword token from there on."""
    count = len(shares)
    at = np.where(shares, np.arange(count), count)
    return [*np.minimum.accumulate(at[::-1])[::-1].tolist(), count]


def _pair_by_form(
    ours: TokenWords, theirs: TokenWords, first: list[int], second: list[int]
) -> list[Place]:
    """Align words with equal lower-case forms; blanks count only in multiword tokens."""
    forms = [ours.folded(at) for at in first], [theirs.folded(at) for at in second]
    return [(first[a], second[b]) for a, b in common_subsequence(*forms)]


def common_subsequence(ours: list[str], theirs: list[str]) -> list[Place]:
    """Return the places of a longest common subsequence; of several, the first."""
    if ours == theirs:
        return [(at, at) for at in range(len(ours))]
    if len(ours) * len(theirs) > MAX_CELLS // 100:
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
"""The annotations that are compared, and the layers both texts must have for each."""


def both_have(name: str, gold: Transcript, system: Transcript) -> bool:
    """Whether both texts have the layers for an annotation."""
    return all(
        getattr(text, layer) is not None for text in (gold, system) for layer in LAYERS[name]
    )


def count_correct(gold: Transcript, system: Transcript, pairs: Indices) -> dict[str, int]:
    """Count the pairs of words with equal annotation, for each that both texts have."""
    return {
        name: int(np.count_nonzero(each))
        for name, each in flag_correct(gold, system, pairs).items()
    }


def flag_correct(gold: Transcript, system: Transcript, pairs: Indices) -> dict[str, Flags]:
    """Flag the pairs of words with equal annotation, for each that both texts have.

    Pairs are in order. As in the CoNLL 2018 evaluation, a word without lemma in the reference
    may have any lemma, and only the part of a relation before the colon counts.
    """
    found: dict[str, Flags] = {}
    for name in (name for name in LAYERS if both_have(name, gold, system)):
        if name == "uas":
            found[name] = _same_heads(gold, system, pairs)
            continue
        ours, theirs = (
            _cells_at(getattr(text, LAYERS[name][-1]), pairs[:, side])
            for side, text in enumerate((gold, system))
        )
        same = np.fromiter(map(eq, ours, theirs), np.bool_, len(pairs))
        for at in np.flatnonzero(~same).tolist() if name in ("lemma", "las") else ():
            same[at] = _counts_as_equal(name, ours[at], theirs[at])
        found[name] = same & found["uas"] if name == "las" else same
    return found


def _cells_at(cells: Strings, at: Indices) -> Strings:
    """Return the cells at these ascending places, which are mostly contiguous."""
    if not len(at):
        return ()
    first, last = int(at[0]), int(at[-1])
    if last - first + 1 == len(at):
        return cells[first : last + 1]
    return tuple(map(cells.__getitem__, at.tolist()))


def _counts_as_equal(name: str, ours: str, theirs: str) -> bool:
    """Whether cells that differ count as equal."""
    if name == "lemma":
        return ours in ("", "_")
    return ours.partition(":")[0] == theirs.partition(":")[0]


def _same_heads(gold: Transcript, system: Transcript, pairs: Indices) -> Flags:
    """Flag the pairs whose heads are aligned, or who are both roots."""
    assert gold.head is not None
    assert system.head is not None
    back = np.full(len(system) + 1, -2, np.int64)
    back[pairs[:, 1]] = pairs[:, 0]
    ours, theirs = gold.head[pairs[:, 0]], system.head[pairs[:, 1]]
    root = (ours == pairs[:, 0]) & (theirs == pairs[:, 1])
    attached = (theirs != pairs[:, 1]) & (theirs >= 0) & (ours != pairs[:, 0])
    same: Flags = root | (attached & (back[theirs] == ours))
    return same
