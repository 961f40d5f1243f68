"""Slow reference counts of clusters and arcs as sets of spans, and texts for them."""

from itertools import pairwise
from random import Random

import numpy as np

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts
from caesura.text.cluster_rules import ROOT, UNKNOWN, ClusterTree

Span = tuple[int, int]
Link = tuple[Span, Span | None]
"""From one cluster to another, or to None from a root."""


def tree(rows: str) -> Transcript:
    """Read words as `form/TAG/relation/head`; heads count from 1, 0 is the root, _ unknown."""
    cells = [row.split("/") for row in rows.split()]
    above = [-1 if cell[3] == "_" else int(cell[3]) - 1 for cell in cells]
    head = [at if cells[at][3] == "0" else up for at, up in enumerate(above)]
    form, tag, relation = (tuple(cell[part] for cell in cells) for part in range(3))
    ends = Segmentation.of_gaps(len(cells), [])
    return Transcript(form, "dog", head=np.array(head), tag=tag, relation=relation, sentences=ends)


# [the dog] [has seen] [a cat] [today]: dog → seen, cat → seen, today → seen
REAL = tree(
    "the/DET/det/2 dog/NOUN/nsubj/4 has/AUX/aux/4 seen/VERB/root/0 a/DET/det/6 cat/NOUN/obj/4 "
    "today/ADV/advmod/4 </PUNCT/punct/4"
)
# [the dog] [has seen] [a] [cat] [today]: dog → seen, a → cat, cat → seen, today → cat
FOUND = tree(
    "the/DET/det/2 dog/NOUN/nsubj/4 has/AUX/aux/4 seen/VERB/root/0 a/X/dep/6 cat/NOUN/obj/4 "
    "today/ADV/advmod/6 </SYM/dep/7"
)


def spans(begun: list[bool]) -> set[Span]:
    """Return clusters as spans, each up to the start of the next."""
    first = [at for at, here in enumerate(begun) if here]
    return set(pairwise([*first, len(begun)]))


def count_spans(found: list[bool], real: list[bool]) -> Counts:
    """Count the clusters that are found, real, and both."""
    ours, theirs = spans(found), spans(real)
    return Counts(correct=len(ours & theirs), found=len(ours), real=len(theirs))


def count_links(found: ClusterTree, real: ClusterTree, words: int, roots: bool) -> Counts:
    """Count the arcs that are found, real, and both."""
    clusters = list(pairwise([*real.first.tolist(), words]))
    silent = [span for span, link in zip(clusters, real.link, strict=True) if link == UNKNOWN]
    left_out = {word for span in silent for word in range(*span)}
    ours = _links(found, words, roots, left_out)
    theirs = _links(real, words, roots, set())
    return Counts(
        correct=len(ours & theirs), found=len(ours), real=len(theirs), unknown=len(silent)
    )


def _links(units: ClusterTree, words: int, roots: bool, left_out: set[int]) -> set[Link]:
    clusters = list(pairwise([*units.first.tolist(), words]))
    told: set[Link] = set()
    for span, head, link in zip(clusters, units.head.tolist(), units.link.tolist(), strict=True):
        if head in left_out:
            continue
        if link >= 0:
            told.add((span, clusters[link]))
        elif link == ROOT and roots:
            told.add((span, None))
    return told


def broken(transcript: Transcript, seed: int) -> Transcript:
    """Return a copy in which 20 % of function words stand alone, and 10 % of heads are wrong."""
    chance = Random(seed)
    assert transcript.relation is not None
    assert transcript.head is not None
    relation = ["dep" if chance.random() < 0.2 else name for name in transcript.relation]
    head = [
        max(up - 1, 0) if up != at and chance.random() < 0.1 else up
        for at, up in enumerate(transcript.head.tolist())
    ]
    return transcript.replace(head=np.array(head), relation=tuple(relation))
