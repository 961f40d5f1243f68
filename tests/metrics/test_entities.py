"""Entities: by hand, against slow exact code, and against nervaluate where it is right."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nervaluate.evaluator import Evaluator

from caesura import api, registry
from caesura.contracts import Undefined, Value
from caesura.errors import LayerError, UnknownName
from caesura.metrics.entities import Entities
from caesura.metrics.entityspans import SCHEMAS
from caesura.metrics.gaps import numbered
from caesura.text.align import align
from caesura.text.normalize import normalize
from caesura.text.spans import flat
from caesura.transcript import Span, Transcript
from metrics.named import (
    HALF,
    Pairs,
    Prices,
    cost,
    entities,
    matchings,
    on_hypothesis,
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


def text(words: str, *spans: tuple[int, int, str]) -> Transcript:
    return Transcript(tuple(words.split()), entities=tuple(Span(*span) for span in spans))


def measured(
    hypothesis: Transcript, *references: Transcript, metric: Entities | None = None
) -> dict[str, Value]:
    metric = metric or Entities()
    return metric.values(metric.count(hypothesis, references))


def number(value: Value) -> float:
    assert not isinstance(value, Undefined)
    return value


def same_words(real: list[Span], found: list[Span], count: int = 12) -> dict[str, Value]:
    words = " ".join("abcdefghijkl"[:count])
    return measured(text(words, *found), text(words, *real))  # type: ignore[arg-type]


# By hand


def test_the_worked_example() -> None:
    real, found = [Span(0, 1, "PER"), Span(5, 5, "LOC")], [Span(0, 0, "PER"), Span(5, 5, "ORG")]
    values = same_words(real, found)
    assert (values["ser"], values["ser_half"], values["eter"]) == (1, 0.5, 0.5)


def test_alpha_weighs_the_extent() -> None:
    words = "a b c d e f"
    reference = text(words, (0, 1, "PER"), (5, 5, "LOC"))
    hypothesis = text(words, (0, 0, "PER"), (5, 5, "LOC"))
    for alpha in (0, 0.25, 1):
        values = measured(hypothesis, reference, metric=Entities(alpha=alpha))
        assert values["eter"] == alpha / 2
        assert values["ser_half"] == 0.25


def test_word_errors_inside_entities() -> None:
    reference = text("mr john smith of new york said", (0, 2, "PERSON"), (4, 5, "GPE"))
    hypothesis = Transcript(tuple("uh jon smith of new new york uh said".split()))
    values = measured(hypothesis, reference)
    # mr and john are replaced (by uh and jon), and a second new stands inside New York
    assert values["ne_wer"] == 3 / 5
    assert values["ne_wer_PERSON"] == 2 / 3
    assert values["ne_wer_GPE"] == 1 / 2
    edges = measured(hypothesis, reference, metric=Entities(insertions="edges"))
    assert (edges["ne_wer"], edges["ne_wer_GPE"]) == (4 / 5, 1)
    none = measured(hypothesis, reference, metric=Entities(insertions="none"))
    assert (none["ne_wer"], none["ne_wer_GPE"]) == (2 / 5, 0)


def test_an_insertion_between_two_entities_counts_once() -> None:
    reference = text("a b", (0, 0, "X"), (1, 1, "Y"))
    metric = Entities(insertions="edges")
    values = measured(text("a uh b"), reference, metric=metric)
    assert (values["ne_wer_X"], values["ne_wer_Y"], values["ne_insertions"]) == (1, 0, 1)


def test_without_entities_in_the_hypothesis_only_words_are_measured() -> None:
    reference = text("a b c", (1, 2, "X"))
    bare = Transcript(("a", "b", "d"))
    values = measured(bare, reference)
    assert values["ne_wer"] == 0.5
    for name in set(Entities.best) - {"ne_wer"}:
        assert "no entities of its own" in str(values[name])
    named = text("a b d", (1, 2, "X"))
    metric = Entities()
    both = metric.values(metric.count(bare, [reference]) + metric.count(named, [reference]))
    assert both["ne_wer"] == 0.5
    assert isinstance(both["ser"], Undefined)
    assert isinstance(both["strict_correct"], Undefined)


def test_no_entities_is_not_unknown_entities() -> None:
    values = measured(text("a b"), text("a b", (0, 0, "X")))
    assert (values["ser"], values["strict_recall"], values["strict_f1"]) == (1, 0, 0)
    assert isinstance(values["strict_precision"], Undefined)


def test_classes_that_are_there_are_told_if_none_counts() -> None:
    reference = text("a b c d", (0, 0, "X"), (1, 1, "LEVEL_1"), (2, 3, "X"))
    hypothesis = text("a b c d", (0, 0, "PERSON"))
    reason = "no entity in the reference has a class that counts: there are X, LEVEL_1"
    for metric in (Entities(classes=("PERSON",)), Entities(without=("X", "LEVEL_1"))):
        counts = metric.count(hypothesis, [reference])
        values = metric.values(counts)
        for name in ("ne_wer", "ser", "eter", "strict_recall"):
            assert values[name] == Undefined(reason)
        assert not any(name.startswith("left_out") for name in values)
        assert metric.remarks(counts) == []
    other = measured(hypothesis, reference, metric=Entities(classes=("X",)))
    assert other["ne_wer"] == 0
    assert other["strict_precision"] == Undefined(
        "no entity in the hypothesis has a class that counts"
    )
    many = text("a " * 12, *((i, i, f"C{i:02}") for i in range(12)))
    told = measured(many, many, metric=Entities(classes=("X",)))["ne_wer"]
    assert isinstance(told, Undefined)
    assert told.reason.endswith("C06, C07 and 4 more")


def test_if_only_spellings_are_there_the_way_to_names_is_told() -> None:
    reference = text("we're off", (0, 0, "CONTRACTION"))
    metric = Entities(classes=("PERSON",))
    (told,) = metric.remarks(metric.count(text("were off"), [reference]))
    assert "--reference-format \"nlp(entities='both')\"" in told
    both = reference.replace(entities=(*(reference.entities or ()), Span(1, 1, "PERSON")))
    assert metric.remarks(metric.count(text("were off"), [both])) == []


def test_an_empty_hypothesis() -> None:
    reference = text("a b c", (0, 1, "X"), (2, 2, "Y"))
    values = measured(text(""), reference)
    assert (values["ne_wer"], values["ser"], values["eter"], values["lost"]) == (1, 1, 1, 2)
    assert measured(Transcript(()), reference)["ne_wer"] == 1


def test_an_empty_reference() -> None:
    values = measured(text("a", (0, 0, "X")), text(""))
    assert isinstance(values["ne_wer"], Undefined)
    assert isinstance(values["ser"], Undefined)
    assert values["strict_spurious"] == 1
    assert values["strict_precision"] == 0


def test_another_language() -> None:
    reference = text("the bank of england said no", (1, 3, "ORG"), (5, 5, "X"))
    hypothesis = text("die noten banken sagten heute nein", (1, 2, "ORG"))
    values = measured(hypothesis, reference)
    # every word is replaced by the one in its place
    assert values["ne_wer"] == 1
    assert (values["strict_incorrect"], values["strict_missed"]) == (1, 1)
    assert values["type_correct"] == values["partial_partial"] == 1
    assert (values["ser"], values["ser_half"]) == (1, 0.75)


def test_wrong_words_do_not_make_the_extent_wrong() -> None:
    reference = text("john smith spoke", (0, 1, "PERSON"))
    values = measured(text("jon smyth spoke", (0, 1, "PERSON")), reference)
    assert (values["ne_wer"], values["ser"], values["strict_f1"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("words", "span", "right"),
    [
        ("so john uh smith spoke", (1, 3), True),
        ("so john uh smith spoke", (1, 1), False),
        ("so smith spoke", (1, 1), True),
        ("so john spoke", (1, 1), True),
        ("so uh john smith spoke", (2, 3), True),
        ("so uh john smith spoke", (1, 3), False),
        ("so john smith uh spoke", (1, 3), False),
        ("john smith", (0, 1), True),
    ],
    ids=["inserted", "stops", "no-first", "no-last", "before", "into", "after", "edges"],
)
def test_the_extent_is_that_of_the_words_in_its_place(
    words: str, span: tuple[int, int], right: bool
) -> None:
    reference = text("so john smith spoke", (1, 2, "PERSON"))
    values = measured(text(words, (*span, "PERSON")), reference)
    assert values["strict_correct"] == right
    assert values["partial_partial"] == (not right)


def test_an_entity_of_which_no_word_is_left_is_missed() -> None:
    reference = text("we met john smith today", (2, 3, "PERSON"))
    values = measured(text("we met today", (2, 2, "PERSON")), reference)
    assert (values["lost"], values["strict_missed"], values["strict_spurious"]) == (1, 1, 1)


def test_what_is_lost_at_the_end_counts_at_the_last_word() -> None:
    reference = text("we met john", (2, 2, "PERSON"))
    columns = dict(Entities().spread(text("we met"), [reference]))
    assert all(len(column) == 2 for column in columns.values())
    for name in ("lost", "entities", "strict_missed", "ne_deletions"):
        assert columns[f"{name}_1"].tolist() == [0, 1]


def test_adjacent_entities() -> None:
    reference = text("a b c d", (0, 1, "X"), (2, 3, "Y"))
    values = measured(text("a b c d", (0, 3, "X")), reference)
    assert (values["type_correct"], values["type_missed"]) == (1, 1)
    assert values["ser"] == 1
    assert values["eter"] == 0.75
    one = measured(reference, text("a b c d", (0, 3, "Y")))
    assert (one["type_correct"], one["type_spurious"], one["eter"]) == (1, 1, 1.5)


def test_nested_entities() -> None:
    reference = text("bank of america", (0, 2, "ORG"), (2, 2, "GPE"))
    hypothesis = text("bank of america", (2, 2, "GPE"))
    assert measured(hypothesis, reference)["ser_half"] == 1
    nested = measured(hypothesis, reference, metric=Entities(nested=True))
    assert (nested["entities"], nested["strict_correct"], nested["eter"]) == (2, 1, 0.5)
    # each word counts once, to the longest
    assert nested["ne_hits"] == 3
    assert "ne_wer_GPE" not in nested


def test_classes_that_count() -> None:
    reference = text("a b c", (0, 2, "X"), (1, 1, "Y"))
    hypothesis = text("a d c", (0, 2, "X"), (1, 1, "Y"))
    assert measured(hypothesis, reference)["ne_wer"] == 1 / 3
    only = measured(hypothesis, reference, metric=Entities(classes=("Y", "Z")))
    assert (only["ne_wer"], only["ne_wer_Y"], only["ser"]) == (1, 1, 0)
    assert isinstance(only["ne_wer_Z"], Undefined)
    assert only == measured(hypothesis, reference, metric=Entities(classes=("Y", "Z"))) | only
    rest = measured(hypothesis, reference, metric=Entities(without=("X",)))
    assert rest["ne_wer"] == 1


@pytest.mark.parametrize(
    ("label", "stem"),
    [
        ("PERSON", "PERSON"),
        ("A1", "A1"),
        ("A_", "A_"),
        ("", ""),
        ("1", "1_"),
        ("A_1", "A_1_"),
        ("1_", "1__"),
        ("_2", "_2_"),
        ("A_1_2", "A_1_2_"),
        ("A_٣", "A_٣"),
        ("A\nB", "A\nB"),
    ],
)
def test_any_name_of_a_class_survives_the_number_of_the_reference(label: str, stem: str) -> None:
    reference = text("a b", (0, 0, label))
    values = measured(text("c b"), reference, reference)
    name = f"ne_wer_{stem}"
    assert values[name] == values[f"{name}_1"] == values[f"{name}_2"] == 1
    assert numbered(name) == (name, ())
    assert numbered(f"{name}_2") == (name, (2,))


def test_classes_with_like_names_stay_apart() -> None:
    reference = text("a b c", (0, 0, "1"), (1, 1, "1_"), (2, 2, "1__"))
    values = measured(text("a b d"), reference)
    assert [values[f"ne_wer_1{'_' * more}"] for more in (1, 2, 3)] == [0, 0, 1]


def test_readings_of_the_reference() -> None:
    reference = text("paid 20 $ there", (1, 2, "MONEY"))
    reference = reference.replace(readings=(Span(1, 2, "twenty dollars"),))
    hypothesis = text("paid twenty dollars there", (1, 2, "MONEY"))
    values = measured(hypothesis, reference)
    assert (values["ne_wer"], values["ser"]) == (0, 0)
    assert list(Entities().disagreements(hypothesis, [reference])) == []


def test_the_alignment_may_be_that_of_sclite() -> None:
    reference = text("p q r x y", (3, 4, "X"))
    hypothesis = Transcript(tuple("xystu"))
    # five words replaced, or three left out and three put in, which sclite takes for less
    assert measured(hypothesis, reference)["ne_wer"] == 1
    assert measured(hypothesis, reference, metric=Entities(weights="sclite"))["ne_wer"] == 0


def test_several_references() -> None:
    one, two = text("a b", (0, 0, "X")), text("a b", (0, 1, "Y"))
    values = measured(text("a c", (0, 0, "X")), one, two)
    assert (values["ne_wer_1"], values["ne_wer_2"], values["ne_wer"]) == (0, 0.5, 0.25)
    assert (values["eter_1"], values["eter_2"], values["eter"]) == (0, 1, 0.5)
    assert (values["ne_wer_X_1"], values["ne_wer_Y_2"]) == (0, 0.5)
    assert "reference 2" in str(values["ne_wer_X"])


def test_a_reference_needs_entities() -> None:
    with pytest.raises(LayerError, match="no entities"):
        measured(text("a"), Transcript(("a",)))


@pytest.mark.parametrize(
    "settings",
    ["insertions='all'", "alpha=2", "alpha='x'", "nested=1", "classes='PER'", "without=3"],
)
def test_wrong_settings(settings: str) -> None:
    with pytest.raises(UnknownName, match=settings.partition("=")[0]):
        registry.parse("metric", f"Entities({settings})")


def test_insertions_may_be_yes_or_no() -> None:
    assert registry.parse("metric", "Entities(insertions=False)") == Entities(insertions="none")
    assert registry.parse("metric", "Entities(insertions=True)") == Entities()


# What is told


def test_what_differs_is_told_in_order() -> None:
    reference = text(
        "so john smith of ibm met ann in new york", (1, 2, "PER"), (4, 4, "ORG"), (6, 6, "PER"),
        (8, 9, "GPE"),
    )  # fmt: skip
    hypothesis = text(
        "so jon smith of ibm met and in new york", (1, 2, "PER"), (4, 4, "GPE"), (9, 9, "GPE"),
        (0, 0, "ORG"),
    )  # fmt: skip
    told = [
        (each.kind, each.reference, each.hypothesis, each.place)
        for each in Entities().disagreements(hypothesis, [reference])
    ]
    assert told == [
        ("added", "", "so (ORG)", 0),
        ("words wrong", "john smith (PER)", "jon smith", 1),
        ("another class", "ibm (ORG)", "ibm (GPE)", 4),
        ("missed", "ann (PER)", "and", 6),
        ("words wrong", "ann (PER)", "and", 6),
        ("another extent", "new york (GPE)", "york (GPE)", 9),
    ]
    (first, *_) = Entities().disagreements(hypothesis.replace(entities=None), [reference])
    assert (first.kind, first.before, first.after) == ("words wrong", "so", "of ibm met")


def test_lost_entities_are_told_at_their_place() -> None:
    reference = text("we met john", (2, 2, "PER"))
    (heard,) = Entities().disagreements(Transcript(("we", "met")), [reference])
    assert (heard.hypothesis, heard.before, heard.after, heard.place) == ("", "we met", "", 1)


def test_remarks() -> None:
    metric = Entities()
    reference = text("it's rated", (0, 0, "CONTRACTION"), (1, 1, "ORG"))
    other = text("it's rated", (1, 1, "organisation"))
    one, two = metric.remarks(metric.count(other, [reference]))
    assert "without=('CONTRACTION',)" in one
    assert "name their classes alike" in two
    assert metric.remarks(metric.count(text("it's"), [text("it's", (0, 0, "ORG"))])) == []
    chosen = Entities(without=("CONTRACTION",))
    assert len(chosen.remarks(chosen.count(other, [reference]))) == 1


# Against slow exact code


@given(texts(), texts(), st.sampled_from(["inside", "edges", "none"]))
def test_word_errors_are_those_of_a_walk(
    hypothesis: Transcript, reference: Transcript, insertions: str
) -> None:
    values = measured(hypothesis, reference, metric=Entities(insertions=insertions))
    spans = flat(reference.entities or ())
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
    theirs, found = chosen if nested else map(flat, chosen)
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
    """How many pairs cost nothing."""
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
    """Ties are decided by counts alone: from right to left others come first."""
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
    spans = flat(reference.entities or ())
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
    """Whether each entity overlaps one of the other text at most."""
    pairs = [
        (i, j)
        for i, one in enumerate(real)
        for j, other in enumerate(found)
        if one.first <= other.last and other.first <= one.last
    ]
    return all(len({pair[side] for pair in pairs}) == len(pairs) for side in (0, 1))


@given(entities(12, most=5), entities(12, most=5))
def test_equals_nervaluate_where_there_is_no_choice(real: list[Span], found: list[Span]) -> None:
    real, found = list(flat(real)), list(flat(found))
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
