"""Links inside sentences that are given: the *normal* dependency analysis of Oba and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.detectors.chunking import Chunker
from caesura.detectors.language import gap_of_each
from caesura.detectors.linking import drawn, ends_of, lesson_of, units_of
from caesura.detectors.surroundings import hashes_of
from caesura.numeric import charts, heads
from caesura.numeric.heads import Heads
from caesura.numeric.sights import Sight
from caesura.transcript import Transcript


@dataclass(frozen=True)
class Normal:
    """Finds clusters and sentences by a chunker that has learnt, and then the best links.

    Only clusters of the same sentence, up to `reach` before and after, can be the head of one.
    """

    chunker: Chunker[Any]
    heads: Heads
    reach: int

    @classmethod
    def learn(
        cls,
        chunker: Chunker[Any],
        trees: Sequence[Transcript],
        reach: int = 10,
        ridge: float = 2.0,
        bits: int = 18,
    ) -> Normal:
        """Learn links from recordings that have trees, tagged as the chunker's were."""
        subtags = chunker.model.subtags
        lessons = [lesson_of(chunker.spoken(each), subtags, normal=True) for each in trees]
        return cls(chunker, heads.learn(lessons, Sight(reach, reach), bits, ridge), reach)

    def annotate(self, transcript: Transcript) -> Transcript:
        """Give the transcript with clusters and heads; also with sentences if it has none."""
        found = transcript.sentences or self.chunker.detect(transcript)
        kept, spoken = self.chunker.heard(transcript)
        ended = found.boundary[gap_of_each(kept)]
        begun = self.chunker.starts(transcript)[kept]
        begun[1:] |= ended[:-1]
        first = np.flatnonzero(begun)
        words = hashes_of(spoken, self.chunker.model.subtags)
        units = units_of(spoken, first, words)
        ends = ends_of(ended, first)
        sight = Sight(self.reach, self.reach)
        chances = self.heads.chances(units.looks, sight, ends=ends)
        links = charts.normal(*heads.links_of(chances, sight), ends).heads
        cluster, head = drawn(kept, first, units.content, links)
        return transcript.replace(sentences=found, cluster=cluster, head=head, relation=None)
