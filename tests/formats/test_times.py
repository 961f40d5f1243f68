"""Times for formats that cannot do without."""

import numpy as np

from caesura.formats.times import decimal, filled_times
from caesura.transcript import Transcript

NAN = np.nan


def test_unknown_times_are_spread_between_known_ones() -> None:
    transcript = Transcript(
        ("a", "b", "c", "d"),
        start=np.array([0, NAN, NAN, 3]),
        end=np.array([1, NAN, NAN, 4.0]),
    )
    start, end = filled_times(transcript, "x")
    np.testing.assert_array_equal(start, [0, 1, 2, 3])
    np.testing.assert_array_equal(end, [1, 2, 3, 4])


def test_spread_times_never_run_backwards_between_words_that_overlap() -> None:
    transcript = Transcript(
        ("a", "b", "c", "d"),
        start=np.array([0, NAN, NAN, 1]),
        end=np.array([1.5, NAN, NAN, 2]),
    )
    start, end = filled_times(transcript, "x")
    np.testing.assert_array_equal(start, [0, 1, 1, 1])
    np.testing.assert_array_equal(end, [1.5, 1, 1, 2])


def test_numbers_are_written_without_exponents_and_idle_zeros() -> None:
    assert [decimal(n) for n in (0, 100, 0.5, 0.000001, 1234.5678)] == [
        "0",
        "100",
        "0.5",
        "0.000001",
        "1234.5678",
    ]
