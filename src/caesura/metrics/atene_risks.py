"""Margins of names, and how much they fall by recognition errors (Ben Jannet et al. 2015).

Equations (5) to (11) of the paper; the metric is in `atene`.
"""

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

NO_WORDS_MARGIN = -1.0
"""The margin of a name in a text without words, where it cannot be found."""

SAFE_MARGIN = 1.0
"""The margin of a segment in which no name is likelier than none (equation 9)."""


@dataclass(frozen=True)
class MarginLosses:
    """How much margins fall from the reference to the hypothesis, in billionths.

    `start` and `end` have a cell for each name, `outside` one for each segment before, between
    and after names. `riskiest` is the word of each segment of the hypothesis (the place of an
    empty one) where a name is likeliest. `findable` flags the names that the model finds in the
    reference itself: both their margins are above 0.
    """

    start: Indices
    end: Indices
    outside: Indices
    riskiest: Indices
    findable: Flags

    @classmethod
    def of(
        cls, placed: Sequence[Projected], ours: EntityProbabilities, theirs: EntityProbabilities
    ) -> MarginLosses:
        """Compute the losses of names that were projected from a reference to a hypothesis."""
        spans = [name.entity for name in placed]
        places = [Span(name.first, name.last, name.entity.label) for name in placed]
        (start, end), (start_real, end_real) = (
            edge_margins(places, ours),
            edge_margins(spans, theirs),
        )
        outside, riskiest = segment_margins(places, ours)
        outside_real, _ = segment_margins(spans, theirs)
        return cls(
            _margin_loss(start_real, start),
            _margin_loss(end_real, end),
            _margin_loss(outside_real, outside),
            riskiest,
            (start_real > 0) & (end_real > 0),
        )


def _margin_loss(real: Floats, recognised: Floats) -> Indices:
    """Return how much margins fall, in billionths (the negative of equation 6)."""
    return np.rint((real - recognised) * UNIT).astype(np.int64)


def label_margins(shares: Floats, labels: Indices) -> Floats:
    """Return the probability of a label minus that of the likeliest other one (equation 5)."""
    rows = np.arange(len(shares))
    others = shares.copy()
    others[rows, labels] = -np.inf
    margins: Floats = shares[rows, labels] - others.max(axis=1, initial=-np.inf)
    return margins


def edge_margins(
    spans: Sequence[Span], probabilities: EntityProbabilities
) -> tuple[Floats, Floats]:
    """Return the margins of names at their first and last words.

    A lost name has those of the words around its place.
    """
    count = len(probabilities.start)
    if not count:
        return np.full(len(spans), NO_WORDS_MARGIN), np.full(len(spans), NO_WORDS_MARGIN)
    number = {label: at for at, label in enumerate(probabilities.classes, 1)}
    labels = np.array([number[span.label] for span in spans], np.int64)
    first, last = (
        np.clip(np.array(cells, np.int64), 0, count - 1)
        for cells in ([span.first for span in spans], [span.last for span in spans])
    )
    return label_margins(probabilities.start[first], labels), label_margins(
        probabilities.end[last], labels
    )


def segment_margins(
    spans: Sequence[Span], probabilities: EntityProbabilities
) -> tuple[Floats, Indices]:
    """Return the least margin of "no name" in each segment around names (equations 8 and 9).

    It is 1 if it is above 0 or the segment is empty. Also return the word where it is least.
    """
    count = len(probabilities.inside)
    none = label_margins(probabilities.inside, np.zeros(count, np.int64))
    begin = np.array([0, *(span.last + 1 for span in spans)], np.int64)
    stop = np.array([*(span.first for span in spans), count], np.int64)
    least, riskiest = np.full(len(begin), SAFE_MARGIN), begin.copy()
    for at in np.flatnonzero(begin < stop).tolist():
        here = begin[at] + none[begin[at] : stop[at]].argmin()
        riskiest[at] = here
        least[at] = none[here] if none[here] < 0 else SAFE_MARGIN
    return least, riskiest


class Contribution(NamedTuple):
    """How much the margins of a name, or of a segment between names, fell.

    `loss` is the mean fall at the start and the end of a name (at most 2; below 0 if it became
    easier to find), or the fall in a segment, where a false name became likelier.
    """

    level: str
    """'name' or 'segment'."""

    label: str
    reference: str
    hypothesis: str
    loss: float
    by: str
    """How a name was found: 'time', 'alignment' or 'lost'."""

    first: int
    last: int
    """Words of the hypothesis; for a segment, the riskiest one."""


@dataclass(frozen=True, eq=False)
class JudgedNames:
    """A hypothesis and a reference as the model sees them, and the projected names."""

    hypothesis: Transcript
    kept: Indices
    """The places of its words in the original hypothesis."""

    reference: Transcript
    alignment: Alignment
    placed: tuple[Projected, ...]
    losses: MarginLosses
    unknown: tuple[Span, ...]
    """Entities of classes that the model does not know."""

    apart: bool
    """Whether the times of the two differ too much to be useful."""

    def place(self, word: int) -> int:
        """Return the place of a word in the original hypothesis."""
        last = len(self.kept) - 1
        return int(self.kept[min(max(word, 0), last)]) if last >= 0 else 0

    def contributions(self) -> tuple[Contribution, ...]:
        """Return how much each name and each segment adds to the loss, in order."""
        parts = [*self._of_names(), *self._of_segments()]
        return tuple(sorted(parts, key=lambda one: (one.first, one.last)))

    def _of_names(self) -> Iterator[Contribution]:
        falls = ((self.losses.start + self.losses.end) / (2 * UNIT)).tolist()
        for name, fall in zip(self.placed, falls, strict=True):
            span = name.entity
            spoken = " ".join(self.reference.words[span.first : span.last + 1])
            ours = " ".join(self.hypothesis.words[name.first : name.last + 1])
            yield Contribution(
                "name", span.label, spoken, ours, fall, name.by, name.first, name.last
            )

    def _of_segments(self) -> Iterator[Contribution]:
        """Yield the riskiest word of each segment, and the reference words in its place."""
        falls = (self.losses.outside / UNIT).tolist()
        for word, fall in zip(self.losses.riskiest.tolist(), falls, strict=True):
            texts = (" ".join(self._said(word)), " ".join(self.hypothesis.words[word : word + 1]))
            yield Contribution("segment", "", *texts, fall, "alignment", word, word)

    def _said(self, word: int) -> Strings:
        """Return the reference word for a word, or a few around an insertion."""
        source = self.alignment.source
        near = source[word : word + 1]
        if (near < 0).all():
            near = source[max(0, word - 1) : word + 2]
        near = near[near >= 0]
        return self.reference.words[near[0] : near[-1] + 1][:CONTEXT] if len(near) else ()
