"""All systems of a language, tuned on its training recordings and measured on the others."""

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
from caesura_studies.claims import Sure, rate
from caesura_studies.oba import paper
from caesura_studies.oba.corpora import Language, bare
from caesura_studies.oba.model_cache import Shelf
from caesura_studies.oba.paper import REACH, Plan
from caesura_studies.oba.scoring import METRICS, Measured, Pair, measured, tested
from caesura_studies.oba.tuning import Tuned, Weighed, pauses, tuned, weighed

logger = logging.getLogger("caesura.studies")

PAUSE = "pauses alone"
GREEDY, MARGIN = "SVM, greedy", "SVM, tuned margin"
VITERBI, CHOSEN = "CRF, Viterbi", "CRF, tuned threshold"
ALONE = "SDA alone"
FIVE = f"SDA+CRF (5), α = {paper.ALPHA:g}"
PLAIN, BOTH, SUMMED = "SDA+CRF (5), α tuned", "SDA+CRF, α and bias tuned", "SDA+CRF, posterior"
ANEW = "SDA+CRF, α and bias tuned, links anew"
"""The sentences of the system before, and in these the links of normal dependency analysis."""

VOICED = "CRF, Viterbi, with speakers"

CHUNKERS = (GREEDY, MARGIN, VITERBI, CHOSEN)
COMBINED = (FIVE, PLAIN, BOTH, SUMMED)
LINKED = (*COMBINED[1:], ANEW)

PAIRS: tuple[Pair, ...] = (
    ("boundary", VITERBI, GREEDY),
    ("boundary", CHOSEN, MARGIN),
    *(("boundary", one, other) for one in COMBINED for other in (VITERBI, CHOSEN)),
    *(("dependency", one, other) for one in LINKED for other in (VITERBI, CHOSEN)),
)
"""What the claims are about."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What came out for a language, and the models that it takes to go on."""

    language: Language
    tuned: Tuned
    systems: Mapping[str, Measured]
    tests: Mapping[Pair, Difference]
    attachment: Sure
    """The share of clusters with the right head, given all clusters and sentences."""
    weights: Mapping[float, tuple[Scores, Scores]]
    """Boundaries by weight of the CRF, with the bias tuned and without any."""
    crf: CRF
    svm: SVM
    name: str

    def scores(self, system: str, metric: str = "boundary") -> Scores:
        """Give the scores of a system."""
        return self.systems[system][metric]


def tried(language: Language, shelf: Shelf, plan: Plan) -> Trial:
    """Tune, train on all training recordings, and measure."""
    logger.info("%s: tuning", language.name)
    settings = tuned(language, shelf, plan)
    name = f"{language.key}/all"
    crf = shelf.crf(name, language.train, settings.c2)
    svm = shelf.svm(name, language.train)
    sda = shelf.sda(name, language.train, crf, REACH)
    normal = shelf.normal(name, language.train, crf)
    logger.info("%s: measuring", language.name)
    found = dict(_chunked(language, settings, crf, svm, normal))
    seen = weighed(sda, language.dev)
    found |= _combined(seen, settings)
    found[ANEW] = [_linked(replace(normal, chunker=crf), each) for each in found[BOTH]]
    systems: dict[str, Measured] = {
        each: measured(language, ours, plan.resampling, tuple(METRICS))
        for each, ours in found.items()
    }
    if settings.pause is not None:
        ours = detected(pauses(settings.pause.least), language.dev)
        systems = {PAUSE: measured(language, ours, plan.resampling, ("boundary",))} | systems
    systems |= _voiced(language, shelf, settings, plan)
    return Trial(
        language,
        settings,
        systems,
        tested(systems, PAIRS),
        _attached(language, normal, plan),
        _by_weight(language, seen, settings, plan),
        crf.adjusted(bias=-settings.crf.least),
        svm.adjusted(bias=-settings.svm.least),
        name,
    )


def _voiced(language: Language, shelf: Shelf, settings: Tuned, plan: Plan) -> dict[str, Measured]:
    """Show the CRF who speaks, beside all other systems."""
    if language.voiced is None:
        return {}
    train, dev = language.voiced
    crf = shelf.crf(f"{language.key}/voiced", train, settings.c2).adjusted(decision="viterbi")
    shown = [bare(each).replace(speaker=each.speaker) for each in dev]
    ours = [
        each.replace(sentences=found)
        for each, found in zip(shown, crf.detect_all(shown), strict=True)
    ]
    return {VOICED: measured(language, ours, plan.resampling, ("boundary",))}


def detected(detector: Detector, recordings: Sequence[Transcript]) -> list[Transcript]:
    """Give recordings with the sentences that a detector finds."""
    shown = [bare(each) for each in recordings]
    found = detector.detect_all(shown)
    return [each.replace(sentences=ours) for each, ours in zip(shown, found, strict=True)]


def _chunked(
    language: Language, settings: Tuned, crf: CRF, svm: SVM, normal: DependencyParser
) -> dict[str, list[Transcript]]:
    """Find sentences and clusters by chunkers, and then links inside the sentences."""
    chunkers: dict[str, Chunker[Any]] = {
        GREEDY: svm,
        MARGIN: svm.adjusted(bias=-settings.svm.least),
        VITERBI: crf.adjusted(decision="viterbi"),
        CHOSEN: crf.adjusted(bias=-settings.crf.least),
    }
    return {
        name: [
            replace(normal, chunker=each).annotate(found) for found in detected(each, language.dev)
        ]
        for name, each in chunkers.items()
    }


def _combined(seen: Sequence[Weighed], settings: Tuned) -> dict[str, list[Transcript]]:
    """Find sentences, clusters and links together."""
    weights = {
        ALONE: (0.0, settings.alone.bias),
        FIVE: (paper.ALPHA, 0.0),
        PLAIN: (settings.plain.alpha, 0.0),
        BOTH: (settings.both.alpha, settings.both.bias),
    }
    found = {name: [each.annotated(*pair) for each in seen] for name, pair in weights.items()}
    summed = settings.summed
    found[SUMMED] = [each.above(summed.alpha, summed.summed.least) for each in seen]
    return found


def _linked(normal: DependencyParser, found: Transcript) -> Transcript:
    """Find links anew inside the sentences that were found."""
    return normal.annotate(found.replace(cluster=None, head=None, relation=None))


def _by_weight(
    language: Language, seen: Sequence[Weighed], settings: Tuned, plan: Plan
) -> dict[float, tuple[Scores, Scores]]:
    def scores(alpha: float, bias: float) -> Scores:
        ours = [each.annotated(alpha, bias) for each in seen]
        return measured(language, ours, plan.resampling, ("boundary",))["boundary"]

    return {
        each.alpha: (scores(each.alpha, each.bias), scores(each.alpha, 0.0))
        for each in settings.weights
    }


def _attached(language: Language, normal: DependencyParser, plan: Plan) -> Sure:
    """Find the heads of given clusters in given sentences."""
    window = CandidateWindow(REACH, REACH)
    right, all_of_them = [], []
    for recording in language.once:
        lesson = arc_example(recording, normal.chunker.model.subtags, normal=True)
        assert lesson.ends is not None
        log_probabilities = normal.arc_model.log_probabilities(
            lesson.features, window, ends=lesson.ends
        )
        ours = chart.parse_sentences(*arcs.arc_scores(log_probabilities, window), lesson.ends).heads
        known = lesson.heads >= arcs.ROOT
        right.append(int((ours == lesson.heads)[known].sum()))
        all_of_them.append(int(known.sum()))
    return rate(right, all_of_them, plan.resampling)
