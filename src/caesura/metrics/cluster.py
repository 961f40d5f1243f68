"""Clusters found and missed: one is right if it begins and ends where a real one does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.core.errors import LayerError
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.metrics.base import Pairwise, column, harmonic, total
from caesura.text.cluster_rules import starts
from caesura.text.normalization.steps import standing

SIDES = ("the hypothesis", "a reference")
"""What errors call the texts that are compared."""


@dataclass(frozen=True, repr=False)
class Cluster(Pairwise):
    """Precision, recall and F1 of clusters, each a content word with its function words.

    Clusters are those of the layer (bunsetsu), or what the nucleus rule makes of a tree. What
    the reference has as punctuation is left out of both texts. A cluster is right if it begins
    and ends where one of the reference does. Of several references it is the mean.
    """

    name = "Cluster"
    compares = ()
    best: ClassVar = {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    main = "f1"

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Count each cluster at its first word."""
        words, *both = without_punctuation(hypothesis, reference)
        for name, flags in compared(*map(known_starts, both, SIDES)):
            yield name, column(len(hypothesis), words[flags])

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Give precision, recall and F1."""
        return rates(counts)


def count(found: Flags, real: Flags) -> Counts:
    """Count clusters, given which words begin one, and those that are the same span."""
    return Counts(**{name: total(flags) for name, flags in compared(found, real)})


def rates(counts: Counts, what: str = "cluster") -> dict[str, Value]:
    """Give precision, recall and F1."""
    precision = ratio(counts["correct"], counts["found"], f"no {what} in the hypothesis")
    recall = ratio(counts["correct"], counts["real"], f"no {what} in the reference")
    return {"precision": precision, "recall": recall, "f1": harmonic(precision, recall)}


def compared(found: Flags, real: Flags) -> PerGapCounts:
    """Flag the first words of clusters: of those that are right, those found, and the real ones."""
    yield "correct", right(found, real)
    yield "found", found
    yield "real", real


def right(found: Flags, real: Flags) -> Flags:
    """Flag words that begin a cluster on both sides, if the next begins on both sides too."""
    edges = np.flatnonzero(found | real)
    shared = (found & real)[edges]
    flags = np.zeros(len(found), np.bool_)
    flags[edges] = shared & np.append(shared[1:], True)[: len(edges)]
    return flags


def without_punctuation(
    hypothesis: Transcript, reference: Transcript
) -> tuple[Indices, Transcript, Transcript]:
    """Give the words that are none in the reference: their places, and both texts of them."""
    words = np.flatnonzero(~standing(reference))
    return words, hypothesis.take(words), reference.take(words)


def known_starts(transcript: Transcript, side: str) -> Flags:
    """Tell which words begin a cluster, or say what that takes."""
    begun = starts(transcript)
    if begun is None:
        raise LayerError(
            f"{side} ({transcript.id or 'unnamed'}) has no clusters: neither their layer, nor "
            "heads and relations to read them off",
            remedy="give KNP or CoNLL-U, without --align, which does not carry clusters",
        )
    return begun
