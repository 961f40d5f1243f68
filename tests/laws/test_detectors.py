"""The laws of detectors, for every built-in detector and some of its settings."""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

import pytest
from hypothesis import settings

from caesura.core import registry
from caesura.core.protocols import Detector
from caesura.models import store
from caesura.testing import check_detector
from caesura.testing.detector_laws import DETECTOR_LAWS, train_detector

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
    "Decision(Pause, prefer='precision')",
    "Decision(PauseModel(classes=('.', '?', ',')), shortest=3, longest='4.5s')",
    "Decision(Column('prosody'), prefer='recall', shortest='1s', longest=9)",
    "Decision(Lookahead(Pause, words=40), prior='words+seconds', weight=0.5)",
    "Decision(LM(order=2), longest=12, prior='words')",
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
    "Auto",
    "Auto(purpose='stream')",
    *(f"Model({name!r})" for name in store.shipped_models("detector")),
]
NETS = [
    "CNN(vector=8, filters=8, hidden=8)",
    "CNN(classes=('.', '?', ','), vector=4, before=3, after=5, filters=4, hidden=4, bias=1)",
    "BiRNN(vector=8, hidden=8)",
    "BiRNN(classes=(), vector=4, context=3, hidden=4, attention=2, epochs=2, bias=1)",
]
"""Detectors that torch trains; tests/detectors/test_nets.py holds them to the laws without it."""

BOUND_TOGETHER = (
    "LM",
    "Combination",
    "Decision",
    "Model",
    "Auto",
    "CRF",
    "SVM",
    "SDA",
    "CNN",
    "BiRNN",
)
"""Detectors whose own streams see too little: every gap bears on every other one, or punctuation
that stands as a word takes up their look-ahead."""

LOOKAHEAD = 400
"""Words; more than any random recording has."""


@cache
def trained(text: str) -> Detector:
    """Train a detector on made-up recordings, once for all tests."""
    return train_detector(registry.parse("detector", text))


def test_all_registered_detectors_are_held_to_the_laws() -> None:
    held = {"Model", "Encoder", "FastNet", *(text.split("(")[0] for text in (*DETECTORS, *NETS))}
    assert held == set(registry.names("detector"))


needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch: caesura[neural]")


@pytest.mark.parametrize("law", DETECTOR_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize(
    "name", [*DETECTORS, *(pytest.param(name, marks=needs_torch) for name in NETS)]
)
def test_law(name: str, law: Callable[[Detector, int, int], None]) -> None:
    lookahead = LOOKAHEAD if name.startswith(BOUND_TOGETHER) else 0
    streams = law.__name__ == "a_stream_decides_like_the_whole"
    law(trained(name), settings().max_examples // (2 if streams else 1), lookahead)


def test_all_laws_are_checked_at_once() -> None:
    check_detector(registry.parse("detector", "PauseModel"), examples=2)
    check_detector(registry.parse("detector", "LM(order=2)"), lookahead=LOOKAHEAD, examples=2)
