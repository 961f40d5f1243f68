"""How fast are the models `en` and `en-fast`, how much memory do they need, how do they grow?

The sentences of an example are joined in random order, without their marks and with made-up pauses.
Each line is measured in a process of its own. `en` is run by numpy and by onnxruntime, which is the
peer here: both must decide alike. `en-fast` is compared with Punkt's algorithm as nltk runs it, on
text with marks, with parameters that have learnt nothing: its speed does not depend on them.

Must hold: `en` decides 2,000 words a second with numpy on one core and 5,000 with onnxruntime on
all; `en-fast` 400,000 on one core, in at most 120 MB for 100,000 words, and its time for each word
stays the same up to 1,000,000 words.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import caesura
from caesura.core.transcript import Transcript

EXAMPLES = Path(__file__).parent.parent / "examples"
SIZES = (10_000, 100_000, 1_000_000)
ENCODER_WORDS = 8_000
GROWTH = 1.3
"""The most that a word may cost more in a long recording."""


def made_up(count: int) -> Transcript:
    """Join sentences of the examples until there are so many words, without their marks."""
    draw = np.random.default_rng(3)
    lines = (EXAMPLES / "council.ann.txt").read_text(encoding="utf-8").splitlines()
    known = [line.lower().replace(".", "").replace(",", "").replace("?", "") for line in lines]
    words: list[str] = []
    while len(words) < count:
        words += known[draw.integers(len(known))].split()
    pauses = draw.exponential(0.15, count)
    end = np.cumsum(pauses + 0.3)
    return Transcript(tuple(words[:count]), start=end - 0.3, end=end, language="en")


def measure(name: str, runtime: str, count: int) -> dict[str, Any]:
    """Return the words a second, the MB that were added at most, and a sum of what was decided."""
    talk = made_up(count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model: Any = caesura.load(name)
    detector = model.stored.detector
    if runtime:
        detector = detector.adjusted(runtime=runtime)
    detector.detect(talk[:2000])
    begun = time.perf_counter()
    found = detector.detect(talk)
    seconds = time.perf_counter() - begun
    decided = (found.gaps.tolist(), found.label, found.written)
    added = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"speed": count / seconds, "added": added / 1000, "decided": hash(repr(decided))}


def punkt(count: int) -> dict[str, Any]:
    """Return the words a second of nltk's Punkt."""
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    words = made_up(count).words
    text = " ".join(f"{word}." if at % 15 == 14 else word for at, word in enumerate(words))
    begun = time.perf_counter()
    PunktSentenceTokenizer().tokenize(text)
    return {"speed": count / (time.perf_counter() - begun)}


def alone(cores: int, *asked: object) -> dict[str, Any]:
    """Measure in a process of its own, with so many threads of BLAS and onnxruntime."""
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(cores))
    done = subprocess.run(
        [*_on_cores(cores), sys.executable, __file__, *map(str, asked)],
        env={**os.environ, **limits, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _on_cores(cores: int) -> Sequence[str]:
    return ["taskset", "--cpu-list", "0"] if cores == 1 else []


def main() -> int:
    """Print all lines; 1 if something does not hold."""
    if len(sys.argv) > 1:
        name, runtime, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
        print(json.dumps(punkt(count) if name == "punkt" else measure(name, runtime, count)))
        return 0
    holds = []
    every = os.cpu_count() or 1
    numpy = alone(1, "en", "numpy", ENCODER_WORDS)
    print(f"en, numpy, one core: {numpy['speed']:,.0f} words/s, {numpy['added']:.0f} MB")
    for cores in (1, every):
        peer = alone(cores, "en", "onnxruntime", ENCODER_WORDS)
        ratio, same = peer["speed"] / numpy["speed"], peer["decided"] == numpy["decided"]
        told = f"{peer['speed']:,.0f} words/s, {ratio:.1f} x numpy, {peer['added']:.0f} MB"
        print(f"en, onnxruntime, cores {cores}: {told}, {'same' if same else 'OTHER'} decisions")
        holds.append(same)
    holds += [numpy["speed"] >= 2000, peer["speed"] >= 5000]
    speeds = {}
    for count in SIZES:
        fast = alone(1, "en-fast", "", count)
        speeds[count] = fast["speed"]
        told = f"{fast['speed']:,.0f} words/s, {fast['added']:.0f} MB"
        print(f"en-fast, {count:,} words: {told}")
        holds.append(fast["added"] <= 120 or count > SIZES[1])
    ratio = speeds[SIZES[1]] / alone(1, "punkt", "", SIZES[1])["speed"]
    print(f"en-fast on {SIZES[1]:,} words: {ratio:.1f} x nltk's Punkt")
    holds += [speeds[SIZES[1]] >= 400_000, speeds[SIZES[1]] / speeds[SIZES[2]] <= GROWTH]
    return 0 if all(holds) else 1


if __name__ == "__main__":
    sys.exit(main())
