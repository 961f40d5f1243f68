"""Tolerant: worked examples, and comparison of the matching with a slow exact one."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caesura import api
from caesura.core.errors import LayerError, MismatchError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined
from caesura.metrics.base import NO_HYPOTHESIS, NO_REFERENCE
from caesura.metrics.boundary import Boundary
from caesura.metrics.tolerant import Tolerant, match_within
from metrics.oracle import Exact, Places, f1, over, same, text, texts
from metrics.worked import (
    DIFFER,
    EQUAL,
    SCATTERED,
    Example,
    averaged,
    exact,
    printed,
    scored,
    video,
)


def test_settings() -> None:
    assert Tolerant() == Tolerant(words=2)
    assert repr(Tolerant()) == "Tolerant(words=2, seconds=None)"
    assert repr(Tolerant(seconds=1)) == "Tolerant(words=None, seconds=1.0)"
    assert Tolerant(words=0).same_words
    assert not Tolerant(seconds=0.5).same_words
    assert Tolerant(words=0).compares == ("sentences",)
    assert Tolerant(seconds=0.5).compares == ("sentences", "end")
    for wrong in (-1, 2.0, True, "2"):
        with pytest.raises(ValueError, match="words is a number of words"):
            Tolerant(words=wrong)  # type: ignore[arg-type]
    for bad in (-0.5, True, "1", float("nan"), float("inf")):
        with pytest.raises(ValueError, match="seconds is a number of seconds"):
            Tolerant(seconds=bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="in words or in seconds, not in both"):
        Tolerant(words=3, seconds=0.5)
    assert replace(Tolerant(), seconds=0.5) == Tolerant(seconds=0.5)


@pytest.mark.parametrize(
    ("worked", "rows"),
    [
        (DIFFER, ["1/4 1/2 0", "1/3 2/3 0", "2/7 4/7 0", "5/3 1 3"]),
        (EQUAL, ["1/2 1/2 1/2", "1/2 1/2 1/2", "1/2 1/2 1/2", "1 1 1"]),
        (SCATTERED, ["1/3 1/3 0", "1/2 1/2 0", "2/5 2/5 0", "3/2 3/2 5/2"]),
    ],
)
def test_without_tolerance(worked: Example, rows: list[str]) -> None:
    for metric in (Tolerant(words=0), Boundary()):
        values = scored(metric, worked)
        for name, cells in zip(("precision", "recall", "f1", "ser"), rows, strict=True):
            same(values, {f"{name}_{i}": value for i, value in enumerate(exact(cells), 1)})
            same(values, {name: averaged(exact(cells))})


def test_on_the_video() -> None:
    systems, references = video()
    metric = Tolerant(words=0)
    for system, rows in zip(
        systems,
        (
            [".4907 .4537 .2130", ".5408 .5632 .5897", ".5146 .5026 .3129", "1.0204 1.1149 2.5897"],
            [".5000 .5217 .2500", ".4694 .5517 .5897", ".4842 .5363 .3511", "1.0000 .9540 2.1795"],
        ),
        strict=True,
    ):
        values = metric.values(metric.count(system, references))
        for name, row in zip(("precision", "recall", "f1", "ser"), rows, strict=True):
            printed(values, name, row)
        near = Tolerant(words=3).values(Tolerant(words=3).count(system, references))
        assert near["matched"] > values["matched"]  # type: ignore[operator]


def test_each_boundary_is_matched_once_and_as_many_as_possible() -> None:
    # the nearest first would match 5-5 and leave 3 and 7 alone
    assert Tolerant(words=2).count(text(12, {5, 7}), [text(12, {3, 5})]) == Counts(matched_1=2)
    # two of the hypothesis near one of the reference
    assert Tolerant(words=2).count(text(12, {4, 6}), [text(12, {5})]) == Counts(
        matched_1=1, spurious_1=1
    )
    # just out of reach; the end of the recording is not there to be matched
    assert Tolerant(words=2).count(text(12, {4, 11}), [text(12, {7})]) == Counts(
        missing_1=1, spurious_1=2
    )


def largest(ours: list[int], theirs: list[int], tolerance: int) -> int:
    """Return the size of the largest matching (augmenting paths)."""
    partner: dict[int, int] = {}

    def finds(i: int, seen: set[int]) -> bool:
        for j, at in enumerate(theirs):
            if abs(ours[i] - at) <= tolerance and j not in seen:
                seen.add(j)
                if j not in partner or finds(partner[j], seen):
                    partner[j] = i
                    return True
        return False

    return sum(finds(i, set()) for i in range(len(ours)))


ROW = st.lists(st.integers(0, 40), max_size=15).map(sorted)


@given(ROW, ROW, st.integers(0, 12))
@example([3, 5, 9], [1, 4, 6, 7], 2)
def test_no_matching_is_larger(ours: list[int], theirs: list[int], tolerance: int) -> None:
    found, met = match_within(np.array(ours, np.int64), np.array(theirs, np.int64), tolerance)
    assert found.sum() == met.sum() == largest(ours, theirs, tolerance)
    # those with partners do fit: in order, each with each
    pairs = zip(np.array(ours)[found].tolist(), np.array(theirs)[met].tolist(), strict=True)
    assert all(abs(one - other) <= tolerance for one, other in pairs)


def slow(ours: list[int], theirs: list[int], tolerance: int) -> dict[str, Exact]:
    hits = largest(ours, theirs, tolerance)
    precision, recall = over(hits, len(ours)), over(hits, len(theirs))
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1(precision, recall),
        "ser": over(len(ours) + len(theirs) - 2 * hits, len(theirs)),
    }


@given(texts(), st.integers(0, 8))
def test_words_equal_slow_code(drawn: tuple[int, list[Places], Places], words: int) -> None:
    count, references, hypothesis = drawn
    pairs = [slow(sorted(hypothesis - {count}), sorted(one - {count}), words) for one in references]
    wanted = {name: averaged([pair[name] for pair in pairs]) for name in pairs[0]}
    same(scored(Tolerant(words=words), drawn), wanted)


def timed(ends: list[float], places: Places) -> Transcript:
    sentences = Segmentation.of_gaps(len(ends), [place - 1 for place in places])
    return Transcript(("w",) * len(ends), end=np.array(ends, np.float64), sentences=sentences)


@st.composite
def recordings(draw: st.DrawFn) -> Transcript:
    """Draw words that end at whole seconds, in any order."""
    ends = draw(st.lists(st.integers(0, 60), max_size=20))
    places = draw(st.sets(st.integers(1, max(len(ends), 1)), max_size=9))
    return timed([float(end) for end in ends], {at for at in places if at <= len(ends)})


@given(recordings(), recordings(), st.integers(0, 10))
def test_seconds_equal_slow_code(ours: Transcript, theirs: Transcript, seconds: int) -> None:
    def moments(one: Transcript) -> list[int]:
        assert one.end is not None
        assert one.sentences is not None
        return sorted(int(one.end[gap]) for gap in one.sentences.gaps[:-1])

    metric = Tolerant(seconds=seconds)
    counts = metric.count(ours, [theirs])
    same(metric.values(counts), slow(moments(ours), moments(theirs), seconds))
    assert counts["untimed_1"] == 0


def test_seconds_by_hand() -> None:
    ours = timed([0.3, 0.7, 1.3, 1.9, 2.4, 3.0], {2, 4})
    theirs = timed([0.5, 1.2, 2.6, 2.9], {2, 3})
    # 0.7 and 1.2 are half a second apart, which floating point has as less, and 1.9 and 2.6 more
    assert Tolerant(seconds=0.5).count(ours, [theirs]) == Counts(
        matched_1=1, missing_1=1, spurious_1=1
    )
    assert Tolerant(seconds=0.7).count(ours, [theirs]) == Counts(matched_1=2)
    assert Tolerant(seconds=0.499999).count(ours, [theirs])["matched_1"] == 0


def test_tolerance_is_exact() -> None:
    # 0.8 - 0.7 is more than 0.1 in floating point
    assert 0.8 - 0.7 > 0.1
    # 1.001 seconds are less than 1001000 microseconds
    assert 1.001 * 1e6 < 1001000
    for one, other, seconds in ((0.8, 0.7, 0.1), (1.101, 1.001, 0.1), (1.5, 1.001, 0.499)):
        ours, theirs = timed([one, 2.0], {1}), timed([other, 2.0], {1})
        assert Tolerant(seconds=seconds).count(ours, [theirs]) == Counts(matched_1=1)


def test_a_miss_is_counted_at_the_nearest_gap() -> None:
    ours = timed([1.0, 2.0, 3.0, 4.0], set())
    theirs = timed([0.1, 1.4, 2.9, 9.0, 9.5], {1, 2, 3, 4})
    columns = dict(Tolerant(seconds=0.2).per_gap_counts(ours, [theirs]))
    assert columns["missing_1"].tolist() == [2, 0, 1, 1]
    columns = dict(Tolerant(words=0).per_gap_counts(text(5, {2}), [text(5, {3})]))
    assert columns["missing_1"].tolist() == [0, 0, 1, 0, 0]
    assert columns["spurious_1"].tolist() == [0, 1, 0, 0, 0]


def test_unknown_times_lie_between_known_ones() -> None:
    nan = float("nan")
    ours = timed([nan, 1.0, nan, nan, 4.0, nan], {1, 3, 4, 5})  # 1, 2, 3 and 4 seconds
    theirs = timed([1.0, 2.0, 3.0, 4.0, 5.0], {1, 2, 3, 4})
    assert Tolerant(seconds=0).count(ours, [theirs]) == Counts(matched_1=4, untimed_1=3)
    assert Tolerant(seconds=0).count(theirs, [ours]) == Counts(matched_1=4, untimed_1=3)


def test_no_times_at_all() -> None:
    known = timed([1.0, 2.0], {1})
    for other in (text(2, {1}), timed([float("nan")] * 2, {1})):
        for pair in ((known, [other]), (other, [known])):
            with pytest.raises(LayerError, match="no word has an end time"):
                Tolerant(seconds=1).count(*pair)


def test_other_words() -> None:
    with pytest.raises(MismatchError, match="has 3 words and a reference 4"):
        Tolerant().count(text(3, set()), [text(4, set())])


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_match(count: int) -> None:
    for metric in (Tolerant(), Tolerant(seconds=1)):
        empty = timed([1.0] * count, set())
        values = metric.values(metric.count(empty, [empty]))
        assert values["precision"] == Undefined(NO_HYPOTHESIS)
        assert values["recall"] == values["ser"] == Undefined(NO_REFERENCE)


def test_an_empty_hypothesis_misses_all() -> None:
    metric = Tolerant(seconds=1)
    counts = metric.count(timed([], set()), [timed([1.0, 2.0, 3.0], {1, 2})])
    assert counts == Counts(missing_1=2)
    assert metric.values(counts)["recall"] == 0
    assert metric.values(counts)["ser"] == 1


def test_seconds_need_no_equal_words() -> None:
    ours = timed([1.0, 2.0, 3.0], {2}).replace(words=("a", "b", "c"))
    theirs = timed([0.9, 1.4, 2.1, 3.0], {3}).replace(words=("x", "y", "b", "c"))
    found = api.score(ours, reference=[theirs], metric="Tolerant(seconds=0.25)")
    assert found.values[0]["f1"] == 1
    same(found.values[0], {"ser": Fraction(0)})
