"""The algorithms of Jo et al. (2024) as they are printed, for study: they are not right.

Algorithm 1 merges pieces until the *next* ones are equal, not until the merged ones are; it reads
past the end, and does not always end. Two things the print leaves open make it a program at all:
beyond the end stands a mark without characters that is equal only to itself, and what is merged
is emptied for each mismatch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq

Group = tuple[slice, slice]


@dataclass(frozen=True)
class Printed:
    """What was taken for true positives, and the equal or merged pieces on both sides.

    If it does not end, it is what was found before it began to go round and round.
    """

    found: int
    groups: tuple[Group, ...]
    ends: bool


def literal(left: Sequence[str], right: Sequence[str]) -> Printed:
    """Run Algorithm 1; the print has the system's pieces on the left, the gold ones right."""
    groups: list[Group] = []
    found = i = j = 0
    while i < len(left) and j < len(right):
        first = i, j
        if left[i] == right[j]:
            found += 1
        else:
            reached = _merged(left, right, i, j)
            if reached is None:
                return Printed(found, tuple(groups), False)
            i, j = reached
        i, j = i + 1, j + 1
        groups.append((slice(first[0], i), slice(first[1], j)))
    return Printed(found, tuple(groups), True)


def _merged(left: Sequence[str], right: Sequence[str], i: int, j: int) -> tuple[int, int] | None:
    """Go on, on the side that is behind, until the next pieces are equal."""
    ours, theirs = len(left[i]), len(right[j])
    while _at(left, i + 1) != _at(right, j + 1):
        # What is past its end grows no more, so that it stays behind for ever.
        if ours > theirs:
            j += 1
            if j >= len(right):
                return None
            theirs += len(right[j])
        else:
            i += 1
            if i >= len(left):
                return None
            ours += len(left[i])
    return i, j


def _at(pieces: Sequence[str], at: int) -> str | None:
    return pieces[at] if at < len(pieces) else None


Sentences = Sequence[Sequence[str]]


def within(left: Sentences, right: Sentences) -> tuple[Printed, list[Printed]]:
    """Align sentences and then, within those that were equal or merged, the tokens."""
    joined = [["".join(sentence) for sentence in text] for text in (left, right)]
    sentences = literal(joined[0], joined[1])
    tokens = [
        literal(
            [token for sentence in left[ours] for token in sentence],
            [token for sentence in right[theirs] for token in sentence],
        )
        for ours, theirs in sentences.groups
    ]
    return sentences, tokens


def by_index(left: Sentences, right: Sentences) -> tuple[Printed, int]:
    """Run Algorithm 3, and with it Algorithm 2, which counts the same in two passes.

    Tokens are compared at equal places. Where sentences differ and the next ones do too, it adds
    the same two for ever; where the next ones are equal, it adds nothing and finds no token.
    """
    ours, theirs = (["".join(sentence) for sentence in text] for text in (left, right))
    found = tokens = 0
    groups: list[Group] = []
    for at in range(min(len(ours), len(theirs))):
        if ours[at] == theirs[at]:
            found += 1
            tokens += sum(map(eq, left[at], right[at]))
        elif _at(ours, at + 1) != _at(theirs, at + 1):
            return Printed(found, tuple(groups), False), tokens
        groups.append((slice(at, at + 1), slice(at, at + 1)))
    return Printed(found, tuple(groups), True), tokens
