"""A conditional random field of entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from caesura.core.arrays import Strings
from caesura.core.transcript import Transcript
from caesura.ml import crf
from caesura_studies.atene.keys import Known, keys
from caesura_studies.atene.labels import Labels, best
from caesura_studies.atene.taggers import Spans

STRETCH = 100
"""Words that training looks at together: a text has no sentences."""


@dataclass(frozen=True)
class CRF:
    """A linear chain, trained by CRFsuite."""

    name = "CRF"
    c2: float = 1.0
    iterations: int = 60
    cutoff: int = 2

    def train(self, texts: Sequence[Transcript]) -> Field:
        """Find the weights."""
        labels = Labels.of(texts)
        seen = [keys(each.words) for each in texts]
        known = Known(seen, self.cutoff)
        lessons = [
            crf.Lesson(places[at : at + STRETCH].T, codes[at : at + STRETCH])
            for places, codes in (
                (known.places(each), labels.coded(text))
                for each, text in zip(seen, texts, strict=True)
            )
            for at in range(0, len(codes), STRETCH)
        ]
        found = crf.trained(known.keys, lessons, len(labels), self.c2, self.iterations)
        return Field(labels, found)


@dataclass(frozen=True, eq=False)
class Field:
    """Weights of what is seen and of labels after labels."""

    labels: Labels
    chain: crf.Chain

    def tag(self, texts: Sequence[Strings]) -> list[Spans]:
        """Find the best labels."""
        states = [self.chain.weights.summed(keys(words)) for words in texts]
        return [self.labels.spans(each) for each in best(states, self.chain.transitions)]
