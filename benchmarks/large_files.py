"""Does every reader get through 100 MB, and how does its cost grow?

For each format a file of about 100 MB is written from one long transcript (as many recordings
as the format needs) and read back in a fresh process; so are 100 MB of damage: one endless
word, brackets without end, random bytes.

Must hold: every run ends with transcripts or one clear error.
"""

from __future__ import annotations

import argparse
import io
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from caesura.core import registry
from caesura.core.protocols import Format
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript

LIMIT = 600

READ = """
import sys, time
from caesura.core import registry
from caesura.core.errors import CaesuraError
begun = time.perf_counter()
try:
    with open(sys.argv[2], "rb") as file:
        said = f"{sum(map(len, registry.parse('format', sys.argv[1]).read(file))):,} words"
except CaesuraError as error:
    said = str(error).split(": ", 1)[-1][:60]
peak = next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if "VmHWM" in line)
print(f"{time.perf_counter() - begun:7.1f} s {peak:7.0f} MB  {said}")
"""


def recording(words: int) -> Transcript:
    """A recording with times, speakers, confidences, marks and sentences."""
    chance = random.Random(11)
    vocabulary = [
        "".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 8))) for _ in range(999)
    ]
    text = tuple(chance.choices(vocabulary, k=words))
    start = np.arange(words, dtype=np.float64) * 0.4
    ends = np.arange(words) % 14 == 13
    return Transcript(
        text,
        id="talk",
        start=start,
        end=start + 0.3,
        confidence=np.full(words, 0.9),
        speaker=tuple("AB"[i // 500 % 2] for i in range(words)),
        mark=tuple("." if end else "" for end in ends.tolist()),
        sentences=Segmentation(ends),
    )


def written(format: Format, size: int) -> bytes:
    """Write a file of `size` bytes: measure a small one, then scale."""

    def sized(words: int) -> bytes:
        file = io.BytesIO()
        format.write([recording(words)], file)
        return file.getvalue()

    return sized(int(20_000 * size / len(sized(20_000))))


def damage(size: int) -> dict[str, bytes]:
    """Make large files that are nothing."""
    return {
        "one word": b"a" * size,
        "brackets": b"[" * size,
        "tags": b"<a>" * (size // 3),
        "lines": b"\n" * size,
        "noise": random.Random(1).randbytes(size),
    }


def run(name: str, path: Path) -> str:
    """Read in a fresh process and say how that went."""
    command = [sys.executable, "-c", READ, name, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"NOT DONE after {LIMIT} s"
    return done.stdout.rstrip() or "FAILED " + done.stderr.splitlines()[-1]


def main() -> int:
    """Print a line for each format and kind of file; return 1 if any run did not end well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=registry.names("format"))
    parser.add_argument("--kind", choices=["itself", "damage"])
    parser.add_argument("--megabytes", type=int, default=100)
    chosen = parser.parse_args()
    size = chosen.megabytes * 1_000_000
    formats = {name: registry.parse("format", name) for name in chosen.names}
    ended = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large"

        def show(name: str, kind: str) -> None:
            ended.append(run(name, path))
            print(f"{name:12} {kind:9} {ended[-1]}", flush=True)

        if chosen.kind != "itself":
            for kind, data in damage(size).items():
                path.write_bytes(data)
                for name in chosen.names:
                    show(name, kind)
        if chosen.kind != "damage":
            for name, format in formats.items():
                if format.writable:
                    path.write_bytes(written(format, size))
                    show(name, "itself")
    return int(any(how.startswith(("FAILED", "NOT DONE")) for how in ended))


if __name__ == "__main__":
    sys.exit(main())
