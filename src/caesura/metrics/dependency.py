"""Links between clusters found and missed, counted as by Oba, Hori and Nakamura (2006)."""

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
from caesura.metrics.base import Pairwise, by_reference, column, total
from caesura.text.cluster_rules import ROOT, UNKNOWN, Units, units


@dataclass(frozen=True, repr=False)
class Dependency(Pairwise):
    """Precision, recall and F1 of links between clusters (Oba, Hori and Nakamura 2006).

    A link is right if the reference has it between the same clusters, both of which begin and
    end where its own do. With `roots` it counts as a link too that a cluster has none. Clusters
    of which the reference does not know the link are left out, and what the hypothesis links
    from them. Of several references it is the mean.
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
        """Count each link at the first word of the cluster that it goes from."""
        words, *both = cluster.without_punctuation(hypothesis, reference)
        ours, theirs = map(_known_units, both, cluster.SIDES)
        for name, flags in compared(ours, theirs, len(words), self.roots):
            yield name, column(len(hypothesis), words[flags])

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Give precision, recall and F1."""
        return rates(counts)

    def remarks(self, counts: Counts) -> list[str]:
        """Tell if some clusters are left out."""
        unknown = sum(part["unknown"] for part in by_reference(counts))
        told = f"clusters left out, as a reference does not know their link: {unknown:g}"
        return [told] if unknown else []


def count(found: Units, real: Units, words: int, roots: bool = False) -> Counts:
    """Count links between the clusters of so many words, and those that are the same."""
    return Counts(**{name: total(flags) for name, flags in compared(found, real, words, roots)})


def rates(counts: Counts) -> dict[str, Value]:
    """Give precision, recall and F1."""
    return cluster.rates(counts, "link")


def compared(found: Units, real: Units, words: int, roots: bool = False) -> PerGapCounts:
    """Flag the first words of clusters with links: right, found and real ones, and unknown."""
    right = cluster.right(_flags(words, found.first), _flags(words, real.first))
    ours, theirs = _targets(found, words), _targets(real, words)
    unknown = real.link == UNKNOWN
    left_out = unknown[np.searchsorted(real.first, found.head, side="right") - 1]
    ours[found.first[left_out]] = UNKNOWN
    least = ROOT if roots else 0
    whole = right & (right[ours.clip(min=0)] | (ours == ROOT))
    yield "correct", whole & (ours == theirs) & (ours >= least)
    yield "found", ours >= least
    yield "real", theirs >= least
    yield "unknown", _flags(words, real.first[unknown])


def _targets(side: Units, words: int) -> Indices:
    """For the first word of each unit that of the unit it links to, or what stands for none."""
    targets = np.full(words, UNKNOWN)
    above = side.first[side.link.clip(min=0)]
    targets[side.first] = np.where(side.link < 0, side.link, above)
    return targets


def _flags(words: int, places: Indices) -> Flags:
    return column(words, places).astype(np.bool_)


def _known_units(transcript: Transcript, side: str) -> Units:
    begun = cluster.known_starts(transcript, side)
    if transcript.head is None:
        raise LayerError(
            f"{side} ({transcript.id or 'unnamed'}) has clusters, but no heads to tell their links",
            remedy="give KNP or CoNLL-U with trees",
        )
    return units(transcript, begun)
