"""Changes of a layer, compared with plain sums, numerical gradients and slow descent."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.ml.maxent import OFFSET_RIDGE, Search, shift_layer

Floats = NDArray[np.float64]
EXACT = Search(steps=2000, gain=1e-15)


def plain_loss(rows: Floats, scores: Floats, wanted: Floats, ridge: float, shift: Floats) -> float:
    """Return the loss, row by row and label by label."""
    *weights, offsets = shift.tolist()
    total: float = sum(ridge / 2 * w * w for row in weights for w in row)
    total += sum(OFFSET_RIDGE / 2 * w * w for w in offsets)
    for row, given_scores, should in zip(rows.tolist(), scores.tolist(), wanted, strict=True):
        logits = [
            score + offsets[label] + sum(x * w[label] for x, w in zip(row, weights, strict=True))
            for label, score in enumerate(given_scores)
        ]
        whole = math.log(sum(map(math.exp, logits)))
        total += sum(p * (whole - s) for p, s in zip(should.tolist(), logits, strict=True))
    return total


def plain_gradient(
    at: Floats, rows: Floats, scores: Floats, wanted: Floats, ridge: float
) -> Floats:
    """Return the gradient by differences, one direction after another."""
    found = np.zeros(at.shape)
    for place in np.ndindex(at.shape):
        step = np.zeros(at.shape)
        step[place] = 1e-5
        up, down = (plain_loss(rows, scores, wanted, ridge, at + s) for s in (step, -step))
        found[place] = (up - down) / 2e-5
    return found


def problem(seed: int, count: int, width: int, labels: int) -> tuple[Floats, Floats, Floats]:
    random = np.random.default_rng(seed)
    wanted = random.dirichlet(np.full(labels, 0.3), count)
    return random.normal(size=(count, width)), random.normal(size=(count, labels)), wanted


@given(
    seed=st.integers(0, 1000),
    count=st.integers(1, 12),
    width=st.integers(0, 4),
    labels=st.integers(2, 5),
    ridge=st.sampled_from([0.1, 1.0, 30.0]),
)
def test_the_slope_at_the_end_is_nothing(
    seed: int, count: int, width: int, labels: int, ridge: float
) -> None:
    rows, scores, wanted = problem(seed, count, width, labels)
    found = shift_layer(rows, scores, wanted, ridge, search=EXACT)
    assert found.shape == (width + 1, labels)
    assert plain_gradient(found, rows, scores, wanted, ridge) == pytest.approx(0, abs=1e-4)


def test_slow_descent_ends_in_the_same_place() -> None:
    data = (*problem(3, 15, 2, 3), 2.0)
    slow = np.zeros((3, 3))
    for _ in range(400):
        slow -= 0.05 * plain_gradient(slow, *data)
    assert shift_layer(*data, search=EXACT) == pytest.approx(slow, abs=1e-5)


def test_a_layer_that_is_right_stays_as_it_is() -> None:
    rows, scores, _ = problem(1, 30, 3, 4)
    right = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert shift_layer(rows, scores, right, 1.0) == pytest.approx(0, abs=1e-9)


@given(seed=st.integers(0, 100))
def test_stronger_ridges_hold_the_layer_nearer(seed: int) -> None:
    data = problem(seed, 20, 3, 3)
    sizes = [
        float(np.abs(shift_layer(*data, ridge, search=EXACT)[:-1]).sum())
        for ridge in (0.1, 1.0, 10.0, 1e3, 1e6)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 1e-3


def test_it_does_not_matter_where_it_starts() -> None:
    rows, scores, wanted = problem(5, 40, 4, 3)
    start = np.random.default_rng(6).normal(size=(5, 3))
    found = shift_layer(rows, scores, wanted, 1.0, start, EXACT)
    assert found == pytest.approx(shift_layer(rows, scores, wanted, 1.0, search=EXACT), abs=1e-5)
    short = shift_layer(rows.astype(np.float32), scores, wanted, 1.0)
    assert short == pytest.approx(found, abs=1e-2)


def test_a_label_that_never_occurs_stays_possible() -> None:
    rows, scores = np.zeros((1000, 0)), np.zeros((1000, 3))
    wanted = np.tile([1.0, 0.0, 0.0], (1000, 1))
    offsets = shift_layer(rows, scores, wanted, 1.0, search=EXACT)[-1]
    assert offsets[0] > 3
    assert np.abs(offsets).max() < 10


def test_wrong_sizes_are_refused() -> None:
    rows, scores, wanted = problem(1, 5, 2, 3)
    with pytest.raises(ValueError, match="a score and a probability for each row and label"):
        shift_layer(rows, scores[:4], wanted, 1.0)
    with pytest.raises(ValueError, match="ridge is a number above 0, not 0"):
        shift_layer(rows, scores, wanted, 0)
