"""Which words a model knows: each one a number, told by a hash of its spelling."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.text.normalization.steps import bare

UNKNOWN = 1
"""The number of all words that are not known; 0 is kept for what is no word."""

FIRST = 2
NO_WORD = -1
MOST = 1 << 18
"""Spellings that are remembered."""

_NUMBER = re.compile(r"\d+([.,:]\d+)*")


def spelling(word: str) -> str:
    """Give a word as models see it: lower case, no punctuation around it, any number a 0.

    What is punctuation and nothing else has none.
    """
    return _NUMBER.sub("0", bare(word).lower().replace("’", "'").rstrip("."))


def hashed(spelling: str) -> int:
    """Give the number that stands for a spelling: models hold no text."""
    return int.from_bytes(blake2b(spelling.encode("utf-8", "replace"), digest_size=8).digest())


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Hashes of the spellings that are known, in ascending order."""

    hashes: NDArray[np.uint64]
    _seen: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]], cutoff: int) -> Vocabulary:
        """Know the words that occur at least `cutoff` times."""
        words: Counter[str] = Counter()
        for text in texts:
            words.update(text)
        times: Counter[str] = Counter()
        for word, count in words.items():
            times[spelling(word)] += count
        known = [hashed(word) for word, count in times.items() if word and count >= cutoff]
        return cls(np.unique(np.array(known, np.uint64)))

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.hashes) + FIRST

    def numbers(self, words: Sequence[str]) -> Indices:
        """Number words; those that are none have `NO_WORD`."""
        new = set(words).difference(self._seen)
        if new:
            if len(self._seen) + len(new) > MOST:
                self._seen.clear()
                new = set(words)
            self._learn(list(new))
        return np.fromiter(map(self._seen.__getitem__, words), np.int64, len(words))

    def _learn(self, words: list[str]) -> None:
        spellings = list(map(spelling, words))
        wanted = np.fromiter(map(hashed, spellings), np.uint64, len(words))
        place = np.searchsorted(self.hashes, wanted)
        known = np.append(self.hashes, np.uint64(0))[place] == wanted
        numbers = np.where(known, place + FIRST, UNKNOWN).tolist()
        for word, spelt, number in zip(words, spellings, numbers, strict=True):
            self._seen[word] = number if spelt else NO_WORD
