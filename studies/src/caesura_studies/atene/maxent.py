"""Maximum entropy for each word alone, decoded so that labels fit each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import Floats, Strings
from caesura.core.transcript import Transcript
from caesura.ml import maxent
from caesura_studies.atene.keys import Known, keys
from caesura_studies.atene.labels import Labels, best
from caesura_studies.atene.taggers import Spans


@dataclass(frozen=True)
class MaximumEntropy:
    """P(label | what is seen of the word), and the best labels that can follow each other."""

    name = "maximum entropy"
    ridge: float = 1.0
    cutoff: int = 2
    steps: int = 60

    def train(self, texts: Sequence[Transcript]) -> Decoded:
        """Find the weights."""
        labels = Labels.of(texts)
        seen = [keys(each.words) for each in texts]
        known = Known(seen, self.cutoff)
        rows = maxent.rows_of(np.concatenate([known.places(each) for each in seen]), len(known))
        codes = np.concatenate([labels.coded(each) for each in texts])
        search = maxent.Search(steps=self.steps)
        weights = maxent.multinomial(rows, codes, len(labels), self.ridge, search=search)
        return Decoded(labels, known, maxent.padded(weights))


@dataclass(frozen=True, eq=False)
class Decoded:
    """Weights of what is seen, padded."""

    labels: Labels
    known: Known
    weights: Floats

    def tag(self, texts: Sequence[Strings]) -> list[Spans]:
        """Find the best labels."""
        states = [
            maxent.log_softmax(maxent.scores(self.known.places(keys(words)), self.weights)[:, 0])
            for words in texts
        ]
        return [self.labels.spans(each) for each in best(states, self.labels.allowed())]
