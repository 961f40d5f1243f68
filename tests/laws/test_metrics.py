"""The laws of metrics, for every built-in metric and some of its settings."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from caesura.core import registry
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.testing import check_metric
from caesura.testing.metric_laws import METRIC_LAWS, Drawn, checked_counts, documents, ordinary_text

METRICS = [
    *registry.names("metric"),
    "Boundary(count_end=True)",
    "Boundary(classes=('.', '?'))",
    "WiSeBE(protocol='tool')",
    "WiSeBE(window_gap=0)",
    "Agreement(count_end=True)",
    "Pk(k='pooled')",
    "WindowDiff(k=2)",
    "BoundarySimilarity(reach=4)",
    "Tolerant(words=0)",
    "Tolerant(seconds=0.5)",
    "Majority(k=1)",
    "Joint(multiwords='split')",
    "Dependency(roots=True)",
    "Words(weights='sclite')",
    "Words(empty='insertions')",
    "Entities(nested=True, insertions='edges', alpha=0.3)",
    "Entities(classes=('PER',))",
]
EXAMPLES = 25
"""There are many metrics: each law sees some texts for each of them."""


@pytest.fixture(params=METRICS)
def metric(request: pytest.FixtureRequest) -> Metric:
    return registry.parse("metric", request.param)


@pytest.mark.parametrize("law", METRIC_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", METRICS)
def test_law(name: str, law: Callable[[Metric, int], None]) -> None:
    law(registry.parse("metric", name), EXAMPLES)


def test_all_laws_are_checked_at_once() -> None:
    check_metric(registry.parse("metric", "Boundary"), examples=2)


def test_a_wrong_text_is_worse(metric: Metric) -> None:
    references = [ordinary_text(40, 7, 22), ordinary_text(40, 7, 22), ordinary_text(40, 7, 27)]
    wrong = ordinary_text(40, 14, 15, 33)
    if not metric.same_words:
        wrong = wrong.replace(words=("v", *wrong.words[1:]))
    if metric.shown:
        written = ("v", "Said", *wrong.words[2:4], "john", *wrong.words[5:])
        wrong = wrong.replace(words=written, mark=wrong.mark and (*wrong.mark[1:], "."))
    values = metric.values(checked_counts(metric, wrong, references))
    for name, best in metric.best.items():
        value = values[name]
        assert not isinstance(value, Undefined)
        assert value > best if best == 0 else value < best


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=EXAMPLES)
@given(documents(least=0))
def test_spelling_and_ids_do_not_matter(name: str, document: Drawn) -> None:
    metric = registry.parse("metric", name)

    def renamed(transcript: Transcript, id: str) -> Transcript:
        # Where words may differ, their characters are counted; where they are shown, their case.
        twice = metric.same_words or metric.shown
        words = (word * 2 if twice else word.upper() for word in transcript.words)
        return transcript.replace(id=id, words=tuple(words))

    hypothesis, references = document
    others = [renamed(one, f"reference-{i}") for i, one in enumerate(references)]
    other, counts = metric.count(renamed(hypothesis, "ours"), others), metric.count(*document)
    assert metric.resampled_counts(other) == metric.resampled_counts(counts)
    assert metric.values(other) == metric.values(counts)


def test_twenty_references(metric: Metric) -> None:
    references = [ordinary_text(40, 5, 10 + i % 4, 22, 30 + i) for i in range(9)]
    twenty = [ordinary_text(40, 5, 10, 22), *references] * 2
    values = metric.values(checked_counts(metric, ordinary_text(40, 5, 12, 23), twenty))
    assert not any(isinstance(values[name], Undefined) for name in metric.best)
