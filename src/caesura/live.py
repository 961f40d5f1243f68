"""A detector at work on recordings that arrive one after another, sentences numbered."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from caesura.contracts import Detector, Stream
from caesura.detectors.window import delayed
from caesura.transcript import Transcript

logger = logging.getLogger("caesura")

MOST = 1000
"""Names of recordings that are kept, to see whether they come again."""

ENDLESS = 2000
"""Words without a sentence end after which something seems to be wrong."""


class Streamed(NamedTuple):
    """A sentence, and the number of its first word in the recording."""

    first: int
    sentence: Transcript


class Live:
    """A detector at work on recordings that arrive one after another.

    A `silence` of so many seconds before a word ends the sentence before it.
    """

    def __init__(
        self,
        detector: Detector,
        saved: Mapping[str, Any] | None = None,
        silence: float = math.inf,
    ) -> None:
        kept = saved or {"id": "", "pushed": 0, "given": 0, "end": None, "stream": None}
        self.detector, self.silence = detector, silence
        self.id: str = kept["id"]
        self.pushed: int = kept["pushed"]
        self.given: int = kept["given"]
        self.end: float = math.nan if kept["end"] is None else kept["end"]
        self._begun: set[str] = set()
        self._warned = False
        begun = kept["stream"] is not None
        self.stream: Stream | None = detector.stream(kept["stream"]) if begun else None

    def push(self, words: Transcript) -> list[Streamed]:
        """Take words; those of another recording end the one before."""
        found = []
        if self.stream is None or words.id != self.id:
            found = self.close()
            self.stream, self.id = self.detector.stream(), words.id
            self._begin(words.id)
        silent = self._silent(words)
        for first, stop in pairwise(sorted({0, *silent, len(words)})):
            part = words[first:stop] if stop - first < len(words) else words
            if first in silent:
                found += self.pause(part)
            found += self._pushed(part)
        return found

    def pause(self, then: Transcript | None = None) -> list[Streamed]:
        """End the sentence that is open, since nobody has spoken for a while.

        If words come `then` it is their first that told so, else no word did.
        """
        if self.stream is None:
            return []
        sentences, self.stream = self.stream.close(), self.detector.stream()
        if then is not None and len(then):
            left = [len(sentence) for sentence in sentences]
            end = math.nan if then.end is None else float(then.end[0])
            sentences = [
                delayed(sentence, sum(left[at + 1 :]) + 1, end)
                for at, sentence in enumerate(sentences)
            ]
        return self._numbered(sentences)

    def _begin(self, id: str) -> None:
        """Warn, once, of a recording that comes again after another."""
        if id in self._begun and not self._warned:
            self._warned = True
            logger.warning(
                "%s comes again after another recording, and begins anew each time: give the words "
                "of one recording, or channel, after those of another, not in turns",
                id or "a recording",
            )
        if len(self._begun) < MOST:
            self._begun.add(id)

    def _silent(self, words: Transcript) -> list[int]:
        """Give the words that follow a silence."""
        if self.silence == math.inf or words.start is None or words.end is None:
            return []
        before = np.append(self.end, words.end)[: len(words)]
        found: list[int] = np.flatnonzero(words.start - before >= self.silence).tolist()
        return found

    def _pushed(self, words: Transcript) -> list[Streamed]:
        assert self.stream is not None
        self.pushed += len(words)
        if words.end is not None and len(words):
            self.end = float(words.end[-1])
        open_before = self.pushed - self.given
        found = self._numbered(self.stream.push(words))
        if open_before - len(words) < ENDLESS <= self.pushed - self.given:
            logger.warning(
                "%s: no sentence has ended for %s words: is there anything to go by?",
                words.id or "a recording",
                f"{ENDLESS:,}",
            )
        return found

    def close(self) -> list[Streamed]:
        """End the recording."""
        found = self._numbered(self.stream.close()) if self.stream is not None else []
        self.stream = None
        self.pushed = self.given = 0
        self.end = math.nan
        return found

    def state(self) -> dict[str, Any]:
        """Give, as JSON can hold it, what is needed to go on."""
        return {
            "id": self.id,
            "pushed": self.pushed,
            "given": self.given,
            "end": None if math.isnan(self.end) else self.end,
            "stream": None if self.stream is None else self.stream.state(),
        }

    def _numbered(self, sentences: Sequence[Transcript]) -> list[Streamed]:
        """Number sentences, and note their delays if the stream does not tell them."""
        found = []
        for sentence in sentences:
            first, self.given = self.given, self.given + len(sentence)
            if "delay_words" not in (sentence.evidence or {}):
                sentence = delayed(sentence, self.pushed - self.given, self.end)
            found.append(Streamed(first, sentence))
        return found
