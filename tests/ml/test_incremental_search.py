"""Units that arrive in pieces get the sentences that they get as a whole."""

import json
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.arrays import Indices
from caesura.ml.parsing import boundary_search
from caesura.ml.parsing.boundary_search import IncrementalSearch, best_parse
from caesura.ml.parsing.chart import ParseScores
from ml.parses import random_scores


def in_pieces(
    scores: ParseScores, search: IncrementalSearch, cuts: list[int], *, saving: bool = False
) -> tuple[Indices, Indices]:
    """Push units in pieces; give heads and the last units of sentences."""
    parts = []
    for first, stop in pairwise([0, *cuts, len(scores)]):
        parts.append(search.push(scores[first:stop]))
        if saving:
            state = json.loads(json.dumps(search.state(), allow_nan=False))
            search = IncrementalSearch(search.longest, search.patience, state)
    parts.append(search.close())
    assert search.given == len(scores)
    ends = np.concatenate([part.ends for part in parts])
    return np.concatenate([part.heads for part in parts]), np.flatnonzero(ends)


@pytest.mark.parametrize("few", [0, 3, 64])
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(1, 80),
    cuts=st.lists(st.integers(0, 80), max_size=20),
    longest=st.integers(1, 9),
    kind=st.sampled_from(["smooth", "ties", "rightward"]),
    patience=st.none() | st.integers(0, 12),
    saving=st.booleans(),
)
@settings(deadline=None, max_examples=80)
def test_pieces_do_not_matter(
    few: int,
    seed: int,
    size: int,
    cuts: list[int],
    longest: int,
    kind: str,
    patience: int | None,
    saving: bool,
) -> None:
    scores = random_scores(seed, size, 4, kind)
    places = sorted(min(cut, size) for cut in cuts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boundary_search, "SMALL_PIECE", few)
        heads, ends = in_pieces(scores, IncrementalSearch(longest, patience), places, saving=saving)
    if patience is None:
        whole = best_parse(scores, longest)
        assert heads.tolist() == whole.heads.tolist()
        assert ends.tolist() == np.flatnonzero(whole.ends).tolist()
    again, ends_again = in_pieces(
        scores, IncrementalSearch(longest, patience), list(range(1, size))
    )
    assert heads.tolist() == again.tolist()
    assert ends.tolist() == ends_again.tolist()


def test_patience_bounds_what_is_kept() -> None:
    scores = random_scores(3, 3000, 4, "smooth")
    patient = IncrementalSearch(12, patience=20)
    given, kept = [], []
    for at in range(len(scores)):
        patient.push(scores[at : at + 1])
        given.append(patient.given)
        kept.append(at + 1 - patient.given)
    assert max(kept) <= 20 + 12
    exact = IncrementalSearch(12)
    for at in range(len(scores)):
        exact.push(scores[at : at + 1])
        assert exact.given <= given[at]
    assert given[-1] > 2900


def test_a_state_stays_as_it_was() -> None:
    scores = random_scores(9, 40, 4, "smooth")
    search = IncrementalSearch(8, patience=5)
    search.push(scores[:20])
    state = search.state()
    saved = json.dumps(state)
    search.push(scores[20:])
    assert json.dumps(state) == saved


def test_memory_does_not_grow() -> None:
    scores = random_scores(3, 3000, 4, "smooth")
    patient = IncrementalSearch(12, patience=20)
    taken = []
    tracemalloc.start()
    for at in range(0, len(scores), 5):
        patient.push(scores[at : at + 5])
        taken.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert max(taken[200:]) < 1.3 * max(taken[:200])


def test_enough_patience_changes_nothing() -> None:
    scores = random_scores(5, 400, 4, "smooth")
    heads, _ = in_pieces(scores, IncrementalSearch(10, patience=400), [100, 101, 250])
    assert heads.tolist() == best_parse(scores, 10).heads.tolist()


def test_what_was_given_never_changes() -> None:
    """Whatever follows, the sentences that were given out are those of the whole."""
    start = random_scores(7, 60, 4, "smooth")
    search = IncrementalSearch(6)
    early = search.push(start)
    assert 20 < search.given < 60
    for seed in range(20):
        more = random_scores(seed, 31, 4, "harsh")[1:]
        whole = best_parse(start.extended(more), 6)
        assert whole.heads[: search.given].tolist() == early.heads.tolist()
        assert whole.ends[: search.given].tolist() == early.ends.tolist()


def test_undecided_units_wait() -> None:
    """Boundaries at even or at odd gaps: only the end decides."""
    size = 41
    links = np.full((size, 3), -np.inf)
    links[:, 2] = 0.0
    roots = np.full(size, -100.0)
    scores = ParseScores(links, roots, np.zeros((size - 1, 2)))
    search = IncrementalSearch(2)
    for at in range(size):
        assert not search.push(scores[at : at + 1]).ends[1:].any()
    assert search.given <= 1
    search.close()
    assert search.given == size
    bounded = IncrementalSearch(2, patience=5)
    for at in range(size):
        bounded.push(scores[at : at + 1])
        assert at + 1 - bounded.given <= 7


@pytest.mark.parametrize("patience", [0, 1, 4, 15])
def test_patience_holds_what_was_best(patience: int) -> None:
    """After each unit, sentences that ended so many units ago are ruled to stay as they are."""
    scores = random_scores(13, 120, 4, "smooth")
    ruled = ParseScores(scores.arcs, scores.roots, scores.gaps.copy())
    search = IncrementalSearch(7, patience)
    fixed, parts = 0, []
    for count in range(1, len(scores) + 1):
        parts.append(search.push(scores[count - 1 : count]))
        ends = best_parse(ruled[:count], 7).ends
        done = max([0, *(np.flatnonzero(ends[: max(count - patience, 0)]) + 1).tolist()])
        for unit in range(fixed + 1, min(done + 1, len(scores))):
            ruled.gaps[unit, 0 if ends[unit - 1] else 1] = -np.inf
        fixed = max(fixed, done)
        assert search.given >= fixed
    parts.append(search.close())
    whole = best_parse(ruled, 7)
    assert np.concatenate([part.ends for part in parts]).tolist() == whole.ends.tolist()
    assert np.concatenate([part.heads for part in parts]).tolist() == whole.heads.tolist()
