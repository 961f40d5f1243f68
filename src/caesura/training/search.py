"""Training a detector: what it learns, and its settings tuned on development recordings."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import product
from math import inf, prod
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from caesura.core.arrays import Flags
from caesura.core.config import MOST_POINTS, Trainable, number, points
from caesura.core.errors import CaesuraError, LayerError, MismatchError, OutputError, UnknownName
from caesura.core.protocols import Detector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, as_json
from caesura.metrics.boundary import Boundary
from caesura.ml.thresholds import GOALS, best_threshold
from caesura.models import store
from caesura.training.data import (
    PURPOSES,
    Material,
    inner_gaps,
    refuse_shared,
    refuse_undivided,
    usable,
)

T = TypeVar("T", bound=Trainable)

WORDS = {"True": True, "False": False, "None": None}


def ranges(tune: str | Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Read the settings to tune, each with its values."""
    found: dict[str, tuple[Any, ...]] = {}
    for written in [tune] if isinstance(tune, str) else tune:
        setting, values = points(written, "range to tune", _single)
        if setting in found:
            raise UnknownName(f"{setting!r} is to be tuned twice", remedy="give all values at once")
        found[setting] = values
    count = prod(map(len, found.values()))
    if count > MOST_POINTS:
        raise UnknownName(
            f"there are {count:,} combinations to try", remedy=f"tune through {MOST_POINTS} at most"
        )
    return found


def _single(text: str) -> Any:
    """Read a number, True, False, None, numbers in brackets, or a text such as a name."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        return tuple(_single(each) for each in text[1:-1].split(",") if each.strip())
    if text in WORDS:
        return WORDS[text]
    try:
        return number(text)
    except ValueError:
        if not text.isidentifier() or text in ("nan", "inf", "infinity"):
            raise
    return text


def changed(detector: T, settings: Mapping[str, Any]) -> T:
    """Give a detector with other settings, and all that it and those within it have learnt."""
    for name, value in settings.items():
        try:
            detector = _with(detector, name.split("."), value, name)
        except (TypeError, ValueError) as error:
            raise UnknownName(f"{name}={value}: {error}", remedy="tune other values") from error
    return detector


def _with(thing: Any, path: Sequence[str], value: Any, name: str) -> Any:
    if not path:
        return value
    part = _part(thing, path[0], name)
    inner = _with(part, path[1:], value, name)
    if isinstance(thing, tuple):
        at = int(path[0])
        return (*thing[:at], inner, *thing[at + 1 :])
    return thing.adjusted(**{path[0]: inner})


def learns_anew(detector: Trainable, name: str) -> bool:
    """Whether what is learnt depends on a setting, of a detector or of one within it."""
    thing: Any = detector
    for step in name.split("."):
        part = _part(thing, step, name)
        if isinstance(thing, Trainable) and step in thing.retrain_settings:
            return True
        thing = part
    return False


def _part(thing: Any, step: str, name: str) -> Any:
    """Give what a step of a dotted name leads to: a setting, or one of several detectors."""
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


def shown(settings: Mapping[str, Any]) -> str:
    """Write settings on a line."""
    return ", ".join(f"{name}={value}" for name, value in settings.items())


logger = logging.getLogger("caesura.training")

RATES = ("precision", "recall", "f1", "ser")
SHORT = dict(zip(RATES, ("P", "R", "F1", "SER"), strict=True))
METRIC = Boundary()


@dataclass(frozen=True)
class Row:
    """A point of the curve: settings, the best bias with them, and the development scores."""

    settings: Mapping[str, Any]
    scores: Mapping[str, Value]
    bias: float | None = None

    def merit(self, goal: str) -> float:
        """Say how good the scores are; the worst is a score that has no value."""
        value = self.scores[goal]
        if isinstance(value, Undefined):
            return -inf
        return -value if goal == "ser" else value

    def to_json(self) -> dict[str, Any]:
        """Give what JSON can hold; a score without a value is null."""
        bias = {} if self.bias is None else {"bias": self.bias}
        settings = {k: str(v) if isinstance(v, tuple) else v for k, v in self.settings.items()}
        return {**settings, **bias, **_plain(self.scores)}


@dataclass(frozen=True)
class Training:
    """A trained detector or tagger, and what was seen on development recordings on the way.

    `curve` has a row for each combination of settings that was tried, in the order asked for;
    `best` is the place of the chosen one. Without development recordings there are no scores.
    """

    detector: Any
    goal: str = "f1"
    scores: Mapping[str, Value] = field(default_factory=dict)
    curve: tuple[Row, ...] = ()
    best: int = 0

    def to_json(self) -> dict[str, Any]:
        """Give scores and curve as JSON can hold them."""
        return {
            "detector": repr(self.detector),
            "goal": self.goal,
            "scores": _plain(self.scores),
            "curve": [row.to_json() for row in self.curve],
            "best": self.best if self.curve else None,
        }


def trained(
    detector: Detector,
    train: Sequence[Transcript],
    dev: Sequence[Transcript] = (),
    text: Sequence[Transcript] = (),
    tune: str | Sequence[str] = (),
    goal: str = "f1",
) -> Training:
    """Train a detector, and choose its settings and its bias by their scores on `dev`.

    `tune` names settings and values to try, such as 'weight=0.25:3:0.25', 'order=2,3' or
    'lm.order=3,4' of a detector within; all combinations are tried. Settings on which depends
    what is learnt are trained anew. The `bias` of a detector that has one is set to the best
    there is for the goal, the highest 'f1' or the lowest 'ser', unless it is tuned itself.
    """
    return Tries(detector, tune, goal).trained(train, dev, text)


class Tries:
    """Combinations of settings, each tried on development recordings; the best is kept.

    What cannot be tried is told before anything is read or learnt.
    """

    goals: ClassVar[Sequence[str]] = GOALS
    sought: ClassVar[str] = "boundaries"

    def __init__(self, detector: Trainable, tune: str | Sequence[str], goal: str) -> None:
        _refuse_lacking(detector)
        values = ranges(tune)
        self.detector: Any = detector
        self.goal: Any = self._known(goal)
        self.anew = [name for name in values if learns_anew(detector, name)]
        self.grid = [dict(zip(values, each, strict=True)) for each in product(*values.values())]
        for settings in self.grid:
            changed(detector, settings)

    def trained(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Training:
        """Check the recordings, train on them, and tune if there are any to tune on."""
        train, dev, text = self.usable(train, dev, text)
        if not train and not text:
            raise LayerError("there are no recordings to train on", remedy="name some with --train")
        refuse_shared(dev, (*train, *text))
        if dev:
            return self._run(train, dev, text)
        if self.grid != [{}]:
            raise MismatchError(
                "settings are tuned on development recordings, and there are none",
                remedy="name some with --dev",
            )
        logger.info("no development recordings: trained as it is, neither tuned nor scored")
        return Training(_learn(self.detector, train, dev, text), self.goal)

    def usable(self, *parts: Sequence[Transcript]) -> list[list[Transcript]]:
        """Give the recordings to train on, to tune on and with more text that can be used."""
        found = [usable(part, name) for part, name in zip(parts, PURPOSES, strict=True)]
        if found[1]:
            refuse_undivided(found[1])
        return found

    def scores(self, detector: Any, dev: Sequence[Transcript]) -> dict[str, Value]:
        """Score a detector on development recordings."""
        return scored(detector.detect_all(dev), dev)

    def _run(
        self, train: Sequence[Transcript], dev: Sequence[Transcript], text: Sequence[Transcript]
    ) -> Training:
        """Train once for all combinations that share what is learnt, and try each of them."""
        rows: dict[int, Row] = {}
        best: tuple[float, int, Any] | None = None
        for learnt, places in self._groups().items():
            shared = dict(learnt)
            base = _learn(changed(self.detector, shared), train, dev, text, shared)
            for place in places:
                rest = {k: v for k, v in self.grid[place].items() if k not in shared}
                candidate, row = self._tried(changed(base, rest), self.grid[place], dev)
                rows[place] = row
                merit = row.merit(self.goal)
                if best is None or (merit, -place) > (best[0], -best[1]):
                    best = merit, place, candidate
        assert best is not None
        _, at, chosen = best
        scores = self.scores(chosen, dev)
        rows[at] = replace(rows[at], scores=scores)
        if scores.get("recall") == 0:
            logger.warning(
                "none of the %s of the development recordings is found: train on more", self.sought
            )
        return Training(chosen, self.goal, scores, tuple(rows[i] for i in sorted(rows)), at)

    def _groups(self) -> dict[tuple[tuple[str, Any], ...], list[int]]:
        groups: dict[tuple[tuple[str, Any], ...], list[int]] = {}
        for place, settings in enumerate(self.grid):
            learnt = tuple((name, settings[name]) for name in self.anew)
            groups.setdefault(learnt, []).append(place)
        return groups

    def _tried(
        self, detector: Any, settings: Mapping[str, Any], dev: Sequence[Transcript]
    ) -> tuple[Any, Row]:
        """Score one combination, with the best bias where that can be set."""
        if _has_bias(detector) and "bias" not in settings:
            found = detector.adjusted(bias=0.0).detect_all(dev)
            if _by_log_odds(found):
                odds = np.concatenate([x.log_odds[:-1] for x in found if x.log_odds is not None])
                ends = inner_gaps(dev)
                threshold = best_threshold(odds, ends, self.goal)
                row = Row(settings, rates(odds > threshold, ends), 0.0 - threshold)
                _tell(row)
                return detector.adjusted(bias=row.bias), row
        row = Row(settings, self.scores(detector, dev))
        _tell(row)
        return detector, row

    def _known(self, goal: str) -> str:
        if goal not in self.goals:
            known = ", ".join(self.goals)
            raise UnknownName(f"there is no goal {goal!r}", remedy=f"known are {known}")
        return goal


def _refuse_lacking(detector: Trainable) -> None:
    """Refuse to train what needs a package that is not installed."""
    needs = {module: name for part in detector.parts() for module, name in part.needs.items()}
    lacking = [name for module, name in needs.items() if find_spec(module) is None]
    if lacking:
        are = "is" if len(lacking) == 1 else "are"
        raise CaesuraError(
            f"training {detector.name} needs {' and '.join(lacking)}, which {are} not installed",
            remedy="install what training takes: pip install 'caesura[train]'",
        )


def scored(found: Sequence[Segmentation], dev: Sequence[Transcript]) -> dict[str, Value]:
    """Score decisions as `caesura score` does: counts of all recordings, without their ends."""
    counts = Counts()
    for each, reference in zip(found, dev, strict=True):
        counts += METRIC.count(reference.replace(sentences=each), [reference])
    return {name: METRIC.values(counts)[name] for name in RATES}


def rates(found: Flags, real: Flags) -> dict[str, Value]:
    """Give precision, recall, F1 and slot error rate of gaps that are pooled."""
    correct = int(np.count_nonzero(found & real))
    missing, spurious = int(real.sum()) - correct, int(found.sum()) - correct
    return METRIC.rates(Counts(correct=correct, missing=missing, spurious=spurious))


def _plain(scores: Mapping[str, Value]) -> dict[str, Any]:
    return {name: as_json(value) for name, value in scores.items()}


def _learn(
    detector: Trainable,
    train: Sequence[Transcript],
    dev: Sequence[Transcript],
    text: Sequence[Transcript],
    settings: Mapping[str, Any] | None = None,
) -> Trainable:
    logger.info("training %s%s", detector.name, f" with {shown(settings)}" if settings else "")
    begun = time.monotonic()
    learnt = detector.train(train, dev, text)
    took = time.monotonic() - begun
    if took >= 1:
        logger.info("  trained in %.1f s", took)
    return learnt


def _has_bias(detector: Trainable) -> bool:
    settings = detector.settings
    return "bias" in settings and settings.get("decision") != "viterbi"


def _by_log_odds(found: Sequence[Segmentation]) -> bool:
    """Whether log-odds above 0 are what was decided by."""
    return all(
        each.log_odds is not None and np.array_equal(each.boundary[:-1], each.log_odds[:-1] > 0)
        for each in found
    )


def _tell(row: Row) -> None:
    """Say how well a combination does."""
    values = " ".join(f"{SHORT.get(k, k)} {_short(value)}" for k, value in row.scores.items())
    logger.info("%s %s", values, shown(row.settings) or "on development recordings")


def _short(value: Value) -> str:
    return "  –  " if isinstance(value, Undefined) else f"{value:.3f}"


def keep(
    out: str | Path, training: Training, material: Sequence[Material], card: store.Card
) -> Path:
    """Write the model, with a card that says what it was trained on and how well that went."""
    scores = {"goal": training.goal, **training.scores} if training.scores else {}
    told = training.detector.describe()
    whole = replace(
        card,
        notes=" ".join(note for note in (card.notes, told) if note),
        data=tuple(each.described() for each in material),
        scores=scores,
        curve=tuple(row.to_json() for row in training.curve),
    )
    return store.save(out, training.detector, whole)


def refuse_place(out: str | Path) -> None:
    """Raise an error, before any work is done, if a model cannot be written there."""
    store.refuse_others(Path(out))
    above = next(each for each in Path(out).absolute().parents if each.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise OutputError("cannot be written", where=str(out), remedy="name another folder")
