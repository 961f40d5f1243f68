"""What every registered detector promises."""

import json
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.core import registry
from caesura.core.errors import LayerError
from caesura.core.protocols import Detector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.window_stream import Lookahead
from caesura.models import store
from caesura.models.card import Card
from laws.strategies import transcripts

DETECTORS = [
    "Pause",
    "Pause(evidence=('pause',))",
    "Pause(threshold=0.1, evidence=('speaker', 'pause'))",
    "Pause(threshold=0.2, markers=('<s>', '<sil>'))",
    "PauseModel",
    "PauseModel(step=0.03, longest=0.5, evidence=('pause',), smooth=0.1, bias=1.5)",
    "PauseModel(classes=('.', '?', ','), bias=1)",
    "LM",
    "LM(order=2, factors='class', smoothing='backoff', cutoff=1, prune=(2,), decision='viterbi')",
    "LM(order=4, cutoff=1, classes=('.', '?', ','), share=0.2, bias=1)",
    "Combination",
    "Combination(LM(cutoff=1, factors='class'), PauseModel(smooth=0.1), way='B', weight=2)",
    "Combination(LM(classes=('.', ',')), PauseModel(classes=('.', ',')), decision='viterbi')",
    "Lookahead(LM, words=400)",
    "Lookahead(Pause, words=40)",
    "Lookahead(PauseModel(bias=2), words=3)",
    "Column('prosody')",
    "Column('bert', scale='probability', bias=-0.5)",
    "Fusion((Pause(evidence=('pause',)), Column('bert', scale='probability')))",
    "Fusion([Pause, Column('prosody'), Fusion((Pause,))], weights=(2, 0.5, -1), bias=0.25)",
    "CRF(iterations=30)",
    "CRF(c2=0.1, iterations=30, cutoff=2, decision='viterbi')",
    "SVM(cost=0.5, bias=1)",
    "CRF(iterations=30, size=60, tagger=Tagger(size=40, cutoff=1))",
    "SVM(cost=0.5, tagger=Tagger(cutoff=1))",
    "SDA(crf=CRF(iterations=30), bits=12)",
    "SDA(CRF(iterations=30, tagger=Tagger(size=40, cutoff=1)), longest=12, decision='posterior')",
    *(f"Model({name!r})" for name in store.shipped("detector")),
]
BOUND_TOGETHER = ("LM", "Combination", "Model", "CRF", "SVM", "SDA")
"""Detectors for which every gap bears on every other: their own streams do not look at all."""

TAGS = {"stop": "VERB", "now": "ADV", "we": "PRON", "go": "VERB", "on": "ADP"}

LAYERS = ["start", "end", "speaker", "mark", "pause", "evidence", "sentences"]


def lesson(seed: int, count: int = 80) -> Transcript:
    """A made-up recording in which pauses, speakers, marks and words speak for boundaries."""
    chance = Random(seed)
    label = [chance.choice([".", "?", ",", *[""] * 9]) for _ in range(count)]
    ends = [mark in (".", "?") for mark in label]
    steps = [chance.choice([0.0, 0.5, 1.0] if end else [0.0, 0.0, 0.3]) for end in ends]
    start = np.cumsum([0.0, *(step + 0.25 for step in steps[:-1])])
    start[[chance.randrange(count) for _ in range(4)]] = np.nan
    words = tuple(chance.choice(["stop", "now"] if end else ["we", "go", "on"]) for end in ends)
    return Transcript(
        words=words,
        tag=tuple(map(TAGS.__getitem__, words)),
        head=np.array([min(at + (not end), count - 1) for at, end in enumerate(ends)]),
        relation=tuple("case" if word == "on" else "dep" for word in words),
        start=start,
        end=start + 0.25,
        speaker=tuple(str(at // 20) for at in range(count)),
        mark=tuple(label),
        pause=tuple(chance.choice(["", "<sil>", "<s>"]) if step else "" for step in steps),
        evidence={
            "prosody": np.array([chance.gauss(end, 1) for end in ends]),
            "bert": np.array([chance.random() / (1 + end) for end in ends]),
        },
        sentences=Segmentation(np.array(ends), tuple(label)),
    )


UNSEEN = [
    *(lesson(seed, count).replace(sentences=None) for seed, count in enumerate([1, 2, 50], 6)),
    lesson(9).only(["mark", "evidence"]),
    lesson(10).only(["start", "end", "evidence"]),
    lesson(11)[:0],
    lesson(12, 300).replace(sentences=None),
]


@cache
def trained(text: str) -> Detector:
    """The detector with whatever it can learn from a few made-up recordings."""
    lessons = [lesson(seed) for seed in range(6)]
    return registry.parse("detector", text).train(lessons[:4], lessons[4:], lessons[:1])


@st.composite
def recordings(draw: st.DrawFn) -> Transcript:
    """A recording with all layers, in which some words have no times."""
    found = draw(transcripts(LAYERS))
    unknown = draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found)))
    start = None if found.start is None else np.where(unknown, np.nan, found.start)
    return found.replace(start=start)


def test_all_registered_detectors_are_held_to_the_laws() -> None:
    assert {"Model", *(text.split("(")[0] for text in DETECTORS)} == set(registry.names("detector"))


@pytest.mark.parametrize("name", DETECTORS)
def test_repr_parses_back(name: str) -> None:
    detector = registry.parse("detector", name)
    assert registry.parse("detector", repr(detector)) == detector


@pytest.mark.parametrize("name", DETECTORS)
@given(st.data())
def test_decides_every_gap_of_any_transcript(name: str, data: st.DataObject) -> None:
    detector = trained(name)
    layers = data.draw(st.sets(st.sampled_from(LAYERS)))
    transcript = data.draw(transcripts(layers, smallest=0))
    try:
        found = detector.detect(transcript)
    except LayerError:
        assert detector.lacks(transcript)
        return
    assert len(found) == len(transcript)
    assert found.log_odds is not None
    assert np.isfinite(found.log_odds).all()
    assert len(transcript) == 0 or found.boundary[-1]
    assert detector.detect(transcript) == found


@pytest.mark.parametrize("name", DETECTORS)
@settings(max_examples=25)
@given(st.data())
def test_stream_says_the_same_as_the_whole(name: str, data: st.DataObject) -> None:
    detector = trained(name)
    if name.startswith(BOUND_TOGETHER):
        detector = Lookahead(detector, words=400)
    parts = data.draw(st.lists(recordings(), min_size=1, max_size=8))
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
    assert [s.sentences for s in sentences] == [s.sentences for s in expected]
    assert [s.only(["start"]) for s in sentences] == [s.only(["start"]) for s in expected]


@pytest.mark.parametrize("name", DETECTORS)
def test_training_gives_a_detector_of_the_same_configuration(name: str) -> None:
    detector = registry.parse("detector", name)
    assert repr(trained(name)) == repr(detector)
    assert trained(name) == detector


@pytest.mark.parametrize("name", DETECTORS)
def test_saved_and_loaded_it_says_the_same_bit_by_bit(name: str, tmp_path: Path) -> None:
    teacher = trained(name)
    pupil = store.load(store.save(tmp_path / "model", teacher, Card())).detector
    assert pupil == teacher
    for transcript in UNSEEN:
        assert pupil.log_odds(transcript).tobytes() == teacher.log_odds(transcript).tobytes()
        assert pupil.detect(transcript) == teacher.detect(transcript)


@pytest.mark.parametrize("name", DETECTORS)
def test_what_is_annotated_are_the_sentences_and_no_trees_of_others(name: str) -> None:
    detector, given = trained(name), lesson(12, 60)
    found = detector.annotate(given)
    assert found.sentences == detector.detect(given)
    assert found.relation is None
    assert found.head is None or found.cluster is not None


@pytest.mark.parametrize("name", DETECTORS)
def test_many_recordings_at_once_are_decided_as_one_by_one(name: str) -> None:
    detector = trained(name)
    assert detector.detect_all([]) == []
    assert detector.detect_all(UNSEEN) == [detector.detect(each) for each in UNSEEN]
