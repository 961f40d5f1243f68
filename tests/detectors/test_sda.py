"""Sequential dependency analysis: on talks with trees and on any words, trained and stored."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.arrays import Flags
from caesura.core.errors import CaesuraError, LayerError, ModelError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.syntax.crf_svm import CRF, SVM
from caesura.detectors.syntax.sda import SDA
from caesura.detectors.tagging.pos_tagger import Tagger
from caesura.metrics.cluster import Cluster
from caesura.metrics.dependency import Dependency
from caesura.models import store
from caesura.models.store import Card
from caesura.text import cluster_rules
from detectors.trees import (
    SMALL,
    check_links,
    detector_input,
    ends_of,
    gibberish,
    scrambled,
    talk,
    trained,
    words_of,
)

pytest.importorskip("pycrfsuite")
pytest.importorskip("scipy")


@pytest.mark.parametrize("timed", [False, True], ids=["words", "times"])
@pytest.mark.parametrize("decision", ["best", "posterior"])
def test_boundaries_clusters_and_heads_are_found(timed: bool, decision: str) -> None:
    sda = trained(timed).adjusted(decision=decision)
    for seed in range(90, 93):
        unseen = talk(seed, timed=timed)
        found = sda.annotate(detector_input(unseen))
        assert ends_of(found) == ends_of(unseen)
        assert ends_of(
            detector_input(unseen).replace(sentences=sda.detect(detector_input(unseen)))
        ) == ends_of(found)
        for ours, theirs in zip(
            cluster_rules.cluster_tree(found), cluster_rules.cluster_tree(unseen), strict=True
        ):
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
def test_punctuation_in_a_treebank_is_no_evidence(detector: CRF | SVM | SDA, mark: str) -> None:
    """A token that is tagged PUNCT, or looks like punctuation, changes nothing."""
    pytest.importorskip("sklearn")
    alone, other = taught(detector, ""), taught(detector, mark)
    for name, array in alone.state().items():
        assert np.array_equal(array, other.state()[name]), name
    unseen, written = talk(77), talk(77, mark=mark)
    kept = np.array([word != mark for word in written.words])
    assert written.take(kept).words == unseen.words
    found = other.detect(detector_input(written))
    assert without_marks(found, kept).boundary.tolist() == ends_of(
        unseen.replace(sentences=alone.detect(detector_input(unseen)))
    )
    gaps = np.append(np.flatnonzero(kept)[1:] - 1, len(kept) - 1)
    assert found.log_odds is not None
    assert found.log_odds[gaps].tolist() == alone.log_odds(detector_input(unseen)).tolist()
    assert not found.boundary[np.setdiff1d(np.arange(len(kept)), gaps)].any()


@pytest.mark.parametrize("mark", ["", "."])
def test_layers_are_what_metrics_take(mark: str) -> None:
    real = talk(76, mark=mark)
    sda = trained()
    found = sda.annotate(detector_input(real))
    for metric in (Cluster(), Dependency(), Dependency(roots=True)):
        assert metric.values(metric.count(found, [real]))["f1"] == 1.0
    again = cluster_rules.cluster_tree(found.take(words_of(found)))
    (analysis,) = sda.analyses([detector_input(real)])
    assert found.sentences is not None
    assert again.first.tolist() == analysis.first.tolist()
    assert again.head.tolist() == analysis.content.tolist()
    assert again.link.tolist() == analysis.heads(found.sentences).tolist()


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(1, 30))
def test_heads_are_read_back_as_they_were_found(seed: int, count: int) -> None:
    given_ = gibberish(seed, count)
    sda = scrambled(seed)
    found = sda.annotate(given_)
    (analysis,) = sda.analyses([given_])
    again = cluster_rules.cluster_tree(found.take(words_of(found)))
    assert found.sentences is not None
    assert again.first.tolist() == analysis.first.tolist()
    assert again.link.tolist() == analysis.heads(found.sentences).tolist()


def test_layers_that_were_there_are_replaced() -> None:
    real = talk(75)
    assert trained().annotate(real) == trained().annotate(detector_input(real))


def test_training_needs_trees() -> None:
    bare = [talk(seed).only(["tag", "sentences"]) for seed in range(3)]
    with pytest.raises(LayerError, match="none of 4 recordings has trees") as caught:
        SMALL.train(bare, text=[talk(9).replace(sentences=None)])
    assert "treebank" in str(caught.value)


def test_trees_may_be_in_text_alone() -> None:
    speech = [talk(seed, 20).only(["tag", "sentences"]) for seed in range(4)]
    made = SMALL.train(speech, text=[talk(seed, 20) for seed in range(4, 8)])
    unseen = talk(74)
    found = made.annotate(detector_input(unseen))
    assert ends_of(found) == ends_of(unseen)
    assert (
        cluster_rules.cluster_tree(found).link.tolist()
        == cluster_rules.cluster_tree(unseen).link.tolist()
    )


def test_recordings_with_different_layers_train_together() -> None:
    training = [talk(seed, 20) for seed in range(4)]
    subtags = tuple(f"{tag}-x" for tag in training[0].tag or ())
    mixed = [training[0].replace(subtag=subtags), talk(9, timed=True), *training[1:]]
    nothing = talk(0, 1, mark=".")[-1:]
    made = SMALL.train([*mixed, nothing, talk(0, 0)], text=[training[3].replace(tag=None)])
    unseen = talk(73)
    assert ends_of(made.annotate(detector_input(unseen))) == ends_of(unseen)


TAGGER = Tagger(size=60, cutoff=1)


def test_a_tagger_in_the_crf_tags_what_has_no_tags(tmp_path: Path) -> None:
    sda = SDA(crf=CRF(c2=0.1, iterations=60, tagger=TAGGER), bits=12, ridge=0.1)
    made = sda.train([talk(seed, 20) for seed in range(6)])
    unseen = talk(72)
    bare = unseen.only([])
    found = made.annotate(bare)
    assert ends_of(found) == ends_of(unseen)
    assert (
        cluster_rules.cluster_tree(found).link.tolist()
        == cluster_rules.cluster_tree(unseen).link.tolist()
    )
    assert made.crf.tagger is not None
    assert made.detect(bare) == made.detect(made.crf.tagger.tag(bare))
    pupil = store.load(store.save(tmp_path / "model", made, Card())).detector
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
    state = trained().state()
    assert SMALL.from_state(state).detect(detector_input(talk(1))) == trained().detect(
        detector_input(talk(1))
    )
    for name in state:
        with pytest.raises(ModelError, match="damaged"):
            SMALL.from_state({key: array for key, array in state.items() if key != name})
    with pytest.raises(ModelError, match="damaged"):
        SMALL.from_state({**state, "more": np.zeros(1)})
    with pytest.raises(ModelError, match="has to be trained"):
        SMALL.detect(talk(1))


def test_coverage_is_that_of_the_crf() -> None:
    sda = trained()
    assert sda.coverage(Transcript(("the", "cat", "xyzzy", "."))) == pytest.approx(2 / 3)
    assert sda.lacks(Transcript(("xyzzy", "plugh"))) == "no word that the model knows"
