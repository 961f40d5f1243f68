"""Sequences of words and their numbers: what a set of tuples says."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.arrays import Indices
from caesura.ml.ngram_counts import NgramIndex, collect_ngrams, shifted

Words = tuple[int, ...]

RECORDINGS = st.lists(st.lists(st.integers(1, 4), max_size=12), min_size=1, max_size=4)


def laid_out(recordings: list[list[int]]) -> tuple[Indices, Indices]:
    words = [number for spoken in recordings for number in (0, *spoken)]
    first = np.cumsum([0, *(len(spoken) + 1 for spoken in recordings)])[:-1]
    return np.array(words, np.int64), first.astype(np.int64)


def ending(recordings: list[list[int]], length: int) -> list[Words]:
    """The sequence that ends at each word, and at each beginning."""
    found = []
    for spoken in recordings:
        padded = [0] * length + spoken
        found += [tuple(padded[at : at + length]) for at in range(len(spoken) + 1)]
    return found


def spelt(grams: NgramIndex, length: int) -> list[Words]:
    """The words of each sequence, in the order of their numbers."""
    if length == 0:
        return [()]
    shorter = spelt(grams, length - 1)
    pairs = zip(grams.prefix(length).tolist(), grams.last(length).tolist(), strict=True)
    return [(*shorter[prefix], last) for prefix, last in pairs]


@given(RECORDINGS, st.lists(st.integers(1, 3), max_size=4).map(sorted))
def test_keeps_what_is_seen_often_enough(recordings: list[list[int]], least: list[int]) -> None:
    words, first = laid_out(recordings)
    grams, found = collect_ngrams(words, first, 5, least)
    assert grams.order == len(least) + 1
    for length, times in enumerate([1, *least], 1):
        seen = Counter(ending(recordings, length))
        known = sorted(g for g in seen if seen[g] >= times or not any(g))
        if length == 1:
            known = [(word,) for word in range(5)]
        assert spelt(grams, length) == known
        assert grams.count(length) == len(known)
        numbers = {gram: at for at, gram in enumerate(known)}
        expected = [numbers.get(gram, -1) for gram in ending(recordings, length)]
        assert found[length - 1].tolist() == expected
        shorter = spelt(grams, length - 1)
        assert [shorter[at] for at in grams.suffixes[length - 1]] == [g[1:] for g in known]


@given(RECORDINGS, RECORDINGS, st.lists(st.integers(1, 2), max_size=4).map(sorted))
def test_finds_what_is_known_in_other_recordings(
    recordings: list[list[int]], others: list[list[int]], least: list[int]
) -> None:
    grams, _ = collect_ngrams(*laid_out(recordings), 5, least)
    found = grams.find(*laid_out(others))
    for length in range(1, grams.order + 1):
        numbers = {gram: at for at, gram in enumerate(spelt(grams, length))}
        expected = [numbers.get(gram, -1) for gram in ending(others, length)]
        assert found[length - 1].tolist() == expected


def test_what_begins_a_recording_stands_before_itself() -> None:
    column, first = np.array([7, 1, 2, 8, 3, 9]), np.array([0, 3, 5])
    assert shifted(column, first).tolist() == [7, 7, 1, 8, 8, 9]


def test_the_empty_sequence_is_one() -> None:
    grams = NgramIndex(4)
    assert (grams.order, grams.count(0), grams.count(1)) == (1, 1, 4)
    assert grams.prefix(1).tolist() == [0] * 4
    assert grams.last(1).tolist() == [0, 1, 2, 3]
