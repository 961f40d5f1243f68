"""Numbers of systems on shows, read from tables and from scores, and joined.

A table has a row for each system and show, and for each task system if it says so; a number in
one that names no task system holds for all of them. A show is a recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.contracts import Undefined, Value
from caesura.errors import MismatchError, UnknownName, advice
from caesura.numeric.stats import Rows
from caesura.sheets import TASK, Heads, Key, Row, Tables, rows
from caesura.transcript import Strings


@dataclass(frozen=True)
class Observed:
    """Columns of numbers, each by system, show and task system."""

    columns: dict[str, dict[Key, Value]]

    def of(self, column: str, system: str, show: str, task: str) -> Value | None:
        """Give a number, or None if no row has it."""
        cells = self.columns[column]
        return cells.get((system, show, task), cells.get((system, show, "")))

    def keys(self, columns: Iterable[str]) -> list[Key]:
        """Give all keys of these columns."""
        return list(dict.fromkeys(key for name in columns for key in self.columns[name]))

    def negated(self, names: Iterable[str]) -> Observed:
        """Give some columns the opposite sign, and a minus before their name."""
        turned = {
            name: {
                key: value if isinstance(value, Undefined) else -value
                for key, value in self.columns[name].items()
            }
            for name in names
        }
        return Observed(
            {
                f"-{name}" if name in turned else name: turned.get(name, cells)
                for name, cells in self.columns.items()
            }
        )


@dataclass(frozen=True, eq=False)
class Pair:
    """One show and task system: the systems that have all numbers there, and these.

    `numbers` has a row for each system, and a column for each that was asked for.
    """

    show: str
    task: str
    systems: Strings
    numbers: Rows


@dataclass(frozen=True, eq=False)
class Complete:
    """Pairs of show and task system, show by show, with the systems that have all numbers.

    `lacking` are the systems and shows left out because they never have.
    """

    systems: Strings
    shows: Strings
    tasks: Strings
    pairs: tuple[Pair, ...]
    lacking: Strings


def complete(observed: Observed, columns: Strings, without: Strings = ()) -> Complete:
    """Find which systems have numbers in all these columns, but leave some systems out."""
    keys = observed.keys(columns)
    known = sorted({system for system, _, _ in keys})
    for name in without:
        if name not in known:
            raise UnknownName(f"there is no system {name!r}", remedy=f"there are {_listed(known)}")
    systems = [system for system in known if system not in without]
    tasks = tuple(sorted({task for _, _, task in keys if task})) or ("",)
    pairs = [
        _pair(observed, columns, systems, show, task)
        for show in sorted({show for _, show, _ in keys})
        for task in tasks
    ]
    there = {system for pair in pairs for system in pair.systems}
    shows = sorted({pair.show for pair in pairs if pair.systems})
    lacking = [name for name in systems if name not in there]
    lacking += dict.fromkeys(pair.show for pair in pairs if pair.show not in shows)
    kept = tuple(pair for pair in pairs if pair.show in shows)
    return Complete(tuple(sorted(there)), tuple(shows), tasks, kept, tuple(lacking))


def _pair(
    observed: Observed, columns: Strings, systems: Sequence[str], show: str, task: str
) -> Pair:
    full: dict[str, list[float]] = {}
    for system in systems:
        cells = [observed.of(column, system, show, task) for column in columns]
        numbers = [cell for cell in cells if not isinstance(cell, Undefined | None)]
        if len(numbers) == len(cells):
            full[system] = numbers
    rows = np.array(list(full.values()), float).reshape(-1, len(columns))
    return Pair(show, task, tuple(full), rows)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def observed(tables: Tables, heads: Heads) -> Observed:
    """Read tables and join them."""
    there: dict[str, None] = {}
    columns: dict[str, dict[Key, Value]] = {name: {} for name in heads.numbers}
    places: dict[tuple[str, Key], str] = {}
    measures: dict[str, tuple[dict[str, str], str]] = {}
    for row in rows(tables, heads):
        there.update(dict.fromkeys(row.heads))
        for column, value in row.numbers.items():
            first = places.setdefault((column, row.key), row.where)
            if row.key in columns[column]:
                raise MismatchError(
                    f"{column} of {_named(row.key)} was given already",
                    where=row.where,
                    remedy=f"it stands in {first} too: keep one"
                    + ("" if row.key[2] else ", or name the column of task systems with --task"),
                )
            columns[column][row.key] = value
        _refuse_mixtures(row, measures)
    _refuse_gaps(columns, there, heads)
    return Observed(columns)


def _refuse_mixtures(row: Row, measures: dict[str, tuple[dict[str, str], str]]) -> None:
    """Refuse numbers of one name that were measured in different ways."""
    for column, measure in row.measures.items():
        first, place = measures.setdefault(column, (measure, row.where))
        apart = [name for name in first if measure.get(name, first[name]) != first[name]]
        if apart:
            here, there = (
                ", ".join(f"{name}={each[name]}" for name in apart) for each in (measure, first)
            )
            raise MismatchError(
                f"{column} was measured with {here}, and with {there} in {place}",
                where=row.where,
                remedy="score all systems under the same terms",
            )


def _refuse_gaps(
    columns: Mapping[str, Mapping[Key, Value]], there: Mapping[str, None], heads: Heads
) -> None:
    """Refuse columns that are nowhere, or half told of task systems."""
    named = f"there are {_listed(there)}"
    for name, cells in columns.items():
        if not cells:
            remedy = advice(name, there, "there are")
            raise UnknownName(f"no table has a column {name!r}", remedy=remedy)
        if len({key[2] == "" for key in cells}) > 1:
            raise MismatchError(
                f"{name} is told of task systems in one table, and of none in another",
                remedy="give all tables that have it the column of the task, or none",
            )
    if heads.task != TASK and heads.task not in there:
        raise UnknownName(f"no table has a column {heads.task!r} of task systems", remedy=named)


def _named(key: Key) -> str:
    return ", ".join(part for part in key if part)
