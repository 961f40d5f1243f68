"""Sentence ends and clusters by a conditional random field: the chunker of Oba and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.detectors.chunking import (
    CLUSTER,
    INSIDE,
    LABELS,
    SENTENCE,
    Chunker,
    checked_subtags,
    lessons_of,
    subtags_of,
)
from caesura.detectors.finitestate import DECISIONS
from caesura.numeric import crf, decode
from caesura.numeric.crf import Chain, Weights
from caesura.numeric.features import Hashes
from caesura.settings import between, one_of, whole
from caesura.transcript import Flags, Floats, Indices, Transcript

ARRAYS = {"keys", "weights", "transitions", "subtags"}


class Chunks(NamedTuple):
    """Whether each word begins a cluster, and the probabilities of Bs and of Bb.

    Punctuation begins nothing.
    """

    begun: Flags
    sentence: Floats
    cluster: Floats


@dataclass(frozen=True, eq=False)
class Field:
    """A chain of labels, and the sub-tags that it knows."""

    chain: Chain
    subtags: Hashes

    @property
    def weights(self) -> Weights:
        """Weights of features."""
        return self.chain.weights


@dataclass(frozen=True, repr=False)
class CRF(Chunker[Field]):
    """Labels of all words together, by words, tags, sub-tags, pauses and speakers around each.

    `c2` holds weights back to 0: the loss is the negative log-likelihood plus `c2` times the
    sum of their squares, and training ends after `iterations`. Features seen fewer than
    `cutoff` times are left out. `decision` is 'posterior', a boundary where the next word is
    the first of a sentence with a probability above 1/2, with the `bias`, or 'viterbi', the
    single best sequence of labels.
    """

    c2: float = 5.0
    iterations: int = 120
    cutoff: int = 1
    decision: str = "posterior"
    bias: float = 0.0

    name = "CRF"
    relearns = frozenset({"c2", "iterations", "cutoff"})

    def __post_init__(self) -> None:
        between("c2", self.c2, 0, 1e9)
        whole("iterations", self.iterations, 1, 1 << 31)
        whole("cutoff", self.cutoff, 1, 1 << 31)
        one_of("decision", self.decision, DECISIONS)
        between("bias", self.bias, -1e9, 1e9)

    def fit(self, spoken: Sequence[Transcript], labels: Sequence[Indices]) -> Field:
        """Train a chain with python-crfsuite."""
        known, lessons = lessons_of(spoken, labels, self.cutoff)
        chain = crf.trained(known, lessons, len(LABELS), self.c2, self.iterations)
        return Field(chain.rounded(), subtags_of(spoken))

    def learnt(self) -> Mapping[str, NDArray[Any]]:
        """Give keys of features, weights, transitions and hashes of sub-tags."""
        return {**self.model.chain.arrays(), "subtags": self.model.subtags}

    def knowing(self, learnt: Mapping[str, NDArray[Any]]) -> CRF:
        """Give the same detector with weights that were learnt before."""
        if set(learnt) != ARRAYS:
            raise crf.damaged(f"it has the arrays {', '.join(sorted(learnt)) or 'none'}")
        return self.with_model(Field(Chain.of(learnt, len(LABELS)), checked_subtags(learnt)))

    def weighed(self, states: Floats, lengths: Indices) -> tuple[Floats, Flags]:
        """Weigh by the posterior; decide by it, or by the best sequence."""
        likely = self.model.chain.posterior(states, lengths)
        other = likely[:, CLUSTER] + likely[:, INSIDE]
        odds = _log(likely[:, SENTENCE]) - _log(other)
        if self.decision == "viterbi":
            return odds, self.best(states, lengths) == SENTENCE
        return odds, odds + self.bias > 0

    def best(self, states: Floats, lengths: Indices) -> Indices:
        """Give the label of each word in the best sequence."""
        return self.model.chain.viterbi(states, lengths)

    def clusters(self, transcript: Transcript) -> Chunks:
        """Tell where clusters begin, by the best sequence, and how probable each label is."""
        kept, spoken = self.heard(transcript)
        states, lengths = self.states([spoken])
        begun, likely = np.zeros(len(kept), np.bool_), np.zeros((len(kept), len(LABELS)))
        begun[kept] = self.best(states, lengths) != INSIDE
        begun[np.flatnonzero(kept)[:1]] = True
        likely[kept] = self.model.chain.posterior(states, lengths)
        return Chunks(begun, likely[:, SENTENCE], likely[:, CLUSTER])


def _log(probability: Floats) -> Floats:
    logs: Floats = np.log(np.maximum(probability, decode.TINY))
    return logs
