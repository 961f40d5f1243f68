"""The classes of gaps: none, and a boundary or several kinds of punctuation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.config import strings
from caesura.core.transcript import Transcript

WITHIN = frozenset(",:-–—")
"""Punctuation that does not end a sentence."""


def checked(classes: object) -> Strings:
    """Check a setting `classes`: different labels, at least one of which ends sentences."""
    found = strings("classes", classes)
    if "" in found or len(set(found)) < len(found):
        raise ValueError(f"classes are different labels, not {classes!r}")
    if found and WITHIN.issuperset(found):
        raise ValueError(f"none of the classes {', '.join(found)} ends a sentence")
    return found


def count(classes: Strings) -> int:
    """How many classes there are, none included."""
    return max(len(classes), 1) + 1


def ends(classes: Strings) -> Flags:
    """Which classes end a sentence, none included."""
    return np.array([False, *(label not in WITHIN for label in classes or (".",))])


def of_gaps(transcript: Transcript, classes: Strings) -> Indices | None:
    """Number the class of each gap: 0 for none; None if sentences are not known.

    A boundary has the class of its label or else its mark, or the first class that ends
    sentences; elsewhere a label or a mark that does not end sentences counts.
    """
    found = transcript.sentences
    if found is None:
        return None
    numbers: Indices = found.boundary.astype(np.int64)
    if not classes:
        return numbers
    labels = found.label or ("",) * len(found)
    marks = transcript.mark or ("",) * len(transcript)
    inside = {label: at for at, label in enumerate(classes, 1) if label in WITHIN}
    ending = {label: at for at, label in enumerate(classes, 1) if label not in WITHIN}
    usual = next(iter(ending.values()))
    for gap in found.gaps.tolist():
        numbers[gap] = _first((labels[gap], *marks[gap]), ending) or usual
    if inside:
        for gap in np.flatnonzero(~found.boundary).tolist():
            numbers[gap] = _first((labels[gap], *marks[gap]), inside)
    return numbers


def _first(written: Strings, known: dict[str, int]) -> int:
    return next((known[sign] for sign in written if sign in known), 0)


def likeliest(weights: Floats, is_end: Flags, classes: Strings) -> Indices:
    """Number the heaviest of the classes that end a sentence, or of those that do not."""
    fits = ends(classes) == is_end[:, None]
    found: Indices = np.where(fits, weights, -np.inf).argmax(axis=1)
    return found


def labels(numbers: Sequence[int], classes: Strings) -> Strings:
    """Write the classes of gaps as labels."""
    names = ("", *classes)
    return tuple(names[number] for number in numbers)
