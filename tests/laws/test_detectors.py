"""What every registered detector promises."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import registry
from caesura.contracts import Detector
from caesura.transcript import Transcript
from laws.strategies import transcripts

DETECTORS = [
    "Pause",
    "Pause(evidence=('pause',))",
    "Pause(threshold=0.1, evidence=('speaker', 'pause'))",
    "Lookahead(Pause, words=40)",
]
LAYERS = ["start", "end", "speaker", "mark", "sentences"]


def test_all_registered_detectors_are_held_to_the_laws() -> None:
    assert {text.split("(")[0] for text in DETECTORS} == set(registry.names("detector"))


@pytest.fixture(params=DETECTORS)
def detector(request: pytest.FixtureRequest) -> Detector:
    return registry.parse("detector", request.param)


def test_repr_parses_back(detector: Detector) -> None:
    assert registry.parse("detector", repr(detector)) == detector


@pytest.mark.parametrize("name", DETECTORS)
@given(st.data())
def test_decides_every_gap_of_any_transcript(name: str, data: st.DataObject) -> None:
    detector = registry.parse("detector", name)
    layers = data.draw(st.sets(st.sampled_from(LAYERS)))
    transcript = data.draw(transcripts(layers, smallest=0))
    found = detector.detect(transcript)
    assert len(found) == len(transcript)
    assert found.log_odds is not None
    assert np.isfinite(found.log_odds).all()
    assert len(transcript) == 0 or found.boundary[-1]
    assert detector.detect(transcript) == found


@pytest.mark.parametrize("name", DETECTORS)
@given(st.data())
def test_stream_says_the_same_as_the_whole(name: str, data: st.DataObject) -> None:
    detector = registry.parse("detector", name)
    parts = data.draw(st.lists(transcripts(LAYERS), min_size=1, max_size=8))
    whole = Transcript.join(parts).replace(sentences=None)
    stream = detector.stream()
    sentences = []
    for at in range(len(whole)):
        sentences += stream.push(whole[at : at + 1])
        if data.draw(st.integers(0, 9)) == 0:
            stream = detector.stream(json.loads(json.dumps(stream.state())))
    sentences += stream.close()
    expected = list(whole.replace(sentences=detector.detect(whole)).iter_sentences())
    assert [s.words for s in sentences] == [s.words for s in expected]
    assert [s.start.tolist() for s in sentences if s.start is not None] == [
        s.start.tolist() for s in expected if s.start is not None
    ]
    assert [s.sentences for s in sentences] == [s.sentences for s in expected]


def test_training_gives_a_detector_of_the_same_configuration(detector: Detector) -> None:
    assert repr(detector.train([], [])) == repr(detector)
