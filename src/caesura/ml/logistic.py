"""Logistic regression for few columns and many rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 100
HALVINGS = 30
CLOSE = 1e-12
"""How little a step may promise to gain, as a share of the loss, to be the last."""


def fit(rows: Floats, positive: NDArray[np.bool_], ridge: float = 1.0) -> Floats:
    """Give the intercept and a weight for each column that make what was seen most likely.

    The loss is the negative log-likelihood plus ridge / 2 times the sum of squared weights; the
    intercept is free. It has one minimum, even where a column tells all rows apart, as long as
    `ridge` is above 0 and there are rows of both kinds.
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
        gradient, curvature = _slopes(design, positive, penalty, weights)
        step = np.asarray(np.linalg.solve(curvature, gradient), np.float64)
        if gradient @ step <= CLOSE * loss:
            break
        found = _shortened(design, positive, penalty, weights, step, loss)
        if found is None:
            break
        weights, loss = found
    return weights


def _loss(design: Floats, positive: NDArray[np.bool_], penalty: Floats, weights: Floats) -> float:
    log_odds = weights @ design
    surprise = np.logaddexp(0.0, np.where(positive, -log_odds, log_odds))
    return float(surprise.sum() + penalty @ weights**2 / 2)


def _slopes(
    design: Floats, positive: NDArray[np.bool_], penalty: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """First and second derivatives of the loss."""
    # The hyperbolic tangent never overflows, as the exponential would.
    chance = 0.5 + 0.5 * np.tanh(weights @ design / 2)
    gradient = design @ (chance - positive) + penalty * weights
    curvature = (design * (chance * (1 - chance))) @ design.T + np.diag(penalty)
    # Where every row is certain the intercept has no curvature left to divide by.
    curvature[np.diag_indices_from(curvature)] += 1e-12 * len(positive)
    return gradient, curvature


def _shortened(
    design: Floats,
    positive: NDArray[np.bool_],
    penalty: Floats,
    weights: Floats,
    step: Floats,
    loss: float,
) -> tuple[Floats, float] | None:
    """Go the step, or the longest half, quarter … of it that does not lead uphill."""
    for _ in range(HALVINGS):
        there = weights - step
        lower = _loss(design, positive, penalty, there)
        if lower < loss:
            return there, lower
        step = step / 2
    return None
