"""Detectors that decide many recordings at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.core.protocols import BatchDetector, Stream
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript


@dataclass(frozen=True, repr=False)
class Stops(BatchDetector):
    """A boundary after each word 'stop', perhaps with log-odds and labels."""

    sure: bool = True

    name = "Stops"

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        return [self._segmented([word == "stop" for word in each.words]) for each in transcripts]

    def _segmented(self, is_stop: list[bool]) -> Segmentation:
        boundary = np.array(is_stop, np.bool_)
        if not self.sure:
            return Segmentation(boundary)
        return Segmentation(
            boundary, tuple("." * each for each in is_stop), np.where(boundary, 3.0, -1.0)
        )

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        raise NotImplementedError


TALK = Transcript(("go", "stop", "go", "on"))


def test_log_odds_and_decisions_of_one_recording_are_those_of_many() -> None:
    (found,) = Stops().detect_all([TALK])
    assert Stops().detect(TALK) == found
    assert Stops().log_odds(TALK).tolist() == [-1, 3, -1, -1]


def test_log_odds_that_are_not_known_are_0() -> None:
    unsure = Stops(sure=False)
    assert unsure.log_odds(TALK).tolist() == [0, 0, 0, 0]
    assert unsure.annotate(TALK).sentences == unsure.detect(TALK)
