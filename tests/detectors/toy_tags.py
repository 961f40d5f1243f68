"""A small language whose tags depend on words, on endings and on neighbours."""

from random import Random

import numpy as np

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript

NOUNS, VERBS = ("cat", "dog", "tree", "walk"), ("walk", "see", "find")


def tagged_text(seed: int, count: int = 20) -> Transcript:
    """Return sentences such as `the cat walk slowly to see 12 trees .`, with capitals and marks."""
    chance = Random(seed)
    rows: list[tuple[str, str]] = []
    ends = []
    for _ in range(count):
        stem = "".join(chance.choice("bdgklmn") for _ in range(3))
        rows += [("The", "DET"), (chance.choice(NOUNS), "NOUN"), ("will", "AUX")]
        rows += [(chance.choice(VERBS), "VERB"), (stem + "ly", "ADV"), (",", "PUNCT")]
        rows += [(str(chance.randrange(100)), "NUM"), (stem + "ness", "NOUN"), (".", "PUNCT")]
        ends.append(len(rows) - 1)
    words, tags = zip(*rows, strict=True)
    flags = np.zeros(len(rows), np.bool_)
    flags[ends] = True
    return Transcript(words, id=str(seed), tag=tags, sentences=Segmentation(flags))
