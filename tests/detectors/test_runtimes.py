"""numpy and onnxruntime decide alike, also where rounding could decide."""

from dataclasses import replace

import numpy as np
import pytest

import caesura
from caesura.core.transcript import Transcript
from caesura.detectors.neural.encoder import CLOSE, LIKELY_END, Encoder, Scores
from caesura.ml.neural.transformer import Single, Transformer
from detectors.small_encoder import small_encoder

pytest.importorskip("onnxruntime")


def talk(count: int, seed: int, timed: bool) -> Transcript:
    """Make a recording of the words of the documentation's examples, in random stretches."""
    (read,) = caesura.read("examples/council.ann.txt")
    words = [word.lower() for word in read.words]
    draw = np.random.default_rng(seed)
    told: list[str] = []
    while len(told) < count:
        at = int(draw.integers(len(words)))
        told += words[at : at + int(draw.integers(2, 12))]
    if not timed:
        return Transcript(tuple(told[:count]), language="en")
    end = np.cumsum(0.3 + draw.exponential(0.2, count))
    speaker = tuple("AB"[at] for at in np.cumsum(draw.random(count) < 0.05) % 2)
    return Transcript(
        tuple(told[:count]), start=end - 0.25, end=end, speaker=speaker, language="en"
    )


@pytest.mark.parametrize("timed", [False, True])
def test_the_model_that_ships_decides_alike(timed: bool) -> None:
    detector = caesura.load("en").stored.detector  # type: ignore[attr-defined]
    given = talk(3000, 4, timed)
    slow, fast = (
        detector.adjusted(runtime=name).detect(given) for name in ("numpy", "onnxruntime")
    )
    assert slow.gaps.tolist() == fast.gaps.tolist()
    assert slow.label == fast.label
    assert slow.written == fast.written
    assert slow.log_odds == pytest.approx(fast.log_odds, abs=CLOSE)


class Rounded(Transformer):
    """A net that rounds otherwise: its scores are off by nearly as much as is allowed for."""

    def scores(self, *given: object) -> tuple[Single, Single]:
        gaps, cases = super().scores(*given)  # type: ignore[arg-type]
        draw = np.random.default_rng(1)
        return (
            gaps + draw.uniform(-1, 1, gaps.shape).astype(np.float32) * np.float32(CLOSE / 5),
            cases + draw.uniform(-1, 1, cases.shape).astype(np.float32) * np.float32(CLOSE / 5),
        )


@pytest.mark.parametrize("timed", [False, True])
def test_rounding_decides_nothing(monkeypatch: pytest.MonkeyPatch, timed: bool) -> None:
    """With thresholds on a gap itself, each of many gaps is as close as can be."""
    plain = small_encoder().adjusted(runtime="numpy")
    transformer = plain.model.transformer
    rounded = Rounded(transformer.arrays, transformer.shape)
    given = talk(240, 7, timed)
    odds = plain.detect(given).log_odds
    assert odds is not None
    for target in odds[::12].tolist():
        detector = plain.adjusted(bias=0.001 - target)
        with monkeypatch.context() as patched:
            patched.setattr(Encoder, "_runner", rounded)
            found = detector.detect(given)
        wanted = detector.detect(given)
        assert found.gaps.tolist() == wanted.gaps.tolist()
        assert found.label == wanted.label
        assert found.written == wanted.written


def scores(gap: list[float], case: list[float]) -> Scores:
    return Scores(np.array([gap], np.float32), np.array([case], np.float32))


CLEAR_CASE = [0.0, -9.0, -9.0, -9.0]


@pytest.mark.parametrize(
    ("found", "close"),
    [
        (scores([0.0, -9, -9, -12, -15], CLEAR_CASE), False),
        (scores([0.0, -9, -0.0005, -12, -15], CLEAR_CASE), True),
        (scores([0.0, -9, LIKELY_END, -12, -15], CLEAR_CASE), True),
        (scores([0.0, -0.0005, -9, -12, -15], CLEAR_CASE), True),
        (scores([-9.0, -12, 0, -0.0005, -15], CLEAR_CASE), True),
        # Where no sentence ends, it does not matter which mark would end it.
        (scores([0.0, -9, -9, -9, -15], CLEAR_CASE), False),
        (scores([0.0, -9, -9, -12, -15], [0.0, -0.0005, -9, -9]), True),
    ],
)
def test_what_is_close(found: Scores, close: bool) -> None:
    assert Encoder()._is_close(found) is close


def test_a_threshold_without_times_counts_too() -> None:
    found = scores([0.0, -9, -2, -12, -15], CLEAR_CASE)
    assert not replace(Encoder(), bias=1.5)._is_close(found)
    assert replace(Encoder(), bias=1.5, lone_bias=0.5)._is_close(found)
