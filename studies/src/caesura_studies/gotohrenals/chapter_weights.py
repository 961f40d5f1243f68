"""Both ways of combining, and the weight of the pause model (figure 8)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from caesura.core.values import Undefined
from caesura.evaluation.scores import Scores
from caesura_studies.claims import sure_value, value
from caesura_studies.gotohrenals import paper
from caesura_studies.gotohrenals.experiment import WAYS, Trial
from caesura_studies.gotohrenals.scoring import MEASURES, told
from caesura_studies.gotohrenals.systems import MAIN, WEIGHTS, Decision, Kind
from caesura_studies.report import (
    Part,
    Picture,
    curves,
    legend_below,
    logarithmic,
    number,
    panels,
    sure,
    table,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "The weight of the pause model (figure 8)"
DECIDED: Mapping[Decision, str] = {"direct": "Viterbi", "tuned": "tuned threshold"}
PLACES = (0.1, 0.5, 1, 2, 4, 10, 20)


def best_weight(trial: Trial, way: Kind, decision: Decision) -> float:
    """Give the weight with the highest P&R on the very recordings."""

    def worth(weight: float) -> float:
        found = value(trial.weights[way, decision][weight], "f1")
        return float("-inf") if isinstance(found, Undefined) else found

    return max(WEIGHTS, key=worth)


def chapter(trials: Mapping[str, Trial]) -> Part:
    """Lay figure 8 out."""
    text = [
        "The pause model's probabilities count with the power μ: p(f | e) in way A (equations 10 "
        "to 12), p(e | f) in way B (13 and 14). The language model is the trigram of equation 4. "
        "Decided by the best sequence (Viterbi), as in the paper, or by the posterior probability "
        "of each gap with a threshold that was tuned for P&R on other calls at the same weight "
        "(section 8 says on which). By their formulas the log-odds of B are those of A and, for "
        "each gap, μ times the same number; a tuned threshold takes care of most of that. The "
        f"dotted line in the figures is μ = {paper.LARGE_WEIGHT:g}, from which on B is said to "
        "beat the pause model.",
    ]
    for name, trial in trials.items():
        text += [f"### {name}", _table(trial)]
    rows = [
        [
            name,
            *(
                f"{best_weight(trial, way, decision):g}: "
                + number(value(_best(trial, way, decision), "f1"))
                for way in WAYS
                for decision in MAIN
            ),
        ]
        for name, trial in trials.items()
    ]
    heads = [f"{way}, {DECIDED[decision]}" for way in WAYS for decision in MAIN]
    text += [
        "### Best weights",
        "Weight and P&R, found on the very calls they are shown for, and so a little too good:",
        table(("words", *heads), rows),
    ]
    numbers = {
        name: {
            f"{way} {decision}": {f"{w:g}": told(s) for w, s in points.items()}
            for (way, decision), points in trial.weights.items()
        }
        for name, trial in trials.items()
    }
    pictures = [
        Picture("weights.svg", "Weights on references", (6.6, 4.6), partial(_draw, _first(trials)))
    ]
    if len(trials) > 1:
        heard = {name: trial for name, trial in trials.items() if trial is not _first(trials)}
        pictures.append(
            Picture(
                "weights-recognised.svg",
                "Weights on recognised words, P&R",
                (6.6, 4.6),
                partial(_draw_all, heard),
            )
        )
    return Part("weights", TITLE, "\n\n".join(text), numbers, (_short(trials),), pictures)


def _first(trials: Mapping[str, Trial]) -> Trial:
    return next(iter(trials.values()))


def _best(trial: Trial, way: Kind, decision: Decision) -> Scores:
    return trial.weights[way, decision][best_weight(trial, way, decision)]


def _short(trials: Mapping[str, Trial]) -> str:
    trial = _first(trials)
    parts = []
    for way in WAYS:
        for decision in MAIN:
            best = best_weight(trial, way, decision)
            p_and_r = number(value(trial.weights[way, decision][best], "f1"))
            parts.append(f"{way} by {DECIDED[decision]} {p_and_r} at {best:g}")
    return f"Weights on references, best P&R: {', '.join(parts)}."


def _table(trial: Trial) -> str:
    rows = [
        [
            way,
            DECIDED[decision],
            f"{weight:g}",
            *(sure(*sure_value(scores, name)) for name in MEASURES),
        ]
        for (way, decision), points in trial.weights.items()
        for weight, scores in points.items()
    ]
    return table(("way", "decided by", "μ", *MEASURES.values()), rows, 2)


def _draw(trial: Trial, axes: Axes) -> None:
    """Draw all measures for each way of combining and deciding."""
    places = panels(axes, len(WAYS), len(MAIN), sharex=True, sharey=True)
    for place, ((way, decision), points) in zip(places, trial.weights.items(), strict=True):
        series = {
            title: {w: value(scores, name) for w, scores in points.items()}
            for name, title in MEASURES.items()
        }
        curves(place, series)
        _finish(place, f"{way}, {DECIDED[decision]}")
    legend_below(places, len(MEASURES))


def _draw_all(trials: Mapping[str, Trial], axes: Axes) -> None:
    """Draw P&R of all recognisers."""
    places = panels(axes, len(WAYS), len(MAIN), sharex=True, sharey=True)
    keys = list(next(iter(trials.values())).weights)
    for place, (way, decision) in zip(places, keys, strict=True):
        series = {
            name: {w: value(s, "f1") for w, s in trial.weights[way, decision].items()}
            for name, trial in trials.items()
        }
        curves(place, series)
        _finish(place, f"P&R of {way}, {DECIDED[decision]}")
    legend_below(places, 3)


def _finish(axes: Axes, title: str) -> None:
    axes.axvline(paper.LARGE_WEIGHT, color="0.6", lw=0.8, ls=":")
    logarithmic(axes, PLACES)
    axes.set_title(title)
    axes.set_xlabel("weight μ of the pause model")
    axes.label_outer()
