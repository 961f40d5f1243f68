"""The section "Marks and capitals": how well they are restored, by the metric `Restoration`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recipes.comparison_data import Task
from recipes.comparison_found import written
from recipes.comparison_page import Cell, markdown
from recipes.comparison_scores import cells_of
from recipes.comparison_systems import System

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.scores import Scores
from caesura.text.restore import restore

CORPUS = "earnings22"
INPUTS = ("words, times", "words")
"""Where marks and capitals are scored."""

VALUES = {
    "f1": "marks",
    "comma_f1": "`,`",
    "period_f1": "`.`",
    "question_f1": "`?`",
    "case_accuracy": "case",
    "capitals_f1": "capitals",
    "inner_capitals_f1": "inner capitals",
}
"""The values of `Restoration` that are shown, and the heads of their columns."""

INTRODUCTION = """\
The words of {recordings} recordings of {corpus} ({words:,} words), in lower case and without \
punctuation, were given marks and capitals and compared with the transcript as the person wrote \
it, by the metric [Restoration](restoration.md#how-well). Systems that find nothing but boundaries \
are left out. Brackets, `=` and † are as above.

- *marks*: F1 of `,`, `.` and `?` together. `!` and `;` count as a full stop, `:` and dashes as a \
comma, and a mark of the wrong kind counts as one that is spurious and one that is missing. In the \
columns of single marks `!` is no full stop.
- *case*: of the words that have letters, the share that is written exactly as in the reference.
- *capitals*: F1 of words with a capital inside the sentences of the reference: the words that \
begin them do not count, but a capital after a sentence end that only the system sees does, as \
spurious.
- *inner capitals*: the same without words that begin a sentence of the system, either, so that \
boundaries have no part in it.
"""


@dataclass(frozen=True)
class MarksResult:
    """The cells of all systems for one input, by the value and the system."""

    corpus: str
    input: str
    recordings: int
    words: int
    cells: Mapping[str, Mapping[str, Cell]]


def marks_result(
    task: Task, originals: Sequence[Transcript], systems: Sequence[System], cache: Path
) -> MarksResult:
    """Score what systems restore against the transcripts as they were written."""
    scores = restoration_scores(task, originals, systems, cache)
    return MarksResult(
        task.corpus,
        task.input,
        len(task.recordings),
        sum(map(len, task.recordings)),
        {value: cells_of(scores, systems, task.corpus, value) for value in VALUES},
    )


def restoration_scores(
    task: Task, originals: Sequence[Transcript], systems: Sequence[System], cache: Path
) -> dict[str, Scores]:
    """Score the restored transcripts of each system that gives marks or capitals."""
    shown = {}
    for one in systems:
        parts = written(one, task, cache)
        if any(map(gives_more_than_boundaries, parts)):
            pairs = zip(task.given, parts, strict=True)
            shown[one.name] = [restore(each.replace(sentences=part)) for each, part in pairs]
    options = EvaluationOptions(metric="Restoration", normalize="none")
    scores = evaluate_systems(list(shown.values()), [originals], options)
    return dict(zip(shown, scores, strict=True))


def gives_more_than_boundaries(found: Segmentation) -> bool:
    """Whether a segmentation says something about marks or capitals."""
    return any(found.label or ()) or found.written is not None


def marks_section(results: Sequence[MarksResult]) -> str:
    """Return the section; '' without results."""
    if not results:
        return ""
    first = results[0]
    about = INTRODUCTION.format(recordings=first.recordings, corpus=first.corpus, words=first.words)
    return "\n\n".join(["## Marks and capitals", about.strip(), *map(_table, results)])


def _table(result: MarksResult) -> str:
    systems = list(result.cells["f1"])
    rows = [(name, *(result.cells[value][name].full() for value in VALUES)) for name in systems]
    return markdown((result.input, *VALUES.values()), rows)
