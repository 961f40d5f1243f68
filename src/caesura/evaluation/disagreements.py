"""Disagreements that recur: what a system does differently, and where.

The most frequent come first, or the most harmful where a metric tells what each costs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from caesura.core.protocols import Disagreement

EXAMPLES_KEPT = 5
"""Places that are kept of each disagreement."""

LISTED_PER_LEVEL = 100
"""Disagreements of each level that JSON lists."""


@dataclass(frozen=True, slots=True)
class RecurringDisagreement:
    """A disagreement, how often it occurs, and the first few places: (document, what) pairs."""

    level: str
    kind: str
    reference: str
    hypothesis: str
    count: int
    examples: tuple[tuple[int, Disagreement], ...]
    loss: float = 0.0
    """How much harm they do together."""


@dataclass(frozen=True)
class DisagreementSummary:
    """All disagreements on some documents, the same ones counted together."""

    recurring: tuple[RecurringDisagreement, ...] = ()
    kinds: dict[str, dict[str, int]] = field(default_factory=dict)
    """By level how many there are of each kind."""

    @classmethod
    def of(cls, documents: Iterable[Iterable[Disagreement]]) -> DisagreementSummary:
        """Count what differs in documents; of equally frequent ones the first stays first."""
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
        """Give those of one level."""
        return (each for each in self.recurring if each.level == level)

    def most_frequent(self, each: int) -> list[RecurringDisagreement]:
        """Give the most frequent, so many of each level."""
        kept = [one for level in self.kinds for one in islice(self.of_level(level), each)]
        return sorted(kept, key=_by_harm)

    def to_dict(self, documents: Iterable[str]) -> list[dict[str, Any]]:
        """Give the most frequent ones, each with an example; documents are told by name."""
        names = list(documents)
        return [_json(each, names) for each in self.most_frequent(LISTED_PER_LEVEL)]


def _by_harm(each: RecurringDisagreement) -> tuple[float, int]:
    """Put the most harmful first, then the most frequent."""
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
