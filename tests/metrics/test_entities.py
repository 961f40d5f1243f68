"""Entities: worked examples."""

import pytest

from caesura.core import registry
from caesura.core.errors import LayerError, UnknownName
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Undefined
from caesura.metrics.entities import Entities
from metrics.named import measured, same_words, text


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
        assert "a hypothesis has no entities" in str(values[name])
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
    columns = dict(Entities().per_gap_counts(text("we met"), [reference]))
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


def test_alternatives_of_the_reference() -> None:
    reference = text("paid 20 $ there", (1, 2, "MONEY"))
    reference = reference.replace(alternatives=(Span(1, 2, "twenty dollars"),))
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
