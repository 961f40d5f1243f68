"""How long does a million-word CTM take to become an SRT, against merely splitting its lines?

Must hold: read, segment and write in one process under 600 MB and under 5x the time that
reading the same file into bare Python lists with `str.split` takes, in the same run.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = (10_000, 100_000, 1_000_000)
PASSES = 3

WORK = """
import resource, sys, time
begun = time.perf_counter()
{work}
print(time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
SPLIT = """
with open({source!r}, encoding="utf-8") as file:
    rows = [line.split() for line in file]
"""
CAESURA = """
from caesura import api
api.write(api.segment({source!r}), output={target!r}, to="srt")
"""


def make(path: Path, words: int) -> None:
    """Write a CTM of random words, a pause of over 0.4 s about every fifteenth word."""
    chance = random.Random(5)
    vocabulary = [
        "".join(chance.choices("etaoinshrdlu", k=chance.randint(1, 9))) for _ in range(20000)
    ]
    now = 0.0
    with path.open("w", encoding="utf-8") as file:
        for _ in range(words):
            length = chance.uniform(0.08, 0.6)
            word = vocabulary[min(int(chance.paretovariate(0.8)) - 1, 19999)]
            file.write(f"talk 1 {now:.2f} {length:.2f} {word} {chance.uniform(0.3, 1):.2f}\n")
            now += length + (chance.uniform(0.4, 2) if chance.random() < 1 / 15 else 0.02)


def run(work: str) -> tuple[float, float]:
    """Least seconds and most megabytes of a few fresh processes; imports count."""
    seen = []
    for _ in range(PASSES):
        done = subprocess.run(
            [sys.executable, "-c", WORK.format(work=work)],
            capture_output=True,
            text=True,
            check=True,
        )
        seen.append(tuple(map(float, done.stdout.split())))
    return min(s for s, _ in seen), max(m for _, m in seen)


def main() -> None:
    """Print a line for each size."""
    print(f"{'words':>9} {'split s':>8} {'caesura s':>9} {'ratio':>6} {'MB':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for words in SIZES:
            source, target = Path(folder) / "talk.ctm", Path(folder) / "talk.srt"
            make(source, words)
            split, _ = run(SPLIT.format(source=str(source)))
            ours, memory = run(CAESURA.format(source=str(source), target=str(target)))
            print(f"{words:>9,} {split:>8.2f} {ours:>9.2f} {ours / split:>6.2f} {memory:>6.0f}")


if __name__ == "__main__":
    main()
