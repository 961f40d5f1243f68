"""The chapter on text preparation: the main comparison repeated with other preparations."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from caesura_studies.atene.correlations import Table, is_below
from caesura_studies.atene.experiment import APART, Trial
from caesura_studies.atene.plan import MAIN, MEASURES, ORDER
from caesura_studies.atene.text_preparation import ALL, NAMES, SPELT, Preparation, View
from caesura_studies.report import Part, make_table, with_interval

logger = logging.getLogger("caesura.studies")

TITLE = "How texts are prepared"


@dataclass(frozen=True)
class Prepared:
    """The measures and taggers of texts with some preparation."""

    preparation: Preparation
    view: View
    found: Table

    @property
    def where(self) -> str:
        """The names of the preparation and the classes."""
        return f"{self.preparation.title}, {self.view.title}"


def measure_preparations(trial: Trial) -> list[Prepared]:
    """Repeat all measurements with each preparation; taggers and ATENE are trained again."""
    made = [Prepared(SPELT, view, trial.tables[view.key, APART]) for view in (ALL, NAMES)]
    for preparation in trial.plan.preparations:
        logger.info("texts with %s", preparation.title)
        other = trial.prepared(preparation)
        features = {name: each for name, each in trial.plan.features.items() if name in MEASURES}
        made += [Prepared(preparation, view, other.table(view, features)) for view in (ALL, NAMES)]
    return made


def chapter(results: Sequence[Prepared]) -> Part:
    """Write the chapter on text preparation."""
    rows = [[each.preparation.title, each.view.title, *_cells(each.found)] for each in results]
    text = [
        "Some recognisers write digits and others words, and a year can be spoken in several "
        "forms. So the form of numbers in the training texts of taggers and ATENE matters. In the "
        "headline all numbers are spelt, each in one form, as in transcripts of radio. Here the "
        "study is repeated with other text preparations: numbers as written; and learners that see "
        "a sampled alternative in half of the places where Rev lists some. The preparation of the "
        "headline was chosen after results of others had been seen, so no row stands alone: a "
        "claim must hold in all of them.",
        make_table(
            ("texts", "classes", *MEASURES, f"{MAIN} − NE-WER", "NE-WER − WER"),
            rows,
            2,
        ),
        _count_orders(results),
    ]
    numbers = [
        {
            "way": each.preparation.key,
            "classes": each.view.key,
            "means": {title: each.found.means()[title] for title in _known(each.found)},
        }
        for each in results
    ]
    return Part("preparing", TITLE, "\n\n".join(text), numbers, [_count_orders(results)])


def _known(found: Table) -> list[str]:
    return [title for title in MEASURES if title in found.measures]


def _cells(found: Table) -> Iterator[str]:
    means = found.means()
    for title in MEASURES:
        yield with_interval(means[title].value, means[title].interval) if title in means else "–"
    for one, other in ((MAIN, "NE-WER"), ("NE-WER", "WER")):
        test = found.tested(one, other)
        yield with_interval(test.difference, test.interval)


def _count_orders(results: Sequence[Prepared]) -> str:
    """Count how often the order of the paper is found."""
    higher = dict.fromkeys(pairwise(ORDER), 0)
    whole = 0
    for each in results:
        means = each.found.means()
        found = {
            (one, other): is_below(means[one].value, means[other].value) for one, other in higher
        }
        for order, so in found.items():
            higher[order] += so
        whole += all(found.values())
    description = ", ".join(
        f"{other} is above {one} in {count}" for (one, other), count in reversed(higher.items())
    )
    return (
        f"Of {len(results)} comparisons (text preparations, all classes and names), "
        f"{description}, and both hold in {whole}."
    )
