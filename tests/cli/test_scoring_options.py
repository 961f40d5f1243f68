"""The commands that measure, used as people would."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.running import Program

EXAMPLES = Path(__file__).parents[2] / "examples"
ANN, BEN = EXAMPLES / "council.ann.txt", EXAMPLES / "council.ben.txt"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.txt"
    path.write_text(text)
    return path


def scores(caesura: Program, *arguments: object) -> Any:
    done = caesura("-q", "score", *arguments, "--format", "lines", "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def signature(out: str) -> str:
    (line,) = [line for line in out.splitlines() if "|references=" in line]
    return line


def test_a_signature_stands_on_one_line(caesura: Program) -> None:
    done = caesura("score", ANN, "-r", BEN)
    assert done.code == 0, done.err
    assert "|align=no|bootstrap(resamples=1000,level=0.95,seed=20000," in signature(done.out)
    others = [line for line in done.out.splitlines() if "|references=" not in line]
    assert max(map(len, others)) <= 80


def test_the_same_command_gives_the_same_digits(caesura: Program) -> None:
    again = ["score", ANN, "-r", BEN, "-m", "WiSeBE", "-m", "Boundary", "--json"]
    assert caesura(*again).out == caesura(*again).out
    assert caesura(*again).out != caesura(*again, "--seed", "7").out


def test_a_sweep_is_shown(caesura: Program) -> None:
    done = caesura("score", ANN, "-r", BEN, "-r", ANN, "-m", "WiSeBE", "--sweep", "window_gap=0:2")
    assert done.code == 0, done.err
    assert "window_gap" in done.out
    found = json.loads(
        caesura("score", ANN, "-r", BEN, "-m", "WiSeBE", "--sweep", "window_gap=0:2", "--json").out
    )
    assert [each["metric"] for each in found["sweeps"][0]["scores"]] == [
        f"WiSeBE(protocol='paper', window_gap={gap})" for gap in (0, 1, 2)
    ]


def test_compare(caesura: Program) -> None:
    done = caesura("compare", ANN, BEN, "-r", ANN)
    assert done.code == 0, done.err
    assert max(len(x) for x in done.out.splitlines() if "|references=" not in x) <= 80
    found = json.loads(caesura("compare", ANN, BEN, "-r", ANN, "--value", "ser", "--json").out)
    assert [each["name"] for each in found["systems"]] == ["council.ann", "council.ben"]
    (row,) = found["differences"]
    assert (row["a"], row["b"], row["value"]) == ("council.ann", "council.ben", "ser")
    assert row["difference"] < 0


def test_agree(caesura: Program) -> None:
    done = caesura("agree", ANN, BEN)
    assert done.code == 0, done.err
    assert "kappa" in done.out


@pytest.mark.parametrize("command", ["score", "compare", "agree"])
def test_reports_are_written_beside(caesura: Program, tmp_path: Path, command: str) -> None:
    page, table = tmp_path / "out.html", tmp_path / "out.tex"
    given = [ANN, BEN] if command != "score" else [ANN]
    references = [] if command == "agree" else ["-r", BEN]
    done = caesura(command, *given, *references, "--report", page, "--report", table)
    assert done.code == 0, done.err
    assert f"wrote {page}" in done.err
    assert page.read_text().startswith("<!doctype html>")
    assert "tabular" in table.read_text()


def test_a_report_of_unknown_kind_is_refused_at_once(caesura: Program, tmp_path: Path) -> None:
    done = caesura("score", "absent.txt", "-r", "absent.txt", "--report", tmp_path / "x.doc")
    assert done.code == 1
    assert "use one of .html, .md, .tex, .json, .png, .svg" in done.err


@pytest.mark.parametrize(
    ("hypothesis", "references", "value", "reason"),
    [
        ("a b\nc d\n", ["a b\nc d\n"], "wisebe", "agreement takes two references"),
        ("a b c d\n", ["a b\nc d\n"] * 2, "f1", "no boundary in the hypothesis"),
        ("a b\nc d\n", ["a b c d\n"] * 2, "f1", "no boundary in any reference"),
        ("a\n", ["a\n"] * 2, "kappa", "no gaps"),
    ],
)
def test_what_has_no_value_has_a_reason(
    caesura: Program,
    tmp_path: Path,
    hypothesis: str,
    references: list[str],
    value: str,
    reason: str,
) -> None:
    ours = written(tmp_path, "ours", hypothesis)
    theirs = [written(tmp_path, f"r{i}", text) for i, text in enumerate(references)]
    options = [part for each in theirs for part in ("-r", each)]
    (score,) = scores(caesura, ours, *options, "-m", "WiSeBE")["scores"]
    assert score["values"][value] is None
    assert reason in score["undefined"][value]


def test_a_reference_given_twice_is_two_that_agree(caesura: Program, tmp_path: Path) -> None:
    ours, theirs = written(tmp_path, "a", "a b\nc d\n"), written(tmp_path, "b", "a b\nc d\n")
    (score,) = scores(caesura, ours, "-r", theirs, "-r", theirs, "-m", "WiSeBE")["scores"]
    assert score["values"]["wisebe"] == 1
    assert score["values"]["kappa"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["compare", ANN, "-r", BEN], 1, "a comparison takes two systems or more"),
        (["compare", ANN, BEN, "-r", BEN, "--value", "f2"], 1, "gives a value 'f2'"),
        (["agree"], 2, "Missing argument"),
        (["agree", ANN], 1, "agreement takes two annotators or more; name the file of each"),
        (["score", ANN, "-r", BEN, "--sweep", "gap=1:2"], 1, "no metric has a setting 'gap'"),
        (["score", ANN, "-r", BEN, "--resamples", "-1"], 2, "--resamples"),
        (["score", ANN, "-r", BEN, "--metric", "Majority(k=2)"], 1, "reference"),
        (["report", ANN, "-r", BEN], 2, "No such command"),
        (["reproduce", "nothing", "--data", ".", "--output", "x"], 1, "nothing"),
    ],
)
def test_wrong_use_gets_one_clear_answer(
    caesura: Program, arguments: list[object], code: int, message: str
) -> None:
    done = caesura(*arguments)
    assert done.code == code
    assert message in done.err
    assert "Traceback" not in done.err
