"""Calibration: bins and errors against slow and obvious code, and fits that undo a distortion."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.arrays import Flags, Floats
from caesura.core.values import Undefined
from caesura.detectors.probability import as_probabilities
from caesura.evaluation.calibration import (
    BINS,
    TABLE_BINS,
    Kind,
    expected_calibration_error,
    fit_calibration,
    measure_calibration,
    reliability,
)

CASES = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.77, 1.0]), st.booleans()))


def columns(cases: list[tuple[float, bool]]) -> tuple[Floats, Flags]:
    """Return probabilities and truth as columns."""
    return np.array([p for p, _ in cases], np.float64), np.array([e for _, e in cases], np.bool_)


def slow_error(cases: list[tuple[float, bool]], bins: int) -> float:
    """Sum over bins of equal width, as the definition says."""
    total = 0.0
    for number in range(bins):
        inside = [c for c in cases if min(int(c[0] * bins), bins - 1) == number]
        if inside:
            predicted = sum(p for p, _ in inside) / len(inside)
            observed = sum(e for _, e in inside) / len(inside)
            total += len(inside) / len(cases) * abs(predicted - observed)
    return total


@given(CASES, st.integers(1, 12))
def test_the_error_in_bins_of_equal_width(cases: list[tuple[float, bool]], bins: int) -> None:
    found = expected_calibration_error(*columns(cases), bins, "width")
    if cases:
        assert found == pytest.approx(slow_error(cases, bins))
    else:
        assert isinstance(found, Undefined)


@pytest.mark.parametrize("kind", ["mass", "width"])
@given(cases=CASES, bins=st.integers(1, 12))
def test_every_gap_is_in_one_bin(kind: Kind, cases: list[tuple[float, bool]], bins: int) -> None:
    found = reliability(*columns(cases), bins, kind)
    assert len(found) <= bins
    assert sum(one.gaps for one in found) == len(cases)
    assert sum(one.gaps * one.observed for one in found) == pytest.approx(sum(e for _, e in cases))
    assert sum(one.gaps * one.predicted for one in found) == pytest.approx(sum(p for p, _ in cases))
    for one, other in pairwise(found):
        assert one.low - 1e-12 <= one.predicted <= one.high + 1e-12
        assert one.high < other.low


def test_bins_have_equally_many_gaps_where_all_differ() -> None:
    probability = np.random.default_rng(1).permutation(np.linspace(0.01, 0.99, 60))
    found = reliability(probability, probability > 0.5, 6)
    assert [one.gaps for one in found] == [10] * 6


def test_right_probabilities_have_no_error_and_wrong_ones_have_theirs() -> None:
    probability = np.repeat([0.2, 0.8], 100)
    ends = np.tile(np.arange(10) < 2, 10).tolist() + np.tile(np.arange(10) < 8, 10).tolist()
    assert expected_calibration_error(probability, np.array(ends)) == pytest.approx(0)
    far = expected_calibration_error(np.full(200, 0.9), np.array(ends))
    assert far == pytest.approx(0.4)


def sampled(seed: int, count: int = 4000) -> tuple[Floats, Flags]:
    """Draw true log-odds, and boundaries with just these probabilities."""
    random = np.random.default_rng(seed)
    odds = random.normal(-2, 2, count)
    return odds, random.random(count) < as_probabilities(odds)


def test_a_fit_undoes_scale_and_bias() -> None:
    odds, ends = sampled(1, 40_000)
    fitted = fit_calibration((odds - 0.7) / 0.5, ends)
    assert fitted is not None
    assert fitted[0] == pytest.approx(0.5, abs=0.02)
    assert fitted[1] == pytest.approx(0.7, abs=0.05)


def test_no_other_scale_and_bias_fit_better() -> None:
    odds, ends = sampled(2)
    fitted = fit_calibration(odds, ends)
    assert fitted is not None

    def loss(scale: float, bias: float) -> float:
        return float(np.logaddexp(0, np.where(ends, -1, 1) * (scale * odds + bias)).sum())

    for step in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01)):
        assert loss(*fitted) < loss(fitted[0] + step[0], fitted[1] + step[1])


def test_gaps_of_one_kind_cannot_be_fitted_and_separable_ones_can() -> None:
    assert fit_calibration(np.zeros(3), np.ones(3, np.bool_)) is None
    fitted = fit_calibration(np.array([-1.0, 1.0]), np.array([False, True]))
    assert fitted is not None
    assert np.isfinite(fitted).all()


def test_recordings_are_measured_and_set_right_by_halves() -> None:
    parts = [sampled(seed) for seed in range(4)]
    found = measure_calibration([odds * 3 + 1 for odds, _ in parts], [ends for _, ends in parts])
    assert isinstance(found.ece, float)
    assert isinstance(found.calibrated_ece, float)
    assert found.calibrated_ece < 0.02 < found.ece
    assert found.scale == pytest.approx(1 / 3, abs=0.03)
    assert found.bias == pytest.approx(-1 / 3, abs=0.1)
    assert len(found.bins) == TABLE_BINS
    assert found.ece == expected_calibration_error(
        as_probabilities(np.concatenate([odds * 3 + 1 for odds, _ in parts])),
        np.concatenate([ends for _, ends in parts]),
        BINS,
        "mass",
    )
    assert found.to_json()["bins"][0].keys() == {"low", "high", "gaps", "predicted", "observed"}
    assert found.scores()["ece"] == found.ece


def test_what_cannot_be_measured_is_undefined() -> None:
    alone = measure_calibration([np.array([1.0, -1.0])], [np.array([True, False])])
    assert isinstance(alone.calibrated_ece, Undefined)
    nothing = measure_calibration([], [])
    assert isinstance(nothing.ece, Undefined)
    assert nothing.to_json() == {
        "ece": None,
        "calibrated_ece": None,
        "calibration_scale": None,
        "calibration_bias": None,
        "bins": [],
    }
