"""Entities on recognised words: cases by hand, laws, and a slow search for the time path."""

import math
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import CaesuraError, LayerError, UnknownName
from caesura.formats.files import read
from caesura.text.align import Alignment, align
from caesura.text.phones import distances, phones
from caesura.text.projection import CANDIDATES, SHARED, Projected, parted, project
from caesura.transcript import Span, Transcript


def said(text: str, spans: str = "", timed: bool = True, language: str = "en") -> Transcript:
    """A word a second; a word with `+` shares its second with the next."""
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
    """How each was found, and its words."""
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
    apart = parted(project(reference, hypothesis))
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


def test_beyond_the_collar_nothing_is_looked_for() -> None:
    reference, hypothesis = said("see Smith", "1-1"), said("ooh ooh ooh ooh ooh smit")
    assert [one.by for one in project(reference, hypothesis)] == ["lost"]
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
    start = np.full(3 * CANDIDATES, np.nan)
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
        with pytest.raises(CaesuraError, match="a collar is 0 seconds or more"):
            project(reference, hypothesis, collar)


WORDS = st.sampled_from("kodak co dac new york yolk anna an and 5 - の".split())


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    words = tuple(draw(st.lists(WORDS, max_size=8)))
    start = np.cumsum([draw(st.sampled_from([-0.5, 0.0, 0.2, 0.5, 1.0])) for _ in words])
    end = start + [draw(st.sampled_from([0.1, 0.3, math.nan])) for _ in words]
    places = st.tuples(st.integers(0, 7), st.integers(0, 7)).map(sorted)
    drawn = draw(st.lists(places, max_size=4))
    spans = tuple(Span(a, b, "X") for a, b in drawn if b < len(words))
    made = Transcript(words, start=start, end=end, entities=spans)
    return draw(st.sampled_from([made, made.replace(start=None, end=None)]))


def times(transcript: Transcript, at: int) -> tuple[float, float]:
    """When a word can be at the earliest and the latest."""
    assert transcript.start is not None
    assert transcript.end is not None
    cells = list(zip(transcript.start.tolist(), transcript.end.tolist(), strict=True))
    if not any(map(math.isnan, cells[at])):
        return cells[at]
    before = [end for start, end in cells[:at] if not math.isnan(start + end)]
    after = [start for start, end in cells[at + 1 :] if not math.isnan(start + end)]
    return (before[-1] if before else -math.inf, after[0] if after else math.inf)


def any_known(transcript: Transcript, words: range) -> bool:
    if transcript.start is None or transcript.end is None:
        return False
    return any(not math.isnan(transcript.start[at] + transcript.end[at]) for at in words)


def slow(
    reference: Transcript, hypothesis: Transcript, entity: Span, collar: float
) -> tuple[float, ...] | None:
    """The words of one entity by time, trying every span; None where time does not tell."""
    aligned = align(reference.words, hypothesis.words)
    own = range(entity.first, entity.last + 1)
    target = "".join(phones(reference.words[entity.first : entity.last + 1]))
    if not (target and any_known(reference, own) and any_known(hypothesis, range(len(hypothesis)))):
        return None
    low = min(times(reference, at)[0] for at in own)
    high = max(times(reference, at)[1] for at in own)

    def candidate(at: int) -> bool:
        start, end = times(hypothesis, at)
        elsewhere = bool(aligned.equal[at]) and int(aligned.source[at]) not in own
        return end >= low - collar and start <= high + collar and not elsewhere

    def apart(one: float, other: float) -> float:
        return 0.0 if one == other else abs(one - other)

    best = []
    for first, last in combinations_with_replacement(range(len(hypothesis)), 2):
        heard = "".join(phones(hypothesis.words[first : last + 1]))
        short = last == first or len(heard) <= 2 * len(target)
        if short and all(map(candidate, range(first, last + 1))):
            far = float(distances([target], [heard])[0])
            start, end = times(hypothesis, first)[0], times(hypothesis, last)[1]
            best.append((far, apart(start, low) + apart(end, high), last - first, first))
    if not best or min(best)[0] >= SHARED:
        return ()
    far, _, more, first = min(best)
    return (first, first + more, far)


@given(transcripts(), transcripts(), st.sampled_from([0.0, 0.25, 1.0]))
def test_the_time_path_tries_every_span(
    reference: Transcript, hypothesis: Transcript, collar: float
) -> None:
    bare = project(reference, hypothesis.only(()))
    for one, aligned in zip(project(reference, hypothesis, collar), bare, strict=True):
        expected = slow(reference, hypothesis, one.entity, collar)
        same = aligned.found and aligned.distance == 0 and (expected or ())[2:] != (0.0,)
        if expected is None or same:
            assert one == aligned
        elif expected == ():
            assert one.by == "lost"
        else:
            assert (one.by, (one.first, one.last, one.distance)) == ("time", expected)


@given(transcripts(), transcripts())
def test_the_alignment_path_is_the_hull_of_aligned_words(
    reference: Transcript, hypothesis: Transcript
) -> None:
    bare = hypothesis.only(())
    target = align(reference.words, hypothesis.words).target.tolist()
    for one in project(reference, bare):
        inside = [at for at in target[one.entity.first : one.entity.last + 1] if at >= 0]
        before = [at for at in target[: one.entity.first] if at >= 0]
        if inside:
            assert one[1:4] == (inside[0], inside[-1], "alignment")
        else:
            place = before[-1] + 1 if before else 0
            assert one[1:] == (place, place - 1, "lost", 1.0)


@given(transcripts(), transcripts())
def test_spans_lie_inside_and_parted_ones_never_overlap(
    reference: Transcript, hypothesis: Transcript
) -> None:
    each = project(reference, hypothesis)
    assert tuple(one.entity for one in each) == (reference.entities or ())
    apart = parted(each)
    assert [one.entity for one in apart] == [one.entity for one in each]
    assert parted(apart) == apart
    free = 0
    for one, whole in zip(apart, each, strict=True):
        assert free <= one.first <= one.last + 1 <= len(hypothesis)
        assert (one.last < one.first) == (one.by == "lost")
        assert 0 <= one.distance <= 1
        assert one.by == "lost" or (whole.first <= one.first and one.last == whole.last)
        free = one.last + 1


@given(transcripts())
def test_a_copy_is_projected_onto_itself(reference: Transcript) -> None:
    for one in project(reference, reference.only(())):
        assert (one.first, one.last) == one.entity[:2]
        assert one.distance == 0


def halved(reference: Transcript) -> tuple[Transcript, list[tuple[int, int]]]:
    """A call whose long words are heard as two, and where the words of each entity are then."""
    assert reference.start is not None
    assert reference.end is not None
    words: list[str] = []
    start, end, first = [], [], []
    for at, word in enumerate(reference.words):
        first.append(len(words))
        cut = [word[: len(word) // 2], word[len(word) // 2 :]] if len(word) > 5 else [word]
        length = (reference.end[at] - reference.start[at]) / len(cut)
        words += cut
        start += [reference.start[at] + length * part for part in range(len(cut))]
        end += [reference.start[at] + length * (part + 1) for part in range(len(cut))]
    made = Transcript(tuple(words), start=np.array(start), end=np.array(end))
    first.append(len(words))
    return made, [(first[a], first[b + 1] - 1) for a, b, *_ in reference.entities or ()]


def test_real_entities_heard_in_halves_are_found_by_time(corpora: Path) -> None:
    (reference,) = read(str(corpora / "earnings22" / "references" / "4474955.nlp"))
    hypothesis, truth = halved(reference)
    by_time, aligned = (
        [(one.first, one.last) for one in project(reference, each)]
        for each in (hypothesis, hypothesis.only(()))
    )
    right, fewer = (
        np.mean([a == b for a, b in zip(x, truth, strict=True)]) for x in (by_time, aligned)
    )
    assert len(truth) > 100
    assert right > 0.97
    assert right > fewer
