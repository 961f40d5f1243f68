"""Streams for detectors whose evidence about a gap lies in the words around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from caesura.contracts import Detector, Stream
from caesura.documents import from_document, to_document
from caesura.transcript import Segmentation, Transcript


class WindowStream(Stream):
    """Decides each gap once `ahead` words after it are there; looks at `behind` words before it.

    `window` holds words that still bear on a decision, the first `decided` of them decided;
    `open` holds the parts of the sentence that has not ended.
    """

    def __init__(
        self, detector: Detector, *, ahead: int, behind: int, state: Mapping[str, Any] | None
    ) -> None:
        self.detector = detector
        self.ahead = ahead
        self.behind = behind
        saved = state or {"window": {"words": []}, "decided": 0, "open": []}
        self.window = from_document(saved["window"])
        self.decided = int(saved["decided"])
        self.open = [from_document(part) for part in saved["open"]]

    def push(self, words: Transcript) -> list[Transcript]:
        """Take words; give the sentences that are final now."""
        self.window = Transcript.join([self.window, words]) if len(self.window) else words
        return self._decide(len(self.window) - self.ahead)

    def close(self) -> list[Transcript]:
        """Decide what is left; the last word ends a sentence."""
        return self._decide(len(self.window))

    def state(self) -> Mapping[str, Any]:
        """Give the words that are still needed and how far decisions have come."""
        return {
            "window": to_document(self.window),
            "decided": self.decided,
            "open": [to_document(part) for part in self.open],
        }

    def _decide(self, stop: int) -> list[Transcript]:
        if stop <= self.decided:
            return []
        return self._cut(self.detector.detect(self.window), stop)

    def _cut(self, found: Segmentation, stop: int) -> list[Transcript]:
        """Take the decided words into the open sentence, and let go of those that end."""
        sentences = []
        begin = self.decided
        for gap in (np.flatnonzero(found.boundary[begin:stop]) + begin).tolist():
            self._take(found, begin, gap + 1)
            whole = Transcript.join(self.open)
            sentences.append(whole.replace(sentences=_undivided(whole.sentences)))
            self.open = []
            begin = gap + 1
        if begin < stop:
            self._take(found, begin, stop)
        spare = max(stop - self.behind, 0)
        self.window = self.window[spare:]
        self.decided = stop - spare
        return sentences

    def _take(self, found: Segmentation, first: int, stop: int) -> None:
        self.open.append(self.window[first:stop].replace(sentences=found[first:stop]))


def _undivided(found: Segmentation | None) -> Segmentation | None:
    """Give one sentence with the labels and evidence of its gaps."""
    if found is None:
        return None
    return Segmentation(np.zeros(len(found), np.bool_), found.label, found.log_odds)
