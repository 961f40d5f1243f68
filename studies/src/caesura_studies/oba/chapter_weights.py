"""How much the CRF weighs against the links (α of equation 5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from caesura.core.values import Undefined
from caesura.evaluation.scores import Scores
from caesura_studies.claims import sure_value, value
from caesura_studies.oba import paper
from caesura_studies.oba.experiment import CHOSEN, VITERBI, Trial
from caesura_studies.report import (
    Part,
    Picture,
    band,
    curves,
    height,
    legend_below,
    number,
    panels,
    sure,
    table,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "The weight of the CRF"
WITH, WITHOUT = "bias tuned", "no bias: equation (5)"
FLAT = 0.01
"""Boundary F within which a weight does as well as the best one."""


def chapter(trials: Sequence[Trial]) -> Part:
    """Lay out what each weight reaches."""
    rows = []
    for trial in trials:
        for each in trial.tuned.weights:
            tuned, plain = trial.weights[each.alpha]
            rows.append(
                [
                    *(trial.language.name, f"{each.alpha:g}", f"{each.bias:g}"),
                    *(number(each.f1), sure(*sure_value(tuned, "f1"))),
                    *(number(each.plain), sure(*sure_value(plain, "f1"))),
                    number(each.summed.f1),
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
        table(head, rows, 2),
        "\n\n".join(map(_flat, trials)),
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


def _flat(trial: Trial) -> str:
    """Say which weights do about as well as the best."""
    told = []
    for at, name in enumerate((WITH, WITHOUT)):
        reached = {alpha: _known(pair[at]) for alpha, pair in trial.weights.items()}
        best = max(reached.values())
        near = [f"{alpha:g}" for alpha, each in reached.items() if each >= best - FLAT]
        told.append(f"{name}: within {FLAT:g} of the best, {best:.3f}, are α = {', '.join(near)}")
    return f"{trial.language.name} – {'; '.join(told)}."


def _known(scores: Scores) -> float:
    found = value(scores, "f1")
    return 0.0 if isinstance(found, Undefined) else found


def _draw(trials: Sequence[Trial], axes: Axes) -> None:
    places = panels(axes, 1, len(trials))
    for place, trial in zip(places, trials, strict=True):
        names = (WITH, WITHOUT)
        curves(
            place,
            {
                name: {alpha: value(pair[at], "f1") for alpha, pair in trial.weights.items()}
                for at, name in enumerate(names)
            },
        )
        around = {alpha: sure_value(pair[0], "f1")[1] for alpha, pair in trial.weights.items()}
        band(place, around)
        for system, line in ((CHOSEN, "--"), (VITERBI, ":")):
            level = height(value(trial.scores(system), "f1"))
            place.axhline(level, color="0.35", ls=line, lw=1, label=system)
        place.set_title(trial.language.name)
        place.set_xlabel("α")
    places[0].set_ylabel("boundary F")
    legend_below(places, 4)
