"""Carrying layers from one text to another by an alignment of their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from caesura.core.arrays import MISSING, Floats, Indices
from caesura.core.errors import LayerError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import LAYERS, Span, Transcript
from caesura.text.alignment.word_alignment import Alignment, align

ON_PAIRS = frozenset({"start", "end", "speaker"})
"""Columns that are right for a word in the same place even if it is another word."""


def placed(spans: Sequence[Span], alignment: Alignment) -> tuple[Span, ...]:
    """Put spans of source words on target words, from the first to the last in their place.

    One without such a word has none: its `first` is the word before which it should stand,
    its `last` the one before that.
    """
    target = alignment.target
    before = [-1, *alignment.gaps.tolist()]
    beyond = np.where(target < 0, len(alignment.source), target)
    after = np.minimum.accumulate(beyond[::-1])[::-1].tolist()
    made = []
    for span in spans:
        last = before[span.last + 1]
        first = last + 1 if last == before[span.first] else after[span.first]
        made.append(span._replace(first=first, last=last))
    return tuple(made)


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
            spans = placed(layer, aligned)
            changes[name] = tuple(span for span in spans if span.last >= span.first)
            lost_entities = len(layer) - len(changes[name])
        elif name in ("multiwords", "alternatives"):
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


LONGEST = 1000
"""Words of a stretch beyond which its sides are hardly the same speech."""

DIGIT = re.compile(r"\d")

LETTERS = 4
"""How many letters a digit stands for, as it is mostly read as a word of its own."""


def by_characters(aligned: Alignment, source: Sequence[str], target: Sequence[str]) -> Indices:
    """Give the target gap of each source gap, -1 where there is none before it.

    A gap next to an equal word, or in a stretch that one side lacks, goes after the last target
    word that stands at or before it. Where words were replaced by others, a gap goes to the one
    nearest to it when the characters of both are aligned; the last one to the last one.
    """
    gaps = aligned.gaps.copy()
    place = aligned.equal_target
    matched = np.flatnonzero(place >= 0)
    ours = np.concatenate([[-1], matched, [len(source)]])
    theirs = np.concatenate([[-1], place[matched], [len(target)]])
    both = (np.diff(ours) > 1) & (np.diff(theirs) > 1)
    for at in np.flatnonzero(both & (np.diff(ours) + np.diff(theirs) <= LONGEST)).tolist():
        first, last = int(ours[at]) + 1, int(ours[at + 1])
        start, end = int(theirs[at]) + 1, int(theirs[at + 1])
        gaps[first:last] = start - 1 + _nearest(source[first:last], target[start:end])
    return gaps


def _nearest(source: Sequence[str], target: Sequence[str]) -> Indices:
    """Count the target words before the gap that is nearest to each source gap."""
    ours, theirs = list(map(_spelt, source)), list(map(_spelt, target))
    ends = np.cumsum(list(map(len, ours)))
    reached = _reached("".join(ours), "".join(theirs))[ends]
    gaps = np.cumsum([0, *map(len, theirs)])
    reached[-1] = gaps[-1]
    nearest: Indices = np.abs(reached[:, np.newaxis] - gaps).argmin(axis=1)
    return nearest


def _reached(source: str, target: str) -> Floats:
    """Count the target characters that stand at or before each place in the source."""
    reached = np.zeros(len(source) + 1)
    for step in Levenshtein.opcodes(source, target):
        inside = slice(step.src_start + 1, step.src_end + 1)
        reached[inside] = step.dest_start
        if step.tag in ("equal", "replace"):
            reached[inside] += np.arange(1, step.src_end - step.src_start + 1)
    return reached


def _spelt(word: str) -> str:
    return DIGIT.sub(lambda found: found[0] * LETTERS, word)
