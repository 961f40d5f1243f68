"""Spellings of words for models, and their numbers."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.ml import ngram_counts
from caesura.ml.features import hash_spelling, normalized_spelling
from caesura.ml.ngram_counts import FIRST_KNOWN, NO_WORD, UNKNOWN, Vocabulary


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Hello", "hello"),
        ("hello,", "hello"),
        ("“Hello!”", "hello"),
        ("don’t", "don't"),
        ("don't", "don't"),
        ("U.S.", "u.s"),
        ("u.s", "u.s"),
        ("Mr.", "mr"),
        ("7", "0"),
        ("1,250.75", "0"),
        ("10:30", "0"),
        ("$4.5", "$0"),
        ("4.5%", "0%"),
        ("Q3", "q0"),
        ("3rd", "0rd"),
        ("٣٤", "0"),
        ("今日", "今日"),
        ("مرحبا", "مرحبا"),
        ("ΚΑΛΆ", "καλά"),
        ("%", "%"),
        (".", ""),
        (",", ""),
        ("...", ""),
        ("—", ""),
        ("。", ""),
        ("؟", ""),
        ("", ""),
    ],
)
def test_words_as_models_see_them(word: str, expected: str) -> None:
    assert normalized_spelling(word) == expected


@given(st.text(max_size=20))
def test_any_text_has_a_number(word: str) -> None:
    known = Vocabulary.of([[word]], 1)
    assert known.numbers([word]).tolist() == [FIRST_KNOWN if normalized_spelling(word) else NO_WORD]


def test_hashes_are_the_same_in_any_process() -> None:
    assert hash_spelling("hello") == 0xA7B6EDA801E5347D
    script = "from caesura.ml.features import hash_spelling; print(hash_spelling('καλά'))"
    for seed in ("1", "2"):
        command = [sys.executable, "-c", script]
        done = subprocess.run(
            command, env={"PYTHONHASHSEED": seed}, check=True, capture_output=True, text=True
        )
        assert int(done.stdout) == hash_spelling("καλά")


def test_a_lone_surrogate_has_a_hash_too() -> None:
    found = Vocabulary.of([["\ud800"]], 1).numbers(["\ud800"])
    assert found.tolist() == [FIRST_KNOWN]


def test_numbers_are_places_among_the_hashes() -> None:
    words = ["we", "go", "on", "today"]
    known = Vocabulary.of([words], 1)
    order = sorted(words, key=hash_spelling)
    assert known.size == 6
    assert known.hashes.dtype == np.uint64
    assert known.hashes.tolist() == sorted(map(hash_spelling, words))
    expected = [order.index(word) + FIRST_KNOWN for word in words]
    assert known.numbers(words).tolist() == expected
    assert Vocabulary.of([words[::-1]], 1).numbers(words).tolist() == expected


def test_words_seen_too_seldom_are_unknown() -> None:
    texts = [["We", "go", "we,"], ["WE", "stop", "go."]]
    assert Vocabulary.of(texts, 3).numbers(["we", "go", "stop"]).tolist() == [2, 1, 1]
    assert Vocabulary.of(texts, 4).size == FIRST_KNOWN
    assert (Vocabulary.of(texts, 2).numbers(["We", "GO"]) >= FIRST_KNOWN).all()
    assert Vocabulary.of(texts, 2).numbers(["stop"]).tolist() == [UNKNOWN]


def test_punctuation_alone_is_no_word() -> None:
    known = Vocabulary.of([["yes", ".", ".", ","]], 1)
    assert known.size == FIRST_KNOWN + 1
    assert known.numbers([".", "yes", "no", "?"]).tolist() == [
        NO_WORD,
        FIRST_KNOWN,
        UNKNOWN,
        NO_WORD,
    ]


def test_hashes_that_nearly_agree_are_distinguished() -> None:
    # Floats would not hold the last digits of these.
    near = Vocabulary(np.array([hash_spelling("yes") + 1], np.uint64))
    assert near.numbers(["yes"]).tolist() == [UNKNOWN]
    near = Vocabulary(np.array([hash_spelling("yes") - 1, hash_spelling("yes") + 1], np.uint64))
    assert near.numbers(["yes"]).tolist() == [UNKNOWN]
    exact = Vocabulary(np.array([hash_spelling("yes")], np.uint64))
    assert exact.numbers(["yes"]).tolist() == [FIRST_KNOWN]


def test_nothing_known_and_nothing_asked() -> None:
    empty = Vocabulary.of([], 1)
    assert empty.size == FIRST_KNOWN
    assert empty.numbers(["yes", "."]).tolist() == [UNKNOWN, NO_WORD]
    assert empty.numbers([]).tolist() == []


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngram_counts, "MAX_REMEMBERED", 10)
    words = [f"w{letter}" for letter in "abcdefghijklmnopqrst"]
    known = Vocabulary.of([words[::2]], 1)
    fresh = Vocabulary(known.hashes)
    expected = [known.numbers([word]).tolist()[0] for word in words]
    for size in (3, 4, 7):
        for at in range(0, 20, size):
            part = words[at : at + size]
            assert fresh.numbers(part).tolist() == expected[at : at + size]
            assert len(fresh._seen) <= 10
    assert fresh.numbers(words).tolist() == expected
