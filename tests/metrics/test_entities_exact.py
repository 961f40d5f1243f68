"""Entities: comparison with slow exact code, and with nervaluate where it is right."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nervaluate.evaluator import Evaluator

from caesura import api
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Undefined
from caesura.metrics.entities import Entities
from caesura.metrics.entity_matching import SCHEMAS
from caesura.text.alignment.word_alignment import align
from caesura.text.entity_projection import drop_overlaps
from caesura.text.normalization.steps import normalize
from metrics.named import (
    HALF,
    Pairs,
    Prices,
    cost,
    entities,
    matchings,
    measured,
    number,
    on_hypothesis,
    same_words,
    text,
    texts,
    words_of,
)

COSTS = {
    "ser": (Fraction(1), Fraction(1), Fraction(1)),
    "ser_half": (HALF, HALF, Fraction(1)),
    "eter": (Fraction(3, 4), Fraction(1, 4), Fraction(1)),
}
COUNTED = {
    "strict": (Fraction(1), Fraction(1), Fraction(1)),
    "exact": (Fraction(0), Fraction(1), Fraction(1)),
    "partial": (Fraction(0), Fraction(1), Fraction(1)),
    "type": (Fraction(1), Fraction(0), Fraction(1)),
}
"""What another class, another extent and both cost in each schema."""

WRONG = ("incorrect", "partial", "missed", "spurious")


@given(texts(), texts(), st.sampled_from(["inside", "edges", "none"]))
def test_word_errors_are_those_of_a_walk(
    hypothesis: Transcript, reference: Transcript, insertions: str
) -> None:
    values = measured(hypothesis, reference, metric=Entities(insertions=insertions))
    spans = drop_overlaps(reference.entities or ())
    expected = words_of(reference, hypothesis, spans, insertions)
    for label, (words, wrong) in expected.items():
        assert values[f"ne_wer_{label}"] == wrong / words
    words, wrong = (sum(each[i] for each in expected.values()) for i in (0, 1))
    if words:
        assert values["ne_wer"] == wrong / words
    else:
        assert isinstance(values["ne_wer"], Undefined)


@given(texts(), texts(), st.booleans())
def test_no_matching_costs_less(
    hypothesis: Transcript, reference: Transcript, nested: bool
) -> None:
    values = measured(hypothesis, reference, metric=Entities(nested=nested, alpha=0.25))
    aligned = align(reference.words, hypothesis.words)
    chosen = [each.entities or () for each in (reference, hypothesis)]
    theirs, found = chosen if nested else map(drop_overlaps, chosen)
    real = [on_hypothesis(span, aligned) for span in theirs]
    ways = list(matchings(real, found))
    for name, prices in COSTS.items():
        least = min(cost(real, found, pairs, *prices) for pairs in ways)
        value = values[name]
        if real:
            assert value == pytest.approx(float(least / len(real)), abs=1e-12)
        else:
            assert isinstance(value, Undefined)
    for schema, prices in COUNTED.items():
        least = min(cost(real, found, pairs, *prices) for pairs in ways)
        cheapest = [pairs for pairs in ways if cost(real, found, pairs, *prices) == least]
        right = max(_right(real, found, pairs, prices) for pairs in cheapest)
        wrong = [number(values.get(f"{schema}_{name}", 0)) for name in WRONG]
        assert values[f"{schema}_correct"] == right
        assert sum(wrong) == least
        assert right == max(_right(real, found, pairs, prices) for pairs in ways)


def _right(real: Sequence[Span | None], found: Sequence[Span], pairs: Pairs, prices: Prices) -> int:
    """Count the pairs at no cost."""
    return sum(cost([real[i]], [found[j]], ((0, 0),), *prices) == 0 for i, j in pairs)


@given(texts(), texts(), st.booleans(), st.floats(0, 1))
def test_bounds(hypothesis: Transcript, reference: Transcript, nested: bool, alpha: float) -> None:
    values = measured(hypothesis, reference, metric=Entities(nested=nested, alpha=alpha))
    for name in Entities.best:
        value = values[name]
        if isinstance(value, float) and name not in ("ne_wer", *COSTS):
            assert 0 <= value <= 1
    if not isinstance(values["ser"], Undefined):
        ser, half, eter = (number(values[name]) for name in ("ser", "ser_half", "eter"))
        assert ser >= half >= 0
        assert ser >= eter >= 0
        strict, exact, partial, type_ = (number(values[f"{name}_f1"]) for name in SCHEMAS)
        assert strict <= exact <= partial
        assert strict <= type_


@given(entities(10, most=6), entities(10, most=6))
def test_turned_around_nothing_changes(real: list[Span], found: list[Span]) -> None:
    """Ties depend on counts only: the reversed text has the same values."""
    words = tuple("abcdefghij")

    def turned(spans: list[Span]) -> tuple[Span, ...]:
        return tuple(span._replace(first=9 - span.last, last=9 - span.first) for span in spans)

    metric = Entities(nested=True, alpha=0.3)
    there = metric.count(
        Transcript(words, entities=tuple(found)), [Transcript(words, entities=tuple(real))]
    )
    back = metric.count(
        Transcript(words[::-1], entities=turned(found)),
        [Transcript(words[::-1], entities=turned(real))],
    )
    # of equally long entities the first has the words
    assert {name: there[name] for name in there if not name.startswith("ne_")} == {
        name: back[name] for name in back if not name.startswith("ne_")
    }


def test_a_call(corpora: Path) -> None:
    folder = corpora / "earnings21"
    calls = [
        folder / "references" / "4344338.nlp",
        *(folder / "recognisers" / name / "4344338.nlp" for name in ("google", "rev-espnet")),
    ]
    reference, *recognised = (normalize(each[:2000], ("case",)) for each in api.read(calls))
    spans = drop_overlaps(reference.entities or ())
    for hypothesis in recognised:
        for insertions in ("inside", "edges", "none"):
            values = measured(hypothesis, reference, metric=Entities(insertions=insertions))
            expected = words_of(reference, hypothesis, spans, insertions)
            assert len(expected) > 3
            for label, (words, wrong) in expected.items():
                assert values[f"ne_wer_{label}"] == wrong / words


# Against nervaluate


def nervaluate(real: list[Span], found: list[Span]) -> dict[str, Any]:
    texts = [
        [[{"label": span.label, "start": span.first, "end": span.last} for span in spans]]
        for spans in (real, found)
    ]
    evaluator = Evaluator(*texts, tags=["A", "B"], loader="dict")
    overall: dict[str, Any] = evaluator.evaluate()["overall"]
    return overall | {"type": overall["ent_type"]}


def alone(real: list[Span], found: list[Span]) -> bool:
    """Whether each entity overlaps with at most one of the other text."""
    pairs = [
        (i, j)
        for i, one in enumerate(real)
        for j, other in enumerate(found)
        if one.first <= other.last and other.first <= one.last
    ]
    return all(len({pair[side] for pair in pairs}) == len(pairs) for side in (0, 1))


@given(entities(12, most=5), entities(12, most=5))
def test_equals_nervaluate_where_there_is_no_choice(real: list[Span], found: list[Span]) -> None:
    real, found = list(drop_overlaps(real)), list(drop_overlaps(found))
    if not alone(real, found):
        found = [span for span in found if alone(real, [span])]
    if not alone(real, found):
        found = found[:1]
    theirs, ours = nervaluate(real, found), same_words(real, found)
    for schema in SCHEMAS:
        for name in ("correct", "incorrect", "partial", "missed", "spurious"):
            assert ours.get(f"{schema}_{name}", 0) == getattr(theirs[schema], name)
        for name in ("precision", "recall", "f1"):
            value = ours[f"{schema}_{name}"]
            told = getattr(theirs[schema], name)
            assert value == pytest.approx(told) if isinstance(value, float) else told == 0


def test_where_nervaluate_differs() -> None:
    # It takes the first that overlaps, and then has none for the entity that is the same.
    real, found = [Span(0, 4, "A"), Span(2, 3, "B")], [Span(2, 2, "B"), Span(0, 4, "A")]
    theirs = nervaluate(real, found)["strict"]
    assert (theirs.correct, theirs.incorrect) == (0, 2)
    again = nervaluate(real, found[::-1])["strict"]
    assert (again.correct, again.incorrect) == (1, 1)
    words = "a b c d e"
    sides = text(words, *found), text(words, *real)  # type: ignore[arg-type]
    values = measured(*sides, metric=Entities(nested=True))
    assert (values["strict_correct"], values["strict_incorrect"]) == (1, 1)
