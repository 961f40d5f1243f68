"""Synthetic treebanks in the layout that the Oba study reads."""

from pathlib import Path
from random import Random

import numpy as np

from caesura.core.transcript import Transcript
from caesura.evaluation.resampling import Resampling
from caesura_studies.oba.plan import Plan
from detectors.trees import talk
from studies.synthetic import put

QUICK = Plan(
    folds=2,
    c2=(0.1, 1.0),
    iterations=25,
    pauses=(0.2, 0.4),
    alphas=(0.0, 1.2, 2.0),
    steps=(1.0,),
    size=5,
    orders=3,
    aheads=(1, 10),
    patiences=(2, 8),
    stretches=(5,),
    windows=(1, 4),
    resampling=Resampling(40),
)
"""A small plan that runs every part of the study."""

TRAIN, DEV = 6, 3


def noisy(seed: int, count: int, *, timed: bool = False) -> Transcript:
    """Return a talk with punctuation in which some words and pauses are random, so that not all is
    found.
    """
    chance = Random(seed)
    made = talk(seed, count, timed=timed, mark=".")
    assert made.tag is not None
    pairs = list(zip(made.words, made.tag, strict=True))
    spoken = [pair for pair in pairs if pair[0] != "."]
    said = [
        chance.choice(spoken) if pair[0] != "." and chance.random() < 0.2 else pair
        for pair in pairs
    ]
    words, tags = zip(*said, strict=True)
    made = made.replace(words=words, tag=tags)
    if not timed:
        return made
    assert made.sentences is not None
    speaker = np.cumsum(np.append(0, made.sentences.boundary[:-1])) // 3
    steps = np.nan_to_num(made.pauses()) + 0.25
    steps += [chance.choice([0.0, 0.0, 0.0, 0.4]) for _ in words]
    start = np.append(0.0, np.cumsum(steps[:-1])).round(3)
    voices = tuple(map(str, speaker.tolist()))
    return made.replace(start=start, end=start + 0.25, speaker=voices)


def rows(recording: Transcript, name: str) -> str:
    """Return a recording as CoNLL-U."""
    assert recording.sentences is not None
    assert recording.tag is not None
    assert recording.relation is not None
    assert recording.head is not None
    lines = [f"# newdoc id = {name}"]
    for number, (first, last) in enumerate(recording.sentences.sentences, 1):
        lines.append(f"# sent_id = {name}__{number}")
        if recording.speaker is not None:
            lines.append(f"# speaker_id = {recording.speaker[first]}")
        for at in range(first, last + 1):
            up = int(recording.head[at])
            misc = "_"
            if recording.start is not None and recording.end is not None:
                begin, end = (int(1000 * each[at]) for each in (recording.start, recording.end))
                misc = f"AlignBegin={begin}|AlignEnd={end}"
            cells = (at - first + 1, recording.words[at], "_", recording.tag[at], "_", "_")
            head = 0 if up == at else up - first + 1
            lines.append("\t".join(map(str, (*cells, head, recording.relation[at], "_", misc))))
        lines.append("")
    return "\n".join(lines) + "\n"


def treebanks(folder: Path) -> Path:
    """Write a treebank of recordings with times, and one whose sentences stand alone."""
    for part, first, count in (("train", 0, TRAIN), ("dev", 50, DEV)):
        talks = [rows(noisy(first + n, 12, timed=True), f"{part}{n}") for n in range(count)]
        put(folder / "ud" / "naija" / f"{part}.conllu", "".join(talks))
        alone = [rows(noisy(200 + first + n, 1), f"{part}-s{n}") for n in range(8 * count)]
        put(folder / "ud" / "japanese-gsd" / f"{part}.conllu", "".join(alone))
    return folder
