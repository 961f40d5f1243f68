"""What depends on how texts are prepared: the main comparison once more in other ways."""

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
    """The measures and taggers of texts prepared in some way."""

    preparation: Preparation
    view: View
    found: Table

    @property
    def where(self) -> str:
        """Name the way and the classes."""
        return f"{self.preparation.title}, {self.view.title}"


def measure_preparations(trial: Trial) -> list[Prepared]:
    """Measure everything anew, in each way: taggers and ATENE learn from other texts, too."""
    made = [Prepared(SPELT, view, trial.tables[view.key, APART]) for view in (ALL, NAMES)]
    for preparation in trial.plan.preparations:
        logger.info("texts with %s", preparation.title)
        other = trial.prepared(preparation)
        features = {name: each for name, each in trial.plan.features.items() if name in MEASURES}
        made += [Prepared(preparation, view, other.table(view, features)) for view in (ALL, NAMES)]
    return made


def chapter(results: Sequence[Prepared]) -> Part:
    """Write the chapter: the comparison in all ways, beside each other."""
    rows = [[each.preparation.title, each.view.title, *_cells(each.found)] for each in results]
    text = [
        "Some recognisers write digits and others words, and a year can be said in several ways. "
        "So it matters what taggers and ATENE have seen of numbers. The headline has all numbers "
        "spelt, one way for each, as texts of radio have. Here the study is done once more with "
        "texts prepared in other ways: numbers as they are written; and learners that are shown, "
        "in half of the places where Rev lists alternatives, one of these, drawn. The way of the "
        "headline was settled after results of others had been seen, so no row can be taken alone: "
        "a claim is worth what it is worth in all of them.",
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
    """Say how often the order of the paper is found."""
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
        f"Of {len(results)} comparisons (ways to prepare texts, all classes and names), "
        f"{description}, and both hold in {whole}."
    )
