"""Class n-gram models against slow and exact ones; what they say adds up to one."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.arrays import Floats
from caesura.ml import ngram
from caesura.ml.ngram import FACTORS, ClassNgram
from caesura.ml.ngram_counts import Counts, NumberedText, SparseTable, class_histories, shifted
from ml.slow_ngram import Chain, Settings, Spoken

SHAPES = [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2), (2, 5), (4, 3), (3, 4)]
"""Classes and orders."""

KINDS = [(factors, kind) for factors in FACTORS for kind in ngram.KINDS]


def text_of(recordings: list[list[int]]) -> NumberedText:
    words = [number for words in recordings for number in (0, *words)]
    lengths = [len(words) + 1 for words in recordings]
    first = np.cumsum([0, *lengths])[:-1]
    return NumberedText(np.array(words, np.int64), first.astype(np.int64))


def model_of(recordings: list[Spoken], made: Settings) -> ClassNgram:
    text = text_of([[word for word, _ in spoken] for spoken in recordings])
    labels = [label for spoken in recordings for label in (1, *(e for _, e in spoken))]
    counts = Counts.of(text, np.array(labels, np.int64), made.size, made.classes, list(made.least))
    return ClassNgram(counts, made.factors, made.smoothing, made.strength)


@st.composite
def cases(
    draw: st.DrawFn, kind: tuple[str, str], shapes: list[tuple[int, int]] = SHAPES
) -> tuple[list[Spoken], Settings]:
    """A few recordings of few words; word 1 may or may not be among them."""
    classes, order = draw(st.sampled_from(shapes))
    size = draw(st.integers(3, 6))
    word = st.integers(draw(st.integers(1, 2)), size - 1)
    spoken = st.lists(st.tuples(word, st.integers(0, classes - 1)), max_size=12)
    steps = draw(st.lists(st.integers(0, 1), min_size=order - 1, max_size=order - 1))
    made = Settings(
        size,
        classes,
        order,
        *kind,
        strength=draw(st.sampled_from([(1.0, 1.0), (4.0, 0.5), (0.25, 8.0)])),
        least=tuple(int(n) for n in np.cumsum([1, *steps])[1:]),
    )
    return draw(st.lists(spoken, min_size=1, max_size=4)), made


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
@given(data=st.data())
@settings(max_examples=60)
def test_scores_are_those_of_the_slow_model(kind: tuple[str, str], data: st.DataObject) -> None:
    recordings, made = data.draw(cases(kind))
    model, chain = model_of(recordings, made), Chain(recordings, made)
    unseen = data.draw(st.lists(st.integers(1, made.size - 1), max_size=6))
    asked = [unseen, [word for word, _ in recordings[0]][:5]]
    found = model.score(text_of(asked))
    rows = iter(found)
    for words in asked:
        padded, _ = chain.padded([(word, 0) for word in words])
        for at in range(len(words)):
            row = next(rows)
            for labels in product(range(made.classes), repeat=made.order):
                column = int("".join(map(str, labels)), made.classes)
                expected = chain.joint(padded[at : at + made.order], labels)
                assert row[column] == pytest.approx(math.log(expected), rel=1e-9, abs=1e-9)


def parts_of(model: ClassNgram, text: NumberedText) -> tuple[Floats, Floats]:
    """Probabilities of the last word of each recording, and of its classes."""
    found, spoken = model.index.find(text.words, text.first), text.word_places
    before = [shifted(numbers, text.first)[spoken] for numbers in found]
    found = [numbers[spoken] for numbers in found]
    last = np.append(text.first[1:], len(text.words)) - 1
    rows = np.searchsorted(spoken, last)
    words = model._score_words(found, before)[rows]
    labels = model._score_classes(found if model.word_first else before)[rows]
    return np.exp(words), np.exp(labels)


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
@given(data=st.data())
@settings(max_examples=60)
def test_probabilities_add_up_to_one(kind: tuple[str, str], data: st.DataObject) -> None:
    recordings, made = data.draw(cases(kind))
    model = model_of(recordings, made)
    numbers = range(1, made.size)
    history = data.draw(st.lists(st.sampled_from(numbers), max_size=made.order))
    heard = data.draw(st.booleans())
    if heard:
        cut = data.draw(st.integers(0, len(recordings[0])))
        history = [word for word, _ in recordings[0]][max(0, cut - made.order) : cut]
    text = text_of([[*history, word] for word in numbers])
    last = np.arange(1, made.size) * (len(history) + 1) - 1
    joint = np.exp(model.score(text)[last])
    whole = joint.reshape(len(numbers), -1, made.classes).sum(axis=(0, 2))
    np.testing.assert_allclose(whole, 1, atol=1e-9)
    words, labels = parts_of(model, text)
    np.testing.assert_allclose(words.sum(axis=0), 1, atol=1e-9)
    each = labels.reshape(len(labels), -1, made.classes).sum(axis=2)
    np.testing.assert_allclose(each, 1, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 2)])
@pytest.mark.parametrize("least", [1, 2])
def test_probabilities_add_up_to_one_after_every_history(
    kind: tuple[str, str], shape: tuple[int, int], least: int
) -> None:
    classes, order = shape
    size = 5
    chance = np.random.default_rng(order)
    spoken = list(
        zip(
            chance.integers(2, size, 40).tolist(),
            chance.integers(0, classes, 40).tolist(),
            strict=True,
        )
    )
    made = Settings(size, classes, order, *kind, least=(least,) * (order - 1))
    model = model_of([spoken[:25], spoken[25:]], made)
    numbers = range(1, size)
    for length in range(order):
        for history in product(numbers, repeat=length):
            text = text_of([[*history, word] for word in numbers])
            last = np.arange(1, size) * (length + 1) - 1
            joint = np.exp(model.score(text)[last]).reshape(size - 1, -1, classes)
            np.testing.assert_allclose(joint.sum(axis=(0, 2)), 1, atol=1e-12)


def test_a_model_of_nothing_says_that_all_is_equal() -> None:
    for factors, kind in KINDS:
        model = model_of([[]], Settings(4, 2, 3, factors, kind, least=(1, 1)))
        np.testing.assert_allclose(np.exp(model.score(text_of([[1, 2, 3]]))), 1 / 6)


def test_a_hand_made_bigram() -> None:
    # 2 none, 3 end, 2 none, 3 end: after a 2 comes a 3, and a 3 ends.
    made = Settings(4, 2, 2, "class", "interpolation", least=(1,))
    model = model_of([[(2, 0), (3, 1), (2, 0), (3, 1)]], made)
    scores = np.exp(model.score(text_of([[2, 3]])))
    # p(e = 1 | 2, none) = (2 + 1 (2 + p(1)) / 3) / 3 with p(1) = (2 + 2 / 2) / 4, and
    # p(3 | e = 1, 2, none) is mixed from 1, 1 and 1 with 1/3 at the end: 2/3, 1/3 of each is lent.
    label = (2 + (2 + 0.5) / 3) / 3
    word = (2 + (2 + (2 + 1 / 3) / 3) / 3) / 3
    assert scores[1, 0b01] == pytest.approx(label * word)


def test_sequences_of_classes_are_numbered_with_the_latest_last() -> None:
    labels, first = np.array([1, 0, 2, 1, 1, 2]), np.array([0, 4])
    assert class_histories(labels, first, 3, 1).tolist() == labels.tolist()
    assert class_histories(labels, first, 3, 2).tolist() == [4, 3, 2, 7, 4, 5]
    assert class_histories(labels, first, 3, 3).tolist() == [13, 12, 11, 7, 13, 14]


def whole(cells: SparseTable) -> list[list[float]]:
    table: list[list[float]] = cells.dense(np.arange(cells.rows)).tolist()
    return table


def test_counts_say_which_words_came_with_which_classes() -> None:
    text = text_of([[2, 3], [2]])
    labels = np.array([1, 0, 1, 1, 1])
    counts = Counts.of(text, labels, 4, 2, [1])
    assert counts.order == 2
    assert [keys.tolist() for keys in counts.index.keys] == [[0, 2, 11]]
    # Columns: classes of the word before and of the word.
    assert whole(counts.tables[0]) == [[0] * 4, [0] * 4, [0, 0, 1, 1], [0, 1, 0, 0]]
    assert whole(counts.tables[1]) == [[0] * 4, [0, 0, 1, 1], [0, 1, 0, 0]]
    assert whole(counts.full(1)) == [[0, 0], [0, 0], [1, 1], [0, 1]]
    assert counts.full(2) is counts.tables[1]
    assert counts.short(2) is counts.tables[0]
