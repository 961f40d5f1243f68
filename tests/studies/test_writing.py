"""What every study writes: tables, numbers and complete files."""

import json
from fractions import Fraction

import pytest

from caesura.core.values import Undefined
from caesura_studies.report import (
    Number,
    format_difference,
    format_share,
    format_value,
    make_table,
    to_json_bytes,
    with_interval,
)


def test_tables_keep_bars_in_cells_apart_from_columns() -> None:
    lines = make_table(("name", "n"), [["a|b", "1"], ["東京", "20"]]).splitlines()
    assert lines == [
        "| name |   n |",
        "| ---- | --: |",
        "| a\\|b |   1 |",
        "| 東京 |  20 |",
    ]


def test_numbers_are_written_alike_everywhere() -> None:
    unknown = Undefined("no boundary")
    assert [format_value(0.12345), format_value(1200), format_value(unknown)] == [
        "0.123",
        "1200",
        "undefined",
    ]
    assert [format_difference(0.5), format_difference(-0.5), format_difference(unknown)] == [
        "+0.500",
        "-0.500",
        "undefined",
    ]
    assert with_interval(0.5, (0.4, 0.6)) == "0.500 [0.400, 0.600]"
    assert with_interval(unknown, unknown) == "undefined –"
    assert [format_share(1, 4), format_share(0, 0)] == ["1 of 4 (25%)", "0 of 0"]


def test_json_has_null_for_what_is_undefined_and_refuses_the_rest() -> None:
    given = {"a": Undefined("no boundary"), "b": Number("here", ".5", Fraction(1, 2)), "c": (1, 2)}
    found = json.loads(to_json_bytes(given))
    assert found["a"] is None
    assert [found["b"][name] for name in ("printed", "right", "agrees")] == [".5", 0.5, True]
    assert found["c"] == [1, 2]
    for wrong in (float("nan"), object()):
        with pytest.raises((TypeError, ValueError)):
            to_json_bytes({"a": wrong})
