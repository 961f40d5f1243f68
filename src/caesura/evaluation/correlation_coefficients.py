"""Correlation coefficients: Pearson's, Spearman's and Kendall's, of series or of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from caesura.core.values import Undefined, Value
from caesura.evaluation.resampling import (
    Interval,
    Resampling,
    Rows,
    bootstrap_draws,
    percentile_interval,
)

Series = Sequence[float] | Rows

TOO_SHORT = Undefined("a correlation takes two pairs of numbers")
CONSTANT = Undefined("one of the series does not vary")


def pearson(one: Series, other: Series) -> Value:
    """Return Pearson's correlation: how close two series come to a straight line."""
    return _correlate_series(one, other, "pearson")


def spearman(one: Series, other: Series) -> Value:
    """Return Spearman's correlation: that of the ranks; equal numbers share their mean rank."""
    return _correlate_series(one, other, "spearman")


def kendall(one: Series, other: Series) -> Value:
    """Return Kendall's tau-b: pairs in the same order minus those in the opposite, with ties."""
    return _correlate_series(one, other, "kendall")


def correlate_with_first(columns: Rows, coefficient: str) -> list[Value]:
    """Return the correlation of each other column with the first."""
    if len(columns) < 2:
        return [TOO_SHORT] * (columns.shape[1] - 1)
    # The numbers are compared with each other: their mean may differ in the last bit.
    constant = columns.min(0) == columns.max(0)
    with np.errstate(invalid="ignore"):
        found = np.clip(COEFFICIENTS[coefficient](columns), -1, 1)
    return [
        CONSTANT if constant[0] or constant[at] else float(found[at])
        for at in range(1, columns.shape[1])
    ]


def ranks(columns: Series) -> Rows:
    """Return the ranks from 1 within each column; equal numbers share their mean rank."""
    given = np.asarray(columns, float)
    order = np.argsort(given, axis=0, kind="stable")
    ordered = np.take_along_axis(given, order, 0)
    places = np.arange(len(given)).reshape(-1, *[1] * (given.ndim - 1))
    differs = ordered[1:] != ordered[:-1]
    edge = np.ones_like(given[:1], bool)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, differs]), places, 0))
    after = np.where(np.concatenate([differs, edge]), places, len(given))
    last = np.minimum.accumulate(after[::-1])[::-1]
    found = np.empty_like(given)
    np.put_along_axis(found, order, (first + last) / 2 + 1, 0)
    return found


def pearson_with_interval(
    one: Sequence[float], other: Sequence[float], resampling: Resampling
) -> tuple[Value, Interval | Undefined]:
    """Return Pearson's correlation and its confidence interval from resampled pairs."""
    pairs = np.array([one, other], float)
    drawn = [pearson(*pairs[:, units]) for units in bootstrap_draws(len(one), resampling)]
    return pearson(one, other), percentile_interval(drawn, resampling.level)


def _correlate_series(one: Series, other: Series, coefficient: str) -> Value:
    if len(one) != len(other):
        raise ValueError(f"series of {len(one)} and {len(other)} numbers have no pairs")
    (found,) = correlate_with_first(np.array([one, other], float).T, coefficient)
    return found


def _pearson_columns(columns: Rows) -> Rows:
    """Return Pearson's correlation of all columns with the first."""
    # Scaling by powers of two loses no digits; subtracting one of the numbers loses few.
    scaled = np.ldexp(columns, -np.frexp(np.abs(columns).max(0))[1])
    shifted = scaled - scaled[0]
    centred = shifted - shifted.mean(0)
    # Divided last and summed alike, so that ranks on a line give exactly 1.
    products, squares = (centred[:, :1] * centred).sum(0), (centred * centred).sum(0)
    return np.asarray(products / np.sqrt(squares[0] * squares))


def _kendall_columns(columns: Rows) -> Rows:
    """Return Kendall's tau-b of all columns with the first, from all pairs of rows."""
    # Ranks have the same order as the numbers, and their differences never overflow.
    ranked = ranks(columns)
    same, untied = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
    for at in range(len(ranked) - 1):
        signs = np.sign(ranked[at + 1 :] - ranked[at])
        same += signs[:, 0] @ signs
        untied += np.abs(signs).sum(0)
    return np.asarray(same / np.sqrt(untied[0] * untied))


COEFFICIENTS: dict[str, Callable[[Rows], Rows]] = {
    "spearman": lambda columns: _pearson_columns(ranks(columns)),
    "kendall": _kendall_columns,
    "pearson": _pearson_columns,
}
