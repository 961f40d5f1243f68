"""Adapting a stored model: what is fitted, what is held out, what is written."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura
from caesura.core.errors import LayerError, ModelError, OutputError
from caesura.core.protocols import Detector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.decision import Decision
from caesura.detectors.fusion import Fusion
from caesura.detectors.pause import Pause, PauseModel
from caesura.detectors.stored_model import Model
from caesura.metrics.boundary import Boundary
from caesura.models import store
from caesura.models.store import Card
from caesura.training import adapt as adapting
from caesura.training.adapt import (
    FOLDS,
    PRIORS,
    STORED,
    Adaptation,
    BiasLearner,
    CrossValidation,
    LayerLearner,
    adapt,
    compare_decisions,
    fitted_part,
    group_gaps,
    wanted_classes,
)
from caesura.training.data import END, bare_talk
from caesura.training.search import best_threshold
from detectors.small_encoder import small_encoder
from tiny import Tiny, register

END_ONLY = Segmentation.of_gaps(1, [0])
WORDS = "the king so reads it all up now we left him zero".split()


def talk(seed: int, sentences: int = 12, **layers: Any) -> Transcript:
    """Return a recording whose sentences end after `now` and `zero`, and have commas at `so`."""
    random = np.random.default_rng(seed)
    words: list[str] = []
    ends: list[int] = []
    marks: list[str] = []
    while len(ends) < sentences:
        word = str(random.choice(WORDS))
        is_end = word in ("now", "zero")
        words.append(word if words and not (ends and ends[-1] == len(words) - 1) else word.title())
        marks.append({"now": ".", "zero": "?", "so": ","}.get(word, ""))
        if is_end:
            ends.append(len(words) - 1)
    found = Segmentation.of_gaps(len(words), ends)
    return Transcript(tuple(words), id=f"{seed}", mark=tuple(marks), sentences=found, **layers)


TALKS = [talk(seed, 40) for seed in range(8)]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    card = Card(name="small", about="A test.", language="en", licence="CC0", data=({"name": "x"},))
    return store.save(tmp_path / "small", small_encoder(bias=0.5), card)


# What the model is shown


def test_words_are_bare_and_keep_times_and_speakers() -> None:
    given = Transcript(
        ("So", "Mr.", "King", ",", "left"),
        mark=("", "", "", "", "?!"),
        start=np.arange(5.0),
        end=np.arange(5.0) + 0.5,
        speaker=("a", "a", "a", "a", "b"),
        sentences=Segmentation.of_gaps(5, [0, 4]),
    )
    found = bare_talk(given)
    assert found.bare.words == ("so", "mr", "king", "left")
    assert found.bare.mark is None
    assert found.bare.start is not None
    assert found.bare.start.tolist() == [0, 1, 2, 4]
    assert found.bare.speaker == ("a", "a", "a", "b")
    assert found.target.tolist() == [END, 0, 1, 3]
    assert found.ends.tolist() == [True, False, False]


def test_labels_stand_for_marks() -> None:
    found = Segmentation(np.array([False, True, True]), (",", "?", ""))
    given = Transcript(("so", "he", "left"), sentences=found)
    assert bare_talk(given).target.tolist() == [1, 3, END]


@given(st.lists(st.text("aB.,'’-–?!…\"() ", min_size=1, max_size=4).filter(str.strip), max_size=8))
def test_there_is_a_class_for_each_bare_word(words: list[str]) -> None:
    ends = Segmentation.of_gaps(len(words), [len(words) - 1] if words else [])
    found = bare_talk(Transcript(tuple(word.strip() for word in words), sentences=ends))
    assert len(found.bare) == len(found.target)


def test_classes_that_no_transcript_tells_are_left_to_the_model() -> None:
    scores = np.log([[0.4, 0.2, 0.2, 0.1, 0.1]] * 3)
    told = wanted_classes(np.array([0, 1, 2]), scores)
    assert told.tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]]
    guessed = wanted_classes(np.array([0, END, 3]), scores)
    assert guessed == pytest.approx(
        np.array([[2 / 3, 1 / 3, 0, 0, 0], [0, 0, 0.5, 0.25, 0.25], [0, 0, 0, 1, 0]])
    )


# Folds


def test_whole_recordings_are_held_out() -> None:
    talks = [bare_talk(each) for each in TALKS]
    found = group_gaps(talks)
    assert found.held_out == "8 recordings"
    first = 0
    for number, each in enumerate(talks):
        own = slice(first, first + len(each.ends))
        assert len(set(found.fold[own].tolist())) == 1
        assert set(found.unit[own].tolist()) == {number}
        first += len(each.ends)
    assert set(found.fold.tolist()) == set(range(FOLDS))


def test_parts_of_few_recordings_are_held_out() -> None:
    talks = [bare_talk(talk(seed, 40)) for seed in range(2)]
    found = group_gaps(talks)
    assert found.held_out == "14 parts of recordings"
    assert set(found.fold.tolist()) == set(range(FOLDS))
    assert found.unit.max() + 1 == 16
    ends = np.concatenate([each.ends for each in talks])
    changes = np.flatnonzero(np.diff(found.fold))
    inner = [at for at in changes.tolist() if at != len(talks[0].ends) - 1]
    assert ends[inner].all()


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12))
def test_folds_are_of_about_equal_size(sizes: list[int]) -> None:
    talks = [bare_talk(talk(seed, size)) for seed, size in enumerate(sizes)]
    found = group_gaps(talks)
    assert len(found.fold) == len(found.unit) == sum(len(each.ends) for each in talks)
    if len(found.fold):
        whole = np.bincount(found.fold, minlength=FOLDS)
        units = (
            found.fold
            if len(sizes) < FOLDS
            else np.repeat(np.arange(len(sizes)), [len(each.ends) for each in talks])
        )
        assert whole.max() - whole.min() <= max(np.bincount(units).max(), 1)


# The last layer


def test_the_learner_scores_as_the_encoder_does() -> None:
    encoder = small_encoder(lone_bias=0.5)
    times = {"start": np.arange(len(TALKS[0])) * 0.4, "end": np.arange(len(TALKS[0])) * 0.4 + 0.3}
    talks = [bare_talk(each) for each in (TALKS[0].replace(**times), *TALKS[1:3])]
    learner = LayerLearner(encoder, talks)
    expected = [encoder.detect(each.bare).log_odds for each in talks]
    joined = np.concatenate([odds[:-1] for odds in expected if odds is not None])
    assert learner.odds == pytest.approx(joined, abs=1e-4)


@pytest.mark.parametrize("choice", [STORED, PRIORS, *adapting.LAYERS])
def test_what_was_fitted_is_what_the_encoder_then_does(choice: str) -> None:
    talks = [bare_talk(each) for each in TALKS[:4]]
    learner = LayerLearner(small_encoder(lone_bias=0.5), talks)
    every = np.ones(len(learner.odds), np.bool_)
    made = learner.made(choice, 0.25)
    assert made.settings["bias"] == 0.25
    odds = [made.detect(each.bare).log_odds for each in talks]
    joined = np.concatenate([each[:-1] for each in odds if each is not None])
    assert joined == pytest.approx(learner.fits(every, every)[choice].odds + 0.25, abs=1e-3)


def test_all_heads_are_changed_alike() -> None:
    talks = [bare_talk(each) for each in TALKS[:4]]
    encoder = small_encoder()
    made = LayerLearner(encoder, talks).made([*adapting.LAYERS][-1], 0.0)
    changed = {
        name: made.state()[name] - array
        for name, array in encoder.state().items()
        if not np.array_equal(made.state()[name], array)
    }
    assert set(changed) == {"gap.weight", "gap.bias"}
    weight = changed["gap.weight"].reshape(6, 5, -1)
    assert weight == pytest.approx(np.broadcast_to(weight[:1], weight.shape), rel=1e-5, abs=1e-5)


def test_weaker_ridges_fit_what_is_known_better() -> None:
    talks = [bare_talk(each) for each in TALKS]
    learner = LayerLearner(small_encoder(), talks)
    every = np.ones(len(learner.odds), np.bool_)
    losses = [fit.loss.mean() for fit in learner.fits(every, every).values()]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.7 * losses[0]


# Cross-validation


def test_recordings_of_one_word_are_left_out(model: Path, tmp_path: Path) -> None:
    short = [Transcript(("so",), mark=(".",), id=f"s{n}", sentences=END_ONLY) for n in range(4)]
    given = [talk(1, 80), *short]
    found = adapt(model, train=given, output=tmp_path / "own", force=True)
    assert found.written
    assert found.held_out.endswith("parts of recordings")


def test_no_fold_is_seen_by_what_is_applied_to_it() -> None:
    """Turning the truth of one fold around changes no log-odds there."""
    talks = [bare_talk(each) for each in TALKS]
    ends = np.concatenate([each.ends for each in talks])
    fold = group_gaps(talks).fold
    learner = LayerLearner(small_encoder(), talks)
    found = CrossValidation(learner, ends, fold).log_odds
    for one in range(2):
        own = fold == one
        learner.wanted[own] = np.roll(learner.wanted[own], 2, axis=1)
        again = CrossValidation(learner, np.where(own, ~ends, ends), fold).log_odds
        learner.wanted[own] = np.roll(learner.wanted[own], -2, axis=1)
        assert again[own].tolist() == found[own].tolist()
        assert again[~own].tolist() != found[~own].tolist()


def test_the_bias_alone_is_chosen_on_the_other_folds() -> None:
    talks = [bare_talk(each) for each in TALKS]
    ends = np.concatenate([each.ends for each in talks])
    fold = group_gaps(talks).fold
    learner = BiasLearner(small_encoder(), talks)
    found = CrossValidation(learner, ends, fold)
    for one in range(FOLDS):
        others = fold != one
        bias = -best_threshold(learner.odds[others], ends[others])
        own = found.log_odds[~others]
        assert own == pytest.approx(learner.odds[~others] + bias)
    choice, bias = found.choose()
    assert choice == STORED
    assert bias == pytest.approx(-best_threshold(learner.odds, ends))


def test_the_difference_is_that_of_boundary_scores() -> None:
    random = np.random.default_rng(1)
    ends = random.random(400) < 0.2
    before, after = ends ^ (random.random(400) < 0.15), ends ^ (random.random(400) < 0.05)
    found = compare_decisions(after, before, ends, np.arange(400) // 20)
    rates = [_f1(flags, ends) for flags in (after, before)]
    assert found.difference is not None
    assert found.difference == pytest.approx(rates[0] - rates[1])
    assert found.p_randomization is not None
    assert found.p_randomization < 0.01
    assert found.interval is not None
    assert found.interval[0] < found.difference < found.interval[1]
    same = compare_decisions(after, after, ends, np.arange(400) // 20)
    assert (same.difference, same.p_randomization) == (0, 1)


def _f1(flags: Any, ends: Any) -> float:
    words = ("x",) * (len(ends) + 1)
    sides = [Segmentation(np.append(one, True)) for one in (flags, ends)]
    one, other = (Transcript(words, sentences=each) for each in sides)
    value = Boundary().values(Boundary().count(one, [other]))["f1"]
    assert isinstance(value, float)
    return value


def test_a_model_that_finds_nothing_has_an_f1_of_0() -> None:
    ends = np.tile([False, False, True], 100)
    found = compare_decisions(ends, np.zeros(300, np.bool_), ends, np.arange(300) // 10)
    assert found.difference == 1
    assert found.p_randomization is not None
    assert found.p_randomization < 0.01


# The run


def taught_talks() -> list[Transcript]:
    """Return recordings whose sentences end where another last layer says so."""
    talks = [talk(seed, 60) for seed in range(9)]
    rows = LayerLearner(small_encoder(), [bare_talk(each) for each in talks]).rows
    odds = rows @ np.random.default_rng(7).normal(size=rows.shape[1])
    ends = odds > np.quantile(odds, 0.85)
    parts = np.split(ends, np.cumsum([len(each) - 1 for each in talks])[:-1])
    return [
        each.replace(mark=None, sentences=Segmentation(np.append(part, True)))
        for each, part in zip(talks, parts, strict=True)
    ]


def test_an_encoder_learns_where_sentences_end(model: Path, tmp_path: Path) -> None:
    *talks, last = taught_talks()
    found = adapt(model, train=talks, output=tmp_path / "mine")
    assert found.helped
    assert found.written
    assert found.fitted in adapting.LAYERS
    assert found.after["f1"] > 0.75  # type: ignore[operator]
    assert found.gain > 0.2
    loaded = store.load(tmp_path / "mine")
    assert loaded.detector == found.detector
    other = bare_talk(last).bare
    assert loaded.detector.detect(other) == found.detector.detect(other)
    scored = Boundary().values(
        Boundary().count(other.replace(sentences=loaded.detector.detect(other)), [other])
    )
    assert scored["f1"] > 0.6  # type: ignore[operator]


def test_the_card_says_what_was_done(model: Path, tmp_path: Path) -> None:
    found = adapt(model, train=TALKS, output=tmp_path / "mine")
    card, old = store.read_card(tmp_path / "mine"), store.read_card(model)
    assert card.name == "mine"
    assert card.about == f"A test. Adapted from the model small ({old.checksum[:12]})."
    assert (card.language, card.licence) == ("en", "CC0")
    assert [row["name"] for row in card.data] == ["x", "recordings"]
    assert card.data[1]["purpose"] == "adapt"
    assert card.data[1]["sentences"] == 320
    assert card.scores["f1"] == found.after["f1"]
    assert card.scores["f1_before"] == found.before["f1"]
    assert card.scores["p"] == found.p
    assert card.notes.startswith(f"Fitted: {found.fitted}. Scores are cross-validated: 8 recordi")
    assert [row["fitted"] for row in card.curve] == [STORED, PRIORS, *adapting.LAYERS]
    assert card.reliability
    named = adapt(model, train=TALKS, output=tmp_path / "mine", name="calls", about="For calls.")
    card = store.read_card(tmp_path / "mine")
    assert (card.name, card.about[:10]) == ("calls", "For calls.")
    assert named == found


def test_the_same_twice(model: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        adapt(model, train=TALKS, output=tmp_path / name, name="same")
    one, two = ((tmp_path / name / store.ARRAYS).read_bytes() for name in ("one", "two"))
    assert one == two
    assert store.read_card(tmp_path / "one") == store.read_card(tmp_path / "two")


def test_what_is_already_right_is_left_alone(model: Path, tmp_path: Path) -> None:
    adapt(model, train=TALKS, output=tmp_path / "mine")
    others = [talk(seed, 40) for seed in range(20, 28)]
    again = adapt(tmp_path / "mine", train=others, output=tmp_path / "again")
    assert not again.helped
    assert not again.written
    assert not (tmp_path / "again").exists()
    assert str(again).endswith("; the model was left as it is")
    forced = adapt(tmp_path / "mine", train=others, output=tmp_path / "again", force=True)
    assert not forced.helped
    assert str(forced).endswith("; it was written all the same")
    assert store.load(tmp_path / "again").detector == forced.detector


def test_one_recording_is_enough(model: Path, tmp_path: Path) -> None:
    found = adapt(model, train=talk(1, 300), output=tmp_path / "mine")
    assert found.held_out == "15 parts of recordings"
    assert found.helped


def stored(tmp_path: Path, detector: Detector) -> Path:
    return store.save(tmp_path / "given", detector, Card(name="given"))


def test_of_other_detectors_the_bias_is_fitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    trained = Tiny(letters=9).train([bare_talk(TALKS[0]).bare]).adjusted(bias=-9.0)
    found = adapt(stored(tmp_path, trained), train=TALKS, output=tmp_path / "mine")
    assert found.helped
    assert found.fitted == STORED
    assert found.before["recall"] == 0
    assert found.after["f1"] == 1
    assert str(found).startswith("it helped: F1 – -> 1.000 (p = .0")
    assert store.load(tmp_path / "mine").detector.state().keys() == trained.state().keys()
    assert store.read_card(tmp_path / "mine").curve == ({"fitted": "bias", "log_loss": 0.0},)


def test_a_detector_inside_others_is_fitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    trained = Tiny(letters=9).train([bare_talk(TALKS[0]).bare]).adjusted(bias=-9.0)
    around = Decision(trained, prefer="recall", longest=40)
    found = adapt(stored(tmp_path, around), train=TALKS, output=tmp_path / "mine")
    assert found.detector.settings["prefer"] == "recall"
    assert found.detector.settings["longest"] == 40
    assert found.detector.settings["detector"].bias > -9
    # The card is for the log-odds with what the preference adds.
    plain = adapt(stored(tmp_path / "plain", trained), train=TALKS, output=tmp_path / "other")
    assert plain.detector.settings["bias"] == found.detector.settings["detector"].bias
    (scale, bias), (own_scale, own_bias) = (
        store.read_card(tmp_path / name).calibration or (0.0, 0.0) for name in ("mine", "other")
    )
    assert scale == pytest.approx(own_scale, rel=1e-3)
    assert bias == pytest.approx(own_bias - own_scale * around.shift, abs=1e-2)
    named = fitted_part(Decision(Model(str(tmp_path / "given")), longest=9))
    assert isinstance(named[0], Tiny)
    assert named[1](named[0]) == Decision(Decision(trained, prefer="recall", longest=40), longest=9)


def test_a_fusion_keeps_its_weights(tmp_path: Path) -> None:
    fusion = Fusion((Pause(evidence=("pause",)),), weights=(2.0,), bias=-30.0)
    times = [each.replace(start=np.arange(len(each)) * 1.0, end=_ends_of(each)) for each in TALKS]
    found = adapt(stored(tmp_path, fusion), train=times, output=tmp_path / "mine")
    assert found.helped
    assert found.detector.settings["weights"] == (2.0,)
    assert found.after["f1"] == 1


def _ends_of(transcript: Transcript) -> Any:
    assert transcript.sentences is not None
    return np.arange(len(transcript)) + np.where(transcript.sentences.boundary, 0.2, 0.9)


# Errors


@pytest.mark.parametrize(
    ("detector", "message"),
    [
        (Pause(), "there is nothing to fit in Pause: it has no bias; adapt a model that has one"),
        (Tiny(decision="viterbi"), "there is nothing to fit in Tiny"),
        (PauseModel(), "can learn nothing from the recordings to train on"),
    ],
)
def test_detectors_that_cannot_be_fitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, detector: Detector, message: str
) -> None:
    register(monkeypatch)
    if not isinstance(detector, Pause):
        each = talk(1)
        places = np.arange(len(each)) * 1.0
        detector = detector.train([each.replace(start=places, end=places + 0.5)])
    with pytest.raises((ModelError, LayerError), match=message):
        adapt(stored(tmp_path, detector), train=TALKS, output=tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


def test_taggers_are_no_detectors(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="a detector is wanted"):
        adapt("atene", train=TALKS, output=tmp_path / "mine")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            [talk(seed) for seed in range(4)],
            "48 sentences cannot show whether adapting helps: 50 are the least; give more",
        ),
        ([talk(seed, 1) for seed in range(90)], "hardly any sentence ends inside a recording"),
        ([TALKS[0].replace(sentences=None)], "1 has no sentences: 0; give text with punctuation"),
        ([], "there are no recordings to adapt to; name some with --train"),
    ],
)
def test_data_that_cannot_be_used(
    model: Path, tmp_path: Path, given: list[Transcript], message: str
) -> None:
    with pytest.raises(LayerError, match=message):
        adapt(model, train=given, output=tmp_path / "mine")


def test_too_many_words_are_refused(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapting, "MOST_WORDS", 100)
    with pytest.raises(LayerError, match="words are too many to adapt to: 100 are the most; give"):
        adapt(model, train=TALKS, output=tmp_path / "mine")


def test_the_output_is_checked_first(model: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(OutputError, match="something that is not a model is there"):
        adapt(model, train="nowhere", output=tmp_path / "taken")


def test_results_as_text_and_json() -> None:
    rates = {"precision": 0.7, "recall": 0.7, "f1": 0.712, "ser": 0.5}
    made = Adaptation(Pause(), rates, {**rates, "f1": 0.741}, 0.012, (0.01, 0.05))
    assert str(made) == "it helped: F1 .712 -> .741 (p = .012)"
    unsure = Adaptation(Pause(), rates, {**rates, "f1": 0.713}, 0.4)
    assert str(unsure) == (
        "it is not certain that it helped: F1 .712 -> .713 (p = .400); the model was left as it is"
    )
    assert not Adaptation(Pause(), rates, rates, None).helped
    document = json.loads(json.dumps(made.to_json()))
    assert document["helped"] is True
    assert document["interval"] == [0.01, 0.05]
    assert caesura.Adaptation is Adaptation
