"""Clusters: a content word with its function words, the units between which links hold.

In Japanese they are bunsetsu, which treebanks mark. Elsewhere the nucleus rule reads them off a
tree. All functions take words without punctuation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Indices, Strings
from caesura.core.transcript import Transcript

JOINING = frozenset("aux case cc clf cop det mark fixed flat goeswith".split())
"""Relations, without what follows a colon, of words that join the cluster of their head."""

PARTICLE = "compound:prt"
"""Another one, told by its whole name."""

FUNCTION = frozenset("ADP AUX CCONJ DET PART PUNCT SCONJ".split())
"""Tags of words that are not the content of a cluster."""

ROOT, UNKNOWN = -1, -2
"""What stands for the link of a unit that has none, and of one of which it is not known."""


class Units(NamedTuple):
    """Clusters of a recording: the first word of each, its head word, and the unit it links to.

    The link of a root is `ROOT`, that of a word whose head is not known is `UNKNOWN`.
    """

    first: Indices
    head: Indices
    link: Indices


def starts(transcript: Transcript) -> Flags | None:
    """Tell which words begin a cluster: by the layer, else by the tree; None without either."""
    if transcript.cluster is not None:
        begun = np.array(transcript.cluster, np.bool_)
    elif transcript.head is not None and transcript.relation is not None:
        begun = _nuclei(transcript.head, transcript.relation)
    else:
        return None
    begun[:1] = True
    if transcript.sentences is not None:
        begun[1:] |= transcript.sentences.boundary[:-1]
    return begun


def _nuclei(head: Indices, relation: Strings) -> Flags:
    """Let function words join their head where every word between is in the cluster too.

    Each word begins as a cluster of its own. Links are taken from the shortest to the longest;
    one that spans a single gap between clusters closes it.
    """
    table = {name: name.partition(":")[0] in JOINING or name == PARTICLE for name in set(relation)}
    joins = np.fromiter(map(table.__getitem__, relation), np.bool_, len(relation))
    word = np.flatnonzero(joins & (head >= 0) & (head != np.arange(len(head))))
    word = word[np.argsort(abs(head[word] - word), kind="stable")]
    before, after = np.minimum(word, head[word]), np.maximum(word, head[word])
    onward = list(range(len(head) + 1))
    begun = np.ones(len(head), np.bool_)
    for first, last in zip(before.tolist(), after.tolist(), strict=True):
        gap = _next_open(onward, first + 1)
        if gap <= last and _next_open(onward, gap + 1) > last:
            onward[gap] = gap + 1
            begun[gap] = False
    return begun


def _next_open(onward: list[int], gap: int) -> int:
    """Find the next gap (named by the word after it) that no cluster spans."""
    end = gap
    while end < len(onward) and onward[end] != end:
        end = onward[end]
    while gap < len(onward) and onward[gap] != gap:
        onward[gap], gap = end, onward[gap]
    return end


def units(transcript: Transcript, begun: Flags | None = None) -> Units:
    """Give the units of a recording, of its own clusters or of those that `begun` tells.

    The head word is the one whose own head lies outside the cluster, the last of several;
    without a tree it is the last content word.
    """
    if begun is None:
        begun = starts(transcript)
    if begun is None:
        begun = np.ones(len(transcript), np.bool_)
    first = np.flatnonzero(begun)
    head = content_words(transcript, first)
    link = np.full(len(first), UNKNOWN)
    if transcript.head is None:
        return Units(first, head, link)
    number = np.cumsum(begun) - 1
    up = transcript.head
    outside = np.flatnonzero((up >= 0) & ((up == np.arange(len(up))) | (number[up] != number)))
    head[number[outside]] = outside
    above = up[head]
    known = number[above] != np.arange(len(first))
    link = np.where(known, number[above], np.where(above == head, ROOT, UNKNOWN))
    return Units(first, head, np.where(above < 0, UNKNOWN, link))


def content_words(transcript: Transcript, first: Indices) -> Indices:
    """Give the last word of each cluster that is tagged as content; the last word if none is."""
    count = len(transcript)
    found = np.append(first[1:], count)[: len(first)] - 1
    if transcript.tag is not None and len(first):
        table = {tag: tag not in FUNCTION for tag in set(transcript.tag)}
        content = np.fromiter(map(table.__getitem__, transcript.tag), np.bool_, count)
        last = np.maximum.reduceat(np.where(content, np.arange(count), -1), first)
        found = np.where(last < 0, found, last)
    return found
