"""Adapt a stored model to a few hundred sentences, and tell whether that helped.

`adapt` is what `caesura adapt` calls. What can be fitted is in the learners: `BiasLearner` for any
detector with a bias, `LayerLearner` for the last layer of an `Encoder`. `CrossValidation` chooses
what to fit and measures it on recordings that were held out of both.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.errors import LayerError, ModelError
from caesura.core.protocols import Detector, Format
from caesura.core.values import Counts, Undefined, Value, as_json, ratio
from caesura.detectors.gaps import marked_words
from caesura.detectors.neural.encoder import Encoder
from caesura.detectors.neural.evidence import without_times
from caesura.detectors.stored_model import Model
from caesura.evaluation.calibration import Calibration, measure_calibration
from caesura.evaluation.comparison import SIGNIFICANT, Difference, PairedUnits
from caesura.evaluation.document import BLOCK_SENTENCES
from caesura.evaluation.evaluate import normalization_steps
from caesura.evaluation.resampling import FEW_UNITS, Interval, Resampling
from caesura.evaluation.scores import CHECKSUM_DIGITS, count_rows
from caesura.formats.files import Inputs, open_pooled
from caesura.metrics.base import NO_REFERENCE
from caesura.metrics.boundary import Boundary
from caesura.ml.maxent import Search, log_softmax, shift_layer
from caesura.models import store
from caesura.models.store import Card, StoredModel
from caesura.training.data import (
    Dataset,
    DatasetReader,
    Progress,
    Talk,
    bare_talk,
    check_sentences,
    counted,
)
from caesura.training.run import check_output_folder
from caesura.training.search import (
    best_threshold,
    boundary_rates,
    check_evidence,
    decides_by_log_odds,
    has_bias,
)

logger = logging.getLogger("caesura.training")

LEAST_SENTENCES, MOST_WORDS = 50, 200_000
"""With fewer sentences nothing can be told; with more words it is better to train."""

FOLDS = 5
PARTS = 3
"""With fewer recordings than `FOLDS`, each fold is made of so many parts of recordings."""


# What is held out


def check_size(talks: Sequence[Talk]) -> None:
    """Refuse data from which nothing can be told, and data that take too long."""
    words = sum(len(talk.bare) for talk in talks)
    inside = sum(int(talk.ends.sum()) for talk in talks)
    sentences = inside + len(talks)
    if sentences < LEAST_SENTENCES:
        raise LayerError(
            f"{counted(sentences, 'sentences')} cannot show whether adapting helps: "
            f"{LEAST_SENTENCES} are the least",
            remedy="give more transcripts; a few hundred sentences are enough",
        )
    if inside < FOLDS:
        raise LayerError(
            "hardly any sentence ends inside a recording: nothing can be fitted to them",
            remedy="give recordings of several sentences",
        )
    if words > MOST_WORDS:
        raise LayerError(
            f"{words:,} words are too many to adapt to: {MOST_WORDS:,} are the most",
            remedy="give fewer recordings, or train a model: caesura train --help",
        )


class Grouping(NamedTuple):
    """For each gap the fold in which it is held out, and the unit that tests resample."""

    fold: Indices
    unit: Indices
    held_out: str
    """What was held out, in words."""


def group_gaps(talks: Sequence[Talk]) -> Grouping:
    """Hold out whole recordings; if there are fewer than folds, parts of them.

    Tests resample recordings, or blocks of sentences if these are few.
    """
    several = len(talks) >= FOLDS
    size = -(-sum(int(talk.ends.sum()) + 1 for talk in talks) // (FOLDS * PARTS))
    parts = _parts(talks, inf if several else size)
    units = _parts(talks, inf if len(talks) >= FEW_UNITS else BLOCK_SENTENCES)
    what = "recordings" if several else "parts of recordings"
    return Grouping(_deal(parts)[parts], units, f"{int(parts.max()) + 1} {what}")


def _parts(talks: Sequence[Talk], sentences: float) -> Indices:
    """Return for each gap the number of its part: so many sentences of one recording."""
    found: list[Indices] = []
    first = 0
    for talk in talks:
        number = np.concatenate([[0], np.cumsum(talk.ends)])[: len(talk.ends)]
        own = first + (number // sentences).astype(np.int64)
        found.append(own)
        first = int(own.max(initial=first)) + 1
    return np.concatenate(found)


def _deal(parts: Indices) -> Indices:
    """Return the fold of each part, so that folds have about as many gaps."""
    sizes = np.bincount(parts)
    fold, load = np.zeros(len(sizes), np.int64), np.zeros(FOLDS)
    for part in np.argsort(-sizes, kind="stable").tolist():
        fold[part] = int(load.argmin())
        load[fold[part]] += sizes[part]
    return fold


# What is fitted

STORED = "bias"
"""Fit the bias alone; all other choices fit it too."""

PRIORS = "bias and priors"


class Fit(NamedTuple):
    """Log-odds of gaps without any bias, and how surprising their true classes are."""

    odds: Floats
    loss: Floats


class Learner(ABC):
    """What can be fitted in a detector; `choices` are ways to do it, the most careful one first.

    Gaps are numbered over all recordings, without the last one of each.
    """

    choices: Sequence[str] = (STORED,)

    odds: Floats
    """The log-odds of all gaps as they were, without the bias."""

    @abstractmethod
    def fits(self, known: Flags, wanted: Flags) -> dict[str, Fit]:
        """Fit each choice to the gaps that are `known`, and apply it to those `wanted`."""

    @abstractmethod
    def made(self, choice: str, bias: float) -> Detector:
        """Return the detector fitted to all gaps, with this bias."""


class BiasLearner(Learner):
    """Fits nothing but the bias of a detector that decides by log-odds."""

    def __init__(self, detector: Detector, talks: Sequence[Talk]) -> None:
        self.detector = detector
        plain = detector.adjusted(bias=0.0)
        # The first recording shows it, before the others take their time.
        found = plain.detect_all([talk.bare for talk in talks[:1]])
        if decides_by_log_odds(found):
            found += plain.detect_all([talk.bare for talk in talks[1:]])
        if not decides_by_log_odds(found):
            raise ModelError(
                f"{detector.name} does not decide by log-odds alone: it has no bias to fit",
                remedy="adapt another model, such as en or en-fast",
            )
        self.odds = np.concatenate([one.log_odds[:-1] for one in found if one.log_odds is not None])

    def fits(self, known: Flags, wanted: Flags) -> dict[str, Fit]:  # noqa: ARG002 - nothing to fit
        """Return the log-odds as they are."""
        return {STORED: Fit(self.odds[wanted], np.zeros(int(wanted.sum())))}

    def made(self, choice: str, bias: float) -> Detector:  # noqa: ARG002 - there is only one
        """Return the detector with another bias."""
        return self.detector.adjusted(bias=bias)


RIDGES = (3000.0, 1000.0, 300.0, 100.0, 30.0)
LAYERS = {f"bias and last layer (ridge {ridge:g})": ridge for ridge in RIDGES}
"""How strongly the last layer is held at the stored weights, from the strongest to the weakest."""

SEARCH = Search(steps=60, gain=1e-5)


class LayerLearner(Learner):
    """Fits the last layer of an encoder: what is added to the weights of all of its heads alike.

    Heads that see fewer words than those of whole recordings have get the same change.
    """

    choices = (STORED, PRIORS, *LAYERS)

    def __init__(self, encoder: Encoder, talks: Sequence[Talk]) -> None:
        self.encoder = encoder
        arrays, shape = encoder.model.transformer.arrays, encoder.model.transformer.shape
        heads = arrays["gap.weight"].reshape(shape.gap_heads, shape.gap_classes, shape.hidden)
        offsets = arrays["gap.bias"].reshape(shape.gap_heads, shape.gap_classes)
        vectors, head = self._vectors(talks)
        scores = np.einsum("gh,gch->gc", vectors, heads[head]) + offsets[head]
        self.scores = scores.astype(np.float64)
        lone = [encoder.lone_bias * without_times(talk.bare) for talk in talks]
        self.lone = np.repeat(lone, [len(talk.ends) for talk in talks])
        self.odds = _odds(self.scores) + self.lone
        self.mean = vectors.mean(axis=0)
        self.scale = max(float(np.sqrt(vectors.var(axis=0).mean())), 1e-9)
        self.rows = (vectors - self.mean) / self.scale
        self.wanted = wanted_classes(np.concatenate([t.target[:-1] for t in talks]), self.scores)

    def _vectors(self, talks: Sequence[Talk]) -> tuple[Any, Indices]:
        progress = Progress("words", sum(len(talk.bare) for talk in talks))
        found = []
        for talk in talks:
            vectors, heads = self.encoder.vectors(talk.bare, marked_words(talk.bare))
            found.append((vectors[:-1], heads[:-1]))
            progress.add(len(talk.bare))
        vectors, heads = (np.concatenate(columns) for columns in zip(*found, strict=True))
        return vectors, heads

    def fits(self, known: Flags, wanted: Flags) -> dict[str, Fit]:
        """Fit each strength, each from where the one before ended."""
        shifts = self._shifts(known)
        found = {STORED: self._fit(self.scores[wanted], wanted)}
        for choice, shift in shifts.items():
            rows = self.rows[wanted][:, : len(shift) - 1]
            scores = self.scores[wanted] + rows @ shift[:-1].astype(rows.dtype) + shift[-1]
            found[choice] = self._fit(scores, wanted)
        return found

    def _fit(self, scores: Floats, wanted: Flags) -> Fit:
        odds = _odds(scores) + self.lone[wanted]
        return Fit(odds, -(self.wanted[wanted] * log_softmax(scores)).sum(axis=1))

    def _shifts(self, known: Flags, last: str = "") -> dict[str, Floats]:
        """Fit the choices up to the `last`; the penalty is the same for more rows and for fewer."""
        rows, scores, wanted = self.rows[known], self.scores[known], self.wanted[known]
        shift = shift_layer(rows[:, :0], scores, wanted, 1.0, search=SEARCH)
        found = {PRIORS: shift}
        shift = np.vstack([np.zeros((rows.shape[1], shift.shape[1])), shift])
        for choice, ridge in LAYERS.items():
            if last in found:
                break
            shift = shift_layer(rows, scores, wanted, ridge, shift, SEARCH)
            found[choice] = shift
        return found

    def made(self, choice: str, bias: float) -> Detector:
        """Return the encoder with the new layer."""
        biased = self.encoder.adjusted(bias=bias)
        if choice == STORED:
            return biased
        shift = self._shifts(np.ones(len(self.rows), np.bool_), choice)[choice]
        arrays = dict(biased.state())
        change = shift[:-1].T / self.scale
        offset = shift[-1] - change @ self.mean[: change.shape[1]]
        heads = self.encoder.model.transformer.shape.gap_heads
        if change.size:
            arrays["gap.weight"] = _added(arrays["gap.weight"], np.tile(change, (heads, 1)))
        arrays["gap.bias"] = _added(arrays["gap.bias"], np.tile(offset, heads))
        return biased.from_state(arrays)


def _added(stored: Any, change: Floats) -> Any:
    return (stored + change).astype(np.float32)


def _odds(scores: Floats) -> Floats:
    """Return the log-odds of an end: of the classes from 2 on."""
    ends = np.logaddexp.reduce(scores[:, 2:], axis=1)
    found: Floats = ends - np.logaddexp.reduce(scores[:, :2], axis=1)
    return found


def wanted_classes(target: Indices, scores: Floats) -> Floats:
    """Return the probability that each class of a gap should have.

    Where a transcript does not tell the mark of an end, or where no transcript has any comma, the
    stored scores decide between the classes that are possible.
    """
    wanted = np.zeros(scores.shape)
    told = target >= 0
    wanted[told, target[told]] = 1
    unknown = [(~told, slice(2, None))]
    if not (target == 1).any():
        unknown.append((target == 0, slice(0, 2)))
    for gaps, classes in unknown:
        wanted[gaps, classes] = np.exp(log_softmax(scores[gaps, classes]))
    return wanted


def fitted_part(detector: Detector) -> tuple[Detector, Callable[[Detector], Detector]]:
    """Return the detector that has a bias, and what puts another into those around it."""
    if isinstance(detector, Model):
        return fitted_part(detector.stored.detector)
    if has_bias(detector):
        return detector, lambda made: made
    inner = detector.settings.get("detector")
    if isinstance(inner, Detector):
        found, put_back = fitted_part(inner)
        return found, lambda made: detector.adjusted(detector=put_back(made))
    raise ModelError(
        f"there is nothing to fit in {detector.name}: it has no bias",
        remedy="adapt a model that has one, such as en, or train one",
    )


def shift_around(part: Detector, detector: Detector) -> float:
    """Return what the detectors around a part add to its log-odds."""
    shift = 0.0
    while detector is not part:
        shift += getattr(detector, "shift", 0.0)
        inner: Any = detector.settings["detector"]
        detector = inner.stored.detector if isinstance(inner, Model) else inner
    return shift


# Cross-validation


class CrossValidation:
    """Chooses what to fit, and the bias, by gaps that were held out.

    To measure that, each fold is held out of the choice as well, which is then made by holding
    out the others in turn: fits without each fold, and without each pair of folds, are enough.
    """

    def __init__(self, learner: Learner, ends: Flags, fold: Indices) -> None:
        self.learner, self.ends, self.fold = learner, ends, fold
        self.folds = np.unique(fold).tolist()
        pairs = list(combinations(self.folds, 2))
        progress = Progress("fits", len(pairs) + len(self.folds))
        self._fits: dict[frozenset[int], dict[str, Fit]] = {}
        for out in [*pairs, *((one,) for one in self.folds)]:
            held = np.isin(fold, out)
            self._fits[frozenset(out)] = learner.fits(~held, held)
            progress.add(1)

    def _held_out(self, choice: str, fold: int, *others: int) -> Fit:
        """Return the fit to the gaps outside of these folds, applied to those of the first."""
        out = frozenset((fold, *others))
        found = self._fits[out][choice]
        own = self.fold[np.isin(self.fold, list(out))] == fold
        return Fit(found.odds[own], found.loss[own])

    def choose(self, *outer: int) -> tuple[str, float]:
        """Return the choice with the least loss and the best bias, without looking at `outer`."""
        folds = [one for one in self.folds if one not in outer]
        ends = np.concatenate([self.ends[self.fold == one] for one in folds])
        best, least, odds = "", inf, np.zeros(0)
        for choice in self.learner.choices:
            fits = [self._held_out(choice, one, *outer) for one in folds]
            loss = sum(float(fit.loss.sum()) for fit in fits)
            if loss < least:
                best, least, odds = choice, loss, np.concatenate([fit.odds for fit in fits])
        return best, 0.0 - best_threshold(odds, ends)

    @cached_property
    def log_odds(self) -> Floats:
        """The log-odds of each gap, with a choice, a fit and a bias that never saw its fold."""
        found = np.empty(len(self.ends))
        for one in self.folds:
            choice, bias = self.choose(one)
            found[self.fold == one] = self._held_out(choice, one).odds + bias
        return found

    @property
    def curve(self) -> list[dict[str, Any]]:
        """A row for each choice: its loss on gaps that were held out, for each of them."""
        rows = []
        for choice in self.learner.choices:
            fits = [self._held_out(choice, one) for one in self.folds]
            loss = sum(float(fit.loss.sum()) for fit in fits) / len(self.ends)
            rows.append({"fitted": choice, "log_loss": loss})
        return rows


# The comparison


@dataclass(frozen=True, repr=False)
class FoundF1(Boundary):
    """Boundary's F1, but 0 and not undefined for a system that finds no boundary."""

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return F1 by counts."""
        twice = 2 * counts["correct"]
        return {"f1": ratio(twice, twice + counts["missing"] + counts["spurious"], NO_REFERENCE)}


def compare_decisions(after: Flags, before: Flags, ends: Flags, unit: Indices) -> Difference:
    """Test the difference of two systems in F1, by units that are drawn or swapped together."""
    counts = [one for found in (after, before) for one in _unit_counts(found, ends, unit)]
    names, rows = count_rows(counts)
    metric, half = FoundF1(), len(rows) // 2
    paired = PairedUnits(metric, names, [rows[:half], rows[half:]], Resampling())
    values = [paired.values(system.sum(0))["f1"] for system in paired.systems]
    ours, theirs = (0.0 if isinstance(value, Undefined) else value for value in values)
    return paired.test(Difference(repr(Boundary()), "f1", 0, 1, ours - theirs))


def _unit_counts(found: Flags, ends: Flags, unit: Indices) -> list[Counts]:
    parts = {"correct_1": found & ends, "missing_1": ends & ~found, "spurious_1": found & ~ends}
    sums = {name: np.bincount(unit, flags).astype(int) for name, flags in parts.items()}
    rows = zip(*(each.tolist() for each in sums.values()), strict=True)
    return [Counts(**dict(zip(sums, row, strict=True))) for row in rows]


@dataclass(frozen=True)
class Adaptation:
    """A detector that was fitted to recordings, and whether that helped.

    `before` and `after` are precision, recall, F1 and slot error rate on the same gaps, `after`
    with each fold held out of all fitting; `p` is that of a paired test of F1. `fitted` names
    what was fitted, and `held_out` what the folds were made of. `written` says whether there is a
    model in the output folder.
    """

    detector: Detector
    before: Mapping[str, Value]
    after: Mapping[str, Value]
    p: float | None = None
    interval: Interval | None = None
    fitted: str = STORED
    held_out: str = ""
    written: bool = False

    @property
    def gain(self) -> float:
        """How much F1 rose."""
        before, after = (
            0.0 if isinstance(each["f1"], Undefined) else each["f1"]
            for each in (self.before, self.after)
        )
        return after - before

    @property
    def helped(self) -> bool:
        """Whether F1 rose, and hardly by chance."""
        return self.gain > 0 and self.p is not None and self.p < SIGNIFICANT

    def __str__(self) -> str:
        """Return the result in one sentence."""
        before, after = (_short(each["f1"]) for each in (self.before, self.after))
        chance = "" if self.p is None else f" (p = {_short(self.p)})"
        unsure = "it is not certain that it helped" if self.gain > 0 else "it did not help"
        said = "it helped" if self.helped else unsure
        text = f"{said}: F1 {before} -> {after}{chance}"
        if self.helped:
            return text
        left = "it was written all the same" if self.written else "the model was left as it is"
        return f"{text}; {left}"

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        return {
            "detector": repr(self.detector),
            "helped": self.helped,
            "before": {name: as_json(value) for name, value in self.before.items()},
            "after": {name: as_json(value) for name, value in self.after.items()},
            "p": self.p,
            "interval": None if self.interval is None else list(self.interval),
            "fitted": self.fitted,
            "held_out": self.held_out,
            "written": self.written,
        }


def _short(value: Value) -> str:
    """Write a rate as .712."""
    if isinstance(value, Undefined):
        return "–"
    return f"{value:.3f}".removeprefix("0") if value >= 0.001 else "<.001"


# The run


def adapt(
    model: str | Path,
    *,
    train: Inputs,
    output: str | Path,
    force: bool = False,
    name: str = "",
    about: str = "",
    format: str | Format | None = None,
    normalize: str | Sequence[str] = "none",
) -> Adaptation:
    """Fit a stored model to punctuated transcripts of your own, and say whether that helped.

    The bias is fitted, and in an `Encoder` the last layer, which is held near the stored weights
    as far as cross-validation finds best. Words are shown to the model in lower case and without
    marks, with the times and speakers that there are. Each recording is also held out of all
    fitting, to compare the boundaries before and after. If F1 does not rise for certain
    (p < .05), no model is written, unless `force` is set. `name` and `about` go on its card.
    """
    check_output_folder(output)
    stored = store.load(store.find_folder(model))
    part, put_back = fitted_part(stored.detector)
    steps = normalization_steps(normalize)
    data = DatasetReader(steps).read("train", *open_pooled(train, format))
    recordings = check_sentences([each for one in data for each in one.recordings], "train")
    if not recordings:
        raise LayerError("there are no recordings to adapt to", remedy="name some with --train")
    talks = [talk for talk in map(bare_talk, recordings) if len(talk.ends)]
    if len(talks) < len(recordings):
        logger.info("%d recordings of one word are left out", len(recordings) - len(talks))
    check_size(talks)
    check_evidence(part, [talk.bare for talk in talks])
    adaptation, card = _adapt(part, talks, shift_around(part, stored.detector))
    adaptation = replace(adaptation, detector=put_back(adaptation.detector))
    if adaptation.helped or force:
        whole = _card(stored, adaptation, data, replace(card, name=name, about=about))
        store.save(output, adaptation.detector, whole)
        adaptation = replace(adaptation, written=True)
    return adaptation


def _adapt(part: Detector, talks: Sequence[Talk], shift: float) -> tuple[Adaptation, Card]:
    """Fit the detector, and compare it with what it was; the card has scores and curve.

    `shift` is what a preference around it adds: the card is for the log-odds with it.
    """
    begun = time.monotonic()
    words = counted(sum(len(talk.bare) for talk in talks), "words")
    logger.info("running %s on %s", part.name, words)
    learner = LayerLearner(part, talks) if isinstance(part, Encoder) else BiasLearner(part, talks)
    ends = np.concatenate([talk.ends for talk in talks])
    grouping = group_gaps(talks)
    logger.info("holding out %s in %d folds", grouping.held_out, FOLDS)
    checked = CrossValidation(learner, ends, grouping.fold)
    choice, bias = checked.choose()
    before = learner.odds + part.settings["bias"] > 0
    after = checked.log_odds > 0
    tested = compare_decisions(after, before, ends, grouping.unit)
    adaptation = Adaptation(
        learner.made(choice, bias),
        boundary_rates(before, ends),
        boundary_rates(after, ends),
        tested.p_randomization,
        tested.interval,
        choice,
        grouping.held_out,
    )
    logger.info("fitted %s in %.1f s", choice, time.monotonic() - begun)
    calibration = measure_calibration(*_by_recording(checked.log_odds + shift, talks))
    return adaptation, Card(
        scores=_scores(adaptation, calibration),
        curve=tuple(checked.curve),
        reliability=tuple(calibration.rows()),
    )


def _by_recording(odds: Floats, talks: Sequence[Talk]) -> tuple[list[Floats], list[Flags]]:
    places = np.cumsum([len(talk.ends) for talk in talks])[:-1]
    return np.split(odds, places), [talk.ends for talk in talks]


def _scores(adaptation: Adaptation, calibration: Calibration) -> dict[str, Any]:
    before = {f"{name}_before": value for name, value in adaptation.before.items()}
    tested = {"p": adaptation.p}
    return {"goal": "f1", **adaptation.after, **before, **tested, **calibration.scores()}


def _card(stored: StoredModel, adaptation: Adaptation, data: Sequence[Dataset], card: Card) -> Card:
    """Return the card: of which model, to which recordings, with which result."""
    old = stored.card
    checksum = old.checksum[:CHECKSUM_DIGITS]
    origin = f"Adapted from the model {old.name} ({checksum})."
    notes = (
        f"Fitted: {adaptation.fitted}. Scores are cross-validated: {adaptation.held_out} were held "
        f"out in {FOLDS} folds of all fitting; those of the model before end in _before.",
        adaptation.detector.describe(),
    )
    return replace(
        card,
        about=f"{(card.about or old.about).rstrip('.')}. {origin}".removeprefix(". "),
        language=old.language,
        licence=old.licence,
        notes=" ".join(filter(None, notes)),
        data=(*old.data, *(replace(one, purpose="adapt").summary() for one in data)),
    )
