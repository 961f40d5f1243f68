"""What systems find, kept in files so that a run that was interrupted goes on.

The name of a file is a hash of what was run on what. Where only boundaries are needed, they alone
are kept; labels and written words have files of their own.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from recipes.comparison_data import Task
from recipes.comparison_systems import System

from caesura.core.atomic import atomic
from caesura.core.segmentation import Segmentation

log = logging.getLogger("caesura.recipes")


def kept(cache: Path, key: str, what: str, make: Callable[[], Any]) -> Any:
    """Return what is kept for a key, as JSON holds it; it is made first if there is nothing."""
    file = cache / "found" / f"{sha256(key.encode()).hexdigest()[:32]}.json"
    if not file.exists():
        begun = time.monotonic()
        made = make()
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic(file) as opened:
            opened.write(json.dumps(made).encode())
        log.info("%s, %.0f s", what, time.monotonic() - begun)
    return json.loads(file.read_text())


def found(system: System, task: Task, cache: Path) -> list[Segmentation]:
    """Return the boundaries that a system finds."""

    def make() -> list[list[int]]:
        return [one.gaps.tolist() for one in system.detect(task.given)]

    what = f"{system.name}: {task.input} on {task.corpus}"
    gaps = kept(cache, f"{system.name} {system.key} {task.key}", what, make)
    counts = [len(each) for each in task.recordings]
    return [Segmentation.of_gaps(*pair) for pair in zip(counts, gaps, strict=True)]


def written(system: System, task: Task, cache: Path) -> list[Segmentation]:
    """Return the boundaries, labels and written words that a system finds."""

    def make() -> list[tuple[Any, ...]]:
        return [(one.gaps.tolist(), one.label, one.written) for one in system.detect(task.given)]

    what = f"{system.name}: marks and capitals of {task.input} on {task.corpus}"
    rows = kept(cache, f"written {system.name} {system.key} {task.key}", what, make)
    parts = []
    for each, (gaps, label, words) in zip(task.recordings, rows, strict=True):
        boundary = Segmentation.of_gaps(len(each), gaps).boundary
        parts.append(Segmentation(boundary, label, written=words))
    return parts
