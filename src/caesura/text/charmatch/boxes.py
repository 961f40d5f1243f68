"""Parts of two texts that are to be matched by a lattice, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Indices
from caesura.core.errors import MismatchError

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Stream:
    """Characters, and whether a token ends before each of them and at the end."""

    codes: Codes
    stops: Flags


@dataclass(frozen=True)
class Boxes:
    """Lattices to solve: parts of both streams, the band, and what is known at their beginning.

    The band holds the diagonals from `below` under the first point to `above` over it.
    `opened` says that the paths come from the beginning of the first two sentences, whose
    numbers are `gold_sentence` and `system_sentence`.
    """

    gold: Indices
    gold_stop: Indices
    system: Indices
    system_stop: Indices
    below: Indices
    above: Indices
    opened: Flags
    gold_sentence: Indices
    system_sentence: Indices

    def __len__(self) -> int:
        return len(self.gold)

    @property
    def rows(self) -> Indices:
        """How many gold characters each lattice has."""
        return self.gold_stop - self.gold

    @property
    def width(self) -> Indices:
        """How many diagonals each band has."""
        return self.below + self.above + 1

    def take(self, which: Indices) -> Boxes:
        """Some of the boxes."""
        return Boxes(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Paths:
    """One best path for each lattice and layer; its owner is 2 * lattice + layer.

    `matched` has rows (owner, gold, system, length), `tokens` (owner, gold end, system end),
    `sentences` (owner, gold sentence, system sentence), `values` (characters, tokens, sentences)
    of each owner, -1 where no path leads.
    """

    values: Indices
    matched: Indices
    tokens: Indices
    sentences: Indices

    @classmethod
    def none(cls) -> Paths:
        """No path."""
        return cls(*(np.zeros((0, columns), np.int64) for columns in (3, 4, 3, 3)))

    def take(self, owners: Indices) -> Paths:
        """The paths of some owners."""
        parts = (self.matched, self.tokens, self.sentences)
        matched, tokens, sentences = (rows[np.isin(rows[:, 0], owners)] for rows in parts)
        return Paths(self.values[owners], matched, tokens, sentences)


def too_different() -> MismatchError:
    """What to say where an exact alignment would take too long."""
    return MismatchError(
        "hypothesis and reference differ too much, or repeat themselves too often, to be aligned "
        "exactly",
        remedy="check that both are of the same recording, or score it in shorter documents",
    )
