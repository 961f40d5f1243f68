"""The laws of metrics: what every metric promises about its counts and values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.protocols import LEVELS, Metric
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts, Undefined, Value
from caesura.evaluation.document import ScoringSettings
from caesura.evaluation.scores import score_recordings
from caesura.testing.strategies import for_all

Drawn = tuple[Transcript, list[Transcript]]
"""A hypothesis and its references."""


@st.composite
def documents(draw: st.DrawFn, least: int = 1, most: int = 4) -> Drawn:
    """Draw a hypothesis and `least` to `most` references over the same words, perhaps none."""
    count = draw(st.integers(0, 12))
    words = tuple(draw(st.lists(st.sampled_from("abc,"), min_size=count, max_size=count)))
    ends = np.cumsum(draw(st.lists(st.integers(1, 900), min_size=count, max_size=count))) / 1000
    references = draw(st.integers(least, most))
    bare = Transcript(words, start=ends, end=ends)
    made = [
        bare.replace(sentences=draw(_segmentations(count)), **draw(_layers(count)))
        for _ in range(references + 1)
    ]
    return made[0], made[1:]


@st.composite
def _segmentations(draw: st.DrawFn, count: int) -> Segmentation:
    label = draw(st.lists(st.sampled_from(["", "", ".", "?", ","]), min_size=count, max_size=count))
    return Segmentation(np.array([mark in (".", "?") for mark in label], np.bool_), tuple(label))


@st.composite
def _layers(draw: st.DrawFn, count: int) -> dict[str, Any]:
    """Draw one number for each word, and make all layers that metrics may compare of it."""
    names = ("case", "det", "nsubj", "root")
    most = 2 * len(names) * (count + 1) - 1
    cells = np.array(draw(st.lists(st.integers(0, most), min_size=count, max_size=count)), np.int64)
    cells, begun = np.divmod(cells, 2)
    heads, kinds = np.divmod(cells, len(names))
    clusters = {"cluster": begun > 0} if draw(st.booleans()) else {}
    entities = tuple(
        Span(at, min(at + head % 3, count - 1), ("PER", "LOC")[head % 2])
        for at, (head, kind) in enumerate(zip(heads.tolist(), kinds.tolist(), strict=True))
        if kind
    )
    return {
        "head": heads - 1,
        "relation": tuple(names[kind] for kind in kinds),
        "entities": entities,
        **clusters,
    }


def ordinary_text(count: int, *ends: int) -> Transcript:
    """Make a text with sentences, trees and entities, of which every metric can say something.

    Each word of a sentence depends on the next, and two of three are function words. Each
    sentence begins with an entity. Marks of all kinds stand in it, and capitals.
    """
    marks = tuple("." if gap in ends else "" for gap in range(count))
    sentences = Segmentation(np.array([bool(mark) for mark in marks], np.bool_), marks)
    times = np.arange(count) / 2
    return Transcript(
        tuple(("John", "said", "that", "he")[at % 4] for at in range(count)),
        mark=tuple(".,?!"[at % 4] for at in range(count)),
        start=times,
        end=times,
        head=np.arange(count) + ~sentences.boundary,
        relation=tuple("case" if at % 3 else "obl" for at in range(count)),
        entities=tuple(Span(first, first, "PER") for first, _ in sentences.sentences),
        sentences=sentences,
    )


def checked_counts(
    metric: Metric, hypothesis: Transcript, references: Sequence[Transcript]
) -> Counts:
    """Count, and check that counts are numbers and values are finite or undefined with a reason."""
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


def _are_alike(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Compare values; the reason of an undefined one may name another reference."""
    return one.keys() == other.keys() and all(
        isinstance(other[name], Undefined) if isinstance(value, Undefined) else other[name] == value
        for name, value in one.items()
    )


def repr_parses_back(metric: Metric, examples: int) -> None:
    """`parse(repr(metric)) == metric`."""
    assert registry.parse("metric", repr(metric)) == metric


def main_and_best_values_exist(metric: Metric, examples: int) -> None:
    """`main` and all names in `best` are among the values."""
    text = ordinary_text(9, 3)
    values = metric.values(metric.count(text, [text, text]))
    assert metric.main in values
    assert metric.best.keys() <= values.keys()


def counts_add_in_any_order(metric: Metric, examples: int) -> None:
    """Counts of documents add, and the order of documents does not matter."""

    @for_all(examples, documents(), documents())
    def law(one: Drawn, two: Drawn) -> None:
        first, second = metric.count(*one), metric.count(*two)
        assert first + second == second + first
        assert first + Counts() == first == Counts() + first
        assert metric.values(first + second) == metric.values(second + first)


def documents_scored_together_have_the_sum_of_their_counts(metric: Metric, examples: int) -> None:
    """`score` of two documents gives the values of the sum of their counts."""

    @for_all(examples, documents(least=2, most=2), documents(least=2, most=2))
    def law(one: Drawn, two: Drawn) -> None:
        named = [
            (hypothesis.replace(id=id), [each.replace(id=id) for each in references])
            for id, (hypothesis, references) in zip("ab", (one, two), strict=True)
        ]
        sides = [[references[i] for _, references in named] for i in range(2)]
        found = score_recordings(
            [hypothesis for hypothesis, _ in named], sides, [metric], ScoringSettings((), False)
        )
        assert found.totals == (metric.count(*one) + metric.count(*two),)
        assert found.values == (metric.values(found.totals[0]),)


def columns_over_words_sum_to_the_counts(metric: Metric, examples: int) -> None:
    """The columns of `per_gap_counts`, if there are any, sum to the counts that are drawn."""

    @for_all(examples, documents(least=0))
    def law(document: Drawn) -> None:
        given = metric.per_gap_counts(*document)
        if given is None:
            return
        columns = list(given)
        assert len({name for name, _ in columns}) == len(columns)
        # A text without words may still miss something, and then has one cell to count it in.
        words = len(document[0])
        assert all(column.shape in ((words,), (max(words, 1),)) for _, column in columns)
        summed = Counts(**{name: column.sum(dtype=object) or 0 for name, column in columns})
        assert summed == metric.resampled_counts(metric.count(*document))


def order_of_references_does_not_matter(metric: Metric, examples: int) -> None:
    """With references in another order, `name_1`, `name_2` … are renumbered; all else is equal."""

    @for_all(examples, documents(), st.randoms(use_true_random=False))
    def law(document: Drawn, random: Random) -> None:
        hypothesis, references = document
        order = list(range(len(references)))
        random.shuffle(order)
        place = {str(old + 1): new + 1 for new, old in enumerate(order)}
        before = checked_counts(metric, hypothesis, references)
        after = checked_counts(metric, hypothesis, [references[old] for old in order])
        moved = {_renumbered(name, place): number for name, number in before.items()}
        assert Counts(**moved) == after
        values = {_renumbered(n, place): value for n, value in metric.values(before).items()}
        assert _are_alike(values, metric.values(after))


def _renumbered(name: str, place: Mapping[str, int]) -> str:
    """Exchange the numbers of references at the end of a name, as in `f1_2` or `kappa_1_2`."""
    stem, numbers = re.fullmatch(r"(.*?)((?:_\d+)*)", name).groups()  # type: ignore[union-attr]
    moved = sorted(place[number] for number in numbers.split("_")[1:])
    return "_".join([stem, *map(str, moved)])


def disagreements_are_with_references_that_differ(metric: Metric, examples: int) -> None:
    """`disagreements` has none with a copy, and names a level, a reference and a word."""

    @for_all(examples, documents())
    def law(document: Drawn) -> None:
        hypothesis, references = document
        assert list(metric.disagreements(hypothesis, [hypothesis])) == []
        for each in metric.disagreements(hypothesis, references):
            assert each.level in LEVELS
            assert 1 <= each.reference_number <= len(references)
            assert 0 <= each.place < max(1, len(hypothesis))
            assert (each.reference, each.hypothesis) != ("", "")


def a_copy_of_the_reference_is_best(metric: Metric, examples: int) -> None:
    """A copy of the references gets the best of each value that is defined."""

    @for_all(examples, st.integers(1, 3), documents())
    def law(copies: int, document: Drawn) -> None:
        hypothesis, _ = document
        values = metric.values(checked_counts(metric, hypothesis, [hypothesis] * copies))
        for key, best in metric.best.items():
            value = values[key]
            assert isinstance(value, Undefined) or value == best, key


def a_copy_of_an_ordinary_text_has_all_best_values(metric: Metric, examples: int) -> None:
    """In an ordinary text all values that have a best are defined, and a copy gets it."""
    copy = ordinary_text(20, 3, 9, 14)
    values = metric.values(checked_counts(metric, copy, [copy] * 3))
    assert {name: values[name] for name in metric.best} == metric.best


def a_reference_may_be_given_twice(metric: Metric, examples: int) -> None:
    """Two equal references are no error."""

    @for_all(examples, documents())
    def law(document: Drawn) -> None:
        hypothesis, references = document
        checked_counts(metric, hypothesis, [references[0], *references])


def few_words_are_no_error(metric: Metric, examples: int) -> None:
    """Texts of no word, one or two, and any number of references, are no error."""
    for count in (0, 1, 2):
        for references in (0, 1, 2, 20):
            text = ordinary_text(count)
            checked_counts(metric, text, [text] * references)


def nothing_counted_is_undefined(metric: Metric, examples: int) -> None:
    """Without references, or without counts, values that have a best are undefined."""
    for counts in (checked_counts(metric, ordinary_text(9, 3), []), Counts()):
        values = metric.values(counts)
        for name in metric.best:
            value = values[name]
            assert isinstance(value, Undefined), name
            assert value.reason, name


METRIC_LAWS: tuple[Callable[[Metric, int], None], ...] = (
    repr_parses_back,
    main_and_best_values_exist,
    counts_add_in_any_order,
    documents_scored_together_have_the_sum_of_their_counts,
    columns_over_words_sum_to_the_counts,
    order_of_references_does_not_matter,
    disagreements_are_with_references_that_differ,
    a_copy_of_the_reference_is_best,
    a_copy_of_an_ordinary_text_has_all_best_values,
    a_reference_may_be_given_twice,
    few_words_are_no_error,
    nothing_counted_is_undefined,
)
"""Each law takes a metric and the number of random examples."""
