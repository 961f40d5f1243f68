"""Classes of names: which words begin, end or belong to one, and classes that are the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.columns import Indices, Strings
from caesura.text.spans import flat
from caesura.transcript import Span, Transcript

USUAL = {
    "PER": "person people pers psn",
    "LOC": "location gpe fac facility geo-loc geoloc place",
    "ORG": "organization organisation corporation company group",
    "MISC": "miscellaneous norp product event work_of_art creative-work law language",
}
"""Other names of the classes that most corpora have, in lower case."""

SAME = {other: name for name, others in USUAL.items() for other in (name.lower(), *others.split())}


def called(label: str, classes: Sequence[str]) -> str | None:
    """Give the class, of those named, that a label means: itself, or another name of the same."""
    if label in classes:
        return label
    usual = SAME.get(label.lower())
    meant = (each for each in classes if usual and SAME.get(each.lower()) == usual)
    return next(meant, None)


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
