"""Sentence ends from what a recogniser's file shows: pauses, speakers, sentence marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.contracts import Detector, Stream
from caesura.detectors.window import WindowStream
from caesura.settings import strings
from caesura.text.marks import end_mark, sentence_ends
from caesura.transcript import Flags, Floats, Indices, Strings, Transcript

EVIDENCE = ("pause", "speaker", "marks")
CONTEXT = 30
"""Words on either side in which a sentence mark shows that the text is punctuated."""

STRETCH = 25
"""Words in a row without any mark after which marks are taken to be missing."""

PER_SECOND = 10.0
MOST_OF_A_PAUSE = 4.0
MARK, NO_MARK, SPEAKER, NOTHING = 8.0, -6.0, 20.0, -1.0
"""Log-odds: marks outweigh pauses, and a new speaker outweighs both."""


@dataclass(frozen=True, repr=False)
class Pause(Detector):
    """A boundary where the pause is at least `threshold` seconds or another speaker begins.

    Sentence marks in the text are evidence too. Where the text around is punctuated, a gap
    without a sentence mark is no boundary however long the pause; where marks are missing, as
    happens for stretches even in good recognisers, pauses decide alone. `evidence` lists which
    of pause, speaker and marks are looked at. With `markers`, such as `<s>`, only a gap where the
    recogniser put one of them counts as a pause.
    """

    threshold: float = 0.4
    evidence: Strings = EVIDENCE
    markers: Strings = ()

    name = "Pause"

    def __post_init__(self) -> None:
        number = type(self.threshold) in (int, float) and 0 <= self.threshold < np.inf
        if not number:
            raise ValueError(f"threshold is a number of seconds, not {self.threshold!r}")
        object.__setattr__(self, "evidence", strings("evidence", self.evidence, EVIDENCE))
        object.__setattr__(self, "markers", strings("markers", self.markers))

    @property
    def reach(self) -> int:
        """How many words after a gap can bear on it."""
        return CONTEXT + 1 if "marks" in self.evidence else 1

    def log_odds(self, transcript: Transcript) -> Floats:
        """Add up what pause, marks and speakers say of each gap."""
        odds = self._pauses(transcript) if "pause" in self.evidence else None
        total = np.full(len(transcript), NOTHING) if odds is None else odds
        if "marks" in self.evidence and transcript.mark is not None:
            total = total + _marks(transcript)
        if "speaker" in self.evidence and transcript.speaker is not None:
            total = total + SPEAKER * speaker_changes(transcript.speaker)
        return total

    def label(self, transcript: Transcript) -> Strings | None:
        """Plain sentence mark at each gap, where the text has marks."""
        if transcript.mark is None:
            return None
        return tuple(sentence_ends(transcript.words, transcript.mark, ".?!;"))

    def lacks(self, transcript: Transcript) -> str:
        """Name the evidence that would be needed where there is none at all."""
        known = {
            "pause": bool((self._is_pause(transcript) & ~np.isnan(transcript.pauses())).any()),
            "speaker": len(set(transcript.speaker or ()) - {""}) > 1,
            "marks": any(end_mark(mark) for mark in set(transcript.mark or ())),
        }
        if len(transcript) < 2 or any(known[name] for name in self.evidence):
            return ""
        times = f"pauses marked {' or '.join(self.markers)}" if self.markers else "word times"
        names = {"pause": times, "speaker": "speakers", "marks": "sentence marks"}
        return " and ".join(f"no {names[name]}" for name in self.evidence) + " to go by"

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Decide each gap as soon as the words that can bear on it are there."""
        return WindowStream(self, ahead=self.reach, behind=self.reach, state=state)

    def _pauses(self, transcript: Transcript) -> Floats:
        # Gaps are rounded to milliseconds; half of one lets a pause of just the threshold count.
        # Overlapping speech has negative gaps: no pause.
        pause = np.maximum(np.round(transcript.pauses(), 3), 0)
        odds = np.clip(
            PER_SECOND * (pause - self.threshold + 0.0005), -MOST_OF_A_PAUSE, MOST_OF_A_PAUSE
        )
        odds = np.where(np.isnan(odds), NOTHING, odds)
        return np.where(self._is_pause(transcript), odds, -MOST_OF_A_PAUSE)

    def _is_pause(self, transcript: Transcript) -> Flags:
        """Whether the markers, if they matter, allow each gap to be a pause."""
        if not self.markers:
            return np.ones(len(transcript), np.bool_)
        cells = transcript.pause or ("",) * len(transcript)
        return np.fromiter((cell in self.markers for cell in cells), np.bool_, len(cells))


def _marks(transcript: Transcript) -> Floats:
    """Evidence of the marks: for a boundary, against one, or none in unpunctuated stretches."""
    marks = transcript.mark or ()
    count = len(marks)
    is_end = np.fromiter(map(bool, sentence_ends(transcript.words, marks, ".?!")), np.bool_, count)
    is_marked = np.fromiter((mark != "" for mark in marks), np.bool_, count)
    seen = np.concatenate([[0], np.cumsum(is_end)])
    gaps = np.arange(count)
    near = seen[np.minimum(gaps + CONTEXT + 1, count)] > seen[np.maximum(gaps - CONTEXT, 0)]
    punctuated = is_marked | (near & (_unmarked(is_marked) <= STRETCH))
    return np.where(is_end, MARK, np.where(punctuated, NO_MARK, 0.0))


def _unmarked(is_marked: Flags) -> Indices:
    """Count the words from the last marked word before each gap to the next one after it."""
    gaps = np.arange(len(is_marked))
    before = np.maximum.accumulate(np.where(is_marked, gaps, -1))
    after = np.where(is_marked, gaps, len(gaps) - 1)[::-1]
    return np.minimum.accumulate(after)[::-1] - before


def speaker_changes(speaker: Strings) -> Flags:
    """Whether a known speaker is followed by another known one, for each gap."""
    changes = [a != b and a != "" and b != "" for a, b in pairwise(speaker)]
    return np.array([*changes, False][: len(speaker)], dtype=np.bool_)
