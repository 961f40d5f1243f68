"""Maximum-entropy training: `multinomial` for labels of rows, `conditional_logit` for choices.

Weights are fitted by scipy's L-BFGS on sparse rows, and applied with numpy alone. `shift_layer`
fits changes of a layer that is there already, on dense rows, and needs numpy only.
The loss is the negative log-likelihood plus ridge / 2 times the sum of squared weights, which
has one minimum as long as `ridge` is above 0.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from caesura.core.arrays import Floats, Indices
from caesura.core.errors import CaesuraError

logger = logging.getLogger("caesura.training")

AT_ONCE = 1 << 21
"""Cells of a dense table of rows and labels that are computed at a time."""

MOST_WEIGHTS = 1 << 24
"""Weights that can be fitted together: the search holds about fifteen copies of them."""

MEMORY = 5
"""Steps that L-BFGS remembers."""

PROGRESS_SECONDS = 5.0
"""How often training logs its progress."""

Loss = Callable[[Floats], tuple[float, Floats]]


class Search(NamedTuple):
    """When a search ends: after `steps`, or if a step gains less than `gain` of the loss.

    The more rows a column is in, the more its weights change the loss. With `rescale` above 0
    their steps are divided by sqrt(ridge + rescale * rows), about the root of the second
    derivative, which finds the same minimum in a fraction of the steps.
    """

    steps: int = 200
    gain: float = 1e-6
    rescale: float = 0.0


def sparse_rows(columns: Indices, width: int) -> Any:
    """Return sparse rows with a 1 in each of the columns that a row names; -1 names none."""
    _, sparse = _scipy()
    known = columns >= 0
    begin = np.append(0, np.cumsum(known.sum(axis=1)))
    cells = columns[known]
    ones = np.ones(len(cells))
    return sparse.csr_matrix((ones, cells, begin), shape=(len(columns), width))


def multinomial(
    rows: Any,
    labels: Indices,
    count: int,
    ridge: float = 1.0,
    offset: Floats | None = None,
    search: Search | None = None,
) -> Floats:
    """Fit a weight for each column and each of `count` labels to rows whose label is known.

    The score of a label is the sum of its weights, plus its `offset` if that is given.
    """
    height, width = rows.shape
    if len(labels) != height or (height and not 0 <= labels.min() <= labels.max() < count):
        raise ValueError("there is a label from 0 to count - 1 for each row")
    if offset is not None and offset.shape != (height, count):
        raise ValueError("offset has a number for each row and label")
    parts = _parts(rows, labels, count, offset)

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(width, count)
        total, gradient = ridge / 2 * float(flat @ flat), ridge * weights
        for part, wanted, added in parts:
            logs = log_softmax(part @ weights + added)
            here = np.arange(len(wanted))
            total -= float(logs[here, wanted].sum())
            residual = np.exp(logs)
            residual[here, wanted] -= 1
            gradient += part.T @ residual
        return total, gradient.ravel()

    search = search or Search()
    start = np.zeros(width * count)
    if not search.rescale:
        return _minimise(loss, start, ridge, search).reshape(width, count)
    times = np.asarray(rows.sum(axis=0)).ravel()
    scale = np.repeat(1 / np.sqrt(ridge + search.rescale * times), count)

    def scaled(flat: Floats) -> tuple[float, Floats]:
        total, gradient = loss(flat * scale)
        return total, gradient * scale

    return (_minimise(scaled, start, ridge, search) * scale).reshape(width, count)


def _parts(rows: Any, labels: Indices, count: int, offset: Floats | None) -> list[Any]:
    """Cut rows into parts whose dense tables fit into memory."""
    step = max(AT_ONCE // max(count, 1), 1)
    slices = [slice(first, first + step) for first in range(0, rows.shape[0], step)]
    return [(rows[at], labels[at], 0.0 if offset is None else offset[at]) for at in slices]


def conditional_logit(
    rows: Any, begin: Indices, chosen: Indices, ridge: float = 1.0, search: Search | None = None
) -> Floats:
    """Fit a weight for each column to groups of rows, one of which was chosen in each.

    Group k has the rows `begin[k]` to `begin[k + 1]`, and of these `chosen[k]` is the chosen one,
    counted over all rows.
    """
    height, width = rows.shape
    _check_groups(begin, height)
    if len(chosen) != len(begin) - 1 or ((chosen < begin[:-1]) | (chosen >= begin[1:])).any():
        raise ValueError("there is a chosen row in each group")
    wanted = np.zeros(height)
    wanted[chosen] = 1

    def loss(weights: Floats) -> tuple[float, Floats]:
        logs = group_log_softmax(rows @ weights, begin)
        gradient: Floats = rows.T @ (np.exp(logs) - wanted) + ridge * weights
        return ridge / 2 * float(weights @ weights) - float(logs[chosen].sum()), gradient

    return _minimise(loss, np.zeros(width), ridge, search or Search())


OFFSET_RIDGE = 1.0
"""The penalty of offsets in `shift_layer`, so that a label that never occurs stays possible."""


def shift_layer(
    rows: NDArray[Any],
    scores: Floats,
    wanted: Floats,
    ridge: float,
    start: Floats | None = None,
    search: Search | None = None,
) -> Floats:
    """Fit what to add to the weights of a layer that gives labels these scores.

    `wanted` has for each row the probability that each label should have. The result has a row
    for each column of `rows`, and last the offsets of the labels. `start` is where to begin.
    """
    height, width = rows.shape
    if scores.shape != wanted.shape or len(scores) != height:
        raise ValueError("there is a score and a probability for each row and label")
    if not ridge > 0:
        raise ValueError(f"ridge is a number above 0, not {ridge!r}")
    count = scores.shape[1]
    penalty = np.append(np.full(width, ridge), OFFSET_RIDGE)[:, None]

    def loss(flat: Floats) -> tuple[float, Floats]:
        shift = flat.reshape(width + 1, count)
        logs = log_softmax(scores + rows @ shift[:-1].astype(rows.dtype) + shift[-1])
        residual = np.exp(logs) - wanted
        slope = np.vstack([rows.T @ residual.astype(rows.dtype), residual.sum(axis=0)])
        total = float((penalty * shift**2).sum()) / 2 - float((wanted * logs).sum())
        return total, (slope + penalty * shift).ravel()

    begin = np.zeros((width + 1, count)) if start is None else start
    return _descend(loss, begin.ravel(), search or Search()).reshape(width + 1, count)


HALVINGS = 30
"""How often a step is halved before a search ends."""


def _descend(loss: Loss, place: Floats, search: Search) -> Floats:
    """Search for the minimum of a convex loss by L-BFGS, with numpy alone."""
    total, slope = loss(place)
    memory: list[tuple[Floats, Floats]] = []
    for _ in range(search.steps):
        step = -_inverse_curvature(memory, slope)
        found = _halved_step(loss, place, step, total, float(slope @ step))
        if found is None:
            break
        moved, lower, bent = found
        memory = [*memory[1 - 2 * MEMORY :], (moved - place, bent - slope)]
        gained = total - lower
        place, total, slope = moved, lower, bent
        if gained <= search.gain * abs(total):
            break
    return place


def _halved_step(
    loss: Loss, place: Floats, step: Floats, total: float, slope: float
) -> tuple[Floats, float, Floats] | None:
    """Take the step, or its half, quarter … : the first that lowers the loss as it should."""
    for _ in range(HALVINGS if slope < 0 else 0):
        moved = place + step
        lower, bent = loss(moved)
        if lower <= total + 1e-4 * slope:
            return moved, lower, bent
        step, slope = step / 2, slope / 2
    return None


def _inverse_curvature(memory: Sequence[tuple[Floats, Floats]], slope: Floats) -> Floats:
    """Return the slope divided by the curvature that the last steps met."""
    kept = [(step, bend, float(step @ bend)) for step, bend in memory]
    kept = [each for each in kept if each[2] > 0]
    shares = []
    for step, bend, product in reversed(kept):
        shares.append(float(step @ slope) / product)
        slope = slope - shares[-1] * bend
    if kept:
        slope = slope * (kept[-1][2] / float(kept[-1][1] @ kept[-1][1]))
    else:
        slope = slope / max(float(np.linalg.norm(slope)), 1.0)
    for (step, bend, product), share in zip(kept, reversed(shares), strict=True):
        slope = slope + (share - float(bend @ slope) / product) * step
    return slope


def with_zero_row(weights: NDArray[Any]) -> NDArray[Any]:
    """Add a row of zeros after weights, which is the row -1 then."""
    return np.concatenate([weights, np.zeros((1, *weights.shape[1:]), weights.dtype)])


def sum_rows(columns: Indices, weights: NDArray[Any], starts: Sequence[int] = (0,)) -> NDArray[Any]:
    """Sum up the weights, with a zero row, of the columns that each row names; -1 names none.

    There is a sum of those from each start to the next, one column after another, so that a row
    has the same score whatever stands beside it.
    """
    height, width = columns.shape
    total = np.zeros((height, len(starts), *weights.shape[1:]), weights.dtype)
    step = max(AT_ONCE // max(width * weights[0].size, 1), 1)
    for first in range(0, height, step):
        here = slice(first, first + step)
        np.add.reduceat(weights[columns[here]], starts, axis=1, out=total[here])
    return total


def log_softmax(scores: NDArray[Any]) -> NDArray[Any]:
    """Turn the scores of labels into log-probabilities that sum to one in each row."""
    logs: NDArray[Any] = scores - scores.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return logs


def group_log_softmax(scores: Floats, begin: Indices) -> Floats:
    """Turn the scores of rows into log-probabilities that sum to one in each group."""
    _check_groups(begin, len(scores))
    if not len(scores):
        return np.zeros(0)
    sizes, first = np.diff(begin), begin[:-1]
    logs = scores - np.repeat(np.maximum.reduceat(scores, first), sizes)
    found: Floats = logs - np.repeat(np.log(np.add.reduceat(np.exp(logs), first)), sizes)
    return found


def _check_groups(begin: Indices, rows: int) -> None:
    if not len(begin) or begin[0] != 0 or begin[-1] != rows or (np.diff(begin) < 1).any():
        raise ValueError(f"groups of at least one row each make up the {rows} rows")


def _minimise(loss: Loss, start: Floats, ridge: float, search: Search) -> Floats:
    """Search for the minimum of a loss, and log the progress."""
    if not ridge > 0:
        raise ValueError(f"ridge is a number above 0, not {ridge!r}")
    if start.size > MOST_WEIGHTS:
        raise CaesuraError(
            f"there are {start.size:,} weights to fit, and {MOST_WEIGHTS:,} is the most",
            remedy="leave out what is seen rarely (cutoff), or train on less",
        )
    if not start.size:
        return start
    optimize, _ = _scipy()
    options = {
        "maxiter": search.steps,
        "maxfun": 2 * search.steps,
        "maxcor": MEMORY,
        "ftol": search.gain,
        "gtol": 0.0,
    }
    # Threads would take several times as long on sums this small, in scipy's own library, too.
    with threadpool_limits(1):
        found = optimize.minimize(
            loss, start, jac=True, method="L-BFGS-B", callback=_Progress(), options=options
        )
    return np.asarray(found.x, np.float64)


class _Progress:
    """Logs every few seconds how many steps a search has taken."""

    def __init__(self) -> None:
        self.steps, self.last = 0, time.monotonic()

    def __call__(self, _: Floats) -> None:
        self.steps += 1
        if time.monotonic() - self.last > PROGRESS_SECONDS:
            self.last = time.monotonic()
            logger.info("  step %d", self.steps)


def _scipy() -> tuple[Any, Any]:
    try:
        from scipy import optimize, sparse
    except ImportError as error:
        raise CaesuraError(
            "training needs scipy, which is not installed",
            remedy="pip install 'caesura[train]', or scipy itself",
        ) from error
    return optimize, sparse
