"""Settings, each chosen on training recordings that the models did not learn from."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.contracts import Detector
from caesura.detectors.crf import CRF
from caesura.detectors.pause import Pause
from caesura.numeric.thresholds import best_threshold
from caesura.studies.oba.corpora import Language, bare, ends
from caesura.studies.oba.measuring import f1, f1_above
from caesura.studies.oba.models import Shelf
from caesura.studies.oba.plan import REACH, Plan
from caesura.studies.oba.weighing import Weighed, weighed
from caesura.transcript import Flags, Floats, Transcript

logger = logging.getLogger("caesura.studies")


@dataclass(frozen=True)
class Threshold:
    """The least evidence of a boundary, and the F1 that it reaches on what it was chosen on."""

    least: float
    f1: float


@dataclass(frozen=True)
class Weight:
    """What serves best with a weight of the CRF, and the F1 of it.

    `bias` is the best one for each boundary, `plain` the F1 without any, and `summed` the best
    threshold on the probability of a boundary over all sentences and links.
    """

    alpha: float
    bias: float
    f1: float
    plain: float
    summed: Threshold


@dataclass(frozen=True)
class Tuned:
    """All settings of a language."""

    by_c2: Mapping[float, Threshold]
    """What a CRF reaches that is held back so much."""
    pause: Threshold | None
    svm: Threshold
    weights: tuple[Weight, ...]

    @property
    def c2(self) -> float:
        """The best of them."""
        return max(self.by_c2, key=lambda each: self.by_c2[each].f1)

    @property
    def crf(self) -> Threshold:
        """The threshold on the CRF's log-odds."""
        return self.by_c2[self.c2]

    @property
    def alone(self) -> Weight:
        """The bias of SDA alone, which does not look at the labels of the CRF."""
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


def tuned(language: Language, shelf: Shelf, plan: Plan) -> Tuned:
    """Choose settings by a jackknife: models learn from all folds but one, which they label."""
    folds = [
        (
            [each for at, each in enumerate(language.train) if at % plan.folds != fold],
            [each for at, each in enumerate(language.train) if at % plan.folds == fold],
        )
        for fold in range(plan.folds)
    ]
    held = [each for _, group in folds for each in group]
    real = [ends(each) for each in held]
    names = [f"{language.key}/fold-{fold}" for fold in range(plan.folds)]
    by_c2: dict[float, Threshold] = {}
    for c2 in plan.c2:
        crfs = [shelf.crf(name, rest, c2) for name, (rest, _) in zip(names, folds, strict=True)]
        by_c2[c2] = _threshold(_labelled(crfs, [group for _, group in folds]), real)
        logger.info("%s: CRF with c2 = %g: F1 %.3f", language.name, c2, by_c2[c2].f1)
    svms = [shelf.svm(name, rest) for name, (rest, _) in zip(names, folds, strict=True)]
    svm = _threshold(_labelled(svms, [group for _, group in folds]), real)
    found = Tuned(by_c2, _pause(language, plan), svm, ())
    seen = _analysed(names, folds, shelf, found.c2)
    return Tuned(by_c2, found.pause, svm, _weights(language, seen, plan))


def _labelled(
    detectors: Sequence[Detector], groups: Sequence[Sequence[Transcript]]
) -> list[Floats]:
    """Give the evidence about the gaps of each group, from the detector that did not see it."""
    return [
        found.log_odds[:-1]
        for detector, group in zip(detectors, groups, strict=True)
        for found in detector.detect_all([bare(each) for each in group])
        if found.log_odds is not None
    ]


def _threshold(odds: Sequence[Floats], real: Sequence[Flags]) -> Threshold:
    least = best_threshold(np.concatenate(odds), np.concatenate(real))
    return Threshold(least, f1_above(odds, real, least))


def _pause(language: Language, plan: Plan) -> Threshold | None:
    """Choose the shortest pause that is a boundary; nothing is learnt, so there are no folds."""
    if not language.timed:
        return None
    shown = [bare(each) for each in language.train]
    real = [ends(each) for each in language.train]

    def reached(least: float) -> float:
        found = pauses(least).detect_all(shown)
        return f1([each.boundary[:-1] for each in found], real)

    best = max(plan.pauses, key=reached)
    return Threshold(best, reached(best))


def pauses(least: float) -> Pause:
    """Make the detector that looks at nothing but pauses."""
    return Pause(least, ("pause",))


def _analysed(
    names: Sequence[str],
    folds: Sequence[tuple[Sequence[Transcript], Sequence[Transcript]]],
    shelf: Shelf,
    c2: float,
) -> list[Weighed]:
    found = []
    for name, (rest, group) in zip(names, folds, strict=True):
        crf: CRF = shelf.crf(name, rest, c2)
        found += weighed(shelf.sda(name, rest, crf, REACH), group)
    return found


def _weights(language: Language, seen: Sequence[Weighed], plan: Plan) -> tuple[Weight, ...]:
    """Try weights of the CRF, the first of which is 0, each with the best bias."""
    real = [each.real for each in seen]
    found: list[Weight] = []
    bias = 0.0
    for alpha in plan.alphas:

        def reached(bias: float, alpha: float = alpha) -> float:
            return f1([each.found(alpha, bias) for each in seen], real)

        plain = reached(0.0)
        bias, best = climbed(reached, bias, plan.steps)
        summed = _threshold([each.likely(alpha) for each in seen], real)
        found.append(Weight(alpha, bias, best, plain, summed))
        logger.info(
            "%s: α = %g: F1 %.3f, with bias %g %.3f, summed %.3f",
            *(language.name, alpha, plain, bias, best, summed.f1),
        )
    return tuple(found)


def climbed(
    reached: Callable[[float], float], start: float, steps: Sequence[float]
) -> tuple[float, float]:
    """Go up from a number in steps of falling size; give the place that is reached, and how high.

    Of places that are equally high the one that was seen first is kept.
    """
    known: dict[float, float] = {}

    def height(at: float) -> float:
        if at not in known:
            known[at] = reached(at)
        return known[at]

    best = start
    for step in steps:
        while True:
            there = max((best, best - step, best + step), key=height)
            if there == best:
                break
            best = there
    return best, height(best)
