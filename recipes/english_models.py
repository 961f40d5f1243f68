"""What the recipes of `en` and `en-fast` share: the threshold, the card, the licence.

The threshold is one for all kinds of input. It is chosen on the development recordings of
earnings22, earnings21 and rev16: the one with the best mean of the F1 of all kinds of input.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from recipes.comparison_data import CORPORA, Task

from caesura.core.arrays import Flags, Floats
from caesura.core.protocols import Detector
from caesura.evaluation.calibration import measure_calibration
from caesura.models.store import Card
from caesura.training.data import inner_boundaries

TUNED_ON = ("earnings22", "earnings21", "rev16")
THRESHOLDS = np.linspace(-3, 1.5, 181)

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
    """Set the threshold of a trained detector, and say on its card what it reaches."""
    tasks = [task for one in CORPORA if one.name in TUNED_ON for task in one.tasks(data)]
    odds = [evidence(detector, task) for task in tasks]
    ends = [[inner_boundaries([each]) for each in task.recordings] for task in tasks]
    bias = -best_common_threshold(odds, ends)
    tuned = detector.adjusted(bias=round(bias, 3))
    curve = []
    for task, found, right in zip(tasks, odds, ends, strict=True):
        flat, truth = np.concatenate(found) + bias, np.concatenate(right)
        row = {"corpus": task.corpus, "input": task.input, "f1": round(f1(flat > 0, truth), 4)}
        log.info("%s", row)
        curve.append(row)
    shifted = [one + bias for found in odds for one in found]
    trusted = measure_calibration(shifted, [one for right in ends for one in right])
    scores = {"f1": round(float(np.mean([row["f1"] for row in curve])), 4), **trusted.scores()}
    reliability = tuple(trusted.rows())
    described = Card(
        **card,
        language="en",
        licence=LICENCE,
        scores=scores,
        curve=tuple(curve),
        reliability=reliability,
    )
    return tuned, described


def evidence(detector: Detector, task: Task) -> list[Floats]:
    """Return the log-odds of all gaps but the last of each recording."""
    return [detector.log_odds(each)[:-1] for each in task.given]


def best_common_threshold(
    odds: Sequence[Sequence[Floats]], ends: Sequence[Sequence[Flags]]
) -> float:
    """Return the threshold with the best mean F1 over all tasks."""
    pairs = [(np.concatenate(o), np.concatenate(e)) for o, e in zip(odds, ends, strict=True)]
    means = [np.mean([f1(o > limit, e) for o, e in pairs]) for limit in THRESHOLDS]
    return float(THRESHOLDS[int(np.argmax(means))])


def f1(found: Flags, right: Flags) -> float:
    """Return F1 of boundaries."""
    both = int((found & right).sum())
    return 2 * both / max(int(found.sum() + right.sum()), 1)
