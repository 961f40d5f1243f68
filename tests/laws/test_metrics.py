"""What every registered metric promises."""

import math
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.protocols import Metric
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Undefined, Value
from caesura.evaluation.document import Terms
from caesura.evaluation.scores import scored

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

Drawn = tuple[Transcript, list[Transcript]]

few = settings(max_examples=25)
"""There are many metrics: each law sees some texts for each of them."""


@st.composite
def segmentations(draw: st.DrawFn, count: int) -> Segmentation:
    label = draw(st.lists(st.sampled_from(["", "", ".", "?", ","]), min_size=count, max_size=count))
    return Segmentation(np.array([mark in (".", "?") for mark in label], np.bool_), tuple(label))


@st.composite
def documents(draw: st.DrawFn, least: int = 1, most: int = 4) -> Drawn:
    """A hypothesis and references on the same timed words, from none at all on."""
    count = draw(st.integers(0, 12))
    words = tuple(draw(st.lists(st.sampled_from("abc,"), min_size=count, max_size=count)))
    ends = np.cumsum(draw(st.lists(st.integers(1, 900), min_size=count, max_size=count))) / 1000
    references = draw(st.integers(least, most))
    bare = Transcript(words, start=ends, end=ends)
    made = [
        bare.replace(sentences=draw(segmentations(count)), **draw(structures(count)))
        for _ in range(references + 1)
    ]
    return made[0], made[1:]


@st.composite
def structures(draw: st.DrawFn, count: int) -> dict[str, Any]:
    """Heads, some of them unknown, relations, entities and, perhaps, clusters, from one number."""
    names = ("case", "det", "nsubj", "root")
    most = 2 * len(names) * (count + 1) - 1
    cells = np.array(draw(st.lists(st.integers(0, most), min_size=count, max_size=count)), np.int64)
    cells, begun = np.divmod(cells, 2)
    heads, kinds = np.divmod(cells, len(names))
    marked = {"cluster": begun > 0} if draw(st.booleans()) else {}
    entities = tuple(
        Span(at, min(at + head % 3, count - 1), ("PER", "LOC")[head % 2])
        for at, (head, kind) in enumerate(zip(heads.tolist(), kinds.tolist(), strict=True))
        if kind
    )
    relation = tuple(names[kind] for kind in kinds)
    return {"head": heads - 1, "relation": relation, "entities": entities} | marked


@pytest.fixture(params=METRICS)
def metric(request: pytest.FixtureRequest) -> Metric:
    return registry.parse("metric", request.param)


def measured(metric: Metric, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
    """Count, and hold what is counted and its values to what a reader may expect of them."""
    counts = metric.count(hypothesis, references)
    assert all(type(number) in (int, float) for number in counts.values())
    for name, value in metric.values(counts).items():
        if isinstance(value, Undefined):
            assert value.reason, name
        else:
            assert type(value) in (int, float), name
            assert math.isfinite(value), name
    assert all(remark for remark in metric.remarks(counts))
    return counts


def alike(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Whether two sets of values are the same; the reason for none may name another reference."""
    return one.keys() == other.keys() and all(
        isinstance(other[name], Undefined) if isinstance(value, Undefined) else other[name] == value
        for name, value in one.items()
    )


def test_repr_parses_back(metric: Metric) -> None:
    assert registry.parse("metric", repr(metric)) == metric


def test_the_main_value_and_those_with_a_best_are_given(metric: Metric) -> None:
    words = text(9, 3)
    given = metric.values(metric.count(words, [words, words]))
    assert metric.main in given
    assert metric.best.keys() <= given.keys()


@pytest.mark.parametrize("name", METRICS)
@few
@given(documents(), documents())
def test_counts_add_in_any_order(name: str, one: Drawn, two: Drawn) -> None:
    metric = registry.parse("metric", name)
    first, second = metric.count(*one), metric.count(*two)
    assert first + second == second + first
    assert first + Counts() == first == Counts() + first
    assert metric.values(first + second) == metric.values(second + first)


@pytest.mark.parametrize("name", METRICS)
@few
@given(documents(least=2, most=2), documents(least=2, most=2))
def test_documents_scored_together_have_the_sum_of_their_counts(
    name: str, one: Drawn, two: Drawn
) -> None:
    metric = registry.parse("metric", name)
    named = [
        (ours.replace(id=id), [each.replace(id=id) for each in theirs])
        for id, (ours, theirs) in zip("ab", (one, two), strict=True)
    ]
    sides = [[theirs[i] for _, theirs in named] for i in range(2)]
    found = scored([ours for ours, _ in named], sides, [metric], Terms((), False))
    assert found.totals == (metric.count(*one) + metric.count(*two),)
    assert found.values == (metric.values(found.totals[0]),)


@pytest.mark.parametrize("name", METRICS)
@few
@given(documents(least=0))
def test_columns_over_words_sum_to_the_counts(name: str, document: Drawn) -> None:
    metric = registry.parse("metric", name)
    columns = metric.per_gap_counts(*document)
    if columns is None:
        return
    told = list(columns)
    assert len({name for name, _ in told}) == len(told)
    # A text without words may still miss something, and then has one cell to count it in.
    words = len(document[0])
    assert all(column.shape in ((words,), (max(words, 1),)) for _, column in told)
    summed = Counts(**{name: column.sum(dtype=object) or 0 for name, column in told})
    assert summed == metric.drawn(metric.count(*document))


@pytest.mark.parametrize("name", METRICS)
@few
@given(documents(), st.randoms(use_true_random=False))
def test_order_of_references_does_not_matter(name: str, document: Drawn, random: Random) -> None:
    """What is numbered by reference is renumbered, and all else the same to the last bit."""
    metric = registry.parse("metric", name)
    hypothesis, references = document
    order = list(range(len(references)))
    random.shuffle(order)
    place = {str(old + 1): new + 1 for new, old in enumerate(order)}

    def renumbered(name: str) -> str:
        stem, numbers = re.fullmatch(r"(.*?)((?:_\d+)*)", name).groups()  # type: ignore[union-attr]
        moved = sorted(place[number] for number in numbers.split("_")[1:])
        return "_".join([stem, *map(str, moved)])

    before = measured(metric, hypothesis, references)
    after = measured(metric, hypothesis, [references[old] for old in order])
    assert Counts(**{renumbered(name): number for name, number in before.items()}) == after
    values = {renumbered(name): value for name, value in metric.values(before).items()}
    assert alike(values, metric.values(after))


@pytest.mark.parametrize("name", METRICS)
@few
@given(documents())
def test_disagreements_are_with_references_that_differ(name: str, document: Drawn) -> None:
    metric = registry.parse("metric", name)
    hypothesis, references = document
    assert list(metric.disagreements(hypothesis, [hypothesis])) == []
    for each in metric.disagreements(hypothesis, references):
        assert each.level in ("token", "word", "entity", "name", "stretch", "sentence")
        assert 1 <= each.against <= len(references)
        assert 0 <= each.place < max(1, len(hypothesis))
        assert (each.reference, each.hypothesis) != ("", "")


@pytest.mark.parametrize("name", METRICS)
@few
@given(st.integers(1, 3), documents())
def test_a_copy_of_the_reference_is_best(name: str, copies: int, document: Drawn) -> None:
    metric = registry.parse("metric", name)
    hypothesis, _ = document
    values = metric.values(measured(metric, hypothesis, [hypothesis] * copies))
    for key, best in metric.best.items():
        value = values[key]
        assert isinstance(value, Undefined) or value == best


def text(count: int, *ends: int) -> Transcript:
    """Each word of a sentence hangs on the next, and two of three are function words.

    Each sentence begins with an entity, the first one with a name.
    """
    marks = tuple("." if gap in ends else "" for gap in range(count))
    sentences = Segmentation(np.array([bool(mark) for mark in marks], np.bool_), marks)
    times = np.arange(count) / 2
    return Transcript(
        tuple(("john", "said", "that", "he")[at % 4] for at in range(count)),
        start=times,
        end=times,
        head=np.arange(count) + ~sentences.boundary,
        relation=tuple("case" if at % 3 else "obl" for at in range(count)),
        entities=tuple(Span(first, first, "PER") for first, _ in sentences.sentences),
        sentences=sentences,
    )


def test_copies_of_an_ordinary_text_have_the_best_of_all_values(metric: Metric) -> None:
    copy = text(20, 3, 9, 14)
    values = metric.values(measured(metric, copy, [copy] * 3))
    assert {name: values[name] for name in metric.best} == metric.best


def test_a_wrong_text_is_worse(metric: Metric) -> None:
    references = [text(40, 7, 22), text(40, 7, 22), text(40, 7, 27)]
    wrong = text(40, 14, 15, 33)
    if not metric.same_words:
        wrong = wrong.replace(words=("v", *wrong.words[1:]))
    values = metric.values(measured(metric, wrong, references))
    for name, best in metric.best.items():
        value = values[name]
        assert not isinstance(value, Undefined)
        assert value > best if best == 0 else value < best


@pytest.mark.parametrize("name", METRICS)
@few
@given(documents(least=0))
def test_renaming_does_nothing(name: str, document: Drawn) -> None:
    metric = registry.parse("metric", name)

    def renamed(transcript: Transcript, id: str) -> Transcript:
        # Where words may differ, their characters are counted.
        words = (word * 2 if metric.same_words else word.upper() for word in transcript.words)
        return transcript.replace(id=id, words=tuple(words))

    hypothesis, references = document
    others = [renamed(one, f"reference-{i}") for i, one in enumerate(references)]
    other, counts = metric.count(renamed(hypothesis, "ours"), others), metric.count(*document)
    assert metric.drawn(other) == metric.drawn(counts)
    assert metric.values(other) == metric.values(counts)


@pytest.mark.parametrize("name", METRICS)
@few
@given(documents())
def test_a_reference_may_be_given_twice(name: str, document: Drawn) -> None:
    hypothesis, references = document
    measured(registry.parse("metric", name), hypothesis, [references[0], *references])


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("references", [0, 1, 2, 20])
def test_hardly_any_words(metric: Metric, count: int, references: int) -> None:
    measured(metric, text(count), [text(count)] * references)


def test_without_references_there_is_no_value(metric: Metric) -> None:
    values = metric.values(measured(metric, text(9, 3), []))
    assert {name for name in metric.best if isinstance(values[name], Undefined)} == set(metric.best)


def test_twenty_references(metric: Metric) -> None:
    references = [text(40, 5, 10 + i % 4, 22, 30 + i) for i in range(9)]
    counts = measured(metric, text(40, 5, 12, 23), [text(40, 5, 10, 22), *references] * 2)
    values = metric.values(counts)
    assert not any(isinstance(values[name], Undefined) for name in metric.best)


@pytest.mark.parametrize("name", METRICS)
def test_nothing_counted_is_undefined_with_a_reason(name: str) -> None:
    metric = registry.parse("metric", name)
    for key, value in metric.values(Counts()).items():
        if key in metric.best:
            assert isinstance(value, Undefined)
            assert value.reason
