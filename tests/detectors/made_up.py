"""Made-up recordings, and brute force over all ways to label them."""

from itertools import product
from math import exp, log
from random import Random
from typing import Any

import numpy as np

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.ml.ngram_counts import NO_WORD, Vocabulary
from ml.slow_ngram import Chain, Settings

WORDS = "we you they go stop see now then yes no".split()


def recording(seed: int, count: int = 40, marks: tuple[str, ...] = (".", "?", ",")) -> Transcript:
    """Return a recording whose words, pauses and speakers depend on sentence ends."""
    chance = Random(seed)
    label = [chance.choice([*marks, *[""] * 7]) for _ in range(count)]
    ends = [mark in (".", "?", "!") for mark in label]
    words = [chance.choice(WORDS[5:] if end else WORDS[:8]) for end in ends]
    pauses = [chance.choice([0.0, 0.6, 1.0] if end else [0.0, 0.0, 0.0, 0.2]) for end in ends]
    start = np.cumsum([0.0, *(pause + 0.3 for pause in pauses)])[:count]
    return Transcript(
        tuple(words),
        start=start,
        end=start + 0.3,
        speaker=tuple(str(at // 15) for at in range(count)),
        sentences=Segmentation(np.array(ends, np.bool_), tuple(label)),
    )


def bare(seed: int, count: int = 40) -> Transcript:
    """Return a recording without sentences."""
    return recording(seed, count).replace(sentences=None)


def transcript_of(text: str, **layers: Any) -> Transcript:
    """Return words, with a sentence end after each that has a full stop."""
    pieces = text.split()
    ends = np.array([piece.endswith(".") for piece in pieces], np.bool_)
    words = tuple(piece.rstrip(".") for piece in pieces)
    return Transcript(words, sentences=Segmentation(ends), **layers)


def chain(
    recordings: list[Transcript], classes: list[list[int]], settings: Settings, known: Vocabulary
) -> Chain:
    """Return the slow model of recordings with these classes."""
    numbers = [known.numbers(each.words).tolist() for each in recordings]
    spoken = [list(zip(a, b, strict=True)) for a, b in zip(numbers, classes, strict=True)]
    assert not any(word == NO_WORD for words in numbers for word in words)
    return Chain(spoken, settings)


def brute_force(
    model: Chain, words: list[int], evidence: list[list[float]]
) -> tuple[list[list[float]], list[int], float]:
    """Return the probability of each class of each word, the best sequence, and its lead."""
    made = model.settings
    ways = []
    for labels in product(range(made.classes), repeat=len(words)):
        padded, history = model.padded(list(zip(words, labels, strict=True)))
        size = sum(row[label] for row, label in zip(evidence, labels, strict=True))
        for at in range(len(words)):
            here = slice(at, at + made.order)
            size += log(model.joint(padded[here], history[here]))
        ways.append((size, labels))
    ways.sort(reverse=True)
    whole = sum(exp(size) for size, _ in ways)
    probabilities = [
        [sum(exp(size) for size, way in ways if way[at] == e) / whole for e in range(made.classes)]
        for at in range(len(words))
    ]
    return probabilities, list(ways[0][1]), ways[0][0] - ways[1][0]
