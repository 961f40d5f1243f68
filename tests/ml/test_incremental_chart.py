"""A chart that is filled unit by unit equals one that is filled width by width, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.ml.parsing import chart as chart_module
from caesura.ml.parsing.chart import (
    Chart,
    IncrementalChart,
    ParseScores,
    join_best,
    sentence_scores,
    trace_heads,
)
from ml.parses import KINDS, random_scores


def forgetful(
    scores: ParseScores, longest: int, pieces: list[int], patch: pytest.MonkeyPatch
) -> None:
    """Add units in pieces, letting go of some after each; compare what is left with a chart."""
    patch.setattr(chart_module, "INITIAL_ROWS", 2)
    chart, first, at = IncrementalChart(longest, scores.reach), 0, 0
    for piece in pieces:
        found = chart.add(scores[at : at + piece])
        at = min(at + piece, len(scores))
        tables = [np.zeros((0, longest)), *sentence_scores(scores[first:at], 0, longest, join_best)]
        expected = np.concatenate(tables)[at - first - len(found) :]
        for unit, row, other in zip(range(at - len(found), at), found, expected, strict=True):
            kept = slice(max(longest - 1 - unit + first, 0), None)
            assert row[kept].tolist() == other[kept].tolist()
        gone = (at - first) // 2
        chart.forget(gone)
        first += gone
        assert len(chart) == at - first


@given(
    seed=st.integers(0, 10**6),
    pieces=st.lists(st.integers(0, 9), max_size=12),
    reach=st.integers(0, 7),
    longest=st.integers(1, 12),
    kind=st.sampled_from(KINDS),
)
@settings(deadline=None, max_examples=100)
def test_sentences_are_those_of_a_chart(
    seed: int, pieces: list[int], reach: int, longest: int, kind: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        forgetful(random_scores(seed, sum(pieces), reach, kind), longest, pieces, patch)


@given(
    seed=st.integers(0, 10**6),
    lengths=st.lists(st.integers(1, 25), min_size=1, max_size=5),
    reach=st.integers(1, 30),
    kind=st.sampled_from(["smooth", "ties", "rightward", "harsh"]),
)
@settings(deadline=None, max_examples=100)
def test_heads_are_those_of_a_chart(seed: int, lengths: list[int], reach: int, kind: str) -> None:
    stops = np.cumsum(lengths)
    scores = random_scores(seed, int(stops[-1]) + 3, reach, kind)
    longest = max(lengths)
    chart = IncrementalChart(longest, reach)
    chart.add(scores)
    last = stops - 1
    first = np.append(0, stops[:-1])
    expected = trace_heads(Chart(scores, longest, join_best), first, last)
    assert chart.trace_heads(last.tolist()) == expected[: stops[-1]].tolist()
