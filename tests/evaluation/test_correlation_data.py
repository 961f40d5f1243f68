"""Joining tables, and finding the systems that have all numbers."""

from typing import Any

import pytest

from caesura.core.errors import MismatchError, UnknownName
from caesura.core.values import Undefined
from caesura.evaluation.correlation_data import (
    Observations,
    TableColumns,
    complete_pairs,
    read_observations,
)

Records = list[dict[str, Any]]


def table(*cells: tuple[object, ...], names: str = "system show wer") -> Records:
    return [dict(zip(names.split(), row, strict=True)) for row in cells]


def joined(*tables: Records, numbers: str = "wer", task: str = "task") -> Observations:
    return read_observations(tables, TableColumns("system", "show", task, tuple(numbers.split())))


ETER = table(
    ("a", "one", "crf", 1),
    ("a", "one", "hmm", 2),
    ("b", "one", "crf", 3),
    names="system show task eter",
)


def test_a_number_without_task_system_holds_for_all() -> None:
    found = joined(table(("a", "one", 0.5)), ETER, numbers="wer eter")
    assert found.of("wer", "a", "one", "crf") == 0.5
    assert found.of("wer", "a", "one", "hmm") == 0.5
    assert found.of("eter", "a", "one", "hmm") == 2
    assert found.of("eter", "b", "one", "hmm") is None
    assert found.of("wer", "b", "one", "crf") is None


def test_one_table_a_system() -> None:
    found = joined(table(("a", "one", 1)), table(("b", "one", 2)))
    assert found.columns == {"wer": {("a", "one", ""): 1, ("b", "one", ""): 2}}


def test_the_same_row_twice_is_refused() -> None:
    again = table(("a", "one", 1), ("a", "one", 1))
    with pytest.raises(MismatchError, match=r"row 2: wer of a, one was given already; .* row 1"):
        joined(again)
    with pytest.raises(MismatchError, match="given already"):
        joined(table(("a", "one", 1)), table(("a", "one", 2)))
    # The same rows with other columns are two halves of one table.
    halves = joined(table(("a", "one", 1)), ETER, numbers="wer eter")
    assert set(halves.columns) == {"wer", "eter"}


def test_columns_that_are_nowhere_are_refused() -> None:
    with pytest.raises(UnknownName, match="no table has a column 'ser'; there are system, show"):
        joined(table(("a", "one", 1)), numbers="ser")
    with pytest.raises(UnknownName, match="no table has a column 'WER'; did you mean 'wer'"):
        joined(table(("a", "one", 1)), numbers="WER")
    with pytest.raises(UnknownName, match="no table has a column 'tagger' of task systems"):
        joined(table(("a", "one", 1)), task="tagger")
    with pytest.raises(UnknownName, match="there are none"):
        joined()


def test_a_column_with_and_without_task_systems_is_refused() -> None:
    with pytest.raises(
        MismatchError, match="for each task system, another has it without task systems"
    ):
        joined(table(("a", "one", 1), names="system show eter"), ETER, numbers="eter")


def test_negated_columns_have_a_minus() -> None:
    none = Undefined("no")
    found = Observations({"f1": {("a", "x", ""): 0.5, ("b", "x", ""): none}, "wer": {}})
    assert found.negated(["f1"]).columns == {
        "-f1": {("a", "x", ""): -0.5, ("b", "x", ""): none},
        "wer": {},
    }


def numbers(text: str) -> Observations:
    """Columns of rows such as `a one 1 2`; a dash is no number."""
    found: dict[str, dict[tuple[str, str, str], Any]] = {"eter": {}, "wer": {}}
    for line in text.strip().splitlines():
        system, show, *cells = line.split()
        for column, cell in zip(found, cells, strict=True):
            value = Undefined("no") if cell == "-" else float(cell)
            found[column][system, show, ""] = value
    return Observations(found)


def test_systems_that_have_all_numbers() -> None:
    given = numbers("c one 1 2\na one 3 4\nb one - 6\na two 5 5\nb three - 1\nd two 1 -")
    found = complete_pairs(given, ("eter", "wer"))
    assert [(pair.show, pair.systems, pair.numbers.tolist()) for pair in found.pairs] == [
        ("one", ("a", "c"), [[3, 4], [1, 2]]),
        ("two", ("a",), [[5, 5]]),
    ]
    assert (found.systems, found.shows, found.tasks) == (("a", "c"), ("one", "two"), ("",))
    assert found.incomplete == ("b", "d", "three")


def test_systems_can_be_left_out() -> None:
    given = numbers("a one 1 2\nb one 3 4\nb two 3 4")
    found = complete_pairs(given, ("eter", "wer"), without=("b",))
    assert (found.systems, found.shows, found.incomplete) == (("a",), ("one",), ("two",))
    with pytest.raises(UnknownName, match="there is no system 'z'; there are a, b"):
        complete_pairs(given, ("eter", "wer"), without=("z",))
