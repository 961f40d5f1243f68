"""Words in pieces, compared with a search over all ways to split them."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.ml.neural.wordpiece import (
    INSIDE,
    MOST_PIECES,
    SPECIAL,
    WordPieces,
    common_pieces,
    runs_of,
)

LETTERS = "abc"
SINGLE = [*LETTERS, *(INSIDE + letter for letter in LETTERS)]
SMALL = WordPieces([*SPECIAL, *SINGLE, "'", "ab", "##bc", "abc", "##ca", "b7", "7"])


def pieces(word: str, vocabulary: WordPieces = SMALL) -> list[str]:
    return [vocabulary.pieces[number] for number in vocabulary.split(word)]


def longest_first(run: str) -> list[str]:
    """Split by trying every prefix, the longest first."""
    if not run:
        return []
    for stop in range(len(run), 0, -1):
        if run[:stop] in SMALL.pieces:
            rest, found = run[stop:], [run[:stop]]
            while rest:
                size = max(n for n in range(1, len(rest) + 1) if INSIDE + rest[:n] in SMALL.pieces)
                found.append(INSIDE + rest[:size])
                rest = rest[size:]
            return found
    raise AssertionError(run)


@given(st.text(LETTERS, min_size=1, max_size=MOST_PIECES))
def test_the_longest_piece_comes_first(word: str) -> None:
    assert pieces(word) == longest_first(word)


def test_signs_are_pieces_of_their_own() -> None:
    assert pieces("ab'c") == ["ab", "'", "c"]
    assert pieces("AB’c") == ["ab", "'", "c"]
    assert runs_of("$4.5") == ["$", "4", ".", "5"]
    assert runs_of("naïve") == ["naive"]
    assert runs_of("Ünïted-Kíngdom's") == ["united", "-", "kingdom", "'", "s"]


def test_what_no_piece_fits_is_unknown() -> None:
    assert pieces("xyz") == ["[UNK]"]
    assert pieces("") == ["[UNK]"]
    assert pieces("a" * 65) == ["[UNK]"]
    assert pieces("a" * 40) == ["a"] + ["##a"] * (MOST_PIECES - 1)


def test_words_are_numbered_one_after_the_other() -> None:
    numbers, starts = SMALL.split_all(["ab", "cab", "a"])
    assert [SMALL.pieces[number] for number in numbers] == ["ab", "c", "##a", "##b", "a"]
    assert starts.tolist() == [0, 1, 4]
    numbers, starts = SMALL.split_all([])
    assert numbers.tolist() == starts.tolist() == []


def test_a_word_is_known_as_a_whole() -> None:
    assert SMALL.known("abc")
    assert SMALL.known("a")
    assert not SMALL.known("cc")


def test_a_vocabulary_starts_with_the_special_pieces() -> None:
    with pytest.raises(ValueError, match="a vocabulary starts with"):
        WordPieces(["a", "b"])


@pytest.mark.parametrize("more", [("a", "a"), ("",)])
def test_pieces_are_distinct_texts(more: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="distinct texts"):
        WordPieces([*SPECIAL, *more])


def test_a_smaller_vocabulary_keeps_single_characters_and_frequent_pieces() -> None:
    words = Counter({"abc": 5, "cab": 2, "ab": 1})
    kept = [SMALL.pieces[at] for at in common_pieces(SMALL, words, len(SPECIAL) + 9)]
    assert kept == [*SPECIAL, *SINGLE, "'", "abc", "7"]
    everything = common_pieces(SMALL, words, 100)
    assert {SMALL.pieces[at] for at in everything} >= {"abc", "ab"}
