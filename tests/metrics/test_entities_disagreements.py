"""Remarks and disagreements of Entities, and the order of its values."""

import pytest

from caesura.core.errors import LayerError
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Undefined
from caesura.metrics.entities import Entities
from metrics.margins import spoken
from metrics.named import measured, text

REFERENCE = spoken("[it's CONTRACTION] [anna PERSON] of [kodak ORG] on [monday DATE] [acme ORG]")


def remarks_of(metric: Entities) -> list[str]:
    return metric.remarks(metric.count(REFERENCE, [REFERENCE]))


@pytest.mark.parametrize(
    ("metric", "label", "rest"),
    [
        (Entities(without=("CONTRACTON",)), "CONTRACTON", "did you mean 'CONTRACTION'?"),
        (Entities(classes=("PERSON", "ORGG")), "ORGG", "did you mean 'ORG'?"),
        (Entities(classes=("PERSON", "org")), "org", "did you mean 'ORG'?"),
        (Entities(without=("LAW",)), "LAW", "(there are ORG, CONTRACTION, DATE, PERSON)"),
    ],
)
def test_classes_that_no_entity_has_are_reported(metric: Entities, label: str, rest: str) -> None:
    *_, last = remarks_of(metric)
    assert last.startswith(f"no entity in the reference is of class {label} (there are ")
    assert last.endswith(rest)


def test_classes_that_are_there_or_tell_of_spelling_are_no_surprise() -> None:
    assert remarks_of(Entities(without=("CONTRACTION", "TWITTER"))) == []
    assert remarks_of(Entities(classes=("PERSON", "ORG"))) == []
    inside = REFERENCE.replace(entities=(Span(1, 3, "ORG"), Span(1, 1, "PERSON")))
    metric = Entities(classes=("PERSON", "ORG"))
    assert metric.remarks(metric.count(inside, [inside])) == []


def test_a_class_that_is_not_there_has_no_value_and_a_reason() -> None:
    metric = Entities(classes=("PERSON", "LAW"))
    values = metric.values(metric.count(REFERENCE, [REFERENCE]))
    assert values["ne_wer_LAW"] == Undefined("no entity in the reference is of class LAW")


def test_classes_stand_in_order_whichever_recording_has_them() -> None:
    one, two = spoken("[anna PERSON] of [kodak ORG]"), spoken("[treaty LAW] [anna PERSON]")
    metric = Entities()
    names = list(metric.values(metric.count(one, [one]) + metric.count(two, [two])))
    counts = names[names.index("ne_hits") :]
    labels = [name.removeprefix("ne_words_") for name in counts if name.startswith("ne_words_")]
    assert labels == ["LAW", "ORG", "PERSON"]
    assert counts[4:6] == ["ne_words_LAW", "ne_errors_LAW"]
    assert counts[10:12] == ["entities", "lost"]
    assert not any(name.startswith(("counted_", "left_out_")) for name in names)


def test_what_differs_is_reported_in_order() -> None:
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


def test_lost_entities_are_reported_at_their_place() -> None:
    reference = text("we met john", (2, 2, "PER"))
    (heard,) = Entities().disagreements(Transcript(("we", "met")), [reference])
    assert (heard.hypothesis, heard.before, heard.after, heard.place) == ("", "we met", "", 1)


def test_remarks() -> None:
    metric = Entities()
    reference = text("it's rated", (0, 0, "CONTRACTION"), (1, 1, "ORG"))
    other = text("it's rated", (1, 1, "organisation"))
    one, two = metric.remarks(metric.count(other, [reference]))
    assert "without=('CONTRACTION',)" in one
    assert "use the same names for classes" in two
    assert metric.remarks(metric.count(text("it's"), [text("it's", (0, 0, "ORG"))])) == []
    chosen = Entities(without=("CONTRACTION",))
    assert len(chosen.remarks(chosen.count(other, [reference]))) == 1


def test_an_entity_without_a_word_is_lost() -> None:
    reference = text("a b c", (1, 1, "X"), (2, 2, "Y"))
    told = Entities().disagreements(Transcript(("a", "c")), [reference])
    assert [(each.kind, each.reference) for each in told] == [("lost", "b (X)")]


def test_sides_that_may_be_swapped_are_reported() -> None:
    with pytest.raises(LayerError, match=r"has no entities; the hypothesis has them: .* swapped"):
        Entities().count(text("a b", (0, 0, "X")), [Transcript(("a", "b"))])


def test_entities_without_a_class_are_unnamed() -> None:
    metric = Entities(classes=("X",))
    counts = metric.count(text("a b"), [text("a b", (0, 0, ""), (1, 1, "Y"))])
    value = metric.values(counts)["ne_wer"]
    assert isinstance(value, Undefined)
    assert value.reason.endswith("there are Y, unnamed")
    assert any("--entity-classes of their wer_tags" in each for each in metric.remarks(counts))


@pytest.mark.parametrize("nested", [False, True])
def test_which_entities_count_does_not_depend_on_the_hypothesis(nested: bool) -> None:
    reference = text("a b c", (0, 1, "X"), (1, 2, "Y")).replace(alternatives=(Span(2, 2, "c d e"),))
    for heard in ("a b c", "a b c d e"):
        values = measured(text(heard), reference, metric=Entities(nested=nested))
        assert (values["ne_words_X"], values["ne_hits"]) == (2, 2)
        assert values["entities"] == (2 if nested else 1)
