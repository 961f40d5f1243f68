"""A detector that knows how words are written, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.core.arrays import Floats, Strings
from caesura.core.protocols import Detector, Stream
from caesura.core.transcript import Transcript
from caesura.detectors.window_stream import WindowStream

WRITTEN = {"ann": "Ann", "berlin": "Berlin", "iphone": "iPhone", "nato": "NATO", "may": ""}
LABELS = {"berlin": ",", "why": "?", "stop": "!", "now": "."}


@dataclass(frozen=True, repr=False)
class Cased(Detector):
    """Ends a sentence after `why`, `stop` and `now`, has a comma after `berlin`, knows names."""

    name = "Cased"

    def log_odds(self, transcript: Transcript) -> Floats:
        labels = self.label(transcript)
        return np.array([3.0 if label in ("?", "!", ".") else -3.0 for label in labels])

    def label(self, transcript: Transcript) -> Strings:
        return tuple(LABELS.get(word.lower(), "") for word in transcript.words)

    def written_words(self, transcript: Transcript) -> Strings | None:
        lower = map(str.lower, transcript.words)
        return tuple(WRITTEN.get(word, word) for word in lower)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        return WindowStream(self, ahead=1, behind=1, state=state)
