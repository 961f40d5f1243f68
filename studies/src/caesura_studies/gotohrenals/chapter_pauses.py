"""The chapters on pauses alone: sentence ends by length (figure 3) and thresholds (figure 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.core.values import Undefined
from caesura.evaluation.resampling import Interval, bootstrap_sums, percentile_interval
from caesura_studies.claims import value, value_with_interval
from caesura_studies.gotohrenals import paper
from caesura_studies.gotohrenals.experiment import Trial
from caesura_studies.gotohrenals.scoring import MEASURES, RESAMPLING, Source, draw_measures
from caesura_studies.gotohrenals.systems import THRESHOLD, make_pause_model
from caesura_studies.report import (
    Curve,
    Part,
    Picture,
    draw_curves,
    draw_interval_band,
    format_value,
    hide_panels,
    legend_below,
    make_table,
    split_into_panels,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE_3 = "The probability of a sentence end by the length of the pause (figure 3)"
FIGURE_7 = "Thresholds on pauses (figure 7)"
MIN_PAUSES = 30
"""Points of the curve with fewer pauses are left out."""

TABLE_SECONDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0)
"""Pause lengths in the table, in seconds."""

ACROSS = 3


@dataclass(frozen=True)
class Rise:
    """The probability of a sentence end by pause length, with intervals."""

    points: Curve
    intervals: Mapping[float, Interval | Undefined]
    unknown: float | None

    @classmethod
    def of(cls, source: Source) -> Rise:
        """Count in the recordings; bootstrap them for intervals."""
        model = make_pause_model().train(source.recordings)
        alone = [make_pause_model().train([each]).curve() for each in source.recordings]
        rows = np.array([[[p.gaps, p.boundaries] for p in curve] for curve in alone])
        drawn = np.array([sum for (sum,) in _resample(rows)])
        points: dict[float, float] = {}
        around: dict[float, Interval | Undefined] = {}
        unknown = None
        for at, point in enumerate(model.curve()):
            if point.gaps < MIN_PAUSES:
                continue
            if point.seconds is None:
                unknown = point.boundaries / point.gaps
                continue
            points[point.seconds] = point.boundaries / point.gaps
            shares = drawn[:, at, 1] / np.maximum(drawn[:, at, 0], 1)
            around[point.seconds] = percentile_interval(shares.tolist(), RESAMPLING.level)
        return cls(points, around, unknown)

    @property
    def rises(self) -> bool:
        """Whether the longest pauses are ends more often than those of half their length."""
        seconds = list(self.points)
        longest = seconds[-1]
        half = min(seconds, key=lambda each: abs(each - longest / 2))
        short, middle, long = (self.points[each] for each in (seconds[0], half, longest))
        return bool(short < middle < long)  # type: ignore[operator]


def _resample(rows: Any) -> list[list[Any]]:
    flat = rows.reshape(len(rows), -1)
    return [
        [each.reshape(rows.shape[1:]) for each in draw]
        for draw in bootstrap_sums([flat], RESAMPLING)
    ]


def figure_3_chapter(sources: Mapping[str, Source]) -> tuple[dict[str, Rise], Part]:
    """Write the chapter on figure 3."""
    found = {name: Rise.of(source) for name, source in sources.items()}
    rows = [
        [
            name,
            *(_at(rise, each) for each in TABLE_SECONDS),
            "–" if rise.unknown is None else format_value(rise.unknown),
        ]
        for name, rise in found.items()
    ]
    heads = [f"{each:g} s" for each in TABLE_SECONDS[:-1]] + [f"≥ {TABLE_SECONDS[-1]:g} s"]
    text = [
        "Pauses are rounded to 0.1 s, and those from 2 s on are one value. The band in the figure "
        "and the brackets in the table are 95 % bootstrap intervals over calls; points of "
        f"fewer than {MIN_PAUSES} pauses are left out. The references have times by "
        "forced alignment, the recognisers their own.",
        make_table(("words", *heads, "unknown"), rows),
    ]
    rise = [name for name, each in found.items() if each.rises]
    short = (
        "Figure 3: the longer the pause, the likelier a sentence end, on "
        f"{len(rise)} of {len(found)} sources ({', '.join(rise) or 'none'})."
    )
    drawn = Picture("pauses.svg", "Sentence ends by pause", (6.4, 3.6), partial(_draw_rise, found))
    numbers = {name: vars(each) for name, each in found.items()}
    return found, Part("pauses", FIGURE_3, "\n\n".join(text), numbers, (short,), (drawn,))


def _at(rise: Rise, seconds: float) -> str:
    if seconds not in rise.points:
        return "–"
    return with_interval(rise.points[seconds], rise.intervals[seconds])


def _draw_rise(found: Mapping[str, Rise], axes: Axes) -> None:
    draw_curves(axes, {name: each.points for name, each in found.items()})
    first = next(iter(found.values()))
    draw_interval_band(axes, first.intervals)
    axes.set_xlabel("pause in seconds (the last point: all longer ones)")
    axes.set_ylabel("probability of a sentence end")
    axes.set_ylim(0, None)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))


def figure_7_chapter(trials: Mapping[str, Trial]) -> Part:
    """Write the chapter on figure 7."""
    best = {name: best_threshold(trial) for name, trial in trials.items()}
    rows = [_row(trial, name, best[name]) for name, trial in trials.items()]
    text = [
        "A gap is a boundary if its pause is at least so long; unknown pauses are none. The paper "
        "has its recogniser's marker `<s>` too, which none of ours writes. The best threshold is "
        "chosen on the same calls it is shown for, so it is a little too good; the last columns "
        "have the threshold that other calls suggest (as in section 8), with 95 % intervals.",
        make_table(
            (
                "words",
                "best P&R at",
                "P&R",
                "best SER at",
                "SER",
                "tuned elsewhere",
                *MEASURES.values(),
            ),
            rows,
        ),
        f"The paper's best threshold is about {paper.BEST_THRESHOLD} s, the dotted line in the "
        "figure.",
    ]
    best_values = ", ".join(
        f"{name} {format_value(value(trial.thresholds[best[name]], 'f1'))} at {best[name]:g} s"
        for name, trial in trials.items()
    )
    numbers = {
        name: {f"{each:g}": values_as_json(scores) for each, scores in trial.thresholds.items()}
        for name, trial in trials.items()
    }
    rows_of = ceil(len(trials) / ACROSS)
    size = (7.2, 0.5 + 2.1 * rows_of)
    drawn = Picture("thresholds.svg", "Pause thresholds", size, partial(_draw_thresholds, trials))
    short = (f"Pause alone, best P&R by threshold: {best_values}.",)
    return Part("thresholds", FIGURE_7, "\n\n".join(text), numbers, short, (drawn,))


def best_threshold(trial: Trial, name: str = "f1") -> float:
    """Return the threshold that is best on these recordings themselves."""
    sign = 1 if name == "f1" else -1

    def worth(seconds: float) -> float:
        found = value(trial.thresholds[seconds], name)
        return float("-inf") if isinstance(found, Undefined) else sign * found

    return max(trial.thresholds, key=worth)


def values_as_json(scores: Any) -> dict[str, Any]:
    """Return the values of scores without their intervals."""
    return {title: value(scores, name) for name, title in MEASURES.items()}


def _row(trial: Trial, name: str, best: float) -> list[str]:
    lowest = best_threshold(trial, "ser")
    result = trial.results[THRESHOLD, "f1"]
    seconds = " / ".join(f"{each.candidate.setting:g}" for each in result.choices)
    return [
        name,
        f"{best:g} s",
        format_value(value(trial.thresholds[best], "f1")),
        f"{lowest:g} s",
        format_value(value(trial.thresholds[lowest], "ser")),
        f"{seconds} s",
        *(with_interval(*value_with_interval(result.scores, each)) for each in MEASURES),
    ]


def _draw_thresholds(trials: Mapping[str, Trial], axes: Axes) -> None:
    rows = ceil(len(trials) / ACROSS)
    places = split_into_panels(axes, rows, min(ACROSS, len(trials)), sharex=True, sharey=True)
    for place, (name, trial) in zip(places, trials.items(), strict=False):
        draw_measures(place, trial.thresholds)
        place.axvline(paper.BEST_THRESHOLD, color="0.6", lw=0.8, ls=":")
        place.set_title(name)
        place.set_ylim(0, 2)
        place.set_xlabel("threshold in seconds")
        place.label_outer()
    hide_panels(places[len(trials) :])
    legend_below(places, len(MEASURES))
