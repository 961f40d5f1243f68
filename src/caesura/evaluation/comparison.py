"""Compare systems: paired tests of their scores on the same recordings and references."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import log2, nan
from typing import Any

from caesura.core import registry
from caesura.core.errors import MismatchError, UnknownName, advice
from caesura.core.protocols import Metric
from caesura.core.values import Undefined, Value
from caesura.evaluation.pairing import SAME_RECORDINGS, require_same_recordings
from caesura.evaluation.resampling import (
    Interval,
    Resampling,
    Rows,
    bootstrap_p,
    bootstrap_sums,
    holm,
    percentile_interval,
    randomization_p,
    randomization_sums,
)
from caesura.evaluation.scores import (
    Scores,
    count_rows,
    counts_of_row,
    data_frame,
    interval_columns,
)

SIGNIFICANT = 0.05
"""A difference is marked if its corrected p-value is below this."""


@dataclass(frozen=True)
class Difference:
    """The difference of two systems (a minus b) in one value, with confidence interval and tests.

    `p_corrected` is the randomization test's p-value after Holm's correction for all rows of
    the comparison. If there is no difference or test, `undefined` says why.
    """

    metric: str
    value: str
    a: int
    b: int
    difference: float | None = None
    interval: Interval | None = None
    p_bootstrap: float | None = None
    p_randomization: float | None = None
    p_corrected: float | None = None
    undefined: str = ""


@dataclass(frozen=True)
class PairedUnits:
    """Counts of one metric on the same units for all systems, and the values of their resamples."""

    metric: Metric
    names: list[str]
    systems: list[Rows]
    resampling: Resampling
    swap_cache: dict[tuple[int, int], list[tuple[dict[str, Value], dict[str, Value]]]] = field(
        default_factory=dict
    )

    def values(self, row: Rows) -> dict[str, Value]:
        """Return the values of a sum of units."""
        return self.metric.values(counts_of_row(self.names, row))

    @cached_property
    def bootstrap_values(self) -> list[list[dict[str, Value]]]:
        """The values of each system for each bootstrap resample."""
        draws = bootstrap_sums(self.systems, self.resampling)
        return [[self.values(row) for row in rows] for rows in draws]

    def randomized_values(self, a: int, b: int) -> list[tuple[dict[str, Value], dict[str, Value]]]:
        """Return the values of two systems after each random swap of their units."""
        if (a, b) not in self.swap_cache:
            self.swap_cache[a, b] = [
                (self.values(one), self.values(other))
                for one, other in randomization_sums(
                    self.systems[a], self.systems[b], self.resampling
                )
            ]
        return self.swap_cache[a, b]

    def test(self, row: Difference) -> Difference:
        """Add interval and p-values to a difference."""
        pairs = [(each[row.a][row.value], each[row.b][row.value]) for each in self.bootstrap_values]
        resampled = _differences(pairs)
        limits = percentile_interval(resampled, self.resampling.level)
        if isinstance(limits, Undefined):
            return replace(row, undefined=limits.reason)
        swapped = _differences(
            [
                (one[row.value], other[row.value])
                for one, other in self.randomized_values(row.a, row.b)
            ]
        )
        return replace(
            row,
            interval=limits,
            p_bootstrap=bootstrap_p(resampled),
            p_randomization=max(
                randomization_p(row.difference or 0.0, swapped), lowest_p(len(self.systems[0]))
            ),
        )


def lowest_p(units: int) -> float:
    """Return the lowest p-value that a randomization test of so many units can have.

    Of all ways to swap units, two give a difference of the same size: swapping none or all.
    """
    return min(1.0, 2.0 ** (1 - units))


def _differences(pairs: list[tuple[Value, Value]]) -> list[Value]:
    return [
        a if isinstance(a, Undefined) else b if isinstance(b, Undefined) else a - b
        for a, b in pairs
    ]


@dataclass(frozen=True)
class Comparison:
    """Scores of several systems, and tests of the differences of each pair of them.

    `comparison["name"]` are the scores of one system; `rows` are the differences in the `chosen`
    values, or in the main value of each metric if none is chosen.
    """

    systems: tuple[str, ...]
    scores: tuple[Scores, ...]
    chosen: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.systems) < 2:
            raise MismatchError(
                "a comparison takes two systems or more", remedy="name the file of each"
            )
        ids = [[each.id for each in one.documents] for one in self.scores]
        if max(map(len, ids)) > 1:
            for name, each in zip(self.systems[1:], ids[1:], strict=True):
                require_same_recordings(
                    [id for id in ids[0] if id not in each], name, SAME_RECORDINGS
                )
                require_same_recordings(
                    [id for id in each if id not in ids[0]], self.systems[0], SAME_RECORDINGS
                )
        known = {name: None for values in self.scores[0].values for name in values}
        for name in self.chosen:
            if name not in known:
                raise UnknownName(
                    f"none of the metrics gives a value {name!r}",
                    remedy=advice(name, known, "they give", registry.value_hint(name)),
                )

    def __str__(self) -> str:
        """Return the tables that the command `compare` prints."""
        from caesura.evaluation.reports.render import terminal
        from caesura.evaluation.reports.write import Results

        return terminal(Results.of(self))

    def __getitem__(self, system: str) -> Scores:
        """Return the scores of a system."""
        if system not in self.systems:
            raise UnknownName(
                f"there is no system {system!r}", remedy=advice(system, self.systems, "there are")
            )
        return self.scores[self.systems.index(system)]

    @cached_property
    def rows(self) -> tuple[Difference, ...]:
        """The differences of each pair, in each chosen value of each metric."""
        rows = [row for i in range(len(self.scores[0].metrics)) for row in self._rows(i)]
        tested = [at for at, row in enumerate(rows) if row.p_randomization is not None]
        corrected = holm([rows[at].p_randomization or 0.0 for at in tested])
        for at, chance in zip(tested, corrected, strict=True):
            rows[at] = replace(rows[at], p_corrected=chance)
        return tuple(rows)

    def _rows(self, i: int) -> list[Difference]:
        metric, values = self.scores[0].metrics[i], self.scores[0].values[i]
        names = [name for name in self.chosen if name in values] if self.chosen else [metric.main]
        paired = self._paired(i)
        rows = []
        for name in names:
            for a, b in combinations(range(len(self.systems)), 2):
                row = self._difference(i, name, a, b)
                if row.difference is not None and isinstance(paired, PairedUnits):
                    row = paired.test(row)
                elif row.difference is not None and isinstance(paired, str):
                    row = replace(row, undefined=paired)
                rows.append(row)
        return rows

    def _difference(self, i: int, name: str, a: int, b: int) -> Difference:
        row = Difference(repr(self.scores[0].metrics[i]), name, a, b)
        values = [self.scores[system].values[i][name] for system in (a, b)]
        for system, value in zip((a, b), values, strict=True):
            if isinstance(value, Undefined):
                return replace(row, undefined=f"{self.systems[system]}: {value.reason}")
        (apart,) = _differences([(values[0], values[1])])
        return row if isinstance(apart, Undefined) else replace(row, difference=apart)

    def _paired(self, i: int) -> PairedUnits | str:
        """Pair the units of all systems, or return the reason why that is not possible."""
        settings = self.scores[0].settings
        if not settings.resampling.resamples:
            return "nothing was resampled"
        if len(self.scores[0].documents) == 1:
            words = [one.documents[0].compared.words for one in self.scores]
            if any(each != words[0] for each in words):
                return "the systems' words differ: tests take several documents then"
            units = [one.units[i] for one in self.scores]
        else:
            order = [each.id for each in self.scores[0].documents]
            resampled = self.scores[0].metrics[i].resampled_counts
            by_id = [
                {each.id: resampled(each.counts[i]) for each in one.documents}
                for one in self.scores
            ]
            units = [[one[id] for id in order] for one in by_id]
        if len(units[0]) < 2:
            return "there is nothing to resample: it takes several documents or blocks"
        names, rows = count_rows([each for one in units for each in one])
        count = len(units[0])
        systems = [rows[k * count : (k + 1) * count] for k in range(len(units))]
        return PairedUnits(self.scores[0].metrics[i], names, systems, settings.resampling)

    @property
    def tests(self) -> int:
        """The number of differences that were tested."""
        return sum(row.p_corrected is not None for row in self.rows)

    @property
    def remarks(self) -> list[str]:
        """What a reader must know about the tests."""
        count, tests = len(self.scores[0].documents), self.tests
        enough = int(log2(2 * tests / SIGNIFICANT)) + 1 if tests else 0
        if count < 2 or count >= enough:
            return []
        several = f" in {tests} tests" if tests > 1 else ""
        return [f"{count} documents cannot reach p < {SIGNIFICANT}{several}: give {enough} or more"]

    @property
    def test_signature(self) -> str:
        """The part of signatures that names the tests, if there were any."""
        return f"|tests=bootstrap+randomization+holm({self.tests})" if self.tests else ""

    @property
    def signatures(self) -> tuple[str, ...]:
        """The signatures of the systems' scores, with the tests that were made."""
        lines = {
            line: None
            for each in zip(*(one.signatures for one in self.scores), strict=True)
            for line in each
        }
        return tuple(f"{line}{self.test_signature}" for line in lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries and lists: what `compare --json` prints."""
        return {
            "systems": [
                {"name": name} | one.to_dict()
                for name, one in zip(self.systems, self.scores, strict=True)
            ],
            "differences": [
                vars(row) | {"a": self.systems[row.a], "b": self.systems[row.b]}
                for row in self.rows
            ],
            "remarks": self.remarks,
            "signatures": list(self.signatures),
        }

    def to_frame(self, scores: bool = False) -> Any:
        """Return a pandas DataFrame with a row for each difference that was tested.

        `low` and `high` are the limits of its confidence interval. With `scores` there is
        instead a row for each value of each system, as `Scores.to_frame` has it.
        """
        if scores:
            return data_frame(
                {"system": name} | row
                for name, one in zip(self.systems, self.scores, strict=True)
                for row in one.frame_rows()
            )
        return data_frame(
            {"metric": row.metric, "name": row.value}
            | {"a": self.systems[row.a], "b": self.systems[row.b]}
            | {"difference": nan if row.difference is None else row.difference}
            | interval_columns(row.interval)
            | {
                name: nan if (chance := getattr(row, name)) is None else chance
                for name in ("p_bootstrap", "p_randomization", "p_corrected")
            }
            | {"undefined": row.undefined}
            for row in self.rows
        )
