"""Probabilities from counts: each history lends what it leaves over to a shorter one.

Tables have a row for each sequence of words. Probabilities come from sums over a distribution:
`total`, how often its history was seen, `kinds`, with how many different continuations, and
`unseen`, what the shorter history gives to all others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from caesura.core.arrays import Floats

KINDS = ("interpolation", "backoff")

ENOUGH = 1e-9
"""A share of the probability below which nothing is taken to be left."""


class Terms(NamedTuple):
    """What makes probabilities of the counts of a distribution, and what is left of it.

    `rest` is the share that the shorter history has in what was not seen.
    """

    scale: Floats
    off: Floats
    rest: Floats


class Smoothing(ABC):
    """A way to smooth the distributions after histories of one length."""

    asks_for_unseen: ClassVar[bool]
    """Whether `unseen` is needed; it takes longer to work out than the rest."""

    @abstractmethod
    def terms(self, total: Floats, kinds: Floats, unseen: Floats) -> Terms:
        """Weigh what was seen against the shorter history."""

    @abstractmethod
    def cells(self, counts: Floats, lower: Floats, terms: Terms) -> Floats:
        """Give probabilities, where `lower` has those after the shorter history."""


@dataclass(frozen=True)
class Interpolation(Smoothing):
    """Mix with the shorter history, as Witten and Bell do it.

    A history seen c times with t different continuations lends `strength` * t / (c + `strength`
    * t) to the shorter one.
    """

    strength: float

    asks_for_unseen = False

    def terms(self, total: Floats, kinds: Floats, unseen: Floats) -> Terms:  # noqa: ARG002
        """Share out by kinds; a history never seen lends all it has."""
        share = np.where(total > 0, self.strength * kinds, 1.0)
        whole = total + share
        return Terms(1.0 / whole, total, share / whole)

    def cells(self, counts: Floats, lower: Floats, terms: Terms) -> Floats:
        """Add both."""
        return counts * terms.scale + terms.rest * lower


@dataclass(frozen=True)
class Backoff(Smoothing):
    """Take `discount` off each count and give it to what was not seen, by the shorter history.

    Where everything was seen there is nobody to give it to, and nothing is taken.
    """

    discount: float

    asks_for_unseen = True

    def terms(self, total: Floats, kinds: Floats, unseen: Floats) -> Terms:
        """Share out what is taken off among what was not seen."""
        apart = unseen > ENOUGH
        off = np.where(apart, self.discount, 0.0)
        known = np.maximum(total, 1.0)
        rest = np.where(total > 0, off * kinds / (known * np.where(apart, unseen, 1.0)), 1.0)
        return Terms(1.0 / known, off, rest)

    def cells(self, counts: Floats, lower: Floats, terms: Terms) -> Floats:
        """Take the one or the other."""
        return np.where(counts > 0, (counts - terms.off) * terms.scale, terms.rest * lower)


def smoothing(kind: str, strength: float, times: Floats) -> Smoothing:
    """Choose how to smooth distributions whose continuations were seen so many times."""
    return Backoff(discount(times)) if kind == "backoff" else Interpolation(strength)


def discount(times: Floats) -> float:
    """Tell how much to take off each count: n1 / (n1 + 2 n2) of what was seen once and twice."""
    once, twice = float((times == 1).sum()), float((times == 2).sum())
    return once / (once + 2 * twice) if once and twice else 0.5
