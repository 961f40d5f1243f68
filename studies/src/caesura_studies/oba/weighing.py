"""Recordings analysed once, whose labels and links are then weighed in many ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.syntax.dependency_parser import drawn
from caesura.detectors.syntax.sda import SDA, Analysis
from caesura.ml.parsing.chart import Scores
from caesura.ml.parsing.search import best, posterior
from caesura_studies.oba.corpora import bare, ends
from caesura_studies.oba.plan import LONGEST

NOWHERE = -1.0
"""Stands for the probability of a boundary inside a cluster, where none is ever found."""


@dataclass(frozen=True, eq=False)
class Weighed:
    """A recording without punctuation, and its analysis with labels weighed once and no bias."""

    transcript: Transcript
    analysis: Analysis

    @property
    def real(self) -> Flags:
        """The boundaries at its gaps but the last."""
        return ends(self.transcript)

    def scores(self, alpha: float, bias: float) -> Scores:
        """Weigh labels by `alpha`, and boundaries by `bias` besides (equation 5)."""
        base = self.analysis.scores
        return Scores(base.links, base.roots, alpha * base.gaps[1:] + np.array([0.0, bias]))

    def found(self, alpha: float, bias: float) -> Flags:
        """Find the boundaries of the best sentences and links."""
        flags = np.zeros(len(self.transcript) - 1, np.bool_)
        flags[self.analysis.first[1:] - 1] = best(self.scores(alpha, bias), LONGEST).ends[:-1]
        return flags

    def probabilities(self, alpha: float) -> Floats:
        """Give the probability of a boundary at each gap, over all sentences and links."""
        found = np.full(len(self.transcript) - 1, NOWHERE)
        found[self.analysis.first[1:] - 1] = posterior(self.scores(alpha, 0.0), LONGEST)
        return found

    def annotated(self, alpha: float, bias: float) -> Transcript:
        """Give the recording with the best sentences, clusters and links."""
        structure = best(self.scores(alpha, bias), LONGEST)
        boundary = np.zeros(len(self.transcript), np.bool_)
        boundary[self.analysis.first[1:] - 1] = structure.ends[:-1]
        return self._drawn(Segmentation(boundary), structure.heads)

    def above(self, alpha: float, least: float) -> Transcript:
        """Give it with boundaries of some probability, and the best links between them."""
        boundary = np.append(self.probabilities(alpha) > least, True)
        sentences = Segmentation(boundary)
        return self._drawn(sentences, self.analysis.links(sentences))

    def _drawn(self, sentences: Segmentation, links: Indices) -> Transcript:
        analysis = self.analysis
        cluster, head = drawn(analysis.kept, analysis.first, analysis.content, links)
        return bare(self.transcript).replace(sentences=sentences, cluster=cluster, head=head)


def weighed(sda: SDA, recordings: Sequence[Transcript]) -> list[Weighed]:
    """Analyse recordings."""
    shown = [bare(each) for each in recordings]
    return [Weighed(*pair) for pair in zip(recordings, sda.analyses(shown), strict=True)]
