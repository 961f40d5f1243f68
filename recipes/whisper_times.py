"""What Whisper's word times would be for a recording whose true times are known.

openai-whisper finds by its attention where each token begins, a mark being a token of its own, so
that tokens lie end to end. Then it shortens long words at sentence ends and puts marks to the words
before them. This is done here step by step, apart from the training data of the models
(`detectors/neural/aligner_times.py`), in order to test models on it: there is no recording here
that has both Whisper's times and a person's transcript.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from caesura.core.transcript import Transcript
from caesura.text.punctuation import end_mark

ENDS = frozenset(".?!")
LATE = 0.3
"""The share of pauses that Whisper counts to the word after them, where it writes no mark."""

WRITTEN = {"end": 0.9, "comma": 0.7}
"""The share of a person's marks that Whisper writes, too."""

PART = 30.0
"""Whisper hears so many seconds at a time, and takes the median of word lengths among them."""


@dataclass
class Token:
    """A word or a mark, with the place of the word it belongs to."""

    text: str
    word: int
    start: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.end - self.start


def with_whisper_times(recording: Transcript, seed: int = 1) -> Transcript:
    """Return a recording with the times that Whisper would have given to its words."""
    if recording.start is None or recording.end is None:
        raise ValueError("the recording has no times")
    draw = np.random.default_rng(seed)
    tokens = end_to_end(_tokens(recording, draw), draw)
    first = 0
    for at in range(1, len(tokens) + 1):
        if at == len(tokens) or tokens[at].start > tokens[first].start + PART:
            shorten(tokens[first:at])
            first = at
    start, end = np.full(len(recording), np.nan), np.full(len(recording), np.nan)
    for token in tokens:
        start[token.word] = np.fmin(start[token.word], token.start)
        end[token.word] = token.end
    return recording.replace(start=np.round(start, 2), end=np.round(end, 2))


def _tokens(recording: Transcript, draw: Generator) -> list[Token]:
    """Return the words whose times are known and the marks that Whisper would write."""
    assert recording.start is not None
    assert recording.end is not None
    found: list[Token] = []
    for at, (start, end) in enumerate(zip(recording.start, recording.end, strict=True)):
        if np.isnan(start) or np.isnan(end):
            continue
        if found and start < found[-1].end:
            start = min(found[-1].end, end)
        found.append(Token("word", at, start, end))
        mark = end_mark(recording.mark[at]) if recording.mark else ""
        kind = "end" if mark in ENDS and mark else "comma"
        if mark and draw.random() < WRITTEN[kind]:
            found.append(Token(mark, at, end, end))
    return found


def end_to_end(tokens: list[Token], draw: Generator) -> list[Token]:
    """Let each token end where the next begins."""
    for token, after in pairwise(tokens):
        if token.text == "word" and after.text == "word" and draw.random() < LATE:
            after.start = token.end
        token.end = after.start
    return tokens


def shorten(tokens: list[Token]) -> None:
    """Shorten long words and marks at sentence ends, as openai-whisper does."""
    known = [token.seconds for token in tokens if token.seconds > 0]
    most = 2 * min(0.7, float(np.median(known)) if known else 0.0)
    for before, token in pairwise(tokens):
        if token.seconds > most:
            if token.text in ENDS:
                token.end = token.start + most
            elif before.text in ENDS:
                token.start = token.end - most
