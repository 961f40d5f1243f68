"""Slicing, joining and selecting words, compared with slow and obvious code."""

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.errors import LayerError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import CARRIED, Span, Transcript
from caesura.testing.strategies import transcripts

MANY = transcripts(CARRIED, smallest=0)
SOME = transcripts(CARRIED)
few = settings(max_examples=40)


@st.composite
def transcripts_with_masks(draw: st.DrawFn) -> tuple[Transcript, list[bool]]:
    """Draw a transcript, and which of its words to keep."""
    transcript = draw(MANY)
    count = len(transcript)
    heads = st.lists(st.integers(-1, count - 1), min_size=count, max_size=count)
    kept = st.lists(st.booleans(), min_size=count, max_size=count)
    return transcript.replace(head=np.array(draw(heads), np.int64)), draw(kept)


def kept_with_dropped(keep: list[bool]) -> list[tuple[int, list[int]]]:
    """Return each kept word with the dropped words between it and the next kept one."""
    found: list[tuple[int, list[int]]] = []
    for at, kept in enumerate(keep):
        if kept:
            found.append((at, []))
        elif found:
            found[-1][1].append(at)
    return found


def nearest_kept_head(head: list[int], keep: list[bool], word: int) -> int:
    """Return the nearest kept ancestor; the word itself below a dropped root, -1 if unknown."""
    at, seen = head[word], {word}
    if at == word:
        return word
    while at >= 0 and not keep[at]:
        if head[at] == at:
            return word
        if at in seen:
            return -1
        seen.add(at)
        at = head[at]
    return -1 if at == word else at


@few
@given(MANY)
def test_taking_all_changes_nothing(transcript: Transcript) -> None:
    assert transcript.take(np.ones(len(transcript), np.bool_)) == transcript
    assert transcript[:] == transcript


@few
@given(transcripts_with_masks())
def test_take_keeps_cells_and_moves_what_follows_dropped_words(
    drawn: tuple[Transcript, list[bool]],
) -> None:
    transcript, keep = drawn
    taken = transcript.take(np.array(keep, np.bool_))
    whole = kept_with_dropped(keep)
    places = [at for at, _ in whole]
    assert taken.words == tuple(transcript.words[at] for at in places)
    for name in ("opening", "mark", "speaker", "tag", "lemma", "relation", "features", "subtag"):
        assert getattr(taken, name) == tuple(getattr(transcript, name)[at] for at in places)
    for name in ("start", "end", "confidence"):
        assert getattr(taken, name).tolist() == [getattr(transcript, name)[at] for at in places]
    assert transcript.blank is not None
    assert transcript.pause is not None
    assert taken.blank is not None
    assert taken.pause is not None
    assert taken.blank.tolist() == [any(transcript.blank[[at, *after]]) for at, after in whole]
    assert transcript.evidence is not None
    assert taken.evidence is not None
    for name, cells in transcript.evidence.items():
        known = [[cells[at] for at in (first, *after)] for first, after in whole]
        strongest = [max((c for c in run if c == c), default=np.nan) for run in known]
        np.testing.assert_equal(taken.evidence[name], np.array(strongest, np.float64))
    pauses = [[transcript.pause[at] for at in (first, *after)] for first, after in whole]
    assert list(taken.pause) == [next(filter(None, run), "") for run in pauses]


@few
@given(transcripts_with_masks())
def test_take_attaches_words_to_the_nearest_kept_ancestor(
    drawn: tuple[Transcript, list[bool]],
) -> None:
    transcript, keep = drawn
    taken = transcript.take(np.array(keep, np.bool_))
    assert transcript.head is not None
    assert taken.head is not None
    head = transcript.head.tolist()
    places = [at for at, kept in enumerate(keep) if kept]
    expected = [nearest_kept_head(head, keep, at) for at in places]
    assert taken.head.tolist() == [places.index(at) if at >= 0 else -1 for at in expected]


@few
@given(transcripts_with_masks())
def test_take_keeps_sentences_clusters_and_spans(drawn: tuple[Transcript, list[bool]]) -> None:
    transcript, keep = drawn
    taken = transcript.take(np.array(keep, np.bool_))
    assert transcript.sentences is not None
    assert taken.sentences is not None
    number = np.cumsum([False, *transcript.sentences.boundary.tolist()])[:-1].tolist()
    places = [at for at, kept in enumerate(keep) if kept]
    apart = [number[a] != number[b] for a, b in pairwise(places)]
    assert taken.sentences.boundary.tolist() == ([*apart, True] if places else [])
    label = taken.sentences.label or ()
    assert [bool(cell) for cell in label][:-1] == apart
    assert transcript.cluster is not None
    assert taken.cluster is not None
    owner = np.cumsum(transcript.cluster).tolist()
    changes = [owner[b] != owner[a] for a, b in pairwise(places)]
    assert taken.cluster.tolist()[1:] == changes
    inside = [
        ([places.index(at) for at in range(span.first, span.last + 1) if keep[at]], span.label)
        for span in transcript.entities or ()
    ]
    assert taken.entities == tuple(Span(at[0], at[-1], label) for at, label in inside if at)


@few
@given(transcripts_with_masks(), st.data())
def test_taking_twice_is_taking_once(
    drawn: tuple[Transcript, list[bool]], data: st.DataObject
) -> None:
    transcript, keep = drawn
    first = np.flatnonzero(keep)
    some = st.lists(st.booleans(), min_size=len(first), max_size=len(first))
    second = np.flatnonzero(data.draw(some))
    assert transcript.take(first).take(second) == transcript.take(first[second])


def test_a_sentence_label_is_not_lost_to_a_comma() -> None:
    # right. | um, | i | see.
    labels = (".", ",", "", ".")
    given = Segmentation(np.array([True, False, False, True]), labels, np.array([2.0, -1, -3, 4]))
    taken = given.take(np.array([0, 2, 3]))
    assert taken.label == (".", "", ".")
    assert taken.log_odds is not None
    assert taken.log_odds.tolist() == [2, -3, 4]
    # so, | uh. | then
    moved = Segmentation(np.array([False, True, True]), (",", ".", "")).take(np.array([0, 2]))
    assert (moved.label, moved.boundary.tolist()) == ((".", ""), [True, True])


def test_loops_of_dropped_words_end() -> None:
    count = 100_000
    head = np.arange(1, count + 1) % count
    taken = Transcript(("w",) * count, head=head).take([0])
    assert taken.head is not None
    assert taken.head.tolist() == [-1]
    loop = Transcript(("a", "b", "c"), head=np.array([1, 2, 1])).take([0])
    assert loop.head is not None
    assert loop.head.tolist() == [-1]


@few
@given(SOME, st.data())
def test_parts_at_sentence_ends_join_to_the_whole(
    transcript: Transcript, data: st.DataObject
) -> None:
    assert transcript.sentences is not None
    ends = [0, *(transcript.sentences.gaps + 1).tolist()]
    cut = data.draw(st.sampled_from(ends))
    assert Transcript.join([transcript[:cut], transcript[cut:]]) == transcript
    assert Transcript.join(transcript.split_sentences()) == transcript


@few
@given(MANY, st.integers(0, 12), st.integers(0, 12))
def test_slices_keep_what_lies_inside(transcript: Transcript, first: int, stop: int) -> None:
    part = transcript[first:stop]
    stop = max(first, min(stop, len(transcript)))
    assert part.words == transcript.words[first:stop]
    assert part.head is not None
    assert transcript.head is not None
    for at, head in enumerate(part.head.tolist(), first):
        there = int(transcript.head[at])
        assert head == (there - first if first <= there < stop else -1)
    cut = [
        Span(max(span.first, first) - first, min(span.last, stop - 1) - first, span.label)
        for span in transcript.entities or ()
        if first < stop and span.first < stop and span.last >= first
    ]
    assert part.entities == tuple(cut)


@few
@given(st.lists(SOME, max_size=3))
def test_join_renumbers_the_words_of_later_parts(parts: list[Transcript]) -> None:
    whole = Transcript.join(parts)
    assert whole.words == sum((part.words for part in parts), ())
    at = 0
    for part in parts:
        assert whole[at : at + len(part)].replace(id=part.id, language=part.language) == part
        at += len(part)


def test_join_fills_what_some_parts_do_not_know() -> None:
    one = Transcript(("a",), start=np.array([1.0]), sentences=Segmentation(np.array([True])))
    two = Transcript(("b",), speaker=("x",), head=np.array([0]))
    whole = Transcript.join([one, two])
    assert whole.sentences is None
    assert whole.speaker == ("", "x")
    assert whole.head is not None
    assert whole.start is not None
    assert whole.head.tolist() == [-1, 1]
    np.testing.assert_equal(whole.start, [1, np.nan])


def test_join_fills_columns_of_evidence_that_some_parts_lack() -> None:
    parts = [
        Transcript(("a",), evidence={"x": np.array([1.0])}),
        Transcript(("b", "c")),
        Transcript(("d",), evidence={"y": np.array([np.nan]), "x": np.array([2.0])}),
    ]
    whole = Transcript.join(parts).evidence
    assert whole is not None
    assert list(whole) == ["x", "y"]
    np.testing.assert_equal(whole["x"], [1, np.nan, np.nan, 2])
    np.testing.assert_equal(whole["y"], [np.nan] * 4)


def test_evidence_is_immutable_and_compared_by_value() -> None:
    cells = np.array([0.5, np.nan])
    one = Transcript(("a", "b"), evidence={"x": cells, "y": cells})
    same = Transcript(("a", "b"), evidence={"y": [np.nan, np.nan], "x": [0.5, np.nan]})
    assert one != same
    cells[0] = 7
    assert one.evidence is not None
    assert one.evidence["x"][0] == 0.5
    assert not one.evidence["x"].flags.writeable
    assert one == one.replace(evidence={name: one.evidence[name] for name in ("y", "x")})
    assert one != one.only(())
    assert one != Transcript(("a", "b"), evidence={"x": one.evidence["x"]})
    assert pickle.loads(pickle.dumps(one)) == one
    assert one.layers == one.known == ("evidence",)


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ({"x": [1.0]}, "evidence 'x' has 1 cells for 2 words"),
        ({"x": [1.0, np.inf]}, r"evidence 'x'\[1\] is inf, and should be a number"),
        ({"x": [[1.0], [2.0]]}, "evidence 'x' has 2 dimensions"),
        ({"x": ["a", "b"]}, r"evidence 'x'\[0\] is 'a', and should be a number"),
        ({3: [1.0, 2.0]}, "has a text as its name, not 3"),
        ([1.0, 2.0], "evidence should be columns by name"),
    ],
)
def test_evidence_that_does_not_fit_is_refused(evidence: Any, message: str) -> None:
    with pytest.raises(LayerError, match=message):
        Transcript(("a", "b"), evidence=evidence)


def test_slices_in_steps_are_refused() -> None:
    with pytest.raises(LayerError, match="steps of one word"):
        Transcript(("a", "b"))[::2]


def test_punctuation_around_a_multiword_token_is_written() -> None:
    transcript = Transcript(
        ("(", "ca", "n't", "go"),
        opening=("", "“", "", ""),
        mark=("", "", ",", "."),
        multiwords=(Span(1, 2, "can't"),),
    )
    assert transcript.text == "( “can't, go."


@given(
    transcripts(frozenset({"alternatives"})).flatmap(
        lambda t: st.tuples(st.just(t), st.lists(st.booleans(), min_size=len(t), max_size=len(t)))
    )
)
def test_an_alternative_stays_if_all_its_words_do(drawn: tuple[Transcript, list[bool]]) -> None:
    transcript, mask = drawn
    place = np.cumsum(mask) - 1
    whole = [
        span._replace(first=int(place[span.first]), last=int(place[span.last]))
        for span in transcript.alternatives or ()
        if all(mask[span.first : span.last + 1])
    ]
    assert transcript.take(np.array(mask, np.bool_)).alternatives == tuple(sorted(whole))


def test_a_slice_through_an_alternative_drops_it() -> None:
    spans = (Span(0, 1, "x"), Span(1, 2, ""), Span(2, 2, "y z"))
    transcript = Transcript(("a", "b", "c"), entities=spans, alternatives=spans)
    part = transcript[1:3]
    assert part.alternatives == (Span(0, 1, ""), Span(1, 1, "y z"))
    assert part.entities == (Span(0, 0, "x"), Span(0, 1, ""), Span(1, 1, "y z"))
    joined = Transcript.join([part, Transcript(("d",)), part])
    assert joined.alternatives == (*part.alternatives, Span(3, 4, ""), Span(4, 4, "y z"))


def test_replacing_nothing_copies_nothing() -> None:
    transcript = Transcript(("a",), id="call")
    assert transcript.replace(words=transcript.words, mark=None) is transcript
    assert transcript.replace(id="talk") == Transcript(("a",), id="talk")
    with pytest.raises(TypeError):
        transcript.replace(nothing=1)


def test_sentences_have_plain_values() -> None:
    talk = Transcript(
        ["So", "it", "goes", "next"],
        start=[0, 0.5, 1, None],
        end=[0.25, 0.75, 1.5, None],
        speaker=["", "ann", "ben", ""],
        mark=["", "", ".", "?"],
        sentences=[(0, 2), (3, 3)],
    )
    one, two = talk.iter_sentences()
    assert (one.text, one.start, one.end, one.speaker) == ("So it goes.", 0.0, 1.5, "ann")
    assert (type(one.start), type(one.end)) == (float, float)
    assert (two.text, two.start, two.end, two.speaker) == ("next?", None, None, "")
    assert (one.words, one.first, one.last, len(one)) == (("So", "it", "goes"), 0, 2, 3)
    assert (two.words, two.first, two.last, len(two)) == (("next",), 3, 3, 1)
    assert [one.transcript, two.transcript] == list(talk.split_sentences())
    assert repr(one) == (
        "Sentence('So it goes.', start=0.0, end=1.5, speaker='ann', first=0, last=2)"
    )


def test_without_sentences_all_words_are_one() -> None:
    (whole,) = Transcript(["so", "it"]).iter_sentences()
    assert (whole.text, whole.start, whole.end, whole.speaker) == ("so it", None, None, "")
    assert list(Transcript([]).iter_sentences()) == []


def test_arrays_of_others_are_checked_even_if_they_cannot_be_changed() -> None:
    """For example the columns of a pandas data frame."""
    start = np.array([-1.5, 0.5])
    start.flags.writeable = False
    with pytest.raises(LayerError, match=r"start\[0\] is -1\.5"):
        Transcript(("a", "b"), start=start)
    good = np.array([0.5, 1.5])
    good.flags.writeable = False
    transcript = Transcript(("a", "b"), start=good, end=good + 0.25)
    good.flags.writeable = True
    good[0] = 1.0
    assert transcript.start is not None
    assert transcript.start.tolist() == [0.5, 1.5]
    assert transcript.replace(id="x").start is transcript.start


def test_the_repr_is_short() -> None:
    talk = Transcript(("so", "it", "goes"), id="talk", sentences=[(0, 2)], start=[0, 1, 2])
    assert repr(talk) == "<Transcript 'talk', words=3, 'so it goes', sentences=1; start>"
    assert repr(Transcript(["word"] * 999)) == (
        "<Transcript '', words=999, 'word word word word word word …'>"
    )
