"""Detectors trained on real calls, and their scores on others."""

from pathlib import Path

import numpy as np
import pytest

from caesura import api
from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.detectors.lm import LM, Combination
from caesura.detectors.pause import Pause, PauseModel
from caesura.training.search import score_boundaries


@pytest.fixture(scope="module")
def calls(corpora: Path) -> list[Transcript]:
    """Calls with times for most words; every fourth is in the dev set."""
    found = [next(api.read(file)) for file in sorted((corpora / "earnings22/references").iterdir())]
    known = (one for one in found if one.start is not None and len(one))
    return [one for one in known if np.isfinite(one.start).mean() >= 0.8]  # type: ignore[arg-type]


def training(calls: list[Transcript]) -> list[Transcript]:
    return [one for at, one in enumerate(calls) if at % 4 != 3]


def reached(detector: Detector, calls: list[Transcript]) -> tuple[float, float]:
    """Return F1 and slot error rate on the dev set, of bare words."""
    development = calls[3::4]
    bare = [one.replace(mark=None, opening=None, sentences=None) for one in development]
    values = score_boundaries(detector.detect_all(bare), development)
    assert isinstance(values["f1"], float)
    assert isinstance(values["ser"], float)
    return values["f1"], values["ser"]


def test_longer_pauses_are_likelier_boundaries_in_real_calls(calls: list[Transcript]) -> None:
    assert len(calls) == 66
    model = PauseModel().train(training(calls))
    known = [point.probability for point in model.curve() if point.seconds is not None]
    assert known[:12] == sorted(known[:12])
    assert known[0] < 0.02
    assert 0.17 < known[4] < 0.22
    assert known[9] < 0.5 < known[10]
    assert min(known[11:20]) > 0.55
    assert reached(model.adjusted(bias=1.2), calls)[0] > 0.46
    assert reached(Pause(threshold=0.45, evidence=("pause",)), calls)[0] < 0.46


@pytest.mark.parametrize(
    ("lm", "alone", "together"),
    [(LM(), 0.53, 0.64), (LM(factors="class", strength=(1.0, 1.0)), 0.48, 0.57)],
)
def test_words_and_pauses_find_more_than_either(
    calls: list[Transcript], lm: LM, alone: float, together: float
) -> None:
    both = Combination(lm).train(training(calls))
    words = reached(both.lm.adjusted(decision="viterbi"), calls)
    pauses = reached(both.pause.adjusted(bias=1.2), calls)
    assert alone < words[0] < together
    # Way B says what A says but for a constant at each gap, which the bias makes up for.
    for detector in (both.adjusted(decision="viterbi"), both.adjusted(way="B", bias=2.5)):
        f1, errors = reached(detector, calls)
        assert f1 > max(together, pauses[0])
        assert errors < min(words[1], pauses[1])
