"""How fast do the chunkers label words, against python-crfsuite with the same features as texts?

All on one core (OMP_NUM_THREADS=1) and in seconds of the processor's time, on Naija where
CAESURA_DATA names a folder with it, else on made-up words with tags and times. The peer makes a
list of texts for each word and tags with the model it was trained to; CRF says posteriors and
boundaries, of weights trained on the same words.

Must hold: CRF is at least 5 times as fast as making features and tagging with python-crfsuite.
"""

from __future__ import annotations

import logging
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
from caesura.detectors.syntax.chunking import SENTENCE, labels_of
from caesura.detectors.syntax.crf_svm import CRF, SVM
from caesura.formats.files import read_file
from caesura.ml.features import REACH, TEMPLATES, pause_bins
from caesura.text import cluster_rules

ROUNDS = 10
"""Iterations of training: weights do not bear on speed."""

PASSES = 3
LEAST = 5.0


def spoken() -> list[Transcript]:
    """Give recordings with tags, times and sentences, without punctuation."""
    logging.getLogger("caesura").setLevel(logging.ERROR)
    folder = os.environ.get("CAESURA_DATA", "")
    given = read_file(Path(folder, "ud/naija/train.conllu")) if folder else map(made_up, range(40))
    return [CRF().words(each) for each in given]


def made_up(seed: int, count: int = 2000) -> Transcript:
    """Make words in which some tend to begin sentences."""
    chance = random.Random(seed)
    words = [f"w{int(chance.paretovariate(0.7))}" for _ in range(count)]
    tags = [f"T{len(word)}" for word in words]
    ends = np.array([chance.random() < 0.1 for _ in range(count)])
    start = np.arange(count) * 0.3 + np.append(0, np.cumsum(ends[:-1])) * 0.5
    return Transcript(
        tuple(words), tag=tuple(tags), start=start, end=start + 0.3, sentences=Segmentation(ends)
    )


def texts(transcript: Transcript) -> list[list[str]]:
    """Make the features of CRF as texts."""
    edge = ("",) * REACH
    pauses = np.append(np.nan, transcript.pauses()[:-1])
    columns = {
        "word": (*edge, *map(str.lower, transcript.words), *edge),
        "tag": (*edge, *(transcript.tag or ()), *edge),
        "pause": (*edge, *map(str, pause_bins(pauses).tolist()), *edge),
    }
    shapes = [each for each in TEMPLATES if all(name in columns for name, _ in each)]
    named = [
        (f"{number}=", [(columns[name], at + REACH) for name, at in shape])
        for number, shape in enumerate(shapes)
    ]
    return [
        [name + "|".join([column[at + word] for column, at in shape]) for name, shape in named]
        for word in range(len(transcript))
    ]


def best(work: Callable[[], Any]) -> float:
    """Give the seconds of the fastest of some passes."""
    seconds = []
    for _ in range(PASSES):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def peer(given: list[Transcript], model: str) -> tuple[float, float]:
    """Give the words a second of python-crfsuite, with making features and without."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"max_iterations": ROUNDS, "c1": 0, "c2": 5})
    for each in given:
        begun = cluster_rules.cluster_starts(each)
        labels = labels_of(each, np.ones(len(each), np.bool_) if begun is None else begun)
        trainer.append(texts(each), list(map(str, labels.tolist())))
    trainer.train(model)
    tagger = pycrfsuite.Tagger()
    tagger.open(model)

    def tagged(items: Any) -> list[float]:
        tagger.tag(items)
        return [tagger.marginal(str(SENTENCE), at) for at in range(len(items))]

    ready = [pycrfsuite.ItemSequence(texts(each)) for each in given]
    words = sum(map(len, given))
    both = words / best(lambda: [tagged(texts(each)) for each in given])
    alone = words / best(lambda: [tagged(each) for each in ready])
    tagger.close()
    return both, alone


def measure() -> None:
    """Print all lines; the exit code says whether what must hold does."""
    given = spoken()
    words = sum(map(len, given))
    bare = [each.only(["tag", "start", "end"]) for each in given]
    ours = CRF(iterations=ROUNDS).train([each.replace(speaker=None) for each in given])
    rates = {
        "CRF": words / best(lambda: ours.detect_all(bare)),
        "CRF, one by one": words / best(lambda: [ours.detect(each) for each in bare]),
    }
    machine = SVM().train(given[:4])
    rates["SVM"] = words / best(lambda: machine.detect_all(bare))
    with tempfile.TemporaryDirectory() as folder:
        both, alone = peer(given, str(Path(folder, "model")))
    print(f"{words:,} words in {len(given)} recordings; words a second:")
    for name, rate in rates.items():
        print(f"{name:<28} {rate:>10,.0f}  {rate / both:.1f} times the peer")
    print(f"{'peer: features and tagging':<28} {both:>10,.0f}")
    print(f"{'peer: tagging alone':<28} {alone:>10,.0f}")
    if rates["CRF"] < LEAST * both:
        sys.exit(f"CRF is not {LEAST:g} times as fast as its peer")


def on_one_core(work: Callable[[], None]) -> None:
    """Run the file that was started once more, in a process that has one core, for the work."""
    if len(sys.argv) > 1:
        work()
        return
    os.environ["OMP_NUM_THREADS"] = "1"
    sys.exit(subprocess.run([sys.executable, sys.argv[0], "measure"], check=False).returncode)


if __name__ == "__main__":
    on_one_core(measure)
