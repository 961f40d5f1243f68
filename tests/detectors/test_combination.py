"""Words and pauses in one search: against brute force, and each model alone."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura.core import registry
from caesura.core.errors import LayerError, ModelError, UnknownName
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import class_count, classes_of_gaps, ends_sentence
from caesura.detectors.lm import LM, Combination
from caesura.detectors.pause import PauseModel
from caesura.ml.ngram_counts import Vocabulary
from detectors.made_up import bare, brute_force, chain, recording, transcript_of
from ml.slow_ngram import Settings

TRAINING = [recording(seed) for seed in range(4)]
MARKS = (".", "?", ",")
WORDS = LM(strength=(1, 1), cutoff=1)


@pytest.mark.parametrize("way", ["A", "B"])
@given(data=st.data())
@settings(max_examples=20)
def test_equals_brute_force_over_all_sequences(way: str, data: st.DataObject) -> None:
    classes = data.draw(st.sampled_from([(), MARKS]))
    lm = LM(data.draw(st.integers(2, 3)), cutoff=2, classes=classes)
    pause = PauseModel(classes=classes)
    weight = data.draw(st.sampled_from([0, 0.5, 1, 3]))
    both = Combination(lm, pause, way=way, weight=weight).train(TRAINING)
    transcript = bare(data.draw(st.integers(10, 30)), data.draw(st.integers(1, 4)))
    known = Vocabulary.of((each.words for each in TRAINING), 2)
    found = [classes_of_gaps(each, classes) for each in TRAINING]
    labels = [numbers.tolist() for numbers in found if numbers is not None]
    width = class_count(classes)
    made = Settings(known.size, width, lm.order, strength=lm.strength, least=(1,) * (lm.order - 1))
    rows = pause.train(TRAINING).emissions(transcript, way)  # type: ignore[arg-type]
    probabilities, best, lead = brute_force(
        chain(TRAINING, labels, made, known),
        known.numbers(transcript.words).tolist(),
        (weight * rows).tolist(),
    )
    ends = ends_sentence(classes)
    expected = [np.log(np.array(p)[ends].sum() / np.array(p)[~ends].sum()) for p in probabilities]
    np.testing.assert_allclose(both.log_odds(transcript), expected, rtol=1e-8, atol=1e-8)
    if lead > 1e-9:
        decided = both.adjusted(decision="viterbi").detect(transcript)
        assert decided.boundary[:-1].tolist() == ends[best][:-1].tolist()


@pytest.mark.parametrize("way", ["A", "B"])
@pytest.mark.parametrize("decision", ["posterior", "viterbi"])
def test_a_boundary_belongs_to_the_word_before_the_pause(way: str, decision: str) -> None:
    #   on  stop (1 s)  go     words say nothing here: each one ends a sentence as often as not
    start = np.array([0.0, 0.3, 1.6])
    times: dict[str, Any] = {"start": start, "end": start + 0.3}
    training = [
        Transcript(("w",) * 3, sentences=Segmentation.of_gaps(3, [1]), **times),
        Transcript(
            ("w",) * 3,
            sentences=Segmentation.of_gaps(3, [0]),
            start=start[[0, 2, 2]],
            end=start[[0, 2, 2]] + 0.3,
        ),
    ]
    both = Combination(WORDS, PauseModel(smooth=0.1), way=way, weight=2, decision=decision)
    found = both.train(training).detect(Transcript(("w", "w", "w"), **times))
    assert found.boundary.tolist() == [False, True, True]
    assert found.log_odds is not None
    on, stop, _ = found.log_odds.tolist()
    assert on < 0 < stop


@pytest.mark.parametrize("way", ["A", "B"])
def test_words_decide_where_pauses_give_no_evidence(way: str) -> None:
    example = transcript_of("on stop. go on stop. go")
    start = np.arange(6) * 0.5
    timed = example.replace(start=start, end=start + 0.5)
    found = Combination(WORDS, way=way).train([timed] * 3).detect(Transcript(("on", "stop", "go")))
    assert found.boundary.tolist() == [False, True, True]


@pytest.mark.parametrize("way", ["A", "B"])
def test_without_weight_it_is_the_language_model(way: str) -> None:
    both = Combination(WORDS, way=way, weight=0).train(TRAINING)
    assert (both.log_odds(bare(20)) == WORDS.train(TRAINING).log_odds(bare(20))).all()
    heavier = both.adjusted(weight=1)
    assert not np.allclose(heavier.log_odds(bare(20)), both.log_odds(bare(20)))


def test_a_large_weight_makes_it_the_pause_model() -> None:
    both = Combination(WORDS, way="B", weight=1000).train(TRAINING)
    pause = PauseModel().train(TRAINING)
    sure = abs(pause.log_odds(bare(20))) > 0.1
    assert (both.detect(bare(20)).boundary == pause.detect(bare(20)).boundary)[sure].all()


def test_pauses_that_are_not_known_leave_way_a_to_the_words() -> None:
    both = Combination(WORDS, way="A").train(TRAINING)
    untimed = bare(20).only([])
    np.testing.assert_allclose(both.log_odds(untimed), both.lm.log_odds(untimed), atol=1e-12)
    partly = bare(20)
    assert partly.start is not None
    start = partly.start.copy()
    start[10:20] = np.nan
    assert np.isfinite(both.log_odds(partly.replace(start=start))).all()


@pytest.mark.parametrize("way", ["A", "B"])
@pytest.mark.parametrize("classes", [(), MARKS])
def test_neighbours_do_not_matter(way: str, classes: tuple[str, ...]) -> None:
    lm, pause = LM(classes=classes), PauseModel(classes=classes)
    both = Combination(lm, pause, way=way).train(TRAINING)
    asked = [bare(31, 300), bare(32, 0), bare(33, 1), bare(34, 20).only([]), bare(35, 130)]
    alone = [both.detect(each) for each in asked]
    assert both.detect_all(asked) == alone
    assert [
        each.log_odds.tobytes() for each in both.detect_all(asked) if each.log_odds is not None
    ] == [each.log_odds.tobytes() for each in alone if each.log_odds is not None]


def with_punctuation(transcript: Transcript) -> Transcript:
    """The same with a full stop or a comma as a word of its own after every word."""
    assert transcript.sentences is not None
    assert transcript.start is not None
    assert transcript.end is not None
    ends = transcript.sentences.boundary
    words = [
        w
        for word, end in zip(transcript.words, ends, strict=True)
        for w in (word, "." if end else ",")
    ]
    start = np.repeat(transcript.start, 2)
    start[1::2] = transcript.end
    return Transcript(
        tuple(words),
        start=start,
        end=np.repeat(transcript.end, 2),
        speaker=tuple(name for name in transcript.speaker or () for _ in range(2)),
        sentences=Segmentation(np.stack([np.zeros_like(ends), ends], axis=1).ravel()),
    )


@pytest.mark.parametrize("way", ["A", "B"])
def test_punctuation_that_stands_as_a_word_changes_nothing(way: str) -> None:
    plain = Combination(WORDS, way=way).train(TRAINING)
    dotted = Combination(WORDS, way=way).train([with_punctuation(each) for each in TRAINING])
    expected = plain.log_odds(recording(20))
    for detector in (plain, dotted):
        found = detector.log_odds(with_punctuation(recording(20)))
        np.testing.assert_allclose(found[1::2], expected)
        assert found[0::2].max() < -10


def test_the_state_is_restored_bit_by_bit() -> None:
    both = Combination().train(TRAINING, (), TRAINING[:1])
    arrays = both.state()
    assert {name.split(".")[0] for name in arrays} == {"lm", "pause"}
    pupil = Combination().from_state({k: v.copy() for k, v in arrays.items()})
    for seed in range(40, 44):
        assert pupil.log_odds(bare(seed)).tobytes() == both.log_odds(bare(seed)).tobytes()


STATE = dict(Combination(WORDS).train(TRAINING).state())


@pytest.mark.parametrize("name", sorted(STATE))
def test_every_array_is_needed_as_it_is(name: str) -> None:
    detector = Combination(WORDS)
    array = STATE[name]
    others: list[NDArray[Any]] = [array.astype(np.float64), array[:, None], np.append(array, 1)]
    for other in others:
        with pytest.raises(ModelError):
            detector.from_state(STATE | {name: other})
    with pytest.raises(ModelError):
        detector.from_state({k: v for k, v in STATE.items() if k != name})


def test_other_arrays_are_refused() -> None:
    for name in ("other", "other.words", "lm", "pauses.counts"):
        with pytest.raises(ModelError):
            Combination(WORDS).from_state(STATE | {name: np.zeros(2, np.int64)})
    with pytest.raises(ModelError):
        Combination(WORDS).from_state({})


def test_an_untrained_detector_is_an_error() -> None:
    with pytest.raises(ModelError, match="has to be trained"):
        Combination().detect(bare(1))
    with pytest.raises(LayerError, match="none of 1 recordings has sentences"):
        Combination().train([bare(1)])


def test_lacks_only_what_both_models_lack() -> None:
    both = Combination(WORDS).train(TRAINING)
    unseen = Transcript(("never", "heard"))
    assert both.lacks(bare(20)) == both.lacks(bare(20).only([])) == ""
    assert both.lacks(unseen.replace(speaker=("a", "b"))) == ""
    assert both.lacks(unseen).startswith("no word that the model knows, and no word times")
    assert both.coverage(Transcript(("never", "we"))) == 0.5


@pytest.mark.parametrize(
    "wrong",
    [
        {"way": "C"},
        {"weight": -1},
        {"weight": float("nan")},
        {"decision": "best"},
        {"bias": "high"},
        {"lm": PauseModel()},
        {"pause": LM()},
        {"lm": LM(classes=MARKS)},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Combination(**wrong)
    with pytest.raises(UnknownName, match="Combination"):
        registry._make("detector", "Combination", [], dict(wrong))


def test_settings_within_can_change_after_training() -> None:
    both = Combination(WORDS).train(TRAINING)
    assert (both.adjusted(bias=1).log_odds(bare(20)) == both.log_odds(bare(20)) + 1).all()
    other = both.adjusted(lm=both.lm.adjusted(smoothing="backoff"))
    anew = Combination(LM(strength=(1, 1), cutoff=1, smoothing="backoff")).train(TRAINING)
    assert (other.log_odds(bare(20)) == anew.log_odds(bare(20))).all()


def test_words_that_decide_alone_may_have_a_bias_of_their_own() -> None:
    both = Combination(WORDS, bias=0.5, lone_bias=2).train(TRAINING)
    plain = both.adjusted(bias=0, lone_bias=0)
    unknown = np.full(40, np.nan)
    once = np.append([0.0, 1.0], unknown[2:])
    asked = [
        bare(20),
        bare(20).replace(start=once, end=once),
        bare(20).replace(pause=("<sil>",) * 40, start=None, end=None),
        bare(21).only([]),
        bare(22).only(["speaker"]),
        bare(22).replace(start=unknown, end=unknown),
    ]
    expected = (0.5, 0.5, 0.5, 2.5, 2.5, 2.5)
    for each, found, bias in zip(asked, both.detect_all(asked), expected, strict=True):
        assert found.log_odds is not None
        assert found.log_odds.tolist() == (plain.log_odds(each) + bias).tolist()


def test_times_without_pauses_are_ignored() -> None:
    both = Combination(WORDS, lone_bias=2.0).train(TRAINING)
    bare_words = bare(7, 80).replace(start=None, end=None)
    start = np.arange(80) * 0.3
    joined = bare_words.replace(start=start, end=start + 0.3)
    assert (both.log_odds(joined) == both.log_odds(bare_words)).all()
    # One word in forty with a pause after it, or fewer than fifty gaps, and times count.
    end = start + 0.3
    end[[20, 60]] -= 0.2
    assert (both.log_odds(joined.replace(end=end)) != both.log_odds(bare_words)).any()
    assert (both.log_odds(joined[:50]) != both.log_odds(bare_words[:50])).any()
