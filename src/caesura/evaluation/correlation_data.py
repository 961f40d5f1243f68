"""Numbers of systems on shows, read from tables and from scores, and joined.

A table has a row for each system and show, and for each task system if it says so; a number in
one that names no task system holds for all of them. A show is a recording.
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
from caesura.formats.files import load
from caesura.formats.in_memory import Readable, is_table, open_file_source, table_rows
from caesura.formats.in_memory import Table as DataFrame
from caesura.formats.inputs import names_of
from caesura.formats.source import Source, items, number, string

Records = Sequence[Mapping[str, Any]]
"""Rows of a table, as dicts."""

Table = str | Path | Records | DataFrame | Readable
Tables = Table | Sequence[Table]

SYSTEM, SHOW, TASK = "system", "show", "task"
"""What the columns are called that say whose a row is, if nothing else is said."""

UNDEFINED = "undefined"
"""What stands in a cell that has no number for a reason."""

Key = tuple[str, str, str]
"""System, show and task system, '' if it is all the same."""


@dataclass(frozen=True)
class TableColumns:
    """The columns that say whose a row is, and those of the numbers wanted."""

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
    """Numbers of one system on one show, of those columns that are wanted.

    `measures` says how a number was measured, where that is known: by which metric, and under
    which terms, by their names; `heads` are all columns there are.
    """

    where: str
    key: Key
    numbers: dict[str, Value]
    heads: Strings
    measures: dict[str, dict[str, str]] = field(default_factory=dict)


def read_rows(tables: Tables, heads: TableColumns) -> Iterator[Row]:
    """Give the rows of all tables; scores of one system are named after their file."""
    several: Any = [tables] if _is_one_table(tables) else tables
    opened = [_opened(each) for each in several]
    scores = [
        source.name
        for source in opened
        if isinstance(source, Source) and _first_character(source) == "{"
    ]
    names = dict(zip(scores, names_of(scores), strict=True))
    for each in opened:
        if isinstance(each, Source):
            yield from _file_rows(each, names.get(each.name, ""), heads)
        else:
            yield from _record_rows(list(each), "row", heads)


def _is_one_table(tables: Any) -> bool:
    """Whether this is one table rather than several: a file, a table, or rows."""
    if isinstance(tables, (str, Path, Readable)) or is_table(tables):
        return True
    return len(tables) > 0 and isinstance(tables[0], Mapping)


def _opened(table: Any) -> Source | Records:
    """Give the content of a file, or the rows of a table that is there already."""
    if isinstance(table, (str, Path)):
        return load(str(table))
    if isinstance(table, Readable):
        return open_file_source(table)
    rows: Records = table_rows(table) if is_table(table) else list(table)
    return rows


def _first_character(source: Source) -> str:
    return source.text.lstrip()[:1]


def _file_rows(source: Source, name: str, heads: TableColumns) -> Iterator[Row]:
    """Give the rows of one file, whatever it is written in."""
    if _first_character(source) not in ("{", "["):
        yield from _csv_rows(source, heads)
        return
    found = _json(source)
    if isinstance(found, list):
        yield from _record_rows(found, f"{source.name}: row", heads)
    elif items(found.get("systems")):
        for each in items(found["systems"]):
            yield from _score_rows(each, string(each.get("name")), source, heads)
    else:
        yield from _score_rows(found, name, source, heads)


def _json(source: Source) -> Any:
    """Give what a file holds: one thing, or the rows that stand one after another."""
    try:
        found = source.documents
    except FormatError as error:
        raise FormatError(error.what, where=error.where) from error
    return found[0] if len(found) == 1 else found


def _csv_rows(source: Source, heads: TableColumns) -> Iterator[Row]:
    """Rows of text: cells between commas, semicolons or tabs, as the first line has them."""
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
                _check_header(head, where, heads)
            elif len(cells) != len(head):
                raise FormatError(
                    f"{len(cells)} cells under a head of {len(head)}",
                    where=where,
                    remedy="give each column a cell; quote one that has the separator in it",
                )
            else:
                yield _row(dict(zip(head, cells, strict=True)), where, heads)
    except csv.Error as error:
        raise source.error(f"not a table: {error}", rows.line_num) from error
    if not head:
        raise source.error("the table is empty")


def _record_rows(rows: Sequence[Any], where: str, heads: TableColumns) -> Iterator[Row]:
    """Rows that are mappings of columns to cells."""
    for at, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise FormatError("a row is a mapping of columns to cells", where=f"{where} {at}")
        cells = {str(name): cell for name, cell in row.items()}
        _check_header(list(cells), f"{where} {at}", heads)
        yield _row(cells, f"{where} {at}", heads)


def _check_header(head: Sequence[str], where: str, heads: TableColumns) -> None:
    for option, name in (("--system", heads.system), ("--show", heads.show)):
        if name not in head:
            raise FormatError(
                f"there is no column {name!r}",
                where=where,
                remedy=f"name it with {option}; there are {', '.join(head)}",
            )
    for name in head:
        if head.count(name) > 1 and name in (heads.system, heads.show, heads.task, *heads.numbers):
            raise FormatError(f"two columns are called {name!r}", where=where)


def _row(cells: Mapping[str, Any], where: str, heads: TableColumns) -> Row:
    places = [name for name in (heads.system, heads.show, heads.task) if name in cells]
    for name in places:
        if cells[name] is None or str(cells[name]).strip() == "":
            raise FormatError(f"nothing stands in the column {name!r}", where=where)
    system, show, *task = (str(cells[name]).strip() for name in places)
    numbers = {name: _number(cells[name], name, where) for name in heads.numbers if name in cells}
    return Row(where, (system, show, task[0] if task else ""), numbers, tuple(cells))


def _number(cell: Any, name: str, where: str) -> Value:
    if isinstance(cell, Undefined):
        return cell
    if cell == UNDEFINED:
        return Undefined("the table says so")
    found = number(cell)
    if isnan(found):
        empty = cell is None or str(cell).strip() == ""
        told = "there is no number" if empty else f"{str(cell)!r} is no number"
        raise FormatError(
            f"{told} in the column {name!r}",
            where=where,
            remedy=f"write digits with a point, or {UNDEFINED!r} where there is no value",
        )
    return found


def _score_rows(
    found: Mapping[str, Any], system: str, source: Source, heads: TableColumns
) -> Iterator[Row]:
    """Give what `score --json` tells of each recording of one system."""
    documents = items(found.get("documents"))
    if not documents or not system or not all(string(each.get("id")) for each in documents):
        raise source.error(
            "this is neither a table nor scores",
            remedy="give a CSV or TSV file, or what `caesura score --json` wrote for a system",
        )
    signatures = {
        str(score.get("metric")): string(score.get("signature"))
        for score in items(found.get("scores"))
    }
    for document in documents:
        where = f"{source.name}: {document.get('id')}"
        known = {
            (str(score.get("metric")), name): value
            for score in items(document.get("scores"))
            for name, value in _values(score)
        }
        there = tuple(dict.fromkeys(name for _, name in known))
        chosen = {name: _find_value(name, list(known), where) for name in heads.numbers}
        numbers: dict[str, Value] = {
            name: Undefined("it has no value there")
            if known[one] is None
            else _number(known[one], name, where)
            for name, one in chosen.items()
            if one
        }
        measures = {
            name: measurement_conditions(one[0], signatures.get(one[0], ""))
            for name, one in chosen.items()
            if one
        }
        yield Row(where, (system, string(document.get("id")), ""), numbers, there, measures)


def measurement_conditions(metric: str, signature: str) -> dict[str, str]:
    """Read off a signature what must agree where numbers of several systems stand together.

    Recognisers may differ in the format of their output, and in how many boundaries are lost.
    """
    if not signature.startswith(f"{metric}|"):
        return {"metric": metric}
    parts = (part.partition("=") for part in signature[len(metric) + 1 :].split("|"))
    found = {name: value for name, _, value in parts}
    return {
        "metric": metric,
        "references": found.get("references", ""),
        "alternatives": "yes" if "alternatives" in found else "no",
        "classes": "yes" if "classes" in found else "no",
        "reference_format": found.get("reference_format", "as detected"),
        "normalize": found.get("normalize", ""),
        "align": found.get("align", "").partition("(")[0],
        "model": found.get("model", "none"),
    }


def _values(score: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    values = score.get("values")
    return values.items() if isinstance(values, dict) else ()


def _find_value(name: str, known: Sequence[tuple[str, str]], where: str) -> tuple[str, str] | None:
    """Find the value meant by `wer`, `Words.wer` or `Words(…).wer`."""
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
    """Columns of numbers, each by system, show and task system."""

    columns: dict[str, dict[Key, Value]]

    def of(self, column: str, system: str, show: str, task: str) -> Value | None:
        """Give a number, or None if no row has it."""
        cells = self.columns[column]
        return cells.get((system, show, task), cells.get((system, show, "")))

    def keys(self, columns: Iterable[str]) -> list[Key]:
        """Give all keys of these columns."""
        return list(dict.fromkeys(key for name in columns for key in self.columns[name]))

    def negated(self, names: Iterable[str]) -> Observations:
        """Give some columns the opposite sign, and a minus before their name."""
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
    """One show and task system: the systems that have all numbers there, and these.

    `numbers` has a row for each system, and a column for each that was asked for.
    """

    show: str
    task: str
    systems: Strings
    numbers: Rows


@dataclass(frozen=True, eq=False)
class CompletePairs:
    """Pairs of show and task system, show by show, with the systems that have all numbers.

    `lacking` are the systems and shows left out because they never have.
    """

    systems: Strings
    shows: Strings
    tasks: Strings
    pairs: tuple[Pair, ...]
    lacking: Strings


def complete_pairs(
    observed: Observations, columns: Strings, without: Strings = ()
) -> CompletePairs:
    """Find which systems have numbers in all these columns, but leave some systems out."""
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
    lacking = [name for name in systems if name not in there]
    lacking += dict.fromkeys(pair.show for pair in pairs if pair.show not in shows)
    kept = tuple(pair for pair in pairs if pair.show in shows)
    return CompletePairs(tuple(sorted(there)), tuple(shows), tasks, kept, tuple(lacking))


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


def read_observations(tables: Tables, heads: TableColumns) -> Observations:
    """Read tables and join them."""
    there: dict[str, None] = {}
    columns: dict[str, dict[Key, Value]] = {name: {} for name in heads.numbers}
    places: dict[tuple[str, Key], str] = {}
    measures: dict[str, tuple[dict[str, str], str]] = {}
    for row in read_rows(tables, heads):
        there.update(dict.fromkeys(row.heads))
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
        _require_same_conditions(row, measures)
    _require_columns(columns, there, heads)
    return Observations(columns)


def _require_same_conditions(row: Row, measures: dict[str, tuple[dict[str, str], str]]) -> None:
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


def _require_columns(
    columns: Mapping[str, Mapping[Key, Value]], there: Mapping[str, None], heads: TableColumns
) -> None:
    """Refuse columns that are nowhere, or half told of task systems."""
    named = f"there are {_joined_names(there)}"
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


def _format_key(key: Key) -> str:
    return ", ".join(part for part in key if part)
