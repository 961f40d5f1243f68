"""The chapter on taggers: their ETER on references and on recognised words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from caesura.core.arrays import Strings
from caesura_studies.atene.chapter_table2 import worst_recogniser
from caesura_studies.atene.correlations import Table
from caesura_studies.atene.experiment import APART, REFERENCE, Trial
from caesura_studies.atene.plan import MAIN
from caesura_studies.atene.scoring import as_float, mean
from caesura_studies.atene.text_preparation import ALL, NAMES, View
from caesura_studies.report import (
    Part,
    Picture,
    draw_points,
    format_value,
    legend_below,
    make_table,
    split_into_panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "Taggers on recognised words"
SHOWN = ("WER", MAIN)


def chapter(trial: Trial) -> Part:
    """Write the chapter on the ETER of every tagger on every recogniser's output."""
    text = [
        "ETER of each tagger, the mean over calls; α is ½. It also counts errors that a tagger "
        "makes in the reference, while ATENE only measures how much harder entities are to find "
        "than there.",
    ]
    numbers = {}
    for view in (ALL, NAMES):
        found = means(trial, view)
        numbers[view.key] = found
        names = list(next(iter(found.values())))
        rows = [
            [tagger, *(format_value(row[name]) for name in names)] for tagger, row in found.items()
        ]
        text += [
            f"### {view.title[0].upper()}{view.title[1:]}",
            make_table(("tagger", *names), rows),
        ]
    closer = "; below, closer, without the worst" if worst_recogniser(trial) else ""
    drawn = Picture(
        "eter.svg",
        "ETER against WER and ATENE: a point for each recogniser, the mean over calls and taggers"
        + closer,
        (7.2, 5.6),
        partial(_draw, trial.tables[ALL.key, APART], worst_recogniser(trial)),
    )
    best, worst = _ends(numbers[ALL.key])
    short = (f"ETER on the references, all classes: from {best} to {worst}.",)
    return Part("taggers", TITLE, "\n\n".join(text), numbers, short, (drawn,))


def means(trial: Trial, view: View) -> dict[str, dict[str, float]]:
    """Return the mean ETER over calls, by tagger and recogniser."""
    return {
        tagger: {
            name: mean({key: as_float(each.eter) for key, each in cells.items()}, name)
            for name in (REFERENCE, *trial.calls.recognised)
        }
        for tagger, cells in trial.entity_costs(view).items()
    }


def _ends(found: dict[str, dict[str, float]]) -> tuple[str, str]:
    order = sorted((row[REFERENCE], tagger) for tagger, row in found.items())
    (low, best), (high, worst) = order[0], order[-1]
    return f"{format_value(low)} ({best})", f"{format_value(high)} ({worst})"


def _draw(found: Table, apart: Strings, axes: Axes) -> None:
    """Draw a panel for each measure and a mark for each recogniser; below, a zoom without some."""
    heights = {
        name: float(np.mean([mean(column, name) for column in found.eter.values()]))
        for name in found.recognisers
    }
    rows = dict.fromkeys(((), apart))
    places = split_into_panels(axes, len(rows), len(SHOWN))
    for at, place in enumerate(places):
        measure, left_out = SHOWN[at % len(SHOWN)], list(rows)[at // len(SHOWN)]
        points = {
            name: (mean(found.measures[measure], name), height) for name, height in heights.items()
        }
        draw_points(place, {name: [point] for name, point in points.items()})
        if left_out:
            _zoom_to(place, [point for name, point in points.items() if name not in left_out])
        place.set_xlabel(measure)
        place.set_ylabel("ETER")
    legend_below(places, 4)


def _zoom_to(place: Axes, points: Sequence[tuple[float, float]]) -> None:
    """Limit the axes to these points."""
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    edge = 0.1 * np.maximum(high - low, 1e-3)
    place.set_xlim(low[0] - edge[0], high[0] + edge[0])
    place.set_ylim(low[1] - edge[1], high[1] + edge[1])
