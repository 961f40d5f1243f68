"""Systems ranked by each of several references, to see whether that changes the winner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from caesura.comparison import Comparison, Difference
from caesura.contracts import Undefined, Value
from caesura.numeric.stats import Resampling
from caesura.scores import Scores
from caesura.studies.lexical import Lexical
from caesura.studies.systems import METRICS, PAIR, every_system, scored_as
from caesura.studies.transcribers import Accord

ALL = {"mean of references": (0, "f1"), "majority": (1, "f1"), "F1 over windows": (2, "f1")}
ALL |= {"WiSeBE": (2, "wisebe")}
"""Measures that use all references at once: which metric, and which of its values."""


@dataclass(frozen=True)
class Contest:
    """Two systems on the same recordings, judged by each reference and by all together."""

    references: tuple[str, ...]
    systems: tuple[str, str]
    scores: tuple[Scores, Scores]

    @property
    def judges(self) -> dict[str, tuple[int, str]]:
        """Name each reference and each measure of all: which metric, and which of its values."""
        single = {name: (0, f"f1_{i}") for i, name in enumerate(self.references, 1)}
        return single | ALL

    def pooled(self, judge: str) -> list[Value]:
        """Give the values of both systems over all recordings."""
        metric, value = self.judges[judge]
        return [each.values[metric][value] for each in self.scores]

    def by_recording(self, judge: str) -> list[list[Value]]:
        """For each recording the values of both systems."""
        metric, value = self.judges[judge]
        return [
            [METRICS[metric].values(each.counts[metric])[value] for each in pair]
            for pair in zip(*(one.documents for one in self.scores), strict=True)
        ]

    def winners(self, judge: str) -> list[int | None]:
        """For each recording the better system, None if neither is or a value is undefined."""
        return [winner(*pair) for pair in self.by_recording(judge)]

    @property
    def disputed(self) -> list[bool]:
        """For each recording whether the winner changes with the reference."""
        columns = [self.winners(name) for name in self.references]
        return [len(set(row) - {None}) > 1 for row in zip(*columns, strict=True)]

    @property
    def disputed_pooled(self) -> bool:
        """Whether the winner over all recordings changes with the reference."""
        return len({winner(*self.pooled(name)) for name in self.references} - {None}) > 1

    @cached_property
    def differences(self) -> dict[str, Difference]:
        """For each judge the difference of the systems, its interval and p-values."""
        values = tuple(dict.fromkeys(value for _, value in self.judges.values()))
        found = Comparison(self.systems, self.scores, values).rows
        by_place = {(row.metric, row.value): row for row in found}
        return {
            judge: by_place[repr(METRICS[metric]), value]
            for judge, (metric, value) in self.judges.items()
        }


def winner(one: Value, other: Value) -> int | None:
    """Tell which of two values is higher."""
    if isinstance(one, Undefined) or isinstance(other, Undefined) or one == other:
        return None
    return 0 if one > other else 1


def contests(references: Sequence[str], found: Mapping[str, Scores]) -> list[Contest]:
    """Let each two systems meet."""
    return [
        Contest(tuple(references), (a, b), (found[a], found[b])) for a, b in combinations(found, 2)
    ]


@dataclass(frozen=True)
class Ranking:
    """All systems on one corpus, and the chosen pair with intervals and tests."""

    accord: Accord
    systems: Mapping[str, Lexical]
    resampling: Resampling

    @property
    def references(self) -> tuple[str, ...]:
        """Names of the transcripts."""
        return tuple(self.accord.group.texts)

    @cached_property
    def pair(self) -> Contest:
        """The two systems, with resampling."""
        return Contest(self.references, PAIR, (self._drawn(PAIR[0]), self._drawn(PAIR[1])))

    @cached_property
    def all(self) -> dict[str, Scores]:
        """The scores of every system."""
        return every_system(self.systems, self.accord.scores)

    @cached_property
    def pairs(self) -> list[Contest]:
        """Each two systems."""
        return contests(self.references, self.all)

    @cached_property
    def turned(self) -> list[Contest]:
        """The pairs whose winner over all recordings changes with the reference, resampled."""
        return [
            Contest(self.references, each.systems, (self._drawn(a), self._drawn(b)))
            for each in self.pairs
            if each.disputed_pooled
            for a, b in [each.systems]
        ]

    def _drawn(self, name: str) -> Scores:
        return scored_as(self.systems[name], self.accord.scores, self.resampling)

    @cached_property
    def on_bases(self) -> dict[str, dict[str, Scores]]:
        """The scores of every system on the words of every transcript."""
        return {
            base: self.all if base == self.accord.group.base else every_system(self.systems, one)
            for base, one in zip(self.references, self._agreements(), strict=True)
        }

    def _agreements(self) -> Iterator[Scores]:
        for base, _, scores in self.accord.prepared[: len(self.references)]:
            yield self.accord.scores if base == self.accord.group.base else scores

    def to_json(self) -> dict[str, Any]:
        """Give all numbers."""
        return {
            "pair_of_systems": list(PAIR),
            "pair": [_judged(self.pair, judge) for judge in self.pair.judges],
            "recordings_disputed": sum(self.pair.disputed),
            "recordings": len(self.pair.disputed),
            "systems": {
                base: {name: _values(one) for name, one in found.items()}
                for base, found in self.on_bases.items()
            },
            "pairs": [
                {
                    "systems": list(each.systems),
                    "pooled_winner_disputed": each.disputed_pooled,
                    "recordings_disputed": sum(each.disputed),
                }
                for each in self.pairs
            ],
            "signatures": list(self.pair.scores[0].signatures),
        }


def _values(scores: Scores) -> dict[str, Any]:
    return {
        f"{metric.name} {name}": None if isinstance(value, Undefined) else value
        for metric, values in zip(METRICS, scores.values, strict=True)
        for name, value in values.items()
    }


def _judged(contest: Contest, judge: str) -> dict[str, Any]:
    row = contest.differences[judge]
    won = contest.winners(judge)
    values = contest.pooled(judge)
    return {
        "judge": judge,
        "values": [None if isinstance(value, Undefined) else value for value in values],
        "difference": row.difference,
        "interval": row.interval,
        "p_bootstrap": row.p_bootstrap,
        "p_randomization": row.p_randomization,
        "p_corrected": row.p_corrected,
        "recordings_won": [won.count(0), won.count(1)],
    }
