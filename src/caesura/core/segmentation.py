"""A segmentation: what is decided about the gaps between words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import ByValue, Flags, Floats, Indices, Strings, texts
from caesura.core.errors import LayerError


@dataclass(frozen=True, eq=False)
class Segmentation(ByValue):
    """Which of the n gaps are sentence ends; gap i lies after word i, the last one always is.

    `label` is the class of each gap ('.', '?', ',' or '' for none), `log_odds` the evidence.
    """

    boundary: Flags
    label: Strings | None = None
    log_odds: Floats | None = None

    def __post_init__(self) -> None:
        given = np.asarray(self.boundary)
        if given.ndim != 1 or (given.dtype != np.bool_ and len(given)):
            raise LayerError(
                "a segmentation is made of a truth value for each gap",
                remedy="make it from indices with Segmentation.of_gaps(count, gaps)",
            )
        boundary = np.array(given, dtype=np.bool_)
        if len(boundary):
            boundary[-1] = True
        boundary.flags.writeable = False
        object.__setattr__(self, "boundary", boundary)
        if self.label is not None:
            object.__setattr__(self, "label", texts("label", self.label))
        if self.log_odds is not None:
            log_odds = np.array(self.log_odds, dtype=np.float64)
            log_odds.flags.writeable = False
            object.__setattr__(self, "log_odds", log_odds)
        for name in ("label", "log_odds"):
            layer = getattr(self, name)
            if layer is not None and len(layer) != len(boundary):
                raise LayerError(f"{name} has {len(layer)} cells for {len(boundary)} gaps")

    @classmethod
    def of_gaps(cls, count: int, gaps: Iterable[int]) -> Segmentation:
        """Make a segmentation of `count` words from the indices of its boundaries."""
        chosen = np.fromiter(gaps, dtype=np.int64)
        if len(chosen) and (chosen.min() < 0 or chosen.max() >= count):
            raise LayerError(f"a boundary lies outside the {count} gaps")
        boundary = np.zeros(count, dtype=np.bool_)
        boundary[chosen] = True
        return cls(boundary)

    @classmethod
    def of_sentences(cls, count: int, sentences: Iterable[tuple[int, int]]) -> Segmentation:
        """Make a segmentation from (first, last) pairs that cover all words in order."""
        expected = 0
        ends: list[int] = []
        for first, last in sentences:
            if first != expected or last < first:
                raise LayerError(
                    f"sentence {len(ends) + 1} is [{first}, {last}] where {expected} should begin"
                )
            ends.append(last)
            expected = last + 1
        if expected != count:
            raise LayerError(f"the sentences cover {expected} of {count} words")
        return cls.of_gaps(count, ends)

    @classmethod
    def join(cls, parts: Sequence[Segmentation | None]) -> Segmentation | None:
        """One after another; None if one of them is not known."""
        whole = [part for part in parts if part is not None]
        if len(whole) < len(parts):
            return None
        label: Strings | None = None
        if any(part.label is not None for part in whole):
            label = tuple(cell for part in whole for cell in part.label or ("",) * len(part))
        log_odds: Floats | None = None
        if any(part.log_odds is not None for part in whole):
            unknown = (np.full(len(part), np.nan) for part in whole)
            pairs = zip(whole, unknown, strict=True)
            log_odds = np.concatenate(
                [none if part.log_odds is None else part.log_odds for part, none in pairs]
            )
        empty = np.zeros(0, np.bool_)
        return cls(np.concatenate([empty, *(part.boundary for part in whole)]), label, log_odds)

    def __len__(self) -> int:
        return len(self.boundary)

    @property
    def gaps(self) -> Indices:
        """Indices of the gaps that are boundaries, the last gap included."""
        return np.flatnonzero(self.boundary)

    @property
    def sentences(self) -> list[tuple[int, int]]:
        """(first, last) word of each sentence."""
        ends = self.gaps.tolist()
        return list(zip([0, *(e + 1 for e in ends[:-1])], ends, strict=True)) if ends else []

    def take(self, words: Indices) -> Segmentation:
        """Keep these words; what stands after a dropped word moves to the kept word before it."""
        owners = np.searchsorted(words, np.arange(len(self)), side="right") - 1
        return self.moved(owners, len(words))

    def moved(self, place: Indices, count: int) -> Segmentation:
        """Move each gap to the one of `count` gaps that `place` names; -1 drops it.

        Gaps that fall together keep the first label that stands at a boundary, else the first
        one, and the strongest evidence. A gap that nothing moves to has none.
        """
        kept = place >= 0
        boundary = np.zeros(count, dtype=np.bool_)
        boundary[place[kept & self.boundary]] = True
        label = None if self.label is None else self._labels(place.tolist(), count)
        log_odds: Floats | None = None
        if self.log_odds is not None:
            log_odds = np.full(count, np.nan)
            np.fmax.at(log_odds, place[kept], self.log_odds[kept])
        return Segmentation(boundary, label, log_odds)

    def _labels(self, place: list[int], count: int) -> Strings:
        labels, sure = [""] * count, [False] * count
        ends = self.boundary.tolist()
        for gap, mark in enumerate(self.label or ()):
            at = place[gap]
            if mark and at >= 0 and (not labels[at] or (ends[gap] and not sure[at])):
                labels[at], sure[at] = mark, ends[gap]
        return tuple(labels)

    def __getitem__(self, part: slice) -> Segmentation:
        if not isinstance(part, slice):
            raise LayerError("a segmentation is sliced; s.boundary[3] is a gap")
        return Segmentation(
            self.boundary[part],
            None if self.label is None else self.label[part],
            None if self.log_odds is None else self.log_odds[part],
        )
