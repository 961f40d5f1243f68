"""Any detector as a stream, at the price of waiting for some words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from caesura.contracts import Detector, Stream
from caesura.detectors.window import WindowStream
from caesura.transcript import Floats, Segmentation, Strings, Transcript


@dataclass(frozen=True, repr=False)
class Lookahead(Detector):
    """Another detector that, in a stream, decides each gap `words` words later."""

    detector: Detector
    words: int = 10

    name = "Lookahead"

    def __post_init__(self) -> None:
        if not isinstance(self.detector, Detector):
            raise ValueError(f"detector is a detector, not {self.detector!r}")
        if type(self.words) is not int or self.words < 1:
            raise ValueError(f"words is a number of words, not {self.words!r}")

    @property
    def reach(self) -> int:
        """How many words after a gap bear on it in a stream."""
        return self.words

    def log_odds(self, transcript: Transcript) -> Floats:
        """Say what the other detector says."""
        return self.detector.log_odds(transcript)

    def label(self, transcript: Transcript) -> Strings | None:
        """Label as the other detector does."""
        return self.detector.label(transcript)

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide as the other detector does."""
        return self.detector.detect(transcript)

    def annotate(self, transcript: Transcript) -> Transcript:
        """Find what the other detector finds."""
        return self.detector.annotate(transcript)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Lookahead:
        """Train the other detector."""
        return replace(self, detector=self.detector.train(train, dev, text))

    def learnt(self) -> Mapping[str, NDArray[Any]]:
        """Give what the other detector has learnt."""
        return self.detector.learnt()

    def knowing(self, learnt: Mapping[str, NDArray[Any]]) -> Lookahead:
        """Let the other detector know what was learnt."""
        return replace(self, detector=self.detector.knowing(learnt))

    def coverage(self, transcript: Transcript) -> float:
        """Know what the other detector knows."""
        return self.detector.coverage(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Lack what the other detector lacks."""
        return self.detector.lacks(transcript)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Decide each gap with `words` words of context on either side."""
        return WindowStream(self.detector, ahead=self.words, behind=self.words, state=state)
