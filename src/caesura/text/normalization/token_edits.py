"""Other words in the place of some, while all layers follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from caesura.core.arrays import MISSING, Indices, chosen
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript, shrunk

FRONT = frozenset({"start", "opening", "cluster"})
"""Columns about the beginning of a word."""

BACK = frozenset({"end", "mark", "blank", "pause"})
"""Columns about the end of a word, or about what follows it."""


def rewritten(transcript: Transcript, changes: Sequence[Span]) -> Transcript:
    """Put the words of each change's label in the place of the words it spans.

    Changes are ascending and do not overlap. The first new word begins where the first old one
    did, the last one ends where the last did and is followed by what followed it; all have the
    speaker of the first. What else is known of words, times among them included, is not known
    of new ones. Entities cover all words put in the place of theirs; multiwords and alternatives go
    unless they hold the whole of the changes they touch.
    """
    if not changes:
        return transcript
    moved = _Moved.by(len(transcript), changes)
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
    return shortened(whole, np.delete(np.arange(len(whole)), empty)) if empty else whole


def shortened(transcript: Transcript, words: ArrayLike) -> Transcript:
    """Keep some words (a mask or ascending indices) where the others were as good as not there.

    Unlike `Transcript.take` this keeps alternatives of which words go.
    """
    alternatives = transcript.alternatives
    if alternatives is not None:
        alternatives = shrunk(alternatives, chosen(words, len(transcript)))
    return transcript.take(words).replace(alternatives=alternatives)


@dataclass(frozen=True)
class _Moved:
    """Where words go: each old one to new ones `first` to `last`."""

    first: Indices
    last: Indices
    changes: Sequence[Span]
    front: Indices
    """For each new word the old one that began where it begins, -1 for none."""
    back: Indices
    same: Indices
    """For each new word the old one it is, -1 where it is another."""

    @classmethod
    def by(cls, count: int, changes: Sequence[Span]) -> _Moved:
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
        """Give the cells of a layer to the new words."""
        if name == "entities":
            return self._spans(layer)
        if name in ("multiwords", "alternatives"):
            return self._spans(tuple(filter(self._holds_whole, layer)))
        if name == "sentences":
            found: Segmentation = layer.moved(self.last, len(self.same))
            return found
        if name == "evidence":
            return layer.each(lambda cells: _strongest(cells, self.last, len(self.same)))
        if name == "head":
            return self._heads(layer)
        if name == "speaker":
            return _column(name, layer, np.maximum.accumulate(self.front))
        if name in FRONT:
            return _column(name, layer, self.front, False if name == "cluster" else None)
        return _column(name, layer, self.back if name in BACK else self.same)

    def _spans(self, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        first, last = self.first.tolist(), self.last.tolist()
        return tuple(s._replace(first=first[s.first], last=last[s.last]) for s in spans)

    def _holds_whole(self, span: Span) -> bool:
        """Whether no change reaches over the edges of a span."""
        return not any(
            (c.first < span.first <= c.last) or (c.first <= span.last < c.last)
            for c in self.changes
        )

    def _heads(self, head: Indices) -> Indices:
        """Give heads between words that stay."""
        place = np.append(np.where(self.same[self.first] >= 0, self.first, -1), -1)
        found: Indices = np.where(self.same >= 0, place[head[self.same]], -1)
        return found


def _strongest(cells: Any, place: Indices, count: int) -> Any:
    found = np.full(count, np.nan)
    np.fmax.at(found, place, cells)
    return found


def _column(name: str, layer: Any, source: Indices, missing: Any = None) -> Any:
    """Take cells from old words; where there is none the cell is missing."""
    missing = MISSING[name] if missing is None else missing
    if isinstance(layer, tuple):
        return tuple(layer[at] if at >= 0 else missing for at in source.tolist())
    return np.where(source >= 0, layer[source], missing)
