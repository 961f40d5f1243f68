"""Count disagreements between hypothesis and reference that occur again and again.

The most frequent come first, or the most harmful if a metric says what each costs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from caesura.core.protocols import Disagreement

EXAMPLES_KEPT = 5
"""Examples that are kept of each disagreement."""

LISTED_PER_LEVEL = 100
"""Disagreements of each level that JSON lists."""


@dataclass(frozen=True, slots=True)
class RecurringDisagreement:
    """A disagreement, how often it occurs, and its first examples as (document, place) pairs."""

    level: str
    kind: str
    reference: str
    hypothesis: str
    count: int
    examples: tuple[tuple[int, Disagreement], ...]
    loss: float = 0.0
    """The loss of all its occurrences together."""


@dataclass(frozen=True)
class DisagreementSummary:
    """All disagreements in some documents, the same ones counted together."""

    recurring: tuple[RecurringDisagreement, ...] = ()
    kinds: dict[str, dict[str, int]] = field(default_factory=dict)
    """For each level how many disagreements there are of each kind."""

    @classmethod
    def of(cls, documents: Iterable[Iterable[Disagreement]]) -> DisagreementSummary:
        """Count the disagreements of documents; equally frequent ones keep their order."""
        found: dict[tuple[str, str, str, str], list[tuple[int, Disagreement]]] = {}
        counts: Counter[tuple[str, str, str, str]] = Counter()
        losses: defaultdict[tuple[str, str, str, str], float] = defaultdict(float)
        for number, each in enumerate(documents):
            for one in each:
                key = one.level, one.kind, one.reference, one.hypothesis
                counts[key] += 1
                losses[key] += one.loss
                places = found.setdefault(key, [])
                if len(places) < EXAMPLES_KEPT:
                    places.append((number, one))
        kinds: dict[str, Counter[str]] = {}
        for (level, kind, *_), count in counts.items():
            kinds.setdefault(level, Counter())[kind] += count
        made = [
            RecurringDisagreement(*key, n, tuple(found[key]), losses[key])
            for key, n in counts.items()
        ]
        return cls(
            tuple(sorted(made, key=_by_harm)),
            {level: dict(each.most_common()) for level, each in kinds.items()},
        )

    def of_level(self, level: str) -> Iterator[RecurringDisagreement]:
        """Yield the disagreements of one level."""
        return (each for each in self.recurring if each.level == level)

    def most_frequent(self, per_level: int) -> list[RecurringDisagreement]:
        """Return the most frequent disagreements, at most so many of each level."""
        kept = [one for level in self.kinds for one in islice(self.of_level(level), per_level)]
        return sorted(kept, key=_by_harm)

    def to_dict(self, documents: Iterable[str]) -> list[dict[str, Any]]:
        """Return the most frequent ones for JSON, each with an example; `documents` are names."""
        names = list(documents)
        return [_json(each, names) for each in self.most_frequent(LISTED_PER_LEVEL)]


def _by_harm(each: RecurringDisagreement) -> tuple[float, int]:
    """Sort the most harmful first, then the most frequent."""
    return -each.loss, -each.count


def _json(each: RecurringDisagreement, documents: list[str]) -> dict[str, Any]:
    number, one = each.examples[0]
    return {
        "level": each.level,
        "kind": each.kind,
        "reference": each.reference,
        "hypothesis": each.hypothesis,
        "count": each.count,
        **({"loss": each.loss} if each.loss else {}),
        "example": {
            "document": documents[number],
            "reference": one.against,
            "place": one.place,
            "before": one.before,
            "after": one.after,
        },
    }
