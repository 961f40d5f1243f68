"""Entities that do not count, by their classes: what to tell of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from caesura.contracts import Counts, Spread
from caesura.metrics.entitywords import ended
from caesura.text.spans import SPELLINGS
from caesura.transcript import Span

FRONT = "left_out_"
"""How the names of such counts begin."""

MOST = 8
"""Classes that are named."""

REV = (
    "the names of Rev's transcripts are read with --reference-format \"nlp(entities='both')\" "
    "and --readings of their wer_tags"
)


def columns(spans: Iterable[Span], size: int) -> Spread:
    """Count entities that are left out, by class, all at the first word."""
    for label, count in sorted(Counter(span.label for span in spans).items()):
        yield f"{FRONT}{ended(label)}", np.eye(1, size, dtype=np.int64)[0] * count


def of(counts: Counts) -> dict[str, float]:
    """Give how many were left out of each class, the most frequent first."""
    found = {_class(name): n for name, n in counts.items() if name.startswith(FRONT) and n}
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def _class(name: str) -> str:
    """Undo what is done to names that end in a number."""
    label = name.removeprefix(FRONT)
    return label[:-1] if label.endswith("_") and ended(label[:-1]) == label else label


def there(counts: Counts) -> str:
    """Name the classes that were left out, not more than a reader can take in."""
    names = list(of(counts))
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def elsewhere(counts: Counts) -> list[str]:
    """Tell where names may be found if none counts, and what is there names nothing."""
    lacking = not counts["entities"] and any(label in SPELLINGS for label in of(counts))
    return [REV] if lacking else []
