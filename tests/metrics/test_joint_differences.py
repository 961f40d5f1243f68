"""Disagreements of Joint about tokens and sentences."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.protocols import Disagreement
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Span, Transcript
from caesura.core.values import Counts
from caesura.metrics.boundary import Boundary
from caesura.metrics.joint import Joint


def said(text: str) -> Transcript:
    """Tokens are separated by blanks, sentences by slashes."""
    words = [sentence.split() for sentence in text.split("/") if sentence.strip()]
    ends = [sum(map(len, words[: k + 1])) - 1 for k in range(len(words))]
    flat = tuple(word for sentence in words for word in sentence)
    return Transcript(flat, sentences=Segmentation.of_gaps(len(flat), ends))


def disagreements(hypothesis: str, *references: str) -> list[Disagreement]:
    return list(Joint().disagreements(said(hypothesis), [said(each) for each in references]))


def test_tokens_have_their_context_and_place() -> None:
    assert disagreements(
        "I say you ca n't go . / We will .", "I say you can not go . / We will ."
    ) == [Disagreement("token", "changed", "can not", "ca n't", "I say you", "go . We", 3)]
    assert disagreements("the search - engine found it", "the search-engine found it") == [
        Disagreement("token", "1:n", "search-engine", "search - engine", "the", "found it", 1)
    ]
    assert disagreements("the cat", "the big cat sat") == [
        Disagreement("token", "missing", "big", "", "the", "cat", 1),
        Disagreement("token", "missing", "sat", "", "the cat", "", 1),
    ]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        (
            "so it is . Then we go on . / Yes",
            "so it is . / Then we go on . / Yes",
            Disagreement("sentence", "missed", ". ¶ Then", ". Then", "so it is", "we go on", 3),
        ),
        (
            "so / it is",
            "so it is",
            Disagreement("sentence", "added", "so it", "so ¶ it", "", "is", 0),
        ),
        (
            "a b.C d",
            "a b . / C d",
            Disagreement("sentence", "missed", ". ¶ C", "b.C", "a", "d", 1),
        ),
        (
            "ok / xyz / ok",
            "ok / abc / ok",
            Disagreement("sentence", "changed", "abc", "xyz", "ok", "ok", 1),
        ),
    ],
)
def test_ends_of_sentences(hypothesis: str, reference: str, expected: Disagreement) -> None:
    assert [each for each in disagreements(hypothesis, reference) if each.level == "sentence"] == [
        expected
    ]


def test_each_reference_is_reported_by_its_number() -> None:
    found = disagreements("a bc", "a b c", "a bc", "ab c")
    assert [(each.kind, each.reference, each.reference_number) for each in found] == [
        ("m:1", "b c", 1),
        ("m:n", "ab c", 3),
    ]


def test_places_are_words_of_the_hypothesis() -> None:
    """Also if tokens are no words: multiword tokens, and punctuation that stands alone."""
    spans = (Span(0, 1, "du"),)
    ours = Transcript(("de", "le", "pain"), multiwords=spans, sentences=Segmentation.of_gaps(3, []))
    (one,) = Joint().disagreements(ours, [said("du vin")])
    assert (one.reference, one.hypothesis, one.place) == ("vin", "pain", 2)
    marked = said("well then").replace(mark=(" ,", ""))
    found = list(Joint().disagreements(marked, [said("well : than")]))
    assert [(each.hypothesis, each.place) for each in found] == [(",", 0), ("then", 1)]


def test_texts_that_agree_have_no_disagreements() -> None:
    assert disagreements("a b / c", "a b / c") == []
    assert disagreements("", "") == []
    assert list(Boundary().disagreements(said("a b"), [said("a / b")])) == []


def noisy(seed: int) -> tuple[Transcript, Transcript]:
    dice = random.Random(seed)
    letters = [dice.choice("abcd") for _ in range(dice.randint(1, 50))]
    copy = [dice.choice(["", "xy"]) if dice.random() < seed % 4 / 12 else c for c in letters]

    def cut(chars: list[str]) -> Transcript:
        return said("".join(char + dice.choice(["", "", " ", " / "]) for char in chars))

    return cut(letters), cut(copy)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6))
def test_disagreements_add_up_to_the_counts(seed: int) -> None:
    ours, theirs = noisy(seed)
    counts: Counts = Joint().count(ours, [theirs])
    found = list(Joint().disagreements(ours, [theirs]))
    tokens = [each for each in found if each.level == "token"]
    assert sum(len(each.reference.split()) for each in tokens) == counts["token_fn_1"]
    assert sum(len(each.hypothesis.split()) for each in tokens) == counts["token_fp_1"]
    missed, added = (
        sum((each.level, each.kind) == ("sentence", kind) for each in found)
        for kind in ("missed", "added")
    )
    assert missed - added == counts["sentence_fn_1"] - counts["sentence_fp_1"]
    assert all(0 <= each.place < max(1, len(ours)) for each in found)
    places = [each.place for each in tokens]
    assert places == sorted(places)
