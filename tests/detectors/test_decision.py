"""The detector `Decision`: preferences, limits and priors of sentence length."""

import logging
import math
from pathlib import Path

import numpy as np
import pytest

from caesura.core import registry
from caesura.core.errors import LayerError, ModelError, UnknownName
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.column import Column
from caesura.detectors.decision import SHIFTS, Decision, with_decision
from caesura.detectors.lm import LM
from caesura.detectors.pause import Pause, PauseModel
from caesura.models import store
from caesura.models.store import Card

SEEN = Column("seen")


def talk(log_odds: list[float], **layers: object) -> Transcript:
    """Make a recording with these log-odds as evidence."""
    words = [f"w{at}" for at in range(len(log_odds))]
    return Transcript(words, evidence={"seen": log_odds}, **layers)  # type: ignore[arg-type]


def ends(decision: Decision, transcript: Transcript) -> list[int]:
    """Return the gaps that are boundaries."""
    found: list[int] = decision.detect(transcript).gaps.tolist()
    return found


def test_shifts_are_those_of_the_best_thresholds() -> None:
    """F_beta is best above F / (1 + beta²), here with F = 0.8."""
    logit = {p: math.log(p / (1 - p)) for p in (0.4, 0.64, 0.16)}
    assert SHIFTS["f1"] == 0
    assert (
        SHIFTS["precision"]
        == pytest.approx(logit[0.4] - logit[0.64])
        == pytest.approx(-0.981, abs=1e-3)
    )
    assert (
        SHIFTS["recall"]
        == pytest.approx(logit[0.4] - logit[0.16])
        == pytest.approx(1.253, abs=1e-3)
    )


def test_a_threshold_at_f_over_1_plus_beta_squared_is_best_for_calibrated_probabilities() -> None:
    """What the shifts rest on, counted out: no threshold has a higher expected F-beta."""
    odds = np.random.default_rng(3).normal(-2, 3, 4000)
    p = 1 / (1 + np.exp(-odds))
    for beta in (0.5, 1.0, 2.0):
        by_threshold = np.sort(p)[::-1]
        right, found = np.cumsum(by_threshold), np.arange(1, len(p) + 1)
        values = (1 + beta**2) * right / (found + beta**2 * p.sum())
        best = values.max()
        at = int(values.argmax())
        assert by_threshold[at + 1] <= best / (1 + beta**2) <= by_threshold[at]


def test_what_is_preferred_moves_the_threshold() -> None:
    given = talk([-1.0, 0.5, -1.5, 2.0, 0.0])
    assert ends(Decision(SEEN), given) == [1, 3, 4]
    assert ends(Decision(SEEN, prefer="precision"), given) == [3, 4]
    assert ends(Decision(SEEN, prefer="recall"), given) == [0, 1, 3, 4]


def test_without_settings_the_other_detector_decides() -> None:
    given = talk([-1.0, 0.5, 0.0])
    assert Decision(SEEN).detect(given) == SEEN.detect(given)
    assert Decision(SEEN).detect_all([given]) == SEEN.detect_all([given])


def test_limits_in_words_and_seconds() -> None:
    start = np.arange(8.0)
    given = talk([-9, -1, -9, -9, -0.5, -9, -9, 0], start=start, end=start + 1)
    assert ends(Decision(SEEN, longest=5), given) == [4, 7]
    assert ends(Decision(SEEN, longest="3s"), given) == [1, 4, 7]
    assert ends(Decision(SEEN, prefer="recall", shortest=3), given) == [4, 7]
    assert ends(Decision(SEEN, prefer="recall", shortest="3s"), given) == [4, 7]


def test_without_times_seconds_are_guessed_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert ends(Decision(SEEN, longest="0.6s"), talk([-1.0] * 4)) == [1, 3]
        assert ends(Decision(SEEN, longest=2), talk([-1.0] * 4)) == [1, 3]
    assert [record.getMessage() for record in caplog.records] == [
        "a recording: no word times, so a word counts as 0.3 s"
    ]


def test_labels_fit_the_decisions() -> None:
    given = made_up_labels()
    found = Decision(PauseModel(classes=(".", ",")), longest=1).train([given]).detect(given)
    assert found.boundary.all()
    assert found.label is not None
    assert "," not in found.label
    assert "." in found.label


def made_up_labels() -> Transcript:
    """Make a recording in which short pauses are commas and long ones ends."""
    pauses = [0.0, 0.3, 1.0] * 30
    start = np.cumsum([0.0, *(0.2 + pause for pause in pauses[:-1])])
    label = ["", ",", "."] * 30
    found = Segmentation(np.array([mark == "." for mark in label]), tuple(label))
    return Transcript(["so"] * 90, start=start, end=start + 0.2, sentences=found)


@pytest.mark.parametrize(
    ("written", "kept"),
    [(12, 12), ("12", 12), ("12s", "12s"), (" 2.50 s", "2.5s"), (".5sec", "0.5s"), (None, None)],
)
def test_limits_are_written_in_one_way(written: int | str | None, kept: int | str | None) -> None:
    decision = Decision(Pause(), longest=written)
    assert decision.longest == kept
    assert registry.parse("detector", repr(decision)) == decision


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "", "0s", "-3s", "12 words", "1e3s", "nans"])
def test_wrong_limits_are_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"longest is a number of words, as in 12, or of seconds"):
        Decision(Pause(), longest=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prefer": "speed"}, "prefer is one of f1, precision, recall"),
        ({"prior": "letters"}, "prior is one of none, words, seconds"),
        ({"weight": -1}, "weight is a number from 0"),
        ({"shortest": 5, "longest": 4}, "shortest, 5, is more than longest, 4"),
        ({"shortest": "5s", "longest": "4s"}, "shortest, 5s, is more than longest, 4s"),
        ({"detector": "Pause"}, "detector is a detector"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Decision(**{"detector": Pause(), **settings})  # type: ignore[arg-type]


def test_a_limit_in_words_and_one_in_seconds_may_disagree() -> None:
    start = np.arange(6.0)
    given = talk([-1.0] * 6, start=start, end=start + 1)
    assert ends(Decision(SEEN, shortest=5, longest="2s"), given) == [1, 3, 5]


def regular(count: int, length: int, timed: bool = True) -> Transcript:
    """Make a recording of sentences that are all of one length."""
    words = [f"w{at}" for at in range(count)]
    boundary = np.arange(count) % length == length - 1
    start = np.arange(count) * 0.4
    times = {"start": start, "end": start + 0.3} if timed else {}
    return Transcript(words, sentences=Segmentation(boundary), **times)  # type: ignore[arg-type]


@pytest.mark.parametrize("prior", ["words", "seconds", "words+seconds"])
def test_usual_lengths_decide_where_log_odds_do_not(prior: str) -> None:
    start = np.arange(10) * 0.4
    given = talk([-1.0] * 10, start=start, end=start + 0.3)
    trained = Decision(SEEN, prior=prior).train([regular(400, 5)])
    assert ends(Decision(SEEN), given) == [9]
    assert ends(trained, given) == [4, 9]
    assert ends(trained.adjusted(weight=0.0), given) == [9]


def test_a_prior_over_seconds_does_not_count_without_times() -> None:
    trained = Decision(SEEN, prior="seconds").train([regular(400, 5)])
    assert ends(trained, talk([-1.0] * 10)) == [9]


def test_a_prior_is_learnt_first() -> None:
    with pytest.raises(ModelError, match="Decision has to be trained first"):
        Decision(SEEN, prior="words").detect(talk([1.0, 1.0]))
    with pytest.raises(LayerError, match="lengths in seconds are learnt from sentences with word"):
        Decision(SEEN, prior="seconds").train([regular(40, 5, timed=False)])


def test_priors_are_stored_beside_the_other_detector(tmp_path: Path) -> None:
    trained = Decision(LM(order=2), prior="words").train([regular(400, 5)])
    names = set(trained.state())
    assert names == {"words", *(f"detector.{name}" for name in trained.detector.state())}
    loaded = store.load(store.save(tmp_path / "model", trained, Card())).detector
    assert isinstance(loaded, Decision)
    assert loaded.learnt[0].table.tolist() == trained.learnt[0].table.tolist()
    assert loaded.learnt[0].slope == trained.learnt[0].slope


@pytest.mark.parametrize(
    "state", [{}, {"words": np.zeros(1)}, {"words": np.zeros((2, 2))}, {"other": np.zeros(3)}]
)
def test_damaged_priors_are_refused(state: dict[str, np.ndarray]) -> None:
    with pytest.raises(ModelError, match="the priors of Decision"):
        Decision(SEEN, prior="words").from_state(state)


def test_options_go_around_a_detector_or_into_a_decision() -> None:
    assert with_decision(Pause(), longest="12s") == Decision(Pause(), longest="12s")
    inner = Decision(Pause(), prefer="recall", shortest=2, longest=9)
    assert with_decision(inner, longest="5") == Decision(Pause(), "recall", 2, 5)
    with pytest.raises(UnknownName, match="longest is a number of words"):
        with_decision(Pause(), longest="long")
