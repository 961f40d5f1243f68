"""The chapter on the language model: n-gram order and smoothing (figure 4)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from caesura.evaluation.comparison import Difference
from caesura.evaluation.scores import Scores
from caesura_studies.claims import value, value_with_interval
from caesura_studies.gotohrenals.corpora import Corpora
from caesura_studies.gotohrenals.scoring import (
    MEASURES,
    Source,
    compare_pairs,
    draw_measures,
    scores_as_json,
    tests_table,
    verdict,
)
from caesura_studies.gotohrenals.systems import FACTORS, OTHER, PAPER, make_lm
from caesura_studies.report import (
    Part,
    Picture,
    format_value,
    legend_below,
    make_table,
    split_into_panels,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

logger = logging.getLogger("caesura.studies")

TITLE = "The language model: order and smoothing (figure 4)"
ORDERS = (2, 3, 4, 5)
RECOGNISED_ORDERS = (2, 3)
"""Orders that are also measured on recognised words."""

SMOOTHING = ("interpolation", "backoff")
VARIANTS = ((PAPER, SMOOTHING[0]), (PAPER, SMOOTHING[1]), (OTHER, SMOOTHING[0]))
"""Combinations of factorisation and smoothing."""

PAPER_ORDER = 3
"""The order that the paper chooses."""

Key = tuple[str, str, int]
"""Factorisation, smoothing, order."""


@dataclass(frozen=True)
class Orders:
    """The scores of language models on the development calls, and tests between them."""

    scores: Mapping[Key, Scores]
    orders: Mapping[tuple[str, str, str], Difference]
    """Tests between orders, with interpolation and the paper's factorisation."""
    smoothing: Mapping[tuple[str, str, str], Difference]
    recognised: Mapping[str, Mapping[int, Scores]]
    """By recogniser and order."""


def measure_orders(corpora: Corpora) -> Orders:
    """Train a model of each order and score it with each smoothing and factorisation."""
    dev = Source.of_references("references", corpora.dev)
    scores: dict[Key, Scores] = {}
    for order in ORDERS:
        logger.info("language models: order %d", order)
        trained = make_lm(order=order).train(corpora.for_references)
        for factors, smoothing in VARIANTS:
            lm = trained.adjusted(factors=factors, smoothing=smoothing)
            scores[factors, smoothing, order] = dev.scores(lm.detect_all(dev.recordings))
    by_order = {_named(order): scores[PAPER, SMOOTHING[0], order] for order in ORDERS}
    by_smoothing = {each: scores[PAPER, each, PAPER_ORDER] for each in SMOOTHING}
    names = ("f1", "ser")
    return Orders(
        scores,
        compare_pairs(by_order, names),
        compare_pairs(by_smoothing, names),
        _recognised_scores(corpora),
    )


def _recognised_scores(corpora: Corpora) -> dict[str, dict[int, Scores]]:
    results: dict[str, dict[int, Scores]] = {name: {} for name in corpora.recognised}
    for order in RECOGNISED_ORDERS if corpora.recognised else ():
        lm = make_lm(order=order).train(corpora.for_recognisers)
        for name, source in corpora.recognised.items():
            results[name][order] = source.scores(lm.detect_all(source.recordings))
    return results


def _named(order: int) -> str:
    return f"{order}-gram"


def chapter(orders: Orders) -> Part:
    """Write the chapter on figure 4."""
    rows = [
        [
            *(FACTORS[factors], smoothing, str(order)),
            *(
                with_interval(*value_with_interval(orders.scores[factors, smoothing, order], m))
                for m in MEASURES
            ),
        ]
        for factors, smoothing in VARIANTS
        for order in ORDERS
    ]
    text = [
        "As in the paper the best sequence of classes is taken (Viterbi), on the references of the "
        "development calls. Models are trained on all other calls and the podcasts; interpolation "
        "has Witten and Bell's weights, and words seen once are unknown. Equation 4 draws the "
        "class of a word first and then the word given its class; the other factorisation draws "
        "the word first and then its class given the word, so that what is rare (words that end "
        "sentences) need not carry the probability of words.",
        make_table(("factorisation", "smoothing", "order", *MEASURES.values()), rows, 3),
        "Differences between orders (equation 4, interpolation; p by approximate randomization, "
        "Holm's correction for all rows):",
        tests_table(orders.orders),
        f"Equation 4, order {PAPER_ORDER}; interpolation against backoff:",
        tests_table(orders.smoothing),
        *_on_recognised(orders),
    ]
    numbers = {
        "references": {
            " ".join(map(str, key)): scores_as_json(s) for key, s in orders.scores.items()
        },
        "tests": [*orders.orders.values(), *orders.smoothing.values()],
        "recognisers": {
            name: {str(order): scores_as_json(s) for order, s in each.items()}
            for name, each in orders.recognised.items()
        },
    }
    drawn = Picture("orders.svg", "Order and smoothing", (7.2, 3.2), partial(_draw, orders))
    return Part("orders", TITLE, "\n\n".join(text), numbers, (_short(orders),), (drawn,))


def _short(orders: Orders) -> str:
    values = ", ".join(
        f"{order}-gram {format_value(value(orders.scores[PAPER, SMOOTHING[0], order], 'f1'))}"
        for order in ORDERS
    )
    row = orders.orders["f1", _named(2), _named(PAPER_ORDER)]
    return (
        f"Language model (equation 4, Viterbi, P&R): {values}; {verdict(row, '2-gram', '3-gram')}."
    )


def _on_recognised(orders: Orders) -> list[str]:
    if not orders.recognised:
        return []
    rows = [
        [
            name,
            str(order),
            *(with_interval(*value_with_interval(scores, each)) for each in MEASURES),
        ]
        for name, by_order in orders.recognised.items()
        for order, scores in by_order.items()
    ]
    return [
        "On recognised words (equation 4, interpolation; models that have seen none of these "
        "calls):",
        make_table(("recogniser", "order", *MEASURES.values()), rows, 2),
    ]


def _draw(orders: Orders, axes: Axes) -> None:
    places = split_into_panels(axes, 1, len(VARIANTS), sharey=True)
    for place, (factors, smoothing) in zip(places, VARIANTS, strict=True):
        draw_measures(place, {float(o): orders.scores[factors, smoothing, o] for o in ORDERS})
        place.set_title(f"{FACTORS[factors]},\n{smoothing}")
        place.set_xticks(ORDERS)
        place.set_xlabel("order of the n-gram")
    legend_below(places, len(MEASURES))
