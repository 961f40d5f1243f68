"""Cluster: precision, recall and F1 of clusters (bunsetsu)."""

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
from caesura.metrics.base import Pairwise, column_sum, harmonic_mean, sparse_column
from caesura.text.cluster_rules import cluster_starts
from caesura.text.punctuation import punctuation_flags

SIDES = ("the hypothesis", "a reference")
"""What errors call the texts that are compared."""


@dataclass(frozen=True, repr=False)
class Cluster(Pairwise):
    """Precision, recall and F1 of clusters: a content word with its function words.

    Clusters are read from the cluster layer (bunsetsu) or derived from a dependency tree by the
    nucleus rule. Words that are punctuation in the reference are left out of both texts. A
    cluster is correct if a reference cluster starts and ends at the same words. Several
    references: the mean.
    """

    name = "Cluster"
    compares = ()
    best: ClassVar = {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    main = "f1"

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield clusters, each at its first word."""
        words, *both = without_punctuation(hypothesis, reference)
        for name, flags in cluster_flags(*map(require_cluster_starts, both, SIDES)):
            yield name, sparse_column(len(hypothesis), words[flags])

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return precision, recall and F1."""
        return cluster_rates(counts)


def count_clusters(found: Flags, real: Flags) -> Counts:
    """Count correct, found and real clusters, given the flags of words that start one."""
    return Counts(**{name: column_sum(flags) for name, flags in cluster_flags(found, real)})


def cluster_rates(counts: Counts, what: str = "cluster") -> dict[str, Value]:
    """Return precision, recall and F1."""
    precision = ratio(counts["correct"], counts["found"], f"no {what} in the hypothesis")
    recall = ratio(counts["correct"], counts["real"], f"no {what} in the reference")
    return {"precision": precision, "recall": recall, "f1": harmonic_mean(precision, recall)}


def cluster_flags(found: Flags, real: Flags) -> PerGapCounts:
    """Yield flags at the first words of correct, found and real clusters."""
    yield "correct", correct_starts(found, real)
    yield "found", found
    yield "real", real


def correct_starts(found: Flags, real: Flags) -> Flags:
    """Flag words that start a cluster on both sides, if the next cluster does so too."""
    edges = np.flatnonzero(found | real)
    shared = (found & real)[edges]
    flags = np.zeros(len(found), np.bool_)
    flags[edges] = shared & np.append(shared[1:], True)[: len(edges)]
    return flags


def without_punctuation(
    hypothesis: Transcript, reference: Transcript
) -> tuple[Indices, Transcript, Transcript]:
    """Drop words that are punctuation in the reference; return the others' places and texts."""
    words = np.flatnonzero(~punctuation_flags(reference))
    return words, hypothesis.take(words), reference.take(words)


def require_cluster_starts(transcript: Transcript, side: str) -> Flags:
    """Flag the words that start a cluster, or raise an error that says what is needed."""
    begun = cluster_starts(transcript)
    if begun is None:
        raise LayerError(
            f"{side} ({transcript.id or 'unnamed'}) has no clusters: neither their layer, nor "
            "heads and relations to derive them from",
            remedy="give KNP or CoNLL-U, without --align, which does not carry clusters",
        )
    return begun
