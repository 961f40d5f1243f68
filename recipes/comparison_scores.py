"""Scores of systems on a task, and tests of each system against the best one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from recipes.comparison_data import Task, recording_of
from recipes.comparison_found import found
from recipes.comparison_page import Cell, Result
from recipes.comparison_systems import System

from caesura.core.values import Counts, Undefined
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.document import Document
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.resampling import Interval
from caesura.evaluation.scores import Scores


def boundary_scores(task: Task, systems: Sequence[System], cache: Path) -> dict[str, Scores]:
    """Score the boundaries that each system finds."""
    hypotheses = [
        [
            each.replace(sentences=sentences)
            for each, sentences in zip(task.given, found(one, task, cache), strict=True)
        ]
        for one in systems
    ]
    scores = evaluate_systems(hypotheses, [task.recordings], EvaluationOptions(normalize="none"))
    return dict(zip([one.name for one in systems], map(by_recording, scores), strict=True))


def by_recording(scores: Scores) -> Scores:
    """Add up what several recognisers heard of one recording.

    They are no independent recordings: the intervals would be too narrow.
    """
    heard: dict[str, list[Document]] = {}
    for each in scores.documents:
        heard.setdefault(recording_of(each.id), []).append(each)
    documents = [
        replace(own[0], id=id, counts=(Counts.total(each.counts[0] for each in own),))
        for id, own in heard.items()
    ]
    return replace(scores, documents=tuple(documents))


def result_of(task: Task, systems: Sequence[System], scores: Mapping[str, Scores]) -> Result:
    """Return the cells of all systems on a task."""
    sentences = [each.sentences for each in task.recordings if each.sentences is not None]
    return Result(
        task.corpus,
        task.input,
        len({recording_of(each.id) for each in task.recordings}),
        sum(map(len, task.recordings)),
        sum(int(one.boundary[:-1].sum()) for one in sentences),
        cells_of(scores, systems, task.corpus),
    )


def cells_of(
    scores: Mapping[str, Scores], systems: Sequence[System], corpus: str, value: str = "f1"
) -> dict[str, Cell]:
    """Return the cells of a value, and test each against the best that did not see the corpus."""
    seen = {one.name for one in systems if one.trained_on(corpus)}
    cells = {
        name: Cell(one.values[0][value], interval(one, value), was_seen=name in seen)
        for name, one in scores.items()
    }
    return with_p_values(cells, scores, value)


def interval(scores: Scores, value: str = "f1") -> Interval | Undefined:
    """Return the interval of a value; it is missing where the value is undefined."""
    return scores.intervals[0].get(value, Undefined(f"there is no {value}"))


def with_p_values(
    cells: Mapping[str, Cell], scores: Mapping[str, Scores], value: str = "f1"
) -> dict[str, Cell]:
    """Mark the best cell, and add the p-value of the others' difference from it."""
    fair = {
        name: cell.f1
        for name, cell in cells.items()
        if not cell.was_seen and not isinstance(cell.f1, Undefined)
    }
    if not fair:
        return dict(cells)
    best = max(fair, key=lambda name: fair[name])
    chances = {}
    for name in fair.keys() - {best}:
        p = difference(scores[best], scores[name], value)[1]
        if p is not None:
            chances[name] = p
    return {
        name: replace(cell, is_best=name == best, p=chances.get(name))
        for name, cell in cells.items()
    }


def difference(one: Scores, other: Scores, value: str = "f1") -> tuple[float | None, float | None]:
    """Return how much higher the value of `one` is, and the p-value of the randomization test."""
    (row,) = Comparison(("one", "other"), (one, other), (value,)).rows
    return row.difference, row.p_randomization
