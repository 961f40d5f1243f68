"""What is said of words that belong together: tags, lemmas, heads and relations."""

from __future__ import annotations

from operator import eq

import numpy as np

from caesura.transcript import Flags, Indices, Strings, Transcript

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
