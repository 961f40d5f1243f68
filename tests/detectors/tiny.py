"""Detectors that learn as little as can be, for tests of what becomes of what is learnt."""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura import registry
from caesura.contracts import Stream
from caesura.detectors.learner import Learner
from caesura.detectors.window import WindowStream
from caesura.errors import ModelError
from caesura.transcript import Floats, Segmentation, Strings, Transcript

Table = dict[int, float]


@dataclass(frozen=True, repr=False)
class Tiny(Learner[Table]):
    """Log-odds of a boundary after each word that was seen."""

    bias: float = 0.0

    name = "Tiny"

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Self:
        ends: Counter[int] = Counter()
        seen: Counter[int] = Counter()
        for transcript in train:
            assert transcript.sentences is not None
            keys = [key(word) for word in transcript.words]
            seen.update(keys)
            ends.update(keys[gap] for gap in transcript.sentences.gaps.tolist())
        return self.with_model(
            {k: float(np.log((ends[k] + 0.5) / (seen[k] - ends[k] + 0.5))) for k in seen}
        )

    def learnt(self) -> Mapping[str, NDArray[Any]]:
        keys = sorted(self.model)
        return {
            "odds": np.array([self.model[k] for k in keys]),
            "keys": np.array(keys, np.uint32),
            "seen": np.ones(len(keys), np.bool_),
        }

    def knowing(self, learnt: Mapping[str, NDArray[Any]]) -> Self:
        if len(learnt["keys"]) != len(learnt["odds"]):
            raise ModelError("there are not as many keys as odds")
        pairs = zip(learnt["keys"].tolist(), learnt["odds"].tolist(), strict=True)
        return self.with_model(dict(pairs))

    def log_odds(self, transcript: Transcript) -> Floats:
        return np.array([self.model.get(key(w), -5.0) + self.bias for w in transcript.words])

    def label(self, transcript: Transcript) -> Strings | None:
        return tuple("." if odds > 0 else "" for odds in self.log_odds(transcript))

    def coverage(self, transcript: Transcript) -> float:
        return float(np.mean([key(word) in self.model for word in transcript.words]))

    def lacks(self, transcript: Transcript) -> str:
        return "" if len(transcript) else "no words at all"

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        return WindowStream(self, ahead=1, behind=1, state=state)


@dataclass(frozen=True, repr=False)
class Bare(Learner[Mapping[str, NDArray[Any]]]):
    """Knows whatever arrays it is given, and finds no boundary."""

    name = "Bare"

    def learnt(self) -> Mapping[str, NDArray[Any]]:
        return self.model

    def knowing(self, learnt: Mapping[str, NDArray[Any]]) -> Self:
        return self.with_model(learnt)

    def log_odds(self, transcript: Transcript) -> Floats:
        return np.full(len(transcript), -1.0)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        return WindowStream(self, ahead=1, behind=1, state=state)


def key(word: str) -> int:
    return zlib.crc32(word.encode())


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the registry know these detectors while a test runs."""
    for name in ("Tiny", "Bare"):
        monkeypatch.setitem(registry.NAMES["detector"], name, f"detectors.tiny:{name}")


def trained() -> Tiny:
    words = tuple("we know the words of this small talk and no others so far".split())
    ends = Segmentation.of_gaps(len(words), [6, 12])
    return Tiny().train([Transcript(words, sentences=ends)])
