"""The values everything is about: a transcript's columns and a segmentation's gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import LayerError

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
Strings = tuple[str, ...]

MISSING: Mapping[str, Any] = {
    "start": np.nan,
    "end": np.nan,
    "confidence": np.nan,
    "head": -1,
    "blank": True,
    "cluster": True,
    "opening": "",
    "mark": "",
    "pause": "",
    "speaker": "",
    "tag": "",
    "subtag": "",
    "features": "",
    "lemma": "",
    "relation": "",
}
"""Columns over words and what stands in a cell that is not known."""

SPANS = ("entities", "multiwords")
LAYERS = (*MISSING, *SPANS, "sentences")
"""All optional layers of a transcript."""

CARRIED = (*LAYERS, "labels", "log_odds", "id", "language")
"""What a format can declare to carry: layers, what comes with sentences, and the names."""


class Span(NamedTuple):
    """Words `first` to `last` (both inside) that form one thing of class `label`."""

    first: int
    last: int
    label: str
    key: str = ""


def _column(name: str, values: ArrayLike | Sequence[str]) -> Any:
    """Make one immutable column of the kind its missing cell shows."""
    missing = MISSING[name]
    if isinstance(missing, str):
        return values if isinstance(values, tuple) else tuple(np.asarray(values, object).tolist())
    kind = np.bool_ if missing is True else np.int64 if missing == -1 else np.float64
    if isinstance(values, np.ndarray) and values.dtype == kind and _is_fixed(values):
        return values
    array = np.array(values, dtype=kind)
    array.flags.writeable = False
    return array


def _is_fixed(array: NDArray[Any]) -> bool:
    return bool(array.flags.owndata) and not array.flags.writeable


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return type(a) is type(b) and bool(a == b)


class _ByValue:
    """Equality by value for dataclasses that hold arrays."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [f.name for f in fields(self) if f.compare]  # type: ignore[arg-type]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Segmentation(_ByValue):
    """Which of the n gaps are sentence ends; gap i lies after word i, the last one always is.

    `label` is the class of each gap ('.', '?', ',' or '' for none), `log_odds` the evidence.
    """

    boundary: Flags
    label: Strings | None = None
    log_odds: Floats | None = None

    def __post_init__(self) -> None:
        boundary = np.array(self.boundary, dtype=np.bool_)
        if len(boundary):
            boundary[-1] = True
        boundary.flags.writeable = False
        object.__setattr__(self, "boundary", boundary)
        if self.label is not None:
            object.__setattr__(self, "label", tuple(self.label))
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
        """Keep these words; a boundary after a dropped word moves to the kept word before it.

        Gaps that become one keep the first label that stands at a boundary, else the first one,
        and the strongest evidence.
        """
        if not len(words):
            return self[:0]
        label = None if self.label is None else self._labels(words)
        log_odds = None if self.log_odds is None else np.fmax.reduceat(self.log_odds, words)
        return Segmentation(np.logical_or.reduceat(self.boundary, words), label, log_odds)

    def _labels(self, words: Indices) -> Strings:
        given = np.array([gap for gap, mark in enumerate(self.label or ()) if mark], np.int64)
        owners = np.searchsorted(words, given, side="right") - 1
        found: dict[int, tuple[bool, str]] = {}
        for gap, owner in zip(given.tolist(), owners.tolist(), strict=True):
            ends = bool(self.boundary[gap])
            if owner not in found or (ends and not found[owner][0]):
                found[owner] = (ends, (self.label or ())[gap])
        return tuple(found.get(at, (False, ""))[1] for at in range(len(words)))

    def __getitem__(self, part: slice) -> Segmentation:
        return Segmentation(
            self.boundary[part],
            None if self.label is None else self.label[part],
            None if self.log_odds is None else self.log_odds[part],
        )


@dataclass(frozen=True, eq=False)
class Transcript(_ByValue):
    """One recording or text: a column of words and whatever else is known of them.

    Times are seconds; `head` is the index of the word's head (a root points at itself, -1 is
    unknown); `opening` and `mark` are the punctuation before and after the word, `blank` says
    whether a blank follows; `pause` names the recogniser's pause marker (such as `<sil>`) between
    the word and the next; `cluster` is true where a word begins a cluster. A layer that is
    not known is None; a cell that is not known is NaN, -1 or ''. `origin` is the file it was
    read from, below the folder that was named; it has no part in equality.
    """

    words: Strings
    id: str = ""
    language: str = ""
    start: Floats | None = None
    end: Floats | None = None
    confidence: Floats | None = None
    head: Indices | None = None
    blank: Flags | None = None
    cluster: Flags | None = None
    opening: Strings | None = None
    mark: Strings | None = None
    pause: Strings | None = None
    speaker: Strings | None = None
    tag: Strings | None = None
    subtag: Strings | None = None
    features: Strings | None = None
    lemma: Strings | None = None
    relation: Strings | None = None
    entities: tuple[Span, ...] | None = None
    multiwords: tuple[Span, ...] | None = None
    sentences: Segmentation | None = None
    origin: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", tuple(self.words))
        for name in MISSING:
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, _column(name, values))
        for name in SPANS:
            spans = getattr(self, name)
            if spans is not None:
                object.__setattr__(self, name, tuple(sorted(Span(*span) for span in spans)))
        self._check()

    def _check(self) -> None:
        count = len(self.words)
        for name in (*MISSING, "sentences"):
            layer = getattr(self, name)
            if layer is not None and len(layer) != count:
                raise LayerError(f"{name} has {len(layer)} cells for {count} words", where=self.id)
        for name in SPANS:
            for span in getattr(self, name) or ():
                if not 0 <= span.first <= span.last < count:
                    raise LayerError(
                        f"{name}: {span.label!r} at [{span.first}, {span.last}] lies outside "
                        f"the {count} words",
                        where=self.id,
                    )
        if self.head is not None and count and not -1 <= self.head.min() <= self.head.max() < count:
            raise LayerError(f"head points outside the {count} words", where=self.id)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def known(self) -> tuple[str, ...]:
        """Names, of those in `CARRIED`, of all that is known besides the words."""
        inner = self.sentences
        return (
            *self.layers,
            *(["labels"] if inner is not None and inner.label is not None else []),
            *(["log_odds"] if inner is not None and inner.log_odds is not None else []),
            *(["language"] if self.language else []),
        )

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the layers that are known."""
        return tuple(name for name in LAYERS if getattr(self, name) is not None)

    def replace(self, **changes: Any) -> Transcript:
        """Copy with some fields changed."""
        return replace(self, **changes)

    def only(self, layers: Iterable[str]) -> Transcript:
        """Copy that keeps just these layers."""
        kept = set(layers)
        return self.replace(**{name: None for name in self.layers if name not in kept})

    def __getitem__(self, part: slice) -> Transcript:
        first, stop, step = part.indices(len(self))
        if step != 1:
            raise LayerError("a transcript is sliced in steps of one word")
        stop = max(first, stop)
        changes: dict[str, Any] = {"words": self.words[first:stop]}
        for name in self.layers:
            layer = getattr(self, name)
            if name in SPANS:
                inside = tuple(span for span in layer if span.first < stop and span.last >= first)
                changes[name] = _shifted(inside, np.arange(first, stop)) if inside else ()
            else:
                changes[name] = layer[first:stop]
        if self.head is not None:
            head = self.head[first:stop]
            changes["head"] = np.where((head >= first) & (head < stop), head - first, -1)
        return self.replace(**changes)

    def take(self, words: ArrayLike) -> Transcript:
        """Keep the words at these ascending indices (or where this mask is true).

        What stands after a dropped word (a boundary, a blank, a pause) moves to the kept word
        before, the beginning of a cluster to the next; spans shrink; a word whose head is dropped
        hangs on the nearest kept ancestor.
        """
        mask = np.asarray(words)
        kept = np.flatnonzero(mask) if mask.dtype == np.bool_ else mask.astype(np.int64)
        changes: dict[str, Any] = {"words": tuple(map(self.words.__getitem__, kept.tolist()))}
        for name in self.layers:
            layer = getattr(self, name)
            if name in SPANS:
                changes[name] = _shifted(layer, kept)
            elif name == "sentences":
                changes[name] = layer.take(kept)
            else:
                changes[name] = _taken(name, layer, kept)
        return self.replace(**changes)

    @classmethod
    def join(cls, parts: Iterable[Transcript]) -> Transcript:
        """One after another as one recording, named like the first.

        Sentences, being decisions, are kept only if every part has them.
        """
        parts = list(parts)
        if not parts:
            return cls(())
        offsets = np.cumsum([0, *(len(part) for part in parts)]).tolist()
        changes: dict[str, Any] = {"words": tuple(w for part in parts for w in part.words)}
        known = {name for part in parts for name in part.layers}
        for name in known:
            layers = [getattr(part, name) for part in parts]
            if name in SPANS:
                changes[name] = tuple(
                    span._replace(first=span.first + offset, last=span.last + offset)
                    for offset, layer in zip(offsets, layers, strict=False)
                    for span in layer or ()
                )
            elif name == "sentences":
                changes[name] = _joined_sentences(parts)
            else:
                changes[name] = _joined_column(name, layers, offsets)
        return parts[0].replace(**changes)

    def pauses(self) -> Floats:
        """Seconds between each word and the next: NaN where unknown, and after the last word."""
        gaps = np.full(len(self), np.nan)
        if self.start is not None and self.end is not None and len(self) > 1:
            gaps[:-1] = self.start[1:] - self.end[:-1]
        return gaps

    def surface(self) -> list[str]:
        """Each word as it is written: with its punctuation and the blank that follows."""
        pieces: list[str] = list(self.words)
        if self.opening is not None:
            pieces = list(map(str.__add__, self.opening, pieces))
        if self.mark is not None:
            pieces = list(map(str.__add__, pieces, self.mark))
        for first, last, label, _ in self.multiwords or ():
            opening = self.opening[first] if self.opening is not None else ""
            mark = self.mark[last] if self.mark is not None else ""
            pieces[first : last + 1] = [opening + label + mark, *[""] * (last - first)]
        blanks = [True] * len(pieces) if self.blank is None else self.blank.tolist()
        for span in self.multiwords or ():
            blanks[span.first : span.last] = [False] * (span.last - span.first)
        return [p + " " if blank else p for p, blank in zip(pieces, blanks, strict=True)]

    @property
    def text(self) -> str:
        """The running text."""
        return "".join(self.surface()).rstrip(" ")

    def iter_sentences(self) -> Iterator[Transcript]:
        """Each sentence as a transcript of its own; the whole where sentences are unknown."""
        if self.sentences is None:
            if len(self):
                yield self
            return
        for first, last in self.sentences.sentences:
            yield self[first : last + 1]


def _shifted(spans: tuple[Span, ...], kept: Indices) -> tuple[Span, ...]:
    """Spans over the kept words only, numbered anew."""
    moved = []
    for span in spans:
        first = int(np.searchsorted(kept, span.first, side="left"))
        last = int(np.searchsorted(kept, span.last, side="right")) - 1
        if first <= last:
            moved.append(span._replace(first=first, last=last))
    return tuple(moved)


def _taken(name: str, layer: Any, kept: Indices) -> Any:
    """Give the cells of the kept words, and what dropped words hand on to them."""
    if name == "head":
        return _reattached(layer, kept)
    if name == "pause":
        return _handed_back(layer, kept)
    if isinstance(layer, tuple):
        return tuple(map(layer.__getitem__, kept.tolist()))
    if len(kept) and name == "blank":
        return np.logical_or.reduceat(layer, kept)
    if len(kept) and name == "cluster":
        after_kept = np.concatenate(([0], kept[:-1] + 1))
        return np.logical_or.reduceat(layer[: kept[-1] + 1], after_kept)
    return layer[kept]


def _handed_back(layer: Strings, kept: Indices) -> Strings:
    """Cells of the kept words; an empty one gets the first cell of the dropped words after it."""
    given = np.array([at for at, cell in enumerate(layer) if cell], np.int64)
    cells = [""] * len(kept)
    owners = np.searchsorted(kept, given, side="right") - 1
    for at, owner in zip(given.tolist(), owners.tolist(), strict=True):
        if owner >= 0:
            cells[owner] = cells[owner] or layer[at]
    return tuple(cells)


def _reattached(head: Indices, kept: Indices) -> Indices:
    """Heads among the kept words; those of dropped words are handed up the tree.

    A word below a dropped root becomes a root; a loop that is broken leaves no head.
    """
    count = len(head)
    place = np.full(count, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    up = np.where((place < 0) & (head >= 0), head, np.arange(count))
    for _ in range(count.bit_length()):
        up = up[up]
    known = head[kept] >= 0
    target = np.where(known, up[head[kept]], kept)
    known &= (target != kept) | (head[kept] == kept)
    at_root = (place[target] < 0) & (head[target] == target)
    return np.where(known, np.where(at_root, np.arange(len(kept)), place[target]), -1)


def _joined_column(name: str, layers: Sequence[Any], offsets: Sequence[int]) -> Any:
    lengths = np.diff(offsets).tolist()
    filled = [
        [MISSING[name]] * length if layer is None else layer
        for layer, length in zip(layers, lengths, strict=True)
    ]
    if isinstance(MISSING[name], str):
        return tuple(cell for layer in filled for cell in layer)
    if name == "head":
        filled = [
            np.where(np.asarray(layer, np.int64) >= 0, np.asarray(layer, np.int64) + offset, -1)
            for layer, offset in zip(filled, offsets, strict=False)
        ]
    return np.concatenate([np.asarray(layer) for layer in filled])


def _joined_sentences(parts: Sequence[Transcript]) -> Segmentation | None:
    known = [part.sentences for part in parts if len(part)]
    if any(sentences is None for sentences in known):
        return None
    whole = [sentences for sentences in known if sentences is not None]
    label: Strings | None = None
    if any(s.label is not None for s in whole):
        label = tuple(cell for s in whole for cell in (s.label or ("",) * len(s)))
    log_odds: Floats | None = None
    if any(s.log_odds is not None for s in whole):
        log_odds = np.concatenate(
            [np.full(len(s), np.nan) if s.log_odds is None else s.log_odds for s in whole]
        )
    boundary = np.concatenate([s.boundary for s in whole]) if whole else np.zeros(0, np.bool_)
    return Segmentation(boundary, label, log_odds)
