"""Classes of names: which words begin, end or belong to one, and classes that are the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.transcript import Span, Transcript
from caesura.text.entity_spans import SPELLINGS, flat

OTHERWISE = {
    "PER": "person people pers psn",
    "LOC": "location geo-loc geoloc place",
    "ORG": "organization organisation",
    "MISC": "miscellaneous",
}
"""Other names of the classes that most corpora have, in lower case."""

WITHIN = {
    "LOC": "gpe fac facility",
    "ORG": "corporation company group",
    "MISC": "norp product event work_of_art creative-work law language",
}
"""Classes that some corpora tell apart, and others count among these."""

ALIKE = {
    other: name for name, others in OTHERWISE.items() for other in (name.lower(), *others.split())
}
SAME = ALIKE | {narrow: name for name, some in WITHIN.items() for narrow in some.split()}


def called(label: str, classes: Sequence[str]) -> str | None:
    """Give the class, of those named, that a label means: itself, or another name of the same."""
    if label in classes:
        return label
    for table in (ALIKE, SAME):
        usual = table.get(label.lower())
        for each in classes:
            if usual and table.get(each.lower()) == usual:
                return each
    return None


def learnable(labels: Iterable[str]) -> Strings:
    """Give the classes that can be learnt from names with these labels, in order.

    Labels that are empty or tell of spelling are none; other names of one class are one, the
    first of them. Classes that a corpus tells apart, such as GPE and LOC, stay apart.
    """
    found: dict[str, str] = {}
    for label in sorted(set(labels) - {"", *SPELLINGS}):
        found.setdefault(ALIKE.get(label.lower(), label), label)
    return tuple(found.values())


def names(transcript: Transcript, classes: Sequence[str]) -> tuple[Span, ...]:
    """Give the names of a text, flat, whose classes are among those named, as these are called."""
    meant = [(span, called(span.label, classes)) for span in transcript.entities or ()]
    return flat(span._replace(label=label) for span, label in meant if label is not None)


def numbered(transcript: Transcript, classes: Strings) -> tuple[Indices, Indices, Indices]:
    """Number the class that begins at each word, that ends there, and that it belongs to.

    Classes are numbered from 1 on; 0 is no name.
    """
    start, end, inside = (np.zeros(len(transcript), np.int64) for _ in range(3))
    for span in names(transcript, classes):
        number = classes.index(span.label) + 1
        start[span.first] = end[span.last] = number
        inside[span.first : span.last + 1] = number
    return start, end, inside
