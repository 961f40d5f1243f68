"""Sequential dependency analysis against brute force over all parses."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import log
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.arrays import Floats, Indices
from caesura.core.transcript import Transcript
from caesura.detectors.syntax.chunking import CLUSTER, INSIDE, SENTENCE
from caesura.detectors.syntax.sda import SDA
from caesura.ml.parsing.arcs import END, UNSEEN
from caesura.text import cluster_rules
from detectors.trees import (
    detector_input,
    ends_of,
    features_of,
    gibberish,
    scrambled,
    talk,
    trained,
)
from ml.parses import segmentations, trees

pytest.importorskip("pycrfsuite")
pytest.importorskip("scipy")


class Weighed(NamedTuple):
    """The clusters of a recording without punctuation, with labels and heads."""

    first: Indices
    labels: Floats
    heads: Floats


def weigh(sda: SDA, spoken: Transcript) -> Weighed:
    """Return the labels of the CRF and the heads of the arc model."""
    labels = sda.crf.model.scorer.posterior(*sda.crf.states([spoken]))
    first = np.flatnonzero((labels[:, INSIDE] <= 0.5) | (np.arange(len(labels)) == 0))
    looks = features_of(spoken, first.tolist(), sda.crf.model.subtags)
    return Weighed(first, labels[first], sda.model.log_probabilities(looks, sda.candidate_window))


def score(sda: SDA, said: Weighed, links: list[int], ends: list[int]) -> float:
    """Score one parse by equation 5; `ends` are the last units of all sentences but the last."""
    total = sda.bias * len(ends)
    for unit, link in enumerate(links):
        row = said.heads[unit]
        if link < 0:
            total += row[END]
        elif abs(link - unit) > sda.reach:
            return -np.inf
        else:
            seen = link - unit <= sda.ahead
            total += (
                row[sda.reach + link - unit] if seen else row[UNSEEN] - log(sda.reach - sda.ahead)
            )
    for unit in range(1, len(links)):
        label = SENTENCE if unit - 1 in ends else CLUSTER
        total += sda.alpha * np.log(said.labels[unit, label])
    return float(total)


def structures(sda: SDA, said: Weighed) -> Iterator[tuple[float, list[int]]]:
    """Yield all sets of boundaries, and all trees of the sentences between them."""
    for edges in segmentations(len(said.first), sda.longest):
        found: list[list[int]] = [[]]
        for first, stop in pairwise(edges):
            here = [[h + first if h >= 0 else h for h in tree] for tree in trees(stop - first)]
            found = [before + tree for before in found for tree in here]
        ends = [edge - 1 for edge in edges[1:-1]]
        for links in found:
            yield score(sda, said, links, ends), ends


def short(seed: int, sda: SDA) -> tuple[Transcript, Weighed]:
    """A recording of at most 5 clusters."""
    for count in range(6, 0, -1):
        spoken = gibberish(seed, count, marks=False)
        said = weigh(sda, spoken)
        if len(said.first) <= 5:
            return spoken, said
    raise AssertionError


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    alpha=st.sampled_from([0.0, 0.5, 1.2, 4.0]),
    bias=st.sampled_from([-2.0, 0.0, 1.5]),
    reach=st.integers(1, 4),
    ahead=st.integers(0, 4),
    longest=st.integers(1, 5),
)
def test_nothing_is_better_than_what_is_found(
    seed: int, alpha: float, bias: float, reach: int, ahead: int, longest: int
) -> None:
    reach = min(reach, longest)
    sda = scrambled(
        seed, alpha=alpha, bias=bias, reach=reach, ahead=min(ahead, reach), longest=longest
    )
    spoken, said = short(seed, sda)
    everything = list(structures(sda, said))
    found = sda.annotate(spoken)
    units = cluster_rules.cluster_tree(found)
    assert units.first.tolist() == said.first.tolist()
    last = np.append(units.first[1:], len(spoken)) - 1
    ends = [unit for unit, word in enumerate(last[:-1]) if ends_of(found)[word]]
    assert sum(ends_of(found)) == len(ends) + 1
    ours = score(sda, said, units.link.tolist(), ends)
    assert ours == pytest.approx(max(each for each, _ in everything), abs=1e-9)
    check_posterior(sda, spoken, said, everything)


def check_posterior(
    sda: SDA, spoken: Transcript, said: Weighed, everything: list[tuple[float, list[int]]]
) -> None:
    """Compare log-odds with the share of parses that have a boundary."""
    top = max(each for each, _ in everything)
    shares = np.array([np.exp(each - top) for each, _ in everything])
    flags = [np.isin(np.arange(len(said.first) - 1), ends) for _, ends in everything]
    yes = shares @ np.array(flags)
    no = shares @ ~np.array(flags)
    for decision in ("best", "posterior"):
        found = sda.adjusted(decision=decision).detect(spoken)
        assert found.log_odds is not None
        odds = found.log_odds[said.first[1:] - 1]
        with np.errstate(divide="ignore"):
            assert np.clip(odds, -12, 12) == pytest.approx(
                np.clip(np.log(yes) - np.log(no), -12, 12), abs=1e-6
            )
    sure = abs(yes - no) > 1e-9 * (yes + no)
    assert found.boundary[said.first[1:] - 1][sure].tolist() == (yes > no)[sure].tolist()


def test_without_alpha_labels_do_not_count() -> None:
    """Two CRFs that begin clusters at the same words, and differ in where sentences begin."""
    sda = trained()
    chain = sda.crf.model.scorer
    moved = chain.transitions.copy()
    moved[:, SENTENCE] += 3.0
    moved[:, CLUSTER] -= 3.0
    other = sda.crf.with_model(replace(sda.crf.model, scorer=replace(chain, transitions=moved)))
    odd = 0
    for seed in range(80, 90):
        unseen = detector_input(talk(seed, 4))
        pair = [sda.adjusted(alpha=0.0, crf=crf) for crf in (sda.crf, other)]
        starts = [weigh(each, unseen).first.tolist() for each in pair]
        labels = [weigh(each, unseen).labels for each in pair]
        if starts[0] != starts[1]:
            continue
        odd += not np.allclose(labels[0], labels[1], atol=0.1)
        assert pair[0].detect(unseen) == pair[1].detect(unseen)
        weighing = [each.adjusted(alpha=1.0).log_odds(unseen) for each in pair]
        assert weighing[0].tolist() != weighing[1].tolist()
    assert odd > 3


@pytest.mark.parametrize("bias", [-1e6, 1e6])
def test_the_bias_is_added_for_each_boundary(bias: float) -> None:
    unseen = detector_input(talk(79))
    sda = trained().adjusted(bias=bias)
    between = weigh(sda, unseen).first[1:] - 1
    found = sda.detect(unseen).boundary
    if bias > 0:
        assert found[between].all()
    else:
        count = len(between) + 1
        assert found.sum() == -(-count // sda.longest)
