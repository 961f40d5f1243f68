"""Exact search over sentence boundaries and the structures of the sentences between them.

The score of boundaries and links is the sum of what speaks for each link, for the root of each
sentence, and for what lies at each gap. Sentences have at most `longest` units: what is longer
comes out in parts. Structures are charted span by span (`spans`), then one pass over the ends of
sentences finds the best boundaries (`growing`), or adds up all of them.
"""

from __future__ import annotations

import numpy as np

from caesura.columns import Floats
from caesura.errors import CaesuraError
from caesura.numeric.growing import Growing
from caesura.numeric.spans import IMPOSSIBLE, Scores, sentences, summed
from caesura.numeric.tracing import MOST, Structure, normal
from caesura.settings import whole

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
    table = np.concatenate(list(sentences(scores, 0, longest, summed)))
    boundary = scores.gaps[:, 1]
    before = _before(table, boundary)
    turned = _turned(table)
    after = _before(turned, np.append(0.0, boundary[:0:-1]))[::-1]
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


def _turned(table: Floats) -> Floats:
    """Give the table of the units in opposite order, with what begins as what ends."""
    size, longest = table.shape
    turned = np.full((size, longest), -np.inf)
    for column in range(max(longest - size, 0), longest):
        width = longest - 1 - column
        turned[width:, column] = table[width:, column][::-1]
    return turned
