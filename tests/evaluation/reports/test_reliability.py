"""The drawing of a card's reliability table."""

from pathlib import Path

import pytest

from caesura.core.errors import OutputError
from caesura.evaluation.reports.figures import write_reliability

ROWS = (
    {"low": 0.0, "high": 0.1, "gaps": 90, "predicted": 0.05, "observed": 0.02},
    {"low": 0.1, "high": 0.9, "gaps": 10, "predicted": 0.6, "observed": 0.5},
)


def test_the_same_table_gives_the_same_drawing(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("one.svg", "two.svg"):
        write_reliability(ROWS, tmp_path / name, "my-model")
    one, two = ((tmp_path / name).read_bytes() for name in ("one.svg", "two.svg"))
    assert one == two
    assert b"share of boundaries" in one or b"<svg" in one
    write_reliability(ROWS, tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_other_files_and_cards_without_a_table_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"a figure is a .png or .svg file"):
        write_reliability(ROWS, tmp_path / "plot.pdf")
    with pytest.raises(OutputError, match="has no reliability table to draw; train the model with"):
        write_reliability((), tmp_path / "plot.svg")
