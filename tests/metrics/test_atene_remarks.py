"""Remarks and disagreements of ATENE, and models with and without capitals."""

import pytest

from caesura.core.transcript import Span, Transcript
from caesura.core.values import Undefined
from caesura.detectors.tagging.entity_model import Margins
from caesura.metrics.atene import ATENE
from detectors.toy_entities import entity_text
from metrics.margins import metric, spoken

pytest.importorskip("scipy")


@pytest.fixture(scope="module")
def capitals() -> ATENE:
    return ATENE(Margins(capitals=True).train([entity_text(seed) for seed in range(3)]))


def test_models_of_capitals_align_words_without_them(capitals: ATENE) -> None:
    reference = spoken("We met Mrs [Anna PER] of Acme Inc. on 5th street in [Rome LOC] .")
    reference = reference.replace(alternatives=(Span(8, 8, "fifth"),))
    heard = Transcript(tuple("we met Mrs Anna, of Acme Inc on Fifth street in rome".split()))
    found = capitals.judged(heard, reference)
    assert found.alignment.edits == 0
    assert found.hypothesis.text == "we met Mrs Anna of Acme Inc on Fifth street in rome"
    assert found.reference.text == "We met Mrs Anna of Acme Inc on fifth street in Rome"
    assert found.hypothesis.lemma is found.reference.lemma is None
    losses = {each.reference: each.loss for each in found.contributions() if each.level == "name"}
    assert losses["Anna"] == 0 < losses["Rome"]
    plain = metric().judged(heard, reference)
    assert plain.alignment == found.alignment
    assert plain.placed == found.placed


@pytest.mark.parametrize(
    ("reference", "heard", "told"),
    [
        (f"we met mrs [anna PER] in {'the ' * 40} today", "we met mrs anna in rome today", "the"),
        ("we met mrs [anna PER] in today", "we met mrs anna in rome today", "in today"),
        ("mrs [anna PER] saw", "mrs anna saw in in rome in in", ""),
        ("in today we met mrs [anna PER]", "in rome today we met mrs anna", "in today"),
        ("we met mrs [anna PER] in no", "we met mrs anna in rome no", "in no"),
        ("we met mrs [anna PER] in no time", "we met mrs anna in rome no time", "in no"),
    ],
)
def test_what_was_said_at_the_riskiest_word_is_short(reference: str, heard: str, told: str) -> None:
    found = metric().contributions(spoken(heard), spoken(reference))
    (worst,) = [each for each in found if each.level == "segment" and each.loss > 0]
    assert (worst.hypothesis, worst.reference) == ("rome", told)


def test_names_of_unknown_classes_are_left_out_and_reported() -> None:
    reference = spoken("we met [anna person] on [monday DATE] in [rome gpe]")
    counts = metric().count(reference, [reference])
    assert metric().values(counts)["entities"] == 2
    (told,) = metric().remarks(counts)
    assert told == (
        "1 entity is of a class that the model does not know, and left out: DATE (it knows LOC, "
        "PER; another can be trained: caesura train Margins)"
    )
    two = spoken("we met [anna person] on [monday DATE] for [euros MONEY]")
    (told,) = metric().remarks(metric().count(two, [two]))
    assert told.startswith("2 entities are of classes that the model does not know, and left out: ")


def test_if_no_name_is_left_the_classes_that_are_there_are_reported() -> None:
    reference = spoken("[we're CONTRACTION] off on [monday DATE] or [friday DATE]")
    counts = metric().count(reference, [reference])
    assert metric().values(counts)["atene"] == Undefined(
        "the reference has no name of a class that the model knows: there are DATE, CONTRACTION"
    )
    _, advice = metric().remarks(counts)
    assert "--reference-format \"nlp(entities='both')\"" in advice


def test_recordings_pooled_are_reported() -> None:
    reference = spoken("we met [anna PER]")
    counts = metric().count(reference, [reference])
    assert metric().remarks(counts) == []
    assert metric().remarks(counts + counts) == [
        "the margins of 2 recordings are summed, each relative to its own reference: compare "
        "systems on the same recordings, not recordings"
    ]


def test_entities_without_a_class_are_called_unnamed() -> None:
    reference = spoken("we met [anna PER] on monday")
    reference = reference.replace(entities=(*(reference.entities or ()), Span(4, 4, "")))
    (told,) = metric().remarks(metric().count(reference, [reference]))
    assert "left out: unnamed (it knows" in told


@pytest.mark.parametrize(
    ("reference", "hypothesis", "foreign"),
    [("fr", "", 1), ("", "ja", 1), ("fr", "fr", 1), ("en", "en-US", 0), ("English", "", 0)],
)
def test_another_language_than_the_models_is_reported(
    reference: str, hypothesis: str, foreign: int
) -> None:
    text = spoken("we met [anna PER]")
    shipped = ATENE()
    counts = shipped.count(text.replace(language=hypothesis), [text.replace(language=reference)])
    told = shipped.remarks(counts)
    assert len(told) == foreign
    assert told == foreign * [
        "the language of 1 of 1 recordings is not that of the model (en), so that its margins mean "
        "little; another can be trained: caesura train Margins"
    ]
    _, told_of_two = shipped.remarks(counts + shipped.count(text, [text])) + [""] * (1 - foreign)
    assert ("1 of 2 recordings" in told_of_two) == bool(foreign)
    assert not any("foreign" in name for name in shipped.values(counts))
    assert not metric().remarks(metric().count(text, [text.replace(language="fr")]))


def loss(reference: str, heard: str) -> float:
    """Return the loss of the only name of a text."""
    found = metric().contributions(Transcript(tuple(heard.split())), spoken(reference))
    (fall,) = [each.loss for each in found if each.level == "name"]
    return fall


def test_the_middle_of_a_long_name_is_not_seen() -> None:
    seven = "met [anna rome new york in carl otto PER] today"
    assert loss(seven, "met anna rome new mrs in carl otto today") == 0
    assert loss(seven, "met anna rome mrs york in carl otto today") != 0
    six = "met [anna rome new in carl otto PER] today"
    assert loss(six, "met anna rome new mrs in carl otto today") == 0
    five = "met [anna rome new carl otto PER] today"
    assert loss(five, "met anna rome mrs carl otto today") != 0


def test_digits_are_all_alike() -> None:
    assert loss("we met [anna PER] in 2019", "we met anna in 2087") == 0


def test_how_many_names_the_model_finds_in_the_reference_itself() -> None:
    reference = spoken(
        "we met mrs [anna PER] in [rome LOC] of [today LOC] and [friends PER] [we PER]"
    )
    counts = metric().count(reference, [reference])
    values = metric().values(counts)
    assert (values["entities"], values["findable"], values["lost"]) == (5, 2, 0)
    assert list(values)[3:] == ["entities", "findable", "lost"]
    (told,) = metric().remarks(counts)
    assert told == (
        "the model finds 2 of 5 names in the reference itself; it would miss the others even "
        "without errors, but they count in atene all the same; another can be trained: caesura "
        "train Margins"
    )
    half = spoken("we met mrs [anna PER] in [rome LOC] of [today LOC]")
    assert metric().remarks(metric().count(half, [half])) == []


def test_texts_with_few_words_get_a_warning() -> None:
    reference = spoken("we met mrs [anna PER] in [rome LOC] today")
    for heard, share in (("", "0%"), ("anna rome", "29%")):
        _, told = metric().remarks(metric().count(Transcript(tuple(heard.split())), [reference]))
        assert told.startswith(f"the hypothesis has {share} as many words as reference 1")
        assert told.endswith("which makes atene_i and atene too good")
    other = spoken("so it goes on and on and on")
    (doubt,) = metric().remarks(metric().count(other, [reference]))
    assert "are they the same recordings" in doubt
