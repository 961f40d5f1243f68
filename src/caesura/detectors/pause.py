"""Sentence ends from what a recogniser's file shows: pauses, speakers, sentence marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.config import strings
from caesura.core.protocols import Detector, Stream
from caesura.core.transcript import Transcript
from caesura.detectors.window_stream import LocalStream
from caesura.text.normalization.steps import standing
from caesura.text.punctuation import end_mark, sentence_ends

EVIDENCE = ("pause", "speaker", "marks")
CONTEXT = 30
"""Words on either side in which a sentence mark shows that the text is punctuated."""

STRETCH = 25
"""Words in a row without any mark after which marks are taken to be missing."""

PER_SECOND = 10.0
MOST_OF_A_PAUSE = 4.0
MARK, NO_MARK, SPEAKER, NOTHING = 8.0, -6.0, 20.0, -1.0
"""Log-odds: marks outweigh pauses, and a new speaker outweighs both."""

NO_GAP = -50.0
"""Log-odds between a word and the marks that follow it as words of their own."""


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
        if "marks" in self.evidence:
            total = total + _marks(transcript)
        if "speaker" in self.evidence and transcript.speaker is not None:
            total = total + SPEAKER * speaker_changes(transcript.speaker)
        return total

    def label(self, transcript: Transcript) -> Strings | None:
        """Plain sentence mark at each gap, where the text has marks."""
        written = _written(transcript)
        if written is None:
            return None
        ends = iter(sentence_ends(written.words, written.marks, ".?!;"))
        last = set(written.last.tolist())
        return tuple(next(ends) if gap in last else "" for gap in range(len(transcript)))

    def lacks(self, transcript: Transcript) -> str:
        """Name the evidence that would be needed where there is none at all."""
        known = {
            "pause": bool((self._is_pause(transcript) & ~np.isnan(transcript.pauses())).any()),
            "speaker": len(set(transcript.speaker or ()) - {""}) > 1,
            "marks": _has_marks(transcript),
        }
        if len(transcript) < 2 or any(known[name] for name in self.evidence):
            return ""
        times = f"pauses marked {' or '.join(self.markers)}" if self.markers else "word times"
        names = {"pause": times, "speaker": "speakers", "marks": "sentence marks"}
        return " and ".join(f"no {names[name]}" for name in self.evidence) + " to go by"

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Decide each gap as soon as the words that can bear on it are there."""
        return LocalStream(self, ahead=self.reach, behind=self.reach, state=state)

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


class _Written(NamedTuple):
    """Words with the marks after them, and the gap after each and its marks."""

    words: Sequence[str]
    marks: Sequence[str]
    last: Indices


def _written(transcript: Transcript) -> _Written | None:
    """Give words and marks, also of marks that stand as words; None if there are no marks."""
    alone = standing(transcript)
    marks = transcript.mark
    if not alone.any():
        gaps = np.arange(len(transcript))
        return None if marks is None else _Written(transcript.words, marks, gaps)
    # What comes before the first word belongs to no word, and to no gap that is one.
    words: list[str] = []
    joined: list[str] = []
    last: list[int] = []
    for at, (word, is_mark) in enumerate(zip(transcript.words, alone.tolist(), strict=True)):
        mark = marks[at] if marks is not None else ""
        if not is_mark:
            words.append(word)
            joined.append(mark)
            last.append(at)
        elif words:
            joined[-1] += word + mark
            last[-1] = at
    return _Written(words, joined, np.array(last, np.int64))


def _has_marks(transcript: Transcript) -> bool:
    written = _written(transcript)
    return written is not None and any(map(end_mark, set(written.marks)))


def _marks(transcript: Transcript) -> Floats:
    """Evidence of the marks: for a boundary, against one, or none in unpunctuated stretches."""
    written, count = _written(transcript), len(transcript)
    if written is None:
        return np.zeros(count)
    is_end, is_marked = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    is_end[written.last] = [*map(bool, sentence_ends(written.words, written.marks, ".?!"))]
    is_marked[written.last] = [mark != "" for mark in written.marks]
    seen = np.concatenate([[0], np.cumsum(is_end)])
    gaps = np.arange(count)
    near = seen[np.minimum(gaps + CONTEXT + 1, count)] > seen[np.maximum(gaps - CONTEXT, 0)]
    punctuated = is_marked | (near & (_unmarked(is_marked) <= STRETCH))
    odds = np.where(is_end, MARK, np.where(punctuated, NO_MARK, 0.0))
    inner = np.ones(count, np.bool_)
    inner[written.last] = False
    odds[inner] = NO_GAP
    return odds


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
