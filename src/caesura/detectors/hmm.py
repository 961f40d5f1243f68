"""Base class of detectors that decode the gaps of a recording as a hidden Markov model.

`HMMDetector` turns scores of words and classes into decisions, by forward-backward or Viterbi
(`ml/viterbi.py`). `LM` and `Combination` supply the scores.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.protocols import Detector, Stream
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript, batches
from caesura.detectors.gaps import (
    NO_GAP,
    class_count,
    class_labels,
    ends_sentence,
    gaps_after_words,
    likeliest_classes,
    without_punctuation,
)
from caesura.ml import viterbi
from caesura.ml.features import NO_WORD, UNKNOWN, Vocabulary
from caesura.ml.ngram_counts import START, NumberedText

DECISIONS = ("posterior", "viterbi")

CELLS = 1 << 23
"""Scores that are held in memory at a time."""

AHEAD, BEHIND = 25, 100
"""Words around a gap that a stream looks at; those farther away hardly matter."""

BEFORE = 1
"""The class of the gaps that are assumed before a recording."""


@dataclass(frozen=True, eq=False)
class NumberedWords:
    """Recordings as word numbers, without the punctuation that stands as a word."""

    text: NumberedText
    lengths: Indices
    is_word: tuple[Flags, ...]
    """Which tokens of each recording are words."""

    @classmethod
    def of(cls, transcripts: Sequence[Transcript], vocabulary: Vocabulary) -> NumberedWords:
        """Number the words of recordings."""
        numbers = [vocabulary.numbers(each.words) for each in transcripts]
        is_word = tuple(each != NO_WORD for each in numbers)
        inside = [each[here] for each, here in zip(numbers, is_word, strict=True)]
        lengths = np.array([len(each) for each in inside], np.int64)
        words = np.insert(np.concatenate([np.zeros(0, np.int64), *inside]), _begins(lengths), START)
        return cls(
            NumberedText(words, _begins(lengths) + np.arange(len(lengths))), lengths, is_word
        )

    def with_start(self, labels: Sequence[Indices]) -> Indices:
        """Join the classes of all recordings, each with the class `BEFORE` in front."""
        whole = np.concatenate([np.zeros(0, np.int64), *labels])
        return np.insert(whole, _begins(self.lengths), BEFORE)


def _begins(lengths: Indices) -> Indices:
    return np.cumsum(lengths) - lengths


def drop_punctuation(transcripts: Sequence[Transcript], vocabulary: Vocabulary) -> list[Transcript]:
    """Remove punctuation that stands as a word from recordings."""
    return [
        without_punctuation(each, vocabulary.numbers(each.words) != NO_WORD) for each in transcripts
    ]


def known_share(transcript: Transcript, vocabulary: Vocabulary) -> float:
    """Return the share of the words that are in the vocabulary; 1 if there are no words."""
    numbers = vocabulary.numbers(transcript.words)
    words = int((numbers != NO_WORD).sum())
    return 1.0 - float((numbers == UNKNOWN).sum()) / words if words else 1.0


class HMMDetector(Detector):
    """Decides by the most probable class of each gap, or by the best sequence of classes."""

    classes: Strings
    decision: str
    bias: float

    reach = AHEAD
    """How many words after a gap a stream looks at."""

    behind = BEHIND
    """How many words before a gap a stream looks at."""

    @property
    @abstractmethod
    def histories(self) -> int:
        """The number of different class sequences of the model's order."""

    @abstractmethod
    def number_words(self, transcripts: Sequence[Transcript]) -> NumberedWords:
        """Number the words of recordings."""

    @abstractmethod
    def scores(self, transcripts: Sequence[Transcript], words: NumberedWords) -> Floats:
        """Return the log-score of each class of each word, after each history of classes."""

    def bias_in(self, transcript: Transcript) -> float:  # noqa: ARG002 - others look at it
        """Return the bias that is added to the log-odds of a recording."""
        return self.bias

    def log_odds(self, transcript: Transcript) -> Floats:
        """Return the log-odds of the classes that end a sentence, plus the bias."""
        found = self.detect(transcript).log_odds
        return np.zeros(0) if found is None else found

    def label(self, transcript: Transcript) -> Strings | None:
        """Return the label of each gap, or None if `classes` is empty."""
        return self.detect(transcript).label

    def detect(self, transcript: Transcript) -> Segmentation:
        """Segment one recording."""
        return self.detect_all([transcript])[0]

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment many recordings, as many at a time as fit into memory."""
        most = CELLS // self.histories
        return [found for batch in batches(transcripts, most) for found in self._segment(batch)]

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that decides each gap from a window of words around it."""
        from caesura.detectors.window_stream import WindowStream

        return WindowStream(self, ahead=self.reach, behind=self.behind, state=state)

    def _segment(self, transcripts: Sequence[Transcript]) -> Iterator[Segmentation]:
        words = self.number_words(transcripts)
        scores = self.scores(transcripts, words)
        count = class_count(self.classes)
        probabilities = viterbi.posterior(scores, words.lengths, count)
        ends = ends_sentence(self.classes)
        bias = np.repeat([self.bias_in(each) for each in transcripts], words.lengths)
        odds = _log_sum(probabilities[:, ends]) - _log_sum(probabilities[:, ~ends]) + bias
        best = viterbi.viterbi(scores, words.lengths, count) if self.decision == "viterbi" else None
        is_end = odds > 0 if best is None else ends[best]
        is_end[np.cumsum(words.lengths)[words.lengths > 0] - 1] = True
        chosen = likeliest_classes(probabilities, is_end, self.classes)
        if best is not None:
            # The end of a recording is a boundary even where the best sequence has none.
            chosen = np.where(ends[best] == is_end, best, chosen)
        stop = np.cumsum(words.lengths)[:-1]
        parts = zip(words.is_word, np.split(chosen, stop), np.split(odds, stop), strict=True)
        for is_word, numbers, log_odds in parts:
            yield self._place(len(is_word), gaps_after_words(is_word), numbers, log_odds)

    def _place(self, count: int, gaps: Indices, numbers: Indices, log_odds: Floats) -> Segmentation:
        """Put classes and log-odds of words at their gaps; other gaps are no boundaries."""
        chosen, odds = np.zeros(count, np.int64), np.full(count, NO_GAP)
        chosen[gaps], odds[gaps] = numbers, log_odds
        label = class_labels(chosen.tolist(), self.classes) if self.classes else None
        return Segmentation(ends_sentence(self.classes)[chosen], label, odds)


def _log_sum(probabilities: Floats) -> Floats:
    logs: Floats = np.log(np.maximum(probabilities.sum(axis=1), viterbi.TINY))
    return logs
