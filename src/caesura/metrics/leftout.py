"""Entities by their classes, those that count and those that do not: what to tell of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from caesura.contracts import Counts, Spread
from caesura.errors import closest, same
from caesura.metrics.entitywords import UNNAMED, ended
from caesura.text.spans import SPELLINGS
from caesura.transcript import Span, Strings

FRONT = "left_out_"
COUNTED = "counted_"
"""How the names of counts of entities begin that do not count, and that do."""

MOST = 8
"""Classes that are named."""

REV = (
    "the names of Rev's transcripts are read with --reference-format \"nlp(entities='both')\" "
    "and --readings of their wer_tags"
)


def columns(spans: Iterable[Span], size: int, front: str = FRONT) -> Spread:
    """Count entities that are left out, or others, by class, all at the first word."""
    for label, count in sorted(Counter(span.label for span in spans).items()):
        yield f"{front}{ended(label)}", np.eye(1, size, dtype=np.int64)[0] * count


def of(counts: Counts, front: str = FRONT) -> dict[str, float]:
    """Give how many were left out of each class, the most frequent first."""
    found = {_class(name, front): n for name, n in counts.items() if name.startswith(front) and n}
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def _class(name: str, front: str) -> str:
    """Undo what `ended` does to names that end in a number."""
    label = name.removeprefix(front)
    return label[:-1] if label.endswith("_") and ended(label[:-1]) == label else label


def there(counts: Counts) -> str:
    """Name the classes that were left out, not more than a reader can take in."""
    return _listed(list(of(counts)))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def elsewhere(counts: Counts) -> list[str]:
    """Tell where names may be found if none counts, and what is there names nothing."""
    lacking = not counts["entities"] and not {*SPELLINGS, UNNAMED}.isdisjoint(of(counts))
    return [REV] if lacking else []


def absent(counts: Counts, classes: Strings) -> list[str]:
    """Tell classes that were asked for or left out by a name that no entity has.

    Classes of spelling are no surprise: all of them are left out where only some are there.
    """
    known = [*of(counts, COUNTED), *of(counts)]
    told = []
    for label in classes:
        if label not in known and label not in SPELLINGS:
            meant = same(label, known) or closest(label, known)
            question = f": did you mean {meant!r}?" if meant else ""
            told.append(
                f"no entity in the reference is of class {label} (there are "
                f"{_listed(known)}){question}"
            )
    return told
