"""Training and tuning: combinations of settings, the bias, scores, and refused data."""

import logging
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura
from caesura import api
from caesura.core.errors import (
    CaesuraError,
    LayerError,
    MismatchError,
    ModelError,
    OutputError,
    UnknownName,
)
from caesura.core.protocols import Detector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.core.values import Undefined
from caesura.detectors.fusion import Fusion
from caesura.detectors.lm import Combination
from caesura.detectors.pause import Pause, PauseModel
from caesura.detectors.stored_model import Model
from caesura.detectors.window_stream import Lookahead
from caesura.metrics.boundary import Boundary
from caesura.models import store
from caesura.training.data import DatasetReader
from caesura.training.search import RATES, Training, needs_retraining, train_and_tune, with_settings
from tiny import Around, Tiny, register

EXAMPLES = Path(__file__).parents[2] / "examples"
WORDS = "so we went there and they said it was over then he left us".split()


def speech(seed: int, count: int = 80, id: str = "") -> Transcript:
    """Return timed words, some of which end sentences more often than others."""
    rng = np.random.default_rng(seed)
    words = rng.choice(len(WORDS), count)
    ends = rng.random(count) < np.where(words % 3 == 0, 0.6, 0.1)
    gaps = np.round(rng.exponential(np.where(ends, 0.5, 0.2)), 2)
    start = np.cumsum(gaps + 0.3)
    return Transcript(
        tuple(WORDS[i] for i in words),
        id=id or str(seed),
        start=start - gaps,
        end=start - gaps + 0.3,
        sentences=Segmentation(ends),
    )


TRAIN = [speech(seed) for seed in range(5)]
DEV = [speech(seed, 40) for seed in range(10, 14)]


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


def f1(detector: Detector) -> float:
    """F1 on the development recordings, counted one by one."""
    correct = found = real = 0
    for each in DEV:
        assert each.sentences is not None
        ours, theirs = detector.detect(each).boundary[:-1], each.sentences.boundary[:-1]
        correct += int((ours & theirs).sum())
        found += int(ours.sum())
        real += int(theirs.sum())
    return 2 * correct / (found + real)


def test_scores_are_those_of_the_score_command(tmp_path: Path) -> None:
    out = tmp_path / "model"
    made = caesura.train("Tiny", train=TRAIN, dev=DEV, output=out, tune="smooth=0.5:2:0.5")
    stored = store.load(out)
    found = [each.replace(sentences=stored.detector.detect(each)) for each in DEV]
    (values,) = api.score(found, reference=[DEV], resamples=0).values
    assert {name: values[name] for name in RATES} == made.scores
    assert made.curve[made.best].scores == made.scores
    assert made.scores["f1"] == pytest.approx(f1(made.detector))


@pytest.mark.parametrize("goal", ["f1", "ser"])
def test_the_best_bias_is_chosen(goal: str) -> None:
    made = train_and_tune(Tiny(), TRAIN, DEV, goal=goal)
    assert made.detector.settings["bias"] == made.curve[0].bias
    tried = [made.detector.adjusted(bias=bias) for bias in np.linspace(-6, 6, 400).tolist()]
    sign = 1 if goal == "f1" else -1
    others = [_scores(each)[goal] for each in tried]
    best = made.scores[goal]
    assert all(isinstance(o, Undefined) or sign * o <= sign * best for o in others)  # type: ignore[operator]


def _scores(detector: Detector) -> dict[str, Any]:
    metric = Boundary()
    counts = sum(
        (metric.count(t.replace(sentences=detector.detect(t)), [t]) for t in DEV[1:]),
        metric.count(DEV[0].replace(sentences=detector.detect(DEV[0])), [DEV[0]]),
    )
    return metric.values(counts)


def test_combinations_are_tried_in_order_and_retrained_only_if_needed() -> None:
    made = train_and_tune(Tiny(), TRAIN, DEV, tune=["smooth=1,4", "letters=1:3"])
    expected = [{"smooth": s, "letters": n} for s, n in product((1, 4), (1, 2, 3))]
    assert [row.settings for row in made.curve] == expected
    assert Tiny.trainings == [1, 2, 3]
    for row in made.curve:
        alone = train_and_tune(Tiny().adjusted(**row.settings), TRAIN, DEV)
        assert alone.scores == row.scores
        assert alone.curve[0].bias == row.bias
    best = max(row.scores["f1"] for row in made.curve)  # type: ignore[type-var]
    assert made.curve[made.best].scores["f1"] == best
    chosen = {**expected[made.best], "bias": made.curve[made.best].bias}
    assert made.detector.settings == {**Tiny().settings, **chosen}


def test_of_equal_scores_the_first_is_chosen() -> None:
    made = train_and_tune(Pause(evidence=("pause",)), TRAIN, DEV, tune="threshold=9,8,7")
    assert made.best == 0
    assert isinstance(made.scores["f1"], Undefined)


def test_the_goal_can_be_the_lowest_slot_error_rate() -> None:
    made = train_and_tune(
        Pause(evidence=("pause",)), TRAIN, DEV, tune="threshold=0.1:2:0.1", goal="ser"
    )
    assert made.scores["ser"] == min(row.scores["ser"] for row in made.curve)  # type: ignore[type-var]


def test_settings_of_detectors_within_are_tuned_without_losing_their_models() -> None:
    made = train_and_tune(Around(), TRAIN, DEV, tune=["inner.bias=-1,0,1", "factor=1,2"])
    assert Tiny.trainings == [1]
    assert isinstance(made.detector, Around)
    assert made.detector.model.tolist() == [len(TRAIN)]
    assert made.scores["f1"] == pytest.approx(f1(made.detector))
    train_and_tune(Around(), TRAIN, DEV, tune=["inner.letters=1,2", "inner.bias=0,1"])
    assert Tiny.trainings == [1, 1, 2]


def test_which_settings_need_retraining() -> None:
    fused = Fusion((PauseModel(), Pause()))
    for detector, name, expected in [
        (PauseModel(), "smooth", False),
        (PauseModel(), "step", True),
        (Lookahead(PauseModel()), "detector.smooth", False),
        (Lookahead(PauseModel()), "detector.step", True),
        (fused, "detectors.0.smooth", True),
        (fused, "bias", False),
    ]:
        assert needs_retraining(detector, name) is expected, name
    assert with_settings(fused, {"detectors.1.threshold": 0.7}) == Fusion(
        (PauseModel(), Pause(threshold=0.7))
    )


def test_a_tuned_bias_and_viterbi_decisions_are_left_alone() -> None:
    made = train_and_tune(Tiny(), TRAIN, DEV, tune="bias=0.25,0.5")
    assert [row.bias for row in made.curve] == [None, None]
    assert made.detector.settings["bias"] in (0.25, 0.5)
    decided = train_and_tune(Tiny(decision="viterbi", bias=0.75), TRAIN, DEV)
    assert decided.detector == Tiny(decision="viterbi", bias=0.75)
    assert decided.scores["f1"] == pytest.approx(f1(decided.detector))


def test_more_text_is_trained_on_too() -> None:
    bare = [Transcript(t.words, id=f"text {t.id}", sentences=t.sentences) for t in TRAIN[2:]]
    made = train_and_tune(Tiny(), TRAIN[:2], DEV, bare)
    assert made.detector.state()["seen"].sum() == sum(map(len, TRAIN))


def test_without_development_recordings_it_is_only_trained(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, "caesura.training"):
        made = train_and_tune(Tiny(bias=0.5), TRAIN)
    assert made == Training(made.detector)
    assert made.detector == Tiny(bias=0.5)
    assert "neither tuned nor scored" in caplog.text
    with pytest.raises(MismatchError, match="tuned on development recordings"):
        train_and_tune(Tiny(), TRAIN, tune="smooth=1,2")


@pytest.mark.parametrize("place", ["train", "text"])
def test_development_recordings_must_not_be_trained_on(place: str) -> None:
    given: dict[str, list[Transcript]] = {"train": TRAIN, "dev": DEV, "text": []}
    given[place] = [*given[place], DEV[1]]
    with pytest.raises(MismatchError, match=r"1 development recording is among .*: 11"):
        train_and_tune(Tiny(), given["train"], given["dev"], given["text"])
    given[place] = [*given[place][:-1], DEV[1].replace(id="another")]
    with pytest.raises(MismatchError, match=r"1 development recording is among .*: another"):
        train_and_tune(Tiny(), given["train"], given["dev"], given["text"])
    short = DEV[1][:19]
    train_and_tune(
        Tiny(), [*TRAIN, speech(99, id=DEV[1].id), short.replace(id="another")], [*DEV, short]
    )


def test_development_recordings_must_differ_in_more_than_case_and_punctuation() -> None:
    upper = tuple(f"{word.title()}," if at % 3 else word for at, word in enumerate(DEV[1].words))
    with pytest.raises(MismatchError, match=r"1 development recording is among .*: shouted"):
        train_and_tune(Tiny(), [*TRAIN, DEV[1].replace(words=upper, id="shouted")], DEV)


def test_two_annotations_of_one_recording_are_not_disjoint(
    tmp_path: Path,
) -> None:
    ann, ben = (EXAMPLES / f"council.{name}.txt" for name in ("ann", "ben"))
    with pytest.raises(MismatchError, match=r"1 development recording is among .*: council\.ann"):
        caesura.train("LM(cutoff=1)", train=ann, dev=ben, output=tmp_path / "model")


@pytest.mark.parametrize(
    ("text", "words"), [("a b c d " * 60, "240"), ("a\n" * 30, "1")], ids=["none", "each"]
)
def test_odd_sentence_lengths_are_warned_of(
    text: str, words: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "odd.txt").write_text(text)
    with caplog.at_level(logging.WARNING, "caesura.training"):
        caesura.train("LM", train=tmp_path / "odd.txt", output=tmp_path / "m", format="lines")
    assert f"odd has {words} words a sentence: are its sentences marked" in caplog.text


@pytest.mark.parametrize("place", ["train", "dev", "text"])
def test_recordings_without_sentences_are_refused_in_one_error(place: str) -> None:
    given: dict[str, list[Transcript]] = {"train": TRAIN, "dev": DEV, "text": [speech(50)]}
    bare = [speech(60 + i).replace(sentences=None) for i in range(7)]
    given[place] = [*given[place], *bare]
    with pytest.raises(LayerError, match="7 have no sentences: 60, 61, 62, 63, 64, …"):
        train_and_tune(Tiny(), given["train"], given["dev"], given["text"])


def test_recordings_without_words_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    nothing = Transcript((), id="silence")
    with caplog.at_level(logging.INFO, "caesura.training"):
        made = train_and_tune(Tiny(), [*TRAIN, nothing], [nothing, *DEV])
    assert caplog.text.count("no words: 1 recording to") == 2
    assert made.scores == train_and_tune(Tiny(), TRAIN, DEV).scores
    for given in ([nothing], []):
        with pytest.raises(LayerError, match="there are no"):
            train_and_tune(Tiny(), given)
    with pytest.raises(LayerError, match="no words in the recordings to tune on"):
        train_and_tune(Tiny(), TRAIN, [nothing])


def test_development_recordings_of_one_sentence_are_refused() -> None:
    whole = Transcript(("a", "b"), sentences=Segmentation.of_gaps(2, [1]))
    with pytest.raises(LayerError, match="one sentence each"):
        train_and_tune(Tiny(), TRAIN, [whole])


@pytest.mark.parametrize(
    ("tune", "reason"),
    [
        ("smoth=1", "Tiny has no setting 'smoth'; it has letters, smooth"),
        ("smooth", "is not a range to tune"),
        ("=1", "is not a range to tune"),
        ("smooth=", "is not a range to tune; write setting=first:last"),
        ("smooth=1:", "is not a range to tune; write setting=first:last"),
        ("smooth=0.1:1", "needs a step"),
        ("smooth=nan", "is not a range to tune"),
        ("smooth=a-b", "is not a range to tune"),
        ("letters=0", "letters=0: letters is a number of letters"),
        ("letters=many", "letters=many: letters is a number of letters"),
        ("smooth.x=1", "1.0 has no setting 'x' \\(of 'smooth.x'\\)"),
        (["smooth=1", "smooth=2"], "tuned twice"),
        (["smooth=1:100", "letters=1:100"], "10,000 combinations"),
    ],
)
def test_wrong_settings_are_refused_before_training(tune: Any, reason: str) -> None:
    with pytest.raises(UnknownName, match=reason):
        train_and_tune(Tiny(), TRAIN, DEV, tune=tune)
    assert not Tiny.trainings


def test_strings_and_booleans_can_be_tuned() -> None:
    made = train_and_tune(Tiny(), TRAIN, DEV, tune="decision=posterior,viterbi,None,True")
    tried = [row.settings["decision"] for row in made.curve]
    assert tried == ["posterior", "viterbi", None, True]


def test_tuples_can_be_tuned(tmp_path: Path) -> None:
    detector = "LM(cutoff=1)"
    out = tmp_path / "model"
    made = caesura.train(
        detector, train=TRAIN, dev=DEV, output=out, tune="strength=(4,16),(1, 2.5)"
    )
    assert [row.settings["strength"] for row in made.curve] == [(4, 16), (1, 2.5)]
    assert [row["strength"] for row in store.read_card(out).curve] == ["(4, 16)", "(1, 2.5)"]


def test_a_combination_of_detectors_is_tuned_as_a_whole() -> None:
    made = train_and_tune(
        Combination(), TRAIN, DEV, tune=["weight=0,1,2", "way=A,B", "lm.order=2,3"]
    )
    assert len(made.curve) == 12
    best = made.curve[made.best]
    for row in made.curve:
        assert row.merit("f1") <= best.merit("f1")
    assert made.detector.settings["lm"].order == best.settings["lm.order"]
    assert made.scores["f1"] == pytest.approx(f1(made.detector))


def test_unknown_goals_are_refused() -> None:
    with pytest.raises(UnknownName, match="there is no goal 'best'; known are f1, ser"):
        train_and_tune(Tiny(), TRAIN, DEV, goal="best")


@pytest.mark.parametrize(
    ("detector", "module", "package", "extra"),
    [
        ("CRF", "pycrfsuite", "python-crfsuite", "train"),
        ("SVM", "sklearn", "scikit-learn", "train"),
        ("SDA", "scipy", "scipy", "train"),
        ("SDA", "pycrfsuite", "python-crfsuite", "train"),
        ("Margins", "scipy", "scipy", "train"),
        ("CNN", "torch", "torch", "neural"),
    ],
)
def test_missing_packages_are_reported_before_anything_is_read(
    detector: str,
    module: str,
    package: str,
    extra: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    message = rf"training {detector} needs {package}, which is not .*'caesura\[{extra}\]'"
    with pytest.raises(CaesuraError, match=message):
        caesura.train(detector, train=tmp_path / "nowhere", output=tmp_path / "model")


def test_the_card_describes_the_training(tmp_path: Path) -> None:
    texts = {"about": "A test.", "language": "en", "licence": "CC0"}
    made = caesura.train(
        Tiny(),
        train=TRAIN,
        dev=DEV,
        output=tmp_path / "model",
        tune="smooth=1,2",
        goal="ser",
        normalize="case",
        **texts,
    )
    card = store.read_card(tmp_path / "model")
    assert {name: getattr(card, name) for name in texts} == texts
    assert card.name == "model"
    assert card.detector == repr(made.detector)
    assert [row["purpose"] for row in card.data] == ["train", "dev"]
    assert card.data[0]["words"] == sum(map(len, TRAIN))
    assert card.data[0]["sentences"] == sum(len(t.sentences.gaps) for t in TRAIN if t.sentences)
    assert made.calibration is not None
    assert card.scores == {"goal": "ser", **made.scores, **made.calibration.scores()}
    assert card.reliability == tuple(made.calibration.rows())
    assert sum(row["gaps"] for row in card.reliability) == sum(len(each) - 1 for each in DEV)
    assert [row["smooth"] for row in card.curve] == [1, 2]
    assert card.curve[made.best]["ser"] == made.scores["ser"]
    assert card.notes == "words normalised before training: case"


def test_an_output_that_is_taken_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann,")
    for place in (tmp_path, tmp_path / "letter.txt", tmp_path / "letter.txt" / "model"):
        with pytest.raises(OutputError, match="cannot be written"):
            caesura.train("Tiny", train=tmp_path / "nothing", output=place)
    assert (tmp_path / "letter.txt").read_text() == "Dear Ann,"


def test_equal_strings_are_kept_in_memory_once() -> None:
    made = [Transcript(("".join(["wo", end]), "x"), mark=("." * 2, "")) for end in ("rd", "rd")]
    (kept,) = DatasetReader().read("text", ["a"], [made])
    one, other = kept.recordings
    assert one == made[0]
    assert one.words[0] is other.words[0]


def test_a_detector_without_a_model_can_be_tuned(tmp_path: Path) -> None:
    detector = "Pause(evidence=('pause',))"
    caesura.train(detector, train=TRAIN, dev=DEV, output=tmp_path / "m", tune="threshold=0.1:1:0.1")
    stored = store.load(tmp_path / "m").detector
    assert isinstance(stored, Pause)
    assert f1(stored) == max(f1(Pause(t / 10, ("pause",))) for t in range(1, 11))


@pytest.mark.parametrize(
    "detector",
    [Pause(), Lookahead(Pause()), Fusion((Pause(), Pause(0.6)), weights=(1.0, 1.0)), Model("en")],
)
def test_a_detector_that_learns_nothing_is_not_trained(detector: Detector, tmp_path: Path) -> None:
    message = f"{detector.name} learns nothing from recordings; train another, such as PauseM"
    for dev in ([], DEV) if detector.name in ("Pause", "Lookahead") else ([],):
        with pytest.raises(ModelError, match=message):
            caesura.train(detector, train=TRAIN, dev=dev, output=tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_recordings_without_times_do_not_train_a_model_of_pauses(tmp_path: Path) -> None:
    bare = [each.only(["sentences"]) for each in TRAIN]
    message = (
        "PauseModel can learn nothing from the recordings to train on: no word times and no .*; "
        "give recordings that have that"
    )
    for dev in ([], DEV):
        with pytest.raises(LayerError, match=message):
            caesura.train("PauseModel", train=bare, dev=dev, output=tmp_path / "m")
    caesura.train("Combination", train=bare, output=tmp_path / "m")
    caesura.train("PauseModel", train=[*bare, speech(9)], output=tmp_path / "n")
