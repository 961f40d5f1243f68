"""What recognition errors do to names, by margins: equations (5) to (11) of Ben Jannet et al."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.protocols import EntityProbabilities
from caesura.core.transcript import Span, Transcript
from caesura.metrics.base import CONTEXT
from caesura.text.alignment.word_alignment import Alignment
from caesura.text.entity_projection import Projected

UNIT = 10**9
"""Margins are counted in billionths, so that sums do not depend on their order."""

NOWHERE = -1.0
"""The margin of a name in a text without words: nobody can find it."""

SAFE = 1.0
"""The margin of a stretch in which no name is likelier than none (equation 9)."""


@dataclass(frozen=True)
class Risks:
    """By how much margins fall from the reference to the hypothesis, in billionths.

    `start` and `end` have a cell for each name; `outside` one for each stretch before, between
    and after names. `riskiest` is the word of each stretch of the hypothesis, or the place of an
    empty one, where a name is likeliest. `findable` says which names the model finds in the
    reference itself, where both their margins are above 0.
    """

    start: Indices
    end: Indices
    outside: Indices
    riskiest: Indices
    findable: Flags

    @classmethod
    def of(
        cls, placed: Sequence[Projected], ours: EntityProbabilities, theirs: EntityProbabilities
    ) -> Risks:
        """Compare the names of a reference, placed in a hypothesis (ours), with the reference."""
        spans = [each.entity for each in placed]
        found = [Span(each.first, each.last, each.entity.label) for each in placed]
        (start, end), (start_real, end_real) = edges(found, ours), edges(spans, theirs)
        outside, riskiest = stretches(found, ours)
        outside_real, _ = stretches(spans, theirs)
        return cls(
            _fall(start_real, start),
            _fall(end_real, end),
            _fall(outside_real, outside),
            riskiest,
            (start_real > 0) & (end_real > 0),
        )


def _fall(real: Floats, found: Floats) -> Indices:
    """Say by how much margins fall, the other way round than equation (6), in billionths."""
    return np.rint((real - found) * UNIT).astype(np.int64)


def margins(shares: Floats, labels: Indices) -> Floats:
    """Give the probability of a label of each row less that of the likeliest other (equation 5)."""
    rows = np.arange(len(shares))
    others = shares.copy()
    others[rows, labels] = -np.inf
    found: Floats = shares[rows, labels] - others.max(axis=1, initial=-np.inf)
    return found


def edges(spans: Sequence[Span], likely: EntityProbabilities) -> tuple[Floats, Floats]:
    """Give the margins of the classes of names at their first and at their last words.

    A lost one, whose last word is before its first, has those of the words around its place.
    """
    count = len(likely.start)
    if not count:
        return np.full(len(spans), NOWHERE), np.full(len(spans), NOWHERE)
    number = {label: at for at, label in enumerate(likely.classes, 1)}
    labels = np.array([number[span.label] for span in spans], np.int64)
    first, last = (
        np.clip(np.array(cells, np.int64), 0, count - 1)
        for cells in ([span.first for span in spans], [span.last for span in spans])
    )
    return margins(likely.start[first], labels), margins(likely.end[last], labels)


def stretches(spans: Sequence[Span], likely: EntityProbabilities) -> tuple[Floats, Indices]:
    """Give the least margin of no name in the stretches around names (equations 8 and 9).

    One above 0 or of an empty stretch is 1. Beside them the words where they are least.
    """
    count = len(likely.inside)
    none = margins(likely.inside, np.zeros(count, np.int64))
    begin = np.array([0, *(span.last + 1 for span in spans)], np.int64)
    stop = np.array([*(span.first for span in spans), count], np.int64)
    least, riskiest = np.full(len(begin), SAFE), begin.copy()
    for at in np.flatnonzero(begin < stop).tolist():
        here = begin[at] + none[begin[at] : stop[at]].argmin()
        riskiest[at] = here
        least[at] = none[here] if none[here] < 0 else SAFE
    return least, riskiest


class Contribution(NamedTuple):
    """What became of a name, or of a stretch between names, and by how much its margins fell.

    `loss` is the mean fall at the start and the end of a name (at most 2, below 0 if it became
    easier to find), or the fall in a stretch, where a name is seen that is none.
    """

    level: str
    """'name' or 'stretch'."""

    label: str
    reference: str
    hypothesis: str
    loss: float
    by: str
    """How a name was found: 'time', 'alignment' or 'lost'."""

    first: int
    last: int
    """Words of the hypothesis; of a stretch the riskiest."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A reference and a hypothesis as the model sees them, the names of the one in the other."""

    hypothesis: Transcript
    kept: Indices
    """The places of its words among those that were given."""

    reference: Transcript
    alignment: Alignment
    placed: tuple[Projected, ...]
    risks: Risks
    unknown: tuple[Span, ...]
    """Names of classes that the model does not know."""

    apart: bool
    """Whether the times of the two are too far apart to be of use."""

    def place(self, word: int) -> int:
        """Give the place of a word, or of what stands before it, among those that were given."""
        last = len(self.kept) - 1
        return int(self.kept[min(max(word, 0), last)]) if last >= 0 else 0

    def contributions(self) -> tuple[Contribution, ...]:
        """Say of each name and each stretch how much it adds to the loss, in their order."""
        told = [*self._of_names(), *self._of_stretches()]
        return tuple(sorted(told, key=lambda each: (each.first, each.last)))

    def _of_names(self) -> Iterator[Contribution]:
        falls = ((self.risks.start + self.risks.end) / (2 * UNIT)).tolist()
        for each, fall in zip(self.placed, falls, strict=True):
            span = each.entity
            said = " ".join(self.reference.words[span.first : span.last + 1])
            ours = " ".join(self.hypothesis.words[each.first : each.last + 1])
            yield Contribution("name", span.label, said, ours, fall, each.by, each.first, each.last)

    def _of_stretches(self) -> Iterator[Contribution]:
        """Tell the riskiest word of each stretch, and what was said in its place."""
        falls = (self.risks.outside / UNIT).tolist()
        for word, fall in zip(self.risks.riskiest.tolist(), falls, strict=True):
            texts = (" ".join(self._said(word)), " ".join(self.hypothesis.words[word : word + 1]))
            yield Contribution("stretch", "", *texts, fall, "alignment", word, word)

    def _said(self, word: int) -> Strings:
        """Give the word that was said in a word's place, or around an insertion, a few at most."""
        source = self.alignment.source
        near = source[word : word + 1]
        if (near < 0).all():
            near = source[max(0, word - 1) : word + 2]
        near = near[near >= 0]
        return self.reference.words[near[0] : near[-1] + 1][:CONTEXT] if len(near) else ()
