"""The chapter that compares all systems, on references and on each recogniser's words (table 5)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from caesura.evaluation.reports.figures import COLOURS, MARKERS
from caesura.training.search import Goal
from caesura_studies.claims import value, value_with_interval
from caesura_studies.gotohrenals import paper
from caesura_studies.gotohrenals.chapter_weights import DECIDED
from caesura_studies.gotohrenals.experiment import Result, Results, Trial
from caesura_studies.gotohrenals.scoring import MEASURES, scores_as_json, tests_table
from caesura_studies.gotohrenals.systems import MAIN, OTHER_FACTORISATION, System
from caesura_studies.report import (
    Part,
    Picture,
    format_value,
    legend_below,
    make_table,
    plot_value,
    split_into_panels,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "All systems (table 5)"
HEAD = ("system", "decided by", "setting", *MEASURES.values(), "SER, tuned for it", "paper")
INTRODUCTION = (
    "Settings (pause thresholds, the weight μ, thresholds on log-odds) are never tuned on the "
    "calls they are reported on. For the references they come from held-out training calls; then "
    "the models are trained on these too, and scored on the development calls. For recognised "
    "words, language models and pause models come from earnings22 and rev16 alone; settings come "
    "from one half of the earnings21 calls (each second one) and are measured on the other half, "
    "and the other way round, so that all calls are reported. The rows *own pauses* have a pause "
    "model trained on the recogniser's words in the tuning half, as in the paper.\n\n"
    "R, P, P&R and SER are of settings tuned for P&R; the column after them is the SER of "
    "settings tuned for that, as the two prefer different settings. Decided by Viterbi (for the "
    "pause model: what is likelier than not) or by a threshold on the posterior probability. The "
    "setting is a pause in seconds or the weight μ, one for each half. 95 % intervals are "
    "bootstrap intervals over calls. Tests: P&R of systems tuned for P&R, SER of systems tuned "
    "for SER, p by approximate randomization over calls with Holm's correction for the rows of "
    "each measure."
)


def chapter(trials: Mapping[str, Trial]) -> Part:
    """Write the chapter on table 5, with one table for each source."""
    text = [INTRODUCTION]
    for name, trial in trials.items():
        text += [f"### {name}", _table(trial)]
        for decision, tests in trial.tests.items():
            text += [f"Tests, {DECIDED[decision]}:", tests_table(tests)]
        text += ["Tests, equation 4 against the other factorisation, tuned threshold:"]
        merged = {key: row for tests in trial.factors.values() for key, row in tests.items()}
        text.append(tests_table(merged))
    numbers = {name: _numbers(trial) for name, trial in trials.items()}
    size = (7.2, 0.9 + 0.42 * len(trials))
    drawn = Picture(
        "systems.svg", "All systems, P&R and SER, tuned thresholds", size, partial(_draw, trials)
    )
    short = [_short(name, trial) for name, trial in trials.items()]
    return Part("systems", TITLE, "\n\n".join(text), numbers, short, (drawn,))


def _table(trial: Trial) -> str:
    rows = [_row(trial.results, system) for system in _systems(trial.results)]
    rows += [_row(trial.own, system, own=True) for system in _systems(trial.own)]
    return make_table(HEAD, rows, 3)


def _systems(results: Results) -> list[System]:
    return list(dict.fromkeys(system for system, _ in results))


def _row(results: Results, system: System, own: bool = False) -> list[str]:
    result, for_ser = (results[system, goal] for goal in ("f1", "ser"))
    printed = paper.TABLE_5.get(system.kind, ())
    beside = (
        ""
        if own or system in OTHER_FACTORISATION or system.decision != "direct"
        else " ".join(printed)
    )
    return [
        f"{system.title}, own pauses" if own else system.title,
        "–" if system.kind == "threshold" else DECIDED[system.decision],
        _setting(result),
        *(with_interval(*value_with_interval(result.scores, name)) for name in MEASURES),
        with_interval(*value_with_interval(for_ser.scores, "ser")),
        beside or "–",
    ]


def _setting(result: Result) -> str:
    settings = [each.candidate.setting for each in result.choices]
    return " / ".join(f"{each:g}" for each in settings) if any(settings) else "–"


def _numbers(trial: Trial) -> dict[str, Any]:
    return {
        "systems": _results_as_json(trial.results),
        "own_pauses": _results_as_json(trial.own),
        "tests": {decision: list(tests.values()) for decision, tests in trial.tests.items()},
        "factorisations": {kind: list(tests.values()) for kind, tests in trial.factors.items()},
    }


def _results_as_json(results: Results) -> list[dict[str, Any]]:
    return [
        {
            "system": system.title,
            "decision": system.decision,
            "tuned_for": MEASURES[goal],
            "settings": [each.candidate.setting for each in result.choices],
            "thresholds": [
                None if each.threshold is None else round(each.threshold, 6)
                for each in result.choices
            ],
            **scores_as_json(result.scores),
        }
        for (system, goal), result in results.items()
    ]


def _short(name: str, trial: Trial) -> str:
    parts = []
    for decision, systems in MAIN.items():
        values = [
            f"{each.title} {format_value(value(trial.results[each, 'f1'].scores, 'f1'))}"
            for each in systems
        ]
        parts.append(f"{DECIDED[decision]}: {', '.join(values)}")
    return f"Table 5 on {name}, P&R. {'; '.join(parts)}."


def _draw(trials: Mapping[str, Trial], axes: Axes) -> None:
    """Draw a row for each source and a mark for each system with a tuned threshold."""
    places = split_into_panels(axes, 1, 2, sharey=True)
    goals: tuple[Goal, ...] = ("f1", "ser")
    systems = MAIN["tuned"]
    for place, goal in zip(places, goals, strict=True):
        for at, trial in enumerate(trials.values()):
            for i, system in enumerate(systems):
                found, around = value_with_interval(trial.results[system, goal].scores, goal)
                row = at + 0.14 * (i - (len(systems) - 1) / 2)
                label = system.title if at == 0 else None
                look: dict[str, Any] = {"color": COLOURS[i], "ms": 3.5, "ls": "none"}
                place.plot([plot_value(found)], [row], marker=MARKERS[i], label=label, **look)
                if isinstance(around, tuple):
                    place.plot(around, [row, row], color=COLOURS[i], lw=1)
        place.set_xlabel(f"{MEASURES[goal]}, settings tuned for it")
        place.set_yticks(range(len(trials)), list(trials))
        place.grid(axis="x", color="0.88", lw=0.5)
    places[0].invert_yaxis()
    legend_below(places, len(systems))
