"""The chapter on word errors: how P&R falls with the word error rate of a call (figure 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.core.values import Undefined, Value
from caesura.evaluation.correlation import pearson
from caesura.evaluation.resampling import Interval, percentile_interval
from caesura.evaluation.scores import Scores
from caesura_studies.gotohrenals.corpora import Corpora
from caesura_studies.gotohrenals.experiment import Trial
from caesura_studies.gotohrenals.scoring import RESAMPLING, Source, by_recording
from caesura_studies.gotohrenals.systems import Models
from caesura_studies.report import (
    Part,
    Picture,
    draw_points,
    format_difference,
    format_value,
    legend_below,
    make_table,
    split_into_panels,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "Word errors (figure 6)"
REFERENCES = "references"
SYSTEMS = {"lm": "language model", "A": "A", "B": "B"}
MIN_POINTS = 3
"""The least number of points for a line."""

MAX_BEND = 0.02
"""The curve counts as a line if a parabola explains at most so much more of the variance."""


@dataclass(frozen=True)
class Points:
    """Word error rate and P&R of each call, by source and call."""

    sources: Mapping[str, Mapping[str, tuple[float, float]]]

    @classmethod
    def of(cls, scored: Mapping[str, tuple[Source, Scores]]) -> Points:
        """Take the calls that have both numbers."""
        measure_points: dict[str, dict[str, tuple[float, float]]] = {}
        for name, (source, scores) in scored.items():
            ids = [each.id for each in source.recordings]
            rates = dict(zip(ids, source.word_error_rates, strict=True))
            measure_points[name] = {}
            for document, f1 in zip(scores.documents, by_recording(scores), strict=True):
                rate = rates[document.id]
                if not isinstance(rate, Undefined) and not isinstance(f1, Undefined):
                    measure_points[name][document.id] = (rate, f1)
        return cls(measure_points)

    @cached_property
    def table(self) -> tuple[list[str], Any]:
        """All points: the call of each, and its two numbers."""
        rows = [(id, *pair) for calls in self.sources.values() for id, pair in calls.items()]
        return [id for id, *_ in rows], np.array([pair for _, *pair in rows], float).reshape(-1, 2)

    @property
    def line(self) -> tuple[float, float]:
        """The slope and intercept of the line through all points."""
        x, y = self.table[1].T
        slope, at_zero = np.polyfit(x, y, 1)
        return float(slope), float(at_zero)

    @cached_property
    def correlation(self) -> tuple[Value, Interval | Undefined]:
        """Pearson's correlation; calls are resampled, each with all its points."""
        names, pairs = self.table
        calls = sorted(set(names))
        places = [np.flatnonzero(np.array(names) == call) for call in calls]
        random = np.random.default_rng(RESAMPLING.seed)
        drawn = []
        for _ in range(RESAMPLING.resamples):
            chosen = np.concatenate(
                [places[i] for i in random.integers(len(calls), size=len(calls))]
            )
            drawn.append(pearson(*pairs[chosen].T))
        return pearson(*pairs.T), percentile_interval(drawn, RESAMPLING.level)

    @property
    def worst(self) -> str:
        """The source with the highest word error rate."""
        means = {
            name: float(np.mean([rate for rate, _ in calls.values()]))
            for name, calls in self.sources.items()
            if calls
        }
        return max(means, key=means.__getitem__)

    def without_worst(self) -> Points:
        """Return the points without that source, which may decide the line alone."""
        left_out = self.worst
        return Points({name: each for name, each in self.sources.items() if name != left_out})

    @property
    def bend(self) -> float:
        """How much more of the variance a parabola explains than a line."""
        return _explained(self.table[1], 2) - _explained(self.table[1], 1)

    @property
    def falls_straight(self) -> bool:
        """Whether P&R falls significantly, and a line explains nearly as much as a parabola."""
        around = self.correlation[1]
        return not isinstance(around, Undefined) and around[1] < 0 and self.bend < MAX_BEND


def _explained(pairs: Any, degree: int) -> float:
    x, y = pairs.T
    if (y == y[0]).all():
        return 1.0
    rest = y - np.polyval(np.polyfit(x, y, degree), x)
    return float(1 - (rest @ rest) / ((y - y.mean()) @ (y - y.mean())))


def measure_points(
    corpora: Corpora, models: Models, trials: Mapping[str, Trial]
) -> dict[str, Points]:
    """Pair the word error rates of calls with the scores of systems on them."""
    lm = models.lms["class"]
    recognised = {
        REFERENCES: Source.of_references(REFERENCES, corpora.recognised_references),
        **corpora.recognised,
    }
    scored = {
        name: (source, source.scores(lm.detect_all(source.recordings)))
        for name, source in recognised.items()
    }
    points = {"lm": Points.of(scored)}
    for method in ("A", "B"):
        combined = {
            name: (trial.source, trial.scores(method, "tuned")) for name, trial in trials.items()
        }
        if combined:
            points[method] = Points.of(combined)
    return {key: each for key, each in points.items() if len(each.table[0]) >= MIN_POINTS}


def with_and_without_worst(points: Mapping[str, Points]) -> dict[str, Points]:
    """Return the points of each system, and those without the worst recogniser."""
    measure_points: dict[str, Points] = {}
    for key, each in points.items():
        measure_points[SYSTEMS[key]] = each
        rest = each.without_worst()
        if len(rest.table[0]) >= MIN_POINTS:
            measure_points[f"{SYSTEMS[key]}, without {each.worst}"] = rest
    return measure_points


def chapter(points: Mapping[str, Points]) -> Part:
    """Write the chapter on figure 6."""
    rows = []
    for name, each in with_and_without_worst(points).items():
        slope, at_zero = each.line
        rows.append(
            [
                name,
                str(len(each.table[0])),
                with_interval(*each.correlation),
                format_value(at_zero),
                format_difference(slope / 10),
                format_difference(each.bend),
            ]
        )
    head = ("system", "points", "Pearson", "P&R at WER 0", "per 10 points of WER", "bend")
    text = [
        "A point for each call and recogniser. The language model (equation 4, Viterbi) also has "
        "the references themselves, at a word error rate of 0; A and B need times, are tuned for "
        "P&R as in section 8 and decide by the posterior. Intervals resample calls, each with the "
        "points of all recognisers. The bend is how much more of the variance a parabola explains "
        f"than the line; up to {MAX_BEND:g} it counts as straight. As one bad recogniser may "
        "decide where a line goes, the worst is also left out.",
        make_table(head, rows),
        "Within each recogniser (one point a call):",
        _within(points),
    ]
    numbers = {
        key: {
            "points": each.sources,
            "line": each.line,
            "correlation": each.correlation,
            "bend": each.bend,
        }
        for key, each in points.items()
    }
    description = ", ".join(
        f"{SYSTEMS[key]} {with_interval(*each.correlation)}" for key, each in points.items()
    )
    drawn = Picture("errors.svg", "P&R by word error rate", (7.2, 3.2), partial(_draw, points))
    short = (f"P&R against WER, correlation over calls and recognisers: {description}.",)
    return Part("errors", TITLE, "\n\n".join(text), numbers, short, (drawn,))


def _within(points: Mapping[str, Points]) -> str:
    names = [name for name in points["lm"].sources if name != REFERENCES]
    rows = []
    for name in names:
        cells = []
        for each in points.values():
            pairs = list(each.sources.get(name, {}).values())
            cells.append(format_value(_correlation(pairs)) if pairs else "–")
        rows.append([name, *cells])
    return make_table(("recogniser", *(f"Pearson, {SYSTEMS[key]}" for key in points)), rows)


def _correlation(pairs: Sequence[tuple[float, float]]) -> Value:
    return pearson([x for x, _ in pairs], [y for _, y in pairs])


def _draw(points: Mapping[str, Points], axes: Axes) -> None:
    places = split_into_panels(axes, 1, len(points), sharex=True, sharey=True)
    names = list(points["lm"].sources)
    for place, (key, each) in zip(places, points.items(), strict=True):
        draw_points(place, {name: list(each.sources.get(name, {}).values()) for name in names})
        for line in place.get_lines():
            line.set(alpha=0.7, markersize=3, markeredgewidth=0)
        slope, at_zero = each.line
        ends = np.array([0.0, each.table[1][:, 0].max()])
        place.plot(ends, at_zero + slope * ends, color="0.3", lw=1)
        place.set_title(SYSTEMS[key])
        place.set_xlabel("word error rate")
    places[0].set_ylabel("P&R")
    legend_below(places, min(4, len(names)))
