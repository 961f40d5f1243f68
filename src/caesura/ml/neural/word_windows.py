"""Recordings as windows of one width: rows of a batch, whatever the lengths of the recordings are.

A row has some words that are kept, and words before and after them for context. The rows of a
recording keep each of its words once. Cells outside the recording are filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from caesura.core.arrays import Indices


@dataclass(frozen=True)
class WordWindows:
    """How recordings are cut into rows: `before` and `after` are words of context."""

    before: int
    kept: int
    after: int

    @property
    def width(self) -> int:
        """The number of words in a row."""
        return self.before + self.kept + self.after

    def cut(self, columns: Sequence[Indices], fill: int) -> Indices:
        """Cut columns over words, one for each recording, into rows; `fill` is outside."""
        rows = [np.zeros((0, self.width), np.int64)]
        for column in columns:
            count = self.count(len(column))
            if count:
                padded = np.full(self.before + count * self.kept + self.after, fill, np.int64)
                padded[self.before : self.before + len(column)] = column
                rows.append(sliding_window_view(padded, self.width)[:: self.kept])
        return np.concatenate(rows)

    def cut_kept(self, columns: Sequence[Indices], fill: int) -> Indices:
        """Cut columns into rows of the kept words alone."""
        return WordWindows(0, self.kept, 0).cut(columns, fill)

    def join(self, values: NDArray[Any], lengths: Sequence[int]) -> list[NDArray[Any]]:
        """Undo `cut_kept`: return what the rows say about the words of each recording."""
        found, first = [], 0
        for length in lengths:
            count = self.count(length)
            own = values[first : first + count]
            found.append(own.reshape(count * self.kept, *values.shape[2:])[:length])
            first += count
        return found

    def count(self, words: int) -> int:
        """Return the number of rows of a recording."""
        return -(-words // self.kept)
