"""The vocabulary of a model: a number for each known word, found by a hash of its spelling."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.text.punctuation import strip_punctuation

UNKNOWN = 1
"""The number of all unknown words; 0 is reserved for what is no word."""

FIRST_KNOWN = 2
NO_WORD = -1
MAX_REMEMBERED = 1 << 18
"""How many words are cached."""

_NUMBER = re.compile(r"\d+([.,:]\d+)*")


def normalized_spelling(word: str) -> str:
    """Return a word as models see it: lower case, without punctuation, any number as 0.

    Of punctuation alone nothing is left.
    """
    return _NUMBER.sub("0", strip_punctuation(word).lower().replace("’", "'").rstrip("."))


def hash_spelling(spelling: str) -> int:
    """Return the hash of a spelling: models hold no text."""
    return int.from_bytes(blake2b(spelling.encode("utf-8", "replace"), digest_size=8).digest())


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Hashes of the known spellings, in ascending order."""

    hashes: NDArray[np.uint64]
    _seen: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]], cutoff: int) -> Vocabulary:
        """Make a vocabulary of the words that occur at least `cutoff` times."""
        words: Counter[str] = Counter()
        for text in texts:
            words.update(text)
        times: Counter[str] = Counter()
        for word, count in words.items():
            times[normalized_spelling(word)] += count
        known = [hash_spelling(word) for word, count in times.items() if word and count >= cutoff]
        return cls(np.unique(np.array(known, np.uint64)))

    @property
    def size(self) -> int:
        """The number of word numbers, with those for unknown words and for none."""
        return len(self.hashes) + FIRST_KNOWN

    def numbers(self, words: Sequence[str]) -> Indices:
        """Return the numbers of words; what is no word has `NO_WORD`."""
        new = set(words).difference(self._seen)
        if new:
            if len(self._seen) + len(new) > MAX_REMEMBERED:
                self._seen.clear()
                new = set(words)
            self._look_up(list(new))
        return np.fromiter(map(self._seen.__getitem__, words), np.int64, len(words))

    def _look_up(self, words: list[str]) -> None:
        spellings = list(map(normalized_spelling, words))
        wanted = np.fromiter(map(hash_spelling, spellings), np.uint64, len(words))
        place = np.searchsorted(self.hashes, wanted)
        known = np.append(self.hashes, np.uint64(0))[place] == wanted
        numbers = np.where(known, place + FIRST_KNOWN, UNKNOWN).tolist()
        for word, spelt, number in zip(words, spellings, numbers, strict=True):
            self._seen[word] = number if spelt else NO_WORD
