"""Read the numbers of systems on shows from tables and from scores, and join them.

A table has a row for each system and show, and for each task system if it has a column for them.
Numbers of a table without that column hold for all task systems. A show is a recording.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from caesura.core.arrays import Strings
from caesura.core.errors import FormatError, MismatchError, UnknownName, advice
from caesura.core.values import Undefined, Value
from caesura.evaluation.resampling import Rows
from caesura.formats.base import Source, items, number, string
from caesura.formats.files import load, names_of
from caesura.formats.in_memory import Readable, is_table, open_file_source, table_rows
from caesura.formats.in_memory import Table as DataFrame

Records = Sequence[Mapping[str, Any]]
"""Rows of a table, as dicts."""

Table = str | Path | Records | DataFrame | Readable
Tables = Table | Sequence[Table]

SYSTEM, SHOW, TASK = "system", "show", "task"
"""The default names of the columns that identify a row."""

UNDEFINED = "undefined"
"""The text of a cell that has no value."""

Key = tuple[str, str, str]
"""System, show and task system ('' if a number holds for all of them)."""


@dataclass(frozen=True)
class TableColumns:
    """The names of the columns that identify a row, and of the columns to read."""

    system: str
    show: str
    task: str
    numbers: Strings

    def __post_init__(self) -> None:
        names = [self.system, self.show, self.task, *self.numbers]
        for name in names:
            if names.count(name) > 1:
                raise UnknownName(
                    f"the column {name!r} is named twice",
                    remedy="a column is the system, the show, the task, a metric or a result",
                )


@dataclass(frozen=True)
class Row:
    """Numbers of one system on one show.

    `conditions` says how each number was measured, if that is known; `header` has the names of
    all columns of the table.
    """

    where: str
    key: Key
    numbers: dict[str, Value]
    header: Strings
    conditions: dict[str, dict[str, str]] = field(default_factory=dict)


def read_rows(tables: Tables, wanted: TableColumns) -> Iterator[Row]:
    """Yield the rows of all tables; scores of a single system are named after their file."""
    several: Any = [tables] if _is_one_table(tables) else tables
    opened = [_open_table(table) for table in several]
    scores = [
        source.name
        for source in opened
        if isinstance(source, Source) and _first_character(source) == "{"
    ]
    names = dict(zip(scores, names_of(scores), strict=True))
    for table in opened:
        if isinstance(table, Source):
            yield from _file_rows(table, names.get(table.name, ""), wanted)
        else:
            yield from _record_rows(list(table), "row", wanted)


def _is_one_table(tables: Any) -> bool:
    """Tell whether this is one table (a file, a table or rows) and not several."""
    if isinstance(tables, (str, Path, Readable)) or is_table(tables):
        return True
    return len(tables) > 0 and isinstance(tables[0], Mapping)


def _open_table(table: Any) -> Source | Records:
    """Return the content of a file, or the rows of a table in memory."""
    if isinstance(table, (str, Path)):
        return load(str(table))
    if isinstance(table, Readable):
        return open_file_source(table)
    rows: Records = table_rows(table) if is_table(table) else list(table)
    return rows


def _first_character(source: Source) -> str:
    return source.text.lstrip()[:1]


def _file_rows(source: Source, name: str, wanted: TableColumns) -> Iterator[Row]:
    """Yield the rows of one file: JSON, CSV or TSV."""
    if _first_character(source) not in ("{", "["):
        yield from _csv_rows(source, wanted)
        return
    content = _json(source)
    if isinstance(content, list):
        yield from _record_rows(content, f"{source.name}: row", wanted)
    elif items(content.get("systems")):
        for system in items(content["systems"]):
            yield from _score_rows(system, string(system.get("name")), source, wanted)
    else:
        yield from _score_rows(content, name, source, wanted)


def _json(source: Source) -> Any:
    """Return the content of a JSON file: one value, or a list of rows if there are several."""
    try:
        documents = source.documents
    except FormatError as error:
        raise FormatError(error.what, where=error.where) from error
    return documents[0] if len(documents) == 1 else documents


def _csv_rows(source: Source, wanted: TableColumns) -> Iterator[Row]:
    """Yield the rows of a CSV or TSV file; the header decides what separates cells."""
    lines = source.text.split("\n")
    mark = max(",\t;", key=next(filter(str.strip, lines), "").count)
    rows = csv.reader((f"{line}\n" for line in lines), delimiter=mark, strict=True)
    head: list[str] = []
    try:
        for cells in rows:
            cells = [cell.strip() for cell in cells]
            if not any(cells):
                continue
            where = f"{source.name}:{rows.line_num}"
            if not head:
                head = cells
                _check_header(head, where, wanted)
            elif len(cells) != len(head):
                raise FormatError(
                    f"{len(cells)} cells under a header of {len(head)}",
                    where=where,
                    remedy="give each column a cell; quote one that has the separator in it",
                )
            else:
                yield _row(dict(zip(head, cells, strict=True)), where, wanted)
    except csv.Error as error:
        raise source.error(f"not a table: {error}", rows.line_num) from error
    if not head:
        raise source.error("the table is empty")


def _record_rows(rows: Sequence[Any], where: str, wanted: TableColumns) -> Iterator[Row]:
    """Yield rows that are mappings of columns to cells."""
    for at, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise FormatError("a row is a mapping of columns to cells", where=f"{where} {at}")
        cells = {str(name): cell for name, cell in row.items()}
        _check_header(list(cells), f"{where} {at}", wanted)
        yield _row(cells, f"{where} {at}", wanted)


def _check_header(head: Sequence[str], where: str, wanted: TableColumns) -> None:
    for option, name in (("--system", wanted.system), ("--show", wanted.show)):
        if name not in head:
            raise FormatError(
                f"there is no column {name!r}",
                where=where,
                remedy=f"name it with {option}; there are {', '.join(head)}",
            )
    for name in head:
        if head.count(name) > 1 and name in (
            wanted.system,
            wanted.show,
            wanted.task,
            *wanted.numbers,
        ):
            raise FormatError(f"two columns are called {name!r}", where=where)


def _row(cells: Mapping[str, Any], where: str, wanted: TableColumns) -> Row:
    places = [name for name in (wanted.system, wanted.show, wanted.task) if name in cells]
    for name in places:
        if cells[name] is None or str(cells[name]).strip() == "":
            raise FormatError(f"there is nothing in the column {name!r}", where=where)
    system, show, *task = (str(cells[name]).strip() for name in places)
    numbers = {name: _number(cells[name], name, where) for name in wanted.numbers if name in cells}
    return Row(where, (system, show, task[0] if task else ""), numbers, tuple(cells))


def _number(cell: Any, name: str, where: str) -> Value:
    if isinstance(cell, Undefined):
        return cell
    if cell == UNDEFINED:
        return Undefined("the table says so")
    value = number(cell)
    if isnan(value):
        empty = cell is None or str(cell).strip() == ""
        problem = "there is no number" if empty else f"{str(cell)!r} is no number"
        raise FormatError(
            f"{problem} in the column {name!r}",
            where=where,
            remedy=f"write digits with a point, or {UNDEFINED!r} where there is no value",
        )
    return value


def _score_rows(
    scores: Mapping[str, Any], system: str, source: Source, wanted: TableColumns
) -> Iterator[Row]:
    """Yield a row for each recording in the output of `score --json` for one system."""
    documents = items(scores.get("documents"))
    if not documents or not system or not all(string(document.get("id")) for document in documents):
        raise source.error(
            "this is neither a table nor scores",
            remedy="give a CSV or TSV file, or what `caesura score --json` wrote for a system",
        )
    signatures = {
        str(score.get("metric")): string(score.get("signature"))
        for score in items(scores.get("scores"))
    }
    for document in documents:
        where = f"{source.name}: {document.get('id')}"
        known = {
            (str(score.get("metric")), name): value
            for score in items(document.get("scores"))
            for name, value in _values(score)
        }
        there = tuple(dict.fromkeys(name for _, name in known))
        chosen = {name: _find_value(name, list(known), where) for name in wanted.numbers}
        numbers: dict[str, Value] = {
            name: Undefined("it has no value there")
            if known[one] is None
            else _number(known[one], name, where)
            for name, one in chosen.items()
            if one
        }
        conditions = {
            name: measurement_conditions(one[0], signatures.get(one[0], ""))
            for name, one in chosen.items()
            if one
        }
        yield Row(where, (system, string(document.get("id")), ""), numbers, there, conditions)


def measurement_conditions(metric: str, signature: str) -> dict[str, str]:
    """Return what must be the same for numbers of one column, from a metric's signature.

    Systems may differ in the format of their output, and in how many boundaries are lost.
    """
    if not signature.startswith(f"{metric}|"):
        return {"metric": metric}
    parts = (part.partition("=") for part in signature[len(metric) + 1 :].split("|"))
    settings = {name: value for name, _, value in parts}
    return {
        "metric": metric,
        "references": settings.get("references", ""),
        "alternatives": "yes" if "alternatives" in settings else "no",
        "classes": "yes" if "classes" in settings else "no",
        "reference_format": settings.get("reference_format", "as detected"),
        "normalize": settings.get("normalize", ""),
        "align": settings.get("align", "").partition("(")[0],
        "model": settings.get("model", "none"),
    }


def _values(score: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    values = score.get("values")
    return values.items() if isinstance(values, dict) else ()


def _find_value(name: str, known: Sequence[tuple[str, str]], where: str) -> tuple[str, str] | None:
    """Find the value that `wer`, `Words.wer` or `Words(…).wer` names."""
    fitting = [
        (metric, value)
        for metric, value in known
        if name in (value, f"{metric.partition('(')[0]}.{value}", f"{metric}.{value}")
    ]
    if len(fitting) > 1:
        short = [f"{metric.partition('(')[0]}.{value}" for metric, value in fitting]
        full = [f"{metric}.{value}" for metric, value in fitting]
        which = " or ".join(short if len(set(short)) == len(short) else full)
        raise UnknownName(f"several metrics give {name!r}", where=where, remedy=f"say {which}")
    return fitting[0] if fitting else None


@dataclass(frozen=True)
class Observations:
    """Columns of numbers by system, show and task system."""

    columns: dict[str, dict[Key, Value]]

    def of(self, column: str, system: str, show: str, task: str) -> Value | None:
        """Return a number, or None if no row has it."""
        cells = self.columns[column]
        return cells.get((system, show, task), cells.get((system, show, "")))

    def keys(self, columns: Iterable[str]) -> list[Key]:
        """Return all keys of these columns."""
        return list(dict.fromkeys(key for name in columns for key in self.columns[name]))

    def negated(self, names: Iterable[str]) -> Observations:
        """Return the same with the sign of some columns reversed, and a minus before their name."""
        turned = {
            name: {
                key: value if isinstance(value, Undefined) else -value
                for key, value in self.columns[name].items()
            }
            for name in names
        }
        return Observations(
            {
                f"-{name}" if name in turned else name: turned.get(name, cells)
                for name, cells in self.columns.items()
            }
        )


@dataclass(frozen=True, eq=False)
class Pair:
    """One show and task system, and the numbers of the systems that have all of them.

    `numbers` has a row for each system, and a column for each column that was read.
    """

    show: str
    task: str
    systems: Strings
    numbers: Rows


@dataclass(frozen=True, eq=False)
class CompletePairs:
    """All pairs of show and task system, with the systems that have all numbers.

    `incomplete` are the systems and shows that were left out: they never have all numbers.
    """

    systems: Strings
    shows: Strings
    tasks: Strings
    pairs: tuple[Pair, ...]
    incomplete: Strings


def complete_pairs(
    observed: Observations, columns: Strings, without: Strings = ()
) -> CompletePairs:
    """Find the systems that have numbers in all these columns; leave out those in `without`."""
    keys = observed.keys(columns)
    known = sorted({system for system, _, _ in keys})
    for name in without:
        if name not in known:
            raise UnknownName(
                f"there is no system {name!r}", remedy=f"there are {_joined_names(known)}"
            )
    systems = [system for system in known if system not in without]
    tasks = tuple(sorted({task for _, _, task in keys if task})) or ("",)
    pairs = [
        _pair(observed, columns, systems, show, task)
        for show in sorted({show for _, show, _ in keys})
        for task in tasks
    ]
    there = {system for pair in pairs for system in pair.systems}
    shows = sorted({pair.show for pair in pairs if pair.systems})
    incomplete = [name for name in systems if name not in there]
    incomplete += dict.fromkeys(pair.show for pair in pairs if pair.show not in shows)
    kept = tuple(pair for pair in pairs if pair.show in shows)
    return CompletePairs(tuple(sorted(there)), tuple(shows), tasks, kept, tuple(incomplete))


def _pair(
    observed: Observations, columns: Strings, systems: Sequence[str], show: str, task: str
) -> Pair:
    full: dict[str, list[float]] = {}
    for system in systems:
        cells = [observed.of(column, system, show, task) for column in columns]
        numbers = [cell for cell in cells if not isinstance(cell, Undefined | None)]
        if len(numbers) == len(cells):
            full[system] = numbers
    rows = np.array(list(full.values()), float).reshape(-1, len(columns))
    return Pair(show, task, tuple(full), rows)


def _joined_names(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def read_observations(tables: Tables, wanted: TableColumns) -> Observations:
    """Read tables and join them by system, show and task system."""
    there: dict[str, None] = {}
    columns: dict[str, dict[Key, Value]] = {name: {} for name in wanted.numbers}
    places: dict[tuple[str, Key], str] = {}
    conditions: dict[str, tuple[dict[str, str], str]] = {}
    for row in read_rows(tables, wanted):
        there.update(dict.fromkeys(row.header))
        for column, value in row.numbers.items():
            first = places.setdefault((column, row.key), row.where)
            if row.key in columns[column]:
                raise MismatchError(
                    f"{column} of {_format_key(row.key)} was given already",
                    where=row.where,
                    remedy=f"it stands in {first} too: keep one"
                    + ("" if row.key[2] else ", or name the column of task systems with --task"),
                )
            columns[column][row.key] = value
        _require_same_conditions(row, conditions)
    _require_columns(columns, there, wanted)
    return Observations(columns)


def _require_same_conditions(row: Row, conditions: dict[str, tuple[dict[str, str], str]]) -> None:
    """Raise an error if numbers of one column were measured in different ways."""
    for column, condition in row.conditions.items():
        first, place = conditions.setdefault(column, (condition, row.where))
        differing = [name for name in first if condition.get(name, first[name]) != first[name]]
        if differing:
            here, there = (
                ", ".join(f"{name}={each[name]}" for name in differing)
                for each in (condition, first)
            )
            raise MismatchError(
                f"{column} was measured with {here}, and with {there} in {place}",
                where=row.where,
                remedy="score all systems with the same options",
            )


def _require_columns(
    columns: Mapping[str, Mapping[Key, Value]], there: Mapping[str, None], wanted: TableColumns
) -> None:
    """Raise an error for columns that no table has, or that only some tables have by task."""
    named = f"there are {_joined_names(there)}"
    for name, cells in columns.items():
        if not cells:
            remedy = advice(name, there, "there are")
            raise UnknownName(f"no table has a column {name!r}", remedy=remedy)
        if len({key[2] == "" for key in cells}) > 1:
            raise MismatchError(
                f"one table has {name} for each task system, another has it without task systems",
                remedy="add the task column to all tables that have it, or to none",
            )
    if wanted.task != TASK and wanted.task not in there:
        raise UnknownName(f"no table has a column {wanted.task!r} of task systems", remedy=named)


def _format_key(key: Key) -> str:
    return ", ".join(part for part in key if part)
