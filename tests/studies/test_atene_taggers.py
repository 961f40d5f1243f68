"""The taggers of the ATENE study on texts with obvious entities."""

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.transcript import Span, Transcript
from caesura_studies.atene import gazetteer, hmm_tagger, linear_taggers
from caesura_studies.atene.plan import TAGGERS
from caesura_studies.atene.tagger_features import (
    NEVER,
    TEMPLATES,
    KnownFeatures,
    Labels,
    keys,
    shape,
    viterbi,
)
from caesura_studies.atene.taggers import Tagger

for library in ("pycrfsuite", "scipy"):
    pytest.importorskip(library)

NAMES = ("anna smith", "john berg", "mary jones", "peter lake")
PLACES = ("berlin", "new york", "oslo")
LABELS = Labels(("LOC", "PER"))


def said(*parts: str) -> Transcript:
    """Return a text of which some parts are entities, as in `anna smith/PER`."""
    words: list[str] = []
    spans = []
    for part in parts:
        text, _, label = part.partition("/")
        first = len(words)
        words += text.split()
        if label:
            spans.append(Span(first, len(words) - 1, label))
    return Transcript(tuple(words), entities=tuple(spans))


def training_examples(count: int = 60) -> list[Transcript]:
    chance = random.Random(1)
    made = []
    for _ in range(count):
        who, where = chance.choice(NAMES), chance.choice(PLACES)
        rest = chance.choice(("and then we left", "which was good", "so they say"))
        made.append(said("yesterday mister", f"{who}/PER", "went to", f"{where}/LOC", rest))
    return made


@pytest.mark.parametrize("tagger", TAGGERS, ids=lambda tagger: tagger.name)
def test_a_tagger_finds_what_it_was_taught(tagger: Tagger) -> None:
    trained = tagger.train(training_examples())
    texts = [said("mister", f"{who}/PER", "went to", "oslo/LOC", "so") for who in NAMES]
    texts += [said("and then we left"), said()]
    found = trained.tag([each.words for each in texts])
    assert found == [each.entities for each in texts]


@pytest.mark.parametrize(
    "tagger",
    [
        hmm_tagger.HMM(),
        linear_taggers.Perceptron(),
        linear_taggers.CRF(),
        linear_taggers.MaximumEntropy(),
    ],
    ids=lambda tagger: tagger.name,
)
def test_names_that_were_never_seen_are_found_by_what_is_around_them(tagger: Tagger) -> None:
    words = tuple("yesterday mister karl strom went to berlin".split())
    (found,) = tagger.train(training_examples()).tag([words])
    assert Span(2, 3, "PER") in found
    assert Span(6, 6, "LOC") in found


@pytest.mark.parametrize("tagger", TAGGERS, ids=lambda tagger: tagger.name)
def test_what_is_found_depends_neither_on_other_texts_nor_on_chance(tagger: Tagger) -> None:
    texts = [each.words for each in training_examples(9)]
    together = tagger.train(training_examples()).tag(texts)
    apart = tagger.train(training_examples())
    assert together == [found for text in texts for found in apart.tag([text])]


def test_the_gazetteer_has_rules_for_numbers_dates_and_money_of_classes_that_there_are() -> None:
    taught = [
        said("x/DATE", "y/MONEY", "z/PERCENT", "w/CARDINAL", "v/ORDINAL", "acme corp/ORG", "and so")
    ]
    words = "in march 2020 acme corp made $4.5 million or twenty percent more than the third "
    words += "quarter and we have five first"
    (found,) = gazetteer.Gazetteer().train(taught).tag([tuple(words.split())])
    assert [(span.first, span.last, span.label) for span in found] == [
        (1, 2, "DATE"),
        (3, 4, "ORG"),
        (6, 7, "MONEY"),
        (9, 10, "PERCENT"),
        (13, 15, "DATE"),
        (19, 19, "CARDINAL"),
        (20, 20, "ORDINAL"),
    ]
    (nothing,) = gazetteer.Gazetteer().train([said("acme/ORG")]).tag([("twenty", "percent")])
    assert nothing == ()


def test_words_that_are_seldom_an_entity_are_not_looked_up() -> None:
    taught = [said("may/PER"), *(said("you may go") for _ in range(5)), said("anna/PER")]
    (found,) = gazetteer.Gazetteer().train(taught).tag([("may", "anna")])
    assert found == (Span(1, 1, "PER"),)


@given(st.lists(st.sampled_from(["", "LOC", "PER"]), max_size=12), st.data())
def test_labels_are_entities_and_back(kinds: list[str], data: st.DataObject) -> None:
    spans, at = [], 0
    for kind in kinds:
        length = data.draw(st.integers(1, 3))
        if kind:
            spans.append(Span(at, at + length - 1, kind))
        at += length
    text = Transcript(("w",) * at, entities=tuple(spans))
    assert LABELS.spans(LABELS.coded(text)) == text.entities


def test_an_inside_that_follows_nothing_of_its_class_begins_an_entity() -> None:
    codes = np.array([2, 2, 4, 3, 0, 4])
    assert LABELS.spans(codes) == (
        Span(0, 1, "LOC"),
        Span(2, 2, "PER"),
        Span(3, 3, "PER"),
        Span(5, 5, "PER"),
    )


@given(st.integers(0, 10**6), st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_the_best_labels_are_the_best_of_all(seed: int, lengths: list[int]) -> None:
    chance = np.random.default_rng(seed)
    states = [chance.normal(size=(length, 3)).astype(np.float32) for length in lengths]
    tables = [chance.integers(2, size=length) for length in lengths]
    transitions = chance.normal(size=(2, 4, 3)).astype(np.float32).astype(float)
    found = viterbi(states, transitions, tables)

    def worth(text: int, path: tuple[int, ...]) -> float:
        total, last = 0.0, -1
        for at, label in enumerate(path):
            which = tables[text][at] if at else 0
            total += float(states[text][at, label]) + transitions[which, last, label]
            last = label
        return total

    for text, length in enumerate(lengths):
        most = max(worth(text, path) for path in product(range(3), repeat=length))
        assert worth(text, tuple(found[text].tolist())) == pytest.approx(most, abs=1e-4)


def test_there_may_be_many_classes() -> None:
    count = 2 * 200 + 1
    wanted = np.array([count - 1, 1, count - 2])
    states = np.zeros((3, count), np.float32)
    states[np.arange(3), wanted] = 1.0
    (found,) = viterbi([states], np.zeros((count + 1, count)))
    assert found.tolist() == wanted.tolist()


def test_an_inside_never_follows_another_class() -> None:
    allowed = LABELS.allowed()
    wanted = {(before, after) for before, after in product(range(6), range(5)) if after in (2, 4)}
    wanted -= {(1, 2), (2, 2), (3, 4), (4, 4)}
    assert {tuple(map(int, cell)) for cell in np.argwhere(allowed == NEVER)} == wanted
    assert set(allowed.ravel().tolist()) == {0.0, NEVER}


@pytest.mark.parametrize(
    ("word", "seen"),
    [("anna", "a"), ("2020", "9"), ("$4.5", "$9.9"), ("q3", "a9"), ("twenty", "n"), ("16%", "9%")],
)
def test_how_a_word_is_written(word: str, seen: str) -> None:
    assert shape(word) == seen


def test_what_is_rare_is_not_known() -> None:
    seen = keys(("a", "b", "a", "b", "c"))
    known = KnownFeatures([seen], 2)
    own = TEMPLATES.index((("word", 0),))
    assert known.feature_ids(keys(("c",)))[0, own] == -1
    assert known.feature_ids(keys(("a",)))[0, own] >= 0
    every, times = np.unique(seen, return_counts=True)
    assert known.keys.tolist() == every[times >= 2].tolist()
    assert np.array_equal(known.keys[known.feature_ids(seen)[0, 0]], seen[0, 0])
