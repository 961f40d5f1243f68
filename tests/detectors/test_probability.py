"""Probabilities of gaps: log-odds, set right by what the card of a model says."""

from dataclasses import replace
from math import exp, nan
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura.core.transcript import Transcript
from caesura.detectors.decision import Decision
from caesura.detectors.pause import PauseModel
from caesura.detectors.probability import as_probabilities, calibrated, probabilities
from caesura.detectors.stored_model import Auto, Model
from caesura.detectors.window_stream import Lookahead
from caesura.models.store import Card, save
from caesura.testing.detector_laws import made_up_recording, train_detector

WORDS = Transcript(
    tuple("thank you very much where do i go now i said go home".split()), language="en"
)
SCALE, BIAS = 0.5, -1.25


def stored(folder: Path, card: Card) -> Model:
    """Store a trained model with a card, and return the detector that reads it."""
    save(folder / "model", train_detector(PauseModel()), card)
    return Model(str(folder / "model"))


def known(folder: Path) -> Model:
    return stored(folder, Card(scores={"calibration_scale": SCALE, "calibration_bias": BIAS}))


def test_the_scale_and_bias_of_the_card_make_probabilities(tmp_path: Path) -> None:
    model, recording = known(tmp_path), made_up_recording(1)
    found = probabilities(recording, detector=model)
    odds = model.log_odds(recording.replace(sentences=None))
    assert found == pytest.approx([1 / (1 + exp(-(SCALE * one + BIAS))) for one in odds.tolist()])
    assert len({round(one, 6) for one in found or ()}) > 1


@pytest.mark.parametrize("prefer", ["f1", "precision", "recall"])
def test_a_preference_and_limits_change_no_probability(tmp_path: Path, prefer: str) -> None:
    model, recording = known(tmp_path), made_up_recording(2)
    plain = probabilities(recording, detector=model)
    for around in (Decision(model, prefer=prefer, longest=4), Lookahead(model, words=3)):
        assert probabilities(recording, detector=around) == pytest.approx(plain)


@pytest.mark.parametrize("detector", ["Pause", "pcm", Auto()])
def test_a_detector_that_was_not_measured_cannot_tell(detector: str) -> None:
    assert probabilities(WORDS.replace(language="de"), detector=detector) is None


@pytest.mark.parametrize("scores", [{}, {"calibration_scale": 1.0}, {"calibration_scale": None}])
def test_a_card_without_both_numbers_cannot_tell(tmp_path: Path, scores: dict[str, None]) -> None:
    model = stored(tmp_path, replace(Card(), scores=scores))
    assert probabilities(made_up_recording(3), detector=model) is None


def test_restored_marks_are_no_evidence() -> None:
    (restored,) = caesura.segment(WORDS, detector="en")
    assert restored.words != WORDS.words
    found = probabilities(restored, detector="en")
    assert found == probabilities(WORDS, detector="en") == probabilities(WORDS)
    assert found is not None
    segmentation = restored.sentences
    assert segmentation is not None
    assert segmentation.log_odds is not None
    assert found == pytest.approx(calibrated(Model("en"), WORDS, segmentation.log_odds), abs=1e-6)


def test_marks_that_auto_adds_to_a_model_are_not_calibrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    french, model = Auto(), known(tmp_path)
    monkeypatch.setattr(Auto, "_model", lambda *_: model)
    assert french.calibration_by("fr", WORDS) == (SCALE, BIAS)
    assert french.calibration_by("fr", WORDS.replace(mark=("",) * len(WORDS))) is None
    assert french.calibration_by("en", WORDS.replace(mark=("",) * len(WORDS))) == (SCALE, BIAS)


def test_probabilities_rise_with_log_odds() -> None:
    found = as_probabilities(np.array([-np.inf, -800.0, -2.0, 0.0, 2.0, 800.0, np.inf, nan]))
    assert (np.diff(found[:-1]) >= 0).all()
    assert found[:-1] == pytest.approx([0, 0, 1 / (1 + exp(2)), 0.5, 1 / (1 + exp(-2)), 1, 1])
    assert np.isnan(found[-1])


def test_a_path_is_no_transcript() -> None:
    with pytest.raises(TypeError, match=r"caesura\.read"):
        probabilities("talk.json")  # type: ignore[arg-type]
