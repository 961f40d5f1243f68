"""Labels of words that arrive, stretch by stretch: the incremental chunking of Oba and others.

The last cluster of a stretch is carried over to the next one, where it is labelled again with
what follows; all labels before it are decided and never change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from caesura.detectors.chunking import INSIDE
from caesura.detectors.crf import CRF, begins
from caesura.detectors.linking import units_of
from caesura.detectors.surroundings import hashes_of
from caesura.documents import from_document, to_document
from caesura.numeric import few
from caesura.numeric.features import REACH
from caesura.numeric.sights import Looks
from caesura.transcript import Floats, Indices, Transcript

CONTEXT = REACH + 4
"""Words before a stretch that bear on its labels and tags."""

LONGEST = 4
"""A cluster is cut where it is longer than so many stretches."""

BEFORE_ALL = -1
"""Stands for the label before the first word."""


class Decided(NamedTuple):
    """Clusters whose labels are decided, with how many words each has, and which is its content."""

    looks: Looks
    labels: Floats
    sizes: Indices
    content: Indices


class Labelling:
    """Words that wait for their labels, and those before them that bear on these."""

    def __init__(self, crf: CRF, stretch: int, saved: Mapping[str, Any] | None) -> None:
        kept = saved or {"near": {"words": []}, "tagged": False, "context": 0, "before": BEFORE_ALL}
        self.crf, self.longest = crf, LONGEST * stretch
        self.near = from_document(kept["near"])
        """Words without punctuation, of which the first `context` are decided."""
        self.tagged: Transcript | None = None
        """The same with tags, once they are tagged."""
        self.context = int(kept["context"])
        self.before = int(kept["before"])
        """The label of the last of those."""
        if kept["tagged"]:
            self.tag()

    def state(self) -> dict[str, Any]:
        """Give what is kept, as JSON can hold it."""
        return {
            "near": to_document(self.near),
            "tagged": self.tagged is not None,
            "context": self.context,
            "before": self.before,
        }

    def hear(self, more: Transcript) -> None:
        """Let more words wait."""
        self.near = Transcript.join([self.near, more]) if len(self.near) else more
        self.tagged = None

    def tag(self) -> Transcript:
        """Tag them, if that has not been done."""
        if self.tagged is None:
            (self.tagged,) = self.crf.tagged([self.near])
        return self.tagged

    def decide(self, spare: int) -> Decided:
        """Label all words that wait, and decide what lies before the last cluster.

        That one begins at least `spare` words before the end; with 0 everything is decided.
        """
        near = self.tag()
        words = hashes_of(near, self.crf.model.subtags)
        states, chain = self.crf.scored(words, self.context), self.crf.model.scorer
        likely = few.posterior(states, chain.transitions, self.before)
        first = np.flatnonzero(begins(likely))
        stop = self._stop(first, len(likely), spare)
        first = first[first < stop]
        edges = np.append(first, stop)
        # What follows is a cluster too, of which nothing is decided.
        begun = edges[edges < len(likely)] + self.context
        looks, content = units_of(near, begun, words)
        count = len(first)
        inside = content[:count] - begun[:count]
        self._move(stop, likely)
        return Decided(looks[:count], likely[first], np.diff(edges), inside)

    def _stop(self, first: Indices, count: int, spare: int) -> int:
        """Give the number of words, of those that wait, that are decided."""
        if not spare:
            return count
        stop = int(first[first <= count - spare].max(initial=0))
        return count - spare if not stop and count > self.longest else stop

    def _move(self, stop: int, likely: Floats) -> None:
        """Let the first words that waited be context."""
        if stop:
            last = likely[stop - 1]
            # Where a cluster begins, P(I) may still be the largest of the three.
            self.before = INSIDE if last[INSIDE] > 1 / 2 else int(last[:INSIDE].argmax())
        spare = max(self.context + stop - CONTEXT, 0)
        self.near, self.context = self.near[spare:], self.context + stop - spare
