"""Cluster: worked examples, and comparison with sets of spans."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura
from caesura.core.errors import LayerError, MismatchError
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined
from caesura.metrics import cluster
from caesura.metrics.cluster import Cluster
from caesura.text.cluster_rules import cluster_starts
from caesura.text.punctuation import punctuation_flags
from metrics.spans import FOUND, REAL, broken, count_spans

Pair = list[tuple[bool, bool]]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12))
def test_equals_sets_of_spans(pair: Pair) -> None:
    ours, theirs = [a for a, _ in pair], [b for _, b in pair]
    found = cluster.count_clusters(np.array(ours, np.bool_), np.array(theirs, np.bool_))
    assert found == count_spans(ours, theirs)


def test_rates() -> None:
    found = cluster.cluster_rates(Counts(correct=1, found=2, real=4))
    assert found == {"precision": 0.5, "recall": 0.25, "f1": 1 / 3}
    assert isinstance(cluster.cluster_rates(Counts())["f1"], Undefined)


def test_by_hand() -> None:
    # [the dog] [has seen] [today] are right, [a] [cat] are not
    counts = Cluster().count(FOUND, [REAL])
    assert counts == Counts(correct_1=3, found_1=5, real_1=4)
    values = Cluster().values(counts)
    assert (values["precision"], values["recall"]) == (3 / 5, 3 / 4)
    assert values["f1"] == pytest.approx(6 / 9)
    assert Cluster().values(Cluster().count(REAL, [REAL]))["f1"] == 1


def test_the_layer_goes_before_the_tree() -> None:
    marked = FOUND.replace(cluster=np.array([1, 0, 1, 0, 1, 0, 1, 1], np.bool_))
    assert Cluster().count(marked, [REAL]) == Counts(correct_1=4, found_1=4, real_1=4)


def test_a_boundary_inside_a_cluster_breaks_it() -> None:
    ends = caesura.Segmentation.of_gaps(len(REAL), [2])
    counts = Cluster().count(REAL.replace(sentences=ends), [REAL])
    assert counts == Counts(correct_1=3, found_1=5, real_1=4)


def test_the_reference_says_what_is_punctuation() -> None:
    assert Cluster().count(REAL, [FOUND])["real_1"] == 6
    assert Cluster().count(FOUND, [REAL])["found_1"] == 5


def test_what_is_missing_is_reported() -> None:
    bare = Transcript(REAL.words, "dog")
    half = bare.replace(head=REAL.head)
    with pytest.raises(LayerError, match=r"the hypothesis \(dog\) has no clusters.*give KNP"):
        Cluster().count(half, [REAL])
    with pytest.raises(LayerError, match=r"a reference \(dog\) has no clusters.*give KNP"):
        Cluster().count(REAL, [bare])
    with pytest.raises(LayerError, match="without --align"):
        caesura.score(REAL, reference=REAL, metric="Cluster", align=True)
    with pytest.raises(MismatchError, match="8 words and a reference 7"):
        Cluster().count(REAL, [REAL[:7]])


def test_on_a_treebank(corpora: Path) -> None:
    """Compare with sets of clusters by the nucleus rule."""
    real = list(caesura.read(corpora / "ud" / "naija" / "dev.conllu"))
    found = [broken(each, seed) for seed, each in enumerate(real)]
    expected = Counts()
    for ours, theirs in zip(found, real, strict=True):
        spoken = ~punctuation_flags(theirs)
        both = [cluster_starts(each.take(spoken)) for each in (ours, theirs)]
        flags = [each.tolist() for each in both if each is not None]
        expected += count_spans(*flags)
    (total,) = caesura.score(found, reference=[real], metric="Cluster", resamples=0).totals
    assert total == Counts(**{f"{name}_1": number for name, number in expected.items()})
    assert 0.8 < expected["correct"] / expected["real"] < 0.95
    (copy,) = caesura.score(real, reference=[real], metric="Cluster", resamples=0).values
    assert (copy["precision"], copy["recall"], copy["f1"]) == (1, 1, 1)
