"""The chapter on the weight of the CRF against the dependency arcs (α of equation 5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from caesura.core.values import Undefined
from caesura.evaluation.scores import Scores
from caesura_studies.claims import value, value_with_interval
from caesura_studies.oba import paper
from caesura_studies.oba.experiment import CRF_TUNED, CRF_VITERBI, Trial
from caesura_studies.report import (
    Part,
    Picture,
    draw_curves,
    draw_interval_band,
    format_value,
    legend_below,
    make_table,
    plot_value,
    split_into_panels,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "The weight of the CRF"
WITH, WITHOUT = "bias tuned", "no bias: equation (5)"
PLATEAU = 0.01
"""Weights whose boundary F is within this of the best do about equally well."""


def chapter(trials: Sequence[Trial]) -> Part:
    """Write the chapter on the weight of the CRF."""
    rows = []
    for trial in trials:
        for each in trial.tuned.weights:
            tuned, plain = trial.weights[each.alpha]
            rows.append(
                [
                    *(trial.language.name, f"{each.alpha:g}", f"{each.bias:g}"),
                    *(format_value(each.f1), with_interval(*value_with_interval(tuned, "f1"))),
                    *(format_value(each.plain), with_interval(*value_with_interval(plain, "f1"))),
                    format_value(each.summed.f1),
                ]
            )
    head = (
        *("treebank", "α", "bias"),
        *("in the folds, bias", "measured, bias", "in the folds, (5)", "measured, (5)"),
        "in the folds, posterior",
    )
    text = [
        "Boundary F for each α: with the bias that is best for it in the folds, without any as in "
        "equation 5, and with a threshold on the posterior. α = 0 is SDA alone. The paper says "
        f"that the accuracy is not too sensitive around α = {paper.ALPHA:g}.",
        make_table(head, rows, 2),
        "\n\n".join(map(_describe_plateau, trials)),
    ]
    numbers = {
        trial.language.name: [
            {
                "alpha": each.alpha,
                "bias": each.bias,
                "folds": each.f1,
                "folds_without_bias": each.plain,
                "folds_posterior": each.summed,
                "measured": value(trial.weights[each.alpha][0], "f1"),
                "measured_without_bias": value(trial.weights[each.alpha][1], "f1"),
            }
            for each in trial.tuned.weights
        ]
        for trial in trials
    }
    caption = "Boundary F by α, with and without a bias"
    drawn = Picture("weights.svg", caption, (7.2, 3.0), partial(_draw, trials))
    return Part("weights", TITLE, "\n\n".join(text), numbers, (), (drawn,))


def _describe_plateau(trial: Trial) -> str:
    """Name the weights that do about as well as the best one."""
    description = []
    for at, name in enumerate((WITH, WITHOUT)):
        reached = {alpha: _known(pair[at]) for alpha, pair in trial.weights.items()}
        best = max(reached.values())
        near = [f"{alpha:g}" for alpha, each in reached.items() if each >= best - PLATEAU]
        description.append(
            f"{name}: within {PLATEAU:g} of the best, {best:.3f}, are α = {', '.join(near)}"
        )
    return f"{trial.language.name} – {'; '.join(description)}."


def _known(scores: Scores) -> float:
    found = value(scores, "f1")
    return 0.0 if isinstance(found, Undefined) else found


def _draw(trials: Sequence[Trial], axes: Axes) -> None:
    places = split_into_panels(axes, 1, len(trials))
    for place, trial in zip(places, trials, strict=True):
        names = (WITH, WITHOUT)
        draw_curves(
            place,
            {
                name: {alpha: value(pair[at], "f1") for alpha, pair in trial.weights.items()}
                for at, name in enumerate(names)
            },
        )
        around = {
            alpha: value_with_interval(pair[0], "f1")[1] for alpha, pair in trial.weights.items()
        }
        draw_interval_band(place, around)
        for system, line in ((CRF_TUNED, "--"), (CRF_VITERBI, ":")):
            level = plot_value(value(trial.scores(system), "f1"))
            place.axhline(level, color="0.35", ls=line, lw=1, label=system)
        place.set_title(trial.language.name)
        place.set_xlabel("α")
    places[0].set_ylabel("boundary F")
    legend_below(places, 4)
