"""The texts of the study: calls with entities, their recognised words, and written text."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from caesura.core.errors import FormatError
from caesura.core.transcript import Span, Transcript
from caesura.evaluation.correlation import FEWEST_SYSTEMS
from caesura.formats.files import read_file
from caesura.formats.sidecars import with_sidecars
from caesura.text.entity_projection import SPELLING_CLASSES, drop_overlaps
from caesura.text.normalization.steps import normalize
from caesura.text.normalization.token_edits import replace_words
from caesura_studies.atene.text_preparation import (
    SPELT,
    THREE,
    Preparation,
    complete_numbers,
    learner_view,
    spell_numbers,
)

logger = logging.getLogger("caesura.studies")

CLITIC = re.compile(r"n't|['’](s|re|ve|ll|d|m)", re.IGNORECASE)


def join_clitics(transcript: Transcript) -> Transcript:
    """Join `it` and `'s`, `do` and `n't`; an entity on one part then covers the whole word.

    Other layers follow as in `replace_words`: the tags of joined words are unknown.
    """
    joined: list[Span] = []
    for at, (before, word) in enumerate(pairwise(transcript.words)):
        if CLITIC.fullmatch(word) and before[-1:].isalpha():
            chained = bool(joined) and joined[-1].last == at
            whole = joined.pop() if chained else Span(at, at, before)
            joined.append(whole._replace(last=at + 1, label=whole.label + word))
    return replace_words(transcript, joined)


NER = "ner"
FILES = ("wikigold/*.conll.txt", "wnut17/*/*", "btc/*.conll", "sec-filings/*/*.txt")


def read_written(data: Path) -> list[Transcript]:
    """Read the written texts below `data`, if any: persons, places and organisations.

    Words are as in the calls, where `it's` is one word and not two.
    """
    files = sorted(file for pattern in FILES for file in (data / NER).glob(pattern))
    logger.info("reading %d files of %s", len(files), NER)
    texts = (each for file in files for each in read_file(file, "bio"))
    return [THREE.of(prepare(join_clitics(each), SPELT)) for each in texts if len(each)]


CALLS = "earnings21"
REFERENCES, RECOGNISERS = "references", "recognisers"
ALTERNATIVES, ENTITY_CLASSES = "normalizations", "wer_tags"
"""Folders of sidecar files, which are optional."""

STEPS = ("events", "dots", "punctuation", "fillers", "hyphens")
"""Normalization of all texts, besides lower case."""

KEPT = ("entities", "alternatives", "start", "end")

NUMBER = "CARDINAL"
MERGED = {"YEAR": "DATE"} | dict.fromkeys(("FAC", "WORK_OF_ART", "LAW", "LANGUAGE"), "OTHER")
"""Classes that are merged with another, or are too rare to train on."""

PARTS = 4
"""Parts of the calls: while two are evaluated, one trains taggers and one trains ATENE."""


@dataclass(frozen=True)
class Calls:
    """References by name of the call, and the recognised words by recogniser and call."""

    references: Mapping[str, Transcript]
    recognised: Mapping[str, Mapping[str, Transcript]]
    read: Mapping[str, Mapping[str, Transcript]]
    """All of them as read, the references under `REFERENCES`."""

    preparation: Preparation

    @classmethod
    def of(cls, texts: Mapping[str, Mapping[str, Transcript]], preparation: Preparation) -> Calls:
        """Prepare texts, the references among them under `REFERENCES`."""
        recognised = {
            name: {id: prepare(each, preparation) for id, each in calls.items()}
            for name, calls in texts.items()
        }
        return cls(recognised.pop(REFERENCES), recognised, texts, preparation)

    def training_examples(self, part: int) -> list[Transcript]:
        """Return the references of every fourth call as learners see them."""
        return [learner_view(flattened(each), self.preparation) for each in self._part(part)]

    def _part(self, number: int) -> list[Transcript]:
        return list(self.references.values())[number::PARTS]

    @property
    def halves(self) -> list[Half]:
        """For each half of the calls, the parts for training."""
        names = list(self.references)
        found = []
        for measured, (taggers, atene) in (((0, 1), (2, 3)), ((2, 3), (0, 1))):
            ids = [name for at, name in enumerate(names) if at % PARTS in measured]
            found.append(Half(tuple(ids), taggers, atene))
        return found


@dataclass(frozen=True)
class Half:
    """Calls for evaluation, and the parts that train taggers and ATENE."""

    ids: tuple[str, ...]
    taggers: int
    atene: int


def read_calls(data: Path, preparation: Preparation = SPELT) -> Calls:
    """Read the calls below `data` that have entities, and all recognisers that have them."""
    folder = data / CALLS
    logger.info("reading %s", CALLS)
    texts = {REFERENCES: {each.id: each for each in _read_references(folder)}}
    references = texts[REFERENCES]
    if len(references) < PARTS:
        raise FormatError(
            f"the study takes {PARTS} calls with entities, and there are {len(references)}",
            where=str(folder / REFERENCES),
            remedy=f"give a folder that holds {CALLS}/{REFERENCES}/*.nlp",
        )
    for place in sorted(each for each in (folder / RECOGNISERS).glob("*") if each.is_dir()):
        found = {each.id: each for each in _read_recordings(place)}
        if found.keys() >= references.keys():
            texts[place.name] = {name: found[name] for name in references}
        else:
            logger.warning("%s is left out: it lacks calls", place.name)
    if len(texts) - 1 < FEWEST_SYSTEMS:
        raise FormatError(
            f"the study takes {FEWEST_SYSTEMS} recognisers with all calls, "
            f"and there are {len(texts) - 1}",
            where=str(folder / RECOGNISERS),
            remedy=f"give a folder that holds {CALLS}/{RECOGNISERS}/NAME/*.nlp or *.ctm",
        )
    return Calls.of(texts, preparation)


def _read_recordings(folder: Path, format: str | None = None) -> list[Transcript]:
    files = sorted(file for kind in ("nlp", "ctm") for file in folder.glob(f"*.{kind}"))
    return sorted((each for file in files for each in read_file(file, format)), key=lambda e: e.id)


def _read_references(folder: Path) -> list[Transcript]:
    """Read references with all their marks; spans are numbered because ids may repeat."""
    found = _read_recordings(folder / REFERENCES, "nlp(entities='both')")
    alternatives, entity_classes = (
        [folder / name] if (folder / name).is_dir() else []
        for name in (ALTERNATIVES, ENTITY_CLASSES)
    )
    return [
        call.replace(
            entities=tuple(s._replace(key=str(at)) for at, s in enumerate(call.entities or ()))
        )
        for call in with_sidecars(found, alternatives, entity_classes)
        if flat_entities(call.entities or ())
    ]


def prepare(call: Transcript, preparation: Preparation) -> Transcript:
    """Normalize a text; a text entirely in capitals is made lower case."""
    found = normalize(complete_numbers(call).only((*KEPT, "opening", "mark")), STEPS).only(KEPT)
    found = lower(found) if " ".join(found.words).isupper() else found
    return (spell_numbers(found) if preparation.spelt else found).replace(
        origin=None, language="en"
    )


def flat_entities(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Drop marks that are no entities, and of overlapping entities all but the longest.

    A number that is also a year, for example, is only a year.
    """
    kept = [span for span in spans if span.label and span.label not in SPELLING_CLASSES]
    special = {(span.first, span.last) for span in kept if span.label != NUMBER}
    return drop_overlaps(s for s in kept if s.label != NUMBER or (s.first, s.last) not in special)


def merge_classes(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Give entities the classes that taggers must find."""
    return tuple(span._replace(label=MERGED.get(span.label, span.label)) for span in spans)


def flattened(call: Transcript) -> Transcript:
    """Return a call with entities that do not overlap, of the classes that taggers must find."""
    return call.replace(entities=merge_classes(flat_entities(call.entities or ())))


def lower(call: Transcript) -> Transcript:
    """Make a text lower case."""
    return normalize(call, ("case",))
