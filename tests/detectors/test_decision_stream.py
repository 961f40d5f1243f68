"""The stream of `Decision`: it decides like the whole, and `longest` holds while words arrive."""

import json

import numpy as np
import pytest

from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.detectors.column import Column
from caesura.detectors.decision import Decision
from caesura.detectors.decision_stream import reach_of
from caesura.detectors.pause import Pause
from caesura.detectors.stored_model import Model
from caesura.detectors.window_stream import Lookahead
from caesura.testing.detector_laws import made_up_recording
from detectors.small_encoder import small_encoder

SEEN = Column("seen")


def talk(log_odds: list[float]) -> Transcript:
    """Make a recording of a word a second with these log-odds as evidence."""
    start = np.arange(float(len(log_odds)))
    words = [f"w{at}" for at in range(len(log_odds))]
    return Transcript(words, start=start, end=start + 1, evidence={"seen": log_odds})


def streamed(detector: Detector, whole: Transcript, step: int = 1) -> list[tuple[int, int]]:
    """Return the length of each sentence, and how many words had come when it was given out."""
    stream = detector.stream()
    found = []
    for at in range(0, len(whole), step):
        sentences = stream.push(whole[at : at + step])
        found += [(len(one), min(at + step, len(whole))) for one in sentences]
        stream = detector.stream(json.loads(json.dumps(stream.state())))
    return found + [(len(one), len(whole)) for one in stream.close()]


def test_a_sentence_is_given_out_when_the_limit_forces_it() -> None:
    """Nothing speaks for a boundary: the word after the limit, and one of look-ahead, ends it."""
    whole = talk([-1.0] * 12)
    assert streamed(Decision(SEEN), whole) == [(12, 12)]
    assert streamed(Decision(SEEN, longest=4), whole)[0][1] == 6
    assert streamed(Decision(SEEN, longest="4s"), whole)[0][1] == 6
    assert all(size <= 4 for size, _ in streamed(Decision(SEEN, longest=4), whole))


def test_a_clear_boundary_is_given_out_as_soon_as_without_limits() -> None:
    whole = talk([-3, -3, 4, -3, -3, -3, 4, -3, -3, -3])
    plain = streamed(SEEN, whole)
    assert streamed(Decision(SEEN, longest=6), whole) == plain == [(3, 4), (4, 8), (3, 10)]


def test_shortest_holds_back_until_it_is_met() -> None:
    """Two more words and one of look-ahead have to come: if none did, the rest would be short."""
    whole = talk([4, -3, 3, -3, -3, -3, -3, -3, -3, -3])
    assert streamed(Decision(SEEN, shortest=2), whole) == [(3, 6), (7, 10)]


def test_it_does_not_matter_how_words_arrive() -> None:
    whole = made_up_recording(3, 200)
    for settings in ({"longest": 7}, {"shortest": "2s", "longest": "6s"}, {"prefer": "recall"}):
        decision = Decision(Pause(), **settings)
        sizes = [size for size, _ in streamed(decision, whole)]
        assert [size for size, _ in streamed(decision, whole, 64)] == sizes


def test_delays_count_words_after_the_end() -> None:
    whole = talk([-1.0] * 5)
    stream = Decision(SEEN, longest=3).stream()
    (first,) = stream.push(whole)
    assert first.evidence is not None
    assert len(first) == 1
    assert first.evidence["delay_words"].tolist()[-1] == 4
    assert first.evidence["delay_seconds"].tolist()[-1] == 4
    rest = stream.close()
    assert [len(one) for one in rest] == [1, 3]
    assert [one.evidence["delay_words"].tolist()[-1] for one in rest if one.evidence] == [3, 0]
    assert stream.close() == []


def test_a_prior_settles_in_a_stream() -> None:
    clear = made_up_recording(1, 200)
    decision = Decision(Column("prosody"), prior="words", longest=40).train([clear])
    given = streamed(decision, clear.replace(sentences=None))
    assert len({seen for _, seen in given}) > 2


def test_look_ahead_may_stand_on_either_side() -> None:
    whole = made_up_recording(5, 120)
    outside = Lookahead(Decision(Pause(), longest=8), words=3)
    inside = Decision(Lookahead(Pause(), words=3), longest=8)
    assert streamed(outside, whole) == streamed(inside, whole)
    assert all(size <= 8 for size, _ in streamed(inside, whole))


def test_a_stored_model_is_chosen_before_decisions_are_made() -> None:
    whole = made_up_recording(5, 120).replace(language="en")
    found = streamed(Decision(Model("en"), longest=8), whole)
    assert all(size <= 8 for size, _ in found)
    other = whole.replace(language="fi")
    assert streamed(Decision(Model("en"), longest=8), other) == streamed(
        Decision(Pause(), longest=8), other
    )


@pytest.mark.parametrize(
    ("detector", "reach"),
    [(SEEN, (1, 1)), (Lookahead(Pause(), words=3), (3, 3)), (Model("en-sda"), (30, 30))],
)
def test_reach_is_that_of_the_other_stream(detector: Detector, reach: tuple[int, int]) -> None:
    assert reach_of(detector) == reach
    decision = Decision(detector, longest=3)
    assert (decision.reach, decision.behind) == reach


def test_words_are_written_as_the_other_detector_says() -> None:
    talk = made_up_recording(6, 120).replace(mark=None)
    encoder = small_encoder(bias=0.5)
    plain = encoder.detect(talk)
    wide = Decision(encoder, longest=500)
    assert plain.written is not None
    assert plain.written != talk.words
    assert wide.detect(talk).written == wide.written_words(talk) == plain.written
    assert Decision(encoder, prefer="precision").detect(talk).written == plain.written


def test_a_stream_writes_words_as_the_other_detector_says() -> None:
    talk = made_up_recording(6, 120).replace(mark=None)
    encoder = small_encoder(bias=0.5)
    found = []
    for stream in (encoder.stream(), Decision(encoder, longest=500).stream()):
        sentences = [*stream.push(talk), *stream.close()]
        kept = [each.sentences.written for each in sentences if each.sentences is not None]
        found.append([word for words in kept for word in words or ()])
    assert found[0] == found[1]
    assert found[0] != list(talk.words)
