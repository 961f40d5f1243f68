"""The base classes and shared functions of metrics."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import LayerError, MismatchError
from caesura.core.protocols import PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.metrics.base import (
    NONE_GIVEN,
    Pairwise,
    boundary_flags,
    column_sum,
    harmonic_mean,
    lost_boundary_counts,
    mean_over_references,
    require_same_length,
    split_by_reference,
)
from caesura.metrics.boundary import Boundary
from caesura.metrics.majority import KolarLamel
from caesura.metrics.tolerant import Tolerant
from metrics.oracle import text


@dataclass(frozen=True, repr=False)
class Hits(Pairwise):
    """Counts the boundaries of a reference that are found."""

    name = "Hits"
    best: ClassVar = {"rate": 1.0}
    main = "rate"

    def compare(
        self, hypothesis: Transcript, reference: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        yield "hits", boundary_flags(hypothesis) & boundary_flags(reference)
        yield "all", boundary_flags(reference)

    def rates(self, counts: Counts) -> dict[str, Value]:
        return {"rate": ratio(counts["hits"], counts["all"], "nothing there")}


OURS = text(12, {2, 6})


def test_references_are_kept_apart_and_averaged() -> None:
    counts = Hits().count(OURS, [text(12, {2, 6}), text(12, {2, 5, 7, 9})])
    assert counts == Counts(hits_1=2, all_1=2, hits_2=1, all_2=4)
    assert Hits().values(counts) == {
        "rate": (1 + 1 / 4) / 2,
        "hits": 3,
        "all": 6,
        "rate_1": 1.0,
        "hits_1": 2,
        "all_1": 2,
        "rate_2": 1 / 4,
        "hits_2": 1,
        "all_2": 4,
    }


def test_one_reference_is_not_numbered() -> None:
    assert Hits().values(Hits().count(OURS, [text(12, {2})])) == {"rate": 1.0, "hits": 1, "all": 1}


def test_one_undefined_reference_leaves_no_mean() -> None:
    found = Hits().values(Hits().count(OURS, [text(12, {2}), text(12, set())]))
    assert found["rate"] == Undefined("reference 2: nothing there")
    assert found["rate_1"] == 1.0
    assert found["rate_2"] == Undefined("nothing there")


def test_no_reference_is_undefined() -> None:
    assert Hits().values(Hits().count(OURS, [])) == {"rate": Undefined(NONE_GIVEN)}


def test_references_are_sorted_by_number() -> None:
    many = Hits().count(OURS, [text(12, {2, 6})] * 9 + [text(12, {2, 3})] * 3)
    found = Hits().values(many)
    assert [found[f"rate_{i}"] for i in range(1, 13)] == [1.0] * 9 + [0.5] * 3
    assert [part["hits"] for part in split_by_reference(many)] == [2] * 9 + [1] * 3


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_mean_does_not_know_an_order(values: list[float]) -> None:
    found = {mean_over_references(list(order)) for order in permutations(values)}
    assert len(found) == 1
    assert found.pop() == pytest.approx(sum(values) / len(values))


def test_harmonic() -> None:
    assert harmonic_mean(0.5, 1.0) == pytest.approx(2 / 3)
    assert harmonic_mean(0.0, 0.0) == 0.0
    assert harmonic_mean(Undefined("a"), Undefined("b")) == Undefined("a")
    assert harmonic_mean(0.5, Undefined("b")) == Undefined("b")


def test_total_keeps_whole_numbers_whole() -> None:
    assert column_sum(np.full(300, 127, np.int8)) == 300 * 127
    assert column_sum(np.full(3, 2**31 - 1, np.int32)) == 3 * (2**31 - 1)
    assert column_sum(np.zeros(0, np.bool_)) == 0


def test_ends_leaves_the_transcript_alone() -> None:
    assert np.flatnonzero(boundary_flags(OURS)).tolist() == [1, 5]
    assert np.flatnonzero(boundary_flags(OURS, count_end=True)).tolist() == [1, 5, 11]
    assert boundary_flags(text(0, set())).tolist() == []
    with pytest.raises(LayerError, match="has no sentences; find them first"):
        boundary_flags(Transcript(("a",)))


def test_other_lengths_are_refused() -> None:
    require_same_length(OURS, [OURS, OURS])
    with pytest.raises(MismatchError, match="has 12 words and a reference 11"):
        require_same_length(OURS, [OURS, text(11, {2})])


def test_boundaries_lost_in_an_alignment_are_counted_where_they_were() -> None:
    lost = [np.array([1, 1]), np.zeros(0, np.int64)]
    columns = lost_boundary_counts(lost, 3, "errors", "boundaries")
    assert {name: column.tolist() for name, column in columns} == {
        "errors_1": [0, 2, 0],
        "boundaries_1": [0, 2, 0],
        "errors_2": [0, 0, 0],
        "boundaries_2": [0, 0, 0],
    }


def test_metrics_count_lost_boundaries_as_missed() -> None:
    lost = [np.array([0, 2])]
    for metric, names in (
        (Boundary(), ["missing_1"]),
        (Tolerant(words=1), ["missing_1"]),
        (KolarLamel(), ["errors_1", "boundaries_1"]),
    ):
        columns = metric.missed_counts(lost, 3)
        assert columns is not None
        assert {name: column.tolist() for name, column in columns} == {
            key: [1, 0, 1] for key in names
        }
    assert Boundary(classes=(".",)).missed_counts(lost, 3) is None
