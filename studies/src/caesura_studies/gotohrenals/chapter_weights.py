"""The chapter on both combination methods and the weight of the pause model (figure 8)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from caesura.core.values import Undefined
from caesura.evaluation.scores import Scores
from caesura_studies.claims import value, value_with_interval
from caesura_studies.gotohrenals import paper
from caesura_studies.gotohrenals.experiment import METHODS, Trial
from caesura_studies.gotohrenals.scoring import MEASURES, scores_as_json
from caesura_studies.gotohrenals.systems import MAIN, WEIGHTS, Decision, Kind
from caesura_studies.report import (
    Part,
    Picture,
    draw_curves,
    format_value,
    legend_below,
    make_table,
    split_into_panels,
    use_log_scale,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "The weight of the pause model (figure 8)"
DECIDED: Mapping[Decision, str] = {"direct": "Viterbi", "tuned": "tuned threshold"}
PLACES = (0.1, 0.5, 1, 2, 4, 10, 20)


def best_weight(trial: Trial, method: Kind, decision: Decision) -> float:
    """Return the weight with the highest P&R on these recordings themselves."""

    def worth(weight: float) -> float:
        found = value(trial.weights[method, decision][weight], "f1")
        return float("-inf") if isinstance(found, Undefined) else found

    return max(WEIGHTS, key=worth)


def chapter(trials: Mapping[str, Trial]) -> Part:
    """Write the chapter on figure 8."""
    text = [
        "The pause model's probabilities count with the power μ: p(f | e) in method A (equations "
        "10 to 12), p(e | f) in method B (13 and 14). The language model is the trigram of "
        "equation 4. Decided by the best sequence (Viterbi), as in the paper, or by the posterior "
        "probability of each gap with a threshold that was tuned for P&R on other calls at the "
        "same weight (section 8 says on which). By their formulas the log-odds of B are those of A "
        "and, for each gap, μ times the same number; a tuned threshold takes care of most of that. "
        f"The dotted line in the figures is μ = {paper.LARGE_WEIGHT:g}, from which on B is said to "
        "beat the pause model.",
    ]
    for name, trial in trials.items():
        text += [f"### {name}", _table(trial)]
    rows = [
        [
            name,
            *(
                f"{best_weight(trial, method, decision):g}: "
                + format_value(value(_best(trial, method, decision), "f1"))
                for method in METHODS
                for decision in MAIN
            ),
        ]
        for name, trial in trials.items()
    ]
    heads = [f"{method}, {DECIDED[decision]}" for method in METHODS for decision in MAIN]
    text += [
        "### Best weights",
        "Weight and P&R, chosen on the same calls they are shown for, so a little too good:",
        make_table(("words", *heads), rows),
    ]
    numbers = {
        name: {
            f"{method} {decision}": {f"{w:g}": scores_as_json(s) for w, s in points.items()}
            for (method, decision), points in trial.weights.items()
        }
        for name, trial in trials.items()
    }
    pictures = [
        Picture("weights.svg", "Weights on references", (6.6, 4.6), partial(_draw, _first(trials)))
    ]
    if len(trials) > 1:
        recognised = {name: trial for name, trial in trials.items() if trial is not _first(trials)}
        pictures.append(
            Picture(
                "weights-recognised.svg",
                "Weights on recognised words, P&R",
                (6.6, 4.6),
                partial(_draw_all, recognised),
            )
        )
    return Part("weights", TITLE, "\n\n".join(text), numbers, (_short(trials),), pictures)


def _first(trials: Mapping[str, Trial]) -> Trial:
    return next(iter(trials.values()))


def _best(trial: Trial, method: Kind, decision: Decision) -> Scores:
    return trial.weights[method, decision][best_weight(trial, method, decision)]


def _short(trials: Mapping[str, Trial]) -> str:
    trial = _first(trials)
    parts = []
    for method in METHODS:
        for decision in MAIN:
            best = best_weight(trial, method, decision)
            p_and_r = format_value(value(trial.weights[method, decision][best], "f1"))
            parts.append(f"{method} by {DECIDED[decision]} {p_and_r} at {best:g}")
    return f"Weights on references, best P&R: {', '.join(parts)}."


def _table(trial: Trial) -> str:
    rows = [
        [
            method,
            DECIDED[decision],
            f"{weight:g}",
            *(with_interval(*value_with_interval(scores, name)) for name in MEASURES),
        ]
        for (method, decision), points in trial.weights.items()
        for weight, scores in points.items()
    ]
    return make_table(("method", "decided by", "μ", *MEASURES.values()), rows, 2)


def _draw(trial: Trial, axes: Axes) -> None:
    """Draw all measures for each method and decision."""
    places = split_into_panels(axes, len(METHODS), len(MAIN), sharex=True, sharey=True)
    for place, ((method, decision), points) in zip(places, trial.weights.items(), strict=True):
        series = {
            title: {w: value(scores, name) for w, scores in points.items()}
            for name, title in MEASURES.items()
        }
        draw_curves(place, series)
        _finish(place, f"{method}, {DECIDED[decision]}")
    legend_below(places, len(MEASURES))


def _draw_all(trials: Mapping[str, Trial], axes: Axes) -> None:
    """Draw the P&R of all recognisers."""
    places = split_into_panels(axes, len(METHODS), len(MAIN), sharex=True, sharey=True)
    keys = list(next(iter(trials.values())).weights)
    for place, (method, decision) in zip(places, keys, strict=True):
        series = {
            name: {w: value(s, "f1") for w, s in trial.weights[method, decision].items()}
            for name, trial in trials.items()
        }
        draw_curves(place, series)
        _finish(place, f"P&R of {method}, {DECIDED[decision]}")
    legend_below(places, 3)


def _finish(axes: Axes, title: str) -> None:
    axes.axvline(paper.LARGE_WEIGHT, color="0.6", lw=0.8, ls=":")
    use_log_scale(axes, PLACES)
    axes.set_title(title)
    axes.set_xlabel("weight μ of the pause model")
    axes.label_outer()
