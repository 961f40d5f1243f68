"""Smoothing by hand, and what must hold for any counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.arrays import Floats
from caesura.ml.ngram import (
    Backoff,
    ClassProbabilities,
    Interpolation,
    Smoothing,
    discount,
    smoothing,
)
from caesura.ml.ngram_counts import SparseTable

WAYS: list[Smoothing] = [Interpolation(0.5), Backoff(0.5), Interpolation(8.0), Backoff(0.9)]


def smoothed(way: Smoothing, counts: Floats, lower: Floats) -> Floats:
    """Smooth rows that are distributions over all their cells."""
    row, column = np.nonzero(counts)
    width = counts.shape[1]
    cells = SparseTable.of(row, column, len(counts), width, counts[row, column])
    return ClassProbabilities(cells, width, lambda rows: lower[rows], way).rows(
        np.arange(len(counts))
    )


def test_interpolation_lends_by_the_number_of_kinds() -> None:
    # Seen 3 and 1 times, two kinds: of 4 + 2 x strength the shorter history gets 2 x strength.
    counts, lower = np.array([[3.0, 1.0, 0.0]]), np.array([[0.2, 0.3, 0.5]])
    found = smoothed(Interpolation(2.0), counts, lower)
    np.testing.assert_allclose(found, [[3.8 / 8, 2.2 / 8, 2 / 8]])


def test_backoff_gives_what_it_takes_to_what_was_not_seen() -> None:
    counts, lower = np.array([[3.0, 1.0, 0.0, 0.0]]), np.array([[0.2, 0.3, 0.4, 0.1]])
    found = smoothed(Backoff(0.5), counts, lower)
    np.testing.assert_allclose(found, [[2.5 / 4, 0.5 / 4, 0.25 * 0.8, 0.25 * 0.2]])


def test_backoff_takes_nothing_where_all_was_seen() -> None:
    found = smoothed(Backoff(0.5), np.array([[3.0, 1.0]]), np.array([[0.4, 0.6]]))
    np.testing.assert_allclose(found, [[0.75, 0.25]])


@pytest.mark.parametrize("way", WAYS)
def test_a_history_never_seen_says_what_the_shorter_one_says(way: Smoothing) -> None:
    lower = np.array([[0.2, 0.3, 0.5]])
    np.testing.assert_allclose(smoothed(way, np.zeros((1, 3)), lower), lower)
    none = np.zeros(1)
    assert way.terms(none, none, none + 1).rest.tolist() == [1]


@pytest.mark.parametrize("way", WAYS)
@given(
    st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=5),
    st.lists(st.integers(1, 9), min_size=3, max_size=3),
)
def test_any_counts_give_probabilities(
    way: Smoothing, rows: list[list[int]], weights: list[int]
) -> None:
    lower = np.broadcast_to(np.array(weights) / sum(weights), (len(rows), 3))
    found = smoothed(way, np.array(rows, np.float64), lower)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_ways_go_by_their_names() -> None:
    once = np.array([1.0, 1.0, 2.0])
    assert smoothing("interpolation", 3.0, once) == Interpolation(3.0)
    assert smoothing("backoff", 3.0, once) == Backoff(0.5)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [([1, 1, 2, 3, 0], 0.5), ([1, 2, 2], 0.2), ([1, 1, 3], 0.5), ([2, 2], 0.5), ([0], 0.5)],
)
def test_discount_is_told_by_what_was_seen_once_and_twice(
    counts: list[int], expected: float
) -> None:
    assert discount(np.array(counts, np.float64)) == expected
