"""Streams that decide each gap from a window of words around it, and the detector `Lookahead`.

Any detector can be streamed this way: a gap is decided when `ahead` words after it have arrived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Strings
from caesura.core.protocols import Detector, Stream
from caesura.core.segmentation import Segmentation
from caesura.core.serialize import from_document, to_document
from caesura.core.transcript import Transcript

DELAYS = ("delay_words", "delay_seconds")
"""Columns of evidence of a streamed sentence: how long after its end it was decided."""

AT_ONCE = 64
"""Windows that a detector gets at a time."""

MOST_PARTS = 32
"""Parts of an open sentence that are kept before they are joined."""


class WindowStream(Stream):
    """Decides each gap from `behind` words before it and `ahead` words after it.

    Each gap is decided from these words alone, however many are pushed at once: sentences do not
    depend on how words arrive. `window` holds the words that are still needed; the gaps of the
    first `decided` of them are decided. `open` holds the parts of the sentence that has not ended.
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
        """Add words and return the sentences that are final now."""
        self.window = Transcript.join([self.window, words]) if len(self.window) else words
        stop = len(self.window) - self.ahead
        return self._cut(self._detect(stop), stop) if stop > self.decided else []

    def close(self) -> list[Transcript]:
        """Decide the gaps that are left; the last word ends a sentence."""
        stop = len(self.window)
        if stop <= self.decided:
            return self._end_open()
        return self._cut(self.detector.detect(self.window), stop)

    def language(self, sentence: Transcript) -> str:
        """Return the language of a sentence as the detector sees it."""
        return self.detector.language(sentence)

    def state(self) -> Mapping[str, Any]:
        """Return the words that are still needed, and how many of them are decided."""
        return {
            "window": to_document(self.window),
            "decided": self.decided,
            "open": [to_document(part) for part in self.open],
        }

    def _detect(self, stop: int) -> Segmentation:
        """Decide the gaps from `decided` to `stop`, each from its own window."""
        if stop == self.decided + 1:
            return self.detector.detect_unfinished([self.window])[0]
        count = len(self.window)
        boundary, log_odds = np.zeros(count, np.bool_), np.full(count, np.nan)
        label: dict[int, str] = {}
        written: dict[int, str] = {}
        for first in range(self.decided, stop, AT_ONCE):
            gaps = range(first, min(first + AT_ONCE, stop))
            windows = [self.window[max(g - self.behind, 0) : g + self.ahead + 1] for g in gaps]
            for gap, found in zip(gaps, self.detector.detect_unfinished(windows), strict=True):
                at = min(gap, self.behind)
                boundary[gap] = self._ends(found)[at]
                if found.log_odds is not None:
                    log_odds[gap] = found.log_odds[at]
                if found.label is not None:
                    label[gap] = found.label[at]
                if found.written is not None:
                    written[gap] = found.written[at]
        return Segmentation(boundary, _column(label, count), log_odds, _column(written, count))

    def _ends(self, found: Segmentation) -> Flags:
        """Return where sentences end; without look-ahead, the last word so far may end none."""
        if self.ahead > 0 or found.log_odds is None:
            return found.boundary
        return np.append(found.boundary[:-1], found.log_odds[-1] > 0)

    def _cut(self, found: Segmentation, stop: int) -> list[Transcript]:
        """Move the decided words into the open sentence, and return the sentences that end."""
        sentences = []
        begin = self.decided
        for gap in (np.flatnonzero(self._ends(found)[begin:stop]) + begin).tolist():
            last = min(gap + self.ahead, len(self.window) - 1)
            whole, gaps = self._join_open(begin, gap + 1, found)
            evidence = delay_evidence(whole, last - gap, _end_time(self.window, last))
            sentences.append(whole.replace(sentences=_as_one_sentence(gaps), evidence=evidence))
            self.open = []
            begin = gap + 1
        if begin < stop:
            self._add_open(self.window[begin:stop].replace(sentences=found[begin:stop]))
        spare = max(stop - self.behind, 0)
        self.window = self.window[spare:]
        self.decided = stop - spare
        return sentences

    def _join_open(
        self, first: int, stop: int, found: Segmentation
    ) -> tuple[Transcript, Segmentation | None]:
        """Return the words of a sentence that ends in the window, and its gaps."""
        part, gaps = self.window[first:stop], found[first:stop]
        if not self.open:
            return part, gaps
        whole = Transcript.join([*self.open, part.replace(sentences=gaps)])
        return whole, whole.sentences

    def _end_open(self) -> list[Transcript]:
        """End the open sentence, all of whose gaps are decided."""
        if not self.open:
            return []
        whole = Transcript.join(self.open)
        self.open = []
        evidence = delay_evidence(whole, 0, _end_time(whole, -1))
        return [whole.replace(sentences=_as_one_sentence(whole.sentences), evidence=evidence)]

    def _add_open(self, part: Transcript) -> None:
        """Add a part to the open sentence; a long one is kept in a few parts of doubling size."""
        self.open.append(part)
        while len(self.open) > MOST_PARTS and len(self.open[-2]) <= len(self.open[-1]):
            self.open[-2:] = [Transcript.join(self.open[-2:])]


def _column(cells: Mapping[int, str], count: int) -> Strings | None:
    """Return a column of texts, '' where there is none; None without any."""
    return tuple(cells.get(at, "") for at in range(count)) if cells else None


class LocalStream(WindowStream):
    """A `WindowStream` for detectors that give a gap the same log-odds in any larger window.

    All gaps of the window are decided in one call.
    """

    def _detect(self, stop: int) -> Segmentation:  # noqa: ARG002 - more is decided than asked for
        return self.detector.detect_unfinished([self.window])[0]


def with_delay(sentence: Transcript, words: int, seconds: float) -> Transcript:
    """Add the delay of a sentence that was decided `words` words later, at the time `seconds`."""
    return sentence.replace(evidence=delay_evidence(sentence, words, seconds))


def delay_evidence(sentence: Transcript, words: int, seconds: float) -> dict[str, Floats]:
    """Return the evidence of a sentence with the columns `DELAYS`."""
    columns = {name: np.full(len(sentence), np.nan) for name in DELAYS}
    columns["delay_words"][-1:] = words
    if sentence.end is None:
        del columns["delay_seconds"]
    else:
        # Speakers who overlap can make the later word the one that ends first.
        columns["delay_seconds"][-1:] = np.maximum(seconds - sentence.end[-1:], 0).round(6)
    return {**(sentence.evidence or {}), **columns}


def with_delay_after(sentences: list[Transcript], words: Transcript) -> list[Transcript]:
    """Add the delay of sentences, the first of `words`, that were decided after all of `words`."""
    left = len(words)
    found = []
    for sentence in sentences:
        left -= len(sentence)
        found.append(with_delay(sentence, left, _end_time(words, len(words) - 1)))
    return found


def _end_time(words: Transcript, at: int) -> float:
    return float("nan") if words.end is None else float(words.end[at])


def _as_one_sentence(found: Segmentation | None) -> Segmentation | None:
    """Remove the boundaries, and keep all else that was found."""
    if found is None:
        return None
    return replace(found, boundary=np.zeros(len(found), np.bool_))


@dataclass(frozen=True, repr=False)
class Lookahead(Detector):
    """Another detector, with a look-ahead of `words` words in a stream."""

    detector: Detector
    words: int = 10

    name = "Lookahead"

    def __post_init__(self) -> None:
        if not isinstance(self.detector, Detector):
            raise ValueError(f"detector is a detector, not {self.detector!r}")
        if type(self.words) is not int or self.words < 0:
            raise ValueError(f"words is a number of words, not {self.words!r}")

    @property
    def reach(self) -> int:
        """How many words after a gap a stream looks at."""
        return self.words

    def log_odds(self, transcript: Transcript) -> Floats:
        """Return the log-odds of the other detector."""
        return self.detector.log_odds(transcript)

    def label(self, transcript: Transcript) -> Strings | None:
        """Return the labels of the other detector."""
        return self.detector.label(transcript)

    def written_words(self, transcript: Transcript) -> Strings | None:
        """Return the written words of the other detector."""
        return self.detector.written_words(transcript)

    def language(self, transcript: Transcript) -> str:
        """Return the language that the other detector sees."""
        return self.detector.language(transcript)

    def detect(self, transcript: Transcript) -> Segmentation:
        """Segment as the other detector does."""
        return self.detector.detect(transcript)

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment many recordings as the other detector does."""
        return self.detector.detect_all(transcripts)

    def detect_unfinished(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment words after which more will come, as the other detector does."""
        return self.detector.detect_unfinished(transcripts)

    def annotate(self, transcript: Transcript) -> Transcript:
        """Annotate as the other detector does."""
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
        """Return the state of the other detector."""
        return self.detector.state()

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Lookahead:
        """Return this detector with a stored state of the other one."""
        return replace(self, detector=self.detector.from_state(state))

    def coverage(self, transcript: Transcript) -> float:
        """Return the coverage of the other detector."""
        return self.detector.coverage(transcript)

    def calibration(self, transcript: Transcript) -> tuple[float, float] | None:
        """Return the scale and bias of the other detector."""
        return self.detector.calibration(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Return what the other detector lacks."""
        return self.detector.lacks(transcript)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that looks at `words` words on either side of a gap.

        It keeps more words before a gap if the other detector looks at more (`behind`).
        """
        from caesura.detectors.decision import Decision

        if isinstance(self.detector, Decision):
            # Limits bind all gaps together: the look-ahead is that of the detector within.
            inner = replace(self, detector=self.detector.detector)
            return self.detector.adjusted(detector=inner).stream(state)
        behind = max(self.words, int(getattr(self.detector, "behind", 0)))
        return WindowStream(self.detector, ahead=self.words, behind=behind, state=state)
