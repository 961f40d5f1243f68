"""Logistic regression, against what a minimum is and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.detectors.fusion import fit_logistic
from work import work

Drawn = tuple[NDArray[np.float64], NDArray[np.bool_]]


def drawn(seed: int, count: int, weights: list[float], constant: float) -> Drawn:
    """Rows whose kind is drawn with the chance that these weights give."""
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(count, len(weights)))
    log_odds = rows @ np.array(weights) + constant
    return rows, chance.random(count) < 1 / (1 + np.exp(-log_odds))


def loss(
    rows: NDArray[np.float64], ends: NDArray[np.bool_], ridge: float, at: list[float]
) -> float:
    """What is to be made small, term by term."""
    total = ridge / 2 * sum(weight**2 for weight in at[1:])
    for row, end in zip(rows.tolist(), ends.tolist(), strict=True):
        log_odds = at[0] + sum(w * x for w, x in zip(at[1:], row, strict=True))
        total += float(np.logaddexp(0, -log_odds if end else log_odds))
    return total


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-20, 20), st.integers(-3, 3), st.booleans()), min_size=2, max_size=20
    ).filter(lambda rows: len({end for *_, end in rows}) == 2),
    st.sampled_from([1e-3, 1.0, 50.0]),
)
def test_no_step_in_any_direction_leads_further_down(
    cells: list[tuple[int, int, bool]], ridge: float
) -> None:
    rows = np.array([cell[:2] for cell in cells], np.float64)
    ends = np.array([cell[2] for cell in cells])
    found = fit_logistic(rows, ends, ridge).tolist()
    lowest = loss(rows, ends, ridge, found)
    for at in range(3):
        for step in (-1e-3, 1e-3):
            moved = [*found]
            moved[at] += step
            assert loss(rows, ends, ridge, moved) >= lowest


def test_the_slope_is_zero_at_the_end() -> None:
    rows, ends = drawn(1, 2000, [1.5, -0.5, 0.0], -1.0)
    found = fit_logistic(rows, ends, ridge=2.0)
    missed = 1 / (1 + np.exp(-(found[0] + rows @ found[1:]))) - ends
    assert abs(missed.sum()) < 1e-4
    np.testing.assert_allclose(rows.T @ missed + 2.0 * found[1:], 0, atol=1e-4)


def test_the_weights_that_made_the_rows_are_found() -> None:
    rows, ends = drawn(2, 100_000, [1.5, -0.5, 0.0], -2.0)
    np.testing.assert_allclose(fit_logistic(rows, ends), [-2.0, 1.5, -0.5, 0.0], atol=0.05)


def test_separable_rows_have_weights_that_ridge_shrinks() -> None:
    rows = np.array([[-100.0], [-1.0], [1.0], [100.0]])
    ends = np.array([False, False, True, True])
    light, strong = fit_logistic(rows, ends, ridge=1e-9), fit_logistic(rows, ends, ridge=1.0)
    assert 0 < strong[1] < light[1] < 100
    assert abs(light[0]) < 1e-3


def test_columns_that_say_the_same_share_the_weight() -> None:
    rows, ends = drawn(3, 500, [1.0], 0.0)
    found = fit_logistic(np.hstack([rows, rows, 0 * rows]), ends, ridge=0.1)
    assert found[1] == pytest.approx(found[2])
    assert found[3] == 0


def test_what_has_no_minimum_is_refused() -> None:
    rows = np.zeros((3, 1))
    with pytest.raises(ValueError, match="of one kind only"):
        fit_logistic(rows, np.ones(3, np.bool_))
    with pytest.raises(ValueError, match="of one kind only"):
        fit_logistic(rows[:0], np.ones(0, np.bool_))
    with pytest.raises(ValueError, match="above 0"):
        fit_logistic(rows, np.array([True, False, True]), ridge=0)


@pytest.mark.parametrize("ridge", [0.01, 1.0, 100.0])
def test_as_scikit_learn(ridge: float) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rows, ends = drawn(4, 3000, [2.0, -1.0, 0.3, 0.0], -1.5)
    rows *= [1, 10, 0.1, 3]
    peer = linear.LogisticRegression(C=1 / ridge, solver="newton-cholesky", tol=1e-10)
    peer.fit(rows, ends)
    expected = [peer.intercept_[0], *peer.coef_[0]]
    np.testing.assert_allclose(fit_logistic(rows, ends, ridge), expected, rtol=1e-5, atol=1e-7)


def test_the_number_of_steps_does_not_grow_with_the_rows() -> None:
    some, more = (drawn(5, n, [1.0, -1.0, 0.5, 0.0, 2.0], -2.0) for n in (1_000, 100_000))
    assert work(lambda: fit_logistic(*more)) < 2 * work(lambda: fit_logistic(*some))
