"""An alignment of two texts in order, word by word: what a person reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.text.align import Alignment
from caesura.transcript import Indices

KINDS = ("equal", "substituted", "deleted", "inserted")
"""What a row may be; it is told by its index."""

EQUAL, SUBSTITUTED, DELETED, INSERTED = range(len(KINDS))


@dataclass(frozen=True)
class SideBySide:
    """For each row the word of the source and of the target, -1 for none, its kind and part."""

    source: Indices
    target: Indices
    kind: NDArray[np.int8]
    part: Indices

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def wrong(self) -> Indices:
        """The rows that are no hits."""
        return np.flatnonzero(self.kind != EQUAL)


def side_by_side(
    alignment: Alignment, source_part: Indices | None = None, target_part: Indices | None = None
) -> SideBySide:
    """Put the words of both texts in order, part after part if they were aligned in parts.

    Between two words in the same place, words of the target come before those of the source.
    """
    deleted = np.flatnonzero(alignment.target < 0)
    reached = np.maximum.accumulate(alignment.source)
    count = len(alignment.source)
    source = np.concatenate((alignment.source, deleted))
    target = np.concatenate((np.arange(count), np.full(len(deleted), -1)))
    kind = np.full(len(source), DELETED, np.int8)
    kind[:count] = np.where(alignment.equal, EQUAL, SUBSTITUTED)
    kind[:count][alignment.source < 0] = INSERTED
    place = np.concatenate((reached, deleted))
    part = np.zeros(len(source), np.int64)
    if source_part is not None and target_part is not None:
        part = np.concatenate((target_part, source_part[deleted]))
    # Sorting is stable, so that inserted words stay behind the word that they follow.
    order = np.lexsort((place, part))
    return SideBySide(source[order], target[order], kind[order], part[order])
