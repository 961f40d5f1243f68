"""The detector `Combination`: words and pauses together, as in Gotoh and Renals.

Both of their decompositions are here, as way A and way B.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Strings
from caesura.core.config import check_number, check_one_of, prefixed_state, split_state
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import class_count, without_punctuation
from caesura.detectors.hmm import DECISIONS, HMMDetector, NumberedWords, drop_punctuation
from caesura.detectors.lm import LM
from caesura.detectors.pause import PauseModel
from caesura.ml.ngram_counts import damaged

ENOUGH, LEAST_SHARE = 50, 0.02
"""Times are used if fewer than ENOUGH gaps have them, or LEAST_SHARE of these have a pause."""

WORDS, PAUSES = LM(), PauseModel()


@dataclass(frozen=True, repr=False)
class Combination(HMMDetector):
    """A language model and a pause model in one search, the pause model with a `weight`.

    In way 'A' pauses count as p(f | e) (equations 10 to 12), in way 'B' as p(e | f) (13 and 14).
    `decision` is 'posterior' or 'viterbi'. `bias` is added to the log-odds, and `lone_bias` too
    in a recording without word times and pause markers, where words decide alone. Times that
    show almost no pauses are ignored.
    """

    lm: LM = WORDS
    pause: PauseModel = PAUSES
    way: str = "A"
    weight: float = 1.0
    decision: str = "posterior"
    bias: float = 0.0
    lone_bias: float = 0.0

    name = "Combination"

    def __post_init__(self) -> None:
        if not isinstance(self.lm, LM) or not isinstance(self.pause, PauseModel):
            raise ValueError("lm is an LM and pause a PauseModel")
        if self.lm.classes != self.pause.classes:
            raise ValueError("the classes of lm and pause differ")
        check_one_of("way", self.way, ("A", "B"))
        check_one_of("decision", self.decision, DECISIONS)
        check_number("weight", self.weight, 0, 1000)
        check_number("bias", self.bias, -1e9, 1e9)
        check_number("lone_bias", self.lone_bias, -1e9, 1e9)

    @property
    def classes(self) -> Strings:  # type: ignore[override]
        """The classes of both models."""
        return self.lm.classes

    @property
    def histories(self) -> int:
        """The number of different class sequences of the language model's order."""
        return self.lm.histories

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Combination:
        """Train both models."""
        lm = self.lm.train(train, dev, text)
        pause = self.pause.train(drop_punctuation(train, lm.model.vocabulary))
        return replace(self, lm=lm, pause=pause)

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the states of both models."""
        return prefixed_state({"lm": self.lm, "pause": self.pause})

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Combination:
        """Return this detector with stored states of both models."""
        others, lm, pause = split_state(state, "lm", "pause")
        if others:
            raise damaged(f"it has an array {min(others)}")
        return replace(self, lm=self.lm.from_state(lm), pause=self.pause.from_state(pause))

    def number_words(self, transcripts: Sequence[Transcript]) -> NumberedWords:
        """Number the words of recordings by the vocabulary."""
        return self.lm.number_words(transcripts)

    def scores(self, transcripts: Sequence[Transcript], words: NumberedWords) -> Floats:
        """Return the log-score of each word, class and pause after it, for each history."""
        scores = self.lm.scores(transcripts, words)
        trusted = [self._with_usable_times(each) for each in transcripts]
        emissions = [
            self.pause.emissions(without_punctuation(each, is_word), self.way)  # type: ignore[arg-type]
            for each, is_word in zip(trusted, words.is_word, strict=True)
        ]
        width = class_count(self.classes)
        evidence = self.weight * np.concatenate(emissions)
        cells = scores.reshape(len(scores), scores.shape[1] // width, width)
        cells += evidence[:, None, :]
        return scores

    def bias_in(self, transcript: Transcript) -> float:
        """Return the bias that is added to the log-odds of a recording."""
        pauses = self._with_usable_times(transcript).pauses()
        alone = transcript.pause is None and bool(np.isnan(pauses).all())
        return self.bias + (self.lone_bias if alone else 0.0)

    def _with_usable_times(self, transcript: Transcript) -> Transcript:
        """Remove times that hardly show a pause: they were made up, or words were joined."""
        pauses = transcript.pauses()
        known = pauses[~np.isnan(pauses)]
        if len(known) < ENOUGH or np.mean(known >= self.pause.step / 2) >= LEAST_SHARE:
            return transcript
        return transcript.replace(start=None, end=None)

    def coverage(self, transcript: Transcript) -> float:
        """Return the share of the words that are in the vocabulary."""
        return self.lm.coverage(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Return what is missing if neither model has anything to decide by."""
        words, pauses = self.lm.lacks(transcript), self.pause.lacks(transcript)
        return f"{words}, and {pauses}" if words and pauses else ""
