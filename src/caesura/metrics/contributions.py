"""What each name, and each stretch between names, adds to ATENE."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from caesura.metrics.risks import UNIT, Risks
from caesura.metrics.surrounding import AROUND
from caesura.text.align import Alignment
from caesura.text.projection import Projected
from caesura.transcript import Indices, Span, Strings, Transcript


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
        return self.reference.words[near[0] : near[-1] + 1][:AROUND] if len(near) else ()
