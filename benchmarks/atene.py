"""How long does ATENE take, to be learnt and to judge a recording?

On one core (OMP_NUM_THREADS=1), in seconds of the processor's time, on made-up words of which some
are names of four classes. No other package has ATENE; `Words` on the same texts, which needs their
alignment too, is the peer.

Must hold: with a loaded model a recording of 10,000 words takes less than 2 seconds; learning from
300,000 words takes less than 3 minutes; from 10,000 to 100,000 words, time grows no faster than
that of `Words` (but for 0.1 of the exponent, which differs that much by chance), for which the
exact alignment of a whole recording sets the pace.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging.entity_model import Margins
from caesura.metrics.atene import ATENE
from caesura.metrics.words import Words
from chunking import on_one_core

CLASSES = ("PER", "LOC", "ORG", "MISC")
LEARNT, SIZES = 300_000, (1_000, 10_000, 100_000)
NAMED, WRONG = 0.06, 0.15
"""Shares of words that begin a name, and that are misheard."""

SLOWEST, LONGEST, SLACK = 2.0, 180.0, 0.1
PASSES = 3


def made(count: int, seed: int) -> Transcript:
    """Make words with names of one to three words among them."""
    chance = random.Random(seed)
    words: list[str] = []
    names: list[Span] = []
    while len(words) < count:
        if chance.random() >= NAMED:
            words.append(_word(chance, "w", 20_000))
            continue
        label, size = chance.choice(CLASSES), chance.choice((1, 1, 2, 3))
        names.append(Span(len(words), len(words) + size - 1, label))
        words += [_word(chance, label.lower(), 3_000) for _ in range(size)]
    return Transcript(tuple(words), id="talk", entities=tuple(names))


def misheard(talk: Transcript) -> Transcript:
    """Replace some words."""
    chance = random.Random(7)
    wrong = (_word(chance, "w", 20_000) if chance.random() < WRONG else w for w in talk.words)
    return Transcript(tuple(wrong), id=talk.id)


def _word(chance: random.Random, front: str, most: int) -> str:
    return f"{front}{min(int(chance.paretovariate(0.7)), most)}"


def timed(work: Callable[[], Any], passes: int = PASSES) -> float:
    """Give the seconds of the fastest pass."""
    found = []
    for _ in range(passes):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def measure() -> None:
    """Print all lines; the exit code says whether what must hold does."""
    lesson, failed = made(LEARNT, 1), []
    learnt: list[Margins] = []
    took = timed(lambda: learnt.append(Margins().train([lesson])), 1)
    print(f"learning from {LEARNT:,} words: {took:.0f} s")
    if took >= LONGEST:
        failed.append(f"learning takes {took:.0f} s")
    metric = ATENE(model=learnt[0])
    taken, peers = [], []
    for size in SIZES:
        talk = made(size, 2)
        heard = misheard(talk)
        # Each pass has texts of its own, since what was aligned is kept.
        texts = iter([(heard.replace(id=str(n)), talk.replace(id=str(n))) for n in range(9)])
        ours = timed(lambda: _counted(metric, *next(texts)))  # noqa: B023 - called at once
        theirs = timed(lambda: _counted(Words(), *next(texts)))  # noqa: B023
        taken.append(ours)
        peers.append(theirs)
        print(f"ATENE, {size:>7,} words: {ours:.3f} s, {ours / theirs:.1f} x Words")
    if taken[1] >= SLOWEST:
        failed.append(f"{SIZES[1]:,} words take {taken[1]:.1f} s")
    powers = [float(np.polyfit(np.log(SIZES[1:]), np.log(x[1:]), 1)[0]) for x in (taken, peers)]
    print(f"time grows to the power of {powers[0]:.2f}, that of Words to {powers[1]:.2f}")
    if powers[0] > powers[1] + SLACK:
        failed.append("time grows faster than that of Words")
    sys.exit("; ".join(failed) or 0)


def _counted(metric: ATENE | Words, heard: Transcript, talk: Transcript) -> Any:
    return metric.count(heard, [talk])


if __name__ == "__main__":
    on_one_core(measure)
