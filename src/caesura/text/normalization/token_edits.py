"""Replace or drop words of a transcript, while all layers follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from caesura.core.arrays import MISSING, Indices, word_indices
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript, shrink_spans

WORD_START_COLUMNS = frozenset({"start", "opening", "cluster"})
"""Columns that describe the beginning of a word."""

WORD_END_COLUMNS = frozenset({"end", "mark", "blank", "pause"})
"""Columns that describe the end of a word, or what follows it."""


def replace_words(transcript: Transcript, changes: Sequence[Span]) -> Transcript:
    """Replace the words of each span in `changes` by the words of its label.

    Changes are ascending and do not overlap. The first new word has the start of the first old
    one, the last new word the end of the last old one and what follows it; all have the speaker
    of the first. All other columns, and times between, are unknown for new words. Entities cover
    all new words in place of theirs; multiword tokens and alternatives are dropped unless they
    contain the whole of every change they touch.
    """
    if not changes:
        return transcript
    moved = _Replacement.by(len(transcript), changes)
    words: list[str] = []
    at = 0
    for first, last, label, _ in changes:
        words += transcript.words[at:first]
        words += label.split() or [""]
        at = last + 1
    words += transcript.words[at:]
    layers: dict[str, Any] = {"words": tuple(words)}
    for name in transcript.layers:
        layers[name] = moved.layer(name, getattr(transcript, name))
    whole = transcript.replace(**layers)
    empty = [moved.first[c.first] for c in changes if not c.label.split()]
    return keep_words(whole, np.delete(np.arange(len(whole)), empty)) if empty else whole


def keep_words(transcript: Transcript, words: ArrayLike) -> Transcript:
    """Keep some words (a mask or ascending indices), as if the others had not been there.

    Unlike `Transcript.take`, this keeps alternatives of which some words are dropped.
    """
    alternatives = transcript.alternatives
    if alternatives is not None:
        alternatives = shrink_spans(alternatives, word_indices(words, len(transcript)))
    return transcript.take(words).replace(alternatives=alternatives)


@dataclass(frozen=True)
class _Replacement:
    """Where old words go: each to the new words `first` to `last`."""

    first: Indices
    last: Indices
    changes: Sequence[Span]
    front: Indices
    """For each new word the old one with the same start, -1 if there is none."""
    back: Indices
    same: Indices
    """For each new word the old word that it is, -1 if it is new."""

    @classmethod
    def by(cls, count: int, changes: Sequence[Span]) -> _Replacement:
        begins = np.array([c.first for c in changes])
        ends = np.array([c.last for c in changes])
        sizes = np.array([len(c.label.split()) or 1 for c in changes])
        inside = np.repeat(begins, ends - begins + 1)
        inside += np.arange(len(inside)) - np.repeat(
            np.cumsum(ends - begins + 1) - (ends - begins + 1), ends - begins + 1
        )
        widths = np.ones(count, np.int64)
        widths[inside] = 0
        widths[begins] = sizes
        first = np.cumsum(widths) - widths
        first[inside] = np.repeat(first[begins], ends - begins + 1)
        last = first.copy()
        last[inside] += np.repeat(sizes - 1, ends - begins + 1)
        total = int(widths.sum())
        same, front, back = (np.full(total, -1, np.int64) for _ in range(3))
        kept = np.delete(np.arange(count), inside)
        same[first[kept]] = kept
        for column, old, new in ((front, begins, first[begins]), (back, ends, last[ends])):
            column[first[kept]] = kept
            column[new] = old
        return cls(first, last, changes, front, back, same)

    def layer(self, name: str, layer: Any) -> Any:
        """Return a layer for the new words."""
        if name == "entities":
            return self._spans(layer)
        if name in ("multiwords", "alternatives"):
            return self._spans(tuple(filter(self._holds_whole, layer)))
        if name == "sentences":
            segmentation: Segmentation = layer.moved(self.last, len(self.same))
            return segmentation
        if name == "evidence":
            return layer.map_columns(lambda cells: _maxima(cells, self.last, len(self.same)))
        if name == "head":
            return self._heads(layer)
        if name == "speaker":
            return _column(name, layer, np.maximum.accumulate(self.front))
        if name in WORD_START_COLUMNS:
            return _column(name, layer, self.front, False if name == "cluster" else None)
        return _column(name, layer, self.back if name in WORD_END_COLUMNS else self.same)

    def _spans(self, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        first, last = self.first.tolist(), self.last.tolist()
        return tuple(s._replace(first=first[s.first], last=last[s.last]) for s in spans)

    def _holds_whole(self, span: Span) -> bool:
        """Whether no change crosses the edges of a span."""
        return not any(
            (c.first < span.first <= c.last) or (c.first <= span.last < c.last)
            for c in self.changes
        )

    def _heads(self, head: Indices) -> Indices:
        """Return the heads between words that stay."""
        place = np.append(np.where(self.same[self.first] >= 0, self.first, -1), -1)
        heads: Indices = np.where(self.same >= 0, place[head[self.same]], -1)
        return heads


def _maxima(cells: Any, place: Indices, count: int) -> Any:
    maxima = np.full(count, np.nan)
    np.fmax.at(maxima, place, cells)
    return maxima


def _column(name: str, layer: Any, source: Indices, missing: Any = None) -> Any:
    """Take the cells of old words; without one the cell is missing."""
    missing = MISSING[name] if missing is None else missing
    if isinstance(layer, tuple):
        return tuple(layer[at] if at >= 0 else missing for at in source.tolist())
    return np.where(source >= 0, layer[source], missing)
