"""Dependency: precision, recall and F1 of dependency arcs between clusters (Oba et al. 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Flags, Indices
from caesura.core.errors import LayerError
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value
from caesura.metrics import cluster
from caesura.metrics.base import Pairwise, column_sum, sparse_column, split_by_reference
from caesura.text.cluster_rules import ROOT, UNKNOWN, ClusterTree, cluster_tree


@dataclass(frozen=True, repr=False)
class Dependency(Pairwise):
    """Precision, recall and F1 of arcs between clusters (Oba, Hori and Nakamura 2006).

    An arc is correct if the reference has it between the same clusters, both of which start and
    end at the same words. With `roots`, being the root of a sentence counts as an arc. Clusters
    whose arc the reference does not know are left out, and so are the arcs of the hypothesis
    from their head words. Several references: the mean.
    """

    roots: bool = False

    name = "Dependency"
    compares = ()
    best: ClassVar = {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    main = "f1"

    def __post_init__(self) -> None:
        if type(self.roots) is not bool:
            raise ValueError(f"roots is True or False, not {self.roots!r}")

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield arcs, each at the first word of the dependent cluster."""
        words, *both = cluster.without_punctuation(hypothesis, reference)
        ours, theirs = map(_require_units, both, cluster.SIDES)
        for name, flags in arc_flags(ours, theirs, len(words), self.roots):
            yield name, sparse_column(len(hypothesis), words[flags])

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return precision, recall and F1."""
        return arc_rates(counts)

    def remarks(self, counts: Counts) -> list[str]:
        """Say how many clusters are left out."""
        unknown = sum(part["unknown"] for part in split_by_reference(counts))
        remark = f"clusters left out because a reference does not know their arc: {unknown:g}"
        return [remark] if unknown else []


def count_arcs(found: ClusterTree, real: ClusterTree, words: int, roots: bool = False) -> Counts:
    """Count correct, found and real arcs between the clusters of a text of `words` words."""
    return Counts(
        **{name: column_sum(flags) for name, flags in arc_flags(found, real, words, roots)}
    )


def arc_rates(counts: Counts) -> dict[str, Value]:
    """Return precision, recall and F1."""
    return cluster.cluster_rates(counts, "arc")


def arc_flags(
    found: ClusterTree, real: ClusterTree, words: int, roots: bool = False
) -> PerGapCounts:
    """Yield flags at the first words of clusters with correct, found, real and unknown arcs."""
    right = cluster.correct_starts(_flags_at(words, found.first), _flags_at(words, real.first))
    ours, theirs = _head_starts(found, words), _head_starts(real, words)
    unknown = real.link == UNKNOWN
    left_out = unknown[np.searchsorted(real.first, found.head, side="right") - 1]
    ours[found.first[left_out]] = UNKNOWN
    least = ROOT if roots else 0
    whole = right & (right[ours.clip(min=0)] | (ours == ROOT))
    yield "correct", whole & (ours == theirs) & (ours >= least)
    yield "found", ours >= least
    yield "real", theirs >= least
    yield "unknown", _flags_at(words, real.first[unknown])


def _head_starts(side: ClusterTree, words: int) -> Indices:
    """Return, at the first word of each unit, the first word of its head unit, ROOT or UNKNOWN."""
    targets = np.full(words, UNKNOWN)
    above = side.first[side.link.clip(min=0)]
    targets[side.first] = np.where(side.link < 0, side.link, above)
    return targets


def _flags_at(words: int, places: Indices) -> Flags:
    return sparse_column(words, places).astype(np.bool_)


def _require_units(transcript: Transcript, side: str) -> ClusterTree:
    begun = cluster.require_cluster_starts(transcript, side)
    if transcript.head is None:
        raise LayerError(
            f"{side} ({transcript.id or 'unnamed'}) has clusters, but no heads for their arcs",
            remedy="give KNP or CoNLL-U with trees",
        )
    return cluster_tree(transcript, begun)
