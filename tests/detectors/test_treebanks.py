"""Syntax trained on real speech, and its scores on other recordings."""

from pathlib import Path

import pytest

from caesura import api
from caesura.core.protocols import Detector
from caesura.core.transcript import Transcript
from caesura.detectors.syntax.crf_svm import CRF, SVM
from caesura.detectors.syntax.sda import SDA
from caesura.models import store
from caesura.training.search import score_boundaries

LAYERS = ("start", "end", "speaker", "tag")
SYNTAX = ("en-sda", "fr", "ja", "pcm")


def spoken(corpora: Path, part: str) -> list[Transcript]:
    found = api.read(corpora / "ud/french-rhapsodie" / f"{part}.conllu")
    return [CRF().words(each) for each in found]


@pytest.fixture(scope="module")
def rhapsodie(corpora: Path) -> tuple[list[Transcript], list[Transcript]]:
    return spoken(corpora, "train"), spoken(corpora, "dev")


def reached(detector: Detector, dev: list[Transcript]) -> float:
    found = score_boundaries(detector.detect_all([each.only(LAYERS) for each in dev]), dev)["f1"]
    assert isinstance(found, float)
    return found


def test_syntax_finds_more_sentence_ends_than_labels_alone(
    rhapsodie: tuple[list[Transcript], list[Transcript]],
) -> None:
    """All biases are the best in a jackknife over the recordings for training."""
    train, dev = rhapsodie
    sda = SDA(alpha=3.0, bias=1.5, ahead=10).train(train)
    labels = reached(sda.crf.adjusted(bias=1.04), dev)
    assert reached(sda, dev) > labels > 0.71
    assert reached(SVM(bias=0.46).train(train), dev) > 0.71
    assert reached(sda.crf.adjusted(decision="viterbi"), dev) < labels - 0.02


def test_models_with_syntax_are_small_together_and_say_what_they_are_for() -> None:
    shipped = store.shipped_models()
    files = [file for name in SYNTAX for file in shipped[name].iterdir()]
    assert sum(file.stat().st_size for file in files) <= 5_000_000
    for name in SYNTAX:
        card = store.read_card(shipped[name])
        assert card.detector.startswith("SDA(crf=CRF(")
        assert "tagger=Tagger(" in card.detector
        assert card.language == name.partition("-")[0]
        assert card.scores["f1"] > 0.6
        assert "CC BY-SA 4.0" in card.licence
        assert card.notes
