"""What every registered metric promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import registry
from caesura.contracts import Counts, Metric, Undefined
from caesura.transcript import Segmentation, Transcript

METRICS = [*registry.names("metric"), "Boundary(count_end=True)", "Boundary(classes=('.', '?'))"]


@st.composite
def segmentations(draw: st.DrawFn, count: int) -> Segmentation:
    label = draw(st.lists(st.sampled_from(["", "", ".", "?", ","]), min_size=count, max_size=count))
    return Segmentation(np.array([mark in (".", "?") for mark in label], np.bool_), tuple(label))


@st.composite
def documents(draw: st.DrawFn) -> tuple[Transcript, list[Transcript]]:
    count = draw(st.integers(1, 12))
    references = draw(st.integers(1, 3))
    made = [
        Transcript(("w",) * count, sentences=draw(segmentations(count)))
        for _ in range(references + 1)
    ]
    return made[0], made[1:]


@pytest.fixture(params=METRICS)
def metric(request: pytest.FixtureRequest) -> Metric:
    return registry.parse("metric", request.param)


def test_repr_parses_back(metric: Metric) -> None:
    assert registry.parse("metric", repr(metric)) == metric


@pytest.mark.parametrize("name", METRICS)
@given(documents(), documents())
def test_counts_add_in_any_order(
    name: str,
    one: tuple[Transcript, list[Transcript]],
    two: tuple[Transcript, list[Transcript]],
) -> None:
    metric = registry.parse("metric", name)
    first, second = metric.count(*one), metric.count(*two)
    assert first + second == second + first
    assert first + Counts() == first == Counts() + first
    assert metric.values(first + second) == metric.values(second + first)


@pytest.mark.parametrize("name", METRICS)
@given(documents())
def test_order_of_references_does_not_matter(
    name: str, document: tuple[Transcript, list[Transcript]]
) -> None:
    metric = registry.parse("metric", name)
    hypothesis, references = document
    assert metric.count(hypothesis, references) == metric.count(hypothesis, references[::-1])


@pytest.mark.parametrize("name", METRICS)
@given(documents())
def test_a_copy_of_the_reference_is_best(
    name: str, document: tuple[Transcript, list[Transcript]]
) -> None:
    metric = registry.parse("metric", name)
    hypothesis, _ = document
    values = metric.values(metric.count(hypothesis, [hypothesis]))
    for key, best in metric.best.items():
        value = values[key]
        assert isinstance(value, Undefined) or value == best


@pytest.mark.parametrize("name", METRICS)
def test_nothing_counted_is_undefined_with_a_reason(name: str) -> None:
    metric = registry.parse("metric", name)
    for key, value in metric.values(Counts()).items():
        if key in metric.best:
            assert isinstance(value, Undefined)
            assert value.reason
