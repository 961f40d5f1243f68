"""Systems are tuned on some recordings and scored on others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from caesura.evaluation.comparison import Difference
from caesura.evaluation.scores import Scores
from caesura.training.search import GOALS, Goal
from caesura_studies.gotohrenals.corpora import Corpora
from caesura_studies.gotohrenals.scoring import Source, compare_pairs, join_scores
from caesura_studies.gotohrenals.systems import (
    FACTORS,
    MAIN,
    OTHER_FACTORISATION,
    PAPER,
    THRESHOLDS,
    WEIGHTS,
    Candidate,
    Choice,
    Decision,
    Kind,
    Models,
    Run,
    System,
    tune,
)

METHODS: tuple[Kind, ...] = ("A", "B")
FACTORISED_KINDS: tuple[Kind, ...] = ("lm", "A")
"""The systems with which the two factorisations are compared."""

Fold = tuple[Run, Run]
"""The run for tuning settings, and the run for scoring them."""


@dataclass(frozen=True)
class Result:
    """The scores of a system tuned for a goal, and the settings chosen in each fold."""

    scores: Scores
    choices: tuple[Choice, ...]


Tests = Mapping[tuple[str, str, str], Difference]
Results = Mapping[tuple[System, Goal], Result]


@dataclass(frozen=True)
class Trial:
    """All scores on one source.

    `own` has the systems whose pause model learnt from the recogniser's own words. Curves are
    over weights, by way of combining and of deciding, and over pause thresholds.
    """

    source: Source
    results: Results
    own: Results
    tests: Mapping[Decision, Tests]
    factors: Mapping[Kind, Tests]
    weights: Mapping[tuple[Kind, Decision], Mapping[float, Scores]]
    thresholds: Mapping[float, Scores]

    def scores(self, kind: Kind, decision: Decision, goal: Goal = "f1") -> Scores:
        """Return the scores of a system of the paper."""
        system = next(each for each in MAIN[decision] if each.kind == kind)
        return self.results[system, goal].scores


def run_trial(source: Source, folds: Sequence[Fold], own: Sequence[Fold]) -> Trial:
    """Tune and score all systems on one source."""
    systems = dict.fromkeys((*MAIN["direct"], *MAIN["tuned"], *OTHER_FACTORISATION))
    results = {(s, goal): _tune_and_score(folds, s, goal) for s in systems for goal in GOALS}
    combined = [
        each
        for each in systems
        if each.kind in ("pause", *METHODS) and each not in OTHER_FACTORISATION
    ]
    return Trial(
        source,
        results,
        {(s, goal): _tune_and_score(own, s, goal) for s in combined for goal in GOALS}
        if own
        else {},
        {decision: _compare_systems(results, MAIN[decision]) for decision in MAIN},
        {kind: _compare_systems(results, _both_factorisations(kind)) for kind in FACTORISED_KINDS},
        {
            (method, decision): {
                weight: _scores_at(folds, method, decision, weight) for weight in WEIGHTS
            }
            for method in METHODS
            for decision in MAIN
        },
        {each: _scores_at(folds, "threshold", "direct", each) for each in THRESHOLDS},
    )


def _tune_and_score(folds: Sequence[Fold], system: System, goal: Goal) -> Result:
    choices = tuple(tune(tuning, system, goal) for tuning, _ in folds)
    pairs = zip(folds, choices, strict=True)
    return Result(join_scores([run.scores(choice) for (_, run), choice in pairs]), choices)


def _both_factorisations(kind: Kind) -> list[System]:
    """Return a system with either factorisation."""
    return [System(kind, "tuned", factors) for factors in FACTORS]


def _compare_systems(results: Results, systems: Sequence[System]) -> Tests:
    """Compare systems pairwise: in F1 if tuned for it, in SER if tuned for that."""
    found: dict[tuple[str, str, str], Difference] = {}
    for goal in GOALS:
        found |= compare_pairs({each.title: results[each, goal].scores for each in systems}, [goal])
    return found


def _scores_at(folds: Sequence[Fold], kind: Kind, decision: Decision, setting: float) -> Scores:
    """Score one setting; the threshold on log-odds is still tuned on other recordings."""
    system, candidate = System(kind, decision), Candidate(kind, PAPER, setting)
    return join_scores(
        [run.scores(tune(tuning, system, "f1", [candidate])) for tuning, run in folds]
    )


def on_references(corpora: Corpora) -> Trial:
    """Score on the development calls; settings are tuned on held-out training calls."""
    tuning = Run(
        Models.of(corpora.for_tuning, corpora.training),
        Source.of_references("tuning calls", corpora.tuning),
    )
    source = Source.of_references("references", corpora.dev)
    run = Run(Models.of(corpora.for_references, corpora.timed), source)
    return run_trial(source, [(tuning, run)], ())


def on_recognised(source: Source, models: Models) -> Trial:
    """Score on recognised words: settings for each half of the calls come from the other half."""
    halves = [Run(models, source.half(first)) for first in (0, 1)]
    return run_trial(
        source, [(halves[0], halves[1]), (halves[1], halves[0])], list(_own_pause_folds(halves))
    )


def _own_pause_folds(halves: Sequence[Run]) -> Iterator[Fold]:
    """Train the pause model on the recogniser's own words, on one half for the other."""
    for here, there in (halves, halves[::-1]):
        models = here.models.with_pauses_from(here.source.recordings)
        yield Run(models, here.source), Run(models, there.source)
