"""Normalisation steps that split or join words."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.errors import CaesuraError
from caesura.core.transcript import Span, Transcript
from caesura.text.normalization import steps
from caesura.text.normalization.steps import normalize


def test_hyphens_part_words() -> None:
    given = Transcript(
        ("a", "well-known", "F-16-like", "th-", "-5", "--"),
        start=np.arange(6.0),
        end=np.arange(6.0) + 0.5,
        entities=(Span(1, 2, "X"),),
        alternatives=(Span(1, 1, "re-known one"), Span(2, 3, "jet-like")),
    )
    found = normalize(given, ["hyphens"])
    assert " ".join(found.words) == "a well known F 16 like th- -5 --"
    assert found.entities == (Span(1, 5, "X"),)
    assert found.alternatives == (Span(1, 2, "re known one"), Span(3, 6, "jet like"))
    assert found.start is not None
    assert found.end is not None
    assert np.array_equal(found.start[:4], [0, 1, np.nan, 2], equal_nan=True)
    assert np.array_equal(found.end[:4], [0.5, np.nan, 1.5, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("text", "words", "entities"),
    [
        ("in twenty twenty , Um we", "in 2020 we", (Span(1, 1, "X"),)),
        ("it won't be $4.5 million", "it will not be $4500000", (Span(1, 3, "X"),)),
        ("(not said) <laugh> colour U.S.", "color u s", ()),
        ("um uh", "", ()),
        ("", "", ()),
    ],
)
def test_whisper_spells_as_its_package_does(
    text: str, words: str, entities: tuple[Span, ...]
) -> None:
    pytest.importorskip("whisper_normalizer")
    said = tuple(text.split())
    given = Transcript(said, entities=(Span(1, min(2, len(said) - 1), "X"),) if said else ())
    found = normalize(given, ["whisper"])
    assert " ".join(found.words) == words
    assert found.entities == entities


@given(
    st.lists(
        st.sampled_from(
            "twenty one hundred and point five per cent $3 million don't okay um Q1 (a b) <x> "
            "it's Dr. 7.40% U.S. well-known double oh colour -".split()
        ),
        max_size=12,
    )
)
def test_whisper_gives_the_words_of_its_package(words: list[str]) -> None:
    english = pytest.importorskip("whisper_normalizer.english")
    found = normalize(Transcript(tuple(words)), ["whisper"])
    assert list(found.words) == english.EnglishTextNormalizer()(" ".join(words)).split()


def test_alternatives_are_spelt_too() -> None:
    pytest.importorskip("whisper_normalizer")
    given = Transcript(("in", "Q1", "colour"), alternatives=(Span(1, 2, "one twenty"),))
    assert normalize(given, ["whisper"]).alternatives == (Span(1, 3, "120"),)


def test_whisper_without_its_package_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    steps._whisper.cache_clear()
    monkeypatch.setitem(sys.modules, "whisper_normalizer.english", None)
    with pytest.raises(CaesuraError, match=r"caesura\[whisper\]"):
        normalize(Transcript(("a",)), ["whisper"])
