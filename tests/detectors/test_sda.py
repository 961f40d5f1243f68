"""Sequential dependency analysis: against all structures weighed one by one, and on any talk."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import registry, storage
from caesura.cards import Card
from caesura.columns import Flags, Floats, Indices
from caesura.detectors.chunking import CLUSTER, INSIDE, SENTENCE
from caesura.detectors.crf import CRF
from caesura.detectors.sda import SDA
from caesura.detectors.svm import SVM
from caesura.errors import CaesuraError, LayerError, ModelError
from caesura.metrics.clusters import Cluster
from caesura.metrics.links import Dependency
from caesura.numeric.sights import END, UNSEEN
from caesura.taggers.tagger import Tagger
from caesura.text import clusters
from caesura.transcript import Segmentation, Transcript
from detectors.trees import (
    SMALL,
    check_links,
    gibberish,
    heard,
    looks_of,
    scrambled,
    talk,
    trained,
    words_of,
)
from numeric.structures import segmentations, trees

pytest.importorskip("pycrfsuite")
pytest.importorskip("scipy")


def ends_of(given: Transcript) -> list[bool]:
    assert given.sentences is not None
    found: list[bool] = given.sentences.boundary.tolist()
    return found


@pytest.mark.parametrize("timed", [False, True], ids=["words", "times"])
@pytest.mark.parametrize("decision", ["best", "posterior"])
def test_boundaries_clusters_and_links_are_found(timed: bool, decision: str) -> None:
    sda = trained(timed).adjusted(decision=decision)
    for seed in range(90, 93):
        unseen = talk(seed, timed=timed)
        found = sda.annotate(heard(unseen))
        assert ends_of(found) == ends_of(unseen)
        assert ends_of(heard(unseen).replace(sentences=sda.detect(heard(unseen)))) == ends_of(found)
        for ours, theirs in zip(clusters.units(found), clusters.units(unseen), strict=True):
            assert ours.tolist() == theirs.tolist()


@settings(max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(0, 40),
    longest=st.integers(1, 15),
    decision=st.sampled_from(["best", "posterior"]),
)
def test_each_sentence_is_a_tree_of_its_own(
    seed: int, count: int, longest: int, decision: str
) -> None:
    reach = min(longest, 4)
    bias = seed % 3 * -20.0
    sda = scrambled(
        seed, bias=bias, longest=longest, reach=reach, ahead=reach // 2, decision=decision
    )
    given_ = gibberish(seed, count)
    found = sda.annotate(given_)
    assert found.words == given_.words
    assert found.relation is None
    check_links(found)


class Weighed(NamedTuple):
    """The clusters of a recording without punctuation, and what is said of each."""

    first: Indices
    labels: Floats
    heads: Floats


def weigh(sda: SDA, spoken: Transcript) -> Weighed:
    """Ask the CRF for labels and the links' model for heads."""
    labels = sda.crf.model.scorer.posterior(*sda.crf.states([spoken]))
    first = np.flatnonzero((labels[:, INSIDE] <= 0.5) | (np.arange(len(labels)) == 0))
    looks = looks_of(spoken, first.tolist(), sda.crf.model.subtags)
    return Weighed(first, labels[first], sda.model.chances(looks, sda.sight))


def score(sda: SDA, said: Weighed, links: list[int], ends: list[int]) -> float:
    """Weigh one structure as equation 5 does: ends are the last units of sentences but the last."""
    total = sda.bias * len(ends)
    for unit, link in enumerate(links):
        row = said.heads[unit]
        if link < 0:
            total += row[END]
        elif abs(link - unit) > sda.reach:
            return -np.inf
        else:
            seen = link - unit <= sda.ahead
            total += row[sda.reach + link - unit] if seen else row[UNSEEN]
    for unit in range(1, len(links)):
        label = SENTENCE if unit - 1 in ends else CLUSTER
        total += sda.alpha * np.log(said.labels[unit, label])
    return float(total)


def structures(sda: SDA, said: Weighed) -> Iterator[tuple[float, list[int]]]:
    """All sets of boundaries, and all structures of the sentences between them."""
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
    units = clusters.units(found)
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
    """Compare log-odds with the shares of structures that have a boundary."""
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
        unseen = heard(talk(seed, 4))
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
    unseen = heard(talk(79))
    sda = trained().adjusted(bias=bias)
    between = weigh(sda, unseen).first[1:] - 1
    found = sda.detect(unseen).boundary
    if bias > 0:
        assert found[between].all()
    else:
        count = len(between) + 1
        assert found.sum() == -(-count // sda.longest)


def without_marks(found: Segmentation, kept: Flags) -> Segmentation:
    return found.take(np.flatnonzero(kept))


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(0, 30))
def test_punctuation_begins_and_ends_nothing_of_its_own(seed: int, count: int) -> None:
    marked = gibberish(seed, count)
    if marked.start is not None:
        marked = marked.only(["tag", "speaker"])
    sda = scrambled(seed)
    kept = words_of(marked)
    plain = marked.take(kept)
    found, alone = sda.annotate(marked), sda.annotate(plain)
    ends = ends_of(found)
    for at in range(count - 1):
        if ends[at]:
            assert kept[at + 1]
            assert kept[: at + 1].any()
    assert found.cluster is not None
    assert found.head is not None
    assert not found.cluster[~kept].any()
    assert (found.head[~kept] == -1).all()
    if kept.any():
        assert found.take(kept).head is not None
        assert found.take(kept).replace(sentences=None) == alone.replace(sentences=None)
        assert found.take(kept).sentences == alone.sentences


DETECTORS = [CRF(c2=0.1, iterations=60), SVM(cost=1.0), SMALL]


@cache
def taught(detector: CRF | SVM | SDA, mark: str) -> CRF | SVM | SDA:
    return detector.train([talk(seed, 10, mark=mark) for seed in range(4)])


@pytest.mark.parametrize("detector", DETECTORS, ids=["CRF", "SVM", "SDA"])
@pytest.mark.parametrize("mark", [".", "//", "stop"])
def test_punctuation_in_a_treebank_gives_nothing_away(detector: CRF | SVM | SDA, mark: str) -> None:
    """Whatever is tagged PUNCT, or looks like it, might as well not be there."""
    pytest.importorskip("sklearn")
    alone, other = taught(detector, ""), taught(detector, mark)
    for name, array in alone.learnt().items():
        assert np.array_equal(array, other.learnt()[name]), name
    unseen, written = talk(77), talk(77, mark=mark)
    kept = np.array([word != mark for word in written.words])
    assert written.take(kept).words == unseen.words
    found = other.detect(heard(written))
    assert without_marks(found, kept).boundary.tolist() == ends_of(
        unseen.replace(sentences=alone.detect(heard(unseen)))
    )
    gaps = np.append(np.flatnonzero(kept)[1:] - 1, len(kept) - 1)
    assert found.log_odds is not None
    assert found.log_odds[gaps].tolist() == alone.log_odds(heard(unseen)).tolist()
    assert not found.boundary[np.setdiff1d(np.arange(len(kept)), gaps)].any()


@pytest.mark.parametrize("mark", ["", "."])
def test_layers_are_what_metrics_take(mark: str) -> None:
    real = talk(76, mark=mark)
    sda = trained()
    found = sda.annotate(heard(real))
    for metric in (Cluster(), Dependency(), Dependency(roots=True)):
        assert metric.values(metric.count(found, [real]))["f1"] == 1.0
    again = clusters.units(found.take(words_of(found)))
    (analysis,) = sda.analyses([heard(real)])
    assert found.sentences is not None
    assert again.first.tolist() == analysis.first.tolist()
    assert again.head.tolist() == analysis.content.tolist()
    assert again.link.tolist() == analysis.links(sda, found.sentences).tolist()


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(1, 30))
def test_links_are_read_back_as_they_were_found(seed: int, count: int) -> None:
    given_ = gibberish(seed, count)
    sda = scrambled(seed)
    found = sda.annotate(given_)
    (analysis,) = sda.analyses([given_])
    again = clusters.units(found.take(words_of(found)))
    assert found.sentences is not None
    assert again.first.tolist() == analysis.first.tolist()
    assert again.link.tolist() == analysis.links(sda, found.sentences).tolist()


def test_layers_that_were_there_are_replaced() -> None:
    real = talk(75)
    assert trained().annotate(real) == trained().annotate(heard(real))


def test_without_trees_there_is_nothing_to_learn_from() -> None:
    bare = [talk(seed).only(["tag", "sentences"]) for seed in range(3)]
    with pytest.raises(LayerError, match="none of 4 recordings has trees") as caught:
        SMALL.train(bare, text=[talk(9).replace(sentences=None)])
    assert "treebank" in str(caught.value)


def test_trees_may_be_in_text_alone() -> None:
    speech = [talk(seed, 20).only(["tag", "sentences"]) for seed in range(4)]
    made = SMALL.train(speech, text=[talk(seed, 20) for seed in range(4, 8)])
    unseen = talk(74)
    found = made.annotate(heard(unseen))
    assert ends_of(found) == ends_of(unseen)
    assert clusters.units(found).link.tolist() == clusters.units(unseen).link.tolist()


def test_recordings_of_which_more_or_less_is_known_teach_together() -> None:
    lessons = [talk(seed, 20) for seed in range(4)]
    subtags = tuple(f"{tag}-x" for tag in lessons[0].tag or ())
    mixed = [lessons[0].replace(subtag=subtags), talk(9, timed=True), *lessons[1:]]
    nothing = talk(0, 1, mark=".")[-1:]
    made = SMALL.train([*mixed, nothing, talk(0, 0)], text=[lessons[3].replace(tag=None)])
    unseen = talk(73)
    assert ends_of(made.annotate(heard(unseen))) == ends_of(unseen)


TAGGER = Tagger(size=60, cutoff=1)


def test_a_tagger_in_the_crf_tags_what_has_no_tags(tmp_path: Path) -> None:
    sda = SDA(crf=CRF(c2=0.1, iterations=60, tagger=TAGGER), bits=12, ridge=0.1)
    made = sda.train([talk(seed, 20) for seed in range(6)])
    unseen = talk(72)
    bare = unseen.only([])
    found = made.annotate(bare)
    assert ends_of(found) == ends_of(unseen)
    assert clusters.units(found).link.tolist() == clusters.units(unseen).link.tolist()
    assert made.crf.tagger is not None
    assert made.detect(bare) == made.detect(made.crf.tagger.tag(bare))
    pupil = storage.load(storage.save(tmp_path / "model", made, Card())).detector
    assert isinstance(pupil, SDA)
    assert pupil == made
    for seed in range(5):
        given_ = gibberish(seed, 30).replace(tag=None)
        assert pupil.annotate(given_) == made.annotate(given_)


@pytest.mark.parametrize(
    "setting",
    [
        "crf=SVM()",
        "alpha=-0.1",
        "alpha=1001",
        "bias='x'",
        "longest=0",
        "reach=0",
        "reach=41",
        "ahead=-1",
        "ahead=11",
        "decision='viterbi'",
        "ridge=0",
        "bits=7",
        "bits=23",
        "pause=-1",
        "stretch=0",
        "patience=-1",
        "patience=True",
    ],
)
def test_settings_are_checked(setting: str) -> None:
    name = setting.split("=")[0]
    with pytest.raises(CaesuraError, match=f"{name} is "):
        registry.parse("detector", f"SDA({setting})")


def test_a_value_error_names_the_setting() -> None:
    with pytest.raises(ValueError, match="reach is a whole number from 1 to 5, not 6"):
        SDA(longest=5, reach=6)
    with pytest.raises(ValueError, match="crf is a CRF"):
        SDA(crf=SVM())  # type: ignore[arg-type]


def test_damaged_models_are_refused() -> None:
    learnt = trained().learnt()
    assert SMALL.knowing(learnt).detect(heard(talk(1))) == trained().detect(heard(talk(1)))
    for name in learnt:
        with pytest.raises(ModelError, match="damaged"):
            SMALL.knowing({key: array for key, array in learnt.items() if key != name})
    with pytest.raises(ModelError, match="damaged"):
        SMALL.knowing({**learnt, "more": np.zeros(1)})
    with pytest.raises(ModelError, match="has to be trained"):
        SMALL.detect(talk(1))


def test_coverage_is_that_of_the_crf() -> None:
    sda = trained()
    assert sda.coverage(Transcript(("the", "cat", "xyzzy", "."))) == pytest.approx(2 / 3)
    assert sda.lacks(Transcript(("xyzzy", "plugh"))) == "no word that the model knows"
