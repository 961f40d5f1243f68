"""How docs/models.md is made: every model and baseline on every corpus.

    python -m recipes.compare_models --data CORPORA --output docs/models.md

Baselines are trained first. What each system finds is kept in the folder `--cache` by its checksum
and the input, so that a run that was interrupted goes on, and a new model costs only its own rows.
`--only NAME` runs some systems, and `--corpus NAME` some corpora; the page says what was run.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from recipes.comparison_data import CORPORA, Corpus, Task
from recipes.comparison_page import Cell, Cost, Result, page
from recipes.comparison_systems import (
    BASELINES,
    System,
    baselines,
    known_baselines,
    peers,
    shipped,
)

import caesura
from caesura.core.atomic import atomic
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.evaluation.comparison import Comparison
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.resampling import RESAMPLES, Interval, holm
from caesura.evaluation.scores import Scores

SAMPLE = 20_000
"""Words on which speed is measured."""

log = logging.getLogger("caesura.recipes")


def main() -> None:
    """Run what is asked for, and write the page."""
    given = argparse.ArgumentParser(description="Compare all models on all corpora.")
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("--output", type=Path, default=Path("docs/models.md"))
    given.add_argument("--cache", type=Path, default=Path("build/models"))
    given.add_argument("--only", action="append", default=[], metavar="SYSTEM")
    given.add_argument("--corpus", action="append", default=[], metavar="CORPUS")
    given.add_argument("--cost-of", default="", help=argparse.SUPPRESS)
    asked = given.parse_args()
    if asked.cost_of:
        print(json.dumps(measure(asked.cost_of, asked.data, asked.cache)))
        return
    found, missing = peers()
    systems = [*baselines(asked.data, asked.cache, asked.only), *shipped(), *found]
    systems = [one for one in systems if not asked.only or one.name in asked.only]
    corpora = [one for one in CORPORA if not asked.corpus or one.name in asked.corpus]
    results, ceilings = [], {}
    for corpus in corpora:
        results += [scored(task, systems, asked.cache) for task in corpus.tasks(asked.data)]
        if corpus.ceiling is not None:
            ceilings[corpus.name] = corpus.ceiling(asked.data)
    write_sample(asked.data, asked.cache)
    costs = {one.name: cost(one, asked.data, asked.cache) for one in systems}
    about = {one.name: one.about for one in corpora}
    text = page(results, about, ceilings, costs, remarks(systems, corpora, missing))
    with atomic(asked.output) as file:
        file.write(text.encode())


def remarks(
    systems: Sequence[System], corpora: Sequence[Corpus], missing: dict[str, str]
) -> list[str]:
    """Say what was run, and what was not."""
    names = [one.name for one in systems]
    trained = [name for name in names if name in BASELINES]
    others = [name for name in known_baselines() if name not in names]
    left_out = [one.name for one in CORPORA if one not in corpora]
    return [
        f"Caesura {caesura.__version__}; systems: {', '.join(names)}.",
        *([f"Baselines that were not run: {', '.join(others)}."] if others else []),
        f"Corpora: {', '.join(one.name for one in corpora)}"
        + (f"; not run: {', '.join(left_out)}." if left_out else "."),
        "Of earnings22, earnings21 and rev16, the recordings in `recipes/development.json` were "
        "scored; of coraal-multi, iwslt-ted and the treebank's test part, all.",
        f"{', '.join(trained)}: trained on the calls of earnings22 that have times and are not "
        "scored (CRF and SDA also on the trees of UD English-EWT); thresholds were tuned on every "
        "eighth of these calls, with times and without.",
        f"Tests and intervals: {RESAMPLES} resamples.",
        *(f"{name} was not run: {reason}." for name, reason in missing.items()),
    ]


def scored(task: Task, systems: Sequence[System], cache: Path) -> Result:
    """Score all systems on a task, and test each against the best that did not see it."""
    key = task.key
    hypotheses = [
        [
            each.replace(sentences=sentences)
            for each, sentences in zip(task.given, found(one, task, key, cache), strict=True)
        ]
        for one in systems
    ]
    scores = evaluate_systems(hypotheses, [task.recordings], EvaluationOptions(normalize="none"))
    by_name = dict(zip([one.name for one in systems], scores, strict=True))
    seen = {one.name for one in systems if one.trained_on(task.corpus)}
    cells = {
        name: Cell(one["Boundary"]["f1"], interval(one), was_seen=name in seen)
        for name, one in by_name.items()
    }
    sentences = [each.sentences for each in task.recordings if each.sentences is not None]
    return Result(
        task.corpus,
        task.input,
        len(task.recordings),
        sum(map(len, task.recordings)),
        sum(int(one.boundary[:-1].sum()) for one in sentences),
        with_p_values(cells, by_name),
    )


def interval(scores: Scores) -> Interval | Undefined:
    """Return the interval of F1; it is missing where F1 is undefined."""
    return scores.intervals[0].get("f1", Undefined("there is no F1"))


def with_p_values(cells: dict[str, Cell], scores: dict[str, Scores]) -> dict[str, Cell]:
    """Mark the best cell, and add the corrected p-value of the others' difference from it."""
    fair = {
        name: cell.f1
        for name, cell in cells.items()
        if not cell.was_seen and not isinstance(cell.f1, Undefined)
    }
    if not fair:
        return cells
    best = max(fair, key=lambda name: fair[name])
    chances = {}
    for name in fair.keys() - {best}:
        (row,) = Comparison((best, name), (scores[best], scores[name]), ("f1",)).rows
        if row.p_randomization is not None:
            chances[name] = row.p_randomization
    corrected = dict(zip(chances, holm(list(chances.values())), strict=True))
    return {
        name: replace(cell, is_best=name == best, p=corrected.get(name))
        for name, cell in cells.items()
    }


def found(system: System, task: Task, key: str, cache: Path) -> list[Segmentation]:
    """Return what a system finds; it is kept, so that it is computed once."""
    name = sha256(f"{system.name} {system.key} {key}".encode()).hexdigest()[:32]
    file = cache / "found" / f"{name}.json"
    counts = [len(each) for each in task.recordings]
    if not file.exists():
        begun = time.monotonic()
        gaps = [one.gaps.tolist() for one in system.detect(task.given)]
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic(file) as opened:
            opened.write(json.dumps(gaps).encode())
        seconds = time.monotonic() - begun
        log.info("%s: %s on %s, %.0f s", system.name, task.input, task.corpus, seconds)
    gaps = json.loads(file.read_text())
    return [Segmentation.of_gaps(*pair) for pair in zip(counts, gaps, strict=True)]


def cost(system: System, data: Path, cache: Path) -> Cost:
    """Measure speed and memory of a system in a process of its own."""
    log.info("%s: speed and memory", system.name)
    paths = ["--data", str(data), "--cache", str(cache)]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "recipes.compare_models", *paths, "--cost-of", system.name],
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    speed, memory = json.loads(done.stdout)
    return Cost(speed, memory, system.bytes)


def write_sample(data: Path, cache: Path) -> None:
    """Write the calls on which speed is measured, in a small file: memory is measured too."""
    calls = CORPORA[0].tasks(data)[1].given
    kept = [calls[0]]
    while sum(map(len, kept)) < SAMPLE and len(kept) < len(calls):
        kept.append(calls[len(kept)])
    cache.mkdir(parents=True, exist_ok=True)
    caesura.write(kept, cache / "sample.jsonl")


def measure(name: str, data: Path, cache: Path) -> tuple[float, float]:
    """Return words per second of processor time, and the MB that loading and segmenting added."""
    sample = list(caesura.read(cache / "sample.jsonl"))
    own = [*baselines(data, cache, [name]), *shipped()]
    before = _peak_memory()
    (system,) = [one for one in own if one.name == name] or [
        one for one in peers()[0] if one.name == name
    ]
    _run(system, sample[:1])
    begun = time.process_time()
    _run(system, sample)
    seconds = time.process_time() - begun
    return sum(map(len, sample)) / max(seconds, 1e-6), _peak_memory() - before


def _peak_memory() -> float:
    """Return the most MB that this process has held; what `resource` says is the parent's too."""
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def _run(system: System, recordings: Sequence[Transcript]) -> None:
    for each in recordings:
        system.detect([each])


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    logging.getLogger("caesura").setLevel(logging.ERROR)
    log.setLevel(logging.INFO)
    main()
