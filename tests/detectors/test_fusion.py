"""The detector Fusion: the weighted sum of log-odds, its weights, and missing values."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura import api
from caesura.core.arrays import Floats, Strings
from caesura.core.errors import LayerError, ModelError
from caesura.core.protocols import Detector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.column import Column
from caesura.detectors.decision_stream import REACH
from caesura.detectors.fusion import CERTAIN, Fusion
from caesura.detectors.pause import Pause
from caesura.detectors.stored_model import Model

PAUSE = Pause(evidence=("pause",))
BOTH = Fusion((Column("x"), Column("y")))


@dataclass(frozen=True, repr=False)
class Rate(TrainableDetector[Floats]):
    """Gives every gap the rate of boundaries in training; remembers its training recordings."""

    extra: float = 0.0
    name = "Rate"

    def log_odds(self, transcript: Transcript) -> Floats:
        return np.full(len(transcript), self.model[0] + self.extra)

    def label(self, transcript: Transcript) -> Strings | None:
        return ("?",) * len(transcript)

    def coverage(self, transcript: Transcript) -> float:
        return 0.25

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> "Rate":
        return self.with_model(np.array([len(train), len(dev), len(text)], np.float64))

    def state(self) -> Mapping[str, NDArray[Any]]:
        return {"rate": self.model}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> "Rate":
        return self.with_model(state["rate"])

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Odd(Detector):
    """Gives log-odds that cannot be added."""

    name = "Odd"

    def log_odds(self, transcript: Transcript) -> Floats:
        return np.array([np.inf, -np.inf, np.nan, 1e300])[: len(transcript)]

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        raise NotImplementedError


def columns(seed: int, count: int, id: str = "talk") -> Transcript:
    """Return columns x and y, and sentence ends with the log-odds 2x - y - 1."""
    chance = np.random.default_rng(seed)
    x, y = chance.normal(size=(2, count))
    ends = chance.random(count) < 1 / (1 + np.exp(-(2 * x - y - 1)))
    evidence = {"x": x, "y": y}
    return Transcript(("w",) * count, id=id, evidence=evidence, sentences=Segmentation(ends))


def test_a_column_of_another_system_and_pauses_add_up_as_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    line = {
        "id": "talk",
        "words": ["so", "it", "goes", "next", "please"],
        "start": [0.0, 0.5, 1.0, 2.0, 3.0],
        "end": [0.5, 0.8, 1.5, 2.75, 3.5],
        "evidence": {"bert": [0.1, 0.8, 0.5, None, 1.0]},
    }
    file.write_text(json.dumps(line), encoding="utf-8")
    detector = (
        "Fusion((Pause(evidence=('pause',)), Column('bert', scale='probability')), "
        "weights=(0.5, 2.0), bias=-0.75)"
    )
    (found,) = api.segment(file, detector=detector)
    assert found.sentences is not None
    # Pauses of 0, 0.2, 0.5 and 0.25 s at 10 a second above 0.3995 s, down to -4; -1 at the end.
    pause = [-3.995, -1.995, 1.005, -1.495, -1.0]
    bert = [-log(9), log(4), 0.0, 0.0, log(999999)]
    expected = [-0.75 + 0.5 * p + 2 * b for p, b in zip(pause, bert, strict=True)]
    assert found.sentences.log_odds is not None
    np.testing.assert_allclose(found.sentences.log_odds, expected, rtol=1e-9)
    assert found.sentences.gaps.tolist() == [1, 4]


def test_untrained_each_weight_is_one() -> None:
    given = columns(0, 9)
    assert given.evidence is not None
    expected = given.evidence["x"] + given.evidence["y"]
    np.testing.assert_array_equal(BOTH.log_odds(given), expected)
    assert dict(BOTH.state()) == {}


def test_weights_are_trained_on_the_dev_set() -> None:
    train = [columns(1, 500).replace(sentences=Segmentation(np.ones(500, np.bool_)))]
    made = BOTH.train(train, [columns(2, 20_000), columns(3, 20_000)])
    assert made == BOTH
    constant, weights = made.terms
    np.testing.assert_allclose([constant, *weights], [-1, 2, -1], atol=0.08)
    given = columns(4, 50)
    assert given.evidence is not None
    expected = constant + weights[0] * given.evidence["x"] + weights[1] * given.evidence["y"]
    np.testing.assert_allclose(made.log_odds(given), expected)


def test_the_last_gap_is_no_training_example() -> None:
    short = [columns(seed, 12) for seed in range(200)]
    flipped = [
        one.replace(evidence={k: np.append(v[:-1], 50.0) for k, v in (one.evidence or {}).items()})
        for one in short
    ]
    assert BOTH.train([], short).terms == BOTH.train([], flipped).terms


def test_without_a_dev_set_a_warning_is_given(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "caesura"):
        made = BOTH.train([columns(1, 500)])
    assert "trained on, where they look better than they are" in caplog.text
    assert made.terms == BOTH.train([], [columns(1, 500)]).terms


def test_weights_that_are_given_are_not_trained() -> None:
    given = Fusion(BOTH.detectors, weights=(1, 3), bias=0.5)
    made = given.train([columns(1, 500)], [columns(2, 500)])
    assert made.terms == (0.5, (1.0, 3.0))
    assert dict(made.state()) == {}


def test_bias_and_weights_can_be_changed_after_training() -> None:
    made = BOTH.train([], [columns(2, 500)])
    constant, weights = made.terms
    assert made.adjusted(bias=2.0).terms == (constant + 2.0, weights)
    explicit = made.adjusted(weights=(1.0, 1.0))
    assert explicit.terms == (0.0, (1.0, 1.0))
    assert explicit.adjusted(weights=()).terms == made.terms
    assert not {"bias", "weights"} & Fusion.retrain_settings


def test_ridge_shrinks_weights() -> None:
    dev = [columns(2, 500)]
    light, strong = (Fusion(BOTH.detectors, ridge=r).train([], dev).terms[1] for r in (0.1, 1e4))
    assert abs(strong[0]) < abs(light[0]) / 2
    assert abs(strong[1]) < abs(light[1]) / 2


def test_inner_detectors_are_trained_on_the_training_set() -> None:
    made = Fusion((Rate(), Column("x"))).train([columns(1, 9)] * 3, [columns(2, 99)], [])
    assert made.state()["0.rate"].tolist() == [3, 1, 0]


def test_the_state_can_be_restored_to_the_last_bit() -> None:
    inner = Fusion((Rate(extra=0.5), Column("x")))
    whole = Fusion((Column("y"), inner, Rate()))
    made = whole.train([columns(1, 400)], [columns(2, 400)])
    arrays = made.state()
    assert set(arrays) == {"weights", "1.weights", "1.0.rate", "2.rate"}
    given = columns(3, 60)
    again = whole.from_state(arrays)
    np.testing.assert_array_equal(again.log_odds(given), made.log_odds(given))
    assert again.adjusted(bias=1.0).state().keys() == arrays.keys()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"weights": np.ones(2)}, "the weights are not 3 numbers"),
        ({"weights": np.array([0, np.nan, 1])}, "the weights are not 3 numbers"),
        ({"2.rate": np.ones(1)}, "does not know the array '2.rate'"),
        ({"rate": np.ones(1)}, "does not know the array 'rate'"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arrays: dict[str, NDArray[Any]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        BOTH.from_state(arrays)


def test_recordings_that_give_no_weights_are_refused() -> None:
    with pytest.raises(LayerError, match="estimated on sentences; there are none"):
        BOTH.train([], [columns(1, 5).replace(sentences=None)])
    dull = columns(1, 5).replace(sentences=Segmentation(np.zeros(5, np.bool_)))
    with pytest.raises(ModelError, match="cannot be estimated where 0 of 4 gaps are boundaries"):
        BOTH.train([], [dull])
    with pytest.raises(ModelError, match="0 of 0 gaps"):
        BOTH.train([], [columns(1, 1)])


def test_infinite_and_unknown_log_odds_are_clipped() -> None:
    given = Transcript(tuple("abcd"))
    found = Fusion((Odd(),), weights=(0.5,)).log_odds(given)
    assert found.tolist() == [CERTAIN / 2, -CERTAIN / 2, 0, CERTAIN / 2]
    ends = Segmentation(np.array([True, False, True, True]))
    made = Fusion((Odd(),)).train([], [given.replace(sentences=ends)])
    assert np.isfinite(made.log_odds(given)).all()


def test_a_detector_that_lacks_what_it_needs_counts_as_0() -> None:
    one, two = columns(1, 4), columns(2, 4)
    assert one.evidence is not None
    assert two.evidence is not None
    half = one.replace(evidence={"x": one.evidence["x"]})
    found = BOTH.detect_all([half, two])
    np.testing.assert_array_equal(BOTH.log_odds(half), one.evidence["x"])
    assert found == [BOTH.detect(half), BOTH.detect(two)]
    assert BOTH.lacks(half) == ""
    bare = one.replace(evidence=None)
    assert BOTH.lacks(bare) == "; ".join(column.lacks(bare) for column in BOTH.detectors)
    assert "'x'" in BOTH.lacks(bare)
    assert "'y'" in BOTH.lacks(bare)


def test_wrong_values_in_a_column_are_an_error() -> None:
    fusion = Fusion((PAUSE, Column("x", scale="probability")))
    wrong = Transcript(("a",), id="talk", evidence={"x": np.array([2.0])})
    with pytest.raises(LayerError, match=r"talk: 2\.0 after word 1, 'a', is no probability"):
        fusion.detect(wrong)


def test_a_column_that_nobody_has_is_an_error(caplog: pytest.LogCaptureFixture) -> None:
    start = np.array([0.0, 1.0, 3.0])
    ends = Segmentation.of_gaps(3, [0])
    example = Transcript(("a", "b", "c"), start=start, end=start + 1, sentences=ends)
    with pytest.raises(LayerError, match=r"Column\(column='x'.* lacks what it needs in all of 1"):
        Fusion((PAUSE, Column("x"))).train([example], [example])
    Fusion((PAUSE, Column("x"))).detect(example)
    assert "the other detectors decide without it" in caplog.text


def test_trained_weights_are_described() -> None:
    trained = Fusion((PAUSE, Column("x"))).with_model(np.array([0.5, 1.25, -2.0]))
    assert trained.describe() == (
        "Trained weights: 1.250 for Pause, -2.000 for Column; constant 0.500 with the bias."
    )
    assert Fusion((PAUSE,), weights=(1.0,)).describe() == ""


def test_labels_coverage_and_reach_come_from_the_detectors() -> None:
    given = Transcript(("a", "b"), mark=("", "!"))
    rate = Rate().with_model(np.full(1, 5.0))
    assert Fusion((Column("x"), rate, PAUSE)).detect(given).label == ("?", "?")
    assert Fusion((Column("x"), PAUSE, rate)).label(given) == ("?", "!")
    assert Fusion((Column("x"), PAUSE, rate), bias=-9.0).label(given) == ("", "!")
    assert Fusion((Column("x"),)).label(given) is None
    assert Fusion((PAUSE, rate)).coverage(given) == 0.25
    assert Fusion((PAUSE, Column("x"))).reach == 1
    assert Fusion((Pause(), Column("x"))).reach == Pause().reach
    assert Fusion((Model("en-sda"), Column("x"))).reach == REACH


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"detectors": ()}, "detectors is a tuple of detectors"),
        ({"detectors": PAUSE}, "detectors is a tuple of detectors"),
        ({"detectors": ("Pause",)}, "detectors is a tuple of detectors"),
        ({"weights": (1.0, 2.0)}, "there are 2 weights for 1 detectors"),
        ({"weights": ("1",)}, "weights is a tuple of numbers"),
        ({"weights": (np.nan,)}, "weights is a tuple of numbers"),
        ({"weights": 1.0}, "weights is a tuple of numbers"),
        ({"bias": True}, "bias is a number"),
        ({"ridge": 0}, "ridge is a number above 0"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Fusion(**{"detectors": (PAUSE,), **settings})


def test_calibrated_probabilities_are_left_as_they_are() -> None:
    chance = np.random.default_rng(5)
    log_odds = chance.normal(-1.5, 2, 50_000)
    probability = np.array([1 / (1 + exp(-x)) for x in log_odds])
    given = Transcript(
        ("w",) * len(log_odds),
        evidence={"other": probability},
        sentences=Segmentation(chance.random(len(log_odds)) < probability),
    )
    constant, weights = Fusion((Column("other", scale="probability"),)).train([], [given]).terms
    np.testing.assert_allclose([constant, *weights], [0, 1], atol=0.05)


def test_settings_may_be_whole_numbers() -> None:
    talk = columns(4, 30)
    whole, exact = (
        BOTH.adjusted(weights=(2, 1), bias=1),
        BOTH.adjusted(weights=(2.0, 1.0), bias=1.0),
    )
    assert whole.log_odds(talk).tolist() == exact.log_odds(talk).tolist()
