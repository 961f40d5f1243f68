"""A transcript: the words of one recording and the layers known of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from caesura.core.arrays import (
    MISSING,
    ByValue,
    Evidence,
    Flags,
    Floats,
    Indices,
    Strings,
    chosen,
    column,
    joined,
    taken,
    texts,
)
from caesura.core.errors import LayerError
from caesura.core.segmentation import Segmentation

__all__ = [
    "CARRIED",
    "LAYERS",
    "MISSING",
    "SPANS",
    "Evidence",
    "Flags",
    "Floats",
    "Indices",
    "Origin",
    "Segmentation",
    "Span",
    "Strings",
    "Transcript",
    "shrunk",
]

SPANS = ("entities", "multiwords", "alternatives")
LAYERS = (*MISSING, *SPANS, "evidence", "sentences")
"""All optional layers of a transcript."""

CARRIED = (*LAYERS, "labels", "log_odds", "id", "language")
"""What a format can declare to carry: layers, what comes with sentences, and the names."""


class Origin(NamedTuple):
    """The file a recording was read from, its place below the folder named, and its format.

    `asked` is the format with its settings as a user named it, '' if the file alone tells as much;
    `classed` is the number of entities that have their class from another file.
    """

    file: str
    place: str = ""
    format: str = ""
    asked: str = ""
    classed: int = 0


class Span(NamedTuple):
    """Words `first` to `last` (both inside) that form one thing of class `label`."""

    first: int
    last: int
    label: str
    key: str = ""


@dataclass(frozen=True, eq=False)
class Transcript(ByValue):
    """One recording or text: a column of words and whatever else is known of them.

    Times are seconds; `head` is the index of the word's head (a root points at itself, -1 is
    unknown); `opening` and `mark` are the punctuation before and after the word, `blank` says
    whether a blank follows; `pause` names the recogniser's pause marker (such as `<sil>`) between
    the word and the next; `cluster` is true where a word begins a cluster; `evidence` has
    what other systems say of each gap, in columns by name. The label of an alternative is
    another way to write its words, parted by blanks, '' if they may be missing. A layer that is
    not known is None; a cell that is not known is NaN, -1 or ''. `origin` has no part in equality.
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
    alternatives: tuple[Span, ...] | None = None
    evidence: Mapping[str, Floats] | None = None
    sentences: Segmentation | None = None
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        known = vars(self)
        known["words"] = texts("words", self.words)
        for name in self.layers:
            if name in MISSING:
                known[name] = column(name, known[name])
            elif name in SPANS:
                known[name] = tuple(sorted(Span(*span) for span in known[name]))
            elif name == "evidence":
                known[name] = Evidence(known[name]) or None
        self._check()

    def _check(self) -> None:
        count = len(self.words)
        for name, layer in self._over_words():
            if len(layer) != count:
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

    def _over_words(self) -> Iterator[tuple[str, Any]]:
        """Give each layer that is known and has a cell for each word."""
        for name in self.layers:
            if name == "evidence":
                for column, cells in (self.evidence or {}).items():
                    yield f"evidence {column!r}", cells
            elif name not in SPANS:
                yield name, getattr(self, name)

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
        known = vars(self)
        return tuple(name for name in LAYERS if known[name] is not None)

    def replace(self, **changes: Any) -> Transcript:
        """Copy with some fields changed; if they are what they were, it is this one."""
        if all(getattr(self, name, changes) is value for name, value in changes.items()):
            return self
        # As `dataclasses.replace`, which takes four times as long.
        made = object.__new__(type(self))
        vars(made).update(vars(self) | changes)
        if len(vars(made)) > len(vars(self)):
            raise TypeError(f"a transcript has no {', '.join(changes.keys() - vars(self).keys())}")
        made.__post_init__()
        return made

    def only(self, layers: Iterable[str]) -> Transcript:
        """Copy that keeps just these layers."""
        kept = set(layers)
        return self.replace(**{name: None for name in self.layers if name not in kept})

    def __getitem__(self, part: slice) -> Transcript:
        if not isinstance(part, slice):
            raise LayerError("a transcript is sliced, as in t[3:4]; t.words[3] is a word")
        first, stop, step = part.indices(len(self))
        if step != 1:
            raise LayerError("a transcript is sliced in steps of one word")
        stop = max(first, stop)
        changes: dict[str, Any] = {"words": self.words[first:stop]}
        for name in self.layers:
            layer = getattr(self, name)
            if name in SPANS:
                inside = tuple(span for span in layer if span.first < stop and span.last >= first)
                changes[name] = _kept(name, inside, np.arange(first, stop)) if inside else ()
            elif name == "evidence":
                changes[name] = layer.each(lambda cells: cells[first:stop])
            else:
                changes[name] = layer[first:stop]
        if self.head is not None:
            head = self.head[first:stop]
            changes["head"] = np.where((head >= first) & (head < stop), head - first, -1)
        return self.replace(**changes)

    def take(self, words: ArrayLike) -> Transcript:
        """Keep the words at these ascending indices (or where this mask is true).

        What stands after a dropped word (a boundary, a blank, a pause) moves to the kept word
        before, the beginning of a cluster to the next; of evidence about gaps that fall together
        the strongest (highest) stays; spans shrink, but alternatives that lose a word go; a
        word whose head is dropped hangs on the nearest kept ancestor.
        """
        kept = chosen(words, len(self))
        changes: dict[str, Any] = {"words": tuple(map(self.words.__getitem__, kept.tolist()))}
        for name in self.layers:
            layer = getattr(self, name)
            if name in SPANS:
                changes[name] = _kept(name, layer, kept)
            elif name == "sentences":
                changes[name] = layer.take(kept)
            else:
                changes[name] = taken(name, layer, kept)
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
                changes[name] = Segmentation.join([part.sentences for part in parts if len(part)])
            else:
                changes[name] = joined(name, layers, offsets)
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


def _kept(name: str, spans: tuple[Span, ...], kept: Indices) -> tuple[Span, ...]:
    """Spans of a layer over the kept words; a reading is of all its words or of none."""
    if name == "alternatives":
        bounds = np.array([(s.first, s.last + 1) for s in spans], np.int64).reshape(-1, 2)
        whole = np.diff(np.searchsorted(kept, bounds)) == np.diff(bounds)
        spans = tuple(compress(spans, whole.ravel()))
    return shrunk(spans, kept)


def shrunk(spans: tuple[Span, ...], kept: Indices) -> tuple[Span, ...]:
    """Spans over the kept words only, numbered anew."""
    moved = []
    for span in spans:
        first = int(np.searchsorted(kept, span.first, side="left"))
        last = int(np.searchsorted(kept, span.last, side="right")) - 1
        if first <= last:
            moved.append(span._replace(first=first, last=last))
    return tuple(moved)


def batches(transcripts: Sequence[Transcript], words: int) -> Iterator[list[Transcript]]:
    """Give recordings in order, together no more than so many words; one alone may have more."""
    batch: list[Transcript] = []
    held = 0
    for transcript in transcripts:
        if batch and held + len(transcript) > words:
            yield batch
            batch, held = [], 0
        batch.append(transcript)
        held += len(transcript)
    if batch:
        yield batch
