"""Transfer layers (sentences, times, entities, ...) to the words of another text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from caesura.core.arrays import MISSING, TIMES, Floats, Indices
from caesura.core.errors import LayerError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import LAYERS, Span, Transcript
from caesura.text.alignment.word_alignment import Alignment, align


def project_spans(spans: Sequence[Span], alignment: Alignment) -> tuple[Span, ...]:
    """Move spans of source words to target words, from the first to the last aligned one.

    A span without aligned words is empty: its `first` is the word before which it should stand,
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
class Transferred:
    """A target text with layers of a source, and what could not be transferred."""

    transcript: Transcript
    alignment: Alignment
    lost_boundaries: Indices
    """The gaps nearest to boundaries of the source that have no gap in the target."""
    lost_entities: int


def transfer_layers(
    source: Transcript,
    target: Transcript,
    layers: Iterable[str] = ("sentences", "start", "end", "entities", "speaker"),
    alignment: Alignment | None = None,
    gaps: Indices | None = None,
) -> Transferred:
    """Transfer the layers of `source` to the words of `target`.

    A boundary goes, with its label and evidence, after the last target word aligned at or before
    it, and replaces the boundaries of the target. Times and speakers go to every aligned word,
    other columns only to equal words. An entity covers the words from the first to the last
    aligned one; a multiword token needs all its words. An inserted word has the speaker of the
    word before it. Pass an `alignment` to compare the texts under another spelling, and `gaps`
    (the target gap of each source gap, -1 for none) to place boundaries differently.
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
            changes[name], lost_boundaries = _move_sentences(layer, place, len(target))
        elif name == "entities":
            spans = project_spans(layer, aligned)
            changes[name] = tuple(span for span in spans if span.last >= span.first)
            lost_entities = len(layer) - len(changes[name])
        elif name in ("multiwords", "alternatives"):
            changes[name] = _move_multiwords(layer, aligned.equal_target)
        else:
            changes[name] = _move_column(name, layer, aligned)
    return Transferred(target.replace(**changes), aligned, lost_boundaries, lost_entities)


def _move_sentences(
    sentences: Segmentation, place: Indices, count: int
) -> tuple[Segmentation, Indices]:
    """Move boundaries; those without a word before them, or at the same gap, are lost.

    The end of the source becomes the end of the target.
    """
    place = place.copy()
    place[-1:] = count - 1
    moved = sentences.moved(place, count)
    inside = place[sentences.gaps[:-1]]
    lost = (inside < 0) | (inside == count - 1)
    lost[1:] |= np.diff(inside) == 0
    return moved, inside[lost].clip(min=0)


def _move_multiwords(spans: tuple[Span, ...], place: Indices) -> tuple[Span, ...]:
    """Move spans all of whose words are in the target, contiguously."""
    moved = []
    for span in spans:
        inside = place[span.first : span.last + 1]
        if inside[0] >= 0 and (np.diff(inside) == 1).all():
            moved.append(span._replace(first=int(inside[0]), last=int(inside[-1])))
    return tuple(moved)


def _move_column(name: str, layer: Any, aligned: Alignment) -> Any:
    if name == "head":
        return _move_heads(layer, aligned)
    if name == "evidence":
        return layer.map_columns(lambda cells: _move_column("confidence", cells, aligned))
    if name == "speaker":
        return _move_speakers(layer, aligned.source)
    known = aligned.source >= 0 if name in TIMES else aligned.equal
    if isinstance(layer, tuple):
        pairs = zip(known.tolist(), aligned.source.tolist(), strict=True)
        return tuple(layer[at] if here else MISSING[name] for here, at in pairs)
    column = np.full(len(known), MISSING[name])
    column[known] = layer[aligned.source[known]]
    return column


def _move_heads(head: Indices, aligned: Alignment) -> Indices:
    """Move heads between words that both have an equal counterpart."""
    place = np.append(aligned.equal_target, -1)
    column = np.full_like(aligned.source, -1)
    column[aligned.equal] = place[head[aligned.source[aligned.equal]]]
    return column


def _move_speakers(speaker: tuple[str, ...], source: Indices) -> tuple[str, ...]:
    latest = np.maximum.accumulate(source)
    first = next((speaker[at] for at in source.tolist() if at >= 0), "")
    return tuple(speaker[at] if at >= 0 else first for at in latest.tolist())


MAX_REPLACED = 1000
"""The most words, of both sides together, from one pair of equal words to the next.

With more words between them, both texts hardly say the same."""

DIGIT = re.compile(r"\d")

LETTERS_PER_DIGIT = 4
"""How many letters a digit counts as, because it is mostly read as a word."""


def gaps_by_characters(aligned: Alignment, source: Sequence[str], target: Sequence[str]) -> Indices:
    """Return the target gap of each source gap, -1 if there is none before it.

    A gap next to an equal word, or among words that one side lacks, goes after the last target
    word aligned at or before it. Among replaced words, a gap goes to the nearest one in an
    alignment of the characters, and the last gap to the last.
    """
    gaps = aligned.gaps.copy()
    place = aligned.equal_target
    matched = np.flatnonzero(place >= 0)
    ours = np.concatenate([[-1], matched, [len(source)]])
    theirs = np.concatenate([[-1], place[matched], [len(target)]])
    both = (np.diff(ours) > 1) & (np.diff(theirs) > 1)
    for at in np.flatnonzero(both & (np.diff(ours) + np.diff(theirs) <= MAX_REPLACED)).tolist():
        first, last = int(ours[at]) + 1, int(ours[at + 1])
        start, end = int(theirs[at]) + 1, int(theirs[at + 1])
        gaps[first:last] = start - 1 + _nearest_gaps(source[first:last], target[start:end])
    return gaps


def _nearest_gaps(source: Sequence[str], target: Sequence[str]) -> Indices:
    """Count the target words before the gap that is nearest to each source gap."""
    ours, theirs = list(map(_widen_digits, source)), list(map(_widen_digits, target))
    ends = np.cumsum(list(map(len, ours)))
    reached = _characters_reached("".join(ours), "".join(theirs))[ends]
    gaps = np.cumsum([0, *map(len, theirs)])
    reached[-1] = gaps[-1]
    nearest: Indices = np.abs(reached[:, np.newaxis] - gaps).argmin(axis=1)
    return nearest


def _characters_reached(source: str, target: str) -> Floats:
    """Count the target characters at or before each place in the source."""
    reached = np.zeros(len(source) + 1)
    for step in Levenshtein.opcodes(source, target):
        inside = slice(step.src_start + 1, step.src_end + 1)
        reached[inside] = step.dest_start
        if step.tag in ("equal", "replace"):
            reached[inside] += np.arange(1, step.src_end - step.src_start + 1)
    return reached


def _widen_digits(word: str) -> str:
    return DIGIT.sub(lambda found: found[0] * LETTERS_PER_DIGIT, word)
