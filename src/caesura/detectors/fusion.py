"""Several detectors as one: the weighted sum of what each says of a gap."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Strings
from caesura.core.errors import LayerError, ModelError
from caesura.core.protocols import Detector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import WITHIN
from caesura.detectors.window_stream import WindowStream
from caesura.ml import logistic

logger = logging.getLogger("caesura")

CERTAIN = 100.0
"""Log-odds beyond which evidence is not told apart, so that nothing endless enters the sum."""

REACH = 30
"""Words that a stream waits for detectors that do not say how far they look."""


@dataclass(frozen=True, repr=False)
class Fusion(TrainableDetector[Floats]):
    """Log-odds are `bias` plus the sum of what each detector says, times its weight.

    Without `weights` training learns them, and a constant, from recordings kept for development;
    `ridge` holds them back where there are few. Untrained, each weight is 1. A detector that lacks
    what it needs, such as a column of evidence, says nothing of that recording (0).
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
        if not isinstance(self.weights, (tuple, list)) or not all(map(_number, self.weights)):
            raise ValueError(f"weights is a tuple of numbers, not {self.weights!r}")
        if len(self.weights) not in (0, len(self.detectors)):
            raise ValueError(
                f"there are {len(self.weights)} weights for {len(self.detectors)} detectors"
            )
        if not _number(self.bias):
            raise ValueError(f"bias is a number, not {self.bias!r}")
        if not _number(self.ridge) or self.ridge <= 0:
            raise ValueError(f"ridge is a number above 0, not {self.ridge!r}")
        object.__setattr__(self, "detectors", tuple(self.detectors))
        object.__setattr__(self, "weights", tuple(map(float, self.weights)))

    @property
    def terms(self) -> tuple[float, tuple[float, ...]]:
        """The constant and the weights in use: given, learnt, or 0 and 1 each."""
        if self.weights:
            return self.bias, self.weights
        state = np.ones(len(self.detectors) + 1) if self._model is None else self._model
        constant = 0.0 if self._model is None else float(state[0])
        return self.bias + constant, tuple(state[1:].tolist())

    @property
    def reach(self) -> int:
        """How many words after a gap can bear on it, as far as the detectors say."""
        return max(int(getattr(inner, "reach", REACH)) for inner in self.detectors)

    @property
    def behind(self) -> int:
        """How many words before a gap can bear on it; as many as after it if nobody says more."""
        return max(int(getattr(inner, "behind", self.reach)) for inner in self.detectors)

    def log_odds(self, transcript: Transcript) -> Floats:
        """Add up what the detectors say."""
        return self._sum(_evidence(self.detectors, [transcript])[0])

    def label(self, transcript: Transcript) -> Strings | None:
        """Give each gap the first label that any detector has for it and that fits the decision."""
        return self.detect(transcript).label

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide: a boundary wherever the sum speaks for one."""
        return self.detect_all([transcript])[0]

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Ask each detector about all recordings at once, and decide by the sums."""
        said = [_said(inner, transcripts) for inner in self.detectors]
        return [self._decided(found) for found in zip(*said, strict=True)]

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Fusion:
        """Train the detectors; then learn the weights on `dev`, unless they are given."""
        inner = tuple(detector.train(train, dev, text) for detector in self.detectors)
        made = replace(self, detectors=inner)
        if self.weights or not (train or dev):
            return made
        if not dev:
            logger.warning(
                "the weights of %s are learnt from the recordings that its detectors were trained "
                "on, where they look better than they are; name others for development",
                self.name,
            )
        return made.with_model(made._weighed(dev or train))

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Give the weights, the constant first, and under its number what each detector learnt."""
        arrays: dict[str, NDArray[Any]] = {}
        if self._model is not None:
            arrays["weights"] = self._model
        for number, inner in enumerate(self.detectors):
            arrays.update({f"{number}.{name}": array for name, array in inner.state().items()})
        return arrays

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Fusion:
        """Hand each detector what it learnt, and take the weights."""
        parts: list[dict[str, NDArray[Any]]] = [{} for _ in self.detectors]
        for name, array in state.items():
            number, dot, inner = name.partition(".")
            if dot and number in map(str, range(len(parts))):
                parts[int(number)][inner] = array
            elif name != "weights":
                raise ModelError(f"{self.name} has no place for what is called {name!r}")
        pairs = zip(self.detectors, parts, strict=True)
        made = replace(self, detectors=tuple(one.from_state(part) for one, part in pairs))
        weights = state.get("weights")
        if weights is None:
            return made
        if weights.shape != (len(parts) + 1,) or not np.isfinite(weights).all():
            raise ModelError(f"the weights are not {len(parts) + 1} numbers")
        return made.with_model(np.array(weights, np.float64))

    def describe(self) -> str:
        """Say which weights were learnt."""
        if self.weights or self._model is None:
            return ""
        constant, weights = self.terms
        pairs = zip(weights, self.detectors, strict=True)
        each = ", ".join(f"{weight:.3f} for {inner.name}" for weight, inner in pairs)
        return f"Learnt weights: {each}; constant {constant:.3f} with the bias."

    def lacks(self, transcript: Transcript) -> str:
        """Say what all detectors lack; one that has something to go by is enough."""
        lacking = [inner.lacks(transcript) for inner in self.detectors]
        return "; ".join(dict.fromkeys(lacking)) if all(lacking) else ""

    def coverage(self, transcript: Transcript) -> float:
        """Give the share of the words known to the detector that knows the fewest."""
        return min(inner.coverage(transcript) for inner in self.detectors)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Decide each gap as soon as the words are there that any detector looks at."""
        return WindowStream(self, ahead=self.reach, behind=self.behind, state=state)

    def _decided(self, found: Sequence[Segmentation]) -> Segmentation:
        log_odds = self._sum([_guarded(one) for one in found])
        labels = [one.label for one in found if one.label is not None]
        decided = Segmentation(log_odds > 0, None, log_odds)
        return replace(decided, label=_fitting(labels, decided.boundary) if labels else None)

    def _sum(self, evidence: Sequence[Floats]) -> Floats:
        # One column after another, and not a product of matrices: a gap must get the same number
        # to the last bit whatever stands around it.
        constant, weights = self.terms
        total = np.full(len(evidence[0]), float(constant))
        for weight, column in zip(weights, evidence, strict=True):
            total += weight * column
        return total

    def _weighed(self, recordings: Sequence[Transcript]) -> Floats:
        """Learn the constant and the weights from recordings whose sentences are known."""
        known = [one for one in recordings if one.sentences is not None and len(one)]
        if not known:
            raise LayerError(
                f"the weights of {self.name} are learnt from sentences; there are none"
            )
        for inner in self.detectors:
            lacking = {inner.lacks(one) for one in known}
            if "" not in lacking:
                raise LayerError(
                    f"{inner!r} has nothing to say of any of {len(known)} recordings: "
                    + "; ".join(sorted(lacking)[:3])
                )
        # The last gap of a recording is a boundary whatever the evidence: nothing to learn from.
        evidence = _evidence(self.detectors, known)
        rows = np.concatenate([np.column_stack(columns)[:-1] for columns in evidence])
        ends = np.concatenate([one.sentences.boundary[:-1] for one in known if one.sentences])
        if ends.all() or not ends.any():
            raise ModelError(
                f"the weights of {self.name} cannot be learnt where {ends.sum()} of {len(ends)} "
                "gaps are boundaries",
                remedy="name more recordings for development",
            )
        return logistic.fit(rows, ends, self.ridge)


def _fitting(labels: Sequence[Strings], is_end: Flags) -> Strings:
    """Of what detectors call each gap, take the first that ends a sentence, or that does not."""
    gaps = zip(zip(*labels, strict=True), is_end.tolist(), strict=True)
    return tuple(
        next((label for label in given if label and (label not in WITHIN) == end), "")
        for given, end in gaps
    )


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and type(value) is not bool and bool(np.isfinite(value))


def _evidence(
    detectors: Sequence[Detector], transcripts: Sequence[Transcript]
) -> list[list[Floats]]:
    """Give for each recording a column from each detector."""
    said = [map(_guarded, _said(inner, transcripts)) for inner in detectors]
    return [list(columns) for columns in zip(*said, strict=True)]


def _said(detector: Detector, transcripts: Sequence[Transcript]) -> list[Segmentation]:
    """Ask one detector about all recordings, and one by one if it lacks something in some."""
    try:
        return detector.detect_all(transcripts)
    except LayerError:
        return [_said_of(detector, transcript) for transcript in transcripts]


def _said_of(detector: Detector, transcript: Transcript) -> Segmentation:
    try:
        return detector.detect(transcript)
    except LayerError as error:
        if not detector.lacks(transcript):
            raise
        logger.warning("%s; the other detectors decide without it", error)
        return Segmentation(np.zeros(len(transcript), np.bool_))


def _guarded(found: Segmentation) -> Floats:
    """Give evidence that can be added: unknown is 0, certain is a large number."""
    if found.log_odds is None:
        return np.zeros(len(found))
    return np.clip(np.nan_to_num(found.log_odds, nan=0.0), -CERTAIN, CERTAIN)
