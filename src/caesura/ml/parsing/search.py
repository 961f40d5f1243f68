"""Exact search over sentence boundaries and the structures of the sentences between them.

The score of boundaries and links is the sum of what speaks for each link, for the root of each
sentence, and for what lies at each gap. Sentences have at most `longest` units: what is longer
comes out in parts. Structures are charted span by span (`spans`), then one pass over the ends of
sentences finds the best boundaries (`growing`), or adds up all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from caesura.core.arrays import Floats
from caesura.core.config import whole
from caesura.core.errors import CaesuraError
from caesura.ml.parsing.backtrace import MOST, Structure, normal
from caesura.ml.parsing.chart import IMPOSSIBLE, Scores, sentences, summed
from caesura.ml.parsing.incremental import Growing

__all__ = ["MOST", "Growing", "Scores", "Structure", "best", "normal", "posterior"]


def best(scores: Scores, longest: int) -> Structure:
    """Find the best boundaries and links of a recording."""
    growing = Growing(longest)
    parts = [growing.push(scores), growing.close()]
    return Structure(
        np.concatenate([part.heads for part in parts]),
        np.concatenate([part.ends for part in parts]),
        sum(part.score for part in parts),
    )


def posterior(scores: Scores, longest: int) -> Floats:
    """Probability of a boundary at each gap between units: the sum over all structures."""
    whole("longest", longest, 1, MOST)
    if len(scores) < 2:
        return np.zeros(0)
    table = _table(scores, longest)
    boundary = scores.gaps[:, 1]
    before = _before(table[:-longest], boundary)
    after = _before(_turned(table), np.append(0.0, boundary[:0:-1]))[::-1]
    if before[-1] == -np.inf:
        raise CaesuraError(IMPOSSIBLE)
    found: Floats = np.exp(before[:-1] + boundary[1:] + after[1:] - before[-1])
    return np.minimum(found, 1.0)


def _before(table: Floats, boundary: Floats) -> Floats:
    """Logarithm of the sum over all sentences up to each unit, if one ends there."""
    size, longest = table.shape
    begun = np.full(longest + size, -np.inf)
    begun[longest - 1] = 0.0
    ended = np.empty(size)
    add, total = np.add, np.logaddexp.reduce
    for at, row in enumerate(table):
        ended[at] = total(add(row, begun[at : at + longest]))
        if at + 1 < size:
            begun[at + longest] = ended[at] + boundary[at + 1]
    return ended


def _table(scores: Scores, longest: int) -> Floats:
    """Give the sums over all structures of the sentences that end at each unit, and room behind."""
    table = np.full((len(scores) + longest, longest), -np.inf)
    done = 0
    for piece in sentences(scores, 0, longest, summed):
        table[done : done + len(piece)] = piece
        done += len(piece)
    return table


def _turned(table: Floats) -> Floats:
    """See the table of the units in opposite order, with what begins as what ends.

    What would begin in front of the first unit is seen in the room behind the last.
    """
    longest = table.shape[1]
    row, cell = table.strides
    shape = (len(table) - longest, longest)
    return as_strided(table[-2:-1], shape, (-row, cell - row), writeable=False)
