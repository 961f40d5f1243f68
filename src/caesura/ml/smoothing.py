"""Smoothing of n-gram counts: interpolation (Witten-Bell) and backoff (absolute discounting).

A history gives part of its probability to continuations that were not seen, by the distribution of
a shorter history. The share depends on `total`, how often the history was seen, on `kinds`, with
how many different continuations, and on `unseen`, the probability that the shorter history gives
to all others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from caesura.core.arrays import Floats

KINDS = ("interpolation", "backoff")

ENOUGH = 1e-9
"""Less unseen probability than this counts as none."""


class Terms(NamedTuple):
    """The factors that turn the counts of a distribution into probabilities.

    `scale` divides the counts, `off` is the discount, and `rest` is the weight of the shorter
    history.
    """

    scale: Floats
    off: Floats
    rest: Floats


class Smoothing(ABC):
    """A method to smooth the distributions after histories of one length."""

    needs_unseen: ClassVar[bool]
    """Whether `unseen` is needed; it takes longer to compute than the rest."""

    @abstractmethod
    def terms(self, total: Floats, kinds: Floats, unseen: Floats) -> Terms:
        """Return the terms of distributions."""

    @abstractmethod
    def cells(self, counts: Floats, lower: Floats, terms: Terms) -> Floats:
        """Return probabilities; `lower` has those after the shorter history."""


@dataclass(frozen=True)
class Interpolation(Smoothing):
    """Interpolate with the shorter history, as Witten and Bell do it.

    A history seen c times with t different continuations gives the shorter one the weight
    `strength` * t / (c + `strength` * t).
    """

    strength: float

    needs_unseen = False

    def terms(self, total: Floats, kinds: Floats, unseen: Floats) -> Terms:  # noqa: ARG002
        """Return the weights; a history that was never seen gives all of its weight."""
        share = np.where(total > 0, self.strength * kinds, 1.0)
        whole = total + share
        return Terms(1.0 / whole, total, share / whole)

    def cells(self, counts: Floats, lower: Floats, terms: Terms) -> Floats:
        """Return the weighted sum of both."""
        return counts * terms.scale + terms.rest * lower


@dataclass(frozen=True)
class Backoff(Smoothing):
    """Subtract `discount` from each count and give it to unseen continuations.

    It is distributed by the shorter history. Where everything was seen nothing is subtracted.
    """

    discount: float

    needs_unseen = True

    def terms(self, total: Floats, kinds: Floats, unseen: Floats) -> Terms:
        """Return the discount, and the weight of what was not seen."""
        apart = unseen > ENOUGH
        off = np.where(apart, self.discount, 0.0)
        known = np.maximum(total, 1.0)
        rest = np.where(total > 0, off * kinds / (known * np.where(apart, unseen, 1.0)), 1.0)
        return Terms(1.0 / known, off, rest)

    def cells(self, counts: Floats, lower: Floats, terms: Terms) -> Floats:
        """Return the discounted share of what was seen, else that of the shorter history."""
        return np.where(counts > 0, (counts - terms.off) * terms.scale, terms.rest * lower)


def smoothing(kind: str, strength: float, counts: Floats) -> Smoothing:
    """Return the smoothing of a kind, for distributions with these counts."""
    return Backoff(discount(counts)) if kind == "backoff" else Interpolation(strength)


def discount(counts: Floats) -> float:
    """Return the discount n1 / (n1 + 2 n2), of the numbers of counts that are 1 and 2."""
    once, twice = float((counts == 1).sum()), float((counts == 2).sum())
    return once / (once + 2 * twice) if once and twice else 0.5
