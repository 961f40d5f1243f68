"""Clusters: a content word with its function words, and the dependency arcs between them.

In Japanese clusters are bunsetsu, which treebanks mark. In other languages the nucleus rule
derives them from a dependency tree. All functions take words without punctuation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Indices, Strings
from caesura.core.transcript import Transcript

JOINING_RELATIONS = frozenset("aux case cc clf cop det mark fixed flat goeswith".split())
"""Relations (the part before a colon) of words that join the cluster of their head."""

PARTICLE = "compound:prt"
"""Another one, with its subtype."""

FUNCTION_TAGS = frozenset("ADP AUX CCONJ DET PART PUNCT SCONJ".split())
"""Tags of function words."""

ROOT, UNKNOWN = -1, -2
"""The head of a cluster that is a root, and of one whose head is unknown."""


class ClusterTree(NamedTuple):
    """Clusters of a recording: the first word of each, its head word, and its head cluster.

    `link` is the number of the head cluster, `ROOT` for a root, `UNKNOWN` if it is unknown.
    """

    first: Indices
    head: Indices
    link: Indices


def cluster_starts(transcript: Transcript) -> Flags | None:
    """Flag the words that start a cluster: by the layer, else by the tree; None without either."""
    if transcript.cluster is not None:
        begun = np.array(transcript.cluster, np.bool_)
    elif transcript.head is not None and transcript.relation is not None:
        begun = _nucleus_starts(transcript.head, transcript.relation)
    else:
        return None
    begun[:1] = True
    if transcript.sentences is not None:
        begun[1:] |= transcript.sentences.boundary[:-1]
    return begun


def _nucleus_starts(head: Indices, relation: Strings) -> Flags:
    """Flag the starts of clusters: function words join their head, and all words between.

    Each word begins as a cluster of its own. Arcs are taken from the shortest to the longest; an
    arc that spans a single gap between clusters closes it.
    """
    table = {
        name: name.partition(":")[0] in JOINING_RELATIONS or name == PARTICLE
        for name in set(relation)
    }
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
    """Return the next gap (named by the word after it) that no cluster spans."""
    end = gap
    while end < len(onward) and onward[end] != end:
        end = onward[end]
    while gap < len(onward) and onward[gap] != gap:
        onward[gap], gap = end, onward[gap]
    return end


def cluster_tree(transcript: Transcript, begun: Flags | None = None) -> ClusterTree:
    """Return the clusters of a recording and their arcs; `begun` flags starts of other clusters.

    The head word of a cluster is the last one whose own head lies outside it; without a tree it
    is the last content word.
    """
    if begun is None:
        begun = cluster_starts(transcript)
    if begun is None:
        begun = np.ones(len(transcript), np.bool_)
    first = np.flatnonzero(begun)
    head = content_words(transcript, first)
    link = np.full(len(first), UNKNOWN)
    if transcript.head is None:
        return ClusterTree(first, head, link)
    number = np.cumsum(begun) - 1
    up = transcript.head
    outside = np.flatnonzero((up >= 0) & ((up == np.arange(len(up))) | (number[up] != number)))
    head[number[outside]] = outside
    above = up[head]
    known = number[above] != np.arange(len(first))
    link = np.where(known, number[above], np.where(above == head, ROOT, UNKNOWN))
    return ClusterTree(first, head, np.where(above < 0, UNKNOWN, link))


def content_words(transcript: Transcript, first: Indices) -> Indices:
    """Return the last content word of each cluster, by tags; its last word if there is none."""
    count = len(transcript)
    found = np.append(first[1:], count)[: len(first)] - 1
    if transcript.tag is not None and len(first):
        table = {tag: tag not in FUNCTION_TAGS for tag in set(transcript.tag)}
        content = np.fromiter(map(table.__getitem__, transcript.tag), np.bool_, count)
        last = np.maximum.reduceat(np.where(content, np.arange(count), -1), first)
        found = np.where(last < 0, found, last)
    return found
