"""Word alignment with the fewest edits, and carrying layers from one text to another.

Among alignments with equally few edits it is the one that `rapidfuzz` gives on the whole
document, which is also jiwer's, so that numbers agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from caesura.columns import ByValue
from caesura.errors import LayerError
from caesura.transcript import LAYERS, MISSING, Flags, Indices, Segmentation, Span, Transcript

ON_PAIRS = frozenset({"start", "end", "speaker"})
"""Columns that are right for a word in the same place even if it is another word."""


@dataclass(frozen=True, eq=False)
class Alignment(ByValue):
    """Which source word stands where each target word stands: -1 where there is none."""

    source: Indices
    equal: Flags
    source_length: int

    def __post_init__(self) -> None:
        source = np.array(self.source, dtype=np.int64)
        equal = np.array(self.equal, dtype=np.bool_)
        if len(source) != len(equal):
            raise LayerError(f"equal has {len(equal)} cells for {len(source)} words")
        if len(source) and not -1 <= source.min() <= source.max() < self.source_length:
            raise LayerError(f"source points outside the {self.source_length} words")
        if (equal & (source < 0)).any():
            raise LayerError("a word without a counterpart is said to be equal to it")
        for name, values in (("source", source), ("equal", equal)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @property
    def hits(self) -> int:
        """Target words aligned to an equal word."""
        return int(self.equal.sum())

    @property
    def substitutions(self) -> int:
        """Target words aligned to another word."""
        return int((self.source >= 0).sum()) - self.hits

    @property
    def insertions(self) -> int:
        """Target words without a counterpart."""
        return int((self.source < 0).sum())

    @property
    def deletions(self) -> int:
        """Source words without a counterpart."""
        return self.source_length - self.hits - self.substitutions

    @property
    def edits(self) -> int:
        """The number of edits, which no alignment can undercut."""
        return self.substitutions + self.insertions + self.deletions

    @property
    def target(self) -> Indices:
        """For each source word the target word in its place, -1 where there is none."""
        return self._places(self.source >= 0)

    @property
    def equal_target(self) -> Indices:
        """For each source word the equal target word in its place, -1 where there is none."""
        return self._places(self.equal)

    @property
    def gaps(self) -> Indices:
        """For each source gap the one after the last target word that stands at or before it."""
        return np.maximum.accumulate(self.target)

    def _places(self, known: Flags) -> Indices:
        place = np.full(self.source_length, -1, dtype=np.int64)
        place[self.source[known]] = np.flatnonzero(known)
        return place

    def check(self, source: int, target: int) -> None:
        """Raise an error if this is no alignment of texts of so many words."""
        if (self.source_length, len(self.source)) != (source, target):
            raise LayerError(
                f"the alignment is of {self.source_length} and {len(self.source)} words, "
                f"the texts have {source} and {target}"
            )


def align(source: Sequence[str], target: Sequence[str]) -> Alignment:
    """Align two texts word by word with the fewest edits."""
    numbers: dict[str, int] = {}
    ours = [numbers.setdefault(word, len(numbers)) for word in source]
    theirs = [numbers.setdefault(word, len(numbers)) for word in target]
    place = np.full(len(theirs), -1, dtype=np.int64)
    equal = np.zeros(len(theirs), dtype=np.bool_)
    for step in Levenshtein.opcodes(ours, theirs):
        if step.tag in ("equal", "replace"):
            here = slice(step.dest_start, step.dest_end)
            place[here] = np.arange(step.src_start, step.src_end)
            equal[here] = step.tag == "equal"
    return Alignment(place, equal, len(ours))


@dataclass(frozen=True)
class Carried:
    """A target text with layers of a source, and what could not be carried."""

    transcript: Transcript
    alignment: Alignment
    lost_boundaries: Indices
    """The gaps near which boundaries of the source have none of their own."""
    lost_entities: int


def carry(
    source: Transcript,
    target: Transcript,
    layers: Iterable[str] = ("sentences", "start", "end", "entities", "speaker"),
    alignment: Alignment | None = None,
    gaps: Indices | None = None,
) -> Carried:
    """Give the words of `target` the layers that are known of `source`.

    A boundary goes, with its label and evidence, after the last target word that stands at or
    before it, whatever boundaries the target has; times and speakers go to every word in the
    same place, other columns to equal words only; an entity covers the words from the first
    to the last in its place, a multiword needs all its words. An inserted word has the speaker
    of the word before it. Pass an `alignment` to have texts compared under some other spelling,
    and `gaps`, the target gap of each source gap (-1 for none), to have boundaries go elsewhere.
    """
    aligned = align(source.words, target.words) if alignment is None else alignment
    aligned.check(len(source), len(target))
    changes: dict[str, Any] = {}
    lost_boundaries = np.zeros(0, np.int64)
    lost_entities = 0
    for name in layers:
        if name not in LAYERS:
            raise LayerError(f"no layer is named {name!r}", remedy=f"known are {', '.join(LAYERS)}")
        layer = getattr(source, name)
        if layer is None:
            continue
        if name == "sentences":
            place = aligned.gaps if gaps is None else gaps
            changes[name], lost_boundaries = _carried_sentences(layer, place, len(target))
        elif name == "entities":
            changes[name] = _carried_entities(layer, aligned.target)
            lost_entities = len(layer) - len(changes[name])
        elif name == "multiwords":
            changes[name] = _carried_multiwords(layer, aligned.equal_target)
        else:
            changes[name] = _carried_column(name, layer, aligned)
    return Carried(target.replace(**changes), aligned, lost_boundaries, lost_entities)


def _carried_sentences(
    sentences: Segmentation, place: Indices, count: int
) -> tuple[Segmentation, Indices]:
    """Move boundaries; those that have no word before them or fall together are lost.

    The end of the source, which is a boundary anyway, becomes the end of the target.
    """
    place = place.copy()
    place[-1:] = count - 1
    moved = sentences.moved(place, count)
    inside = place[sentences.gaps[:-1]] if len(place) else place
    lost = (inside < 0) | (inside == count - 1)
    lost[1:] |= np.diff(inside) == 0
    return moved, inside[lost].clip(min=0)


def _carried_entities(spans: tuple[Span, ...], place: Indices) -> tuple[Span, ...]:
    moved = []
    for span in spans:
        inside = place[span.first : span.last + 1]
        inside = inside[inside >= 0]
        if len(inside):
            moved.append(span._replace(first=int(inside[0]), last=int(inside[-1])))
    return tuple(moved)


def _carried_multiwords(spans: tuple[Span, ...], place: Indices) -> tuple[Span, ...]:
    """Spans all of whose words are there, with no other among them."""
    moved = []
    for span in spans:
        inside = place[span.first : span.last + 1]
        if inside[0] >= 0 and (np.diff(inside) == 1).all():
            moved.append(span._replace(first=int(inside[0]), last=int(inside[-1])))
    return tuple(moved)


def _carried_column(name: str, layer: Any, aligned: Alignment) -> Any:
    if name == "head":
        return _carried_heads(layer, aligned)
    if name == "evidence":
        return layer.each(lambda cells: _carried_column("confidence", cells, aligned))
    known = aligned.source >= 0 if name in ON_PAIRS else aligned.equal
    if name == "speaker":
        return _carried_speakers(layer, aligned.source)
    if isinstance(layer, tuple):
        pairs = zip(known.tolist(), aligned.source.tolist(), strict=True)
        return tuple(layer[at] if here else MISSING[name] for here, at in pairs)
    column = np.full(len(known), MISSING[name], dtype=layer.dtype)
    column[known] = layer[aligned.source[known]]
    return column


def _carried_heads(head: Indices, aligned: Alignment) -> Indices:
    """Heads between words that both have an equal counterpart."""
    place = np.append(aligned.equal_target, -1)
    column = np.full(len(aligned.source), -1, dtype=np.int64)
    column[aligned.equal] = place[head[aligned.source[aligned.equal]]]
    return column


def _carried_speakers(speaker: tuple[str, ...], source: Indices) -> tuple[str, ...]:
    latest = np.maximum.accumulate(source) if len(source) else source
    first = next((speaker[at] for at in source.tolist() if at >= 0), "")
    return tuple(speaker[at] if at >= 0 else first for at in latest.tolist())
