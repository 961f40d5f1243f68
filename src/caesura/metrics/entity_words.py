"""Word errors inside entities, by class, and remarks about classes of entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.errors import closest_name, same_name
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Span
from caesura.core.values import Counts
from caesura.metrics.words import COUNT_NAMES
from caesura.text.alignment.word_alignment import Alignment
from caesura.text.entity_projection import SPELLING_CLASSES

UNNAMED = "unnamed"
"""The name for entities without a class."""

CLASS_PREFIXES = ("ne_words_", "ne_errors_")
"""The prefixes of counts of the words of a class."""

INSERTIONS = ("inside", "edges", "none")


@dataclass(frozen=True)
class EntityWords:
    """The words of entities that do not overlap, and words inserted into them, with outcomes.

    Columns with a cell for each such word: its entity, its outcome (an index into
    `COUNT_NAMES`), and the word of the hypothesis at which it is counted.
    """

    spans: tuple[Span, ...]
    owner: Indices
    outcome: Indices
    place: Indices
    size: int

    @classmethod
    def of(cls, spans: tuple[Span, ...], aligned: Alignment, insertions: str) -> EntityWords:
        """Find the outcomes in an alignment."""
        owner = np.full(aligned.source_length + 1, -1, np.int64)
        for number, span in enumerate(spans):
            owner[span.first : span.last + 1] = number
        words = np.flatnonzero(owner >= 0)
        outcome = np.where(aligned.equal_target >= 0, 0, np.where(aligned.target >= 0, 1, 2))
        into = _insertion_owners(owner, aligned, insertions)
        added = np.flatnonzero(into >= 0)
        return cls(
            spans,
            np.append(owner[words], into[added]),
            np.append(outcome[words], np.full(len(added), 3)),
            np.append(aligned.gaps[words].clip(min=0), added),
            max(1, len(aligned.source)),
        )

    @property
    def errors(self) -> Indices:
        """The number of word errors of each entity."""
        return np.bincount(self.owner[self.outcome > 0], minlength=len(self.spans))

    def columns(self) -> PerGapCounts:
        """Yield the outcomes of words, and the words and errors of each class."""
        for number, name in enumerate(COUNT_NAMES):
            yield f"ne_{name}", self._column(self.outcome == number)
        labels = sorted({span.label for span in self.spans})
        classes = np.array([labels.index(span.label) for span in self.spans], np.int64)[self.owner]
        for number, label in enumerate(labels):
            here = classes == number
            yield f"ne_words_{class_suffix(label)}", self._column(here & (self.outcome < 3))
            yield f"ne_errors_{class_suffix(label)}", self._column(here & (self.outcome > 0))

    def _column(self, which: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Indices:
        return np.bincount(self.place[which], minlength=self.size)


def _insertion_owners(owner: Indices, aligned: Alignment, insertions: str) -> Indices:
    """Return the entity into which each word of the hypothesis was inserted, or -1."""
    source, none = aligned.source, aligned.source_length
    if insertions == "none" or not len(source):
        return np.full(len(source), -1)
    before = owner[np.maximum.accumulate(source)]
    after = owner[np.minimum.accumulate(np.where(source < 0, none, source)[::-1])[::-1]]
    inside = np.where(before == after, before, -1)
    into = inside if insertions == "inside" else np.where(before >= 0, before, after)
    return np.where(source < 0, into, -1)


def class_suffix(label: str) -> str:
    """Return a class as the end of a name, so that its digits are not read as a reference number.

    An entity without a class is `unnamed`.
    """
    if not label:
        return UNNAMED
    head = label.rstrip("_")
    digits = head[len(head.rstrip("0123456789")) :]
    stem = head[: len(head) - len(digits)]
    return label + "_" if digits and (not stem or stem.endswith("_")) else label


@lru_cache(maxsize=1 << 8)
def sort_names(names: Strings) -> list[str]:
    """Sort names of counts: those of all words first, then those of each class together."""

    def place(name: str) -> tuple[int, str, int]:
        for at, front in enumerate(CLASS_PREFIXES):
            if name.startswith(front):
                return 1, name.removeprefix(front), at
        return 0 if name.startswith("ne_") else 2, "", 0

    return sorted(names, key=place)


def classes_in(names: Sequence[str]) -> list[str]:
    """Return the classes, as written in these names of counts."""
    front = CLASS_PREFIXES[0]
    return sorted(name.removeprefix(front) for name in names if name.startswith(front))


LEFT_OUT_PREFIX = "left_out_"
COUNTED_PREFIX = "counted_"
"""The prefixes of counts of entities by class: those left out, and those that count."""

MAX_LISTED = 8
"""How many classes are listed."""

REV_HINT = (
    "the names of Rev's transcripts are read with --reference-format \"nlp(entities='both')\" "
    "and --entity-classes of their wer_tags"
)


def class_columns(spans: Iterable[Span], size: int, front: str = LEFT_OUT_PREFIX) -> PerGapCounts:
    """Yield the number of entities of each class, all counted at the first word."""
    for label, count in sorted(Counter(span.label for span in spans).items()):
        yield f"{front}{class_suffix(label)}", np.eye(1, size, dtype=np.int64)[0] * count


def class_counts(counts: Counts, front: str = LEFT_OUT_PREFIX) -> dict[str, float]:
    """Return the number of entities of each class with this prefix, the most frequent first."""
    found = {
        _class_of_name(name, front): n for name, n in counts.items() if name.startswith(front) and n
    }
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def _class_of_name(name: str, front: str) -> str:
    """Undo what `class_suffix` does to classes that end in a number."""
    label = name.removeprefix(front)
    return label[:-1] if label.endswith("_") and class_suffix(label[:-1]) == label else label


def list_left_out(counts: Counts) -> str:
    """List the classes that were left out, up to a readable number."""
    return _listed(list(class_counts(counts)))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(names[:MAX_LISTED]) + more


def rev_remark(counts: Counts) -> list[str]:
    """Say how names of Rev's transcripts are read, if only classes of spelling were found."""
    lacking = not counts["entities"] and not {*SPELLING_CLASSES, UNNAMED}.isdisjoint(
        class_counts(counts)
    )
    return [REV_HINT] if lacking else []


def unknown_class_remarks(counts: Counts, classes: Strings) -> list[str]:
    """Warn about classes that were asked for or left out, but that no entity has.

    Classes of spelling are not reported: all are left out where only some occur.
    """
    known = [*class_counts(counts, COUNTED_PREFIX), *class_counts(counts)]
    remarks = []
    for label in classes:
        if label not in known and label not in SPELLING_CLASSES:
            meant = same_name(label, known) or closest_name(label, known)
            question = f": did you mean {meant!r}?" if meant else ""
            remarks.append(
                f"no entity in the reference is of class {label} (there are "
                f"{_listed(known)}){question}"
            )
    return remarks
