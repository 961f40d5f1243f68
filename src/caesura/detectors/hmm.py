"""Detectors that find the classes of all gaps of a recording together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.protocols import Detector, Stream
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript, batches
from caesura.detectors import gap_classes
from caesura.detectors.lm_counts import Spoken, gap_of_each
from caesura.detectors.window import WindowStream
from caesura.ml import viterbi

DECISIONS = ("posterior", "viterbi")

CELLS = 1 << 23
"""Scores that are held at a time."""

NO_GAP = -50.0
"""Log-odds between a word and the punctuation that follows it as a word of its own."""

AHEAD, BEHIND = 25, 100
"""Words around a gap that a stream looks at; those farther away hardly matter."""


class FiniteState(Detector):
    """Weighs all sequences of classes and decides by the likeliest class or the best sequence."""

    classes: Strings
    decision: str
    bias: float

    reach = AHEAD
    """How many words after a gap bear on it in a stream."""

    behind = BEHIND
    """How many words before it do."""

    @property
    @abstractmethod
    def histories(self) -> int:
        """How many sequences of classes are told apart."""

    @abstractmethod
    def spoken(self, transcripts: Sequence[Transcript]) -> Spoken:
        """Number the words of recordings."""

    @abstractmethod
    def scores(self, transcripts: Sequence[Transcript], spoken: Spoken) -> Floats:
        """Score each class of each word after each history."""

    def bias_in(self, transcript: Transcript) -> float:  # noqa: ARG002 - others look at it
        """Give what is added to the log-odds of a recording."""
        return self.bias

    def log_odds(self, transcript: Transcript) -> Floats:
        """Weigh the classes that end a sentence against the others, and add the bias."""
        found = self.detect(transcript).log_odds
        return np.zeros(0) if found is None else found

    def label(self, transcript: Transcript) -> Strings | None:
        """Give the class of each gap, if there are several to tell apart."""
        return self.detect(transcript).label

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide for one recording."""
        return self.detect_all([transcript])[0]

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide for many recordings together, as many at a time as fit into memory."""
        most = CELLS // self.histories
        return [each for batch in batches(transcripts, most) for each in self._decided(batch)]

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Decide each gap when the words that bear on it are there."""
        return WindowStream(self, ahead=self.reach, behind=self.behind, state=state)

    def _decided(self, transcripts: Sequence[Transcript]) -> Iterator[Segmentation]:
        spoken = self.spoken(transcripts)
        scores = self.scores(transcripts, spoken)
        count = gap_classes.count(self.classes)
        likely = viterbi.posterior(scores, spoken.lengths, count)
        ends = gap_classes.ends(self.classes)
        bias = np.repeat([self.bias_in(each) for each in transcripts], spoken.lengths)
        odds = _log(likely[:, ends]) - _log(likely[:, ~ends]) + bias
        best = (
            viterbi.viterbi(scores, spoken.lengths, count) if self.decision == "viterbi" else None
        )
        is_end = odds > 0 if best is None else ends[best]
        is_end[np.cumsum(spoken.lengths)[spoken.lengths > 0] - 1] = True
        chosen = gap_classes.likeliest(likely, is_end, self.classes)
        if best is not None:
            # The end of a recording is a boundary even where the best sequence has none.
            chosen = np.where(ends[best] == is_end, best, chosen)
        stop = np.cumsum(spoken.lengths)[:-1]
        parts = zip(spoken.kept, np.split(chosen, stop), np.split(odds, stop), strict=True)
        for kept, numbers, evidence in parts:
            yield self._placed(len(kept), gap_of_each(kept), numbers, evidence)

    def _placed(
        self, count: int, gaps: Indices, numbers: Indices, evidence: Floats
    ) -> Segmentation:
        """Give each gap its class and evidence; a gap before punctuation is none."""
        chosen, odds = np.zeros(count, np.int64), np.full(count, NO_GAP)
        chosen[gaps], odds[gaps] = numbers, evidence
        label = gap_classes.labels(chosen.tolist(), self.classes) if self.classes else None
        return Segmentation(gap_classes.ends(self.classes)[chosen], label, odds)


def _log(probability: Floats) -> Floats:
    logs: Floats = np.log(np.maximum(probability.sum(axis=1), viterbi.TINY))
    return logs
