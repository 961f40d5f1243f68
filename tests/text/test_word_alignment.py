"""Word alignment: comparison with a full table."""

import random
from functools import cache

import jiwer
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from caesura.core.errors import LayerError
from caesura.text.alignment.word_alignment import WEIGHTS, Alignment, align, align_parts

TEXTS = st.lists(st.sampled_from("abcde"), max_size=9).map(tuple)


def fewest_edits(source: tuple[str, ...], target: tuple[str, ...]) -> int:
    """Return the fewest edits by the textbook recurrence."""

    @cache
    def at(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(
            at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (source[i - 1] != target[j - 1])
        )

    return at(len(source), len(target))


@given(TEXTS, TEXTS)
def test_has_the_fewest_edits(source: tuple[str, ...], target: tuple[str, ...]) -> None:
    found = align(source, target)
    assert found.edits == fewest_edits(source, target)
    assert found.hits + found.substitutions + found.insertions == len(target)
    assert found.hits + found.substitutions + found.deletions == len(source)


@given(TEXTS, TEXTS)
def test_pairs_are_in_order_and_equal_where_said(
    source: tuple[str, ...], target: tuple[str, ...]
) -> None:
    found = align(source, target)
    pairs = [(at, i) for i, at in enumerate(found.source.tolist()) if at >= 0]
    assert pairs == sorted(set(pairs))
    assert len({at for at, _ in pairs}) == len(pairs)
    for at, i in pairs:
        assert bool(found.equal[i]) == (source[at] == target[i])
    assert [int(found.target[at]) for at, _ in pairs] == [i for _, i in pairs]


@given(TEXTS, TEXTS)
def test_ties_are_broken_as_by_rapidfuzz(source: tuple[str, ...], target: tuple[str, ...]) -> None:
    found = align(source, target)
    expected = {
        step.dest_start + k: step.src_start + k
        for step in Levenshtein.opcodes(list(source), list(target))
        if step.tag in ("equal", "replace")
        for k in range(step.dest_end - step.dest_start)
    }
    assert dict(enumerate(found.source.tolist())) == {
        i: expected.get(i, -1) for i in range(len(target))
    }


def test_long_texts_are_aligned_as_by_jiwer() -> None:
    chance = random.Random(2)
    source = [f"w{min(int(chance.paretovariate(0.7)), 2000)}" for _ in range(6000)]
    target = [chance.choice(source) if chance.random() < 0.1 else word for word in source]
    target = [word for word in target if chance.random() > 0.05]
    found = align(source, target)
    expected = np.full(len(target), -1)
    (steps,) = jiwer.process_words(" ".join(source), " ".join(target)).alignments
    for step in steps:
        if step.type in ("equal", "substitute"):
            here = slice(step.hyp_start_idx, step.hyp_end_idx)
            expected[here] = np.arange(step.ref_start_idx, step.ref_end_idx)
    np.testing.assert_array_equal(found.source, expected)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6))
def test_parts_are_aligned_each_for_itself(
    parts: list[tuple[tuple[str, ...], tuple[str, ...]]],
) -> None:
    whole = align_parts(*_one_after_another(parts))
    places, equal, begin = [], [], 0
    for source, target in parts:
        found = align(source, target)
        places += [at + begin if at >= 0 else -1 for at in found.source.tolist()]
        equal += found.equal.tolist()
        begin += len(source)
    assert whole == Alignment(np.array(places, int), np.array(equal, bool), begin)


def _one_after_another(
    parts: list[tuple[tuple[str, ...], tuple[str, ...]]],
) -> tuple[list[str], list[str], list[int], list[int]]:
    source, target = ([word for part in parts for word in part[side]] for side in (0, 1))
    stops = [np.cumsum([len(part[side]) for part in parts], dtype=int) for side in (0, 1)]
    return source, target, stops[0].tolist(), stops[1].tolist()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_no_parts_are_aligned_to_nothing(weights: str) -> None:
    assert align_parts([], [], [], [], weights) == align([], [])


@pytest.mark.parametrize(
    ("source_stops", "target_stops", "message"),
    [
        ([1], [2], "stops of parts must ascend to 3, the number of words"),
        ([3], [], "stops of parts must ascend to 2, the number of words"),
        ([2, 1, 3], [1, 1, 2], "stops of parts must ascend to 3, the number of words"),
        ([-1, 3], [1, 2], "stops of parts must ascend to 3, the number of words"),
        ([1, 3], [2], "2 parts cannot be aligned with 1"),
    ],
)
def test_parts_that_cannot_be(
    source_stops: list[int], target_stops: list[int], message: str
) -> None:
    with pytest.raises(LayerError) as caught:
        align_parts(["a", "b", "c"], ["a", "b"], source_stops, target_stops)
    assert str(caught.value) == message


def test_weights_have_names() -> None:
    with pytest.raises(ValueError, match="weights is one of edits, sclite, not 'nist'"):
        align(["a"], ["b"], "nist")
    with pytest.raises(ValueError, match="weights is one of edits, sclite, not 'nist'"):
        align_parts(["a"], ["b"], [1], [1], "nist")


@pytest.mark.parametrize(
    ("source", "target", "hits", "substitutions", "deletions", "insertions"),
    [
        ("a b c d", "a x d", 2, 1, 1, 0),
        ("a b", "b a", 1, 0, 1, 1),
        ("a a b b", "c c d d", 0, 4, 0, 0),
    ],
)
def test_small_examples(
    source: str, target: str, hits: int, substitutions: int, deletions: int, insertions: int
) -> None:
    found = align(source.split(), target.split())
    assert (found.hits, found.substitutions) == (hits, substitutions)
    assert (found.deletions, found.insertions) == (deletions, insertions)


def test_alignments_are_values() -> None:
    found = align("a b c".split(), "a x c".split())
    assert found == align("a b c".split(), "a y c".split())
    assert found != align("a b c".split(), "a b c".split())
    with pytest.raises(ValueError, match="read-only"):
        found.source[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        found.equal[0] = False
    none = Alignment(np.array([]), np.array([]), 0)
    assert none.source.dtype == np.int64
    assert none.equal.dtype == np.bool_


def test_each_word_of_the_source_has_its_place_in_the_target() -> None:
    found = align("a b c d".split(), "b x d".split())
    assert found.source.tolist() == [1, 2, 3]
    assert found.target.tolist() == [-1, 0, 1, 2]
    assert found.equal_target.tolist() == [-1, 0, -1, 2]
    assert found.gaps.tolist() == [-1, 0, 1, 2]


@pytest.mark.parametrize(
    ("source", "equal", "length", "message"),
    [
        ([0, 1], [True], 2, "equal has 1 cells for 2 words"),
        ([0, 2], [True, True], 2, "source points outside the 2 words"),
        ([-2, 0], [False, True], 2, "source points outside the 2 words"),
        ([0, -1], [True, True], 2, "a word without a counterpart cannot be equal to it"),
    ],
)
def test_alignments_that_cannot_be(
    source: list[int], equal: list[bool], length: int, message: str
) -> None:
    with pytest.raises(LayerError) as caught:
        Alignment(np.array(source), np.array(equal), length)
    assert str(caught.value) == message
