"""Tuning of all settings, by cross-validation over the training recordings.

`WeightedAnalysis` is the analysis of a recording to which any α and bias can be applied without
running the models again; `tune` chooses all settings of a language.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.protocols import Detector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.pause import Pause
from caesura.detectors.syntax.dependency_parser import word_heads
from caesura.detectors.syntax.sda import SDA, Analysis
from caesura.ml.parsing.boundary_search import best_parse, boundary_probabilities
from caesura.ml.parsing.chart import ParseScores
from caesura.training.search import best_threshold
from caesura_studies.oba.corpora import Language, detector_input, inner_boundaries
from caesura_studies.oba.model_cache import ModelCache
from caesura_studies.oba.plan import LONGEST, REACH, Plan
from caesura_studies.oba.scoring import f1, f1_above

logger = logging.getLogger("caesura.studies")

IMPOSSIBLE = -1.0
"""The probability of a boundary inside a cluster, where none can be."""


@dataclass(frozen=True, eq=False)
class WeightedAnalysis:
    """A recording without punctuation, and its analysis with α = 1 and no bias."""

    transcript: Transcript
    analysis: Analysis

    @property
    def real(self) -> Flags:
        """The reference boundaries at its gaps but the last."""
        return inner_boundaries(self.transcript)

    def scores(self, alpha: float, bias: float) -> ParseScores:
        """Weight the labels by `alpha` and add `bias` for each boundary (equation 5)."""
        base = self.analysis.scores
        return ParseScores(base.arcs, base.roots, alpha * base.gaps[1:] + np.array([0.0, bias]))

    def found(self, alpha: float, bias: float) -> Flags:
        """Return the boundaries of the best sentences and arcs."""
        flags = np.zeros(len(self.transcript) - 1, np.bool_)
        flags[self.analysis.first[1:] - 1] = best_parse(self.scores(alpha, bias), LONGEST).ends[:-1]
        return flags

    def probabilities(self, alpha: float) -> Floats:
        """Return the probability of a boundary at each gap, over all sentences and arcs."""
        found = np.full(len(self.transcript) - 1, IMPOSSIBLE)
        found[self.analysis.first[1:] - 1] = boundary_probabilities(
            self.scores(alpha, 0.0), LONGEST
        )
        return found

    def annotate(self, alpha: float, bias: float) -> Transcript:
        """Return the recording with the best sentences, clusters and arcs."""
        structure = best_parse(self.scores(alpha, bias), LONGEST)
        boundary = np.zeros(len(self.transcript), np.bool_)
        boundary[self.analysis.first[1:] - 1] = structure.ends[:-1]
        return self._with_layers(Segmentation(boundary), structure.heads)

    def annotate_above(self, alpha: float, least: float) -> Transcript:
        """Return it with the boundaries above a probability, and the best arcs between them."""
        boundary = np.append(self.probabilities(alpha) > least, True)
        sentences = Segmentation(boundary)
        return self._with_layers(sentences, self.analysis.heads(sentences))

    def _with_layers(self, sentences: Segmentation, links: Indices) -> Transcript:
        analysis = self.analysis
        cluster, head = word_heads(analysis.is_word, analysis.first, analysis.content, links)
        return detector_input(self.transcript).replace(
            sentences=sentences, cluster=cluster, head=head
        )


def analyse(sda: SDA, recordings: Sequence[Transcript]) -> list[WeightedAnalysis]:
    """Analyse recordings."""
    shown = [detector_input(each) for each in recordings]
    return [WeightedAnalysis(*pair) for pair in zip(recordings, sda.analyses(shown), strict=True)]


@dataclass(frozen=True)
class Threshold:
    """The least evidence for a boundary, and its F1 on the tuning data."""

    least: float
    f1: float


@dataclass(frozen=True)
class Weight:
    """The best settings for one weight of the CRF, and their F1.

    `bias` is the best one for each boundary, `plain` the F1 without any, and `summed` the best
    threshold on the probability of a boundary over all sentences and links.
    """

    alpha: float
    bias: float
    f1: float
    plain: float
    summed: Threshold


@dataclass(frozen=True)
class TunedSettings:
    """All settings of a language."""

    by_c2: Mapping[float, float]
    """The F1 of a CRF with this regularisation and the best threshold for it."""
    c2: float
    """The best regularisation."""
    pause: Threshold | None
    svm: Threshold
    crf: Threshold
    """The threshold on the log-odds of the CRF."""
    weights: tuple[Weight, ...]

    @property
    def alone(self) -> Weight:
        """The bias of SDA alone, which does not use the labels of the CRF."""
        return self.weights[0]

    @property
    def plain(self) -> Weight:
        """The best weight as in equation 5, without a bias."""
        return max(self.weights[1:], key=lambda each: each.plain)

    @property
    def both(self) -> Weight:
        """The best weight and bias."""
        return max(self.weights[1:], key=lambda each: each.f1)

    @property
    def summed(self) -> Weight:
        """The best weight for a threshold on probabilities."""
        return max(self.weights[1:], key=lambda each: each.summed.f1)


class Fold(NamedTuple):
    """Training recordings, recordings to label, and the name of the models."""

    name: str
    rest: Sequence[Transcript]
    group: Sequence[Transcript]


def tune(language: Language, cache: ModelCache, plan: Plan) -> TunedSettings:
    """Choose settings by cross-validation over the training recordings."""
    folds = [
        Fold(
            f"{language.key}/fold-{fold}",
            [each for at, each in enumerate(language.train) if at % plan.folds != fold],
            [each for at, each in enumerate(language.train) if at % plan.folds == fold],
        )
        for fold in range(plan.folds)
    ]
    by_c2 = {c2: _by_crf(folds[: plan.compared], cache, c2).f1 for c2 in plan.c2}
    c2 = max(by_c2, key=by_c2.__getitem__)
    logger.info("%s: F1 of CRFs by c2: %s", language.name, by_c2)
    crf = _by_crf(folds, cache, c2)
    svm = _threshold([cache.svm(each.name, each.rest) for each in folds], folds)
    seen = [
        found
        for each in folds
        for found in analyse(
            cache.sda(each.name, each.rest, cache.crf(each.name, each.rest, c2), REACH), each.group
        )
    ]
    weights = _weights(language, seen, plan)
    return TunedSettings(by_c2, c2, _pause(language, plan), svm, crf, weights)


def _by_crf(folds: Sequence[Fold], cache: ModelCache, c2: float) -> Threshold:
    return _threshold([cache.crf(each.name, each.rest, c2) for each in folds], folds)


def _threshold(detectors: Sequence[Detector], folds: Sequence[Fold]) -> Threshold:
    """Choose the threshold on log-odds; each detector labels its own fold."""
    odds = [
        found.log_odds[:-1]
        for detector, fold in zip(detectors, folds, strict=True)
        for found in detector.detect_all([detector_input(each) for each in fold.group])
        if found.log_odds is not None
    ]
    return _best(odds, [inner_boundaries(each) for fold in folds for each in fold.group])


def _best(odds: Sequence[Floats], real: Sequence[Flags]) -> Threshold:
    least = best_threshold(np.concatenate(odds), np.concatenate(real))
    return Threshold(least, f1_above(odds, real, least))


def _pause(language: Language, plan: Plan) -> Threshold | None:
    """Choose the shortest pause that is a boundary; nothing is trained, so there are no folds."""
    if not language.timed:
        return None
    shown = [detector_input(each) for each in language.train]
    real = [inner_boundaries(each) for each in language.train]

    def reached(least: float) -> float:
        found = make_pause_detector(least).detect_all(shown)
        return f1([each.boundary[:-1] for each in found], real)

    best_parse = max(plan.pauses, key=reached)
    return Threshold(best_parse, reached(best_parse))


def make_pause_detector(least: float) -> Pause:
    """Make the detector that uses pauses only."""
    return Pause(least, ("pause",))


def _weights(
    language: Language, seen: Sequence[WeightedAnalysis], plan: Plan
) -> tuple[Weight, ...]:
    """Try all weights of the CRF, the first of which is 0, each with the best bias."""
    real = [each.real for each in seen]
    found: list[Weight] = []
    bias = 0.0
    for alpha in plan.alphas:

        def reached(bias: float, alpha: float = alpha) -> float:
            return f1([each.found(alpha, bias) for each in seen], real)

        plain = reached(0.0)
        bias, best_parse = hill_climb(reached, bias, plan.steps)
        summed = _best([each.probabilities(alpha) for each in seen], real)
        found.append(Weight(alpha, bias, best_parse, plain, summed))
        logger.info(
            "%s: α = %g: F1 %.3f, with bias %g %.3f, summed %.3f",
            *(language.name, alpha, plain, bias, best_parse, summed.f1),
        )
    return tuple(found)


def hill_climb(
    reached: Callable[[float], float], start: float, steps: Sequence[float]
) -> tuple[float, float]:
    """Maximise a function in steps of falling size; return the best place and its value.

    Of equally high places the first one seen is kept.
    """
    known: dict[float, float] = {}

    def height(at: float) -> float:
        if at not in known:
            known[at] = reached(at)
        return known[at]

    best_parse = start
    for step in steps:
        while True:
            there = max((best_parse, best_parse - step, best_parse + step), key=height)
            if there == best_parse:
                break
            best_parse = there
    return best_parse, height(best_parse)
