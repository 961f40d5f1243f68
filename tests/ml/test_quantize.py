"""Weights in 8 bits: near enough, and never without a bound."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from caesura.ml.quantize import LARGE, STEPS, TINY, stepped, unstepped, wrong

SIZES = st.tuples(st.integers(0, 6), st.integers(1, 4))


@given(arrays(np.float64, SIZES, elements=st.floats(-50, 50)))
def test_steps_are_near_the_weights(weights: np.ndarray) -> None:
    steps, scales = stepped(weights)
    assert wrong(steps, scales, *weights.shape) == ""
    bound = np.maximum(abs(weights).max(axis=1, initial=0) / STEPS, TINY)[:, None]
    assert (abs(unstepped(steps, scales) - weights) <= 0.6 * bound).all()


def test_weights_beyond_all_bounds_are_cut() -> None:
    steps, scales = stepped(np.array([[1e9, -1e9, 1.0]]))
    assert scales.tolist() == [LARGE]
    assert steps.tolist() == [[STEPS, -STEPS, 0]]


def test_what_is_wrong_is_told() -> None:
    steps, scales = stepped(np.ones((2, 3)))
    assert wrong(steps, scales, 2, 4) == "weights are no steps of 2 keys and 4 labels"
    assert wrong(steps, scales[:1], 2, 3) == "scales are not those of 2 keys"
    assert wrong(steps, -scales, 2, 3) == "scales are not all numbers up to 1000"
