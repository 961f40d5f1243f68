"""The semi-Markov decoder against all segmentations of short inputs, and its search in streams."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.core.arrays import Floats
from caesura.ml.length_prior import SECOND, LengthPrior
from caesura.ml.semi_markov import (
    ASSUMED,
    CERTAIN,
    Limit,
    Row,
    Rules,
    Search,
    WordTimes,
    decode,
    fixed_point,
)

NONE = Rules()
LOG_ODDS = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-8, 8), st.sampled_from([np.nan, 1e-12, -1e9])
)
TIMES = st.one_of(st.floats(0, 9), st.just(np.nan))


@st.composite
def limits(draw: st.DrawFn) -> Limit | None:
    """Draw a limit in words or seconds, or none."""
    if draw(st.booleans()):
        return None
    if draw(st.booleans()):
        return Limit(draw(st.integers(1, 5)), "words")
    return Limit(draw(st.integers(0, 6 * SECOND)), "seconds")


@st.composite
def priors(draw: st.DrawFn, unit: str) -> LengthPrior:
    """Draw a short table with a straight line that falls or is level."""
    table = draw(st.lists(st.floats(-4, 4), min_size=1, max_size=6))
    return LengthPrior(unit, np.array(table), -draw(st.floats(0, 2)))


@st.composite
def all_rules(draw: st.DrawFn) -> Rules:
    """Draw limits and priors, any of which may be missing."""
    units = draw(st.sets(st.sampled_from(["words", "seconds"])))
    chosen = tuple(draw(priors(unit)) for unit in sorted(units))
    return Rules(draw(limits()), draw(limits()), chosen, draw(st.floats(0, 2)))


@st.composite
def inputs(draw: st.DrawFn, most: int = 8) -> tuple[Floats, Floats | None, Floats | None]:
    """Draw log-odds, and times that may be unknown or go back."""
    count = draw(st.integers(0, most))
    log_odds = np.array(draw(st.lists(LOG_ODDS, min_size=count, max_size=count)), np.float64)
    if draw(st.booleans()):
        return log_odds, None, None
    start, end = (
        np.array(draw(st.lists(TIMES, min_size=count, max_size=count)), np.float64) for _ in "se"
    )
    return log_odds, start, end


def rows_of(log_odds: Floats, start: Floats | None, end: Floats | None) -> list[Row]:
    """Return the rows that a search gets."""
    times = WordTimes().extend(start, end, len(log_odds))
    return [Row(odds, *time) for odds, time in zip(fixed_point(log_odds), times, strict=True)]


def merit(rows: list[Row], rules: Rules, ends: tuple[bool, ...]) -> tuple[bool, int, int]:
    """Say whether no sentence is too long, how little they fall short, and what they score."""
    allowed, short, score, first = True, 0, 0, 0
    for last in [at for at, is_end in enumerate(ends) if is_end]:
        sizes = {"words": last + 1 - first, "seconds": rows[last].finish - rows[first].begin}
        if rules.longest is not None and last > first:
            allowed &= sizes[rules.longest.unit] <= rules.longest.size
        if rules.shortest is not None:
            short += max(rules.shortest.size - sizes[rules.shortest.unit], 0)
        score += rows[last].odds + sum(one.value(sizes[one.unit]) for one in rules.scores)
        first = last + 1
    return allowed, -short, score


@given(inputs(), all_rules())
def test_no_segmentation_is_better(
    given: tuple[Floats, Floats | None, Floats | None], rules: Rules
) -> None:
    rows = rows_of(*given)
    found = tuple(decode(given[0], rules, *given[1:]).tolist())
    assert len(found) == len(rows)
    if rows:
        every = [(*inner, True) for inner in product([False, True], repeat=len(rows) - 1)]
        assert merit(rows, rules, found) == max(merit(rows, rules, ends) for ends in every)


@given(inputs(40))
def test_without_rules_log_odds_above_0_are_boundaries(
    given: tuple[Floats, Floats | None, Floats | None],
) -> None:
    found = decode(given[0], NONE)
    assert found[:-1].tolist() == (given[0] > 0)[:-1].tolist()


def test_a_sentence_is_not_settled_if_the_rest_would_be_too_short() -> None:
    """If no more words come, the last word is too short to be a sentence."""
    search = Search(Rules(Limit(2, "words"), None, (), 0.0))
    for row in rows_of(np.array([0.0] * 20 + [1.0, 0.0]), None, None):
        search.append(*row)
        assert search.settled() == 0
    assert search.path() == [22]


@given(inputs(30), all_rules())
def test_what_is_settled_without_a_longest_is_what_the_whole_decides(
    given: tuple[Floats, Floats | None, Floats | None], rules: Rules
) -> None:
    rows = rows_of(*given)
    rules = Rules(rules.shortest, None, rules.priors, rules.weight)
    whole = Search(rules, rows).path()
    search, begun, found = Search(rules), 0, []
    for row in rows:
        search.append(*row)
        while end := search.settled():
            begun += end
            found.append(begun)
            search = search.after(end)
    assert [*found, *(begun + end for end in search.path())] == whole


@given(inputs(40), all_rules(), st.integers(1, 5))
def test_a_stream_gives_no_sentence_that_is_too_long(
    given: tuple[Floats, Floats | None, Floats | None], rules: Rules, most: int
) -> None:
    rules = Rules(rules.shortest, Limit(most, "words"), rules.priors, rules.weight)
    search = Search(rules)
    for row in rows_of(*given):
        search.append(*row)
        while end := search.settled():
            assert end <= most
            search = search.after(end)
        assert len(search.times) <= most


def test_a_boundary_is_settled_at_once_if_nothing_speaks_against_it() -> None:
    search = Search(Rules(longest=Limit(9, "words")), [Row(-5, 0, 0), Row(7, 0, 0)])
    assert search.settled() == 2
    assert Search(NONE, [Row(-5, 0, 0)]).settled() == 0


def test_a_prior_delays_what_it_could_still_change() -> None:
    prior = LengthPrior("words", np.array([0.0, -2.0, 0.0, 0.0]), 0.0)
    rows = [Row(fixed_point(np.array([odds]))[0], 0, 0) for odds in (-5.0, 1.0)]
    assert Search(Rules(), rows).settled() == 2
    assert Search(Rules(priors=(prior,)), rows).settled() == 0


@pytest.mark.parametrize(
    ("shortest", "longest", "expected"),
    [
        (None, None, [6]),
        (None, Limit(3, "words"), [3, 6]),
        (Limit(4, "words"), None, [6]),
        (Limit(9, "words"), None, [6]),
        (None, Limit(2 * SECOND, "seconds"), [2, 4, 6]),
    ],
)
def test_limits(shortest: Limit | None, longest: Limit | None, expected: list[int]) -> None:
    seconds = np.arange(6.0)
    log_odds = np.array([-9.0, -1.0, -0.5, -1.0, -9.0, 3.0])
    found = decode(log_odds, Rules(shortest, longest), seconds, seconds + 1)
    assert (np.flatnonzero(found) + 1).tolist() == expected


def test_a_word_that_is_too_long_by_itself_is_a_sentence() -> None:
    start, end = np.array([0.0, 1.0, 21.0]), np.array([1.0, 21.0, 22.0])
    found = decode(np.full(3, -9.0), Rules(longest=Limit(12 * SECOND, "seconds")), start, end)
    assert found.tolist() == [True, True, True]


def test_sentences_fall_short_by_as_little_as_possible() -> None:
    """Seven words in sentences of exactly three: 3 + 3 + 1, in whichever order is most likely."""
    rules = Rules(Limit(3, "words"), Limit(3, "words"))
    log_odds = np.array([-9.0, -9.0, -9.0, 2.0, -9.0, -9.0, 0.0])
    assert np.flatnonzero(decode(log_odds, rules)).tolist() == [0, 3, 6]


def test_times_never_go_back_and_unknown_ones_are_filled_in() -> None:
    start = np.array([np.nan, 5.0, 4.0, np.nan, 9.0])
    end = np.array([np.nan, 6.0, np.nan, np.nan, 8.0])
    assert WordTimes().extend(start, end, 5) == [
        (0, ASSUMED),
        (ASSUMED, ASSUMED + SECOND),
        (ASSUMED, ASSUMED + SECOND),
        (ASSUMED + SECOND, 2 * ASSUMED + SECOND),
        (ASSUMED + 4 * SECOND, ASSUMED + 4 * SECOND),
    ]
    halves = WordTimes()
    first = halves.extend(start[:2], end[:2], 2)
    later = WordTimes(halves.state()).extend(start[2:], end[2:], 3)
    assert first + later == WordTimes().extend(start, end, 5)
    assert WordTimes().extend(None, None, 2) == [(0, ASSUMED), (ASSUMED, 2 * ASSUMED)]


def test_log_odds_keep_their_sign() -> None:
    assert np.sign(fixed_point(np.array([1e-30, -1e-30, 0.0, np.nan]))).tolist() == [1, -1, 0, 0]
    assert fixed_point(np.array([np.inf]))[0] == CERTAIN * (1 << 32)
