"""What the recipes of `en` and `en-fast` share: the thresholds, the card, the licence.

There is one threshold for recordings with times and one for those without. The latter has the best
mean F1 over corpora: the development recordings of earnings22, earnings21 and rev16, and a sample
of each kind of text. The former lies halfway between this one and the best one for calls with
times, since there is no other timed speech to choose it on. The text was seen in training, most of
it once at most, so that it tells where the threshold should lie, but not what the model reaches:
the card leaves it out. The card has the F1 of each corpus also with thresholds that were chosen
without it, and the mean of these as its score.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from recipes.comparison_data import CORPORA, Task
from recipes.english_corpora import UNCLEAR, read_turns

from caesura.core.arrays import Flags, Floats
from caesura.core.protocols import Detector
from caesura.evaluation.calibration import measure_calibration
from caesura.models.store import Card, Row
from caesura.text.normalization.steps import normalize
from caesura.training.data import inner_boundaries

TUNED_ON = ("earnings22", "earnings21", "rev16")
HELD_OUT = "f1_held_out"
"""On a card: F1 with thresholds that were chosen without any recording of the corpus."""

THRESHOLDS = np.linspace(-3, 1.5, 181)
SAMPLE = 8000

LICENCE = (
    "CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/); what was learnt from, all "
    "of it altered: Earnings-21, Earnings-22 and Rev16 (Rev.com, CC BY-SA 4.0); transcripts of "
    "The Changelog (Changelog Media LLC, https://github.com/thechangelog/transcripts, CC BY-SA "
    "4.0); the AMI Meeting Corpus (Carletta et al.) and the ICSI Meeting Corpus (Janin et al.), "
    "CC BY 4.0, via QMSum (Zhong et al. 2021); UD English-EWT (CC BY-SA 4.0); public sector "
    "information licensed under the Open Government Licence v3.0 (Post Office Horizon IT "
    "Inquiry, UK Covid-19 Inquiry; parsing by Matthew Somerville and c19witness); transcripts of "
    "the US government (public domain)"
)

log = logging.getLogger("caesura.recipes")

D = TypeVar("D", bound=Detector)


def finish(detector: D, data: Path, card: dict[str, Any]) -> tuple[D, Card]:
    """Set the thresholds of a trained detector, and say on its card what it reaches."""
    detector = detector.adjusted(bias=0.0, lone_bias=0.0)
    tasks = [task for one in CORPORA if one.name in TUNED_ON for task in one.tasks(data)]
    known = [Measured.of(detector, task) for task in tasks]
    texts = [Measured.of(detector, task) for task in text_tasks(data)]
    shifts = best_shifts(known + texts)
    tuned = detector.adjusted(
        bias=round(shifts[True], 3), lone_bias=round(shifts[False] - shifts[True], 3)
    )
    curve, odds, ends = [], [], []
    for one in known:
        row = {"corpus": one.task.corpus, "input": one.task.input, "f1": one.f1(shifts)}
        others = [each for each in known if each.task.corpus != one.task.corpus]
        row[HELD_OUT] = one.f1(best_shifts(others + texts))
        log.info("%s", row)
        curve.append(row)
        odds += [each + shifts[one.task.is_timed] for each in one.odds]
        ends += one.ends
    trusted = measure_calibration(odds, ends)
    described = Card(
        **card,
        language="en",
        licence=LICENCE,
        scores={"f1": mean_f1(curve), **trusted.scores()},
        curve=tuple(curve),
        reliability=tuple(trusted.rows()),
    )
    return tuned, described


def mean_f1(curve: Sequence[Row]) -> float:
    """Return the mean F1 of thresholds that were chosen on other corpora."""
    return round(float(np.mean([row[HELD_OUT] for row in curve])), 4)


def best_shifts(measured: Sequence[Measured]) -> dict[bool, float]:
    """Return what to add to the log-odds of recordings with times (True) and without (False)."""
    timed = [one for one in measured if one.task.is_timed]
    lone = [one for one in measured if not one.task.is_timed]
    own, alone = (-best_common_threshold(group) for group in (timed, lone))
    # All timed recordings here are calls; other speech has more sentences, as the text has.
    return {True: (own + alone) / 2, False: alone}


@dataclass(frozen=True)
class Measured:
    """A task, and for each of its recordings the log-odds and what is right, without the end."""

    task: Task
    odds: list[Floats]
    ends: list[Flags]

    @classmethod
    def of(cls, detector: Detector, task: Task) -> Measured:
        """Ask a detector."""
        odds = [detector.log_odds(each)[:-1] for each in task.given]
        return cls(task, odds, [inner_boundaries([each]) for each in task.recordings])

    def f1(self, shifts: Mapping[bool, float]) -> float:
        """Return F1 with what is added to the log-odds."""
        found = np.concatenate(self.odds) + shifts[self.task.is_timed] > 0
        return round(f1(found, np.concatenate(self.ends)), 4)


def text_tasks(data: Path) -> list[Task]:
    """Return a sample of each kind of text, as words alone."""
    found = []
    for file in sorted((data / "text-en").glob("*.txt")):
        if file.stem in UNCLEAR:
            continue
        middle = sorted(read_turns(file), key=len)[-3]
        part = normalize(middle[:SAMPLE], ("case", "punctuation")).only(("sentences",))
        found.append(Task(f"text-en/{file.stem}", "words", (part,)))
    return found


def best_common_threshold(group: Sequence[Measured]) -> float:
    """Return the threshold with the best mean F1 over all tasks."""
    pairs = [(np.concatenate(one.odds), np.concatenate(one.ends)) for one in group]
    means = [np.mean([f1(odds > limit, ends) for odds, ends in pairs]) for limit in THRESHOLDS]
    return float(THRESHOLDS[int(np.argmax(means))])


def f1(found: Flags, right: Flags) -> float:
    """Return F1 of boundaries."""
    both = int((found & right).sum())
    return 2 * both / max(int(found.sum() + right.sum()), 1)
