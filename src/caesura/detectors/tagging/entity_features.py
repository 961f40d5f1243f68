"""What is looked at of words and their neighbours to tell names: the features of Ben Jannet et al.

Words are seen as a recogniser writes them, in lower case and without punctuation, each digit a
0. Texts run on over the ends of sentences, which recogniser output does not have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from caesura.core.arrays import Floats, Indices
from caesura.core.transcript import Transcript
from caesura.ml import features
from caesura.ml.crf import Keys, Weights
from caesura.ml.features import Hashes, Template
from caesura.text.normalization.steps import bare
from caesura.text.vocabulary import hashed

LONGEST = 4
"""Letters of the longest prefixes and suffixes."""

FAR, NEAR = (-2, -1, 0, 1, 2), (-1, 0, 1)
"""How far words, and all else, are looked at."""

AFFIXES = tuple(f"{side}{size}" for side in ("prefix", "suffix") for size in range(1, LONGEST + 1))
CAPITAL = "capital"

ALONE: Mapping[int, tuple[Template, ...]] = {
    at: tuple(((name, at),) for name in ("word", *(n for n in (*AFFIXES, CAPITAL) if at in NEAR)))
    for at in FAR
}
"""What is seen of one word by itself, by its place."""

RUNNING: tuple[Template, ...] = (
    (),
    *((("word", at), ("word", at + 1)) for at in FAR[:-1]),
    *((("tag", at),) for at in NEAR),
    *((("tag", at), ("tag", at + 1)) for at in NEAR[:-1]),
)
"""What depends on more: pairs of words, tags, and what is always there."""

TEMPLATES = (*RUNNING, *(template for each in ALONE.values() for template in each))

ROOM = len(FAR) // 2
"""Places between recordings, so that none is seen from another."""

AT_ONCE = 1 << 14
"""Words that are looked at together."""

_DIGIT = re.compile(r"\d")
_CLITIC = re.compile(r"(?<=[\w.])['’].*")


@dataclass(frozen=True, eq=False)
class Clues:
    """Recordings as numbers of distinct words, and hashes of what is seen of these.

    The first of the distinct words is none: what is before, between and after recordings.
    """

    kinds: Mapping[str, Hashes]
    at: Indices
    places: Indices
    """Where the words of recordings are in `at`."""

    tags: Hashes | None = None
    """Hashes of tags, as many as there are places in `at`."""

    @classmethod
    def of(
        cls, recordings: Sequence[Transcript], affixes: bool, capitals: bool, tags: bool
    ) -> Clues:
        """Look at recordings, which have tags if these are to be looked at."""
        numbers: dict[str, int] = {}
        at = [0] * ROOM
        cells = [0] * ROOM
        for each in recordings:
            at += [numbers.setdefault(word, len(numbers) + 1) for word in each.words]
            at += [0] * ROOM
            if tags:
                cells += [_tag(tag) for tag in each.tag or ()] + [0] * ROOM
        rows = np.array([[0] * (len(AFFIXES) + 2), *map(_seen, numbers)], np.uint64)
        names = ("word", *(AFFIXES if affixes else ()), *((CAPITAL,) if capitals else ()))
        order = {name: column for column, name in enumerate(("word", *AFFIXES, CAPITAL))}
        found = np.array(at, np.int64)
        return cls(
            {name: rows[:, order[name]] for name in names},
            found,
            np.flatnonzero(found),
            np.array(cells, np.uint64) if tags else None,
        )

    def keys(self) -> Keys:
        """Give the keys of all that is seen at each word: a row for each template."""
        columns = {name: hashes[self.at] for name, hashes in self.kinds.items()}
        return self._running({**columns, **self._tags()}, TEMPLATES)

    def scores(self, weights: Weights) -> Floats:
        """Add up the weights at each word: what one word says by itself is added up once."""
        total = np.zeros((len(self.places), weights.rows.shape[1]))
        running = self._running({"word": self.kinds["word"][self.at], **self._tags()}, RUNNING)
        for first in range(0, len(total), AT_ONCE):
            here = slice(first, first + AT_ONCE)
            total[here] = weights.summed(running[:, here])
        columns = {name: features.padded(hashes) for name, hashes in self.kinds.items()}
        count = len(self.kinds["word"])
        for at, templates in ALONE.items():
            keys = features.keys(columns, -at, count - at, templates)
            total += weights.summed(keys)[self.at[self.places + at]]
        return total

    def _tags(self) -> dict[str, Hashes]:
        return {} if self.tags is None else {"tag": self.tags}

    def _running(self, columns: Mapping[str, Hashes], templates: tuple[Template, ...]) -> Keys:
        padded = {name: features.padded(hashes) for name, hashes in columns.items()}
        return features.keys(padded, 0, len(self.at), templates)[:, self.places]


@lru_cache(maxsize=1 << 17)
def _seen(word: str) -> list[int]:
    """Hash a word, its prefixes and suffixes, and how it is written; 0 is what it has not."""
    plain = spelt(word)
    sizes = range(1, LONGEST + 1)
    prefixes = [hashed(plain[:size]) if size <= len(plain) else 0 for size in sizes]
    suffixes = [hashed(plain[-size:]) if size <= len(plain) else 0 for size in sizes]
    return [hashed(plain), *prefixes, *suffixes, hashed(written(word))]


@lru_cache(maxsize=1 << 12)
def _tag(tag: str) -> int:
    return hashed(tag)


def spelt(word: str) -> str:
    """Give a word as it is looked at."""
    return _DIGIT.sub("0", bare(word).lower().replace("’", "'").rstrip("."))


def written(word: str) -> str:
    """Tell how a word is written: lower, Title (`It's`, `I`), UPPER (`U.S.`), mixed or digit."""
    if _DIGIT.search(word):
        return "digit"
    if word == word.lower():
        return "lower"
    stem = _CLITIC.sub("", word)
    whole, letters = ("".join(filter(str.isalpha, each)) for each in (word, stem))
    if any(each.isupper() and len(each) > 1 for each in (whole, letters)):
        return "UPPER"
    return "Title" if stem.istitle() or letters == letters.capitalize() else "mixed"
