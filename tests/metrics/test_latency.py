"""Latency: comparison with a direct computation."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined
from caesura.metrics.latency import Latency

Delays = list[tuple[int, float]]


def streamed(delays: Delays) -> Transcript:
    """Make sentences of two words with these delays in words and seconds."""
    count = 2 * len(delays)
    columns = np.full((2, count), np.nan)
    columns[:, 1::2] = np.array(delays, np.float64).reshape(-1, 2).T
    return Transcript(
        ("w",) * count,
        evidence={"delay_words": columns[0], "delay_seconds": columns[1]},
        sentences=Segmentation.of_gaps(count, range(1, count, 2)),
    )


def within(share: float, values: list[float]) -> float:
    """Return the smallest value within which this share of them lies."""
    return min(v for v in values if sum(w <= v for w in values) >= share * len(values))


hundredths = st.integers(0, 3000).map(lambda n: n / 100)
delays = st.lists(st.tuples(st.integers(0, 40), hundredths), min_size=2, max_size=30)


@given(delays)
def test_values_are_those_of_a_list(given: Delays) -> None:
    values = Latency().values(Latency().count(streamed(given), []))
    for unit, column in zip(("words", "seconds"), zip(*given[:-1], strict=True), strict=True):
        found = {name: values[f"{name}_{unit}"] for name in ("mean", "median", "p95", "max")}
        numbers = list(column)
        assert found["mean"] == pytest.approx(statistics.fmean(numbers))
        assert found["median"] == pytest.approx(within(0.5, numbers))
        assert found["p95"] == pytest.approx(within(0.95, numbers))
        assert found["max"] == pytest.approx(max(numbers))
    assert values["boundaries"] == len(given) - 1


@given(delays, delays)
def test_counts_of_recordings_add(one: Delays, two: Delays) -> None:
    metric = Latency()
    together = metric.count(streamed(one), []) + metric.count(streamed(two), [])
    # The end of the first recording is no decision, and stands in the middle here.
    both = streamed([*one[:-1], *two])
    assert metric.values(together) == metric.values(metric.count(both, []))


def test_without_delays_there_are_no_values() -> None:
    metric = Latency()
    bare = streamed([(1, 1.0), (2, 2.0)]).replace(evidence=None)
    for counts, reason in [
        (metric.count(bare, []), "stream the words"),
        (metric.count(bare.replace(sentences=None), []), "no boundary"),
        (metric.count(bare[:2], []), "no boundary"),
        (Counts(), "no boundary"),
    ]:
        value = metric.values(counts)["mean_words"]
        assert isinstance(value, Undefined)
        assert reason in value.reason


def test_boundaries_without_a_delay_are_reported() -> None:
    some = streamed([(1, 1.0), (3, math.nan), (2, 2.0)])
    counts = Latency().count(some, [])
    assert Latency().remarks(counts) == ["1 boundaries have no delay in seconds, and are left out"]
    assert Latency().values(counts)["max_words"] == 3
