"""How fast is sequential dependency analysis, off-line and word by word, and how does that grow?

On one core (OMP_NUM_THREADS=1), in seconds of the processor's time, on Naija where CAESURA_DATA
names a folder with it, else on made-up words with tags, times and chains as trees. The peer is
python-crfsuite with the same features as texts: it labels words and finds no links.

Must hold: SDA with its CRF goes through at least 15,000 words a second; twice as many words take
no more than 2.2 times as long; a word that arrives takes less than 2 ms in 99 of 100 cases, and
what a stream keeps does not grow.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import psutil

from caesura.core.arrays import Floats
from caesura.core.transcript import Transcript
from caesura.detectors.syntax.crf_svm import CRF
from caesura.detectors.syntax.sda import SDA
from caesura.detectors.tagging.pos_tagger import Tagger
from chunking import best, on_one_core, peer, spoken

ROUNDS = 10
"""Iterations of training: weights do not bear on speed."""

SIZES = (10_000, 100_000, 1_000_000)
LEAST, SLOWEST, STEEPEST = 15_000, 2.0, 1.14
STREAMED, GROWN = 50_000, 5.0


def with_trees(recording: Transcript) -> Transcript:
    """Let each word hang on the next in its sentence, if there are no trees."""
    if recording.head is not None or recording.sentences is None:
        return recording
    head = np.arange(len(recording)) + ~recording.sentences.boundary
    return recording.replace(head=head, relation=("dep",) * len(recording))


def repeated(given: list[Transcript], words: int) -> list[Transcript]:
    """Give so many words, in recordings of about their own lengths."""
    found: list[Transcript] = []
    while words > 0:
        for each in given:
            found.append(each[:words])
            words -= len(found[-1])
            if words <= 0:
                break
    return found


def waits(detector: SDA, words: list[Transcript]) -> tuple[Floats, float]:
    """Give the milliseconds that each word takes, and the MB that the second half adds."""
    stream, found = detector.stream(), []
    memory, half = psutil.Process().memory_info, 0
    for at, word in enumerate(words):
        if 2 * at == len(words):
            half = memory().rss
        begun = time.process_time_ns()
        stream.push(word)
        found.append(time.process_time_ns() - begun)
    return np.array(found) / 1e6, (memory().rss - half) / 1e6


def measure() -> None:
    """Print all lines; the exit code says whether what must hold does."""
    given = spoken()
    bare = [each.only(["tag", "start", "end"]) for each in given]
    untagged = [each.only(["start", "end"]) for each in given]
    lessons = [with_trees(each).replace(speaker=None) for each in given]
    ours = SDA(crf=CRF(iterations=ROUNDS, size=20_000)).train(lessons)
    tagging = SDA(crf=CRF(iterations=ROUNDS, size=20_000, tagger=Tagger(size=10_000)))
    tagging = tagging.train(lessons[:10])
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        both, _ = peer([each.replace(speaker=None) for each in given[:20]], str(Path(folder, "m")))
    print(f"peer, features and tagging: {both:,.0f} words a second")
    taken = []
    for size in SIZES:
        some = repeated(bare, size)
        taken.append(best(partial(ours.detect_all, some)))
        rate = size / taken[-1]
        print(f"SDA, {size:>9,} words: {rate:>9,.0f} words a second, {rate / both:.2f} x the peer")
        if rate < LEAST:
            failed.append(f"{size:,} words: fewer than {LEAST:,} a second")
    power = np.polyfit(np.log(SIZES), np.log(taken), 1)[0]
    print(f"time grows with the words to the power of {power:.2f}")
    if power > STEEPEST:
        failed.append(f"time grows faster than to the power of {STEEPEST}")
    some = repeated(untagged, SIZES[1])
    print(f"SDA with a tagger: {SIZES[1] / best(partial(tagging.detect_all, some)):,.0f} a second")
    for name, detector, words in (("SDA", ours, bare), ("SDA with a tagger", tagging, untagged)):
        pieces = [
            each[at : at + 1] for each in repeated(words, STREAMED) for at in range(len(each))
        ]
        waits(detector, pieces[:1000])
        found, grown = waits(detector, pieces)
        p50, p99 = np.quantile(found, (0.5, 0.99))
        print(
            f"{name}, word by word: {found.mean():.2f} ms on average, {p50:.2f} in half of the "
            f"cases, {p99:.2f} at p99, {found.max():.1f} at most; the second half of the words "
            f"adds {grown:.1f} MB"
        )
        if grown > GROWN:
            failed.append(f"{name}: memory grows")
        if p99 >= SLOWEST:
            failed.append(f"{name}: a word takes {p99:.2f} ms")
    sys.exit("; ".join(failed) or 0)


if __name__ == "__main__":
    on_one_core(measure)
