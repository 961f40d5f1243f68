"""A segmentation: which gaps between words are sentence ends, and how the words are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import index

import numpy as np

from caesura.core.arrays import ByValue, Flags, Floats, Indices, Strings, column, text_column
from caesura.core.errors import LayerError


@dataclass(frozen=True, eq=False)
class Segmentation(ByValue):
    """Which of n gaps are sentence ends; gap i lies after word i, and the last one always is one.

    `label` is the class of each gap ('.', '?', ',' or '' for none); `log_odds` is the evidence for
    a boundary, above 0 if there is more for it than against it, and NaN where there is none.
    `written` is each word with its capitals, '' where they are not known.
    """

    boundary: Flags
    label: Strings | None = None
    log_odds: Floats | None = None
    written: Strings | None = None

    def __post_init__(self) -> None:
        given = np.asarray(self.boundary)
        if given.ndim != 1 or (given.dtype != np.bool_ and len(given)):
            raise LayerError(
                "a segmentation is made of True or False for each gap",
                remedy="make it from indices with Segmentation.of_gaps(count, gaps)",
            )
        boundary = np.array(given, dtype=np.bool_)
        if len(boundary):
            boundary[-1] = True
        boundary.flags.writeable = False
        object.__setattr__(self, "boundary", boundary)
        for name in ("label", "written"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, text_column(name, getattr(self, name)))
        if self.log_odds is not None:
            object.__setattr__(self, "log_odds", _log_odds(self.log_odds))
        for name in ("label", "log_odds", "written"):
            layer = getattr(self, name)
            if layer is not None and len(layer) != len(boundary):
                raise LayerError(f"{name} has {len(layer)} cells for {len(boundary)} gaps")

    @classmethod
    def of_gaps(cls, count: int, gaps: Iterable[int]) -> Segmentation:
        """Make a segmentation of `count` words from the indices of its boundaries."""
        chosen: Indices = column("gaps", list(gaps), -1)
        outside = np.flatnonzero((chosen < 0) | (chosen >= count))
        if len(outside):
            at = outside[0]
            raise LayerError(f"gaps[{at}] is {chosen[at]}, and the gaps are 0 to {count - 1}")
        boundary = np.zeros(count, dtype=np.bool_)
        boundary[chosen] = True
        return cls(boundary)

    @classmethod
    def of_sentences(cls, count: int, sentences: Iterable[tuple[int, int]]) -> Segmentation:
        """Make a segmentation from the (first, last) word of each sentence, in order.

        The sentences cover all `count` words, so that each begins after the end of the former.
        """
        begin = 0
        ends: list[int] = []
        for at, pair in enumerate(_pairs(sentences)):
            first, last = pair
            if first < begin:
                raise LayerError(
                    f"sentences[{at}] is {pair}, and begins before the end of the former sentence",
                    remedy=f"give sentences in order, without overlap: this one begins at {begin}",
                )
            if first > begin:
                raise LayerError(
                    f"sentences[{at}] is {pair}, and word {begin} is in no sentence",
                    remedy=f"give sentences that cover all words: this one begins at {begin}",
                )
            if last < first or last >= count:
                raise LayerError(
                    f"sentences[{at}] is {pair}, and should end between {first} and {count - 1}"
                )
            ends.append(last)
            begin = last + 1
        if begin != count:
            raise LayerError(
                f"the sentences cover {begin} of {count} words",
                remedy=f"let the last sentence end at word {count - 1}",
            )
        return cls.of_gaps(count, ends)

    @classmethod
    def join(cls, parts: Sequence[Segmentation | None]) -> Segmentation | None:
        """Put segmentations one after another; None if one of them is not known."""
        whole = [part for part in parts if part is not None]
        if len(whole) < len(parts):
            return None
        label = _join_texts([part.label for part in whole], list(map(len, whole)))
        written = _join_texts([part.written for part in whole], list(map(len, whole)))
        log_odds: Floats | None = None
        if any(part.log_odds is not None for part in whole):
            unknown = (np.full(len(part), np.nan) for part in whole)
            pairs = zip(whole, unknown, strict=True)
            log_odds = np.concatenate(
                [none if part.log_odds is None else part.log_odds for part, none in pairs]
            )
        boundary = np.concatenate([np.zeros(0, np.bool_), *(part.boundary for part in whole)])
        return cls(boundary, label, log_odds, written)

    def __len__(self) -> int:
        return len(self.boundary)

    @property
    def gaps(self) -> Indices:
        """Indices of the gaps that are boundaries, the last gap included."""
        return np.flatnonzero(self.boundary)

    @property
    def sentences(self) -> list[tuple[int, int]]:
        """The (first, last) word of each sentence."""
        ends = self.gaps.tolist()
        return list(zip([0, *(e + 1 for e in ends[:-1])], ends, strict=True)) if ends else []

    def take(self, words: Indices) -> Segmentation:
        """Keep these words; a boundary after a dropped word moves to the kept word before it."""
        owners = np.searchsorted(words, np.arange(len(self)), side="right") - 1
        moved = self.moved(owners, len(words))
        if self.written is None:
            return moved
        return replace(moved, written=tuple(map(self.written.__getitem__, words.tolist())))

    def moved(self, place: Indices, count: int) -> Segmentation:
        """Move each gap to the one of `count` gaps that `place` names; -1 drops it.

        Of gaps that fall together the first label at a boundary is kept, else the first label,
        and the highest log-odds. A gap that nothing moves to has none. How words are written is
        dropped, because they may be others.
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
        labels, is_end = [""] * count, [False] * count
        ends = self.boundary.tolist()
        for gap, mark in enumerate(self.label or ()):
            at = place[gap]
            if mark and at >= 0 and (not labels[at] or (ends[gap] and not is_end[at])):
                labels[at], is_end[at] = mark, ends[gap]
        return tuple(labels)

    def __getitem__(self, part: slice) -> Segmentation:
        if not isinstance(part, slice):
            raise LayerError("a segmentation is sliced; s.boundary[3] is a gap")
        return Segmentation(
            self.boundary[part],
            None if self.label is None else self.label[part],
            None if self.log_odds is None else self.log_odds[part],
            None if self.written is None else self.written[part],
        )


def _join_texts(columns: Sequence[Strings | None], lengths: Sequence[int]) -> Strings | None:
    """Put columns one after another; cells of one that is not known are ''."""
    if all(column is None for column in columns):
        return None
    pairs = zip(columns, lengths, strict=True)
    return tuple(cell for column, length in pairs for cell in column or ("",) * length)


def _log_odds(given: object) -> Floats:
    """Make the column of log-odds, which may be infinite."""
    try:
        log_odds = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise LayerError(f"log_odds has a cell that is no number: {error}") from error
    if log_odds.ndim != 1:
        raise LayerError(f"log_odds has {log_odds.ndim} dimensions, and a column has one")
    log_odds.flags.writeable = False
    return log_odds


def _pairs(sentences: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield each (first, last), or raise an error that names what is no such pair."""
    remedy = "write (first, last) for each sentence, as in [(0, 2), (3, 6)]"
    try:
        pairs = list(sentences)
    except TypeError as error:
        raise LayerError(f"sentences is {sentences!r}", remedy=remedy) from error
    for at, pair in enumerate(pairs):
        try:
            first, last = map(index, pair)
        except (TypeError, ValueError) as error:
            raise LayerError(f"sentences[{at}] is {pair!r}", remedy=remedy) from error
        yield first, last
