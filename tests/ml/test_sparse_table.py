"""Tables that are nearly empty say the same as full ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.ml import ngram_counts
from caesura.ml.ngram_counts import SparseTable

TABLES = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([0, 0, 0, 1, 2, 300]), min_size=width, max_size=width),
        min_size=1,
        max_size=7,
    )
)


def table(
    rows: list[list[int]],
) -> tuple[SparseTable, np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    full = np.array(rows, np.float64)
    row, column = np.nonzero(full)
    return SparseTable.of(row, column, len(rows), full.shape[1], full[row, column]), full


@given(TABLES, st.data())
def test_rows_sums_and_moves(rows: list[list[int]], data: st.DataObject) -> None:
    cells, full = table(rows)
    chosen = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9)), np.int64)
    assert (cells.dense(chosen) == full[chosen]).all()
    group = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))))
    sums = np.zeros((4, full.shape[1]))
    np.add.at(sums, group, full)
    assert (cells.sum_rows(group, 4, 2 * cells.values).dense(np.arange(4)) == 2 * sums).all()
    assert (cells.sum_rows(group, 4).dense(np.arange(4)) == sums).all()
    kinds = np.zeros((4, full.shape[1]))
    np.add.at(kinds, group, full > 0)
    assert (cells.count_cells(group, 4).dense(np.arange(4)) == kinds).all()
    halved = cells.with_columns(cells.column // 2, (full.shape[1] + 1) // 2)
    moved = np.zeros((len(rows), halved.width))
    for column in range(full.shape[1]):
        moved[:, column // 2] += full[:, column]
    assert (halved.dense(np.arange(len(rows))) == moved).all()


def test_places_are_counted() -> None:
    cells = SparseTable.of(np.array([2, 0, 2, 2]), np.array([1, 0, 1, 0]), 4, 2)
    assert cells.dense(np.arange(4)).tolist() == [[1, 0], [0, 0], [1, 2], [0, 0]]
    assert cells.row.tolist() == [0, 2, 2]


def test_parts_cover_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    cells, full = table([[1, 0], [0, 2], [3, 4], [0, 0], [5, 0]])
    monkeypatch.setattr(ngram_counts, "AT_ONCE", 4)
    parts = list(cells.parts())
    assert [rows.tolist() for rows, _ in parts] == [[0, 1], [2, 3], [4]]
    assert [cells.values[here].tolist() for _, here in parts] == [[1, 2], [3, 4], [5]]
    assert full.sum() == cells.values.sum()
