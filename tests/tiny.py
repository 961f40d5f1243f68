"""Very small detectors that learn, for tests of training and storing."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura.core import registry
from caesura.core.arrays import Floats, Strings
from caesura.core.errors import ModelError
from caesura.core.protocols import Detector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.window_stream import WindowStream

Table = dict[int, tuple[float, int]]
"""Counts of sentence ends after a word, and of the word, by hash."""


@dataclass(frozen=True, repr=False)
class Tiny(TrainableDetector[Table]):
    """Log-odds of an end after words that share their first `letters`."""

    letters: int = 1
    smooth: float = 1.0
    bias: float = 0.0
    decision: str = "posterior"

    name = "Tiny"
    retrain_settings: ClassVar = frozenset({"letters"})
    trainings: ClassVar[list[int]] = []

    def __post_init__(self) -> None:
        if type(self.letters) is not int or self.letters < 1:
            raise ValueError(f"letters is a number of letters, not {self.letters!r}")

    def _keys(self, transcript: Transcript) -> list[int]:
        return [zlib.crc32(word[: self.letters].encode()) for word in transcript.words]

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Tiny:
        self.trainings.append(self.letters)
        ends: Counter[int] = Counter()
        seen: Counter[int] = Counter()
        for each in (*train, *text):
            assert each.sentences is not None
            keys = self._keys(each)
            seen.update(keys)
            ends.update(keys[gap] for gap in each.sentences.gaps.tolist())
        return self.with_model({key: (float(ends[key]), seen[key]) for key in seen})

    def log_odds(self, transcript: Transcript) -> Floats:
        found = [self.model.get(key, (0.0, 9)) for key in self._keys(transcript)]
        ends, seen = np.array(found, np.float64).reshape(-1, 2).T
        odds: Floats = np.log(ends + self.smooth) - np.log(seen - ends + self.smooth) + self.bias
        return odds

    def label(self, transcript: Transcript) -> Strings | None:
        return tuple("." if odds > 0 else "" for odds in self.log_odds(transcript))

    def coverage(self, transcript: Transcript) -> float:
        return float(np.mean([key in self.model for key in self._keys(transcript)]))

    def lacks(self, transcript: Transcript) -> str:
        return "" if len(transcript) else "no words at all"

    def state(self) -> Mapping[str, NDArray[Any]]:
        keys = sorted(self.model)
        return {
            "keys": np.array(keys, np.uint32),
            "ends": np.array([self.model[key][0] for key in keys]),
            "seen": np.array([self.model[key][1] for key in keys], np.uint16),
            "known": np.ones(len(keys), np.bool_),
        }

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Tiny:
        keys, ends, seen = (state[name].tolist() for name in ("keys", "ends", "seen"))
        if not len(keys) == len(ends) == len(seen):
            raise ModelError("there are not as many keys as ends")
        return self.with_model(dict(zip(keys, zip(ends, seen, strict=True), strict=True)))

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        return WindowStream(self, ahead=1, behind=0, state=state)


@dataclass(frozen=True, repr=False)
class Around(TrainableDetector[Floats]):
    """A detector with another one as a setting, and a model of its own."""

    inner: Detector = Tiny()
    factor: float = 1.0

    name = "Around"

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Around:
        trained = self.adjusted(inner=self.inner.train(train, dev, text))
        return trained.with_model(np.array([len(train)], np.float64))

    def log_odds(self, transcript: Transcript) -> Floats:
        assert self.model.sum()
        return self.inner.log_odds(transcript) * self.factor

    def state(self) -> Mapping[str, NDArray[Any]]:
        return {"own": self.model, **self.inner.state()}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Around:
        return self.adjusted(inner=self.inner.from_state(state)).with_model(state["own"])

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        return WindowStream(self, ahead=1, behind=0, state=state)


@dataclass(frozen=True, repr=False)
class Bare(TrainableDetector[Mapping[str, NDArray[Any]]]):
    """Keeps any arrays as its model, and finds no boundary."""

    name = "Bare"

    def state(self) -> Mapping[str, NDArray[Any]]:
        return self.model

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Bare:
        return self.with_model(state)

    def log_odds(self, transcript: Transcript) -> Floats:
        return np.full(len(transcript), -1.0)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        return WindowStream(self, ahead=1, behind=1, state=state)


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register these detectors while a test runs."""
    for made in (Tiny, Around, Bare):
        place = f"{made.__module__}:{made.__name__}"
        monkeypatch.setitem(registry.NAMES["detector"], made.name, place)
    Tiny.trainings.clear()


def trained_tiny(**settings: Any) -> Tiny:
    """Train a detector on a talk of thirteen words and two sentences."""
    words = tuple("we know the words of this small talk and no others so far".split())
    ends = Segmentation.of_gaps(len(words), [6, 12])
    return Tiny(letters=9, **settings).train([Transcript(words, sentences=ends)])
