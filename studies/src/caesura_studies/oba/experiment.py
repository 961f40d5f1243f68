"""All systems of a language, tuned on training recordings and scored on the others."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.detectors.syntax.chunking import Chunker
from caesura.detectors.syntax.crf_svm import CRF, SVM
from caesura.detectors.syntax.dependency_parser import DependencyParser, arc_example
from caesura.evaluation.comparison import Difference
from caesura.evaluation.scores import Scores
from caesura.ml.parsing import arcs, chart
from caesura.ml.parsing.arcs import CandidateWindow
from caesura_studies.claims import ValueWithInterval, rate
from caesura_studies.oba import paper
from caesura_studies.oba.corpora import Language, detector_input
from caesura_studies.oba.model_cache import ModelCache
from caesura_studies.oba.plan import REACH, Plan
from caesura_studies.oba.scoring import METRICS, Measured, Pair, compare_pairs, score
from caesura_studies.oba.tuning import (
    TunedSettings,
    WeightedAnalysis,
    analyse,
    make_pause_detector,
    tune,
)

logger = logging.getLogger("caesura.studies")

PAUSE = "pauses alone"
SVM_GREEDY, SVM_TUNED = "SVM, greedy", "SVM, tuned margin"
CRF_VITERBI, CRF_TUNED = "CRF, Viterbi", "CRF, tuned threshold"
SDA_ALONE = "SDA alone"
SDA_EQUATION_5 = f"SDA+CRF (5), α = {paper.ALPHA:g}"
SDA_ALPHA, SDA_ALPHA_BIAS, SDA_POSTERIOR = (
    "SDA+CRF (5), α tuned",
    "SDA+CRF, α and bias tuned",
    "SDA+CRF, posterior",
)
SDA_RELINKED = "SDA+CRF, α and bias tuned, links anew"
"""The sentences of the system before, with the arcs of normal dependency analysis."""

WITH_SPEAKERS = "CRF, Viterbi, with speakers"

CHUNKERS = (SVM_GREEDY, SVM_TUNED, CRF_VITERBI, CRF_TUNED)
COMBINED = (SDA_EQUATION_5, SDA_ALPHA, SDA_ALPHA_BIAS, SDA_POSTERIOR)
LINKED = (*COMBINED[1:], SDA_RELINKED)

PAIRS: tuple[Pair, ...] = (
    ("boundary", CRF_VITERBI, SVM_GREEDY),
    ("boundary", CRF_TUNED, SVM_TUNED),
    *(("boundary", one, other) for one in COMBINED for other in (CRF_VITERBI, CRF_TUNED)),
    *(("dependency", one, other) for one in LINKED for other in (CRF_VITERBI, CRF_TUNED)),
)
"""The pairs that the claims are about."""


@dataclass(frozen=True, eq=False)
class Trial:
    """The results for a language, and the models for the chapters that follow."""

    language: Language
    tuned: TunedSettings
    systems: Mapping[str, Measured]
    tests: Mapping[Pair, Difference]
    attachment: ValueWithInterval
    """The share of clusters with the right head, given all clusters and sentences."""
    weights: Mapping[float, tuple[Scores, Scores]]
    """Boundary scores by weight of the CRF, with the tuned bias and without a bias."""
    crf: CRF
    svm: SVM
    name: str

    def scores(self, system: str, metric: str = "boundary") -> Scores:
        """Return the scores of a system."""
        return self.systems[system][metric]


def run_trial(language: Language, cache: ModelCache, plan: Plan) -> Trial:
    """Tune, train on all training recordings, and score."""
    logger.info("%s: tuning", language.name)
    settings = tune(language, cache, plan)
    name = f"{language.key}/all"
    crf = cache.crf(name, language.train, settings.c2)
    svm = cache.svm(name, language.train)
    sda = cache.sda(name, language.train, crf, REACH)
    normal = cache.normal(name, language.train, crf)
    logger.info("%s: measuring", language.name)
    found = dict(_run_chunkers(language, settings, crf, svm, normal))
    seen = analyse(sda, language.dev)
    found |= _run_combined(seen, settings)
    found[SDA_RELINKED] = [
        _relink(replace(normal, chunker=crf), each) for each in found[SDA_ALPHA_BIAS]
    ]
    systems: dict[str, Measured] = {
        each: score(language, ours, plan.resampling, tuple(METRICS)) for each, ours in found.items()
    }
    if settings.pause is not None:
        ours = with_detected_sentences(make_pause_detector(settings.pause.least), language.dev)
        systems = {PAUSE: score(language, ours, plan.resampling, ("boundary",))} | systems
    systems |= _score_with_speakers(language, cache, settings, plan)
    return Trial(
        language,
        settings,
        systems,
        compare_pairs(systems, PAIRS),
        _attachment_score(language, normal, plan),
        _by_weight(language, seen, settings, plan),
        crf.adjusted(bias=-settings.crf.least),
        svm.adjusted(bias=-settings.svm.least),
        name,
    )


def _score_with_speakers(
    language: Language, cache: ModelCache, settings: TunedSettings, plan: Plan
) -> dict[str, Measured]:
    """Score a CRF that sees the speakers, for comparison."""
    if language.with_speakers is None:
        return {}
    train, dev = language.with_speakers
    crf = cache.crf(f"{language.key}/voiced", train, settings.c2).adjusted(decision="viterbi")
    shown = [detector_input(each).replace(speaker=each.speaker) for each in dev]
    ours = [
        each.replace(sentences=found)
        for each, found in zip(shown, crf.detect_all(shown), strict=True)
    ]
    return {WITH_SPEAKERS: score(language, ours, plan.resampling, ("boundary",))}


def with_detected_sentences(
    detector: Detector, recordings: Sequence[Transcript]
) -> list[Transcript]:
    """Return recordings with the sentences that a detector finds."""
    shown = [detector_input(each) for each in recordings]
    found = detector.detect_all(shown)
    return [each.replace(sentences=ours) for each, ours in zip(shown, found, strict=True)]


def _run_chunkers(
    language: Language, settings: TunedSettings, crf: CRF, svm: SVM, normal: DependencyParser
) -> dict[str, list[Transcript]]:
    """Find sentences and clusters with chunkers, then the arcs inside the sentences."""
    chunkers: dict[str, Chunker[Any]] = {
        SVM_GREEDY: svm,
        SVM_TUNED: svm.adjusted(bias=-settings.svm.least),
        CRF_VITERBI: crf.adjusted(decision="viterbi"),
        CRF_TUNED: crf.adjusted(bias=-settings.crf.least),
    }
    return {
        name: [
            replace(normal, chunker=each).annotate(found)
            for found in with_detected_sentences(each, language.dev)
        ]
        for name, each in chunkers.items()
    }


def _run_combined(
    seen: Sequence[WeightedAnalysis], settings: TunedSettings
) -> dict[str, list[Transcript]]:
    """Find sentences, clusters and arcs together."""
    weights = {
        SDA_ALONE: (0.0, settings.alone.bias),
        SDA_EQUATION_5: (paper.ALPHA, 0.0),
        SDA_ALPHA: (settings.plain.alpha, 0.0),
        SDA_ALPHA_BIAS: (settings.both.alpha, settings.both.bias),
    }
    found = {name: [each.annotate(*pair) for each in seen] for name, pair in weights.items()}
    summed = settings.summed
    found[SDA_POSTERIOR] = [each.annotate_above(summed.alpha, summed.summed.least) for each in seen]
    return found


def _relink(normal: DependencyParser, found: Transcript) -> Transcript:
    """Find the arcs again inside given sentences."""
    return normal.annotate(found.replace(cluster=None, head=None, relation=None))


def _by_weight(
    language: Language, seen: Sequence[WeightedAnalysis], settings: TunedSettings, plan: Plan
) -> dict[float, tuple[Scores, Scores]]:
    def scores(alpha: float, bias: float) -> Scores:
        ours = [each.annotate(alpha, bias) for each in seen]
        return score(language, ours, plan.resampling, ("boundary",))["boundary"]

    return {
        each.alpha: (scores(each.alpha, each.bias), scores(each.alpha, 0.0))
        for each in settings.weights
    }


def _attachment_score(
    language: Language, normal: DependencyParser, plan: Plan
) -> ValueWithInterval:
    """Score the heads of given clusters in given sentences."""
    window = CandidateWindow(REACH, REACH)
    right, all_of_them = [], []
    for recording in language.first_orders:
        example = arc_example(recording, normal.chunker.model.subtags, normal=True)
        assert example.ends is not None
        log_probabilities = normal.arc_model.log_probabilities(
            example.features, window, ends=example.ends
        )
        ours = chart.parse_sentences(
            *arcs.arc_scores(log_probabilities, window), example.ends
        ).heads
        known = example.heads >= arcs.ROOT
        right.append(int((ours == example.heads)[known].sum()))
        all_of_them.append(int(known.sum()))
    return rate(right, all_of_them, plan.resampling)
