"""Sentences that a file gives as spans of time: which words are in which sentence."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from caesura.formats.builder import Rows

FileOrder = tuple[float, ...]
"""Where something stands in its file: orders what happens at the same time."""


class SentenceSpan(NamedTuple):
    """The time in which a speaker ('' is any speaker) says a sentence.

    `label` is the class of the sentence's end.
    """

    start: float
    end: float
    order: FileOrder
    speaker: str = ""
    label: str = ""


class SentenceSpans:
    """The sentences of a recording, to find the one that a word belongs to."""

    def __init__(self, spans: Iterable[SentenceSpan], slack: float = 0.0) -> None:
        """Take the sentences; words may lie outside theirs by `slack` seconds."""
        self.slack = slack
        self.spans: dict[str, list[SentenceSpan]] = {}
        for span in sorted(span for span in spans if span.end >= span.start):
            self.spans.setdefault(span.speaker, []).append(span)
        self.starts = {who: [span.start for span in found] for who, found in self.spans.items()}
        self.latest = {
            who: list(accumulate((span.end for span in found), max))
            for who, found in self.spans.items()
        }

    def find(self, time: float, order: FileOrder, speaker: str) -> SentenceSpan | None:
        """Return the sentence of a word, given the middle of the word's time and its speaker.

        Where sentences overlap, it is the last one that begins before the word.
        """
        if math.isnan(time):
            return None
        around = [span for who in dict.fromkeys((speaker, "")) for span in self._around(who, time)]
        before = [span for span in around if span.order <= order]
        return max(before or around, key=lambda span: span.order, default=None)

    def _around(self, speaker: str, time: float) -> Iterator[SentenceSpan]:
        spans, latest = self.spans.get(speaker, []), self.latest.get(speaker, [])
        at = bisect_right(self.starts.get(speaker, []), time + self.slack) - 1
        while at >= 0 and latest[at] >= time - self.slack:
            if spans[at].end >= time - self.slack:
                yield spans[at]
            at -= 1


def end_sentences(rows: Rows, owners: Sequence[object], labels: Sequence[str]) -> None:
    """End a sentence after the last word of each; `owners` has the sentence of each word.

    Words that are in no sentence have None, and end nothing.
    """
    lasts = {owner: at for at, owner in enumerate(owners) if owner is not None}
    if lasts:
        rows.ends = sorted(lasts.values())
        rows.labels = {at: labels[at] for at in rows.ends if labels[at]}
