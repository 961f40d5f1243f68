"""Dependency trees of sentences that are given, or that a chunker finds."""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core.arrays import Floats
from caesura.core.segmentation import Segmentation
from caesura.detectors.syntax.chunking import Chunker
from caesura.detectors.syntax.crf_svm import CRF, SVM
from caesura.detectors.syntax.dependency_parser import DependencyParser
from caesura.metrics.cluster import Cluster
from caesura.metrics.dependency import Dependency
from caesura.ml.parsing.arcs import END, CandidateWindow
from caesura.text import cluster_rules
from detectors.trees import (
    check_links,
    detector_input,
    features_of,
    gibberish,
    scrambled,
    talk,
    words_of,
)
from ml.parses import trees
from ml.units import random_model

pytest.importorskip("pycrfsuite")
pytest.importorskip("sklearn")

TRAINING = [talk(seed, 20) for seed in range(5)]
CHUNKERS: dict[str, Chunker[Any]] = {"CRF": CRF(c2=0.1, iterations=60), "SVM": SVM(cost=1.0)}


@cache
def trained(name: str) -> DependencyParser:
    return DependencyParser.train(CHUNKERS[name].train(TRAINING), TRAINING, bits=12, ridge=0.1)


@pytest.mark.parametrize("mark", ["", "."])
@pytest.mark.parametrize("name", CHUNKERS)
def test_heads_are_found_in_sentences_that_the_chunker_finds(name: str, mark: str) -> None:
    normal = trained(name)
    for seed in range(50, 53):
        real = talk(seed, mark=mark)
        found = normal.annotate(detector_input(real))
        assert found.sentences == normal.chunker.detect(detector_input(real))
        assert real.sentences is not None
        assert found.sentences.boundary.tolist() == real.sentences.boundary.tolist()
        for metric in (Cluster(), Dependency(roots=True)):
            assert metric.values(metric.count(found, [real]))["f1"] == 1.0


@pytest.mark.parametrize("name", CHUNKERS)
def test_sentences_that_are_given_stay(name: str) -> None:
    real = talk(49)
    assert real.sentences is not None
    moved = Segmentation(np.roll(real.sentences.boundary, 3))
    found = trained(name).annotate(detector_input(real).replace(sentences=moved))
    assert found.sentences == moved
    assert moved != real.sentences
    check_links(found)


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(0, 40), st.booleans())
def test_each_sentence_is_a_tree_of_its_own(seed: int, count: int, told: bool) -> None:
    words = gibberish(seed, count)
    normal = DependencyParser(scrambled(seed).crf, random_model(seed, 10), reach=seed % 4 + 1)
    if told:
        alone = np.flatnonzero(words_of(words))[1:] - 1
        chosen = np.random.default_rng(seed).random(len(alone)) < 0.3
        words = words.replace(sentences=Segmentation.of_gaps(count, alone[chosen].tolist()))
    found = normal.annotate(words)
    assert found.sentences == (words.sentences or normal.chunker.detect(words))
    assert found.relation is None
    check_links(found)


def test_a_sentence_longer_than_arcs_reach_is_one_tree() -> None:
    normal = trained("CRF")
    real = detector_input(talk(48, 10))
    whole = Segmentation(np.zeros(len(real), np.bool_))
    short = DependencyParser(normal.chunker, random_model(3), reach=1)
    found = short.annotate(real.replace(sentences=whole))
    links = cluster_rules.cluster_tree(found).link
    assert (links == cluster_rules.ROOT).sum() == 1
    linked = np.flatnonzero(links >= 0)
    assert (abs(links[linked] - linked) == 1).all()


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_no_heads_are_better_than_those_found(seed: int, reach: int) -> None:
    crf = scrambled(seed % 5).crf
    words = gibberish(seed, 9, marks=False)
    words = words.replace(sentences=Segmentation.of_gaps(9, [seed % 4, 4]))
    normal = DependencyParser(crf, random_model(seed), reach)
    units = cluster_rules.cluster_tree(normal.annotate(words))
    assert words.sentences is not None
    begun = crf.starts(words)
    begun[1:] |= words.sentences.boundary[:-1]
    assert units.first.tolist() == np.flatnonzero(begun).tolist()
    last = np.append(units.first[1:], len(words)) - 1
    ends = words.sentences.boundary[last]
    looks = features_of(words, units.first.tolist(), crf.model.subtags)
    logs = normal.arc_model.log_probabilities(looks, CandidateWindow(reach, reach), ends=ends)
    for first, stop in pairwise([0, *(np.flatnonzero(ends) + 1).tolist()]):
        sums = {tree: said(logs, reach, first, tree) for tree in trees(stop - first)}
        found = tuple(link - first if link >= 0 else -1 for link in units.link[first:stop].tolist())
        assert sums[found] == pytest.approx(max(sums.values()), abs=1e-9)


def said(logs: Floats, reach: int, first: int, tree: tuple[int, ...]) -> float:
    """Return the sum of the scores of the arcs of a sentence."""
    total = 0.0
    for unit, head in enumerate(tree):
        if head >= 0 and abs(head - unit) > reach:
            return -np.inf
        total += logs[first + unit, END if head < 0 else reach + head - unit]
    return total
