"""Times for formats that cannot do without."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.transcript import Transcript
from caesura.formats.time_interpolation import decimal, filled_times, in_order

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


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_the_fewest_times_are_given_up_to_bring_words_in_order(times: list[int]) -> None:
    words = Transcript(
        ("w",) * len(times), start=np.array(times, float), end=np.array(times, float)
    )
    start = in_order(words).start
    assert start is not None
    kept = start[~np.isnan(start)].tolist()
    assert kept == sorted(kept)
    longest = max(
        size
        for size in range(len(times) + 1)
        for some in combinations(times, size)
        if list(some) == sorted(some)
    )
    assert len(kept) == longest


def test_speakers_may_talk_at_once() -> None:
    start = np.array([0.0, 2.0, 1.0, 3.0])
    words = Transcript(("a", "b", "c", "d"), start=start, end=start, speaker=("A", "A", "B", "B"))
    assert in_order(words) == words
