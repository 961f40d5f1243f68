"""Recordings cut into rows of one width, and put together again."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura.detectors.neural.net_detector import WordWindows

sizes = st.integers(0, 4)


def test_rows_keep_each_word_once_with_context() -> None:
    rows = WordWindows(2, 3, 1).cut([np.arange(1, 5), np.arange(0), np.array([9])], 0)
    assert rows.tolist() == [[0, 0, 1, 2, 3, 4], [2, 3, 4, 0, 0, 0], [0, 0, 9, 0, 0, 0]]


@given(sizes, st.integers(1, 5), sizes, st.lists(st.integers(0, 14), max_size=5))
def test_rows_say_what_stands_around_each_word(
    before: int, kept: int, after: int, lengths: list[int]
) -> None:
    columns = [np.arange(10 * k, 10 * k + length) for k, length in enumerate(lengths, 1)]
    windows = WordWindows(before, kept, after)
    rows = windows.cut(columns, -1)
    assert rows.shape[1] == windows.width
    found = windows.join(windows.cut_kept(columns, -1), lengths)
    assert [each.tolist() for each in found] == [each.tolist() for each in columns]
    around = np.stack([rows[:, at : at + before + 1 + after] for at in range(kept)], axis=1)
    for column, views in zip(columns, windows.join(around, lengths), strict=True):
        for at, view in enumerate(views.tolist()):
            places = range(at - before, at + after + 1)
            whole = [int(column[p]) if 0 <= p < len(column) else -1 for p in places]
            assert view == whole
