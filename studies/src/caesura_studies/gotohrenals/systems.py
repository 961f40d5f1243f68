"""The paper's systems: how each is made from models, and how its settings are tuned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal

from caesura.core.protocols import Detector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.lm import LM, Combination, LanguageModel
from caesura.detectors.pause import Pause, PauseModel
from caesura.evaluation.scores import Scores
from caesura.training.search import Goal, best_threshold
from caesura_studies.claims import GOALS, value
from caesura_studies.gotohrenals.scoring import Source, pooled_log_odds

PAPER, OTHER = "class", "word"
FACTORS = {PAPER: "equation 4", OTHER: "the other factorisation"}
"""Whether the class of a word is predicted before the word, as in the paper, or after it."""

WEIGHTS = (0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0, 10.0, 20.0)
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 41))
"""Seconds."""

Kind = Literal["lm", "threshold", "pause", "A", "B"]
Decision = Literal["direct", "tuned"]


def make_lm(factors: str = PAPER, order: int = 3, smoothing: str = "interpolation") -> LM:
    """Make the paper's language model, with plain Witten-Bell weights."""
    return LM(order, factors, smoothing, strength=(1.0, 1.0), decision="viterbi")


def make_pause_model() -> PauseModel:
    """Make the paper's pause model, which uses durations only."""
    return PauseModel(evidence=("pause",))


@dataclass(frozen=True, eq=False)
class Models:
    """Trained models: a language model of each factorisation, and a pause model."""

    lms: Mapping[str, LM]
    pause: PauseModel

    @classmethod
    def of(cls, texts: Sequence[Transcript], timed: Sequence[Transcript]) -> Models:
        """Train language models on texts, and the pause model on calls with times."""
        trained = make_lm().train(texts)
        counts = trained.model.vocabulary, trained.model.counts
        # Each has its own tables, which take longer to make than to use.
        lms = {
            factors: trained.adjusted(factors=factors).with_model(LanguageModel(*counts))
            for factors in FACTORS
        }
        return cls(lms, make_pause_model().train(timed))

    def with_pauses_from(self, timed: Sequence[Transcript]) -> Models:
        """Return the same models with a pause model trained on other recordings."""
        return replace(self, pause=make_pause_model().train(timed))


@dataclass(frozen=True)
class Candidate:
    """A system with one setting: a weight, a threshold, or none (0)."""

    kind: Kind
    factors: str = PAPER
    setting: float = 0.0

    def detector(self, models: Models) -> Detector:
        """Make the detector from trained models."""
        if self.kind == "threshold":
            return Pause(self.setting, evidence=("pause",))
        if self.kind == "pause":
            return models.pause
        lm = models.lms[self.factors]
        if self.kind == "lm":
            return lm
        return Combination(lm, models.pause, self.kind, self.setting, decision="viterbi")


def candidates(kind: Kind, factors: str = PAPER) -> list[Candidate]:
    """Return a system with all its settings."""
    if kind == "threshold":
        return [Candidate(kind, setting=each) for each in THRESHOLDS]
    if kind in ("A", "B"):
        return [Candidate(kind, factors, weight) for weight in WEIGHTS]
    return [Candidate(kind, factors)]


@dataclass(frozen=True)
class System:
    """A row of the table: which system, and whether it decides directly or by a tuned threshold.

    To decide directly is to take the best sequence (Viterbi), or for the pause model what is
    likelier than not.
    """

    kind: Kind
    decision: Decision
    factors: str = PAPER

    @property
    def title(self) -> str:
        """The name in tables."""
        names = {
            "lm": "language model",
            "threshold": "pause threshold",
            "pause": "pause model",
            "A": "A",
            "B": "B",
        }
        other = ", other factorisation" if self.factors == OTHER else ""
        return names[self.kind] + other


THRESHOLD = System("threshold", "direct")
MAIN: Mapping[Decision, tuple[System, ...]] = {
    decision: (
        System("lm", decision),
        THRESHOLD,
        System("pause", decision),
        System("A", decision),
        System("B", decision),
    )
    for decision in ("direct", "tuned")
}
"""The systems of the paper."""

KINDS: tuple[Kind, ...] = ("lm", "A", "B")
OTHER_FACTORISATION = tuple(
    System(kind, decision, OTHER) for decision, kind in product(MAIN, KINDS)
)
"""The same systems with the other factorisation."""


@dataclass(frozen=True, eq=False)
class Run:
    """Models applied to recordings; their output is cached."""

    models: Models
    source: Source
    cache: dict[Candidate, list[Segmentation]] = field(default_factory=dict)

    def detect(self, candidate: Candidate) -> list[Segmentation]:
        """Return the boundaries and log-odds that a candidate finds."""
        if candidate not in self.cache:
            detector = candidate.detector(self.models)
            self.cache[candidate] = detector.detect_all(self.source.recordings)
        return self.cache[candidate]

    def scores(self, choice: Choice) -> Scores:
        """Score a system with the chosen setting."""
        detect = self.detect(choice.candidate)
        if choice.threshold is not None:
            detect = [apply_threshold(each, choice.threshold) for each in detect]
        return self.source.scores(detect)


def apply_threshold(detect: Segmentation, threshold: float) -> Segmentation:
    """Decide again with another threshold on the log-odds."""
    assert detect.log_odds is not None
    return replace(detect, boundary=detect.log_odds > threshold)


@dataclass(frozen=True)
class Choice:
    """A setting, and the threshold on log-odds unless the system decides directly."""

    candidate: Candidate
    threshold: float | None = None


def tune(run: Run, system: System, goal: Goal, settings: Sequence[Candidate] = ()) -> Choice:
    """Choose the setting, and the threshold if there is one, that are best for a goal."""
    choices = []
    for candidate in settings or candidates(system.kind, system.factors):
        threshold = None
        if system.decision == "tuned":
            threshold = best_threshold(
                pooled_log_odds(run.detect(candidate)), run.source.ends, goal
            )
        choices.append(Choice(candidate, threshold))
    if len(choices) == 1:
        return choices[0]
    return max(choices, key=lambda choice: _goodness(run.scores(choice), goal))


def _goodness(scores: Scores, goal: Goal) -> float:
    detect = value(scores, goal)
    return GOALS[goal] * detect if isinstance(detect, (int, float)) else float("-inf")
