"""Decoding equals brute force over all sequences of classes, in blocks and without."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.arrays import Floats, Indices
from caesura.ml import viterbi


def drawn(seed: int, steps: int, classes: int, order: int) -> Floats:
    scores = np.random.default_rng(seed).normal(0, 3, (steps, classes**order))
    return np.asarray(scores)


def column(sequence: tuple[int, ...], at: int, classes: int, order: int) -> int:
    number = 0
    for place in range(at - order + 1, at + 1):
        number = number * classes + (sequence[place] if place >= 0 else 1)
    return number


def brute_force(scores: Floats, classes: int, order: int) -> tuple[Floats, Indices]:
    """Score every sequence of classes."""
    steps = len(scores)
    sequences = list(product(range(classes), repeat=steps))
    totals = np.array(
        [sum(scores[at, column(s, at, classes, order)] for at in range(steps)) for s in sequences]
    )
    weights = np.exp(totals - totals.max())
    posterior = np.zeros((steps, classes))
    for sequence, weight in zip(sequences, weights, strict=True):
        for at, label in enumerate(sequence):
            posterior[at, label] += weight
    return posterior / weights.sum(), np.array(sequences[int(totals.argmax())])


@pytest.mark.parametrize("block", [2, 3, 128])
@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 7), min_size=1, max_size=3),
    shape=st.sampled_from([(2, 2), (2, 3), (2, 4), (2, 5), (3, 2), (3, 3), (4, 2)]),
)
@settings(deadline=None, max_examples=40)
def test_equals_brute_force(
    block: int, seed: int, lengths: list[int], shape: tuple[int, int]
) -> None:
    classes, order = shape
    lengths = [min(length, 5 if classes > 2 else 7) for length in lengths]
    scores = drawn(seed, sum(lengths), classes, order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(viterbi, "BLOCK", block)
        found = viterbi.posterior(scores, np.array(lengths), classes)
        best = viterbi.viterbi(scores, np.array(lengths), classes)
    for first, length in zip(np.cumsum([0, *lengths]), lengths, strict=False):
        here = slice(first, first + length)
        expected, sequence = brute_force(scores[here], classes, order)
        np.testing.assert_allclose(found[here], expected, atol=1e-12)
        assert best[here].tolist() == sequence.tolist()


@pytest.mark.parametrize(("classes", "order"), [(2, 2), (2, 3), (2, 5), (4, 3), (3, 4)])
def test_blocks_say_the_same_as_one_long_scan(classes: int, order: int) -> None:
    lengths = np.array([700, 1, 128, 129, 5])
    scores = drawn(3, int(lengths.sum()), classes, order)
    found = viterbi.posterior(scores, lengths, classes)
    best = viterbi.viterbi(scores, lengths, classes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(viterbi, "MOST_STATES", 0)
        np.testing.assert_allclose(viterbi.posterior(scores, lengths, classes), found, atol=1e-12)
        assert (viterbi.viterbi(scores, lengths, classes) == best).all()


def test_neighbours_do_not_matter() -> None:
    lengths = np.array([300, 40, 1000])
    scores = drawn(5, 1340, 2, 3)
    together = viterbi.posterior(scores, lengths, 2)
    paths = viterbi.viterbi(scores, lengths, 2)
    for first, length in zip((0, 300, 340), lengths.tolist(), strict=True):
        alone = scores[first : first + length]
        here = slice(first, first + length)
        assert (viterbi.posterior(alone, np.array([length]), 2) == together[here]).all()
        assert (viterbi.viterbi(alone, np.array([length]), 2) == paths[here]).all()


def test_an_unlikely_neighbour_does_not_matter() -> None:
    """No way through the other is likely: what is good at one step is bad at the next."""
    calm = drawn(6, 300, 2, 2)
    torn = np.tile([[0.0, -100, -100, -100], [-100, -100, -100, 0.0]], (150, 1))
    together = viterbi.posterior(np.concatenate((calm, torn)), np.array([300, 300]), 2)
    alone = [viterbi.posterior(each, np.array([300]), 2) for each in (calm, torn)]
    assert (together == np.concatenate(alone)).all()


@pytest.mark.parametrize("decoded", [viterbi.posterior, viterbi.viterbi])
def test_a_long_recording_does_not_make_others_long(
    decoded: Callable[..., Floats], monkeypatch: pytest.MonkeyPatch
) -> None:
    split = viterbi.Blocks.split
    sizes = []

    def watched(blocks: viterbi.Blocks, scores: Floats) -> Floats:
        made = split(blocks, scores)
        sizes.append(made.size)
        return made

    monkeypatch.setattr(viterbi.Blocks, "split", watched)
    scores = drawn(4, 2003, 3, 4)
    decoded(scores, np.array([2000, 3]), 3)
    assert sum(sizes) == scores.size


def test_extreme_scores_stay_finite() -> None:
    scores = drawn(1, 500, 2, 3) * 1000
    found = viterbi.posterior(scores, np.array([500]), 2)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_classes_are_integers() -> None:
    assert viterbi.viterbi(drawn(1, 5, 2, 3), np.array([5]), 2).dtype == np.int64
    assert viterbi.viterbi(np.zeros((0, 8)), np.array([0]), 2).dtype == np.int64


def test_nothing_to_decode() -> None:
    assert viterbi.posterior(np.zeros((0, 8)), np.array([0]), 2).shape == (0, 2)
    assert viterbi.viterbi(np.zeros((0, 8)), np.array([0, 0]), 2).shape == (0,)


def test_empty_recordings_among_others() -> None:
    scores = drawn(9, 6, 2, 3)
    alone = viterbi.posterior(scores, np.array([6]), 2)
    assert (viterbi.posterior(scores, np.array([0, 6, 0]), 2) == alone).all()
    path = viterbi.viterbi(scores, np.array([6]), 2)
    assert (viterbi.viterbi(scores, np.array([0, 6, 0]), 2) == path).all()


@pytest.mark.parametrize(("classes", "order"), [(2, 3), (3, 4), (2, 6)])
def test_neighbours_do_not_break_ties(classes: int, order: int) -> None:
    chance = np.random.default_rng(2)
    for _ in range(50):
        lengths = chance.integers(0, 7, 3)
        scores = chance.integers(-1, 2, (int(lengths.sum()), classes**order)).astype(np.float64)
        parts = zip(np.split(scores, np.cumsum(lengths)[:-1]), lengths.tolist(), strict=True)
        alone = [viterbi.viterbi(part, np.array([n]), classes).tolist() for part, n in parts]
        together = viterbi.viterbi(scores, lengths, classes).tolist()
        assert together == [label for labels in alone for label in labels]
