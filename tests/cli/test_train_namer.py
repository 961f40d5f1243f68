"""`caesura train` of a namer, and ATENE with it, as a shell sees them."""

import json
from pathlib import Path

import pytest

import caesura as package
from caesura import storage
from caesura.transcript import Span, Transcript
from cli.running import Program
from namers.slow import lesson

pytest.importorskip("scipy")

SHORT = ("train", "Margins(affixes=False)", "--train", "train.bio", "--out", "model")
SCORE = ("score", "heard.jsonl", "--reference", "said.bio", "--metric", "ATENE(model='model')")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    package.write([lesson(1), lesson(2)], output="train.bio")
    package.write([lesson(3)], output="dev.bio")
    Path("bare.txt").write_text("So it goes. And so on.")
    said = lesson(4)
    heard = tuple("rum" if word == "Rome" else word.lower() for word in said.words)
    package.write([said], output="said.bio")
    package.write([Transcript(heard, id="said")], output="heard.jsonl")


def test_trains_tunes_and_keeps(caesura: Program) -> None:
    done = caesura(*SHORT, "--dev", "dev.bio", "--tune", "ridge=1,1000000")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("Margins on the development recordings, tuned for f1")
    assert lines[2].split() == "ridge precision recall f1 log_loss choice".split()
    assert lines[4].split()[-1] == "best"
    stored = storage.load("model")
    assert stored.card.scores["f1"] > 0.9
    assert stored.namer.settings["ridge"] == 1
    assert "classes: LOC PER" in stored.card.notes


def test_a_model_that_finds_no_name_is_told_at_once(caesura: Program) -> None:
    package.write(
        [Transcript(("Then", "Xu", "met"), entities=(Span(1, 1, "PER"),))], output="xu.bio"
    )
    asked = ("train", "Margins(ridge=1000000)", "--train", "train.bio", "--out", "model")
    done = caesura(*asked, "--dev", "xu.bio")
    assert done.code == 0, done.err
    assert "none of the names of the development recordings is found" in done.err
    assert done.out.splitlines()[2].split() == "precision recall f1 log_loss".split()
    assert "none of the names" not in caesura(*SHORT, "--dev", "dev.bio").err


def test_signatures_have_the_checksum_that_models_prints(caesura: Program) -> None:
    caesura(*SHORT)
    told = caesura("models", "model").out.partition("checksum")[2].split(",")[0].strip()
    assert f"|model={told}|" in caesura(*SCORE).out


def test_a_tagger_may_learn_from_other_texts(caesura: Program) -> None:
    from taggers.toy import lesson as tagged

    package.write([tagged(1)], output="tags.conllu")
    asked = ("train", "Margins(tagger=Tagger())", "--train", "train.bio", "--out", "model")
    done = caesura(*asked, "--text", "tags.conllu")
    assert done.code == 0, done.err
    assert any(name.startswith("tagger.") for name in storage.load("model").learner.learnt())


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--train", "bare.txt"], "of 3 recordings to train on 1 has no entities, such as bare"),
        (["--dev", "bare.txt"], "of 1 recording to tune on 1 has no entities"),
        (["--dev", "dev.bio", "--tune", "bias=1"], "Margins has no setting 'bias'"),
    ],
)
def test_wrong_uses_get_one_clear_line(caesura: Program, more: list[str], told: str) -> None:
    done = caesura(*SHORT, *more)
    assert done.code == 1
    assert told in done.err.splitlines()[-1]
    assert not Path("model").exists()


def test_a_namer_segments_nothing(caesura: Program) -> None:
    assert caesura(*SHORT).code == 0
    for model in ("model", "atene"):
        done = caesura("segment", "bare.txt", "--detector", model)
        assert done.code == 1
        assert f"the model {model} is a Margins, and a detector is wanted" in done.err


def test_namers_are_listed(caesura: Program) -> None:
    assert "Margins" in caesura("list", "namers").out
    assert "atene" in caesura("models").out


def test_the_most_harmful_errors_come_first(caesura: Program) -> None:
    assert caesura(*SHORT).code == 0
    done = caesura(*SCORE)
    assert done.code == 0, done.err
    assert "Names that became harder to find, the most harmful first" in done.out
    assert "the loss is that of all of them together" in done.out
    table = done.out.partition("Names that became")[2].splitlines()
    first = next(line for line in table if line.startswith("LOC"))
    assert first.split()[:3] == ["LOC", "rome", "rum"]
    assert "|model=" in done.out


def test_json_has_the_losses(caesura: Program) -> None:
    assert caesura(*SHORT).code == 0
    found = json.loads(caesura(*SCORE, "--json").out)["scores"][0]
    assert found["values"]["atene"] > 0
    losses = [each["loss"] for each in found["disagreements"]]
    assert losses == sorted(losses, reverse=True)
    assert found["disagreements"][0]["reference"] == "rome"
