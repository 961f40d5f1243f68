"""What taggers see of a word: itself and its neighbours, their ends, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices, Strings
from caesura.ml import features
from caesura.ml.crf import frequent
from caesura.ml.lookup import Table
from caesura.text.vocabulary import hashed

AFFIX = 3
"""Letters of the beginnings and ends of words that are looked at."""

NUMBERS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "hundred thousand million billion trillion point oh".split()
)
"""Words that numbers are spelt with."""

TEMPLATES: tuple[features.Template, ...] = (
    (),
    *((("word", at),) for at in range(-2, 3)),
    *((("word", at), ("word", at + 1)) for at in (-1, 0)),
    *(((name, at),) for name in ("prefix", "suffix", "shape") for at in (-1, 0, 1)),
    *((("shape", at), ("shape", at + 1)) for at in (-1, 0)),
)

Keys = NDArray[np.int64]


def keys(words: Strings) -> Keys:
    """Give a row of keys for each template, a column for each word."""
    columns = zip(*map(_seen, words), strict=True) if words else ((),) * 4
    found = {
        name: features.padded(np.array(cells, np.uint64))
        for name, cells in zip(("word", "prefix", "suffix", "shape"), columns, strict=True)
    }
    return features.keys(found, 0, len(words), TEMPLATES)


@lru_cache(maxsize=1 << 17)
def _seen(word: str) -> tuple[int, int, int, int]:
    parts = (word, "<" + word[:AFFIX], word[-AFFIX:] + ">", f"/{shape(word)}")
    one, two, three, four = map(hashed, parts)
    return one, two, three, four


def shape(word: str) -> str:
    """Say how a word is written: runs of letters are `a`, of digits `9`; spelt numbers `n`."""
    if word in NUMBERS:
        return "n"
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", word))


class Known:
    """The keys that were seen often enough in training."""

    def __init__(self, texts: Sequence[Keys], cutoff: int) -> None:
        self.keys = frequent(texts, cutoff)
        self._table = Table(self.keys)

    def __len__(self) -> int:
        return len(self.keys)

    def places(self, keys: Keys) -> Indices:
        """Number the known keys of each word, a row for each word; -1 for the others."""
        return self._table.find(keys.ravel()).reshape(keys.shape).T
