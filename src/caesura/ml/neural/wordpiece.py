"""Split words into the pieces of a WordPiece vocabulary, as BERT does.

A word is lowered, its accents are removed unless the vocabulary has some, signs become pieces of
their own, and each run of letters and digits is split greedily: the longest piece that fits comes
first. Pieces inside a run are written with `##`.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from caesura.core.arrays import Indices, Strings

PAD, UNKNOWN, BEGIN, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
SPECIAL = (PAD, UNKNOWN, BEGIN, END)
INSIDE = "##"
LONGEST_RUN = 64
"""Longer runs of letters are one unknown piece."""

MOST_PIECES = 12
"""Pieces of a word that are kept; what follows says little about where sentences end."""


class WordPieces:
    """A vocabulary of pieces, which are numbered in order; the first four are `SPECIAL`."""

    def __init__(self, pieces: Sequence[str]) -> None:
        if tuple(pieces[: len(SPECIAL)]) != SPECIAL:
            raise ValueError(f"a vocabulary starts with {', '.join(SPECIAL)}")
        self.pieces: Strings = tuple(pieces)
        self._number = {piece: at for at, piece in enumerate(self.pieces)}
        if len(self._number) < len(self.pieces) or "" in self._number:
            raise ValueError("the pieces of a vocabulary are distinct texts")
        self._longest = max(map(len, self.pieces))
        self._has_accents = any(map(_has_accent, self.pieces))
        self._words: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.pieces)

    def split(self, word: str) -> tuple[int, ...]:
        """Return the numbers of the pieces of a word: at least one."""
        found = self._words.get(word)
        if found is None:
            runs = runs_of(word, self._has_accents)
            numbers = [number for run in runs for number in self._split_run(run)]
            found = tuple(numbers[:MOST_PIECES]) or (SPECIAL.index(UNKNOWN),)
            if len(self._words) >= MOST_REMEMBERED:
                self._words.clear()
            self._words[word] = found
        return found

    def split_all(self, words: Sequence[str]) -> tuple[Indices, Indices]:
        """Return the numbers of all pieces, and where each word starts among them."""
        numbers = [self.split(word) for word in words]
        counts = np.fromiter(map(len, numbers), np.int64, len(numbers))
        pieces = np.fromiter((n for each in numbers for n in each), np.int64, int(counts.sum()))
        return pieces, np.cumsum(counts) - counts

    def known(self, word: str) -> bool:
        """Whether a word is in the vocabulary as a whole, not only its parts."""
        pieces = [self.pieces[number] for number in self.split(word)]
        return not any(piece == UNKNOWN or piece.startswith(INSIDE) for piece in pieces)

    def _split_run(self, run: str) -> Iterable[int]:
        if len(run) > LONGEST_RUN:
            return [SPECIAL.index(UNKNOWN)]
        found, first = [], 0
        while first < len(run):
            inside = INSIDE if first else ""
            stops = range(min(len(run), first + self._longest), first, -1)
            pieces = ((stop, self._number.get(inside + run[first:stop])) for stop in stops)
            stop, number = next(((s, n) for s, n in pieces if n is not None), (0, 0))
            if not stop:
                return [SPECIAL.index(UNKNOWN)]
            found.append(number)
            first = stop
        return found


MOST_REMEMBERED = 1 << 17
"""Words whose pieces are remembered before the memory is emptied."""


def _has_accent(piece: str) -> bool:
    """Whether a piece has a letter with an accent: é, and not a sign or a Chinese character."""
    return not piece.isascii() and any(
        unicodedata.category(mark) == "Mn" for mark in unicodedata.normalize("NFD", piece)[1:]
    )


def runs_of(word: str, has_accents: bool = False) -> list[str]:
    """Return the runs of letters and digits of a word, and its signs one by one.

    The letters lose their accents, unless the vocabulary has those (`has_accents`).
    """
    if word.isascii() and word.isalnum():
        return [word.lower()]
    plain = word.replace("’", "'").lower()
    plain = unicodedata.normalize("NFC" if has_accents else "NFD", plain)
    runs: list[str] = []
    joins = False
    for char in plain:
        category = unicodedata.category(char)
        if (category == "Mn" and not has_accents) or char.isspace():
            continue
        letter = category[0] in "LNM"
        if letter and joins:
            runs[-1] += char
        else:
            runs.append(char)
        joins = letter
    return runs


def common_pieces(vocabulary: WordPieces, words: Counter[str], most: int) -> list[int]:
    """Choose the pieces that a smaller vocabulary keeps, in order.

    They are the special ones, all single characters, and the most frequent others.
    """
    counts: Counter[int] = Counter()
    for word, count in words.items():
        for number in vocabulary.split(word):
            counts[number] += count
    single = {
        at for at, piece in enumerate(vocabulary.pieces) if len(piece.removeprefix(INSIDE)) == 1
    }
    kept = {*range(len(SPECIAL)), *(number for number in single if counts[number])}
    kept |= {at for at in single if vocabulary.pieces[at].removeprefix(INSIDE).isascii()}
    for number, _ in counts.most_common():
        if len(kept) >= most:
            break
        kept.add(number)
    return sorted(kept)
