"""Does what a stream keeps grow with the length of a talk?

One recording without end goes through the pipe of `caesura stream`, word by word as JSON lines:
Naija where CAESURA_DATA names a folder with it, else made-up words, again and again with times
that go on. The memory of the process is read ten times on the way. The peer is the same command
with the detector `Pause`, which keeps 31 words.

    python benchmarks/endless.py --words 10000000

Must hold: after its first tenth a stream needs no more memory, but for 5 MB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import islice
from typing import IO

import psutil

from chunking import spoken

WORDS = 200_000
PEER = "Pause"
DETECTORS = ("pcm", PEER)
SAMPLES, GROWN = 10, 5.0
AT_ONCE = 1000


def endless() -> Iterator[str]:
    """Give lines of JSON, a word each, of one recording whose time goes on."""
    given, passed = spoken(), 0.0
    while True:
        for each in given:
            assert each.start is not None
            assert each.end is not None
            for word, start, end in zip(each.words, each.start, each.end, strict=True):
                if start == start and end == end:
                    times = {"start": round(passed + start, 3), "end": round(passed + end, 3)}
                    yield json.dumps({"word": word, "id": "talk", **times}) + "\n"
            passed += float(each.end[-1]) + 1.0


def counted(lines: IO[bytes], found: list[int]) -> None:
    """Count the sentences as they come, so that the pipe never fills."""
    for _ in lines:
        found[0] += 1


def run(detector: str, count: int) -> list[float]:
    """Send so many words and give the MB that the process holds after each tenth."""
    command = [sys.executable, "-m", "caesura", "stream", "--detector", detector]
    sentences = [0]
    held: list[float] = []
    begun = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        reader = threading.Thread(target=counted, args=(process.stdout, sentences))
        reader.start()
        words, sent = endless(), 0
        while lines := list(islice(words, min(AT_ONCE, count - sent))):
            process.stdin.write("".join(lines).encode())
            sent += len(lines)
            if sent * SAMPLES // count > len(held):
                process.stdin.flush()
                held.append(psutil.Process(process.pid).memory_info().rss / 1e6)
                told = f"{sentences[0]:,} sentences, {time.monotonic() - begun:,.0f} s"
                print(f"{detector}, {sent:,} words: {held[-1]:.1f} MB, {told}", flush=True)
        process.stdin.close()
        reader.join()
    if process.returncode:
        sys.exit(f"caesura stream ended with {process.returncode}")
    return held


def main() -> None:
    """Print all lines; the exit code says whether what must hold does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--detector", action="append")
    asked = parser.parse_args()
    if asked.words < SAMPLES:
        parser.error(f"--words is {SAMPLES} or more")
    failed = []
    most: dict[str, float] = {}
    for detector in asked.detector or DETECTORS:
        held = run(detector, asked.words)
        grown, most[detector] = max(held) - held[0], max(held)
        print(f"{detector}: {grown:.1f} MB more than after the first tenth")
        if grown > GROWN:
            failed.append(f"{detector}: memory grows")
    if PEER in most:
        for detector, size in most.items():
            print(f"{detector}: {size / most[PEER]:.2f} x the memory of {PEER}")
    sys.exit("; ".join(failed) or 0)


if __name__ == "__main__":
    main()
