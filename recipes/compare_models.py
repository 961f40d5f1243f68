"""How docs/models.md is made: every model and baseline on every corpus.

    python -m recipes.compare_models --data CORPORA --output docs/models.md

Baselines are trained first. What each system finds is kept in the folder `--cache` by its checksum
and the input, so that a run that was interrupted goes on, and a new model costs only its own rows.
`--only NAME` runs some systems, `--corpus NAME` some corpora, and `--section NAME` some sections;
the page says what was run.
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recipes.comparison_data import CORPORA, Corpus
from recipes.comparison_delay import TASKS as DELAY_TASKS
from recipes.comparison_delay import delay_section, delayed, sample, streams_at_fixed_distance
from recipes.comparison_evidence import Added, added, evidence_section
from recipes.comparison_marks import CORPUS as MARKS_CORPUS
from recipes.comparison_marks import INPUTS as MARKS_INPUTS
from recipes.comparison_marks import marks_result, marks_section
from recipes.comparison_page import Cost, Result, page, short
from recipes.comparison_peers import peers
from recipes.comparison_scores import boundary_scores, result_of
from recipes.comparison_systems import (
    BASELINES,
    System,
    baselines,
    known_baselines,
    shipped,
)
from recipes.english_models import HELD_OUT

import caesura
from caesura.core.atomic import atomic
from caesura.core.transcript import Transcript
from caesura.detectors.stored_model import Model
from caesura.evaluation.resampling import RESAMPLES
from caesura.models.store import shipped_models

SECTIONS = ("boundaries", "costs", "marks", "evidence", "delay")
"""The parts of the page that can be run alone."""

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
    given.add_argument("--section", action="append", default=[], choices=SECTIONS)
    given.add_argument("--cost-of", default="", help=argparse.SUPPRESS)
    asked = given.parse_args()
    if asked.cost_of:
        print(json.dumps(measure(asked.cost_of, asked.data, asked.cache)))
        return
    found, missing = peers(asked.data, asked.cache, asked.only)
    systems = [*baselines(asked.data, asked.cache, asked.only), *shipped(), *found]
    systems = [one for one in systems if not asked.only or one.name in asked.only]
    corpora = [one for one in CORPORA if not asked.corpus or one.name in asked.corpus]
    text = Run(asked.data, asked.cache, systems, corpora, asked.section or SECTIONS).text(missing)
    with atomic(asked.output) as file:
        file.write(text.encode())


@dataclass(frozen=True)
class Run:
    """What is run: systems on corpora, for some sections of the page."""

    data: Path
    cache: Path
    systems: Sequence[System]
    corpora: Sequence[Corpus]
    wanted: Sequence[str] = SECTIONS

    def text(self, missing: Mapping[str, str]) -> str:
        """Run everything and return the page; `missing` are tools that are not there, and why."""
        results: list[Result] = []
        evidence: list[Added] = []
        ceilings = {}
        for corpus in self.corpora:
            if "boundaries" in self.wanted or "evidence" in self.wanted:
                own, gained = self.boundaries(corpus)
                results += own if "boundaries" in self.wanted else []
                evidence += gained if "evidence" in self.wanted else []
            if "boundaries" in self.wanted and corpus.ceiling is not None:
                ceilings[corpus.name] = corpus.ceiling(self.data)
        marks = self.marks() if "marks" in self.wanted else ""
        delay = self.delay() if "delay" in self.wanted else ""
        costs = self.costs() if "costs" in self.wanted else {}
        about = {one.name: one.about for one in self.corpora}
        said = remarks(self.systems, self.corpora, missing, self.wanted)
        sections = filter(None, (marks, evidence_section(evidence), delay))
        return page(results, about, ceilings, costs, said, sections)

    def boundaries(self, corpus: Corpus) -> tuple[list[Result], list[Added]]:
        """Score boundaries on a corpus, and what the models that ship gain from more evidence."""
        tasks = corpus.tasks(self.data)
        scores = {one.input: boundary_scores(one, self.systems, self.cache) for one in tasks}
        results = [result_of(one, self.systems, scores[one.input]) for one in tasks]
        return results, added(corpus.name, scores, self._shipped)

    def marks(self) -> str:
        """Return the section on marks and capitals; '' if its corpus is left out."""
        results = []
        for corpus in self.corpora:
            if corpus.name == MARKS_CORPUS:
                originals = corpus.read(self.data)
                tasks = {one.input: one for one in corpus.tasks(self.data)}
                results += [
                    marks_result(tasks[input], originals, self.systems, self.cache)
                    for input in MARKS_INPUTS
                ]
        return marks_section(results)

    def delay(self) -> str:
        """Return the section on the delay of streams; '' if its corpora are left out."""
        names = {name for name, _ in DELAY_TASKS}
        corpora = [one for one in self.corpora if one.name in names]
        tasks = [
            sample(task)
            for corpus in corpora
            for task in corpus.tasks(self.data)
            if (task.corpus, task.input) in DELAY_TASKS
        ]
        systems = [one for one in self._shipped if streams_at_fixed_distance(one)]
        rows = [row for one in systems for task in tasks for row in delayed(task, one, self.cache)]
        return delay_section(rows, tasks)

    def costs(self) -> dict[str, Cost]:
        """Measure speed and memory of each system."""
        write_sample(self.data, self.cache)
        return {one.name: cost(one, self.data, self.cache) for one in self.systems}

    @property
    def _shipped(self) -> list[System]:
        names = shipped_models("detector")
        return [one for one in self.systems if one.name in names]


NOT_MEASURED = (
    "Not here, because there are no such recordings: talks as a recogniser heard them (in their "
    "place, iwslt-ted/misheard has made-up errors), and one speaker with Whisper's word times.",
    "A second person's F1 is known only where several people transcribed the same recordings.",
    "The models for French, Japanese and Naija are not compared here; their cards have scores.",
    "The weights of sources, how often evidence is hidden, and the number of steps were chosen by "
    "the development recordings, not by leaving out whole sources; coraal-multi, iwslt-ted, "
    "bitcoin_talks and the test part of EWT chose nothing but, in part, how far the threshold "
    "with times lies from that without (coraal-multi).",
)

TRAINING = (
    "trained on the calls of earnings22 that have times and are not scored (CRF and SDA also on "
    "the trees of UD English-EWT); thresholds were tuned on every eighth of these calls, with "
    "times and without."
)


def remarks(
    systems: Sequence[System],
    corpora: Sequence[Corpus],
    missing: Mapping[str, str],
    wanted: Sequence[str] = SECTIONS,
) -> list[str]:
    """Say what was run, and what was not."""
    names = [one.name for one in systems]
    trained = [name for name in names if name in BASELINES]
    others = [name for name in known_baselines() if name not in names]
    left_out = [one.name for one in CORPORA if one not in corpora]
    sections = [name for name in SECTIONS if name not in wanted]
    return [
        f"Caesura {caesura.__version__}; systems: {', '.join(names)}.",
        *([f"Baselines that were not run: {', '.join(others)}."] if others else []),
        f"Corpora: {', '.join(one.name for one in corpora)}"
        + (f"; not run: {', '.join(left_out)}." if left_out else "."),
        *([f"Sections that were not run: {', '.join(sections)}."] if sections else []),
        "Of earnings22, earnings21 and rev16, the recordings in `recipes/development.json` were "
        "scored; of bitcoin_talks, every eighth talk; of the other corpora, all.",
        *([f"{', '.join(trained)}: {TRAINING}"] if trained else []),
        *threshold_remark(systems),
        *(NOT_MEASURED if len(corpora) == len(CORPORA) else ()),
        f"Tests and intervals: {RESAMPLES} resamples.",
        *(f"{name} was not run: {reason}." for name, reason in missing.items()),
    ]


def threshold_remark(systems: Sequence[System]) -> list[str]:
    """Say what it means that some thresholds were chosen on recordings that are scored."""
    rows = {
        one.name: [row for row in one.detector.card.curve if HELD_OUT in row]
        for one in systems
        if isinstance(one.detector, Model)
    }
    names = [name for name, own in rows.items() if own]
    if not names:
        return []
    most = max(float(row["f1"]) - float(row[HELD_OUT]) for name in names for row in rows[name])
    return [
        f"The thresholds of {' and '.join(names)} (one with times, one without) were chosen on the "
        "same recordings of earnings22, earnings21 and rev16, and on a sample of text. Thresholds "
        f"chosen without the corpus that is scored cost at most {short(max(most, 0.0))} of F1."
    ]


def cost(system: System, data: Path, cache: Path) -> Cost:
    """Measure speed and memory of a system in a process of its own."""
    log.info("%s: speed and memory", system.name)
    paths = ["--data", str(data), "--cache", str(cache)]
    done = subprocess.run(  # noqa: S603 - our own program
        [
            *("taskset", "--cpu-list", "0"),
            *(sys.executable, "-m", "recipes.compare_models", *paths, "--cost-of", system.name),
        ],
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
        one for one in peers(data, cache, [name])[0] if one.name == name
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
