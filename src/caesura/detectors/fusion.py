"""The detector `Fusion`: the weighted sum of the log-odds of several detectors.

Its weights are those of a logistic regression, fitted by Newton's method (`fit_logistic`).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Strings
from caesura.core.errors import LayerError, ModelError
from caesura.core.protocols import BatchDetector, Detector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import WITHIN

STEPS = 100
HALVINGS = 30
CLOSE = 1e-12
"""The search ends when a step can reduce the loss by no more than this share."""


def fit_logistic(rows: Floats, positive: NDArray[np.bool_], ridge: float = 1.0) -> Floats:
    """Return the intercept and the weight of each column that minimise the loss.

    The loss is the negative log-likelihood plus ridge / 2 times the sum of squared weights; the
    intercept has no penalty. There is one minimum, even where a column separates the two kinds
    of rows, as long as `ridge` is above 0 and there are rows of both kinds.
    """
    if ridge <= 0:
        raise ValueError(f"ridge is a number above 0, not {ridge!r}")
    if positive.all() or not positive.any():
        raise ValueError("there are rows of one kind only")
    design = np.vstack([np.ones(len(rows)), rows.T])
    penalty = np.full(len(design), ridge)
    penalty[0] = 0.0
    weights = np.zeros(len(design))
    loss = _loss(design, positive, penalty, weights)
    for _ in range(STEPS):
        gradient, curvature = _derivatives(design, positive, penalty, weights)
        step = np.asarray(np.linalg.solve(curvature, gradient), np.float64)
        if gradient @ step <= CLOSE * loss:
            break
        found = _line_search(design, positive, penalty, weights, step, loss)
        if found is None:
            break
        weights, loss = found
    return weights


def _loss(design: Floats, positive: NDArray[np.bool_], penalty: Floats, weights: Floats) -> float:
    log_odds = weights @ design
    surprise = np.logaddexp(0.0, np.where(positive, -log_odds, log_odds))
    return float(surprise.sum() + penalty @ weights**2 / 2)


def _derivatives(
    design: Floats, positive: NDArray[np.bool_], penalty: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Return the first and second derivatives of the loss."""
    # The hyperbolic tangent never overflows, as the exponential would.
    probability = 0.5 + 0.5 * np.tanh(weights @ design / 2)
    gradient = design @ (probability - positive) + penalty * weights
    curvature = (design * (probability * (1 - probability))) @ design.T + np.diag(penalty)
    # Where every row is certain the intercept has no curvature left to divide by.
    curvature[np.diag_indices_from(curvature)] += 1e-12 * len(positive)
    return gradient, curvature


def _line_search(
    design: Floats,
    positive: NDArray[np.bool_],
    penalty: Floats,
    weights: Floats,
    step: Floats,
    loss: float,
) -> tuple[Floats, float] | None:
    """Take the step, or its half, quarter … : the first that reduces the loss."""
    for _ in range(HALVINGS):
        moved = weights - step
        lower = _loss(design, positive, penalty, moved)
        if lower < loss:
            return moved, lower
        step = step / 2
    return None


logger = logging.getLogger("caesura")

CERTAIN = 100.0
"""Log-odds are clipped to this, so that no infinite value enters the sum."""


@dataclass(frozen=True, repr=False)
class Fusion(BatchDetector, TrainableDetector[Floats]):
    """The sum of the log-odds of several detectors, each times its weight, plus `bias`.

    Without `weights`, training estimates them and a constant on the dev set by logistic
    regression with the penalty `ridge`. Untrained, each weight is 1. A detector that lacks what
    it needs, such as a column of evidence, counts as 0 in that recording.
    """

    detectors: tuple[Detector, ...]
    weights: tuple[float, ...] = ()
    bias: float = 0.0
    ridge: float = 1.0

    name = "Fusion"
    retrain_settings: ClassVar[frozenset[str]] = frozenset({"detectors", "ridge"})

    def __post_init__(self) -> None:
        several = isinstance(self.detectors, (tuple, list)) and len(self.detectors) > 0
        if not several or not all(isinstance(inner, Detector) for inner in self.detectors):
            raise ValueError(f"detectors is a tuple of detectors, not {self.detectors!r}")
        if not isinstance(self.weights, (tuple, list)) or not all(map(_is_number, self.weights)):
            raise ValueError(f"weights is a tuple of numbers, not {self.weights!r}")
        if len(self.weights) not in (0, len(self.detectors)):
            raise ValueError(
                f"there are {len(self.weights)} weights for {len(self.detectors)} detectors"
            )
        if not _is_number(self.bias):
            raise ValueError(f"bias is a number, not {self.bias!r}")
        if not _is_number(self.ridge) or self.ridge <= 0:
            raise ValueError(f"ridge is a number above 0, not {self.ridge!r}")
        object.__setattr__(self, "detectors", tuple(self.detectors))
        object.__setattr__(self, "weights", tuple(map(float, self.weights)))

    @property
    def terms(self) -> tuple[float, tuple[float, ...]]:
        """The constant and the weights in use: given, trained, or 0 and 1 each."""
        if self.weights:
            return self.bias, self.weights
        state = np.ones(len(self.detectors) + 1) if self._model is None else self._model
        constant = 0.0 if self._model is None else float(state[0])
        return self.bias + constant, tuple(state[1:].tolist())

    @property
    def reach(self) -> int:
        """How many words after a gap the detectors look at in a stream."""
        from caesura.detectors.decision_stream import reach_of

        return max(reach_of(inner)[0] for inner in self.detectors)

    @property
    def behind(self) -> int:
        """How many words before a gap they look at in a stream."""
        from caesura.detectors.decision_stream import reach_of

        return max(reach_of(inner)[1] for inner in self.detectors)

    def language(self, transcript: Transcript) -> str:
        """Return the language of the recording; if it does not say, what a detector knows."""
        known = (inner.language(transcript) for inner in self.detectors)
        return transcript.language or next(filter(None, known), "")

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment many recordings: a boundary wherever the weighted sum of log-odds is above 0.

        Each detector gets all recordings at once. The label of a gap is the first detector's that
        agrees with the decision, and words are written as the first detector says that knows.
        """
        found = [_detect_all(inner, transcripts) for inner in self.detectors]
        return [self._combine(parts) for parts in zip(*found, strict=True)]

    def detect_unfinished(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment words after which more will come, from what the detectors say of such words."""
        found = [_detect_all(inner, transcripts, goes_on=True) for inner in self.detectors]
        return [self._combine(parts) for parts in zip(*found, strict=True)]

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Fusion:
        """Train the detectors; then estimate the weights on `dev`, unless they are given."""
        inner = tuple(detector.train(train, dev, text) for detector in self.detectors)
        made = replace(self, detectors=inner)
        if self.weights or not (train or dev):
            return made
        if not dev:
            logger.warning(
                "the weights of %s are estimated on the recordings that its detectors were trained "
                "on, where they look better than they are; name others as the dev set",
                self.name,
            )
        return made.with_model(made._fit_weights(dev or train))

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the weights, the constant first, and the state of each detector by its number."""
        arrays: dict[str, NDArray[Any]] = {}
        if self._model is not None:
            arrays["weights"] = self._model
        for number, inner in enumerate(self.detectors):
            arrays.update({f"{number}.{name}": array for name, array in inner.state().items()})
        return arrays

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Fusion:
        """Return this detector with stored weights and stored states of its detectors."""
        parts: list[dict[str, NDArray[Any]]] = [{} for _ in self.detectors]
        for name, array in state.items():
            number, dot, inner = name.partition(".")
            if dot and number in map(str, range(len(parts))):
                parts[int(number)][inner] = array
            elif name != "weights":
                raise ModelError(f"{self.name} does not know the array {name!r}")
        pairs = zip(self.detectors, parts, strict=True)
        made = replace(self, detectors=tuple(one.from_state(part) for one, part in pairs))
        weights = state.get("weights")
        if weights is None:
            return made
        if weights.shape != (len(parts) + 1,) or not np.isfinite(weights).all():
            raise ModelError(f"the weights are not {len(parts) + 1} numbers")
        return made.with_model(np.array(weights, np.float64))

    def describe(self) -> str:
        """Return a sentence with the trained weights."""
        if self.weights or self._model is None:
            return ""
        constant, weights = self.terms
        pairs = zip(weights, self.detectors, strict=True)
        each = ", ".join(f"{weight:.3f} for {inner.name}" for weight, inner in pairs)
        return f"Trained weights: {each}; constant {constant:.3f} with the bias."

    def lacks(self, transcript: Transcript) -> str:
        """Return what all detectors lack; '' if one of them lacks nothing."""
        lacking = [inner.lacks(transcript) for inner in self.detectors]
        return "; ".join(dict.fromkeys(lacking)) if all(lacking) else ""

    def coverage(self, transcript: Transcript) -> float:
        """Return the lowest coverage of the detectors."""
        return min(inner.coverage(transcript) for inner in self.detectors)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that decides each gap when the words that are looked at have arrived."""
        from caesura.detectors.window_stream import WindowStream

        return WindowStream(self, ahead=self.reach, behind=self.behind, state=state)

    def _combine(self, found: Sequence[Segmentation]) -> Segmentation:
        log_odds = self._sum([_clipped_log_odds(one) for one in found])
        labels = [one.label for one in found if one.label is not None]
        decided = Segmentation(log_odds > 0, None, log_odds)
        label = _choose_labels(labels, decided.boundary) if labels else None
        written = next((one.written for one in found if one.written is not None), None)
        return replace(decided, label=label, written=written)

    def _sum(self, evidence: Sequence[Floats]) -> Floats:
        # One column after another, and not a product of matrices: a gap must get the same number
        # to the last bit whatever stands around it.
        constant, weights = self.terms
        total = np.full(len(evidence[0]), float(constant))
        for weight, column in zip(weights, evidence, strict=True):
            total += weight * column
        return total

    def _fit_weights(self, recordings: Sequence[Transcript]) -> Floats:
        """Estimate the constant and the weights on recordings whose sentences are known."""
        known = [one for one in recordings if one.sentences is not None and len(one)]
        if not known:
            raise LayerError(
                f"the weights of {self.name} are estimated on sentences; there are none"
            )
        for inner in self.detectors:
            lacking = {inner.lacks(one) for one in known}
            if "" not in lacking:
                raise LayerError(
                    f"{inner!r} lacks what it needs in all of {len(known)} recordings: "
                    + "; ".join(sorted(lacking)[:3])
                )
        # The last gap of a recording is always a boundary, so it is no training example.
        evidence = _evidence(self.detectors, known)
        rows = np.concatenate([np.column_stack(columns)[:-1] for columns in evidence])
        ends = np.concatenate([one.sentences.boundary[:-1] for one in known if one.sentences])
        if ends.all() or not ends.any():
            raise ModelError(
                f"the weights of {self.name} cannot be estimated where {ends.sum()} of {len(ends)} "
                "gaps are boundaries",
                remedy="name more recordings for the dev set",
            )
        return fit_logistic(rows, ends, self.ridge)


def _choose_labels(labels: Sequence[Strings], is_end: Flags) -> Strings:
    """Return for each gap the first label that ends a sentence where `is_end`, or does not."""
    gaps = zip(zip(*labels, strict=True), is_end.tolist(), strict=True)
    return tuple(
        next((label for label in given if label and (label not in WITHIN) == end), "")
        for given, end in gaps
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and type(value) is not bool and bool(np.isfinite(value))


def _evidence(
    detectors: Sequence[Detector], transcripts: Sequence[Transcript]
) -> list[list[Floats]]:
    """Return for each recording a column of log-odds from each detector."""
    found = [map(_clipped_log_odds, _detect_all(inner, transcripts)) for inner in detectors]
    return [list(columns) for columns in zip(*found, strict=True)]


def _detect_all(
    detector: Detector, transcripts: Sequence[Transcript], goes_on: bool = False
) -> list[Segmentation]:
    """Run a detector on all recordings; one by one if some lack what it needs."""
    detect = detector.detect_unfinished if goes_on else detector.detect_all
    try:
        return detect(transcripts)
    except LayerError:
        return [_detect_or_skip(detector, each, goes_on) for each in transcripts]


def _detect_or_skip(detector: Detector, transcript: Transcript, goes_on: bool) -> Segmentation:
    try:
        return _detect_one(detector, transcript, goes_on)
    except LayerError as error:
        if not detector.lacks(transcript):
            raise
        logger.warning("%s; the other detectors decide without it", error)
        return Segmentation(np.zeros(len(transcript), np.bool_))


def _detect_one(detector: Detector, transcript: Transcript, goes_on: bool) -> Segmentation:
    return detector.detect_unfinished([transcript])[0] if goes_on else detector.detect(transcript)


def _clipped_log_odds(found: Segmentation) -> Floats:
    """Return log-odds that can be added: 0 where unknown, at most `CERTAIN`."""
    if found.log_odds is None:
        return np.zeros(len(found))
    return np.clip(np.nan_to_num(found.log_odds, nan=0.0), -CERTAIN, CERTAIN)
