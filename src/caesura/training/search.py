"""Tune settings: train a detector with each combination, and keep the best on the dev set.

`parse_ranges` reads what `--tune` says, `SettingSearch` tries the combinations, and a `Training`
is the result. Taggers and entity models have tasks of their own in `run.py`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import product
from math import inf, prod
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from caesura.core.arrays import Flags, Floats
from caesura.core.config import MOST_VALUES, ModelBacked, Trainable, parse_number, parse_setting
from caesura.core.errors import CaesuraError, LayerError, MismatchError, ModelError, UnknownName
from caesura.core.protocols import Detector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, as_json
from caesura.evaluation.calibration import Calibration, measure_calibration
from caesura.metrics.boundary import Boundary
from caesura.training.data import (
    PURPOSES,
    check_disjoint,
    check_inner_boundaries,
    check_sentences,
    inner_boundaries,
)

Goal = Literal["f1", "ser"]
GOALS: tuple[Goal, ...] = ("f1", "ser")
"""The highest F1, or the lowest slot error rate."""


def best_threshold(odds: Floats, ends: Flags, goal: Goal = "f1") -> float:
    """Return the threshold above which log-odds are boundaries, for the best F1 or SER.

    It lies halfway between two log-odds, or 1 beyond the last of them. Of equally good thresholds
    it is the highest. F1 is undefined without any boundary, so for F1 at least one is found.
    Without any gap the threshold is 0.
    """
    if not len(odds):
        return 0.0
    order = np.argsort(-odds, kind="stable")
    falling = odds[order]
    falling = np.concatenate([[falling[0] + 2], falling, [falling[-1] - 2]])
    right = np.concatenate([[0], np.cumsum(ends[order])])
    found = np.arange(len(right))
    value = 2 * right / np.maximum(found + right[-1], 1) if goal == "f1" else 2 * right - found
    # No threshold can separate equal log-odds.
    separable = falling[:-1] > falling[1:]
    separable[0] = goal == "ser"
    at = int(np.argmax(np.where(separable, value, -np.inf)))
    return _between(float(falling[at + 1]), float(falling[at]))


def _between(low: float, high: float) -> float:
    """Return the middle of two numbers, or the lower one if nothing lies between."""
    middle = low + (high - low) / 2
    return middle if middle < high else low


T = TypeVar("T", bound=Trainable)

logger = logging.getLogger("caesura.training")

CONSTANTS = {"True": True, "False": False, "None": None}

RATES = ("precision", "recall", "f1", "ser")
SHORT_NAMES = dict(zip(RATES, ("P", "R", "F1", "SER"), strict=True))
METRIC = Boundary()


@dataclass(frozen=True)
class CurvePoint:
    """One combination of settings, the best bias with it, and its scores on the dev set."""

    settings: Mapping[str, Any]
    scores: Mapping[str, Value]
    bias: float | None = None

    def merit(self, goal: str) -> float:
        """Return how good the scores are; an undefined score is the worst."""
        value = self.scores[goal]
        if isinstance(value, Undefined):
            return -inf
        return -value if goal == "ser" else value

    def to_json(self) -> dict[str, Any]:
        """Return settings, bias and scores as JSON can hold them; an undefined score is null."""
        bias = {} if self.bias is None else {"bias": self.bias}
        settings = {k: str(v) if isinstance(v, tuple) else v for k, v in self.settings.items()}
        return {**settings, **bias, **_json_scores(self.scores)}


@dataclass(frozen=True)
class Training:
    """A trained detector, tagger or entity model, and its scores on development recordings.

    `curve` has a point for each combination of settings that was tried, in the order asked for;
    `best` is the place of the chosen one, and `calibration` says how far the probabilities of a
    detector can be trusted. Without development recordings there are no scores.
    """

    detector: Any
    goal: str = "f1"
    scores: Mapping[str, Value] = field(default_factory=dict)
    curve: tuple[CurvePoint, ...] = ()
    best: int = 0
    calibration: Calibration | None = None

    def to_json(self) -> dict[str, Any]:
        """Return scores and curve as JSON can hold them."""
        return {
            "detector": repr(self.detector),
            "goal": self.goal,
            "scores": _json_scores(self.scores),
            "curve": [point.to_json() for point in self.curve],
            "best": self.best if self.curve else None,
            "calibration": None if self.calibration is None else self.calibration.to_json(),
        }


def train_and_tune(
    detector: Detector,
    train: Sequence[Transcript],
    dev: Sequence[Transcript] = (),
    text: Sequence[Transcript] = (),
    tune: str | Sequence[str] = (),
    goal: str = "f1",
) -> Training:
    """Train a detector, and choose its settings and its bias by their scores on `dev`.

    `tune` names settings and values to try, such as 'weight=0.25:3:0.25', 'order=2,3' or
    'lm.order=3,4' of a detector within; all combinations are tried. A detector is trained again
    only if a setting needs that. The `bias` of a detector that has one is set to the best there
    is for the goal, the highest 'f1' or the lowest 'ser', unless it is tuned itself.
    """
    return SettingSearch(detector, tune, goal).run(train, dev, text)


class SettingSearch:
    """Combinations of settings, each tried on development recordings; the best is kept.

    Settings and packages that are missing are reported before anything is read or trained.
    """

    goals: ClassVar[Sequence[str]] = GOALS
    sought: ClassVar[str] = "boundaries"

    def __init__(self, detector: Trainable, tune: str | Sequence[str], goal: str) -> None:
        _check_packages(detector)
        if goal not in self.goals:
            known = ", ".join(self.goals)
            raise UnknownName(f"there is no goal {goal!r}", remedy=f"known are {known}")
        values = parse_ranges(tune)
        self.detector: Any = detector
        self.goal: Any = goal
        self.retrained = [name for name in values if needs_retraining(detector, name)]
        self.grid = [dict(zip(values, each, strict=True)) for each in product(*values.values())]
        for settings in self.grid:
            with_settings(detector, settings)

    def run(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Training:
        """Check the recordings, train on them, and tune on `dev` if there are any."""
        train, dev, text = self.check(train, dev, text)
        if not train and not text:
            raise LayerError("there are no recordings to train on", remedy="name some with --train")
        check_disjoint(dev, (*train, *text))
        if dev:
            training = self._tune(train, dev, text)
            self._check_learnt(training.detector, train or text, tuned=True)
            return training
        if self.grid != [{}]:
            raise MismatchError(
                "settings are tuned on development recordings, and there are none",
                remedy="name some with --dev",
            )
        logger.info("no development recordings: trained as it is, neither tuned nor scored")
        trained = _train(self.detector, train, dev, text)
        self._check_learnt(trained, train or text, tuned=False)
        return Training(trained, self.goal)

    def _check_learnt(
        self, trained: Trainable, recordings: Sequence[Transcript], tuned: bool
    ) -> None:
        """Refuse a result that is as it was before, or that no recording told anything."""
        has_model = any(
            isinstance(part, ModelBacked) and part.is_trained for part in trained.parts()
        )
        if has_model or trained.state():
            if isinstance(trained, Detector):
                check_evidence(trained, recordings)
        elif not tuned or (self.grid == [{}] and not has_bias(trained)):
            raise ModelError(
                f"{trained.name} learns nothing from recordings",
                remedy="train another, such as PauseModel, or tune its settings with "
                "--tune SETTING=VALUES --dev FILES",
            )

    def check(self, *parts: Sequence[Transcript]) -> list[list[Transcript]]:
        """Return the recordings with words to train on, to tune on, and with more text."""
        checked = [check_sentences(part, name) for part, name in zip(parts, PURPOSES, strict=True)]
        if checked[1]:
            check_inner_boundaries(checked[1])
        return checked

    def scores(self, detector: Any, dev: Sequence[Transcript]) -> dict[str, Value]:
        """Score a detector on development recordings."""
        return score_boundaries(detector.detect_all(dev), dev)

    def _tune(
        self, train: Sequence[Transcript], dev: Sequence[Transcript], text: Sequence[Transcript]
    ) -> Training:
        """Train once for all combinations that differ in no trained setting, and try each."""
        curve: dict[int, CurvePoint] = {}
        best: tuple[float, int, Any] | None = None
        for trained_settings, places in self._groups().items():
            shared = dict(trained_settings)
            base = _train(with_settings(self.detector, shared), train, dev, text, shared)
            for place in places:
                rest = {k: v for k, v in self.grid[place].items() if k not in shared}
                candidate, point = self._try(with_settings(base, rest), self.grid[place], dev)
                curve[place] = point
                merit = point.merit(self.goal)
                if best is None or (merit, -place) > (best[0], -best[1]):
                    best = merit, place, candidate
        assert best is not None
        _, at, chosen = best
        is_detector = isinstance(chosen, Detector)
        decided = chosen.detect_all(dev) if is_detector else []
        scores = score_boundaries(decided, dev) if is_detector else self.scores(chosen, dev)
        curve[at] = replace(curve[at], scores=scores)
        if scores.get("recall") == 0:
            logger.warning(
                "none of the %s of the development recordings is found: train on more", self.sought
            )
        points = tuple(curve[i] for i in sorted(curve))
        measured = measure_segmentations(decided, dev) if is_detector else None
        return Training(chosen, self.goal, scores, points, at, measured)

    def _groups(self) -> dict[tuple[tuple[str, Any], ...], list[int]]:
        """Return the places in the grid with the same trained settings."""
        groups: dict[tuple[tuple[str, Any], ...], list[int]] = {}
        for place, settings in enumerate(self.grid):
            trained = tuple((name, settings[name]) for name in self.retrained)
            groups.setdefault(trained, []).append(place)
        return groups

    def _try(
        self, detector: Any, settings: Mapping[str, Any], dev: Sequence[Transcript]
    ) -> tuple[Any, CurvePoint]:
        """Score one combination, with the best bias if the detector has one."""
        if has_bias(detector) and "bias" not in settings:
            segmentations = detector.adjusted(bias=0.0).detect_all(dev)
            if decides_by_log_odds(segmentations):
                odds = np.concatenate(
                    [
                        segmentation.log_odds[:-1]
                        for segmentation in segmentations
                        if segmentation.log_odds is not None
                    ]
                )
                ends = inner_boundaries(dev)
                threshold = best_threshold(odds, ends, self.goal)
                point = CurvePoint(
                    settings, boundary_rates(odds > threshold, ends), 0.0 - threshold
                )
                _log_scores(point)
                return detector.adjusted(bias=point.bias), point
        point = CurvePoint(settings, self.scores(detector, dev))
        _log_scores(point)
        return detector, point


def check_evidence(trained: Detector, recordings: Sequence[Transcript]) -> None:
    """Raise an error if no recording has anything that the detector goes by."""
    lacking = ""
    for recording in recordings:
        lacking = trained.lacks(recording)
        if not lacking:
            return
    raise LayerError(
        f"{trained.name} can learn nothing from the recordings to train on: {lacking}",
        remedy="give recordings that have that, or train another detector",
    )


def score_boundaries(
    segmentations: Sequence[Segmentation], dev: Sequence[Transcript]
) -> dict[str, Value]:
    """Score decisions as `caesura score` does: counts of all recordings, without their ends."""
    counts = Counts()
    for segmentation, reference in zip(segmentations, dev, strict=True):
        counts += METRIC.count(reference.replace(sentences=segmentation), [reference])
    return {name: METRIC.values(counts)[name] for name in RATES}


def measure_segmentations(
    segmentations: Sequence[Segmentation], dev: Sequence[Transcript]
) -> Calibration:
    """Measure how far the log-odds of decisions can be trusted, without the ends of recordings."""
    odds = [
        np.zeros(max(len(one) - 1, 0)) if one.log_odds is None else one.log_odds[:-1]
        for one in segmentations
    ]
    found = measure_calibration(odds, [inner_boundaries([each]) for each in dev])
    logger.info(
        "ECE %s; %s with log-odds times %s plus %s",
        _format_value(found.ece),
        _format_value(found.calibrated_ece),
        *("–" if number is None else f"{number:.2f}" for number in (found.scale, found.bias)),
    )
    return found


def boundary_rates(boundaries: Flags, reference: Flags) -> dict[str, Value]:
    """Return precision, recall, F1 and slot error rate of gaps of all recordings together."""
    correct = int(np.count_nonzero(boundaries & reference))
    missing, spurious = int(reference.sum()) - correct, int(boundaries.sum()) - correct
    return METRIC.rates(Counts(correct=correct, missing=missing, spurious=spurious))


def parse_ranges(tune: str | Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Read the settings to tune, each with its values."""
    ranges: dict[str, tuple[Any, ...]] = {}
    for written in [tune] if isinstance(tune, str) else tune:
        setting, values = parse_setting(written, "range to tune", _parse_value)
        if setting in ranges:
            raise UnknownName(f"{setting!r} is to be tuned twice", remedy="give all values at once")
        ranges[setting] = values
    count = prod(map(len, ranges.values()))
    if count > MOST_VALUES:
        raise UnknownName(
            f"there are {count:,} combinations to try", remedy=f"tune through {MOST_VALUES} at most"
        )
    return ranges


def _parse_value(text: str) -> Any:
    """Read a number, True, False, None, numbers in brackets, or a text such as a name."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        return tuple(_parse_value(part) for part in text[1:-1].split(",") if part.strip())
    if text in CONSTANTS:
        return CONSTANTS[text]
    try:
        return parse_number(text)
    except ValueError:
        if not text.isidentifier() or text in ("nan", "inf", "infinity"):
            raise
    return text


def with_settings(detector: T, settings: Mapping[str, Any]) -> T:
    """Return a detector with other settings; it and those within it stay trained."""
    for name, value in settings.items():
        try:
            detector = _with_setting(detector, name.split("."), value, name)
        except (TypeError, ValueError) as error:
            raise UnknownName(f"{name}={value}: {error}", remedy="tune other values") from error
    return detector


def _with_setting(thing: Any, path: Sequence[str], value: Any, name: str) -> Any:
    if not path:
        return value
    inner = _with_setting(_setting(thing, path[0], name), path[1:], value, name)
    if isinstance(thing, tuple):
        at = int(path[0])
        return (*thing[:at], inner, *thing[at + 1 :])
    return thing.adjusted(**{path[0]: inner})


def needs_retraining(detector: Trainable, name: str) -> bool:
    """Whether a setting, of a detector or of one within it, changes what is trained."""
    thing: Any = detector
    for step in name.split("."):
        part = _setting(thing, step, name)
        if isinstance(thing, Trainable) and step in thing.retrain_settings:
            return True
        thing = part
    return False


def _setting(thing: Any, step: str, name: str) -> Any:
    """Return what one step of a dotted name leads to: a setting, or one of several detectors."""
    if isinstance(thing, Trainable) and step in thing.settings:
        return thing.settings[step]
    if isinstance(thing, tuple) and step.isdecimal() and int(step) < len(thing):
        return thing[int(step)]
    what = thing.name if isinstance(thing, Trainable) else repr(thing)
    known = ", ".join(thing.settings) if isinstance(thing, Trainable) else ""
    raise UnknownName(
        f"{what} has no setting {step!r}" + (f" (of {name!r})" if step != name else ""),
        remedy=f"it has {known}" if known else "see: caesura list detectors",
    )


def _check_packages(detector: Trainable) -> None:
    """Refuse to train what needs a package that is not installed."""
    needs = {
        module: (name, part.needs_extra)
        for part in detector.parts()
        for module, name in part.needs.items()
    }
    lacking = [found for module, found in needs.items() if find_spec(module) is None]
    if lacking:
        are = "is" if len(lacking) == 1 else "are"
        names = " and ".join(name for name, _ in lacking)
        extras = ",".join(sorted({extra for _, extra in lacking}))
        raise CaesuraError(
            f"training {detector.name} needs {names}, which {are} not installed",
            remedy=f"install what training takes: pip install 'caesura[{extras}]'",
        )


def _train(
    detector: Trainable,
    train: Sequence[Transcript],
    dev: Sequence[Transcript],
    text: Sequence[Transcript],
    settings: Mapping[str, Any] | None = None,
) -> Trainable:
    """Train a detector and log how long it took; `settings` are those that are tuned."""
    chosen = f" with {_format_settings(settings)}" if settings else ""
    logger.info("training %s%s", detector.name, chosen)
    begun = time.monotonic()
    trained = detector.train(train, dev, text)
    took = time.monotonic() - begun
    if took >= 1:
        logger.info("  trained in %.1f s", took)
    return trained


def has_bias(detector: Trainable) -> bool:
    """Whether a bias can be chosen for a detector."""
    settings = detector.settings
    return "bias" in settings and settings.get("decision") != "viterbi"


def decides_by_log_odds(segmentations: Sequence[Segmentation]) -> bool:
    """Whether boundaries are exactly the gaps with log-odds above 0."""
    return all(
        segmentation.log_odds is not None
        and np.array_equal(segmentation.boundary[:-1], segmentation.log_odds[:-1] > 0)
        for segmentation in segmentations
    )


def _log_scores(point: CurvePoint) -> None:
    """Log the scores of a combination."""
    values = " ".join(
        f"{SHORT_NAMES.get(k, k)} {_format_value(value)}" for k, value in point.scores.items()
    )
    logger.info("%s %s", values, _format_settings(point.settings) or "on development recordings")


def _format_value(value: Value) -> str:
    return "  –  " if isinstance(value, Undefined) else f"{value:.3f}"


def _format_settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def _json_scores(scores: Mapping[str, Value]) -> dict[str, Any]:
    return {name: as_json(value) for name, value in scores.items()}
