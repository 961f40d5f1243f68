"""The search equals brute force over all boundaries and all structures."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.errors import CaesuraError
from caesura.ml.parsing import boundary_search, chart
from caesura.ml.parsing.boundary_search import IncrementalSearch, best_parse, boundary_probabilities
from caesura.ml.parsing.chart import ParseScores, parse_sentences
from ml.parses import KINDS, brute_force, check, random_scores, tree_score, trees


def test_the_oracle_counts_structures() -> None:
    assert [len(trees(size)) for size in range(1, 7)] == [1, 2, 7, 30, 143, 728]


@pytest.mark.parametrize(("piece", "few"), [(1, 0), (3, 0), (1024, 0), (1024, 64)])
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(1, 6),
    reach=st.integers(0, 7),
    longest=st.integers(1, 8),
    kind=st.sampled_from(KINDS),
)
@settings(deadline=None, max_examples=60)
def test_equals_brute_force(
    piece: int, few: int, seed: int, size: int, reach: int, longest: int, kind: str
) -> None:
    scores = random_scores(seed, size, reach, kind)
    top, probability = brute_force(scores, longest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chart, "PIECE", piece)
        patch.setattr(boundary_search, "SMALL_PIECE", few)
        patch.setattr(chart, "CELLS", piece)
        if top == -np.inf:
            with pytest.raises(CaesuraError, match="minus infinity"):
                best_parse(scores, longest)
            return
        found = best_parse(scores, longest)
        np.testing.assert_allclose(boundary_probabilities(scores, longest), probability, atol=1e-9)
    assert found.score == pytest.approx(top, rel=1e-12, abs=1e-9)
    check(scores, found, longest)


@pytest.mark.parametrize("kind", ["smooth", "rightward"])
def test_seven_units(kind: str) -> None:
    scores = random_scores(11, 7, 6, kind)
    top, probability = brute_force(scores, 7)
    assert best_parse(scores, 7).score == pytest.approx(top)
    np.testing.assert_allclose(boundary_probabilities(scores, 7), probability, atol=1e-12)


@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 5), max_size=8),
    kind=st.sampled_from(["smooth", "ties", "harsh"]),
)
@settings(deadline=None, max_examples=60)
def test_normal_equals_brute_force(seed: int, lengths: list[int], kind: str) -> None:
    edges = np.cumsum([0, *lengths])
    scores = random_scores(seed, int(edges[-1]), 4, kind)
    ends = np.isin(np.arange(1, len(scores) + 1), edges)
    found = parse_sentences(scores.arcs, scores.roots, ends)
    total = 0.0
    for first, stop in pairwise(edges.tolist()):
        total += max(tree_score(scores, first, tree) for tree in trees(stop - first))
    assert found.score == pytest.approx(total, rel=1e-12, abs=1e-9)
    if lengths:
        without = ParseScores(scores.arcs, scores.roots, np.zeros((len(scores), 2)))
        check(without, found, 5)


def test_neighbours_do_not_break_ties() -> None:
    chance = np.random.default_rng(4)
    lengths = chance.integers(1, 30, 60)
    stops = np.cumsum(lengths)
    scores = random_scores(4, int(stops[-1]), 8, "ties")
    ends = np.isin(np.arange(len(scores)) + 1, stops)
    together = parse_sentences(scores.arcs, scores.roots, ends).heads
    for first, stop in zip(stops - lengths, stops, strict=True):
        here = slice(first, stop)
        alone = parse_sentences(scores.arcs[here], scores.roots[here], ends[here]).heads
        assert (np.where(alone < 0, -1, alone + first) == together[here]).all()


def test_a_long_sentence_has_its_links() -> None:
    scores = random_scores(6, 300, 9, "smooth")
    ends = np.arange(300) == 299
    found = parse_sentences(scores.arcs, scores.roots, ends)
    check(ParseScores(scores.arcs, scores.roots, np.zeros((300, 2))), found, 300)
    undivided = ParseScores(scores.arcs, scores.roots, np.tile([0, -np.inf], (299, 1)))
    assert best_parse(undivided, 300).score == pytest.approx(found.score)


def test_impossible_sentences_are_told() -> None:
    scores = random_scores(2, 6, 3, "smooth")
    ends = np.array([False, True, False, False, False, True])
    for links in (np.full((6, 7), -np.inf), np.zeros((6, 1))):
        with pytest.raises(CaesuraError, match="minus infinity"):
            parse_sentences(links, scores.roots, ends)
    alone = parse_sentences(np.zeros((6, 1)), scores.roots, np.ones(6, np.bool_))
    assert alone.heads.tolist() == [-1] * 6
    nowhere = ParseScores(scores.arcs, np.full(6, -np.inf), scores.gaps)
    for find in (best_parse, boundary_probabilities):
        with pytest.raises(CaesuraError, match="minus infinity"):
            find(nowhere, 4)


def test_nothing_and_next_to_nothing() -> None:
    nothing = ParseScores(np.zeros((0, 5)), np.zeros(0), np.zeros((0, 2)))
    assert best_parse(nothing, 4).heads.shape == boundary_probabilities(nothing, 4).shape == (0,)
    assert parse_sentences(nothing.arcs, nothing.roots, np.zeros(0, np.bool_)).score == 0
    one = ParseScores(np.zeros((1, 5)), np.array([-2.0]), np.zeros((0, 2)))
    found = best_parse(one, 4)
    assert (found.heads.tolist(), found.ends.tolist(), found.score) == ([-1], [True], -2)
    assert boundary_probabilities(one, 4).shape == (0,)


def test_probabilities_of_long_input_are_those_of_its_parts() -> None:
    scores = random_scores(8, 1300, 7, "smooth")
    scores.gaps[600] = [-np.inf, 0]
    whole = boundary_probabilities(scores, 20)
    assert whole[599] == 1
    parts = [
        boundary_probabilities(scores[:600], 20),
        np.ones(1),
        boundary_probabilities(scores[600:], 20),
    ]
    np.testing.assert_allclose(whole, np.concatenate(parts), atol=1e-9)


def test_bad_scores_are_refused() -> None:
    good = random_scores(1, 3, 2, "smooth")
    with pytest.raises(CaesuraError, match="numbers or minus infinity"):
        ParseScores(good.arcs, np.array([0, np.nan, 1]), good.gaps)
    with pytest.raises(CaesuraError, match="numbers or minus infinity"):
        ParseScores(good.arcs, np.array([0, np.inf, 1]), good.gaps)
    with pytest.raises(CaesuraError, match="arc scores of shape"):
        ParseScores(good.arcs[:, 1:], good.roots, good.gaps)
    with pytest.raises(CaesuraError, match="gap scores of shape"):
        ParseScores(good.arcs, good.roots, good.gaps[:1])
    with pytest.raises(CaesuraError, match="flags"):
        parse_sentences(good.arcs, good.roots, np.array([True, True, False]))
    for find in (best_parse, boundary_probabilities):
        with pytest.raises(ValueError, match="longest"):
            find(good, 0)
    begun = IncrementalSearch(3)
    begun.push(good)
    with pytest.raises(CaesuraError, match="arcs reach 2 units, and then 1"):
        begun.push(random_scores(1, 3, 1, "smooth")[:])
    with pytest.raises(CaesuraError, match="gap in front"):
        begun.push(ParseScores(good.arcs, good.roots, good.gaps[1:]))


def test_a_sentence_can_be_too_long() -> None:
    size = chart.MOST_UNITS + 1
    with pytest.raises(CaesuraError, match="too long"):
        parse_sentences(np.zeros((size, 3)), np.zeros(size), np.arange(size) == size - 1)
