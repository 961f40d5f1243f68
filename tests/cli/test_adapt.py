"""`caesura adapt`, as a shell sees it."""

import json
from pathlib import Path

import numpy as np
import pytest

from caesura.models import store
from caesura.models.store import Card
from cli.running import Program
from detectors.small_encoder import small_encoder

WORDS = "the king so reads it all up now we left him zero".split()
SHORT = ("adapt", "small", "--train", "calls", "-o", "mine")


def text(seed: int, sentences: int = 40) -> str:
    """Return sentences that end after `now` and `zero`."""
    random = np.random.default_rng(seed)
    found: list[str] = []
    while len(found) < sentences:
        words: list[str] = []
        while not words or words[-1] not in ("now", "zero"):
            words.append(str(random.choice(WORDS)))
        found.append(" ".join(words).capitalize() + ("." if words[-1] == "now" else "?"))
    return " ".join(found)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("calls").mkdir()
    for seed in range(8):
        Path("calls", f"{seed}.txt").write_text(text(seed))
    store.save("small", small_encoder(), Card(name="small", about="A test.", language="en"))


def test_fits_a_model_and_says_that_it_helped(caesura: Program) -> None:
    done = caesura(*SHORT)
    assert done.code == 0, done.err
    title, _, head, _, before, after, _, said = done.out.splitlines()
    assert title == "Boundaries, with 8 recordings held out in turn"
    assert head.split() == "precision recall f1 ser".split()
    assert before.split()[0] == "before"
    assert after.split()[0] == "after"
    assert said.startswith("it helped: F1 .")
    lines = done.err.splitlines()
    assert lines[0] == "caesura: reading calls to train on"
    assert lines[-4].startswith("caesura: running Encoder on ")
    assert lines[-3] == "caesura: holding out 8 recordings in 5 folds"
    assert lines[-2].startswith("caesura: fitted bias and last layer (ridge ")
    assert lines[-1] == "caesura: the model is in mine"
    assert all(len(line) <= 80 for line in (*done.out.splitlines(), *lines))
    shown = caesura("models", "mine")
    assert "Adapted from the model small" in " ".join(shown.out.split())
    assert all(len(line) <= 80 for line in shown.out.splitlines())
    found = caesura("segment", "calls/1.txt", "--detector", "mine", "--to", "jsonl")
    assert found.code == 0


def test_writes_nothing_if_it_did_not_help(caesura: Program) -> None:
    assert caesura(*SHORT).code == 0
    again = ("adapt", "mine", "--train", "calls", "-o", "again")
    done = caesura(*again)
    assert done.code == 0
    said = done.out.splitlines()[-1]
    assert "nothing was written to again; --force writes it all the same" in done.err
    assert said.startswith("it did not help: F1 ")
    assert said.endswith("; the model was left as it is")
    assert not Path("again").exists()
    done = caesura(*again, "--force", "--name", "twice")
    assert done.out.splitlines()[-1].endswith("; it was written all the same")
    assert store.read_card("again").name == "twice"


def test_json_is_for_programs(caesura: Program) -> None:
    found = json.loads(caesura(*SHORT, "--json").out)
    assert found["model"] == "mine"
    assert found["helped"] is found["written"] is True
    assert found["after"]["f1"] > found["before"]["f1"]
    assert found["p"] < 0.05


def test_quiet_says_nothing_but_the_result(caesura: Program) -> None:
    done = caesura("-q", *SHORT)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["adapt", "small", "-o", "mine"], 2, "Missing option '--train'"),
        (["adapt", "nothing", "--train", "calls", "-o", "mine"], 1, "there is no such model"),
        (["adapt", "atene", "--train", "calls", "-o", "mine"], 1, "and a detector is wanted"),
        (["adapt", "small", "--train", "calls/1.txt", "-o", "mine"], 1, "40 sentences cannot sh"),
        (["adapt", "small", "--train", "calls", "-o", "calls"], 1, "not a model is there"),
        ([*SHORT, "--normalize", "upper"], 1, "no normalisation step is named 'upper'"),
        ([*SHORT, "--train", "./calls"], 1, "the same input is given twice"),
    ],
)
def test_wrong_uses_get_one_clear_line(
    caesura: Program, arguments: list[str], code: int, message: str
) -> None:
    done = caesura(*arguments)
    assert done.code == code
    assert message in done.err.splitlines()[-1]
    assert "Traceback" not in done.err
    assert not Path("mine").exists()


def test_help_says_when_nothing_is_written(caesura: Program) -> None:
    done = caesura("adapt", "--help")
    assert "nothing is written unless you ask for it with --force" in " ".join(done.out.split())
