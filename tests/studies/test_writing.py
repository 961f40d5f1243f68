"""What every study writes: tables, numbers, and files that are complete or not there."""

import json
from fractions import Fraction

import pytest

from caesura.core.values import Undefined
from caesura_studies.report import Number, as_json, number, part_of, signed, sure, table


def test_tables_keep_bars_in_cells_apart_from_columns() -> None:
    lines = table(("name", "n"), [["a|b", "1"], ["東京", "20"]]).splitlines()
    assert lines == [
        "| name |   n |",
        "| ---- | --: |",
        "| a\\|b |   1 |",
        "| 東京 |  20 |",
    ]


def test_numbers_are_written_alike_everywhere() -> None:
    unknown = Undefined("no boundary")
    assert [number(0.12345), number(1200), number(unknown)] == ["0.123", "1200", "undefined"]
    assert [signed(0.5), signed(-0.5), signed(unknown)] == ["+0.500", "-0.500", "undefined"]
    assert sure(0.5, (0.4, 0.6)) == "0.500 [0.400, 0.600]"
    assert sure(unknown, unknown) == "undefined –"
    assert [part_of(1, 4), part_of(0, 0)] == ["1 of 4 (25%)", "0 of 0"]


def test_json_has_null_for_what_is_undefined_and_refuses_the_rest() -> None:
    given = {"a": Undefined("no boundary"), "b": Number("here", ".5", Fraction(1, 2)), "c": (1, 2)}
    found = json.loads(as_json(given))
    assert found["a"] is None
    assert [found["b"][name] for name in ("printed", "right", "agrees")] == [".5", 0.5, True]
    assert found["c"] == [1, 2]
    for wrong in (float("nan"), object()):
        with pytest.raises((TypeError, ValueError)):
            as_json({"a": wrong})
