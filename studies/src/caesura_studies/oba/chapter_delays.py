"""The chapter on streams: how good boundaries are, and how long one waits for them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value
from caesura.detectors.syntax.sda import SDA
from caesura.detectors.window_stream import Lookahead
from caesura.evaluation.reports.figures import COLOURS, MARKERS
from caesura.metrics.boundary import Boundary
from caesura.metrics.latency import Latency
from caesura_studies.oba.corpora import detector_input
from caesura_studies.oba.experiment import Trial, with_detected_sentences
from caesura_studies.oba.model_cache import ModelCache
from caesura_studies.oba.plan import Plan
from caesura_studies.report import (
    Part,
    Picture,
    format_value,
    hide_panels,
    legend_below,
    make_table,
    plot_value,
    split_into_panels,
    use_log_scale,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

logger = logging.getLogger("caesura.studies")

TITLE = "Streams: boundary F against delay"
CRF, PATIENT, SHORT = "CRF, words waited for", "SDA+CRF, patience", "SDA+CRF, short stretches"
MAX_LOSS = 0.01
"""A stream whose boundary F is lower by at most this does about as well as whole recordings."""

SHOWN = {"mean_words": "mean delay in words", "median_seconds": "median delay in seconds"}
TICKS = {"mean_words": (1, 2, 5, 10, 20, 50), "median_seconds": (0.5, 1, 2, 5, 10, 20)}
LEAST_SPAN = 0.1
"""The least range of boundary F that an axis shows: smaller differences are mostly chance."""

METRIC, LATENCY = Boundary(), Latency()


@dataclass(frozen=True)
class Point:
    """A detector in a stream: its series, its setting, its boundary F and its delays."""

    series: str
    setting: str
    f1: Value
    delays: Mapping[str, Value]


@dataclass(frozen=True)
class Streams:
    """The streams of a language, and the boundary F of the same detectors on whole recordings."""

    points: tuple[Point, ...]
    batch: Mapping[str, Value]


def run_streams(trial: Trial, cache: ModelCache, plan: Plan) -> Streams:
    """Run all streams over the evaluation recordings, in one order."""
    linked = _models_by_look_ahead(trial, cache, plan)
    run: list[tuple[str, str, Detector]] = [
        (CRF, str(words), Lookahead(trial.crf, words)) for words in plan.windows
    ]
    run += [
        (f"{PATIENT} {patience}", f"ahead {sda.ahead}", sda.adjusted(patience=patience))
        for patience in plan.patiences
        for sda in linked
    ]
    hasty = linked[0].adjusted(patience=plan.patiences[0])
    run += [
        (SHORT, f"ahead {hasty.ahead}, stretch {stretch}", hasty.adjusted(stretch=stretch))
        for stretch in plan.stretches
    ]
    points = tuple(_point(trial, *each) for each in run)
    batch = {"CRF": _batch(trial, trial.crf), "SDA+CRF": _batch(trial, linked[-1])}
    return Streams(points, batch)


def _models_by_look_ahead(trial: Trial, cache: ModelCache, plan: Plan) -> list[SDA]:
    """Return a model for each number of clusters of look-ahead, with the tuned α and bias."""
    crf = cache.crf(trial.name, trial.language.train, trial.tuned.c2)
    chosen = trial.tuned.both
    return [
        cache.sda(trial.name, trial.language.train, crf, ahead).adjusted(
            alpha=chosen.alpha, bias=chosen.bias
        )
        for ahead in plan.aheads
    ]


def _point(trial: Trial, series: str, setting: str, detector: Detector) -> Point:
    logger.info("%s: stream, %s, %s", trial.language.name, series, setting)
    counts, waited = Counts(), Counts()
    for reference in trial.language.first_orders:
        ours = stream_recording(detector, detector_input(reference))
        counts += METRIC.count(ours, [reference])
        waited += LATENCY.count(ours, [])
    values = LATENCY.values(waited)
    return Point(
        series, setting, METRIC.values(counts)["f1"], {each: values[each] for each in SHOWN}
    )


def stream_recording(detector: Detector, words: Transcript) -> Transcript:
    """Run a detector as a stream over a recording; return its sentences with their delays."""
    stream = detector.stream()
    return Transcript.join([*stream.push(words), *stream.close()])


def _batch(trial: Trial, detector: Detector) -> Value:
    recordings = trial.language.first_orders
    pairs = zip(with_detected_sentences(detector, recordings), recordings, strict=True)
    counts = sum((METRIC.count(ours, [theirs]) for ours, theirs in pairs), Counts())
    return METRIC.values(counts)["f1"]


def chapter(found: Mapping[str, Streams]) -> Part:
    """Write the chapter on streams."""
    rows = [
        [
            name,
            each.series,
            each.setting,
            format_value(each.f1),
            *map(format_value, each.delays.values()),
        ]
        for name, streams in found.items()
        for each in streams.points
    ]
    text = [
        "A boundary is decided some time after it was spoken. The CRF waits for a number of words "
        "(and looks as far back). SDA+CRF labels words at each pause of 0.2 s, at the latest after "
        f"a stretch of {SDA().stretch} words, sees so many clusters ahead, and gives a sentence at "
        "the latest when so many clusters (its patience) follow it; with short stretches its "
        "patience is the least. Each number of clusters ahead has a model of its own; α, bias and "
        "threshold are those tuned for whole recordings. Shuffled sentences are streamed in one "
        "order.",
        make_table(("treebank", "stream", "setting", "boundary F", *SHOWN.values()), rows, 3),
        "On whole recordings, "
        + "; ".join(
            f"{name}: "
            + ", ".join(f"{each} {format_value(v)}" for each, v in streams.batch.items())
            for name, streams in found.items()
        )
        + ".",
    ]
    numbers: dict[str, Any] = {
        name: {"streams": list(streams.points), "batch": streams.batch}
        for name, streams in found.items()
    }
    drawn = Picture("delays.svg", "Boundary F against delay", (7.2, 5.2), partial(_draw, found))
    short = [_short(name, streams) for name, streams in found.items()]
    return Part("delays", TITLE, "\n\n".join(text), numbers, short, (drawn,))


def _short(name: str, streams: Streams) -> str:
    """Name the shortest delay at which each kind is about as good as on whole recordings."""
    description = []
    for kind, whole in streams.batch.items():
        points = [each for each in streams.points if each.series.startswith(f"{kind},")]
        near = [each for each in points if plot_value(each.f1) >= plot_value(whole) - MAX_LOSS]
        first = min(near, key=lambda each: plot_value(each.delays["mean_words"]), default=None)
        if first is None:
            description.append(
                f"no {kind} comes near the {format_value(whole)} of whole recordings"
            )
        else:
            words = plot_value(first.delays["mean_words"])
            description.append(
                f"{kind} {format_value(first.f1)} after {words:.1f} words on average "
                f"({first.setting}), with all words {format_value(whole)}"
            )
    return f"Streams, {name}, the first that is about as good: {'; '.join(description)}."


def _draw(found: Mapping[str, Streams], axes: Axes) -> None:
    """Draw a row for words and one for seconds, a column for each language."""
    places = split_into_panels(axes, len(SHOWN), len(found))
    for row, (measure, title) in enumerate(SHOWN.items()):
        for at, (name, streams) in enumerate(found.items()):
            place = places[row * len(found) + at]
            if not _draw_series(place, streams, measure):
                hide_panels([place])
                continue
            place.set_xlabel(title)
            if row == 0:
                place.set_title(name)
            if at == 0:
                place.set_ylabel("boundary F")
    legend_below(places, 4)


def _draw_series(place: Axes, streams: Streams, measure: str) -> bool:
    """Draw the series of a language; return whether any has this delay."""
    series: dict[str, list[Point]] = {}
    for each in streams.points:
        series.setdefault(each.series, []).append(each)
    known = [each for each in streams.points if not isinstance(each.delays[measure], Undefined)]
    for i, (name, points) in enumerate(series.items()):
        xs = [plot_value(each.delays[measure]) for each in points]
        ys = [plot_value(each.f1) for each in points]
        line = "none" if name == SHORT else "-"
        place.plot(xs, ys, color=COLOURS[i], marker=MARKERS[i], ms=3.5, ls=line, lw=1, label=name)
    for (name, level), line in zip(streams.batch.items(), (":", "--"), strict=True):
        label = f"{name}, whole recordings"
        place.axhline(plot_value(level), color="0.35", ls=line, lw=1, label=label)
    use_log_scale(place, TICKS[measure])
    low, high = place.get_ylim()
    more = max(LEAST_SPAN - (high - low), 0) / 2
    place.set_ylim(low - more, high + more)
    place.grid(color="0.88", lw=0.5)
    return bool(known)
