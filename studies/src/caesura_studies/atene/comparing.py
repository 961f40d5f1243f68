"""Calls as a recogniser heard them beside their references, and what taggers make of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from caesura.core.arrays import Floats
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Undefined, Value, ratio
from caesura.metrics.entity_matching import Matched, costs
from caesura.text.alignment.transfer import placed
from caesura.text.alignment.word_alignment import Alignment, align
from caesura.text.normalization.alternatives import nearest
from caesura_studies.atene.calls import lower, merged, real
from caesura_studies.atene.views import View

ALPHA = 0.5
"""What a wrong extent costs; a wrong class costs the rest."""


@dataclass(frozen=True)
class Compared:
    """A call as it was heard, and its reference, written as is nearest to that; lower case."""

    hypothesis: Transcript
    reference: Transcript
    marked: tuple[Span, ...]
    """All that Rev marks in the reference, nested; the entities of the reference are flat."""

    cased: tuple[Transcript, Transcript]
    """The same two texts as they are written."""

    @classmethod
    def of(cls, hypothesis: Transcript, reference: Transcript) -> Compared:
        """Choose the alternatives of the reference; the words as written go along as lemmas.

        Which entities are the longest is seen in the words as written, so that it is the same
        for all recognisers.
        """
        longest = {span.key for span in real(reference.entities or ())}
        ours = lower(hypothesis)
        theirs = nearest(lower(reference.replace(lemma=reference.words)), ours.words)
        every = theirs.entities or ()
        kept = merged(span for span in every if span.key in longest)
        plain = theirs.replace(lemma=None, entities=kept)
        words = zip(theirs.lemma or (), theirs.words, strict=True)
        written = plain.replace(words=tuple(lemma or word for lemma, word in words))
        return cls(ours, plain, every, (hypothesis, written))

    @cached_property
    def aligned(self) -> Alignment:
        """The two texts aligned."""
        return align(self.reference.words, self.hypothesis.words)


@dataclass(frozen=True)
class Costs:
    """What the entities found in a text cost: each of the reference, and those too many."""

    keys: tuple[str, ...]
    """Which entities these are, whatever way they are written."""

    each: Floats
    spurious: int

    @classmethod
    def of(cls, real: Sequence[Span], placed: Sequence[Span], found: Sequence[Span]) -> Costs:
        """Match entities as `Entities` does for ETER; `placed` are the real ones on the words."""
        matched = Matched.of(tuple(placed), tuple(found), 1)
        pairs = matched.pairs("eter", ALPHA)
        price = np.array(costs("eter", ALPHA), float)
        spent = np.ones(len(real))
        spent[list(pairs)] = price[matched.kinds(pairs)]
        return cls(tuple(span.key for span in real), spent, len(found) - len(pairs))

    @property
    def eter(self) -> Value:
        """Equation 4."""
        spent = float(self.each.sum()) + self.spurious
        return ratio(spent, len(self.each), "no entity in the reference")


def judged(both: Compared, found: Sequence[Span], view: View) -> Costs:
    """Judge entities found in what was heard."""
    real = view.spans(both.reference.entities or ())
    return Costs.of(real, placed(real, both.aligned), view.spans(found))


def judged_reference(reference: Transcript, found: Sequence[Span], view: View) -> Costs:
    """Judge entities found in the reference itself."""
    real = view.spans(reference.entities or ())
    return Costs.of(real, real, view.spans(found))


def number(value: Value) -> float:
    """Give a number that can be averaged: NaN for what is undefined."""
    return float("nan") if isinstance(value, Undefined) else value
