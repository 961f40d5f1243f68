"""Streams for detectors whose evidence about a gap lies in the words around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Strings
from caesura.core.protocols import Detector, Stream
from caesura.core.segmentation import Segmentation
from caesura.core.serialize import from_document, to_document
from caesura.core.transcript import Transcript

DELAYS = ("delay_words", "delay_seconds")
"""Columns of evidence of a streamed sentence: how long after its end that was decided."""

AT_ONCE = 64
"""Windows that are handed to a detector at a time."""

FEW = 32
"""Parts of an open sentence that may lie about before they are joined."""


class WindowStream(Stream):
    """Decides each gap once `ahead` words after it are there; looks at `behind` words before it.

    Each gap is decided from these words alone, however many are pushed at once: sentences do not
    depend on how words arrive. `window` holds words that still bear on a decision, the first
    `decided` of them decided; `open` holds the parts of the sentence that has not ended.
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
        stop = len(self.window) - self.ahead
        return self._cut(self._found(stop), stop) if stop > self.decided else []

    def close(self) -> list[Transcript]:
        """Decide what is left; the last word ends a sentence."""
        stop = len(self.window)
        return self._cut(self.detector.detect(self.window), stop) if stop > self.decided else []

    def state(self) -> Mapping[str, Any]:
        """Give the words that are still needed and how far decisions have come."""
        return {
            "window": to_document(self.window),
            "decided": self.decided,
            "open": [to_document(part) for part in self.open],
        }

    def _found(self, stop: int) -> Segmentation:
        """Decide the gaps from `decided` to `stop`, each from its own window."""
        if stop == self.decided + 1:
            return self.detector.detect(self.window)
        count = len(self.window)
        boundary, log_odds = np.zeros(count, np.bool_), np.full(count, np.nan)
        label: dict[int, str] = {}
        for first in range(self.decided, stop, AT_ONCE):
            gaps = range(first, min(first + AT_ONCE, stop))
            windows = [self.window[max(g - self.behind, 0) : g + self.ahead + 1] for g in gaps]
            for gap, found in zip(gaps, self.detector.detect_all(windows), strict=True):
                at = min(gap, self.behind)
                boundary[gap] = found.boundary[at]
                if found.log_odds is not None:
                    log_odds[gap] = found.log_odds[at]
                if found.label is not None:
                    label[gap] = found.label[at]
        labels = tuple(label.get(gap, "") for gap in range(count)) if label else None
        return Segmentation(boundary, labels, log_odds)

    def _cut(self, found: Segmentation, stop: int) -> list[Transcript]:
        """Take the decided words into the open sentence, and let go of those that end."""
        sentences = []
        begin = self.decided
        for gap in (np.flatnonzero(found.boundary[begin:stop]) + begin).tolist():
            known = min(gap + self.ahead, len(self.window) - 1)
            whole, said = self._whole(begin, gap + 1, found)
            evidence = delays(whole, known - gap, _end(self.window, known))
            sentences.append(whole.replace(sentences=_undivided(said), evidence=evidence))
            self.open = []
            begin = gap + 1
        if begin < stop:
            self._keep(self.window[begin:stop].replace(sentences=found[begin:stop]))
        spare = max(stop - self.behind, 0)
        self.window = self.window[spare:]
        self.decided = stop - spare
        return sentences

    def _whole(
        self, first: int, stop: int, found: Segmentation
    ) -> tuple[Transcript, Segmentation | None]:
        """Give the words of a sentence that ends in the window, and what was said of its gaps."""
        part, said = self.window[first:stop], found[first:stop]
        if not self.open:
            return part, said
        whole = Transcript.join([*self.open, part.replace(sentences=said)])
        return whole, whole.sentences

    def _keep(self, part: Transcript) -> None:
        """Put a part to the open sentence; a long one is kept in a few parts that double."""
        self.open.append(part)
        while len(self.open) > FEW and len(self.open[-2]) <= len(self.open[-1]):
            self.open[-2:] = [Transcript.join(self.open[-2:])]


class LocalStream(WindowStream):
    """The same for detectors for which nothing else bears on a gap: all gaps in one go.

    What they say of a gap is the same whatever else is in the window.
    """

    def _found(self, stop: int) -> Segmentation:  # noqa: ARG002 - more is decided than asked for
        return self.detector.detect(self.window)


def delayed(sentence: Transcript, words: int, seconds: float) -> Transcript:
    """Note that a sentence was decided `words` words after its end, when it was `seconds`."""
    return sentence.replace(evidence=delays(sentence, words, seconds))


def delays(sentence: Transcript, words: int, seconds: float) -> dict[str, Floats]:
    """Give the evidence of a sentence with its delay."""
    columns = {name: np.full(len(sentence), np.nan) for name in DELAYS}
    columns["delay_words"][-1:] = words
    if sentence.end is None:
        del columns["delay_seconds"]
    else:
        # Speakers who overlap can make the later word the one that ends first.
        columns["delay_seconds"][-1:] = np.maximum(seconds - sentence.end[-1:], 0).round(6)
    return {**(sentence.evidence or {}), **columns}


def decided_after(sentences: list[Transcript], words: Transcript) -> list[Transcript]:
    """Note that sentences, of the first of these words on, were decided after all of the words."""
    left = len(words)
    found = []
    for sentence in sentences:
        left -= len(sentence)
        found.append(delayed(sentence, left, _end(words, len(words) - 1)))
    return found


def _end(words: Transcript, at: int) -> float:
    return float("nan") if words.end is None else float(words.end[at])


def _undivided(found: Segmentation | None) -> Segmentation | None:
    """Give one sentence with the labels and evidence of its gaps."""
    if found is None:
        return None
    return Segmentation(np.zeros(len(found), np.bool_), found.label, found.log_odds)


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

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Give what the other detector has learnt."""
        return self.detector.state()

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Lookahead:
        """Let the other detector know what was learnt."""
        return replace(self, detector=self.detector.from_state(state))

    def coverage(self, transcript: Transcript) -> float:
        """Know what the other detector knows."""
        return self.detector.coverage(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Lack what the other detector lacks."""
        return self.detector.lacks(transcript)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Decide each gap with `words` words of context on either side."""
        return WindowStream(self.detector, ahead=self.words, behind=self.words, state=state)
