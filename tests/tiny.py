"""A detector that learns next to nothing: how often a sentence ends after each word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura import registry
from caesura.contracts import Detector, Stream
from caesura.detectors.learner import Learner
from caesura.detectors.window import WindowStream
from caesura.transcript import Floats, Transcript

SIZE = 64


@dataclass(frozen=True, repr=False)
class Tiny(Learner[Floats]):
    """Log-odds of an end after words that share their first `letters`."""

    letters: int = 1
    smooth: float = 1.0
    bias: float = 0.0
    decision: str = "posterior"

    name = "Tiny"
    relearns: ClassVar = frozenset({"letters"})
    trainings: ClassVar[list[int]] = []

    def __post_init__(self) -> None:
        if type(self.letters) is not int or self.letters < 1:
            raise ValueError(f"letters is a number of letters, not {self.letters!r}")

    def _rows(self, transcript: Transcript) -> list[int]:
        return [sum(map(ord, word[: self.letters])) % SIZE for word in transcript.words]

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Tiny:
        self.trainings.append(self.letters)
        counts = np.zeros((SIZE, 2))
        for each in (*train, *text):
            assert each.sentences is not None
            for row, end in zip(self._rows(each), each.sentences.boundary.tolist(), strict=True):
                counts[row, int(end)] += 1
        return self.with_model(counts)

    def log_odds(self, transcript: Transcript) -> Floats:
        counts = self.model[self._rows(transcript)] + self.smooth
        odds: Floats = np.log(counts[:, 1]) - np.log(counts[:, 0]) + self.bias
        return odds

    def learnt(self) -> Mapping[str, NDArray[Any]]:
        return {"counts": self.model}

    def knowing(self, learnt: Mapping[str, NDArray[Any]]) -> Tiny:
        return self.with_model(learnt["counts"])

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        return WindowStream(self, ahead=1, behind=0, state=state)


@dataclass(frozen=True, repr=False)
class Around(Learner[Floats]):
    """A detector around another, which keeps what it has learnt apart from its settings."""

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

    def learnt(self) -> Mapping[str, NDArray[Any]]:
        return {"own": self.model, **self.inner.learnt()}

    def knowing(self, learnt: Mapping[str, NDArray[Any]]) -> Around:
        return self.adjusted(inner=self.inner.knowing(learnt)).with_model(learnt["own"])

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        return WindowStream(self, ahead=1, behind=0, state=state)


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let users name them."""
    for made in (Tiny, Around):
        place = f"{made.__module__}:{made.__name__}"
        monkeypatch.setitem(registry.NAMES["detector"], made.name, place)
    Tiny.trainings.clear()
