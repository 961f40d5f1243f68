"""How fast are the metrics of boundaries, against nltk and segeval, and how do they grow?

Peers are given the texts in their own shape, ours are transcripts; both answer for three
references, with the same window where there is one, and must give the same values.

Must hold on 100,000 words with 3 references: Pk and WindowDiff at least 3x nltk, boundary
similarity at least 20x segeval, WiSeBE at least 1,000x the authors' program, which was
measured at 5,400 words a second; the time for each word stays the same up to 10,000,000 words.
"""

from __future__ import annotations

import math
import time
import tracemalloc
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from nltk.metrics.segmentation import pk, windowdiff

from caesura.core import registry
from caesura.core.protocols import Metric
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.metrics.similarity import BoundarySimilarity
from caesura.metrics.windowdiff import Pk, WindowDiff
from caesura.metrics.wisebe import WiSeBE

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)
    from segeval import boundary_similarity

T = TypeVar("T")

WORDS = 100_000
REFERENCES = 3
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
PASSES = 3
AUTHORS = 5_400
GROWING = (
    *("Boundary", "WiSeBE", "Agreement", "Pk", "WindowDiff", "BoundarySimilarity"),
    *("SegmentationSimilarity", "Tolerant", "Majority", "KolarLamel"),
    *("Tolerant(seconds=0.5)", "BoundarySimilarity(reach=8)"),
)
"""Metrics that need nothing but boundaries."""


def make(words: int) -> list[Transcript]:
    """Make a hypothesis and its references: a sentence every 16 words, four of ten moved."""
    chance = np.random.default_rng(5)
    true = np.flatnonzero(chance.random(words) < 1 / 16)
    text, end = ("w",) * words, np.cumsum(chance.random(words))
    made = []
    for _ in range(REFERENCES + 1):
        moved = np.where(chance.random(len(true)) < 0.4, chance.integers(-4, 5, len(true)), 0)
        gaps = np.clip(true + moved, 0, words - 1)
        boundary = np.zeros(words, np.bool_)
        boundary[gaps] = True
        made.append(Transcript(text, end=end, sentences=Segmentation(boundary)))
    return made


def flags(one: Transcript) -> str:
    """The gaps inside a text, for nltk."""
    assert one.sentences is not None
    return "".join("01"[flag] for flag in one.sentences.boundary[:-1].tolist())


def masses(one: Transcript) -> tuple[int, ...]:
    """The lengths of all sentences, for segeval."""
    assert one.sentences is not None
    return tuple(np.diff(one.sentences.gaps, prepend=-1).tolist())


def best(run: Callable[[], T]) -> tuple[float, T]:
    """Shortest time of a few passes, and what came out."""
    times = []
    for _ in range(PASSES):
        begun = time.perf_counter()
        found = run()
        times.append(time.perf_counter() - begun)
    return min(times), found


def against(metric: Metric, texts: Sequence[Transcript], peer: Callable[[int], float]) -> None:
    """Print how many times faster a metric is than a peer that is asked for each reference."""
    ours, found = best(lambda: metric.values(metric.count(texts[0], texts[1:])))
    theirs, expected = best(lambda: [peer(i) for i in range(1, len(texts))])
    value = found[metric.main]
    assert not isinstance(value, Undefined)
    assert math.isclose(value, sum(expected) / len(expected)), (value, expected)
    row = f"{theirs:>8.3f} {ours:>9.4f} {theirs / ours:>7,.0f}x"
    print(f"{metric!r:34} {row}")


def compare() -> None:
    """Print a line for each metric that has a peer."""
    texts = make(WORDS)
    window = Pk("pooled").size(texts[1], texts[1:])
    strings, lengths = [flags(one) for one in texts], [masses(one) for one in texts]
    print(f"{WORDS:,} words, {REFERENCES} references")
    print(f"{'metric':34} {'peer s':>8} {'caesura s':>9} {'ratio':>8}")
    against(Pk(window), texts, lambda i: pk(strings[i], strings[0], window))
    against(WindowDiff(window), texts, lambda i: windowdiff(strings[i], strings[0], window))
    against(
        BoundarySimilarity(),
        texts,
        lambda i: float(boundary_similarity(lengths[0], lengths[i])),
    )
    seconds, _ = best(lambda: WiSeBE().count(texts[0], texts[1:]))
    rate = WORDS / seconds
    print(
        f"{WiSeBE()!r}: {rate:,.0f} words/s, {rate / AUTHORS:,.0f}x the {AUTHORS:,} words/s "
        "once measured of the authors' program"
    )


def peak(run: Callable[[], object]) -> float:
    """Megabytes that a run needs at most, besides the texts."""
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def grow() -> None:
    """Print for each metric the time for a word at each size, and the memory at the largest."""
    print(f"\nnanoseconds a word, {REFERENCES} references")
    sizes = " ".join(f"{words:>11,}" for words in SIZES)
    print(f"{'metric':34} {sizes} {'MB':>6}")
    metrics = [registry.parse("metric", name) for name in GROWING]
    cells: list[list[str]] = [[] for _ in metrics]
    for words in SIZES:
        texts = make(words)
        for metric, row in zip(metrics, cells, strict=True):
            count = partial(metric.count, texts[0], texts[1:])
            seconds, _ = best(count)
            row.append(f"{seconds / words * 1e9:>11.1f}")
            if words == SIZES[-1]:
                row.append(f"{peak(count):>6.0f}")
    for name, row in zip(GROWING, cells, strict=True):
        print(f"{name:34} {' '.join(row)}")


def main() -> None:
    """Print both tables."""
    compare()
    grow()


if __name__ == "__main__":
    main()
