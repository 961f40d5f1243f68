"""Fit the weights of a net with torch, the same ones each time on one machine.

torch is imported when a net is trained; a trained net runs on numpy. Nets are here
`torch.nn.ModuleDict`s whose scores a function computes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.errors import CaesuraError
from caesura.ml.neural.layers import Array

logger = logging.getLogger("caesura.training")

LARGEST_GRADIENT = 1.0
"""Longer gradients are shortened to this length."""

NO_NUMBER = "training failed: the loss is no number"

IGNORED = -1
"""The label of a place that is not learnt from."""


def import_torch(purpose: str) -> Any:
    """Import torch, or raise an error that says how to get it."""
    try:
        import torch
    except ImportError as error:
        raise CaesuraError(
            f"{purpose} needs torch, which is not installed",
            remedy="install it: pip install 'caesura[neural]'",
        ) from error
    return torch


@contextmanager
def repeatable(torch: Any, seed: int, threads: int = 1) -> Iterator[None]:
    """Draw the same random numbers and add in the same order each time; restore both at the end.

    One thread is as fast as two for small nets.
    """
    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


@dataclass(frozen=True)
class Schedule:
    """How long and how fast a net learns: the `rate` falls evenly to 0."""

    epochs: int
    rate: float
    rows: int
    """Rows of a batch."""

    seed: int


def fit(
    torch: Any,
    make_net: Callable[[], Any],
    scores: Callable[[Any, Any], Any],
    rows: Indices,
    labels: Indices,
    schedule: Schedule,
) -> dict[str, Array]:
    """Train a net to give the labels of rows, and return its weights.

    `scores(net, rows)` are those of each class at each place that has a label.
    """
    with repeatable(torch, schedule.seed):
        net = make_net()
        _run_epochs(torch, net, scores, torch.from_numpy(rows), torch.from_numpy(labels), schedule)
        return {name: tensor.numpy() for name, tensor in net.state_dict().items()}


def _run_epochs(
    torch: Any,
    net: Any,
    scores: Callable[[Any, Any], Any],
    rows: Any,
    labels: Any,
    schedule: Schedule,
) -> None:
    loss_of = torch.nn.CrossEntropyLoss(ignore_index=IGNORED)
    optimizer = torch.optim.Adam(net.parameters(), lr=schedule.rate)
    batches = -(-len(rows) // schedule.rows)
    steps = schedule.epochs * batches
    step = 0
    net.train()
    for epoch in range(1, schedule.epochs + 1):
        total = 0.0
        for batch in torch.randperm(len(rows)).split(schedule.rows):
            optimizer.param_groups[0]["lr"] = schedule.rate * (1 - step / steps)
            optimizer.zero_grad()
            loss = loss_of(scores(net, rows[batch]).flatten(0, 1), labels[batch].flatten())
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), LARGEST_GRADIENT)
            optimizer.step()
            total += float(loss.detach())
            step += 1
        if not np.isfinite(total):
            raise CaesuraError(NO_NUMBER, remedy="lower the rate")
        logger.info("  epoch %d of %d: loss %.4f", epoch, schedule.epochs, total / batches)
    net.eval()
