"""Projection of entities: worked examples."""

import math

import numpy as np
import pytest

from caesura.core.errors import CaesuraError, LayerError, UnknownName
from caesura.core.transcript import Span, Transcript
from caesura.text.alignment.word_alignment import Alignment, align
from caesura.text.entity_projection import (
    MAX_CANDIDATES,
    Projected,
    clocks_differ,
    project,
    separate_overlaps,
)
from caesura.text.phonetics import phone_distances, phones


def said(text: str, spans: str = "", timed: bool = True, language: str = "en") -> Transcript:
    """Make words of one second each; a word with `+` shares its second with the next."""
    words, start, end, at = [], [], [], 0.0
    for group in text.split():
        parts = group.split("+")
        for number, word in enumerate(parts):
            words.append(word)
            start.append(at + number / len(parts))
            end.append(at + (number + 1) / len(parts))
        at += 1
    places = [list(map(int, span.split("-"))) for span in spans.split()]
    made = Transcript(
        tuple(words),
        start=np.array(start),
        end=np.array(end),
        entities=tuple(Span(first, last, "X") for first, last in places),
        language=language,
    )
    return made if timed else made.replace(start=None, end=None)


def found(reference: Transcript, hypothesis: Transcript) -> list[tuple[str, str]]:
    """Return how each entity was found, and its words."""
    each = project(reference, hypothesis, collar=0.2)
    return [(one.by, " ".join(hypothesis.words[one.first : one.last + 1])) for one in each]


@pytest.mark.parametrize(
    ("reference", "spans", "hypothesis", "by_time", "by_alignment"),
    [
        ("at Kodak today", "1-1", "at kodak today", "kodak", "kodak"),
        ("at Kodak today", "1-1", "at co+dac today", "co dac", "dac"),
        ("see mister Nakamura go", "1-2", "see mr knock+a+mura go", "mr knock a mura", "a mura"),
        ("of Silicon Valley now", "1-2", "of silicon+uh valley now", "silicon uh valley", None),
        ("by Goldman Sachs and", "1-2", "by goldmansacks+uh uh and", "goldmansacks", None),
        ("Kodak went", "0-0", "co+dac went", "co dac", "dac"),
        ("went to Kodak", "2-2", "went to co+dac", "co dac", "dac"),
        ("New York City", "0-2", "new york city", "new york city", "new york city"),
    ],
)  # fmt: skip
def test_one_entity(
    reference: str, spans: str, hypothesis: str, by_time: str, by_alignment: str | None
) -> None:
    assert found(said(reference, spans), said(hypothesis)) == [("time", by_time)]
    if by_alignment is not None:
        bare = said(hypothesis, timed=False)
        assert found(said(reference, spans), bare) == [("alignment", by_alignment)]


def test_words_inserted_inside_belong_to_the_entity() -> None:
    reference, hypothesis = said("New York City", "0-2"), said("new uh york well city", timed=False)
    assert found(reference, hypothesis) == [("alignment", "new uh york well city")]


def test_adjacent_and_nested_entities_each_have_their_words() -> None:
    reference = said("in Boston Massachusetts Goldman Sachs said", "1-1 1-2 2-2 3-4")
    hypothesis = said("in boston massa+chew+sets gold+man sax said")
    assert found(reference, hypothesis) == [
        ("time", "boston"),
        ("time", "boston massa chew sets"),
        ("time", "massa chew sets"),
        ("time", "gold man sax"),
    ]
    apart = separate_overlaps(project(reference, hypothesis))
    assert [(one.first, one.last, one.by) for one in apart] == [
        (1, 1, "time"),
        (2, 4, "time"),
        (5, 4, "lost"),
        (5, 7, "time"),
    ]


def test_of_two_that_sound_the_same_the_nearer_in_time() -> None:
    reference = said("one Kodak and two", "1-1")
    hypothesis = said("kodak uh kodak two")
    hypothesis = hypothesis.replace(start=[0.6, 0.9, 1.1, 3.0], end=[0.9, 1.0, 2.0, 4.0])
    assert project(reference, hypothesis)[0][1:3] == (2, 2)


def test_words_equal_to_others_stay_with_those() -> None:
    reference = said("he met Anna and Hannah", "2-2")
    assert found(reference, said("he met an and hannah")) == [("time", "an")]


@pytest.mark.parametrize("timed", [True, False])
def test_an_empty_hypothesis_loses_all(timed: bool) -> None:
    reference = said("at Kodak in Rochester", "1-1 3-3")
    empty = said("", timed=timed)
    assert project(reference, empty) == (
        Projected(Span(1, 1, "X"), 0, -1, "lost", 1.0),
        Projected(Span(3, 3, "X"), 0, -1, "lost", 1.0),
    )
    assert project(said(""), said("a b")) == ()
    assert project(Transcript(("a",)), said("a b")) == ()


def test_a_deleted_entity_is_lost_before_the_word_that_follows() -> None:
    reference = said("we saw Kodak yesterday morning", "2-2")
    hypothesis = said("we saw yesterday morning", timed=False)
    assert project(reference, hypothesis) == (Projected(Span(2, 2, "X"), 2, 1, "lost", 1.0),)
    late = said("we saw yesterday morning")
    assert project(reference, late)[0][1:4] == (2, 1, "lost")


def test_what_shares_nothing_is_lost_by_time_only() -> None:
    reference, hypothesis = said("see Smith now", "1-1"), said("see ooh now")
    assert [one.by for one in project(reference, hypothesis)] == ["lost"]
    bare = hypothesis.only(())
    assert [one.by for one in project(reference, bare)] == ["alignment"]


@pytest.mark.parametrize(
    ("name", "heard", "distance", "by"),
    [
        ("Smith", "fish", 3 / 4, "time"),
        ("Acme", "fig", 5 / 6, "time"),
        ("Carl", "fig", 7 / 8, "lost"),
        ("Berta", "fig", 9 / 10, "lost"),
    ],
)
def test_from_which_distance_on_a_word_is_another(
    name: str, heard: str, distance: float, by: str
) -> None:
    reference, hypothesis = said(f"see {name} now", "1-1"), said(f"see {heard} now")
    (one,) = project(reference, hypothesis)
    assert (one.by, one.distance) == (by, 1 if by == "lost" else pytest.approx(distance))
    far = phone_distances(["".join(phones([name]))], ["".join(phones([heard]))])
    assert far == pytest.approx([distance])


def test_beyond_the_collar_it_takes_an_alignment_that_sounds_alike() -> None:
    reference, hypothesis = said("see Smith", "1-1"), said("ooh ooh ooh ooh ooh smit")
    assert found(reference, said("ooh ooh ooh ooh ooh fog")) == [("lost", "")]
    assert found(reference, hypothesis) == [("alignment", "smit")]
    (one,) = project(reference, hypothesis, collar=5)
    assert one == Projected(Span(1, 1, "X"), 5, 5, "time", 0.125)


def test_the_same_words_at_another_time_are_found_by_alignment() -> None:
    reference, hypothesis = said("see Smith", "1-1"), said("ooh ooh ooh ooh ooh smith")
    (one,) = project(reference, hypothesis)
    assert one == Projected(Span(1, 1, "X"), 5, 5, "alignment", 0.0)


def test_another_language_is_read_by_its_own_rules() -> None:
    reference = said("chez Peugeot demain", "1-1", language="fr")
    assert found(reference, said("she pur+joe dim+an", language="en")) == [("time", "pur joe")]
    other = said("昨日 東京 で", timed=False, language="ja")
    assert found(reference, other) == [("alignment", "東京")]


def test_times_on_one_side_only_are_no_times() -> None:
    reference, hypothesis = said("at Kodak now", "1-1"), said("at co+dac now")
    assert found(reference.replace(start=None), hypothesis) == [("alignment", "dac")]
    assert found(reference, hypothesis.replace(end=None)) == [("alignment", "dac")]
    unknown = np.full(len(hypothesis), np.nan)
    assert found(reference, hypothesis.replace(start=unknown)) == [("alignment", "dac")]


def test_words_without_times_lie_between_their_neighbours() -> None:
    nan = math.nan
    reference = said("at New York now", "1-2").replace(start=[0, nan, 2, 3], end=[1, nan, 3, 4])
    hypothesis = said("at new yolk now").replace(start=[0, 1, nan, 3], end=[1, 2, nan, 4])
    assert found(reference, hypothesis) == [("time", "new yolk")]
    none = reference.replace(start=[0, nan, nan, 3])
    assert found(none, hypothesis) == [("alignment", "new yolk")]


def test_a_time_that_says_too_little_is_left_to_the_alignment() -> None:
    reference = said("see Kodak now", "1-1")
    start = np.full(3 * MAX_CANDIDATES, np.nan)
    start[0] = 0.0
    hypothesis = Transcript(("kodak", *["uh"] * (len(start) - 1)), start=start, end=start + 1)
    assert [one.by for one in project(reference, hypothesis)] == ["alignment"]


def test_numbers_are_found_however_they_are_written() -> None:
    reference = said("in 2020 we", "1-1")
    assert found(reference, said("in twenty+twenty we")) == [("time", "twenty twenty")]


def test_an_alignment_may_be_given() -> None:
    reference, hypothesis = said("a b", "0-0", timed=False), said("x y", timed=False)
    given_one = Alignment(np.array([1, -1]), np.zeros(2, np.bool_), 2)
    assert project(reference, hypothesis, alignment=given_one)[0].by == "lost"
    with pytest.raises(LayerError, match="alignment is of"):
        project(said("a"), hypothesis, alignment=given_one)
    with pytest.raises(UnknownName, match="phones"):
        project(reference, hypothesis, phones="ears")
    for collar in (-0.1, math.nan):
        with pytest.raises(CaesuraError, match="collar must be 0 seconds or more"):
            project(reference, hypothesis, collar)


@pytest.mark.parametrize(
    ("late", "collar", "differ"),
    [
        (0.5, 0.5, False),
        (0.6, 0.5, True),
        (0.6, 0.0, True),
        (0.4, 0.0, False),
        (-2, 0.5, True),
        (-2, 2, False),
    ],
)
def test_clocks_differ_by_more_than_a_collar(late: float, collar: float, differ: bool) -> None:
    reference = shift(said("we met John Smith in Oslo", "2-3 5-5"), 3)
    heard = said("we met jon smyth in oslo")
    shifted = shift(heard, 3 + late)
    aligned = align([word.lower() for word in reference.words], shifted.words)
    assert clocks_differ(reference, shifted, aligned, collar) == differ
    if differ:
        bare = project(reference, heard.replace(start=None, end=None), collar)
        assert project(reference, shifted, collar) == bare
        assert [one.by for one in bare] == ["alignment", "alignment"]


def shift(transcript: Transcript, seconds: float) -> Transcript:
    """Return a transcript whose words are that much later."""
    assert transcript.start is not None
    assert transcript.end is not None
    return transcript.replace(start=transcript.start + seconds, end=transcript.end + seconds)


def test_without_times_or_equal_words_clocks_agree() -> None:
    one, other = said("a b"), said("c d")
    for ours, theirs in ((one, other), (one, one.replace(start=None, end=None)), (one[:0], one)):
        assert not clocks_differ(ours, theirs, align(ours.words, theirs.words))


def test_what_sounds_closer_is_taken_of_time_and_alignment() -> None:
    reference, hypothesis = said("then Kodak and so on", "1-1"), said("then cow+um ah+kodac so on")
    ((by, _),) = found(reference, hypothesis)
    assert by == "time"
    source, equal = [0, -1, -1, -1, 1, 3, 4], [1, 0, 0, 0, 0, 1, 1]
    aligned = Alignment(np.array(source), np.array(equal, np.bool_), 5)
    (one,) = project(reference, hypothesis, 0.2, aligned)
    assert (one.by, one.first, one.distance) == ("alignment", 4, 0.0)
