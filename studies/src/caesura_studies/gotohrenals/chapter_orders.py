"""The language model alone: how many words it looks back, and how it is smoothed (figure 4)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from caesura.evaluation.comparison import Difference
from caesura.evaluation.scores import Scores
from caesura_studies.claims import sure_value, value
from caesura_studies.gotohrenals.corpora import Corpora
from caesura_studies.gotohrenals.paper import measures, shown, verdict
from caesura_studies.gotohrenals.scoring import MEASURES, Source, tests, told
from caesura_studies.gotohrenals.systems import FACTORS, OTHER, PAPER, language
from caesura_studies.report import Part, Picture, legend_below, number, panels, sure, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

logger = logging.getLogger("caesura.studies")

TITLE = "The language model: order and smoothing (figure 4)"
ORDERS = (2, 3, 4, 5)
FEW = (2, 3)
"""Orders that are tried on recognised words too."""

SMOOTHING = ("interpolation", "backoff")
TRIED = ((PAPER, SMOOTHING[0]), (PAPER, SMOOTHING[1]), (OTHER, SMOOTHING[0]))
"""Factorisations and smoothing."""

BEST = 3
"""The order that the paper settles on."""

Key = tuple[str, str, int]
"""Factorisation, smoothing, order."""


@dataclass(frozen=True)
class Orders:
    """What language models score on the development calls, and what tests say of them."""

    scores: Mapping[Key, Scores]
    orders: Mapping[tuple[str, str, str], Difference]
    """Tests between orders, smoothed by interpolation, with the paper's factorisation."""
    smoothing: Mapping[tuple[str, str, str], Difference]
    recognised: Mapping[str, Mapping[int, Scores]]
    """By recogniser and order."""


def found(corpora: Corpora) -> Orders:
    """Train a model of each order and try it with each smoothing and factorisation."""
    dev = Source.of_references("references", corpora.dev)
    scores: dict[Key, Scores] = {}
    for order in ORDERS:
        logger.info("language models: order %d", order)
        trained = language(order=order).train(corpora.for_references)
        for factors, smoothing in TRIED:
            lm = trained.adjusted(factors=factors, smoothing=smoothing)
            scores[factors, smoothing, order] = dev.scores(lm.detect_all(dev.recordings))
    by_order = {_named(order): scores[PAPER, SMOOTHING[0], order] for order in ORDERS}
    by_smoothing = {each: scores[PAPER, each, BEST] for each in SMOOTHING}
    names = ("f1", "ser")
    return Orders(scores, tests(by_order, names), tests(by_smoothing, names), _heard(corpora))


def _heard(corpora: Corpora) -> dict[str, dict[int, Scores]]:
    results: dict[str, dict[int, Scores]] = {name: {} for name in corpora.recognised}
    for order in FEW if corpora.recognised else ():
        lm = language(order=order).train(corpora.for_recognisers)
        for name, source in corpora.recognised.items():
            results[name][order] = source.scores(lm.detect_all(source.recordings))
    return results


def _named(order: int) -> str:
    return f"{order}-gram"


def chapter(orders: Orders) -> Part:
    """Lay figure 4 out."""
    rows = [
        [
            *(FACTORS[factors], smoothing, str(order)),
            *(sure(*sure_value(orders.scores[factors, smoothing, order], m)) for m in MEASURES),
        ]
        for factors, smoothing in TRIED
        for order in ORDERS
    ]
    text = [
        "As in the paper the best sequence of classes is taken (Viterbi), on the references of the "
        "development calls. Models learn from all other calls and the podcasts; interpolation has "
        "Witten and Bell's weights, and words seen once are unknown. Equation 4 draws the class of "
        "a word first and then the word given its class; the other factorisation draws the word "
        "first and then its class given the word, so that what is rare (words that end sentences) "
        "need not carry the probability of words.",
        table(("factorisation", "smoothing", "order", *MEASURES.values()), rows, 3),
        "Differences between orders (equation 4, interpolation; p by approximate randomization, "
        "Holm's correction for all rows):",
        shown(orders.orders),
        f"Equation 4, order {BEST}; interpolation against backoff:",
        shown(orders.smoothing),
        *_on_recognised(orders),
    ]
    numbers = {
        "references": {" ".join(map(str, key)): told(s) for key, s in orders.scores.items()},
        "tests": [*orders.orders.values(), *orders.smoothing.values()],
        "recognisers": {
            name: {str(order): told(s) for order, s in each.items()}
            for name, each in orders.recognised.items()
        },
    }
    drawn = Picture("orders.svg", "Order and smoothing", (7.2, 3.2), partial(_draw, orders))
    return Part("orders", TITLE, "\n\n".join(text), numbers, (_short(orders),), (drawn,))


def _short(orders: Orders) -> str:
    values = ", ".join(
        f"{order}-gram {number(value(orders.scores[PAPER, SMOOTHING[0], order], 'f1'))}"
        for order in ORDERS
    )
    row = orders.orders["f1", _named(2), _named(BEST)]
    return (
        f"Language model (equation 4, Viterbi, P&R): {values}; {verdict(row, '2-gram', '3-gram')}."
    )


def _on_recognised(orders: Orders) -> list[str]:
    if not orders.recognised:
        return []
    rows = [
        [name, str(order), *(sure(*sure_value(scores, each)) for each in MEASURES)]
        for name, by_order in orders.recognised.items()
        for order, scores in by_order.items()
    ]
    return [
        "On recognised words (equation 4, interpolation; models that have seen none of these "
        "calls):",
        table(("recogniser", "order", *MEASURES.values()), rows, 2),
    ]


def _draw(orders: Orders, axes: Axes) -> None:
    places = panels(axes, 1, len(TRIED), sharey=True)
    for place, (factors, smoothing) in zip(places, TRIED, strict=True):
        measures(place, {float(o): orders.scores[factors, smoothing, o] for o in ORDERS})
        place.set_title(f"{FACTORS[factors]},\n{smoothing}")
        place.set_xticks(ORDERS)
        place.set_xlabel("order of the n-gram")
    legend_below(places, len(MEASURES))
