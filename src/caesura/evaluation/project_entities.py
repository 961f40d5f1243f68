"""Project the entities of references onto recognised words, recording by recording."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.config import check_texts
from caesura.core.errors import LayerError, UnknownName
from caesura.core.protocols import Format
from caesura.core.transcript import Transcript
from caesura.evaluation.pairing import pair_recordings
from caesura.formats.files import Input, Inputs, read, read_each
from caesura.formats.sidecars import Paths, with_sidecars
from caesura.metrics.base import is_mismatch
from caesura.text.alignment.word_alignment import align
from caesura.text.entity_projection import COLLAR, Projected, clocks_differ, comparable_words
from caesura.text.entity_projection import project as projected
from caesura.text.normalization.alternatives import choose_alternatives
from caesura.text.phonetics import LETTERS, check_source

logger = logging.getLogger("caesura")

NAMED_RECORDINGS = 3
"""The most recordings that a warning names."""

FEW_RECOGNISED = (
    "less than half of the words of the reference were recognised in %s: are they the same "
    "recordings, in the same language?"
)
TIMES_DIFFER = (
    "the times of %s are too far from those of the reference to be of use: entities were found by "
    "alignment"
)


@dataclass(frozen=True)
class Projection:
    """A recording with the entities of its reference, and how each of them was found."""

    transcript: Transcript
    reference: Transcript
    projected: tuple[Projected, ...]

    def select(self, lost: bool = False) -> list[Projected]:
        """Return all entities, or only those that were not found."""
        return [one for one in self.projected if not (lost and one.found)]

    def describe(self, one: Projected) -> dict[str, Any]:
        """Return the words of an entity on both sides, and its time, for JSON."""
        first, last, label, key = one.entity
        start = _first_start(self.reference, first, last)
        return {
            "class": label,
            "key": key,
            "reference": [first, last],
            "reference_words": " ".join(self.reference.words[first : last + 1]),
            "recognised": [one.first, one.last],
            "recognised_words": " ".join(self.transcript.words[one.first : one.last + 1]),
            "by": one.by,
            "distance": one.distance,
            "start": _first_start(self.transcript, one.first, one.last) if start is None else start,
        }


def count_projected(projections: Iterable[Projection]) -> dict[str, int]:
    """Count the entities, and how many were found by time, by alignment, or not at all."""
    ways = [entity.by for projection in projections for entity in projection.projected]
    return {"entities": len(ways)} | {by: ways.count(by) for by in ("time", "alignment", "lost")}


def _first_start(transcript: Transcript, first: int, last: int) -> float | None:
    """Return the first start time that is known among these words."""
    if transcript.start is None:
        return None
    known = transcript.start[first : last + 1]
    known = known[np.isfinite(known)]
    return float(known[0]) if len(known) else None


def _keep_classes(references: list[Transcript], classes: Strings) -> list[Transcript]:
    """Keep only entities of these classes; all if no class is named."""
    if not classes:
        return references
    known = {span.label for one in references for span in one.entities or ()}
    for label in classes:
        if known and label not in known:
            raise UnknownName(
                f"no entity of the reference is a {label!r}",
                remedy=f"its classes are {', '.join(sorted(known))}",
            )
    return [
        one.replace(
            entities=one.entities and tuple(span for span in one.entities if span.label in classes)
        )
        for one in references
    ]


def project(
    hypothesis: Input | Iterable[Input],
    *,
    reference: Inputs,
    alternatives: Paths = (),
    entity_classes: Paths = (),
    classes: Strings = (),
    collar: float = COLLAR,
    phones: str = LETTERS,
    format: str | Format | None = None,
    reference_format: str | Format | None = None,
) -> Iterator[Projection]:
    """Find the recognised words of each entity of the references.

    Recordings are paired by id. Where both sides have times, entities are looked for within
    `collar` seconds by how words sound, elsewhere by an alignment of words; `phones` come from
    'letters', or from a 'dictionary'. `alternatives` are files or folders of alternative
    transcriptions of the references: the one nearest to what was recognised is looked for.
    `entity_classes` are files or folders of classes of their entities. Only entities of these
    `classes` are looked for (none named: all).
    """
    check_source(phones)
    recordings = list(read(hypothesis, format=format))
    _, references = read_each(reference, reference_format, format)
    all = with_sidecars((one for part in references for one in part), alternatives, entity_classes)
    all = _keep_classes(all, check_texts("classes", classes))
    doubtful: list[str] = []
    apart: list[str] = []
    for ours, (annotated,) in pair_recordings(recordings, [all]):
        if annotated.entities is None:
            raise LayerError(
                "the reference has no entities",
                where=annotated.origin.file if annotated.origin else annotated.id,
                remedy="give one with entities, such as BIO columns, JSONL or .nlp",
            )
        theirs = choose_alternatives(annotated, ours.words) if annotated.alternatives else annotated
        spoken, their_places = comparable_words(theirs)
        heard, our_places = comparable_words(ours)
        alignment = align(spoken.words, heard.words)
        name = ours.id or "a recording"
        if is_mismatch(len(spoken), alignment.hits):
            doubtful.append(f"{name} ({alignment.hits / len(spoken):.0%})")
        if clocks_differ(spoken, heard, alignment, collar):
            apart.append(name)
        plain = projected(spoken, heard, collar, alignment, phones)
        entities = tuple(
            _to_original_words(one, their_places, np.append(our_places, len(ours))) for one in plain
        )
        spans = [
            one.entity._replace(first=one.first, last=one.last) for one in entities if one.found
        ]
        yield Projection(ours.replace(entities=tuple(spans)), theirs, entities)
    _warn(FEW_RECOGNISED, doubtful)
    _warn(TIMES_DIFFER, apart)


def _to_original_words(one: Projected, their_places: Indices, our_places: Indices) -> Projected:
    """Translate the places of an entity back to the words before punctuation was removed."""
    entity = one.entity
    first, last = (int(their_places[at]) for at in (entity.first, entity.last))
    begin = int(our_places[one.first])
    end = int(our_places[one.last]) if one.found else begin - 1
    return one._replace(entity=entity._replace(first=first, last=last), first=begin, last=end)


def _warn(what: str, recordings: list[str]) -> None:
    """Log a warning that names the recordings."""
    if recordings:
        more = (
            f" and {len(recordings) - NAMED_RECORDINGS} more"
            if len(recordings) > NAMED_RECORDINGS
            else ""
        )
        logger.warning(what, ", ".join(recordings[:NAMED_RECORDINGS]) + more)
