"""Gaps among replaced words: comparison with a slow search over characters."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.text.alignment import transfer
from caesura.text.alignment.transfer import MAX_REPLACED, gaps_by_characters
from caesura.text.alignment.word_alignment import Alignment, align

TEXTS = st.lists(st.text("abc1", min_size=1, max_size=4), max_size=8).map(tuple)


def placed(source: str, target: str) -> list[int]:
    ours, theirs = source.split(), target.split()
    return list(map(int, gaps_by_characters(align(ours, theirs), ours, theirs)))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # equal words keep their gaps
        ("a b c", "a b c", [0, 1, 2]),
        # a word that is not there hands its gap to the kept word before it
        ("a b c", "a c", [0, 0, 1]),
        ("b c", "c", [-1, 0]),
        # before an inserted stretch a gap stays after the last equal word
        ("a b", "a x y b", [0, 3]),
        # the last of the replaced words ends where what replaces them ends
        ("in 2020 this", "in twenty twenty this", [0, 2, 3]),
        ("a listen only mode", "a listen-only mode", [0, 1, 1, 2]),
        # digits are as long as the words they are read as
        ("in 2020 Munro said", "in twenty twenty monroe said", [0, 2, 3, 4]),
        # characters that are alike tell where one replaced word ends
        ("x alpha beta y", "x alphas um betas y", [0, 1, 3, 4]),
    ],
)
def test_small_examples(source: str, target: str, expected: list[int]) -> None:
    assert placed(source, target) == expected


def test_the_last_gap_goes_to_the_last_whatever_the_alignment() -> None:
    ours, theirs = "in 2020 this".split(), "in twenty twenty this".split()
    with_first = Alignment(np.array([0, 1, -1, 2]), np.array([True, False, False, True]), 3)
    assert gaps_by_characters(with_first, ours, theirs).tolist() == [0, 2, 3]


def fewest(source: str, target: str) -> int:
    @cache
    def at(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(
            at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (source[i - 1] != target[j - 1])
        )

    return at(len(source), len(target))


@given(TEXTS, TEXTS)
def test_gaps_are_in_order_and_equal_words_keep_theirs(
    source: tuple[str, ...], target: tuple[str, ...]
) -> None:
    aligned = align(source, target)
    gaps = gaps_by_characters(aligned, source, target)
    assert len(gaps) == len(source)
    assert (np.diff(gaps) >= 0).all()
    assert ((gaps >= -1) & (gaps < len(target))).all()
    matched = aligned.equal_target >= 0
    assert (gaps[matched] == aligned.equal_target[matched]).all()


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=5), st.data())
def test_inner_gaps_lie_on_a_path_with_the_fewest_edits(
    source: list[str], data: st.DataObject
) -> None:
    """Splitting both texts at a gap of the target that is reached costs no more edits."""
    target = data.draw(st.lists(st.text("xyz", min_size=1, max_size=4), min_size=1, max_size=5))
    target[data.draw(st.integers(0, len(target) - 1))] += "a"
    gaps = gaps_by_characters(align(source, target), source, target)
    assert gaps[-1] == len(target) - 1
    texts = "".join(source), "".join(target)
    whole = fewest(*texts)
    ends = np.cumsum([0, *map(len, target)])
    for at, gap in enumerate(gaps[:-1].tolist()):
        cut = len("".join(source[: at + 1]))
        costs = [
            fewest(texts[0][:cut], texts[1][:k]) + fewest(texts[0][cut:], texts[1][k:])
            for k in range(len(texts[1]) + 1)
        ]
        exact = [k for k, cost in enumerate(costs) if cost == whole]
        nearest = {int(np.abs(ends - k).argmin()) - 1 for k in exact}
        assert gap in nearest


def test_endless_stretches_stay_with_the_words() -> None:
    ours, theirs = ["a"] * MAX_REPLACED, ["b", "b"] * MAX_REPLACED
    aligned = align(ours, theirs)
    assert (gaps_by_characters(aligned, ours, theirs) == aligned.gaps).all()


@pytest.mark.parametrize(("most", "expected"), [(7, [0, 1, 3, 4]), (6, [0, 2, 3, 4])])
def test_words_of_both_sides_are_counted(
    most: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From x to y there are 3 and 4 words, with y; word by word, `alpha` is paired with `um`."""
    monkeypatch.setattr(transfer, "MAX_REPLACED", most)
    assert placed("x alpha beta y", "x alphas um betas y") == expected
