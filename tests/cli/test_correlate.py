"""Correlations, asked for as people would."""

import json
from pathlib import Path

import pytest

import caesura as library
from cli.running import Program

EXAMPLES = Path(__file__).parents[2] / "examples"
TABLES = EXAMPLES / "recognisers.csv", EXAMPLES / "names.csv"
ASKED = (*TABLES, "--metric", "wer", "--metric", "ne_wer", "--result", "eter")


def test_tables_fit_a_terminal(caesura: Program) -> None:
    done = caesura("correlate", *ASKED, "-m", "name_accuracy", "--negate", "name_accuracy")
    assert done.code == 0, done.err
    others = [line for line in done.out.splitlines() if not line.startswith("correlate(")]
    assert len(others) == len(done.out.splitlines()) - 1
    assert max(map(len, others)) <= 80
    for title in (
        "eter: correlation over 5 systems, mean of 10 shows, then of 2 task systems",
        "eter: difference to wer",
        "eter: Spearman of each task system",
        "eter: Spearman without one system",
    ):
        assert title in others
    (row,) = [line for line in others if line.startswith("-name_accuracy  rises")]
    assert row.split()[2] == "0.8636"


def test_long_names_fit_too(caesura: Program, tmp_path: Path) -> None:
    names = [f"a-recogniser-with-a-long-name-{i}" for i in range(9)]
    lines = ["system,show,a_metric_with_a_name_that_is_longer_than_any_column,task_error_rate"]
    lines += [f"{name},{show},{i},{i * i}" for i, name in enumerate(names) for show in "xyz"]
    table = tmp_path / "long.csv"
    table.write_text("\n".join(lines))
    done = caesura("correlate", table, "-m", lines[0].split(",")[2], "--result", "task_error_rate")
    assert done.code == 0, done.err
    assert max(len(x) for x in done.out.splitlines() if not x.startswith("correlate(")) <= 80
    assert "difference" not in done.out


def test_json_is_what_the_library_gives(caesura: Program) -> None:
    done = caesura("correlate", *ASKED, "--without", "elm", "--seed", 3, "--json")
    assert done.code == 0, done.err
    metrics = ["wer", "ne_wer"]
    found = library.correlate(TABLES, metric=metrics, result="eter", without="elm", seed=3)
    assert json.loads(done.out) == json.loads(json.dumps(found.to_dict()))
    assert found.results[0].data.systems == ("alder", "birch", "cedar", "damson")
    again = caesura("correlate", *ASKED, "--without", "elm", "--seed", 3, "--json")
    assert again.out == done.out


def test_scores_of_systems_are_joined_with_a_table(caesura: Program, tmp_path: Path) -> None:
    """Each system's scores as `score --json` writes them, and what the task made of it."""
    gold, files, lines = tmp_path / "gold", [], ["system,show,error"]
    gold.mkdir()
    texts = {"one": "a b\nc d e f\ng h\n", "two": "a\nb c\nd e\nf g h\n"}
    for show, text in texts.items():
        (gold / f"{show}.txt").write_text(text)
    for dropped, system in enumerate(("good", "middling", "poor")):
        folder = tmp_path / system
        folder.mkdir()
        for show, text in texts.items():
            (folder / f"{show}.txt").write_text(text.replace("\n", " ", dropped).strip() + "\n")
            lines.append(f"{system},{show},{dropped}")
        done = caesura(
            "-q", "score", folder, "-r", gold, "-m", "Boundary", "--format", "lines", "--json"
        )
        assert done.code == 0, done.err
        files.append(tmp_path / f"{system}.json")
        files[-1].write_text(done.out)
    table = tmp_path / "errors.csv"
    table.write_text("\n".join(lines))
    asked = ("-m", "recall", "--result", "error", "--json")
    done = caesura("correlate", *files, table, *asked)
    assert done.code == 0, done.err
    (result,) = json.loads(done.out)["results"]
    assert result["systems"] == ["good", "middling", "poor"]
    assert result["correlations"][0]["value"] == pytest.approx(-1)
    compared = tmp_path / "compared.json"
    folders = [tmp_path / file.stem for file in files]
    compare = ("compare", *folders, "-r", gold, "-m", "Boundary", "--format", "lines", "--json")
    compared.write_text(caesura("-q", *compare).out)
    (same,) = json.loads(caesura("correlate", compared, table, *asked).out)["results"]
    assert same["correlations"] == result["correlations"]


def test_scores_under_different_terms_are_refused(caesura: Program, tmp_path: Path) -> None:
    written = tmp_path / "text.txt"
    written.write_text("a b\nc d e f\n")
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file, steps in zip(files, ("case", "case+punctuation"), strict=True):
        asked = ("-m", "Words", "--normalize", steps, "--json")
        file.write_text(caesura("-q", "score", written, "-r", written, *asked).out)
    done = caesura("correlate", *files, "-m", "wer", "--result", "mer")
    assert done.code == 1
    one, two = (f"{file}: text" for file in files)
    assert done.err == (
        f"caesura: {two}: wer was measured with normalize=case+punctuation, "
        f"and with normalize=case in {one}; score all systems with the same options\n"
    )


def test_reports(caesura: Program, tmp_path: Path) -> None:
    paths = [tmp_path / f"out.{kind}" for kind in ("md", "tex", "json")]
    options = [part for path in paths for part in ("--report", path)]
    done = caesura("correlate", *ASKED, *options)
    assert done.code == 0, done.err
    page, tex, data = (path.read_text() for path in paths)
    assert "| ne_wer | rises |   0.8284 |" in page
    assert r"\begin{tabular}{llrrrr}" in tex
    assert json.loads(data)["results"][0]["result"] == "eter"


def test_figures(caesura: Program, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    svg, png = tmp_path / "out.svg", tmp_path / "out.png"
    done = caesura("correlate", *ASKED, "--result", "hard", "--report", svg)
    assert done.code == 1
    done = caesura("correlate", *ASKED, "--report", svg, "--report", png)
    assert done.code == 0, done.err
    assert b"<svg" in svg.read_bytes()
    assert png.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (TABLES, 2, "Missing option '--metric'"),
        ((*TABLES, "-m", "wer"), 2, "Missing option '--result'"),
        ((*TABLES, "-m", "mer", "--result", "eter"), 1, "there are system, show, wer, ne_wer"),
        ((*ASKED, "--without", "oak"), 1, "there is no system 'oak'"),
        ((*ASKED, "--show", "call"), 1, "recognisers.csv:1: there is no column 'call'; name it"),
        ((*ASKED, "--task", "ner"), 1, "names.csv:3: eter of alder, harbour1 was given already"),
        ((*ASKED, TABLES[0]), 1, "wer of alder, harbour1 was given already"),
        ((*ASKED, "absent.csv"), 1, "absent.csv: cannot be read"),
        ((*ASKED, "--report", "x.html"), 1, "use one of .md, .tex, .json, .png, .svg"),
        ((*ASKED, "--resamples", "-1"), 2, "--resamples"),
    ],
    ids=[
        "no metric",
        "no result",
        "unknown column",
        "unknown system",
        "no show column",
        "wrong task column",
        "table twice",
        "no file",
        "no such report",
        "negative draws",
    ],
)
def test_wrong_use_gets_one_clear_answer(
    caesura: Program, arguments: tuple[object, ...], code: int, message: str
) -> None:
    done = caesura("correlate", *arguments)
    assert done.code == code
    assert message in done.err
    assert "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) == (1 if code == 1 else 4)


def test_the_page_shows_what_happens(caesura: Program) -> None:
    page = (EXAMPLES.parent / "docs" / "correlate.md").read_text(encoding="utf-8")
    done = caesura("correlate", *ASKED)
    tables, _, _ = done.out.rpartition("correlate(")
    assert "eter: Spearman without one system" in tables
    assert tables in page
