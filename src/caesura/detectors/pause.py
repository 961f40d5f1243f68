"""The detector `Pause`: rules on pauses, speaker changes and punctuation marks. No training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.config import check_texts
from caesura.core.protocols import Detector, Stream
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import NO_GAP
from caesura.text.punctuation import end_mark, punctuation_flags, sentence_ends

EVIDENCE = ("pause", "speaker", "marks")
CONTEXT = 30
"""Words on either side in which a sentence mark shows that the text is punctuated."""

MOST_UNMARKED = 25
"""More words in a row without any mark mean that punctuation is missing there."""

DEFAULT_THRESHOLD = 0.4
"""Seconds of pause that make a boundary."""

PER_SECOND = 10.0
MOST_OF_A_PAUSE = 4.0
MARK, NO_MARK, SPEAKER, NOTHING = 8.0, -6.0, 20.0, -1.0
"""Log-odds: marks outweigh pauses, and a new speaker outweighs both."""


@dataclass(frozen=True, repr=False)
class Pause(Detector):
    """A boundary where the pause is at least `threshold` seconds or another speaker begins.

    Sentence marks in the text are evidence too. Where the text around is punctuated, a gap
    without a sentence mark is no boundary however long the pause. Where punctuation is missing,
    as happens in parts even with good recognisers, pauses decide alone. `evidence` lists which
    of pause, speaker and marks are used. With `markers`, such as `<s>`, only a gap where the
    recogniser put one of them counts as a pause.
    """

    threshold: float = DEFAULT_THRESHOLD
    evidence: Strings = EVIDENCE
    markers: Strings = ()

    name = "Pause"

    def __post_init__(self) -> None:
        number = type(self.threshold) in (int, float) and 0 <= self.threshold < np.inf
        if not number:
            raise ValueError(f"threshold is a number of seconds, not {self.threshold!r}")
        object.__setattr__(self, "evidence", check_texts("evidence", self.evidence, EVIDENCE))
        object.__setattr__(self, "markers", check_texts("markers", self.markers))

    @property
    def reach(self) -> int:
        """How many words after a gap are looked at."""
        return CONTEXT + 1 if "marks" in self.evidence else 1

    def log_odds(self, transcript: Transcript) -> Floats:
        """Return the sum of the log-odds of pause, marks and speaker change at each gap."""
        odds = self._pause_log_odds(transcript) if "pause" in self.evidence else None
        total = np.full(len(transcript), NOTHING) if odds is None else odds
        if "marks" in self.evidence:
            total = total + _mark_log_odds(transcript)
        if "speaker" in self.evidence and transcript.speaker is not None:
            total = total + SPEAKER * speaker_changes(transcript.speaker)
        return total

    def label(self, transcript: Transcript) -> Strings | None:
        """Return the sentence mark at each gap, or None if the text has no marks."""
        marked = _marked_words(transcript)
        if marked is None:
            return None
        ends = iter(sentence_ends(marked.words, marked.marks, ".?!;"))
        last = set(marked.last.tolist())
        return tuple(next(ends) if gap in last else "" for gap in range(len(transcript)))

    def lacks(self, transcript: Transcript) -> str:
        """Return which evidence is missing, if there is none at all."""
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
        """Return a stream that decides each gap when the words that it looks at have arrived."""
        from caesura.detectors.window_stream import LocalStream

        return LocalStream(self, ahead=self.reach, behind=self.reach, state=state)

    def _pause_log_odds(self, transcript: Transcript) -> Floats:
        # Gaps are rounded to milliseconds; half of one lets a pause of just the threshold count.
        # Overlapping speech has negative gaps: no pause.
        pause = np.maximum(np.round(transcript.pauses(), 3), 0)
        odds = np.clip(
            PER_SECOND * (pause - self.threshold + 0.0005), -MOST_OF_A_PAUSE, MOST_OF_A_PAUSE
        )
        odds = np.where(np.isnan(odds), NOTHING, odds)
        return np.where(self._is_pause(transcript), odds, -MOST_OF_A_PAUSE)

    def _is_pause(self, transcript: Transcript) -> Flags:
        """Return which gaps can be a pause; all of them unless `markers` are set."""
        if not self.markers:
            return np.ones(len(transcript), np.bool_)
        cells = transcript.pause or ("",) * len(transcript)
        return np.fromiter((cell in self.markers for cell in cells), np.bool_, len(cells))


class _MarkedWords(NamedTuple):
    """Words, the marks after each, and the gap that follows a word and its marks."""

    words: Sequence[str]
    marks: Sequence[str]
    last: Indices


def _marked_words(transcript: Transcript) -> _MarkedWords | None:
    """Return words and their marks, also marks that stand as words; None without any marks."""
    alone = punctuation_flags(transcript)
    marks = transcript.mark
    if not alone.any():
        gaps = np.arange(len(transcript))
        return None if marks is None else _MarkedWords(transcript.words, marks, gaps)
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
    return _MarkedWords(words, joined, np.array(last, np.int64))


def _has_marks(transcript: Transcript) -> bool:
    marked = _marked_words(transcript)
    return marked is not None and any(map(end_mark, set(marked.marks)))


def _mark_log_odds(transcript: Transcript) -> Floats:
    """Return the log-odds of the marks; 0 where the text is not punctuated."""
    marked, count = _marked_words(transcript), len(transcript)
    if marked is None:
        return np.zeros(count)
    is_end, is_marked = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    is_end[marked.last] = [*map(bool, sentence_ends(marked.words, marked.marks, ".?!"))]
    is_marked[marked.last] = [mark != "" for mark in marked.marks]
    seen = np.concatenate([[0], np.cumsum(is_end)])
    gaps = np.arange(count)
    near = seen[np.minimum(gaps + CONTEXT + 1, count)] > seen[np.maximum(gaps - CONTEXT, 0)]
    punctuated = is_marked | (near & (_unmarked_run(is_marked) <= MOST_UNMARKED))
    odds = np.where(is_end, MARK, np.where(punctuated, NO_MARK, 0.0))
    inner = np.ones(count, np.bool_)
    inner[marked.last] = False
    odds[inner] = NO_GAP
    return odds


def _unmarked_run(is_marked: Flags) -> Indices:
    """Return for each gap the number of words between the marks before and after it."""
    gaps = np.arange(len(is_marked))
    before = np.maximum.accumulate(np.where(is_marked, gaps, -1))
    after = np.where(is_marked, gaps, len(gaps) - 1)[::-1]
    return np.minimum.accumulate(after)[::-1] - before


def speaker_changes(speaker: Strings) -> Flags:
    """Return for each gap whether a known speaker is followed by another known one."""
    changes = [a != b and a != "" and b != "" for a, b in pairwise(speaker)]
    return np.array([*changes, False][: len(speaker)], dtype=np.bool_)
