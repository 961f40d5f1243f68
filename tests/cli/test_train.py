"""`caesura train`, as a shell sees it."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from caesura.models import store
from cli.running import Program
from tiny import Tiny, register

TRAIN = "so we left. they came then. who was it? we said so. it was over. "
DEV = "who left? they said it. then we came. so it was. "


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("calls.txt").write_text(TRAIN * 3)
    Path("held.txt").write_text(DEV * 2)
    Path("talk.txt").write_text(f"{TRAIN}\n{DEV}\n\n{DEV}\n")


PLAIN = ("--format", "text")
SHORT = ("train", "Tiny", "--train", "calls.txt", *PLAIN, "--output", "model")


def test_trains_tunes_and_writes_a_model(caesura: Program) -> None:
    done = caesura(*SHORT, "--dev", "held.txt", "--tune", "letters=1:3", "--tune", "smooth=1,2")
    assert done.code == 0
    first, second, third, *_ = done.err.splitlines()
    assert first == "caesura: reading calls to train on"
    assert second.startswith("caesura:   1 recording, 45 words, 15 sentences in ")
    assert third == "caesura: reading held to tune on"
    assert done.err.count("caesura: P ") == 6
    assert done.err.endswith("caesura: the model is in model\n")
    lines = done.out.splitlines()
    assert lines[2].split() == "letters smooth precision recall f1 ser bias choice".split()
    assert len(lines) == 10
    assert sum(line.endswith("best") for line in lines) == 1
    assert all(len(line) <= 80 for line in (*lines, *done.err.splitlines()))
    assert store.load("model").card.scores["goal"] == "f1"


def test_json_has_scores_and_curve(caesura: Program) -> None:
    done = caesura(*SHORT, "--dev", "held.txt", "--tune", "smooth=1,2", "--json")
    found = json.loads(done.out)
    assert found["model"] == "model"
    assert [row["smooth"] for row in found["curve"]] == [1, 2]
    assert {"bias", "precision", "recall", "f1", "ser"} < set(found["curve"][0])
    assert found["scores"] == {
        name: found["curve"][found["best"]][name] for name in ("precision", "recall", "f1", "ser")
    }


def test_what_was_tuned_is_what_segment_and_score_give(caesura: Program) -> None:
    trained = caesura(*SHORT, "--dev", "held.txt", "--goal", "ser", "--json")
    made = caesura("segment", "held.txt", *PLAIN, "--detector", "model", "-o", "found.jsonl")
    assert made.code == 0
    done = caesura("score", "found.jsonl", "-r", "held.txt", "--reference-format", "text", "--json")
    scores = json.loads(trained.out)["scores"]
    values = json.loads(done.out)["scores"][0]["values"]
    assert {name: values[name] for name in scores} == scores


def test_text_of_another_format_adds_training_data(caesura: Program) -> None:
    done = caesura(*SHORT, "--text", "talk.txt", "--text-format", "turns")
    assert done.code == 0
    assert "caesura: no development recordings" in done.err
    assert done.out == ""
    card = store.read_card("model")
    assert [(row["purpose"], row["recordings"]) for row in card.data] == [("train", 1), ("text", 2)]


def test_a_base_is_for_what_starts_from_one(caesura: Program) -> None:
    done = caesura(*SHORT, "--base", "bert")
    assert done.code == 1
    assert done.err == "caesura: Tiny has no base to start from; train Encoder\n"
    pytest.importorskip("torch", reason="needs torch: caesura[neural]")
    done = caesura("train", "Encoder", *SHORT[2:], "--base", "no-such")
    assert done.code == 1
    assert "there is no base model 'no-such'" in done.err
    assert not Path("model").exists()


def test_a_model_that_is_there_is_replaced(caesura: Program) -> None:
    assert caesura(*SHORT).code == 0
    assert caesura(*SHORT, "--name", "other").code == 0
    assert store.read_card("model").name == "other"


def test_quiet_says_nothing_but_the_result(caesura: Program) -> None:
    done = caesura("--quiet", *SHORT, "--dev", "held.txt", "--json")
    assert done.code == 0
    assert done.err == ""


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--tune", "smooth=1"], 2, "--tune needs recordings to tune on: --dev PATH"),
        (["--goal", "best"], 2, "'best' is not one of 'f1', 'ser'"),
        (["--dev", "held.txt", "--tune", "smoth=1"], 1, "Tiny has no setting 'smoth'"),
        (["--dev", "held.txt", "--tune", "smooth=x:y"], 1, "is not a range to tune"),
        (["--dev", "calls.txt"], 1, "1 development recording is among those to train on: calls"),
        (["--dev", "nothing.txt"], 1, "nothing.txt: cannot be read"),
        (["--dev", "void.txt"], 1, "there are no words in the recordings to tune on"),
        (["--dev", "bare.ctm"], 1, "of 1 recording to tune on 1 has no sentences: bare"),
        (["--train", "./calls.txt"], 1, "./calls.txt: the same input is given twice"),
        (["--normalize", "upper"], 1, "no normalisation step is named 'upper'"),
        (["--output", "calls.txt"], 1, "something that is not a model is there"),
    ],
)
def test_wrong_uses_get_one_clear_line(
    caesura: Program, more: list[str], code: int, message: str
) -> None:
    Path("void.txt").touch()
    Path("bare.ctm").write_text("bare 1 0.0 0.5 hello\n")
    asked = SHORT if "bare.ctm" not in more else ("train", "Tiny", "--train", "t.jsonl")
    if asked is not SHORT:
        assert caesura("convert", "calls.txt", *PLAIN, "-o", "t.jsonl").code == 0
        asked = (*asked, "--output", "model")
    done = caesura(*asked, *more)
    assert done.code == code
    assert message in done.err.splitlines()[-1]
    assert "Traceback" not in done.err
    assert not Path("model").exists()


def test_an_interruption_leaves_the_former_model(
    caesura: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert caesura(*SHORT).code == 0
    before = {file.name: file.read_bytes() for file in Path("model").iterdir()}
    names = sorted(file.name for file in Path().iterdir())

    def interrupted(*_: Any, **__: Any) -> Tiny:
        os.kill(os.getpid(), signal.SIGINT)
        return Tiny()

    monkeypatch.setattr(Tiny, "train", interrupted)
    done = caesura(*SHORT)
    assert done.code == 130
    assert done.err.endswith("interrupted; nothing was left half written\n")
    assert {file.name: file.read_bytes() for file in Path("model").iterdir()} == before
    assert sorted(file.name for file in Path().iterdir()) == names
