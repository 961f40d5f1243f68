"""What speaks for a boundary: parts that add up, whatever the detector and the layers."""

import logging

import numpy as np
import pytest

import caesura
from caesura.core.arrays import Floats
from caesura.core.errors import LayerError
from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.detectors.column import Column
from caesura.detectors.decision import Decision
from caesura.detectors.explanation import KINDS, UNIT, Explanation, evidence_parts, explain
from caesura.detectors.fusion import Fusion
from caesura.detectors.pause import Pause
from caesura.testing.detector_laws import made_up_recording, train_detector, unseen_recordings

DETECTORS = [
    "Pause",
    "PauseModel",
    "LM(order=2)",
    "Combination",
    "Decision(Pause, prefer='recall', longest=5)",
    "Fusion((Pause, Column('prosody')))",
    "Column('bert', scale='probability')",
]


@pytest.mark.parametrize("name", DETECTORS)
def test_parts_add_up_to_the_log_odds_that_decided(name: str) -> None:
    detector = train_detector(caesura.parse("detector", name))
    for transcript in unseen_recordings():
        parts = evidence_parts(detector, transcript)
        decided = detector.log_odds(transcript.replace(sentences=None))
        total = sum(parts.values(), np.zeros(len(transcript)))
        assert np.abs(total - decided).max(initial=0) <= 2 * UNIT
        for row in explain(transcript, detector=detector, near_misses=100.0):
            assert sum(row.parts.values()) == row.log_odds


def whole() -> Transcript:
    """Make a recording with a pause, another speaker and a mark, each at a gap of its own."""
    return Transcript(
        "so it goes we tied it shut".split(),
        start=[0, 1, 2, 3, 6, 7, 8],
        end=[1, 2, 3, 4, 7, 8, 9],
        speaker=list("AAABBBB"),
        mark=["", "", ".", "", "", "", "."],
    )


def test_each_kind_of_evidence_has_its_part() -> None:
    detector = Pause()
    rows = {row.gap: row for row in explain(whole(), detector=detector, near_misses=50.0)}
    assert list(rows[2].parts) == ["words", "pauses", "speakers", "marks"]
    assert rows[3].parts["pauses"] > 0 > rows[2].parts["pauses"]
    assert rows[2].parts["speakers"] > 0 == rows[3].parts["speakers"]
    assert rows[2].parts["marks"] > 0 > rows[3].parts["marks"]
    assert rows[2].boundary


def test_layers_that_are_missing_have_no_part() -> None:
    rows = explain(whole().only(["start", "end"]), detector="Pause")
    assert [list(row.parts) for row in rows] == [["words", "pauses"]]
    assert (rows[0].gap, rows[0].before, rows[0].after, rows[0].time) == (
        3,
        "it goes we",
        "tied it shut",
        4.0,
    )


class Needy(Detector):
    """A detector that refuses words without times, and counts speakers."""

    name = "Needy"

    def log_odds(self, transcript: Transcript) -> Floats:
        if transcript.start is None:
            raise LayerError("no times")
        return np.full(len(transcript), 2.0 if transcript.speaker else 1.0)

    def stream(self, state: object = None) -> caesura.Stream:
        raise NotImplementedError


def test_what_a_detector_cannot_do_without_is_one_part() -> None:
    rows = explain(whole(), detector=Needy())
    assert rows[0].parts == {"words+pauses": 1.0, "speakers": 1.0, "marks": 0.0}
    with pytest.raises(LayerError, match="no times"):
        explain(whole().only(["speaker"]), detector=Needy())


def test_scores_of_other_systems_come_last(caplog: pytest.LogCaptureFixture) -> None:
    given = made_up_recording(1)
    assert list(KINDS)[-1] == "scores"
    assert list(evidence_parts(Column("prosody"), given)) == ["words+pauses+speakers+marks+scores"]
    with caplog.at_level(logging.WARNING):
        parts = evidence_parts(Fusion((Pause(), Column("prosody"))), given)
    assert list(parts) == list(KINDS)
    assert not caplog.records


def test_a_preference_is_a_part_and_limits_are_not() -> None:
    decision = Decision(Pause(), prefer="precision", longest=2)
    rows = explain(whole(), detector=decision)
    assert rows == explain(whole(), detector="Pause", prefer="precision", longest=2)
    assert all(row.parts["preference"] == pytest.approx(-0.98, abs=0.01) for row in rows)
    assert any(row.log_odds < 0 and row.boundary for row in rows)


def test_only_boundaries_are_explained_unless_near_misses_are_asked_for() -> None:
    assert all(row.boundary for row in explain(whole(), detector="Pause"))
    more = explain(whole(), detector="Pause", near_misses=60.0)
    assert [row.gap for row in more] == list(range(6))
    assert explain(whole()[:0], detector="Pause") == []


def test_an_explanation_is_json() -> None:
    row = Explanation(0, "so", "it", None, True, 1.5, {"words": 1.0, "marks": 0.5})
    assert row.to_dict() == {
        "gap": 0,
        "before": "so",
        "after": "it",
        "time": None,
        "boundary": True,
        "log_odds": 1.5,
        "parts": {"words": 1.0, "marks": 0.5},
    }


def test_something_else_than_a_transcript_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a transcript is wanted, not str: caesura.read"):
        explain("talk.json")  # type: ignore[arg-type]
