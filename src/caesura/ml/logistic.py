"""Logistic regression with an L2 penalty, by Newton's method, for few columns and many rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 100
HALVINGS = 30
CLOSE = 1e-12
"""The search ends when a step can reduce the loss by no more than this share."""


def fit(rows: Floats, positive: NDArray[np.bool_], ridge: float = 1.0) -> Floats:
    """Return the intercept and the weight of each column that minimise the loss.

    The loss is the negative log-likelihood plus ridge / 2 times the sum of squared weights; the
    intercept has no penalty. There is one minimum, even where a column separates the two kinds
    of rows, as long as `ridge` is above 0 and there are rows of both kinds.
    """
    if ridge <= 0:
        raise ValueError(f"ridge is a number above 0, not {ridge!r}")
    if positive.all() or not positive.any():
        raise ValueError("there are rows of one kind only")
    design = np.vstack([np.ones(len(rows)), rows.T])
    penalty = np.full(len(design), ridge)
    penalty[0] = 0.0
    weights = np.zeros(len(design))
    loss = _loss(design, positive, penalty, weights)
    for _ in range(STEPS):
        gradient, curvature = _derivatives(design, positive, penalty, weights)
        step = np.asarray(np.linalg.solve(curvature, gradient), np.float64)
        if gradient @ step <= CLOSE * loss:
            break
        found = _line_search(design, positive, penalty, weights, step, loss)
        if found is None:
            break
        weights, loss = found
    return weights


def _loss(design: Floats, positive: NDArray[np.bool_], penalty: Floats, weights: Floats) -> float:
    log_odds = weights @ design
    surprise = np.logaddexp(0.0, np.where(positive, -log_odds, log_odds))
    return float(surprise.sum() + penalty @ weights**2 / 2)


def _derivatives(
    design: Floats, positive: NDArray[np.bool_], penalty: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Return the first and second derivatives of the loss."""
    # The hyperbolic tangent never overflows, as the exponential would.
    probability = 0.5 + 0.5 * np.tanh(weights @ design / 2)
    gradient = design @ (probability - positive) + penalty * weights
    curvature = (design * (probability * (1 - probability))) @ design.T + np.diag(penalty)
    # Where every row is certain the intercept has no curvature left to divide by.
    curvature[np.diag_indices_from(curvature)] += 1e-12 * len(positive)
    return gradient, curvature


def _line_search(
    design: Floats,
    positive: NDArray[np.bool_],
    penalty: Floats,
    weights: Floats,
    step: Floats,
    loss: float,
) -> tuple[Floats, float] | None:
    """Take the step, or its half, quarter … : the first that reduces the loss."""
    for _ in range(HALVINGS):
        moved = weights - step
        lower = _loss(design, positive, penalty, moved)
        if lower < loss:
            return moved, lower
        step = step / 2
    return None
