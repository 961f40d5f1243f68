"""Sentence ends from words and pauses together: both decompositions of Gotoh and Renals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Strings
from caesura.core.config import between, one_of, prefixed_state, split_state
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import class_count, without_punctuation
from caesura.detectors.hmm import DECISIONS, HMMDetector, NumberedWords, drop_punctuation
from caesura.detectors.lm import LM
from caesura.detectors.pause_model import PauseModel
from caesura.ml.ngram_counts import damaged

ENOUGH, FEWEST = 50, 0.02
"""Of so many gaps with known pauses, the share that shows one if times are worth looking at."""

WORDS, PAUSES = LM(), PauseModel()


@dataclass(frozen=True, repr=False)
class Combination(HMMDetector):
    """A language model and a pause model in one search, the pause model with a `weight`.

    In way 'A' pauses count as p(f | e) (equations 10 to 12), in way 'B' as p(e | f) (13 and 14).
    `decision` is 'posterior' or 'viterbi'; `bias` is added to the log-odds, and
    `lone_bias` besides in a recording without word times and pause markers, where words decide
    alone. Times that show next to no pauses are taken for none.
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
        one_of("way", self.way, ("A", "B"))
        one_of("decision", self.decision, DECISIONS)
        between("weight", self.weight, 0, 1000)
        between("bias", self.bias, -1e9, 1e9)
        between("lone_bias", self.lone_bias, -1e9, 1e9)

    @property
    def classes(self) -> Strings:  # type: ignore[override]
        """The classes of both models."""
        return self.lm.classes

    @property
    def histories(self) -> int:
        """How many sequences of classes are told apart."""
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
        """Give what both models have learnt."""
        return prefixed_state({"lm": self.lm, "pause": self.pause})

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Combination:
        """Give the same detector with models that know what was learnt."""
        others, lm, pause = split_state(state, "lm", "pause")
        if others:
            raise damaged(f"it has an array {min(others)}")
        return replace(self, lm=self.lm.from_state(lm), pause=self.pause.from_state(pause))

    def number_words(self, transcripts: Sequence[Transcript]) -> NumberedWords:
        """Number the words of recordings."""
        return self.lm.number_words(transcripts)

    def scores(self, transcripts: Sequence[Transcript], words: NumberedWords) -> Floats:
        """Score each class of each word after each history, with the pause that follows."""
        scores = self.lm.scores(transcripts, words)
        said = [
            self.pause.emissions(without_punctuation(self._trusted(each), kept), self.way)  # type: ignore[arg-type]
            for each, kept in zip(transcripts, words.is_word, strict=True)
        ]
        width = class_count(self.classes)
        evidence = self.weight * np.concatenate(said)
        cells = scores.reshape(len(scores), scores.shape[1] // width, width)
        cells += evidence[:, None, :]
        return scores

    def bias_in(self, transcript: Transcript) -> float:
        """Give what is added to the log-odds of a recording."""
        pauses = self._trusted(transcript).pauses()
        alone = transcript.pause is None and bool(np.isnan(pauses).all())
        return self.bias + (self.lone_bias if alone else 0.0)

    def _trusted(self, transcript: Transcript) -> Transcript:
        """Leave out times that hardly show a pause: they were joined end to end, or made up."""
        pauses = transcript.pauses()
        known = pauses[~np.isnan(pauses)]
        if len(known) < ENOUGH or np.mean(known >= self.pause.step / 2) >= FEWEST:
            return transcript
        return transcript.replace(start=None, end=None)

    def coverage(self, transcript: Transcript) -> float:
        """Give the share of the words that are known."""
        return self.lm.coverage(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Say what is missing if neither model has anything to go by."""
        words, pauses = self.lm.lacks(transcript), self.pause.lacks(transcript)
        return f"{words}, and {pauses}" if words and pauses else ""
