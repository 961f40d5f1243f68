"""Spans of words that overlap, made flat, and classes of spans that name nothing."""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Iterable

from caesura.core.transcript import Span

SPELLINGS = tuple("ABBREVIATION ALPHANUMERIC CONTRACTION FALLBACK RANGE TWITTER WEBSITE".split())
"""Classes of Rev's transcripts that say how something is written, not what it names."""


def flat(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Give spans that do not overlap, in order: of those that do, the longest (ties: the first).

    A span stays unless it overlaps a longer one that stays. Spans of the same words are told
    apart by label and key, so that the order in which they are given does not matter.
    """
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.first - span.last, span)):
        at = bisect(kept, span.first, key=lambda other: other.first)
        if at and kept[at - 1].last >= span.first:
            continue
        if at < len(kept) and kept[at].first <= span.last:
            continue
        insort(kept, span)
    return tuple(kept)
