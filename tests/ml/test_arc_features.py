"""The weight indices of arcs equal plain sums of hashes."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from caesura.ml.parsing.arcs import (
    SPECIAL,
    TEMPLATES,
    CandidateWindow,
    UnitFeatures,
    weight_indices,
)
from ml.units import NAMES, Case, cases, indices_by_hand, places, random_units


@settings(max_examples=60)
@given(cases(most=14), st.integers(8, 22))
def test_indices_are_plain_sums_of_integers(case: Case, bits: int) -> None:
    features, window, first, stop = case
    assume(first < stop)
    found = weight_indices(features, window, bits, first, stop)
    assert found.shape[:2] == (stop - first, window.width + len(SPECIAL))
    for unit in range(first, stop):
        for row, expected in zip(
            found[unit - first].tolist(), indices_by_hand(features, window, bits, unit), strict=True
        ):
            assert not expected or sorted(row) == expected


def test_all_templates_are_used_if_all_columns_are_there() -> None:
    features = random_units(1, 5, NAMES)
    assert weight_indices(features, CandidateWindow(2, 2), 20, 0, 5).shape == (
        5,
        7,
        len(TEMPLATES.split("\n")) - 2,
    )


@given(cases())
def test_candidates_lie_inside_the_recording_and_are_not_the_unit(case: Case) -> None:
    features, window, first, stop = case
    found = window.candidates(len(features), first, stop)
    for unit in range(first, stop):
        here = [place is not None for place in places(len(features), window, unit)[: window.width]]
        assert found[unit - first].tolist() == [*here, True, True]


@given(cases(), st.integers(0, 20))
def test_units_that_follow_are_joined(case: Case, cut: int) -> None:
    features = case.features
    again = features[:cut].extended(features[cut:])
    assert len(again) == len(features)
    assert again.gaps.tolist() == features.gaps.tolist()
    for name, cells in features.columns.items():
        assert again.columns[name].tolist() == cells.tolist()


def test_a_missing_column_is_filled_with_0() -> None:
    one, two = np.array([7], np.uint64), np.array([8, 9], np.uint64)
    joined = UnitFeatures({"tag": one}, np.zeros(1, np.int64)).extended(
        UnitFeatures({"word": two}, np.ones(2, np.int64))
    )
    assert joined.columns["tag"].tolist() == [7, 0, 0]
    assert joined.columns["word"].tolist() == [0, 8, 9]
    assert joined.gaps.tolist() == [0, 1, 1]
