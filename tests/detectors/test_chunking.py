"""Chunkers: labels belong to the word after the gap, and punctuation is no evidence."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import caesura
from caesura.core import registry
from caesura.core.errors import LayerError, ModelError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Counts
from caesura.detectors.syntax.chunking import (
    CLUSTER,
    INSIDE,
    LABELS,
    SENTENCE,
    hashes_of,
    labels_of,
)
from caesura.detectors.syntax.crf_svm import CRF, SVM, cluster_starts
from caesura.metrics import cluster as cluster_metric
from caesura.metrics.boundary import Boundary
from caesura.text import cluster_rules

pytest.importorskip("pycrfsuite")
pytest.importorskip("sklearn")

CHUNKERS = [CRF(c2=0.1), SVM(cost=1.0)]
Chunker = CRF | SVM


def talk(seed: int, count: int = 60) -> Transcript:
    """Sentences that begin with `so`, of clusters that are an article and a noun or a verb."""
    chance = Random(seed)
    rows: list[tuple[str, str, bool, bool]] = []
    while len(rows) < count:
        rows.append(("so", "ADV", True, False))
        for _ in range(chance.randrange(1, 4)):
            if chance.random() < 0.5:
                rows += [
                    ("the", "DET", True, False),
                    (chance.choice(["cat", "dog"]), "NOUN", False, False),
                ]
            else:
                rows.append((chance.choice(["sees", "runs"]), "VERB", True, False))
        rows[-1] = (*rows[-1][:3], True)
    words, tags, begun, ends = zip(*rows, strict=True)
    return Transcript(
        words, tag=tags, cluster=np.array(begun), sentences=Segmentation(np.array(ends))
    )


def hidden(given: Transcript) -> Transcript:
    return given.only(["tag", "start", "end"])


@pytest.fixture(scope="module", params=CHUNKERS, ids=["CRF", "SVM"])
def chunker(request: pytest.FixtureRequest) -> Chunker:
    trained: Chunker = request.param.train([talk(seed) for seed in range(6)])
    return trained


def test_labels_are_those_of_what_a_word_begins() -> None:
    given = Transcript(("so", "the", "cat", "so"), sentences=Segmentation.of_gaps(4, [2, 3]))
    labels = labels_of(given, np.array([True, True, False, True]))
    assert labels.tolist() == [SENTENCE, CLUSTER, INSIDE, SENTENCE]
    assert LABELS[SENTENCE] == "Bs"


def test_the_boundary_lies_before_the_word_that_begins_a_sentence(chunker: Chunker) -> None:
    unseen = talk(99)
    found = chunker.detect(hidden(unseen))
    assert found.boundary.tolist() == unseen.sentences.boundary.tolist()  # type: ignore[union-attr]
    after = [word == "so" for word in unseen.words[1:]]
    assert (found.log_odds[:-1] > 0).tolist() == after  # type: ignore[index]


def test_clusters_are_found(chunker: Chunker) -> None:
    unseen = talk(98)
    assert chunker.starts(hidden(unseen)).tolist() == unseen.cluster.tolist()  # type: ignore[union-attr]


def with_punctuation(given: Transcript, mark: str = "//") -> Transcript:
    """Put a mark after each sentence, as a word of its own."""
    assert given.sentences is not None
    parts = []
    for part in given.split_sentences():
        end = Transcript((mark,), tag=("PUNCT",), cluster=np.array([False]))
        parts.append(Transcript.join([part.replace(sentences=None), end]))
    whole = Transcript.join(parts)
    ends = np.cumsum([len(part) for part in parts]) - 1
    return whole.replace(sentences=Segmentation.of_gaps(len(whole), ends.tolist()))


@pytest.mark.parametrize("mark", ["//", ".", "stop"])
def test_punctuation_is_no_evidence(chunker: Chunker, mark: str) -> None:
    """A token that is tagged PUNCT, or looks like punctuation, changes nothing."""
    plain = [talk(seed) for seed in range(6)]
    marked = [with_punctuation(each, mark) for each in plain]
    again = replace(chunker).train(marked)
    for name, array in chunker.state().items():
        assert np.array_equal(array, again.state()[name]), name
    unseen = talk(97)
    found, alone = again.detect(with_punctuation(unseen, mark)), chunker.detect(unseen)
    assert found.log_odds is not None
    kept = np.array([word != mark for word in with_punctuation(unseen, mark).words])
    gaps = np.append(np.flatnonzero(kept)[1:] - 1, len(kept) - 1)
    assert found.log_odds[gaps].tolist() == alone.log_odds.tolist()  # type: ignore[union-attr]
    assert not found.boundary[np.setdiff1d(np.arange(len(kept)), gaps)].any()


def test_case_and_glued_marks_do_not_matter(chunker: Chunker) -> None:
    unseen = hidden(talk(96))
    shouted = unseen.replace(words=tuple(f"{word.upper()}," for word in unseen.words))
    assert chunker.detect(shouted) == chunker.detect(unseen)


def test_the_bias_moves_log_odds_only(chunker: Chunker) -> None:
    unseen = hidden(talk(95))
    plain, moved = chunker.detect(unseen), chunker.adjusted(bias=-2.5).detect(unseen)
    assert plain.log_odds is not None
    assert moved.log_odds is not None
    assert moved.log_odds.tolist() == (plain.log_odds - 2.5).tolist()
    assert moved.boundary[:-1].tolist() == (moved.log_odds[:-1] > 0).tolist()
    assert not chunker.adjusted(bias=-1e6).detect(unseen).boundary[:-1].any()


def test_missing_clusters_are_predicted_from_text(chunker: Chunker) -> None:
    trees = [talk(seed) for seed in range(4)]
    bare = [talk(seed).only(["tag", "sentences"]) for seed in range(4, 8)]
    trained = replace(chunker).train(bare, text=trees)
    unseen = talk(94)
    assert trained.starts(hidden(unseen)).tolist() == unseen.cluster.tolist()  # type: ignore[union-attr]


def test_without_any_clusters_each_word_is_one(chunker: Chunker) -> None:
    trained = replace(chunker).train([talk(seed).only(["tag", "sentences"]) for seed in range(4)])
    unseen = hidden(talk(93))
    assert trained.starts(unseen).all()
    assert trained.detect(unseen).boundary.sum() > 3


def test_tags_may_be_missing(chunker: Chunker) -> None:
    bare = talk(92).only([])
    assert len(chunker.detect(bare)) == len(bare)
    trained = replace(chunker).train(
        [talk(seed).only(["cluster", "sentences"]) for seed in range(6)]
    )
    assert trained.detect(bare).boundary.tolist() == talk(92).sentences.boundary.tolist()  # type: ignore[union-attr]


def test_pauses_before_a_word_count_with_it() -> None:
    """Times alone show the sentences: the pause lies in the gap, the label on the next word."""
    ends = np.array([at % 4 == 3 for at in range(40)])
    start = np.arange(40) * 0.3 + np.append(0, np.cumsum(ends[:-1])) * 0.6
    spoken = Transcript(("w",) * 40, start=start, end=start + 0.3, sentences=Segmentation(ends))
    trained = CRF(c2=0.01).train([spoken])
    assert trained.detect(spoken.only(["start", "end"])).boundary.tolist() == ends.tolist()


def test_subtags_are_cut_to_what_is_known() -> None:
    def tagged(seed: int, suffix: str) -> Transcript:
        given = talk(seed)
        assert given.tag is not None
        return given.replace(
            words=("w",) * len(given), tag=None, subtag=tuple(f"{tag}{suffix}" for tag in given.tag)
        )

    trained = CRF(c2=0.1).train([tagged(seed, "-x") for seed in range(6)])
    known, longer = tagged(91, "-x").only(["subtag"]), tagged(91, "-x-y-z").only(["subtag"])
    assert trained.detect(longer) == trained.detect(known)
    assert trained.detect(known).boundary.tolist() == talk(91).sentences.boundary.tolist()  # type: ignore[union-attr]


def test_probabilities_of_labels(chunker: Chunker) -> None:
    if isinstance(chunker, SVM):
        return
    unseen = with_punctuation(talk(90))
    kept, spoken = chunker.find_words(unseen)
    (probabilities,) = chunker.probabilities([hashes_of(spoken, chunker.model.subtags)])
    assert np.allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert cluster_starts(probabilities).tolist() == spoken.cluster.tolist()  # type: ignore[union-attr]
    odds = chunker.detect(unseen).log_odds
    assert odds is not None
    first = probabilities[1:, SENTENCE]
    gaps = np.flatnonzero(kept)[1:] - 1
    assert np.allclose(odds[gaps], np.log(first / (1 - first)), atol=1e-6)


def test_a_word_begins_a_cluster_if_it_is_more_likely_than_not() -> None:
    probabilities = np.array([[0.1, 0.1, 0.8], [0.2, 0.2, 0.6], [0.3, 0.2, 0.5], [0.0, 0.9, 0.1]])
    assert cluster_starts(probabilities).tolist() == [True, False, True, True]
    assert cluster_starts(probabilities[:0]).tolist() == []


def test_viterbi_decides_by_the_best_sequence(chunker: Chunker) -> None:
    if isinstance(chunker, SVM):
        return
    unseen = hidden(talk(89))
    best = chunker.adjusted(decision="viterbi", bias=-50.0).detect(unseen)
    assert best.boundary.tolist() == talk(89).sentences.boundary.tolist()  # type: ignore[union-attr]


def test_recordings_without_sentences_are_not_used_in_training(chunker: Chunker) -> None:
    with pytest.raises(LayerError, match="none of 1 recordings has sentences"):
        chunker.train([hidden(talk(1))])


@pytest.mark.parametrize(
    "setting", ["c2=-1", "iterations=0", "cutoff=0", "decision='best'", "size=-1"]
)
def test_settings_of_crf_are_checked(setting: str) -> None:
    with pytest.raises(caesura.CaesuraError, match=setting.split("=")[0]):
        registry.parse("detector", f"CRF({setting})")


@pytest.mark.parametrize(
    "damage",
    [
        {"keys": None},
        {"more": np.zeros(1)},
        {"keys": np.array([2, 1])},
        {"subtags": np.array([2, 1], np.uint64)},
        {"subtags": np.array([1.5])},
    ],
)
def test_damaged_models_are_refused(chunker: Chunker, damage: dict[str, Any]) -> None:
    arrays = {**chunker.state(), **damage}
    with pytest.raises(ModelError, match="damaged"):
        replace(chunker).from_state({k: v for k, v in arrays.items() if v is not None})


def test_coverage_is_the_share_of_known_words(chunker: Chunker) -> None:
    assert chunker.coverage(Transcript(("the", "cat", "xyzzy", "."))) == pytest.approx(2 / 3)
    assert chunker.lacks(Transcript(("xyzzy", "plugh"))) == "no word that the model knows"
    assert chunker.lacks(Transcript(("xyzzy", "cat"))) == ""


def test_a_small_model_keeps_what_matters(chunker: Chunker) -> None:
    training = [talk(seed) for seed in range(6)]
    small = replace(chunker, size=30).train(training)
    assert len(small.state()["keys"]) <= 30 < len(chunker.state()["keys"]) / 4
    assert set(small.state()["keys"].tolist()) <= set(chunker.state()["keys"].tolist())
    unseen = talk(88)
    assert small.detect(hidden(unseen)).boundary.tolist() == unseen.sentences.boundary.tolist()  # type: ignore[union-attr]
    whole = replace(chunker, size=1 << 20).train(training)
    assert whole.state()["weights"].tobytes() == chunker.state()["weights"].tobytes()


@pytest.mark.parametrize(
    ("detector", "f1", "spans"),
    [
        (CRF(bias=1.04), 0.715, 0.95),
        (CRF(bias=1.04, size=10_000), 0.715, 0.95),
        (CRF(decision="viterbi"), 0.68, 0.95),
        (SVM(), 0.67, 0.95),
    ],
)
def test_on_rhapsodie(corpora: Path, detector: Chunker, f1: float, spans: float) -> None:
    """The bias was tuned by jackknife over the recordings for training."""
    folder = corpora / "ud" / "french-rhapsodie"
    train, dev = (list(caesura.read(folder / f"{part}.conllu")) for part in ("train", "dev"))
    trained = detector.train(train)
    boundaries, chunks = Counts(), Counts()
    for each in map(detector.words, dev):
        found = trained.detect(each.replace(sentences=None, head=None, relation=None))
        boundaries += Boundary().count(each.replace(sentences=found), [each])
        real = cluster_rules.cluster_starts(each)
        assert real is not None
        chunks += cluster_metric.count_clusters(trained.starts(each), real)
    assert Boundary().values(boundaries)["f1"] > f1  # type: ignore[operator]
    assert cluster_metric.cluster_rates(chunks)["f1"] > spans  # type: ignore[operator]
