"""Recognised words as a display text writes them: with capitals, punctuation and blanks."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from caesura.text.marks import split_marks


class Dressed(NamedTuple):
    """A word as it is written, and whether a blank follows."""

    surface: str
    blank: bool


class _Match(NamedTuple):
    """A word and the tokens of the display text, both inside, that write it."""

    word: int
    first: int
    last: int


def dressed(words: Sequence[str], display: str) -> list[Dressed]:
    """Give lexical words the case and the punctuation that they have in the display text.

    Where the two do not agree, as with numbers (`twenty twenty` and `2020.`), the words stay,
    and the punctuation around what is displayed goes to the first and to the last of them.
    """
    tokens = _tokens(display)
    uncased = sum(unicodedata.category(word[0]) == "Lo" for word in words)
    if not tokens or len(tokens) >= len(words) or 2 * uncased < len(words):
        matches = _by_token(words, tokens)
        return [Dressed(surface, True) for surface in _written(words, tokens, matches)]
    letters = _letters(display)
    matches = _by_letter(words, letters)
    return _without_blanks(words, letters, matches, display)


def plain(word: str) -> str:
    """Give the form in which a word is compared."""
    return word.lower().casefold()


def _tokens(display: str) -> list[str]:
    """Split at blanks; punctuation on its own stays with the token before it."""
    tokens: list[str] = []
    for piece in display.split():
        if tokens and not split_marks(piece).word:
            tokens[-1] += " " + piece
        else:
            tokens.append(piece)
    return tokens


def _bare(token: str) -> str:
    return plain(split_marks(token.split()[0]).word)


def _by_token(words: Sequence[str], tokens: Sequence[str]) -> list[_Match]:
    pairs = _common([plain(word) for word in words], [_bare(token) for token in tokens])
    return [_Match(word, token, token) for word, token in pairs]


def _common(one: Sequence[str], two: Sequence[str]) -> list[tuple[int, int]]:
    """Give the places of a longest common subsequence."""
    return [
        pair
        for step in LCSseq.opcodes(one, two)
        if step.tag == "equal"
        for pair in zip(
            range(step.src_start, step.src_end),
            range(step.dest_start, step.dest_end),
            strict=True,
        )
    ]


def _is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] not in "PZC"


def _letters(display: str) -> list[str]:
    """Split into single letters, each with the punctuation and blanks after it."""
    letters: list[str] = []
    for char in display.strip():
        if letters and not _is_letter(char):
            letters[-1] += char
        else:
            letters.append(char)
    return letters


def _by_letter(words: Sequence[str], letters: Sequence[str]) -> list[_Match]:
    """Match words letter by letter, as there are no blanks in Japanese or Chinese."""
    owners = [(i, char) for i, word in enumerate(words) for char in plain(word) if _is_letter(char)]
    places: dict[int, list[int]] = {}
    for at, letter in _common([char for _, char in owners], [plain(x[0]) for x in letters]):
        places.setdefault(owners[at][0], []).append(letter)
    lengths = [sum(map(_is_letter, plain(word))) for word in words]
    return [
        _Match(word, found[0], found[-1])
        for word, found in places.items()
        if len(found) == lengths[word] == found[-1] - found[0] + 1
    ]


def _written(words: Sequence[str], tokens: Sequence[str], matches: list[_Match]) -> list[str]:
    """Give each word as its tokens write it, and unmatched ones the punctuation around them."""
    surfaces = list(words)
    word, token = 0, 0
    for match in [*matches, _Match(len(words), len(tokens), len(tokens))]:
        if word < match.word and token < match.first:
            opening, _, _ = split_marks(tokens[token])
            last = tokens[match.first - 1]
            kept = split_marks(last.split()[0])
            surfaces[word] = opening + surfaces[word]
            surfaces[match.word - 1] += last[len(kept.opening + kept.word) :].rstrip()
        if match.word < len(words):
            surfaces[match.word] = "".join(tokens[match.first : match.last + 1]).rstrip()
        word, token = match.word + 1, match.last + 1
    return surfaces


def _without_blanks(
    words: Sequence[str], letters: Sequence[str], matches: list[_Match], display: str
) -> list[Dressed]:
    """Tell where blanks are in a text that does without them, or almost."""
    surfaces = _written(words, letters, matches)
    spaced = not matches or any(char.isspace() for char in display.strip())
    blanks = [spaced or word.isascii() for word in words]
    for match, follower in pairwise(matches):
        if follower.word == match.word + 1:
            blanks[match.word] = letters[match.last][-1].isspace()
    return [Dressed(*pair) for pair in zip(surfaces, blanks, strict=True)]
