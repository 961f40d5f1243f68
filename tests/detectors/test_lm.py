"""The language model as a detector: against brute force, and on all kinds of transcripts."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.errors import UnknownName
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import class_count, class_labels, classes_of_gaps, ends_sentence
from caesura.detectors.lm import CELLS, LM, NumberedWords
from caesura.ml.ngram import FACTORS, KINDS
from caesura.ml.ngram_counts import Vocabulary
from detectors.made_up import WORDS, bare, brute_force, chain, recording, transcript_of
from ml.slow_ngram import Settings

TRAINING = [recording(seed) for seed in range(4)]
MARKS = (".", "?", ",")


def brute(lm: LM, transcript: Transcript, training: list[Transcript]) -> tuple[Any, ...]:
    known = Vocabulary.of((each.words for each in training), lm.cutoff)
    found = [classes_of_gaps(each, lm.classes) for each in training]
    labels = [numbers.tolist() for numbers in found if numbers is not None]
    least = (*lm.prune, *[max(lm.prune, default=1)] * (lm.order - 1 - len(lm.prune)))
    width = class_count(lm.classes)
    made = Settings(known.size, width, lm.order, lm.factors, lm.smoothing, lm.strength, least)
    words = known.numbers(transcript.words).tolist()
    return brute_force(chain(training, labels, made, known), words, [[0.0] * width] * len(words))


@pytest.mark.parametrize("factors", FACTORS)
@pytest.mark.parametrize("smoothing", KINDS)
@given(data=st.data())
@settings(max_examples=12)
def test_equals_brute_force_over_all_sequences(
    factors: str, smoothing: str, data: st.DataObject
) -> None:
    classes = data.draw(st.sampled_from([(), (".", ","), MARKS]))
    lm = LM(
        order=data.draw(st.sampled_from([2, 3] if classes else [2, 3, 4, 5])),
        factors=factors,
        smoothing=smoothing,
        strength=data.draw(st.sampled_from([(1, 1), (4.0, 16.0)])),
        cutoff=data.draw(st.integers(1, 6)),
        prune=data.draw(st.sampled_from([(), (1,), (2,)])),
        classes=classes,
        bias=data.draw(st.sampled_from([0, 1.5])),
    )
    words = data.draw(
        st.lists(st.sampled_from([*WORDS, "never"]), min_size=1, max_size=4 if classes else 6)
    )
    transcript = Transcript(tuple(words))
    trained = lm.train(TRAINING)
    probabilities, best, lead = brute(lm, transcript, TRAINING)
    ends = ends_sentence(classes)
    expected = [np.log(np.array(p)[ends].sum() / np.array(p)[~ends].sum()) for p in probabilities]
    np.testing.assert_allclose(
        trained.log_odds(transcript), np.array(expected) + lm.bias, rtol=1e-8, atol=1e-8
    )
    if lead > 1e-9:
        found = trained.adjusted(decision="viterbi").detect(transcript)
        assert found.boundary[:-1].tolist() == ends[best][:-1].tolist()
        if classes:
            if not ends[best[-1]]:
                best[-1] = max(np.flatnonzero(ends).tolist(), key=probabilities[-1].__getitem__)
            assert found.label == class_labels(best, classes)


@pytest.mark.parametrize("factors", FACTORS)
@pytest.mark.parametrize("smoothing", KINDS)
@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("decision", ["posterior", "viterbi"])
def test_a_boundary_belongs_to_the_word_before_it(
    factors: str, smoothing: str, order: int, decision: str
) -> None:
    #   on stop. go     the sentence ends after stop, the second word
    example = transcript_of("on stop. go on stop. go")
    lm = LM(order, factors, smoothing, strength=(1, 1), cutoff=1, decision=decision)
    found = lm.train([example] * 3).detect(Transcript(("on", "stop", "go")))
    assert found.boundary.tolist() == [False, True, True]
    assert found.log_odds is not None
    on, stop, go = found.log_odds.tolist()
    assert on < 0 < stop
    assert go < stop


def test_decides_for_the_likelier_side_and_then_the_likeliest_class() -> None:
    lm = LM(cutoff=1, strength=(0.1, 0.1), classes=MARKS).train(TRAINING)
    found = lm.detect(bare(20))
    assert found.log_odds is not None
    assert found.label is not None
    assert found.boundary[:-1].tolist() == (found.log_odds > 0)[:-1].tolist()
    for label, odds in zip(found.label[:-1], found.log_odds[:-1].tolist(), strict=True):
        assert (label in (".", "?")) == (odds > 0)
    assert found.log_odds[-1] < 0
    assert found.label[-1] in (".", "?")
    assert lm.label(bare(20)) == found.label
    assert {".", ","} <= set(found.label)


def test_the_bias_moves_decisions_but_not_the_best_sequence() -> None:
    lm = LM(cutoff=1).train(TRAINING)
    odds = lm.log_odds(bare(20))
    assert (lm.adjusted(bias=2.5).log_odds(bare(20)) == odds + 2.5).all()
    assert lm.adjusted(bias=1e6).detect(bare(20)).boundary.all()
    best = lm.adjusted(decision="viterbi")
    assert (
        best.adjusted(bias=1e6).detect(bare(20)).boundary == best.detect(bare(20)).boundary
    ).all()


@pytest.mark.parametrize(
    ("classes", "order"),
    [
        *product([(), (".", ","), MARKS], [2, 3, 4, 5]),
        *product([(".", "?", "!", ",")], [2, 3]),
    ],
)
@pytest.mark.parametrize("decision", ["posterior", "viterbi"])
def test_neighbours_do_not_matter(
    classes: tuple[str, ...], order: int, decision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lm = LM(order, cutoff=1, classes=classes, decision=decision).train(TRAINING)
    asked = [bare(seed, count) for seed, count in enumerate([1, 300, 0, 5, 128, 129, 40], 30)]
    alone = [lm.detect(each) for each in asked]
    odds = [each.log_odds.tobytes() for each in alone if each.log_odds is not None]
    for cells in (1, 130 * lm.histories, CELLS):
        monkeypatch.setattr("caesura.detectors.lm.CELLS", cells)
        together = lm.detect_all(asked)
        assert [x.log_odds.tobytes() for x in together if x.log_odds is not None] == odds
        assert together == alone
    assert lm.detect_all(asked[::-1]) == alone[::-1]


def test_batches_are_no_larger_than_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = LM(cutoff=1).train(TRAINING)
    monkeypatch.setattr("caesura.detectors.lm.CELLS", 100 * lm.histories)
    asked = [bare(1, count) for count in (40, 60, 1, 200, 100, 0)]
    sizes = []

    def spoken(self: LM, batch: Sequence[Transcript]) -> NumberedWords:
        sizes.append([len(each) for each in batch])
        return number(self, batch)

    number = LM.number_words
    monkeypatch.setattr(LM, "number_words", spoken)
    lm.detect_all(asked)
    assert sizes == [[40, 60], [1], [200], [100, 0]]


STATE = dict(LM(cutoff=1).train(TRAINING, (), TRAINING[:1]).state())
HASHES = STATE["vocabulary"]


def test_recordings_without_labels_count_for_classes_too() -> None:
    plain = [
        each.replace(sentences=Segmentation(each.sentences.boundary))
        for each in TRAINING
        if each.sentences is not None
    ]
    found = LM(cutoff=1, classes=MARKS).train(plain).detect(bare(20))
    assert found.label is not None
    assert set(found.label) == {"", "."}


def test_classes_are_trained_from_marks() -> None:
    example = transcript_of("well you. are you. well you. are you.")
    marks = (",", ".", "", "?") * 2
    lm = LM(strength=(1, 1), cutoff=1, classes=MARKS).train([example.replace(mark=marks)])
    found = lm.detect(Transcript(("well", "you", "are", "you")))
    assert found.label == (",", ".", "", "?")
    assert found.boundary.tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    "words", ["never ever heard", "今日 は 晴れ です", "مرحبا كيف حالك", "🙂 🙂", "1 2 3"]
)
def test_words_never_seen(words: str) -> None:
    lm = LM().train(TRAINING)
    unseen = Transcript(tuple(words.split()))
    assert np.isfinite(lm.log_odds(unseen)).all()
    assert lm.coverage(unseen) == 0
    assert lm.lacks(unseen) == "no word that the model knows"
    mixed = Transcript((*unseen.words, "we"))
    assert lm.coverage(mixed) == pytest.approx(1 / len(mixed))
    assert lm.lacks(mixed) == ""


def test_another_script_can_be_trained() -> None:
    words = ("今日", "は", "です", "。", "明日", "です", "。")
    example = Transcript(words, sentences=Segmentation.of_gaps(7, [3, 6]))
    found = LM(cutoff=1, strength=(1, 1)).train([example] * 2).detect(Transcript(words))
    assert found.boundary.tolist() == [False, False, False, True, False, False, True]


def test_no_words_and_one_word() -> None:
    lm = LM(cutoff=1).train(TRAINING)
    empty = Transcript(())
    assert len(lm.detect(empty)) == 0
    assert lm.log_odds(empty).shape == (0,)
    assert lm.coverage(empty) == 1
    assert lm.lacks(empty) == lm.lacks(Transcript(("never",))) == ""
    assert lm.detect(Transcript(("we",))).boundary.tolist() == [True]
    assert [len(found) for found in lm.detect_all([empty, bare(1, 3), empty])] == [0, 3, 0]


def test_settings_that_need_no_training_can_change_afterwards() -> None:
    lm = LM(cutoff=1).train(TRAINING)
    for change in ({"smoothing": "backoff"}, {"factors": "class"}, {"strength": (1, 2)}):
        anew = LM(cutoff=1, **change).train(TRAINING)
        assert not (anew.log_odds(bare(20)) == lm.log_odds(bare(20))).all()
        assert (lm.adjusted(**change).log_odds(bare(20)) == anew.log_odds(bare(20))).all()
        assert not set(change) & LM.retrain_settings


@pytest.mark.parametrize(
    "wrong",
    [
        {"order": 1},
        {"order": 6},
        {"order": 3.0},
        {"order": True},
        {"factors": "words"},
        {"smoothing": "none"},
        {"decision": "best"},
        {"cutoff": 0},
        {"cutoff": 1.5},
        {"share": 1.1},
        {"share": float("nan")},
        {"bias": float("inf")},
        {"strength": (1,)},
        {"strength": (1, 0)},
        {"strength": (1, float("nan"))},
        {"strength": (float("inf"), 1)},
        {"strength": 4},
        {"strength": "ab"},
        {"strength": (1, "a")},
        {"prune": (0,)},
        {"prune": (2, 1)},
        {"prune": (1, 1, 1)},
        {"prune": (1.5,)},
        {"text_prune": (True,)},
        {"classes": (",",)},
        {"classes": tuple("abcdefg"), "order": 5},
        {"classes": tuple(map(chr, range(97, 161))), "order": 2},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        LM(**wrong)
    with pytest.raises(UnknownName, match="LM"):
        registry._make("detector", "LM", [], dict(wrong))


@pytest.mark.parametrize("settings", [{}, {"order": 5, "strength": (1, 1)}, {"factors": "class"}])
def test_a_stream_says_nearly_the_same_as_the_whole(settings: dict[str, Any]) -> None:
    lm = LM(cutoff=1, **settings).train(TRAINING)
    whole = bare(90, 3000)
    expected = lm.detect(whole)
    stream = lm.stream()
    sentences = [s for at in range(0, len(whole), 10) for s in stream.push(whole[at : at + 10])]
    sentences += stream.close()
    ends = np.cumsum([len(sentence) for sentence in sentences]) - 1
    found = Segmentation.of_gaps(len(whole), ends.tolist())
    # 25 words ahead and 100 behind are as good as all of them here.
    assert (found.boundary != expected.boundary).sum() == 0
    odds = [s.sentences.log_odds for s in sentences if s.sentences is not None]
    assert expected.log_odds is not None
    heard = np.concatenate([each for each in odds if each is not None])
    np.testing.assert_allclose(heard, expected.log_odds, atol=1e-3)
