"""The posterior after a given label, against brute force over all sequences."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.arrays import Floats
from caesura.ml.crf import NEVER, Chain, Weights, posterior_after

NOTHING = -1
"""Stands for the label before the first word of a recording."""


def drawn(seed: int, count: int, labels: int, size: float = 2.0) -> tuple[Floats, Floats]:
    chance = np.random.default_rng(seed)
    states = chance.normal(0, size, (count, labels))
    return states, chance.normal(0, size, (labels + 1, labels))


def by_hand(states: Floats, transitions: Floats, before: int) -> Floats:
    """Sum over all sequences of labels."""
    ways = list(product(range(states.shape[1]), repeat=len(states)))
    scores = np.array(
        [
            sum(
                states[at, label] + transitions[last, label]
                for at, (last, label) in enumerate(zip((before, *way), way, strict=False))
            )
            for way in ways
        ]
    )
    shares = np.exp(scores - scores.max())
    found = np.zeros(states.shape)
    for way, share in zip(ways, (shares / shares.sum()).tolist(), strict=True):
        found[range(len(states)), way] += share
    return found


@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(2, 4))
def test_equals_a_chain(seed: int, count: int, labels: int) -> None:
    states, transitions = drawn(seed, count, labels)
    chain = Chain(Weights(np.zeros(0, np.int64), np.zeros((0, labels))), transitions)
    expected = chain.posterior(states, np.array([count]))
    assert np.abs(posterior_after(states, transitions, NOTHING) - expected).max() < 1e-9


@given(
    st.integers(0, 10**6),
    st.integers(1, 5),
    st.integers(2, 3).flatmap(lambda most: st.tuples(st.just(most), st.integers(-1, most - 1))),
)
def test_equals_all_sequences_after_each_label(
    seed: int, count: int, after: tuple[int, int]
) -> None:
    labels, before = after
    states, transitions = drawn(seed, count, labels)
    found = posterior_after(states, transitions, before)
    assert np.abs(found - by_hand(states, transitions, before)).max() < 1e-9


def test_the_label_before_changes_what_follows() -> None:
    states, transitions = np.zeros((2, 2)), np.array([[4.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    found = [
        posterior_after(states, transitions, before)[:, 0].round(3).tolist() for before in (0, 1)
    ]
    assert found == [[0.982, 0.965], [0.018, 0.035]]
    assert np.allclose(posterior_after(states, transitions, NOTHING), 0.5, rtol=0, atol=1e-12)


def test_no_words_have_no_probabilities() -> None:
    assert posterior_after(np.zeros((0, 3)), np.zeros((4, 3)), NOTHING).shape == (0, 3)


@pytest.mark.parametrize("size", [1e2, 1e4])
@given(seed=st.integers(0, 10**6), count=st.integers(1, 40), before=st.integers(-1, 2))
def test_extreme_scores_give_probabilities(size: float, seed: int, count: int, before: int) -> None:
    states, transitions = drawn(seed, count, 3, size)
    found = posterior_after(states, transitions, before)
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=1), 1, rtol=0, atol=1e-9)


def test_a_label_that_was_never_seen_has_no_probability() -> None:
    states, transitions = drawn(1, 20, 3)
    transitions[:, 2] = NEVER
    found = posterior_after(states, transitions, 0)
    assert found[:, 2].max() < 1e-100
    assert (
        np.abs(found[:, :2] - posterior_after(states[:, :2], transitions[[0, 1, 3], :2], 0)).max()
        < 1e-9
    )
