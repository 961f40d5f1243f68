"""`caesura align` as people use it."""

import json
from pathlib import Path

import pytest

from cli.running import Program

CTM = """\
talk 1 0.0 0.3 good 0.9
talk 1 0.3 0.2 morning 0.8
talk 1 0.5 0.5 <sil>
talk 1 1.0 0.3 uh 0.4
talk 1 1.4 0.3 hello 0.9
talk 1 1.7 0.3 you 0.9
"""
SCRIPT = "Good morning, sir. Hello, you.\n"


@pytest.fixture
def recognised(tmp_path: Path) -> Path:
    path = tmp_path / "talk.ctm"
    path.write_text(CTM)
    return path


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.txt"
    path.write_text(SCRIPT)
    return path


def test_recordings_go_out_and_numbers_are_reported(
    caesura: Program, recognised: Path, script: Path
) -> None:
    done = caesura("align", recognised, "--script", script)
    assert done.code == 0, done.err
    assert json.loads(done.out) == {
        "id": "talk",
        "words": ["good", "morning", "uh", "hello", "you"],
        "start": [0.0, 0.3, 1.0, 1.4, 1.7],
        "end": [0.3, 0.5, 1.3, 1.7, 2.0],
        "confidence": [0.9, 0.8, 0.4, 0.9, 0.9],
        "pause": ["", "<sil>", "", "", ""],
        "sentences": [[0, 2], [3, 4]],
        "labels": ["", ",", ".", ",", "."],
    }
    (row,) = [line.split() for line in done.err.splitlines() if line.startswith("talk ")]
    assert row == ["talk", "5", "0.8000", "0.2000", "1", "1", "0"]
    assert caesura("-q", "align", recognised, "--script", script).err == ""


def test_markers_stay_in_ctm(
    caesura: Program, recognised: Path, script: Path, tmp_path: Path
) -> None:
    target = tmp_path / "aligned.ctm"
    done = caesura("align", recognised, "--script", script, "--output", target)
    assert done.code == 0, done.err
    assert "talk 1 0.5 0.5 <sil>\n" in target.read_text()
    assert "ctm drops sentences, labels" in done.err


def test_a_round_trip_through_jsonl(
    caesura: Program, recognised: Path, script: Path, tmp_path: Path
) -> None:
    target = tmp_path / "aligned.jsonl"
    done = caesura("align", recognised, "--script", script, "-o", target)
    assert done.code == 0, done.err
    again = caesura("-q", "align", target, "--script", target)
    assert again.out == target.read_text()
    scored = caesura("-q", "score", target, "-r", script, "--align", "--json")
    assert json.loads(scored.out)["scores"][0]["values"]["f1"] == 1


def test_json_has_the_numbers_of_each_and_of_all(
    caesura: Program, recognised: Path, script: Path, tmp_path: Path
) -> None:
    done = caesura("align", recognised, "--script", script, "--json")
    numbers = {
        "words": 5,
        "matched": 0.8,
        "word_error_rate": 0.2,
        "boundaries": 1,
        "carried": 1,
        "lost": 0,
        "undefined": {},
    }
    assert json.loads(done.out) == {"recordings": [{"id": "talk", **numbers}], "all": numbers}
    assert "carried" not in done.err
    target = tmp_path / "aligned.jsonl"
    both = caesura("align", recognised, "--script", script, "--json", "-o", target)
    assert both.out == done.out
    assert json.loads(target.read_text())["sentences"] == [[0, 2], [3, 4]]
    wrong = caesura("align", recognised, "--script", script, "--json", "--to", "jsonl")
    assert wrong.code == 2
    assert "name a file with --output" in wrong.err


def test_folders_are_paired_by_name(caesura: Program, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder in (ours, theirs):
        folder.mkdir()
    names = [f"call{number:02}" for number in range(12)]
    for name in names:
        (ours / f"{name}.ctm").write_text(CTM.replace("talk", name))
        (theirs / f"{name}.txt").write_text(SCRIPT)
    asked = ["align", ours, "--script", theirs, "--script-format", "text"]
    done = caesura(*asked, "--output", f"{tmp_path}/out/")
    assert done.code == 0, done.err
    assert sorted(path.stem for path in (tmp_path / "out").glob("*.jsonl")) == names
    lines = done.err.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("call")] == names[:10]
    assert any(line.startswith("… 2 more") for line in lines)
    assert lines[-1].split() == ["all", "60", "0.8000", "0.2000", "12", "12", "0"]
    (theirs / "call07.txt").rename(theirs / "other.txt")
    done = caesura("-q", *asked, "--output", f"{tmp_path}/again/")
    assert done.code == 1
    assert done.err == (
        "caesura: 1 recording is not in the script: 'call07'; give both sides the same "
        "recordings, paired by name\n"
    )
    assert not (tmp_path / "again").exists()


def test_another_script_gets_a_warning(caesura: Program, recognised: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Quite another text. It has nothing to do with that.\n")
    done = caesura("align", recognised, "--script", other)
    assert done.code == 0
    assert (
        "talk: only 0% of its words are in the script: is it that of another recording?" in done.err
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--layers", "sentence"), "no layer is named 'sentence'; known are start"),
        (("--normalize", "spelling"), "no normalisation step is named 'spelling'"),
        (("--script-format", "ctm"), "script.txt:1"),
    ],
)
def test_problems_are_reported_in_one_line(
    caesura: Program, recognised: Path, script: Path, options: tuple[str, ...], message: str
) -> None:
    target = script.with_name("out.jsonl")
    asked = ["--script-format", "text", *options]
    done = caesura("align", recognised, "--script", script, "--output", target, *asked)
    assert done.code == 1
    assert message in done.err
    assert "Traceback" not in done.err
    assert not target.exists()


def test_an_empty_script_is_refused(caesura: Program, recognised: Path, script: Path) -> None:
    script.write_text("")
    done = caesura("align", recognised, "--script", script, "--script-format", "text")
    assert done.code == 0
    assert "script.txt: there are no words in it" in done.err
    assert "talk: only 0% of its words are in the script" in done.err
    assert json.loads(done.out)["sentences"] == [[0, 4]]


def test_an_empty_recording_stays_empty(caesura: Program, script: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"id": "empty", "words": []}\n')
    done = caesura("align", empty, "--script", script, "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)["all"]
    assert (found["matched"], found["lost"]) == (None, 1)
    assert found["undefined"] == {"matched": "no words in the recording"}


def test_several_layers_and_speakers(caesura: Program, recognised: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.nlp"
    rows = ["Good|1|||", "morning|1|||.", "Hello|2|||", "you|2|||."]
    head = "token|speaker|ts|endTs|punctuation\n"
    script.write_text(head + "\n".join(rows) + "\n")
    done = caesura("align", recognised, "--script", script)
    assert json.loads(done.out)["speaker"] == ["1", "1", "1", "2", "2"]
    only = caesura("align", recognised, "--script", script, "--layers", "speaker")
    assert "sentences" not in json.loads(only.out)
