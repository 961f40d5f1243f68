"""How long does the exact alignment of long documents take, against jiwer on the same pair?

Both are given the two texts as strings, so both have to cut them into words.

Must hold: two documents of 100,000 words with 15 % edits or more at most 1.5x
`jiwer.process_words`, under 500 MB, with the exact minimum number of edits.
"""

from __future__ import annotations

import random
import resource
import time

import jiwer
from rapidfuzz.distance import Levenshtein

from caesura.text.align import align

SIZES = (1_000, 10_000, 100_000)
PASSES = 3
EDIT_RATE = 0.15


def make(words: int) -> tuple[list[str], list[str]]:
    """Make a text and a copy in which 20 % of the words were changed, dropped or added.

    Some changes cancel each other, or put the same word again, so that about 17 % are edits.
    """
    chance = random.Random(3)

    def word() -> str:
        return f"w{min(int(chance.paretovariate(0.7)), 20000)}"

    source = [word() for _ in range(words)]
    target: list[str] = []
    for each in source:
        draw = chance.random()
        if draw < 0.10:
            target.append(word())
        elif draw < 0.15:
            continue
        else:
            target += [each, word()] if draw < 0.20 else [each]
    return source, target


def main() -> None:
    """Print a line for each size."""
    times = f"{'jiwer s':>8} {'caesura s':>9} {'ratio':>6}"
    print(f"{'words':>8} {times} {'edits':>7} {'rate':>6} {'MB':>5}")
    for words in SIZES:
        source, target = make(words)
        joined = " ".join(source), " ".join(target)
        theirs, ours = [], []
        for _ in range(PASSES):
            begun = time.perf_counter()
            jiwer.process_words(*joined)
            theirs.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            found = align(joined[0].split(), joined[1].split())
            ours.append(time.perf_counter() - begun)
        assert found.edits == Levenshtein.distance(source, target)
        rate = found.edits / words
        assert rate >= EDIT_RATE
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        ratio = min(ours) / min(theirs)
        times = f"{min(theirs):>8.3f} {min(ours):>9.3f} {ratio:>6.2f}"
        print(f"{words:>8,} {times} {found.edits:>7,} {rate:>6.1%} {memory:>5.0f}")


if __name__ == "__main__":
    main()
