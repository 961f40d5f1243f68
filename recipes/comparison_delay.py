"""The section "Delay": F1 against the words that a stream waits for before it decides.

An encoder decides each gap from the words before it and those of the look-ahead. One window of
words that ends with the newest word has a gap for each look-ahead, and so one pass over the words
gives the decisions of all of them; those of the longest look-ahead are exactly those of
`Encoder.stream`, and shorter ones see a few words more before the gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from recipes.comparison_data import Task
from recipes.comparison_found import found, kept
from recipes.comparison_page import NONE, SEEN, markdown, short
from recipes.comparison_systems import System

from caesura.core.arrays import Floats
from caesura.core.protocols import Detector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined, Value
from caesura.detectors.neural.encoder import LOOKAHEADS, Encoder
from caesura.detectors.neural.fast_net import FastNet
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.scores import Scores

TASKS = (("earnings22", "words, times"), ("rev16", "words"), ("iwslt-ted", "words"))
"""The corpora and inputs that are streamed."""

RECORDINGS, WORDS = 3, 4500
"""The most recordings and words of a task: a window for each word takes time."""

INTRODUCTION = """\
F1 of sentence boundaries as a stream decides them: each gap as soon as so many words after it \
have arrived. *all*: the decision once all words are known. *seconds*: the mean time from the end \
of a sentence to the end of the last word that its decision needs. Streams take long, so that only \
the first words were decided, also by *all*: {samples}. All look-aheads of a model are decided in \
one pass, in which those below {longest} words see up to {longest} words more of what was said \
before than in a stream of their own."""


@dataclass(frozen=True)
class Delayed:
    """The decisions of a system at one look-ahead, on one task."""

    system: str
    task: str
    ahead: int | None
    """None for the decision once all words are known."""

    f1: Value
    seconds: Value
    """The mean delay."""

    was_seen: bool = False


def sample(task: Task) -> Task:
    """Return a task with the first words of a few recordings."""
    chosen = task.recordings[:RECORDINGS]
    most = WORDS // len(chosen)
    return replace(task, recordings=tuple(each[:most] for each in chosen))


def streams_at_fixed_distance(system: System) -> bool:
    """Whether a system decides each gap after a fixed number of words."""
    return isinstance(system.stored_detector, Encoder | FastNet)


def delayed(task: Task, system: System, cache: Path) -> list[Delayed]:
    """Score a system at each look-ahead that it has, and once all words are known."""
    parts = [streamed_gaps(replace(task, recordings=(each,)), system, cache) for each in task.given]
    gaps: dict[int | None, list[list[int]]] = {
        ahead: [part[ahead] for part in parts] for ahead in parts[0]
    }
    gaps[None] = [one.gaps.tolist() for one in found(system, task, cache)]
    name, seen = f"{task.corpus}: {task.input}", system.trained_on(task.corpus)
    return [
        Delayed(
            system.name, name, ahead, one["Boundary"]["f1"], one["Latency"]["mean_seconds"], seen
        )
        for ahead, one in zip(gaps, scored(task, gaps), strict=True)
    ]


def streamed_gaps(task: Task, system: System, cache: Path) -> dict[int, list[int]]:
    """Return the boundaries in the only recording of a task at each look-ahead; they are kept."""
    (recording,) = task.recordings
    made = kept(
        cache,
        f"stream {system.name} {system.key} {task.key}",
        f"{system.name}: stream of {recording.id}, {task.input} on {task.corpus}",
        lambda: decisions(system.stored_detector, recording),
    )
    return {int(ahead): gaps for ahead, gaps in made.items()}


def decisions(detector: Detector | None, recording: Transcript) -> dict[int, list[int]]:
    """Return the boundaries that a stream finds at each look-ahead of a detector."""
    if isinstance(detector, Encoder):
        return encoder_decisions(detector, recording)
    assert isinstance(detector, FastNet)
    return {detector.reach: streamed(detector, recording)}


def encoder_decisions(detector: Encoder, recording: Transcript) -> dict[int, list[int]]:
    """Return the boundaries at each look-ahead: one window, ending at each word, decides all."""
    count, reach = len(recording), detector.behind + max(LOOKAHEADS)
    ends: dict[int, list[int]] = {ahead: [] for ahead in LOOKAHEADS}
    for last in range(count):
        first = max(last - reach, 0)
        odds = log_odds_so_far(detector, recording[first : last + 1])
        for ahead, own in ends.items():
            if last >= ahead and odds[-1 - ahead] > 0:
                own.append(last - ahead)
    # The gaps that are left when the stream is closed.
    first = max(count - reach, 0)
    closing = detector.detect(recording[first:]).gaps + first
    for ahead, own in ends.items():
        own += closing[closing >= count - ahead].tolist()
    return ends


def log_odds_so_far(detector: Encoder, window: Transcript) -> Floats:
    """Return the log-odds of gaps after which more words will come."""
    # Not the boundaries: the last gap of a segmentation always is one.
    (found,) = detector.detect_unfinished([window])
    assert found.log_odds is not None
    return found.log_odds


def streamed(detector: Detector, recording: Transcript) -> list[int]:
    """Return the boundaries that the stream of a detector finds."""
    stream = detector.stream()
    sentences = [*stream.push(recording), *stream.close()]
    ends: list[int] = (np.cumsum([len(each) for each in sentences], dtype=np.int64) - 1).tolist()
    return ends


def scored(task: Task, gaps: Mapping[int | None, Sequence[Sequence[int]]]) -> list[Scores]:
    """Score the boundaries at each look-ahead, and their delay."""
    hypotheses = [
        [with_delay(each, own, ahead) for each, own in zip(task.given, ends, strict=True)]
        for ahead, ends in gaps.items()
    ]
    options = EvaluationOptions(metric=("Boundary", "Latency"), normalize="none", resamples=0)
    return list(evaluate_systems(hypotheses, [task.recordings], options))


def with_delay(recording: Transcript, gaps: Sequence[int], ahead: int | None) -> Transcript:
    """Return a recording with its boundaries, and with delays as a stream writes them."""
    count = len(recording)
    sentences = Segmentation.of_gaps(count, gaps)
    if ahead is None or recording.end is None:
        return recording.replace(sentences=sentences)
    last = np.minimum(np.arange(count) + ahead, count - 1)
    # Speakers who overlap can make the later word the one that ends first.
    seconds = np.maximum(recording.end[last] - recording.end, 0)
    return recording.replace(sentences=sentences, evidence={"delay_seconds": seconds})


def delay_section(rows: Sequence[Delayed], tasks: Sequence[Task]) -> str:
    """Return the section; '' without rows."""
    if not rows:
        return ""
    names = list(dict.fromkeys(row.task for row in rows))
    timed = {row.task for row in rows if not isinstance(row.seconds, Undefined)}
    places = list(dict.fromkeys((row.system, row.ahead) for row in rows))
    by_place = {(row.system, row.ahead, row.task): row for row in rows}
    lines = []
    for system, ahead in places:
        cells = [system, "all" if ahead is None else str(ahead)]
        for name in names:
            row = by_place.get((system, ahead, name))
            cells += [_f1(row), _seconds(row)] if name in timed else [_f1(row)]
        lines.append(cells)
    head = ["", "look-ahead (words)"]
    for name in names:
        head += [name, "seconds"] if name in timed else [name]
    samples = ", ".join(map(_described, tasks))
    text = INTRODUCTION.format(samples=samples, longest=max(LOOKAHEADS))
    return "\n\n".join(["## Delay", text, markdown(head, lines)])


def _f1(row: Delayed | None) -> str:
    if row is None or isinstance(row.f1, Undefined):
        return NONE
    return short(row.f1) + (SEEN if row.was_seen else "")


def _seconds(row: Delayed | None) -> str:
    return NONE if row is None or isinstance(row.seconds, Undefined) else f"{row.seconds:.2f}"


def _described(task: Task) -> str:
    count, most = len(task.recordings), max(map(len, task.recordings))
    many = f"each of {count} recordings" if count > 1 else "one recording"
    return f"{most:,} of {many} of {task.corpus}"
