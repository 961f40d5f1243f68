"""How fast is the class n-gram detector trained, and how fast does it decide, against a CRF?

All on one core (OMP_NUM_THREADS=1) and in seconds of the processor's time, on lower-case words
without punctuation: earnings22, earnings21 and rev16 where CAESURA_DATA names a folder with them,
else made-up words with the frequencies of a language. The CRF is python-crfsuite with twenty
features a word; as it is slow it is trained on 100,000 words in ten rounds only, which does not
bear on its speed afterwards.

Must hold: a trigram of a million words is trained in less than 20 s and 1 GB; 100 documents of
10,000 words are decided at 400,000 words a second or faster, one at 200,000; the time grows with
the length and not faster.
"""

from __future__ import annotations

import json
import logging
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.lm import LM, Combination
from caesura.formats.files import read_file

CORPORA = ("earnings22/references", "earnings21/references", "rev16/verbatim")
WORDS = 1_000_000
DOCUMENT = 10_000
SIZES = (10_000, 100_000, 1_000_000)
PASSES = 3
CRF_WORDS, CRF_ROUNDS = 100_000, 10


def spoken() -> Transcript:
    """Give a million words with times and sentences."""
    folder = os.environ.get("CAESURA_DATA", "")
    words, ends = from_corpora(Path(folder)) if folder else made_up()
    start = np.arange(len(words)) * 0.3 + np.cumsum(np.roll(ends, 1)) * 0.5
    return Transcript(words, start=start, end=start + 0.3, sentences=Segmentation(ends))


def from_corpora(folder: Path) -> tuple[tuple[str, ...], Any]:
    """Read recordings until there are words enough."""
    logging.getLogger("caesura").setLevel(logging.ERROR)
    files = [file for name in CORPORA for file in sorted((folder / name).glob("*.nlp"))]
    words: list[str] = []
    ends: list[bool] = []
    for file in files:
        for transcript in read_file(file):
            if transcript.sentences is not None:
                words += map(str.lower, transcript.words)
                ends += transcript.sentences.boundary.tolist()
        if len(words) >= WORDS:
            break
    return tuple(words[:WORDS]), np.array(ends[:WORDS])


def made_up() -> tuple[tuple[str, ...], Any]:
    """Make words in which some words tend to end sentences."""
    chance = random.Random(7)
    known = [f"w{number}" for number in range(30_000)]
    weights = (1 / np.arange(3, len(known) + 3)).tolist()
    words = tuple(chance.choices(known, weights, k=WORDS))
    ends = [chance.random() < (0.3 if int(word[1:]) % 7 == 0 else 0.03) for word in words]
    return words, np.array(ends)


def peak() -> float:
    """Give the most memory this process has had, in MB."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def best(work: Callable[[], Any], passes: int = PASSES) -> float:
    """Give the seconds of the fastest of some passes."""
    seconds = []
    for _ in range(passes):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def cut(whole: Transcript, size: int, count: int) -> list[Transcript]:
    """Cut documents of so many words, without their sentences."""
    bare = whole.replace(sentences=None)
    return [bare[at * size : (at + 1) * size] for at in range(count)]


def train(order: int) -> None:
    """Print, for a program, what training and making ready takes."""
    whole = spoken()
    lessons = [whole[at : at + DOCUMENT] for at in range(0, len(whole), DOCUMENT)]
    before, begun = peak(), time.process_time()
    trained = LM(order).train(lessons)
    counting = time.process_time() - begun
    trained.detect(lessons[0][:10])
    ready = time.process_time() - begun - counting
    longest = trained.model.counts[0].index.count(order)
    print(json.dumps([counting, ready, before, peak(), longest]))


def decide() -> None:
    """Print how fast documents are decided."""
    whole = spoken()
    lessons = [whole[at : at + DOCUMENT] for at in range(0, len(whole), DOCUMENT)]
    both = Combination(LM()).train(lessons)
    documents = cut(whole, DOCUMENT, 100)
    rates = {}
    for detector in (both.lm, both.lm.adjusted(decision="viterbi"), both):
        name = detector.name + (", viterbi" if detector.decision == "viterbi" else "")
        detector.detect(documents[0])
        many = WORDS / best(lambda each=detector: each.detect_all(documents))  # type: ignore[misc]
        one = DOCUMENT / best(lambda each=detector: each.detect(documents[1]), 9)  # type: ignore[misc]
        rates[name] = many
        print(f"{name:<26} {many:>12,.0f} {one:>12,.0f}", flush=True)
    growing(both.lm, whole)
    against_a_crf(rates["LM"], whole)


def growing(detector: LM, whole: Transcript) -> None:
    """Print how the time for one document grows with its length."""
    last = 0.0
    for size in SIZES:
        (document,) = cut(whole, size, 1)
        seconds = best(lambda each=document: detector.detect(each))  # type: ignore[misc]
        power = math.log10(seconds / last) if last else math.nan
        last = seconds
        print(f"one document of {size:>9,} words: {seconds:.3f} s, growth {power:.2f}", flush=True)


def features(words: tuple[str, ...]) -> list[list[str]]:
    """Give twenty features of each word: words around it, pairs, beginnings and endings."""
    around = ("", "", "", *words, "", "", "")
    found = []
    for at in range(3, len(around) - 3):
        a, b, c, word, d, e, f = around[at - 3 : at + 4]
        found.append(
            [
                f"-3={a}",
                f"-2={b}",
                f"-1={c}",
                f"0={word}",
                f"1={d}",
                f"2={e}",
                f"3={f}",
                f"-2-1={b}|{c}",
                f"-10={c}|{word}",
                f"01={word}|{d}",
                f"12={d}|{e}",
                f"-101={c}|{word}|{d}",
                f"012={word}|{d}|{e}",
                f"<2={word[:2]}",
                f"<3={word[:3]}",
                f">2={word[-2:]}",
                f">3={word[-3:]}",
                f"1<3={d[:3]}",
                f"1>3={d[-3:]}",
                f"length={len(word)}",
            ]
        )
    return found


def against_a_crf(ours: float, whole: Transcript) -> None:
    """Print how fast a CRF tags the same words, with and without making features."""
    try:
        from pycrfsuite import ItemSequence, Tagger, Trainer
    except ImportError:
        print("install python-crfsuite to compare with a CRF: pip install 'caesura[peers]'")
        return
    documents = [whole[at : at + DOCUMENT] for at in range(0, CRF_WORDS, DOCUMENT)]
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model"))
        trainer = Trainer(verbose=False)
        trainer.set_params({"max_iterations": CRF_ROUNDS, "c1": 0, "c2": 1})
        for each in documents:
            ends = each.sentences.boundary.tolist() if each.sentences is not None else []
            trainer.append(features(each.words), ["NE"[end] for end in ends])
        begun = time.process_time()
        trainer.train(model)
        print(f"CRF trained on {CRF_WORDS:,} words: {time.process_time() - begun:.1f} s")
        tagger = Tagger()
        tagger.open(model)
        alone = [ItemSequence(features(each.words)) for each in documents]
        tagging = CRF_WORDS / best(lambda: [tagger.tag(each) for each in alone])
        both = CRF_WORDS / best(lambda: [tagger.tag(features(each.words)) for each in documents])
        tagger.close()
    for name, theirs in (("CRF, features made before", tagging), ("CRF", both)):
        print(f"{name:<26} {theirs:>12,.0f} words/s: LM is {ours / theirs:.1f} times as fast")


def child(*arguments: str) -> list[str]:
    """Begin this file again in a process that has one core."""
    os.environ["OMP_NUM_THREADS"] = "1"
    return [sys.executable, __file__, *arguments]


def main() -> None:
    """Print all lines; with an argument, measure that."""
    if len(sys.argv) > 2:
        train(int(sys.argv[2]))
        return
    if len(sys.argv) > 1:
        decide()
        return
    for order in (3, 5):
        output = subprocess.run(child("train", str(order)), check=True, stdout=subprocess.PIPE)
        counting, ready, before, memory, longest = json.loads(output.stdout)
        print(
            f"order {order}, {WORDS:,} words, {longest:,} longest sequences: "
            f"train {counting:.1f} s, make ready {ready:.1f} s, "
            f"{before:.0f} MB before, {memory:.0f} MB at most",
            flush=True,
        )
    print(f"{'words/s':<26} {'100 documents':>12} {'one':>12}", flush=True)
    subprocess.run(child("decide"), check=True)


if __name__ == "__main__":
    main()
