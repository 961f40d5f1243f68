"""Classes of named entities: synonyms such as PER and PERSON, and the classes of each word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.errors import LayerError
from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging.linear import label_problem, logger
from caesura.text.entity_projection import SPELLING_CLASSES, drop_overlaps

SYNONYMS = {
    "PER": "person people pers psn",
    "LOC": "location geo-loc geoloc place",
    "ORG": "organization organisation",
    "MISC": "miscellaneous",
}
"""Other names of the classes that most corpora have, in lower case."""

SUBCLASSES = {
    "LOC": "gpe fac facility",
    "ORG": "corporation company group",
    "MISC": "norp product event work_of_art creative-work law language",
}
"""Classes that some corpora have of their own, and others count among these."""

CLASS_OF_SYNONYM = {
    synonym: name
    for name, synonyms in SYNONYMS.items()
    for synonym in (name.lower(), *synonyms.split())
}
CLASS_OF_ANY = CLASS_OF_SYNONYM | {
    narrow: name for name, names in SUBCLASSES.items() for narrow in names.split()
}
"""The usual class of each synonym, and of each synonym and subclass; in lower case."""


def matching_class(label: str, classes: Sequence[str]) -> str | None:
    """Return the one of `classes` that a label means: itself, a synonym, or a wider class."""
    if label in classes:
        return label
    for table in (CLASS_OF_SYNONYM, CLASS_OF_ANY):
        usual = table.get(label.lower())
        for name in classes:
            if usual and table.get(name.lower()) == usual:
                return name
    return None


def distinct_classes(labels: Iterable[str]) -> Strings:
    """Return the classes that can be trained on entities with these labels, in order.

    Empty labels and those that tell of spelling are left out. Synonyms are one class, called by
    the first of them. Classes that a corpus keeps apart, such as GPE and LOC, stay apart.
    """
    found: dict[str, str] = {}
    for label in sorted(set(labels) - {"", *SPELLING_CLASSES}):
        found.setdefault(CLASS_OF_SYNONYM.get(label.lower(), label), label)
    return tuple(found.values())


def training_classes(texts: Sequence[Transcript], count: int) -> Strings:
    """Return the classes of the entities in texts, which are some of `count` recordings."""
    labels = {span.label for each in texts for span in each.entities or ()}
    classes = distinct_classes(labels)
    if not classes:
        raise LayerError(
            f"none of {count} recordings has entities with a class",
            remedy="train on text with entities, such as columns in bio",
        )
    if problem := label_problem(classes, "classes"):
        raise LayerError(problem, remedy="are these the names of classes?")
    left_out = [label or "unnamed" for label in labels if matching_class(label, classes) is None]
    if left_out:
        logger.info("  left out: %s", ", ".join(sorted(left_out)))
    return classes


def entities_of_classes(transcript: Transcript, classes: Sequence[str]) -> tuple[Span, ...]:
    """Return the entities of the given classes, labelled with these, without overlaps."""
    matched = [(span, matching_class(span.label, classes)) for span in transcript.entities or ()]
    return drop_overlaps(span._replace(label=label) for span, label in matched if label is not None)


def entity_labels(transcript: Transcript, classes: Strings) -> tuple[Indices, Indices, Indices]:
    """Number the class that begins at each word, that ends there, and that it is inside.

    Classes are numbered from 1; 0 is no entity.
    """
    start, end, inside = (np.zeros(len(transcript), np.int64) for _ in range(3))
    for span in entities_of_classes(transcript, classes):
        number = classes.index(span.label) + 1
        start[span.first] = end[span.last] = number
        inside[span.first : span.last + 1] = number
    return start, end, inside
