"""Alignment against a full dynamic programme, and layers on their way from text to text."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from caesura.text.align import align, carry
from caesura.transcript import Segmentation, Span, Transcript

TEXTS = st.lists(st.sampled_from("abcde"), max_size=9).map(tuple)


def fewest_edits(source: tuple[str, ...], target: tuple[str, ...]) -> int:
    """The textbook recurrence."""

    @cache
    def at(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(
            at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (source[i - 1] != target[j - 1])
        )

    return at(len(source), len(target))


@given(TEXTS, TEXTS)
def test_has_the_fewest_edits(source: tuple[str, ...], target: tuple[str, ...]) -> None:
    found = align(source, target)
    assert found.edits == fewest_edits(source, target)
    assert found.hits + found.substitutions + found.insertions == len(target)
    assert found.hits + found.substitutions + found.deletions == len(source)


@given(TEXTS, TEXTS)
def test_pairs_are_in_order_and_equal_where_said(
    source: tuple[str, ...], target: tuple[str, ...]
) -> None:
    found = align(source, target)
    pairs = [(at, i) for i, at in enumerate(found.source.tolist()) if at >= 0]
    assert pairs == sorted(set(pairs))
    assert len({at for at, _ in pairs}) == len(pairs)
    for at, i in pairs:
        assert bool(found.equal[i]) == (source[at] == target[i])
    assert [int(found.target[at]) for at, _ in pairs] == [i for _, i in pairs]


@given(TEXTS, TEXTS)
def test_ties_are_broken_as_by_rapidfuzz(source: tuple[str, ...], target: tuple[str, ...]) -> None:
    found = align(source, target)
    expected = {
        step.dest_start + k: step.src_start + k
        for step in Levenshtein.opcodes(list(source), list(target))
        if step.tag in ("equal", "replace")
        for k in range(step.dest_end - step.dest_start)
    }
    assert dict(enumerate(found.source.tolist())) == {
        i: expected.get(i, -1) for i in range(len(target))
    }


@pytest.mark.parametrize(
    ("source", "target", "hits", "substitutions", "deletions", "insertions"),
    [
        ("a b c d", "a x d", 2, 1, 1, 0),
        ("a b", "b a", 1, 0, 1, 1),
        ("a a b b", "c c d d", 0, 4, 0, 0),
    ],
)
def test_small_examples(
    source: str, target: str, hits: int, substitutions: int, deletions: int, insertions: int
) -> None:
    found = align(source.split(), target.split())
    assert (found.hits, found.substitutions) == (hits, substitutions)
    assert (found.deletions, found.insertions) == (deletions, insertions)


def text(words: str, *ends: int) -> Transcript:
    split = tuple(words.split())
    return Transcript(split, sentences=Segmentation.of_gaps(len(split), ends))


@pytest.mark.parametrize(
    ("source", "ends", "target", "expected", "lost"),
    [
        # boundary after a deleted word goes to the nearest kept word before it
        ("a b c d", [1], "a c d", [0, 2], 0),
        # boundary before an inserted stretch stays after the last matched word
        ("a b c", [1], "a b x y c", [1, 4], 0),
        # a deleted beginning has no word before it
        ("a b c", [0], "c", [0], 1),
        # two boundaries that fall together
        ("a b c d", [0, 1], "a d", [0, 1], 1),
        # a boundary that falls onto the last word is no longer one inside the text
        ("a b c", [1], "a b", [1], 1),
        ("a b", [0], "", [], 1),
    ],
)
def test_boundaries_find_their_word(
    source: str, ends: list[int], target: str, expected: list[int], lost: int
) -> None:
    carried = carry(text(source, *ends), Transcript(tuple(target.split())), ["sentences"])
    assert carried.transcript.sentences is not None
    assert carried.transcript.sentences.gaps.tolist() == expected
    assert carried.lost_boundaries == lost


def test_times_go_to_words_in_the_same_place_and_tags_to_equal_words() -> None:
    source = Transcript(
        ("a", "b", "c"),
        start=np.array([0.0, 1.0, 2.0]),
        end=np.array([0.5, 1.5, 2.5]),
        tag=("X", "Y", "Z"),
        head=np.array([1, 1, 1]),
        speaker=("one", "one", "two"),
        entities=(Span(0, 1, "PER"), Span(2, 2, "LOC")),
    )
    target = Transcript(("a", "x", "q", "c"))
    layers = ["start", "end", "tag", "head", "speaker", "entities"]
    found = carry(source, target, layers).transcript
    assert found.start is not None
    assert found.head is not None
    assert found.start.tolist()[::3] == [0.0, 2.0]
    assert int(np.isnan(found.start).sum()) == 1
    assert found.tag == ("X", "", "", "Z")
    assert found.speaker == ("one", "one", "one", "two")
    assert found.entities is not None
    assert found.entities[-1] == Span(3, 3, "LOC")
    assert set(found.head.tolist()) <= {-1, 0, 1, 2, 3}


def test_an_entity_without_any_word_is_lost() -> None:
    source = Transcript(("a", "b", "c"), entities=(Span(1, 1, "PER"),))
    found = carry(source, Transcript(("a", "c")), ["entities"])
    assert found.transcript.entities == ()
    assert found.lost_entities == 1


@given(TEXTS, TEXTS)
def test_equal_texts_carry_everything(source: tuple[str, ...], more: tuple[str, ...]) -> None:
    ends = [i for i in range(len(source)) if i % 2]
    whole = Transcript(
        source,
        sentences=Segmentation.of_gaps(len(source), ends),
        speaker=tuple(word.upper() for word in source),
    )
    found = carry(whole, Transcript(source))
    assert found.transcript == whole
    assert found.alignment.edits == 0
    assert found.lost_boundaries == 0
    assert len(carry(whole, Transcript(more)).transcript) == len(more)
