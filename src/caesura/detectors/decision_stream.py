"""The stream of `Decision`: gaps get log-odds as in a `WindowStream`, and are decided together.

A sentence is given out as soon as no words to come could change where it ends, or when it would
be longer than `longest` with the last word that has log-odds: then the best end so far decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from caesura.core.protocols import Detector, Stream
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.decision import fitting_labels, shifted
from caesura.detectors.stored_model import ChoiceStream, ChoosingDetector, Model
from caesura.detectors.window_stream import LocalStream, WindowStream, delay_evidence
from caesura.ml.semi_markov import Row, Search, WordTimes, fixed_point

if TYPE_CHECKING:
    from caesura.detectors.decision import Decision

REACH = 30
"""Words on either side of a gap for detectors whose stream looks at no fixed number of them."""


def open_stream(decision: Decision, state: Mapping[str, Any] | None) -> Stream:
    """Start or resume the stream of a decision, also around stored models."""
    if isinstance(decision.detector, ChoosingDetector):
        return ChoiceStream(
            decision.detector, state, around=lambda inner: decision.adjusted(detector=inner)
        )
    return DecisionStream(decision, state)


def reach_of(detector: Detector) -> tuple[int, int]:
    """Return how many words after and before a gap the stream of a detector looks at."""
    own = detector.stored.detector if isinstance(detector, Model) else detector
    stream = own.stream()
    return (stream.ahead, stream.behind) if isinstance(stream, WindowStream) else (REACH, REACH)


class SentenceEnd(NamedTuple):
    """Where a sentence ends among the open words, and how much later that was decided."""

    stop: int
    delay: int
    seconds: float


class DecisionStream(WindowStream):
    """Decides where open sentences end by a search that goes on word by word.

    `open` holds the words of the window whose gaps have log-odds, from the last sentence end on;
    `search` has a row for each of them.
    """

    def __init__(self, decision: Decision, state: Mapping[str, Any] | None) -> None:
        ahead, behind = reach_of(decision.detector)
        super().__init__(decision.detector, ahead=ahead, behind=behind, state=state)
        self.decision = decision
        self.local = isinstance(decision.detector.stream(), LocalStream)
        saved = state or {"timed": None, "times": (-1, 0, 0), "rows": ()}
        self.timed: bool | None = saved["timed"]
        self.times = WordTimes(saved["times"])
        self.search = Search(decision.rules(bool(self.timed)), (Row(*row) for row in saved["rows"]))

    def push(self, words: Transcript) -> list[Transcript]:
        """Add words and return the sentences that are final now."""
        if self.timed is None and len(words):
            self.timed = words.start is not None
            self.search = Search(self.decision.rules(self.timed))
            if not self.timed:
                self.decision.warn_without_times(words)
        return super().push(words)

    def close(self) -> list[Transcript]:
        """Decide the gaps that are left; the last word ends a sentence."""
        stop = len(self.window)
        part = self.window[self.decided : stop]
        if len(part):
            part = self._with_log_odds(self.detector.detect(self.window), self.decided, stop)
            for row in self._rows(part):
                self.search.append(*row)
        seconds = _last_end(self.window)
        path = self.search.path()
        ends = [SentenceEnd(at, path[-1] - at, seconds) for at in path]
        self.search = Search(self.search.rules)
        self.window, self.decided = self.window[stop:], 0
        return self._give(part, ends)

    def state(self) -> Mapping[str, Any]:
        """Return the words that are still needed, and what the search knows of them."""
        own = {"timed": self.timed, "times": self.times.state(), "rows": self.search.rows}
        return {**super().state(), **own}

    def _detect(self, stop: int) -> Segmentation:
        return self.detector.detect(self.window) if self.local else super()._detect(stop)

    def _cut(self, found: Segmentation, stop: int) -> list[Transcript]:
        """Move words with log-odds on into the search, and return the sentences that end."""
        begin = self.decided
        part = self._with_log_odds(found, begin, stop)
        ends: list[SentenceEnd] = []
        given = 0
        for gap, row in enumerate(self._rows(part), begin):
            self.search.append(*row)
            while end := self.search.settled():
                left = len(self.search.times) - end
                last = min(gap + self.ahead, len(self.window) - 1)
                given += end
                ends.append(
                    SentenceEnd(given, left + last - gap, _last_end(self.window[: last + 1]))
                )
                self.search = self.search.after(end)
        spare = max(stop - self.behind, 0)
        self.window, self.decided = self.window[spare:], stop - spare
        return self._give(part, ends)

    def _with_log_odds(self, found: Segmentation, first: int, stop: int) -> Transcript:
        """Return words of the window with the log-odds that decide; boundaries come later."""
        gaps = found[first:stop]
        log_odds = shifted(gaps, self.decision.shift)
        nowhere = np.zeros(len(gaps), np.bool_)
        open_gaps = Segmentation(nowhere, gaps.label, log_odds, gaps.written)
        return self.window[first:stop].replace(sentences=open_gaps)

    def _rows(self, part: Transcript) -> list[Row]:
        assert part.sentences is not None
        assert part.sentences.log_odds is not None
        odds = fixed_point(part.sentences.log_odds)
        times = self.times.extend(part.start, part.end, len(part))
        return [Row(one, *time) for one, time in zip(odds, times, strict=True)]

    def _give(self, part: Transcript, ends: list[SentenceEnd]) -> list[Transcript]:
        """Add words to the open ones, and cut off those before each end."""
        if not ends:
            if len(part):
                self._add_open(part)
            return []
        whole = Transcript.join([*self.open, part]) if self.open else part
        sentences = []
        first = 0
        for stop, delay, seconds in ends:
            sentence = whole[first:stop]
            evidence = delay_evidence(sentence, delay, seconds)
            gaps = _as_decided(sentence.sentences)
            sentences.append(sentence.replace(sentences=gaps, evidence=evidence))
            first = stop
        self.open = [whole[first:]] if first < len(whole) else []
        return sentences


def _as_decided(gaps: Segmentation | None) -> Segmentation:
    """Return the gaps of one sentence, with the labels that fit."""
    assert gaps is not None
    one = replace(gaps, boundary=np.zeros(len(gaps), np.bool_))
    return replace(one, label=fitting_labels(gaps.label, one.boundary))


def _last_end(words: Transcript) -> float:
    return float("nan") if words.end is None or not len(words) else float(words.end[-1])
