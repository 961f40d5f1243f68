"""Example results of task systems for tests."""

from collections.abc import Callable
from typing import Any

import numpy as np

from caesura.evaluation.correlation import ResultCorrelations, correlate

SYSTEMS, SHOWS, TASKS = "abcd", ["one", "two", "three"], ["crf", "hmm"]
Records = list[dict[str, Any]]


def records(
    cell: Callable[[str, str, str], dict[str, Any] | None], tasks: list[str] = TASKS
) -> Records:
    found = []
    for system in SYSTEMS:
        for show in SHOWS:
            for task in tasks:
                numbers = cell(system, show, task)
                if numbers is not None:
                    place = {"system": system, "show": show, "task": task}
                    found.append(place | numbers)
    return found


def drawn_records(seed: int, missing: float = 0.0) -> Records:
    """Small numbers with many ties, and rows that are not there."""
    random = np.random.default_rng(seed)

    def cell(*_: str) -> dict[str, Any] | None:
        numbers = {name: int(random.integers(4)) for name in ("wer", "atene", "eter")}
        return None if random.random() < missing else numbers

    return records(cell)


def smooth(seed: int) -> Records:
    """Numbers without ties: every correlation is defined."""
    random = np.random.default_rng(seed)
    return records(lambda *_: {name: random.random() for name in ("wer", "atene", "eter")})


def ask(rows: Records, **asked: Any) -> ResultCorrelations:
    terms: dict[str, Any] = {"metric": ["wer", "atene"], "result": "eter", "resamples": 50}
    (found,) = correlate(rows, **terms | asked).results
    return found
