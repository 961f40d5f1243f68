"""How long does it take to count word errors, against jiwer on the same texts?

On one core (OMP_NUM_THREADS=1), in seconds of the processor's time. Both are given texts as strings
and have to cut them into words: many utterances of 20 words, of which each is aligned with its own,
and one document. About 12 % of the words are errors in utterances, 16 % in documents. `aligned` is
the alignment and its counts, `Words` the metric, with information lost from pairs of words.

Must hold: 100,000 words in utterances and as a document take no longer than jiwer, aligned and by
`Words`, which also counts pairs of words, and have the same errors; a document stays under 500 MB
with either weights; the time for utterances grows with the words and not faster.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import jiwer
import numpy as np

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.metrics.words import Words
from caesura.text.alignment.word_alignment import Alignment, align, align_parts
from chunking import on_one_core

UTTERANCE = 20
UTTERANCES = (10_000, 100_000, 1_000_000)
DOCUMENTS = (1_000, 10_000, 100_000)
PASSES = 5
SLOWEST, STEEPEST, LARGEST = 1.0, 1.15, 500
DELETED, INSERTED, REPLACED = 0.04, 0.03, (0.07, 0.12)
"""Shares of words; of those replaced one is for utterances and one for documents."""

Texts = list[str]
Work = Callable[[Texts, Texts], Any]


def made(words: int, utterance: int, replaced: float) -> tuple[Texts, Texts]:
    """Make utterances of so many words, and what a bad ear makes of them."""
    chance = random.Random(3)

    def word() -> str:
        return f"w{min(int(chance.paretovariate(0.7)), 20_000)}"

    def heard(words: Texts) -> Texts:
        found: Texts = []
        for each in words:
            draw = chance.random()
            found += [] if draw < DELETED else [word()] if draw < DELETED + replaced else [each]
            found += [word()] if draw > 1 - INSERTED else []
        return found

    source = [[word() for _ in range(utterance)] for _ in range(words // utterance)]
    return [" ".join(each) for each in source], [" ".join(heard(each)) for each in source]


def cut(texts: Texts) -> tuple[Texts, Any]:
    """Give the words of all texts, and where each text stops."""
    parts = [text.split() for text in texts]
    return list(chain.from_iterable(parts)), np.cumsum(list(map(len, parts)))


def aligned(source: Texts, target: Texts, weights: str = "edits") -> Alignment:
    """Align each text with its own."""
    (ours, stops), (theirs, ends) = cut(source), cut(target)
    return align_parts(ours, theirs, stops, ends, weights)


def as_in_sclite(source: Texts, target: Texts) -> Alignment:
    """Align each text with its own, with the weights of sclite."""
    return aligned(source, target, "sclite")


def scored(source: Texts, target: Texts) -> dict[str, Any]:
    """Give the rates of `Words`, utterance by utterance."""
    said, heard = (
        Transcript(tuple(words), sentences=Segmentation.of_gaps(len(words), stops - 1))
        for words, stops in (cut(source), cut(target))
    )
    metric = Words(unit="sentence")
    return metric.values(metric.count(heard, [said]))


def timed(works: list[Work], source: Texts, target: Texts) -> list[float]:
    """Give the seconds of the fastest of some passes of each, taken in turns."""
    seconds = [float("inf")] * len(works)
    for _ in range(PASSES):
        for at, work in enumerate(works):
            begun = time.process_time()
            work(source, target)
            seconds[at] = min(seconds[at], time.process_time() - begun)
    return seconds


def against_jiwer(name: str, source: Texts, target: Texts) -> tuple[list[str], float]:
    """Print the ratios; say what fails, and the seconds for the alignment."""
    theirs, *ours = timed([jiwer.process_words, aligned, scored], source, target)
    expected, found = jiwer.process_words(source, target), aligned(source, target)
    rates = [seconds / theirs for seconds in ours]
    words = found.source_length
    print(
        f"{name:<10} {words:>9,} {theirs:>8.3f} {ours[0]:>8.3f} {rates[0]:>6.2f} {ours[1]:>8.3f} "
        f"{rates[1]:>6.2f} {found.edits / words:>7.1%}",
        flush=True,
    )
    failed = []
    if found.edits != expected.substitutions + expected.deletions + expected.insertions:
        failed.append(f"{words:,} words, {name}: other errors than jiwer's")
    if not np.isclose(scored(source, target)["wil"], expected.wil):
        failed.append(f"{words:,} words, {name}: other information lost than jiwer's")
    for part, rate in zip(("aligned", "Words"), rates, strict=True):
        if words == DOCUMENTS[-1] and rate > SLOWEST:
            failed.append(f"{words:,} words, {name}, {part}: {rate:.2f} times as long as jiwer")
    return failed, ours[0]


def peak(weights: str) -> float:
    """Print what one document takes in a process of its own, and give its memory in MB."""
    command = [sys.executable, __file__, weights]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, memory = map(float, done.stdout.split())
    print(f"document of {DOCUMENTS[-1]:,} words, {weights}: {seconds:.2f} s, {memory:.0f} MB")
    return memory


def alone(weights: str) -> None:
    """Print, for a program, the seconds and the memory of a document."""
    (source,), (target,) = made(DOCUMENTS[-1], DOCUMENTS[-1], REPLACED[1])
    begun = time.process_time()
    align(source.split(), target.split(), weights)
    seconds = time.process_time() - begun
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    print(seconds, next(int(line.split()[1]) / 1024 for line in lines if "VmHWM" in line))


def measure() -> None:
    """Print all lines; the exit code says whether what must hold does."""
    failed, taken = [], []
    print("                 words  jiwer s  aligned  ratio    Words  ratio  errors")
    for size in UTTERANCES:
        said, seconds = against_jiwer("utterances", *made(size, UTTERANCE, REPLACED[0]))
        failed += said
        taken.append(seconds)
    for size in DOCUMENTS:
        failed += against_jiwer("document", *made(size, size, REPLACED[1]))[0]
    power = np.polyfit(np.log(UTTERANCES), np.log(taken), 1)[0]
    print(f"time for utterances grows with the words to the power of {power:.2f}")
    if power > STEEPEST:
        failed.append(f"time for utterances grows faster than to the power of {STEEPEST}")
    theirs, ours = timed(
        [jiwer.process_words, as_in_sclite], *made(100_000, UTTERANCE, REPLACED[0])
    )
    print(f"utterances of 100,000 words, sclite: {ours:.3f} s, {ours / theirs:.2f} x jiwer")
    for weights in ("edits", "sclite"):
        if peak(weights) > LARGEST:
            failed.append(f"a document with {weights} takes more than {LARGEST} MB")
    sys.exit("; ".join(failed) or 0)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in ("edits", "sclite"):
        alone(sys.argv[1])
    else:
        on_one_core(measure)
