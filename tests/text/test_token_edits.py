"""Replacing words: what happens to each layer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.segmentation import Segmentation
from caesura.core.transcript import CARRIED, Span, Transcript
from caesura.testing.strategies import transcripts
from caesura.text.normalization.token_edits import keep_words, replace_words

NAN = np.nan


def whole() -> Transcript:
    """Make `in Q1 2020 , we` with all layers."""
    return Transcript(
        ("in", "Q1", "2020", "we"),
        start=np.array([0.0, 1.0, 2.0, 4.0]),
        end=np.array([0.5, 1.5, 3.0, 5.0]),
        confidence=np.array([0.1, 0.2, 0.3, 0.4]),
        opening=("", "(", "[", ""),
        mark=("", "", ".)", ""),
        blank=np.array([True, True, False, True]),
        pause=("", "", "<sil>", ""),
        speaker=("A", "A", "A", "B"),
        tag=("P", "N", "X", "R"),
        head=np.array([1, 1, 1, 0]),
        cluster=np.array([True, True, False, True]),
        entities=(Span(1, 2, "DATE"), Span(2, 2, "YEAR"), Span(3, 3, "PER")),
        multiwords=(Span(1, 2, "x"), Span(2, 3, "y")),
        alternatives=(Span(0, 1, "inside"), Span(1, 2, "then"), Span(2, 3, "z")),
        evidence={"lm": np.array([0.0, 5.0, 1.0, 2.0])},
        sentences=Segmentation(np.array([False, False, True, True]), ("", "", ".", "")),
    )


def test_all_layers_follow() -> None:
    found = replace_words(whole(), [Span(1, 2, "the first quarter")])
    expected = Transcript(
        ("in", "the", "first", "quarter", "we"),
        start=np.array([0.0, 1.0, NAN, NAN, 4.0]),
        end=np.array([0.5, NAN, NAN, 3.0, 5.0]),
        confidence=np.array([0.1, NAN, NAN, NAN, 0.4]),
        opening=("", "(", "", "", ""),
        mark=("", "", "", ".)", ""),
        blank=np.array([True, True, True, False, True]),
        pause=("", "", "", "<sil>", ""),
        speaker=("A", "A", "A", "A", "B"),
        tag=("P", "", "", "", "R"),
        head=np.array([-1, -1, -1, -1, 0]),
        cluster=np.array([True, True, False, False, True]),
        entities=(Span(1, 3, "DATE"), Span(1, 3, "YEAR"), Span(4, 4, "PER")),
        multiwords=(Span(1, 3, "x"),),
        alternatives=(Span(1, 3, "then"),),
        evidence={"lm": np.array([0.0, NAN, NAN, 5.0, 2.0])},
        sentences=Segmentation(np.array([0, 0, 0, 1, 1], np.bool_), ("", "", "", ".", "")),
    )
    for name in expected.layers:
        assert found.only([name]) == expected.only([name]), name
    assert found.layers == expected.layers


def test_words_that_may_be_missing_go_with_what_is_theirs() -> None:
    found = replace_words(whole(), [Span(2, 2, "")])
    assert found.words == ("in", "Q1", "we")
    assert found.entities == (Span(1, 1, "DATE"), Span(2, 2, "PER"))
    assert found.alternatives == (Span(0, 1, "inside"), Span(1, 1, "then"), Span(2, 2, "z"))
    assert found.sentences is not None
    assert found.sentences.gaps.tolist() == [1, 2]


def test_words_dropped_for_nothing_leave_alternatives_alone() -> None:
    assert keep_words(whole(), [0, 1, 3]).alternatives == (
        Span(0, 1, "inside"),
        Span(1, 1, "then"),
        Span(2, 2, "z"),
    )


@st.composite
def changed(draw: st.DrawFn) -> tuple[Transcript, list[Span]]:
    transcript = draw(transcripts(frozenset(CARRIED)))
    changes, at = [], 0
    while at < len(transcript):
        last = draw(st.integers(at, min(at + 2, len(transcript) - 1)))
        if draw(st.booleans()):
            changes.append(Span(at, last, draw(st.sampled_from(["", "x", "x y", "x y z"]))))
        at = last + 1
    return transcript, changes


@given(changed())
def test_words_are_those_of_a_slow_replacement(drawn: tuple[Transcript, list[Span]]) -> None:
    transcript, changes = drawn
    words = list(transcript.words)
    covers = [[name] for name in range(len(words))]
    for first, last, label, _ in reversed(changes):
        words[first : last + 1] = label.split()
        covers[first : last + 1] = [list(range(first, last + 1)) for _ in label.split()]
    found = replace_words(transcript, changes)
    assert list(found.words) == words
    spans = []
    for span in transcript.entities or ():
        inside = [at for at, old in enumerate(covers) if set(old) & set(_range(span))]
        if inside:
            spans.append(span._replace(first=inside[0], last=inside[-1]))
    assert found.entities == tuple(sorted(spans))


def _range(span: Span) -> range:
    return range(span.first, span.last + 1)


@pytest.mark.parametrize("at", range(4))
def test_a_word_in_its_own_place_keeps_times_and_spans(at: int) -> None:
    given = whole()
    found = replace_words(given, [Span(at, at, given.words[at])])
    for name in ("words", "start", "end", "entities", "alternatives", "sentences", "speaker"):
        ours, theirs = getattr(found, name), getattr(given, name)
        same = np.array_equal(ours, theirs) if isinstance(ours, np.ndarray) else ours == theirs
        assert same, name
