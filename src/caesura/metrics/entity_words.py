"""The words of entities: right, replaced, left out, and put in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.errors import closest, same
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Span
from caesura.core.values import Counts
from caesura.metrics.words import COUNTED
from caesura.text.alignment.word_alignment import Alignment
from caesura.text.entity_projection import SPELLING_CLASSES

UNNAMED = "unnamed"
"""What an entity without a class is called."""

OF_CLASS = ("ne_words_", "ne_errors_")
"""How counts of the words of a class begin."""

INSERTIONS = ("inside", "edges", "none")


@dataclass(frozen=True)
class Heard:
    """What became of each word of entities that do not overlap, and of words put into them.

    Columns with a cell for each such word: its entity, what became of it (a place in
    `COUNTED`), and the word of the hypothesis at which it counts.
    """

    spans: tuple[Span, ...]
    owner: Indices
    outcome: Indices
    place: Indices
    size: int

    @classmethod
    def of(cls, spans: tuple[Span, ...], aligned: Alignment, insertions: str) -> Heard:
        """Read it off an alignment."""
        owner = np.full(aligned.source_length + 1, -1, np.int64)
        for number, span in enumerate(spans):
            owner[span.first : span.last + 1] = number
        words = np.flatnonzero(owner >= 0)
        outcome = np.where(aligned.equal_target >= 0, 0, np.where(aligned.target >= 0, 1, 2))
        into = _owners(owner, aligned, insertions)
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
        """How many words of each entity are wrong."""
        return np.bincount(self.owner[self.outcome > 0], minlength=len(self.spans))

    def columns(self) -> PerGapCounts:
        """Count what became of words, and words and errors of each class."""
        for number, name in enumerate(COUNTED):
            yield f"ne_{name}", self._column(self.outcome == number)
        labels = sorted({span.label for span in self.spans})
        classes = np.array([labels.index(span.label) for span in self.spans], np.int64)[self.owner]
        for number, label in enumerate(labels):
            here = classes == number
            yield f"ne_words_{ended(label)}", self._column(here & (self.outcome < 3))
            yield f"ne_errors_{ended(label)}", self._column(here & (self.outcome > 0))

    def _column(self, which: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Indices:
        return np.bincount(self.place[which], minlength=self.size)


def _owners(owner: Indices, aligned: Alignment, insertions: str) -> Indices:
    """Give the entity to which each word of the hypothesis counts as put in, or -1."""
    source, none = aligned.source, aligned.source_length
    if insertions == "none" or not len(source):
        return np.full(len(source), -1)
    before = owner[np.maximum.accumulate(source)]
    after = owner[np.minimum.accumulate(np.where(source < 0, none, source)[::-1])[::-1]]
    inside = np.where(before == after, before, -1)
    into = inside if insertions == "inside" else np.where(before >= 0, before, after)
    return np.where(source < 0, into, -1)


def ended(label: str) -> str:
    """Write a class so that no number at its end is taken for that of a reference.

    No class at all is `unnamed`.
    """
    if not label:
        return UNNAMED
    head = label.rstrip("_")
    digits = head[len(head.rstrip("0123456789")) :]
    stem = head[: len(head) - len(digits)]
    return label + "_" if digits and (not stem or stem.endswith("_")) else label


@lru_cache(maxsize=1 << 8)
def ordered(names: Strings) -> list[str]:
    """Put counts of classes side by side, in the order of classes, after those of all words."""

    def place(name: str) -> tuple[int, str, int]:
        for at, front in enumerate(OF_CLASS):
            if name.startswith(front):
                return 1, name.removeprefix(front), at
        return 0 if name.startswith("ne_") else 2, "", 0

    return sorted(names, key=place)


def labels(names: Sequence[str]) -> list[str]:
    """Give the classes, as they are written, of counts with these names."""
    front = OF_CLASS[0]
    return sorted(name.removeprefix(front) for name in names if name.startswith(front))


LEFT_OUT = "left_out_"
COUNTED_CLASSES = "counted_"
"""How the names of counts of entities begin that do not count, and that do."""

MOST = 8
"""Classes that are named."""

REV = (
    "the names of Rev's transcripts are read with --reference-format \"nlp(entities='both')\" "
    "and --entity-classes of their wer_tags"
)


def left_out_columns(spans: Iterable[Span], size: int, front: str = LEFT_OUT) -> PerGapCounts:
    """Count entities that are left out, or others, by class, all at the first word."""
    for label, count in sorted(Counter(span.label for span in spans).items()):
        yield f"{front}{ended(label)}", np.eye(1, size, dtype=np.int64)[0] * count


def left_out_classes(counts: Counts, front: str = LEFT_OUT) -> dict[str, float]:
    """Give how many were left out of each class, the most frequent first."""
    found = {_class(name, front): n for name, n in counts.items() if name.startswith(front) and n}
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def _class(name: str, front: str) -> str:
    """Undo what `ended` does to names that end in a number."""
    label = name.removeprefix(front)
    return label[:-1] if label.endswith("_") and ended(label[:-1]) == label else label


def there(counts: Counts) -> str:
    """Name the classes that were left out, not more than a reader can take in."""
    return _listed(list(left_out_classes(counts)))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def elsewhere(counts: Counts) -> list[str]:
    """Tell where names may be found if none counts, and what is there names nothing."""
    lacking = not counts["entities"] and not {*SPELLING_CLASSES, UNNAMED}.isdisjoint(
        left_out_classes(counts)
    )
    return [REV] if lacking else []


def absent(counts: Counts, classes: Strings) -> list[str]:
    """Tell classes that were asked for or left out by a name that no entity has.

    Classes of spelling are no surprise: all of them are left out where only some are there.
    """
    known = [*left_out_classes(counts, COUNTED_CLASSES), *left_out_classes(counts)]
    told = []
    for label in classes:
        if label not in known and label not in SPELLING_CLASSES:
            meant = same(label, known) or closest(label, known)
            question = f": did you mean {meant!r}?" if meant else ""
            told.append(
                f"no entity in the reference is of class {label} (there are "
                f"{_listed(known)}){question}"
            )
    return told
