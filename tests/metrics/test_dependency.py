"""Dependency: worked examples, and comparison with sets of arcs."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura
from caesura.core import registry
from caesura.core.errors import LayerError, UnknownName
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined
from caesura.metrics import dependency as links
from caesura.metrics.cluster import Cluster
from caesura.metrics.dependency import Dependency
from caesura.text.cluster_rules import ROOT, UNKNOWN, ClusterTree, cluster_tree
from caesura.text.punctuation import punctuation_flags
from cli.running import Program
from metrics import oracle
from metrics.spans import FOUND, REAL, broken, count_links, tree


def test_by_hand() -> None:
    # dog → seen is right; in a → cat, cat → seen and today → cat a cluster is wrong
    counts = Dependency().count(FOUND, [REAL])
    assert counts == Counts(correct_1=1, found_1=4, real_1=3)
    values = Dependency().values(counts)
    assert (values["precision"], values["recall"]) == (1 / 4, 1 / 3)
    assert values["f1"] == pytest.approx(2 / 7)


def test_by_hand_with_roots() -> None:
    # that seen is the root is right too
    metric = Dependency(roots=True)
    assert metric.count(FOUND, [REAL]) == Counts(correct_1=2, found_1=5, real_1=4)
    assert metric.values(metric.count(FOUND, [REAL]))["f1"] == pytest.approx(4 / 9)
    assert metric.values(metric.count(REAL, [REAL]))["f1"] == 1


def test_a_link_to_another_cluster_and_one_from_a_root_are_wrong() -> None:
    real = tree("dogs/NOUN/nsubj/2 bark/VERB/root/0 today/ADV/advmod/2")
    found = tree("dogs/NOUN/nsubj/3 bark/VERB/dep/3 today/ADV/root/0")
    assert Dependency().count(found, [real]) == Counts(correct_1=0, found_1=2, real_1=2)
    assert Dependency(roots=True).count(found, [real]) == Counts(correct_1=0, found_1=3, real_1=3)


def test_what_the_reference_does_not_know_is_left_out() -> None:
    real = tree("dogs/NOUN/nsubj/3 the/DET/dep/_ bark/VERB/root/0 today/ADV/advmod/3")
    found = tree("dogs/NOUN/nsubj/3 the/DET/dep/1 bark/VERB/root/0 today/ADV/advmod/1")
    counts = Dependency().count(found, [real])
    assert counts == Counts(correct_1=1, found_1=2, real_1=2, unknown_1=1)
    assert Dependency().remarks(counts) == [
        "clusters left out because a reference does not know their arc: 1"
    ]
    assert Dependency().remarks(Dependency().count(real, [found])) == []
    assert Dependency().count(real, [found]) == Counts(correct_1=1, found_1=2, real_1=3)


def test_no_link_is_undefined() -> None:
    alone = tree("bark/VERB/root/0")
    values = Dependency().values(Dependency().count(alone, [alone]))
    assert values["precision"] == Undefined("no arc in the hypothesis")
    assert values["recall"] == Undefined("no arc in the reference")
    rooted = Dependency(roots=True)
    assert rooted.values(rooted.count(alone, [alone]))["f1"] == 1


def test_what_is_missing_is_reported() -> None:
    bare = Transcript(REAL.words, "dog")
    marked = bare.replace(cluster=np.ones(len(REAL), np.bool_))
    with pytest.raises(LayerError, match=r"a reference \(dog\) has no clusters"):
        Dependency().count(REAL, [bare])
    with pytest.raises(LayerError, match=r"the hypothesis \(dog\) has clusters, but no heads"):
        Dependency().count(marked, [REAL])
    with pytest.raises(UnknownName, match="roots is True or False, not 1"):
        registry.parse("metric", "Dependency(roots=1)")


def test_clusters_and_links_are_counted_at_their_first_words() -> None:
    """So each block of sentences has its own counts, with or without punctuation."""
    text = tree("</PUNCT/punct/3 the/DET/det/3 dog/NOUN/nsubj/5 </PUNCT/punct/5 barks/VERB/root/0")
    for metric, places in ((Cluster(), [1, 4]), (Dependency(), [1]), (Dependency(True), [1, 4])):
        columns = dict(metric.per_gap_counts(text, [text]))
        for name in ("correct_1", "found_1", "real_1"):
            assert np.flatnonzero(columns[name]).tolist() == places


@st.composite
def structures(draw: st.DrawFn, words: int) -> ClusterTree:
    """Draw clusters, each with a head word and an arc to another cluster, or none."""
    cuts = draw(st.sets(st.integers(1, max(words - 1, 1)), max_size=6))
    first = [at for at in sorted({0, *cuts}) if at < words]
    stops = [*first[1:], words]
    head = [draw(st.integers(at, stop - 1)) for at, stop in zip(first, stops, strict=False)]
    others = (
        [ROOT, UNKNOWN, *(to for to in range(len(head)) if to != at)] for at, _ in enumerate(head)
    )
    link = [draw(st.sampled_from(each)) for each in others]
    return ClusterTree(*(np.array(column, np.int64) for column in (first, head, link)))


@given(st.integers(0, 9).flatmap(lambda n: st.tuples(st.just(n), structures(n), structures(n))))
def test_equals_sets_of_links(drawn: tuple[int, ClusterTree, ClusterTree]) -> None:
    words, found, real = drawn
    for roots in (False, True):
        counts = links.count_arcs(found, real, words, roots)
        assert counts == count_links(found, real, words, roots)
        assert links.count_arcs(real, real, words, roots) == count_links(real, real, words, roots)
        precision = oracle.over(int(counts["correct"]), int(counts["found"]))
        recall = oracle.over(int(counts["correct"]), int(counts["real"]))
        exact = {"precision": precision, "recall": recall, "f1": oracle.f1(precision, recall)}
        oracle.same(links.arc_rates(counts), exact)


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), structures(n), structures(n))))
def test_exchanging_the_sides_exchanges_precision_and_recall(
    drawn: tuple[int, ClusterTree, ClusterTree],
) -> None:
    """This holds if all arcs are known."""
    words, *sides = drawn
    found, real = (each._replace(link=np.maximum(each.link, ROOT)) for each in sides)
    for roots in (False, True):
        there = links.count_arcs(found, real, words, roots)
        back = links.count_arcs(real, found, words, roots)
        assert [there[name] for name in ("correct", "found", "real")] == [
            back[name] for name in ("correct", "real", "found")
        ]


@pytest.mark.parametrize("roots", [False, True])
def test_on_a_treebank(corpora: Path, roots: bool) -> None:
    """Compare with sets of arcs between clusters."""
    metric = Dependency(roots)
    real = list(caesura.read(corpora / "ud" / "naija" / "dev.conllu"))
    found = [broken(each, seed) for seed, each in enumerate(real)]
    expected = Counts()
    for ours, theirs in zip(found, real, strict=True):
        spoken = ~punctuation_flags(theirs)
        both = cluster_tree(ours.take(spoken)), cluster_tree(theirs.take(spoken))
        expected += count_links(*both, int(spoken.sum()), roots)
    (total,) = caesura.score(found, reference=[real], metric=metric, resamples=0).totals
    assert total == Counts(**{f"{name}_1": number for name, number in expected.items()})
    assert 0.6 < expected["correct"] / expected["real"] < 0.9
    (copy,) = caesura.score(real, reference=[real], metric=metric, resamples=0).values
    assert (copy["precision"], copy["recall"], copy["f1"]) == (1, 1, 1)


@pytest.fixture
def program(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    return Program(capfd, monkeypatch)


def test_at_the_command_line(program: Program, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("found.conllu", "real.conllu")]
    for file, text in zip(files, (FOUND, REAL), strict=True):
        caesura.write([text.replace(id=f"{text.id}{i}") for i in range(9)], output=file)
    asked = ("-m", "Cluster", "-m", "Dependency", "--json", "-r", files[1])
    done = program("score", files[0], *asked)
    assert done.code == 0, done.err
    told = json.loads(done.out)["scores"]
    assert [each["values"]["f1"] for each in told] == pytest.approx([6 / 9, 2 / 7])
    assert [each["intervals"]["f1"] for each in told] == [
        pytest.approx([each["values"]["f1"]] * 2) for each in told
    ]
    done = program("compare", *files, *asked)
    assert done.code == 0, done.err
    (cluster, dependency) = json.loads(done.out)["differences"]
    assert cluster["difference"] == pytest.approx(6 / 9 - 1)
    assert dependency["difference"] == pytest.approx(2 / 7 - 1)
