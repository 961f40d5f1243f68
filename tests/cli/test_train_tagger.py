"""`caesura train` of a tagger, as a shell sees it."""

import json
from pathlib import Path

import pytest

import caesura as package
from caesura.models import store
from cli.running import Program
from detectors.toy_tags import tagged_text

pytest.importorskip("scipy")

SHORT = ("train", "Tagger(size=500)", "--train", "train.conllu", "--output", "model")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    package.write([tagged_text(1), tagged_text(2)], output="train.conllu")
    package.write([tagged_text(3)], output="dev.conllu")
    Path("bare.txt").write_text("So it goes. And so on.")


def test_trains_tunes_and_writes_a_model(caesura: Program) -> None:
    done = caesura(*SHORT, "--dev", "dev.conllu", "--tune", "ridge=0.5,1000000")
    assert done.code == 0, done.err
    assert "caesura: accuracy 1.000 ridge=0.5" in done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("Tagger on the development recordings, tuned for accuracy")
    assert lines[2].split() == "ridge accuracy choice".split()
    assert lines[4].split() == ["0.5", "1.0000", "best"]
    stored = store.load("model")
    assert stored.card.scores == {"goal": "accuracy", "accuracy": 1.0}
    assert stored.tagger.settings["ridge"] == 0.5
    assert "NOUN" in stored.card.notes


def test_the_card_and_the_overview_show_the_accuracy(caesura: Program) -> None:
    assert caesura(*SHORT, "--dev", "dev.conllu").code == 0
    assert "accuracy" in caesura("models", "model").out
    assert "accuracy 1.000" in caesura("models", "model", "model").out


def test_json_has_scores_and_curve(caesura: Program) -> None:
    done = caesura(*SHORT, "--dev", "dev.conllu", "--tune", "cutoff=1,2", "--json")
    found = json.loads(done.out)
    assert found["goal"] == "accuracy"
    assert found["scores"] == {"accuracy": 1.0}
    assert [row["cutoff"] for row in found["curve"]] == [1, 2]


def test_sentences_are_not_needed(caesura: Program) -> None:
    package.write([tagged_text(1).replace(sentences=None)], output="words.jsonl")
    done = caesura("train", "Tagger(size=50)", "--train", "words.jsonl", "--output", "model")
    assert done.code == 0, done.err
    assert "neither tuned nor scored" in done.err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--train", "bare.txt"], "of 3 recordings to train on 1 has no tags, such as bare"),
        (["--dev", "bare.txt"], "of 1 recording to tune on 1 has no tags"),
        (["--dev", "train.conllu"], "2 development recordings are among those to train on"),
        (["--dev", "dev.conllu", "--tune", "bias=1"], "Tagger has no setting 'bias'"),
    ],
)
def test_wrong_uses_get_one_clear_line(caesura: Program, more: list[str], message: str) -> None:
    done = caesura(*SHORT, *more)
    assert done.code == 1
    assert message in done.err.splitlines()[-1]
    assert not Path("model").exists()


def test_a_tagger_segments_nothing(caesura: Program) -> None:
    assert caesura(*SHORT).code == 0
    done = caesura("segment", "bare.txt", "--detector", "model")
    assert done.code == 1
    assert "the model model is a Tagger, and a detector is wanted" in done.err


def test_taggers_are_listed(caesura: Program) -> None:
    assert "Tagger" in caesura("list", "taggers").out


def test_a_chunker_trains_its_tagger_and_tunes_it(caesura: Program) -> None:
    pytest.importorskip("pycrfsuite")
    package.write([tagged_text(3).only(["sentences"])], output="words.jsonl")
    chunker = "CRF(iterations=30, tagger=Tagger(cutoff=1))"
    asked = (
        "train",
        chunker,
        "--train",
        "train.conllu",
        "--dev",
        "words.jsonl",
        "--output",
        "model",
    )
    done = caesura(*asked, "--tune", "tagger.size=10,500", "--json")
    assert done.code == 0, done.err
    assert [row["tagger.size"] for row in json.loads(done.out)["curve"]] == [10, 500]
    stored = store.load("model")
    assert "tagger=Tagger(size=" in stored.card.detector
    assert any(name.startswith("tagger.") for name in stored.detector.state())
    done = caesura("segment", "words.jsonl", "--detector", "model")
    assert done.code == 0, done.err
    assert len(done.out.splitlines()) == 20
