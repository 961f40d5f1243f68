"""Streams for detectors whose evidence about a gap lies in the words around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from caesura.contracts import Detector, Stream
from caesura.transcript import Segmentation, Transcript


class WindowStream(Stream):
    """Decides each gap once `ahead` words after it are there; keeps `behind` words of context."""

    def __init__(
        self, detector: Detector, *, ahead: int, behind: int, state: Mapping[str, Any] | None
    ) -> None:
        self.detector = detector
        self.ahead = ahead
        self.behind = behind
        saved = state or {}
        self.words: Transcript = saved.get("words", Transcript(()))
        self.begun = int(saved.get("begun", 0))
        self.decided = int(saved.get("decided", 0))

    def push(self, words: Transcript) -> list[Transcript]:
        """Take words; give the sentences that are final now."""
        self.words = Transcript.join([self.words, words]) if len(self.words) else words
        return self._decide(len(self.words) - self.ahead)

    def close(self) -> list[Transcript]:
        """Decide what is left; the last word ends a sentence."""
        return self._decide(len(self.words))

    def state(self) -> Mapping[str, Any]:
        """Words still needed, where the open sentence begins, and which gap is next."""
        return {"words": self.words, "begun": self.begun, "decided": self.decided}

    def _decide(self, stop: int) -> list[Transcript]:
        if stop <= self.decided:
            return []
        found = self.detector.detect(self.words)
        sentences = []
        for gap in np.flatnonzero(found.boundary[self.decided : stop]).tolist():
            last = self.decided + gap
            sentence = self.words[self.begun : last + 1]
            sentences.append(sentence.replace(sentences=_whole(found[self.begun : last + 1])))
            self.begun = last + 1
        self.decided = stop
        self._forget()
        return sentences

    def _forget(self) -> None:
        """Let go of words that can no longer bear on anything."""
        spare = min(self.begun, self.decided - self.behind)
        if spare > 0:
            self.words = self.words[spare:]
            self.begun -= spare
            self.decided -= spare


def _whole(found: Segmentation) -> Segmentation:
    return Segmentation(np.zeros(len(found), np.bool_), found.label, found.log_odds)
