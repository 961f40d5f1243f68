"""How fast are two texts matched that are cut differently, with equal and with other characters?

Must hold: the time grows with the length of the texts, not with its square, from 250,000 to
5 million tokens of equal characters and from 10,000 to a million tokens where one in a thousand,
in a hundred or in twenty was changed; texts that have nothing in common end in an error within
seconds. Files of 250,000 tokens are scored ten times as fast as by the CoNLL 2018 evaluator, and
read and scored eight times as fast; scoring grows with the length to 5 million tokens.
"""

from __future__ import annotations

import gc
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from caesura.core.errors import MismatchError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.formats.files import read_file
from caesura.metrics.joint import Joint
from caesura.text.charmatch.matching import match
from caesura.text.charmatch.units import Units

EQUAL = (250_000, 5_000_000)
CHANGED = (10_000, 100_000, 1_000_000)
RATES = (0.001, 0.01, 0.05)
LETTERS = "eeeetttaaaooniishhrrddlluumcwfgypbvk"


def make(tokens: int, seed: int = 1) -> list[list[str]]:
    """Make sentences of words with the frequencies of a language, each with a full stop."""
    chance = random.Random(seed)
    known = ["".join(chance.choices(LETTERS, k=1 + n % 9)) for n in range(30_000)]
    ranks = 1 / np.arange(3, len(known) + 3)
    words = chance.choices(known, ranks.tolist(), k=tokens)
    ends = [0]
    while ends[-1] < tokens:
        ends.append(ends[-1] + chance.randint(4, 35))
    return [[*words[a:b], "."] for a, b in pairwise(ends)]


def recut(sentences: list[list[str]], seed: int = 2) -> list[list[str]]:
    """Cut one token in twenty in two, and join one sentence in ten with the next."""
    chance = random.Random(seed)
    new: list[list[str]] = [[]]
    for sentence in sentences:
        for token in sentence:
            cut = len(token) // 2 if chance.random() < 0.05 else 0
            new[-1] += [token[:cut], token[cut:]] if cut else [token]
        if chance.random() < 0.9:
            new.append([])
    return new


def change(sentences: list[list[str]], rate: float, seed: int = 3) -> list[list[str]]:
    """Change, drop or add a character, or drop or replace all, in some of the tokens."""
    chance = random.Random(seed)

    def changed(token: str) -> str:
        at, kind = chance.randrange(len(token)), chance.randrange(5)
        letters = "".join(chance.choices(LETTERS, k=5))
        put = (letters[0], "", letters[0] + token[at], "", letters)[kind]
        return put if kind > 2 else token[:at] + put + token[at + 1 :]

    return [[changed(t) if chance.random() < rate else t for t in s] for s in sentences]


def units(sentences: list[list[str]]) -> Units:
    """Put sentences into one stream."""
    ends = np.cumsum([len(sentence) for sentence in sentences]) - 1
    return Units.of([token for sentence in sentences for token in sentence], ends)


def peak() -> float:
    """The most memory this process has had, in MB."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def measure(tokens: int, rate: float) -> None:
    """Print, for a program, what one size and rate take."""
    sentences = make(tokens)
    gold, system = units(sentences), units(change(recut(sentences), rate))
    del sentences
    before, begun = peak(), time.perf_counter()
    found = match(gold, system)
    seconds = time.perf_counter() - begun
    counts = found.characters, len(found.tokens), len(found.sentences)
    print(json.dumps([seconds, before, peak(), *counts]))


def report(rate: float, sizes: tuple[int, ...]) -> None:
    """Print a line for each size, measured in a process of its own to tell memory apart.

    The growth is the power of the length with which the time has grown since the line before.
    """
    last: tuple[int, float] | None = None
    for tokens in sizes:
        command = [sys.executable, __file__, str(tokens), str(rate)]
        output = subprocess.run(command, check=True, capture_output=True).stdout
        seconds, before, memory, *counts = json.loads(output)
        growth = math.log(seconds / last[1], tokens / last[0]) if last else math.nan
        last = tokens, seconds
        print(
            f"{tokens:>9,} {rate:>6.1%} {seconds:>8.2f} {tokens / seconds:>10,.0f} {growth:>6.2f} "
            f"{before:>6.0f} {memory:>6.0f} {counts[0]:>11,} {counts[1]:>10,} {counts[2]:>9,}",
            flush=True,
        )


def refuse(tokens: int = 100_000) -> None:
    """Print how long it takes to give up on texts that have nothing in common."""
    gold, system = (units(make(tokens, seed)) for seed in (1, 5))
    begun = time.perf_counter()
    try:
        match(gold, system)
    except MismatchError as error:
        print(f"{tokens:,} tokens of other texts: {time.perf_counter() - begun:.2f} s: {error}")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Do something and tell how long it took."""
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


def scored(gold: list[Transcript], system: list[Transcript]) -> int:
    """Give the number of words that are right."""
    pairs = zip(system, gold, strict=True)
    return int(sum(Joint().count(ours, [theirs])["word_tp_1"] for ours, theirs in pairs))


def by_evaluator(files: list[Path]) -> tuple[float, float, int]:
    """Seconds to read and to score with the CoNLL 2018 evaluator, and words that are right."""
    from udtools.udeval import evaluate, load_conllu_file

    reading, pages = timed(lambda: [load_conllu_file(str(file)) for file in files])
    scoring, result = timed(lambda: evaluate(*pages))
    return reading, scoring, result["Words"].correct


def by_joint(files: list[Path]) -> tuple[float, float, int]:
    """Give the same for our own metric."""
    reading, texts = timed(lambda: [list(read_file(file)) for file in files])
    scoring, right = timed(lambda: scored(*texts))
    return reading, scoring, right


def rivals(name: str, gold: Path, system: Path) -> None:
    """Print how much faster two files are scored, and read and scored, than by the evaluator."""
    theirs = by_evaluator([gold, system])
    gc.collect()
    ours = by_joint([gold, system])
    assert ours[2] == theirs[2]
    seconds = " ".join(f"{each:>7.2f}" for each in (*theirs[:2], *ours[:2]))
    times = theirs[1] / ours[1], sum(theirs[:2]) / sum(ours[:2])
    print(f"{name:<34} {ours[2]:>8,} {seconds} {times[0]:>6.1f} {times[1]:>6.1f}", flush=True)


def bare(sentences: list[list[str]]) -> str:
    """Write forms alone, with the trees that the evaluator wants."""
    rows = "\t".join(("{}", "{}", "_", "_", "_", "_", "{}", "_", "_", "_\n"))
    return "".join(
        "".join(rows.format(n, form, int(n > 1)) for n, form in enumerate(sentence, 1)) + "\n"
        for sentence in sentences
    )


def against_the_evaluator(corpora: Path, folder: Path) -> None:
    """Make files ten times as long as a treebank's, and print a line for each."""
    treebank = corpora / "jp-table1/EWT"
    page = (treebank / "gold.conllu").read_text("utf-8") * 10
    lines = [line for line in page.split("\n") if line[:1] != "#"]
    blocks = "\n".join(lines).strip("\n").split("\n\n")
    rows = [[row.split("\t") for row in block.split("\n")] for block in blocks]
    words = [[row[1] for row in block if row[0].isdigit()] for block in rows]
    made = (treebank / "nltk.txt").read_bytes().decode().strip("\n").split("\n") * 10
    quotes = {"``": '"', "''": '"'}
    tokens = [[quotes.get(token, token) for token in line.split(" ")] for line in made]
    pages = {
        "documents": page,
        "full": "\n".join(lines),
        "words": bare(words),
        "nltk": bare(tokens),
    }
    for name, text in pages.items():
        (folder / f"{name}.conllu").write_text(text, "utf-8", newline="\n")
    files = {name: folder / f"{name}.conllu" for name in pages}
    print(
        f"{'read and score: seconds':<34} {'right':>8} {'read':>7} {'score':>7} "
        f"{'read':>7} {'score':>7} {'times':>6} {'all':>6}"
    )
    rivals("all columns, with itself", files["full"], files["full"])
    rivals("words alone, with nltk's", files["words"], files["nltk"])
    rivals("all columns, 3,160 documents", files["documents"], files["documents"])


def grow(tokens: int) -> None:
    """Print, for a program, how long it takes to score tagged and parsed texts."""
    sides = []
    for sentences in (make(tokens), recut(make(tokens))):
        words = tuple(token for sentence in sentences for token in sentence)
        ends = np.cumsum([len(sentence) for sentence in sentences if sentence]) - 1
        inner = Segmentation.of_gaps(len(words), ends.tolist())
        head = np.maximum(np.arange(len(words)) - 1, 0)
        sides.append(Transcript(words, head=head, tag=words, relation=words, sentences=inner))
    seconds, right = timed(lambda: scored(sides[:1], sides[1:]))
    print(json.dumps([seconds, right, peak()]))


def growth() -> None:
    """Print how the time to score grows."""
    last = 0.0
    for tokens in EQUAL:
        command = [sys.executable, __file__, str(tokens)]
        output = subprocess.run(command, check=True, capture_output=True).stdout
        seconds, right, memory = json.loads(output)
        power = math.log(seconds / last, EQUAL[1] / EQUAL[0]) if last else math.nan
        last = seconds
        print(
            f"score {tokens:,} tokens: {seconds:.2f} s, growth {power:.2f}, {right:,} words right, "
            f"{memory:.0f} MB",
            flush=True,
        )


def main() -> None:
    """Print all lines; with a size, or a size and a rate, measure these."""
    if len(sys.argv) == 2:
        grow(int(sys.argv[1]))
        return
    if len(sys.argv) > 2:
        measure(int(sys.argv[1]), float(sys.argv[2]))
        return
    times = f"{'seconds':>8} {'tokens/s':>10} {'growth':>6} {'MB':>6} {'peak':>6}"
    counts = f"{'characters':>11} {'tokens TP':>10} {'sent. TP':>9}"
    print(f"{'tokens':>9} {'rate':>6} {times} {counts}", flush=True)
    report(0, EQUAL)
    for rate in RATES:
        report(rate, CHANGED)
    refuse()
    growth()
    corpora = os.environ.get("CAESURA_DATA", "")
    if not corpora:
        print("set CAESURA_DATA to compare with the CoNLL 2018 evaluator")
        return
    with tempfile.TemporaryDirectory() as folder:
        against_the_evaluator(Path(corpora), Path(folder))


if __name__ == "__main__":
    main()
