"""The program as a person uses it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura.core.transcript import Transcript
from caesura.formats.nist.ctm import Ctm
from cli.running import Program

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
WHISPER = EXAMPLES / "interview.whisper.json"
CTM = EXAMPLES / "council.ctm"


def test_segment_prints_a_sentence_a_line(caesura: Program) -> None:
    done = caesura("segment", WHISPER)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "Thank you for coming, Mrs. Ferreira."
    assert "What was the first night like?" in lines
    assert "My brother held the rope until the morning." in lines
    assert "read as whisper" in done.err


def test_quiet_says_nothing(caesura: Program) -> None:
    assert caesura("--quiet", "segment", WHISPER).err == ""
    for option in ("-q", "--quiet"):
        assert caesura("segment", WHISPER, option).err == ""
    assert caesura("segment", WHISPER).err != ""


def test_segment_json_has_words_sentences_and_evidence(caesura: Program) -> None:
    done = caesura("segment", CTM, "--json")
    found = json.loads(done.out)
    assert found["id"] == "council"
    assert len(found["words"]) == len(found["log_odds"]) == 57
    first = found["sentences"][0]
    assert first["text"] == "Good morning everyone and welcome."
    assert first["read"] == "good morning everyone and welcome"
    assert (first["first"], first["last"]) == (0, 4)
    assert 0 < first["start"] < first["end"]
    assert found["sentences"][-1]["last"] == 56


def test_segment_reads_standard_input(caesura: Program) -> None:
    done = caesura("segment", "-", "--format", "ctm", stdin=CTM.read_bytes())
    assert done.out.splitlines()[0] == "Good morning everyone and welcome."


def test_segment_writes_captions(caesura: Program, tmp_path: Path) -> None:
    target = tmp_path / "interview.srt"
    assert caesura("segment", WHISPER, "--output", target).code == 0
    assert target.read_text(encoding="utf-8").startswith("1\n00:00:00,")
    assert [path.name for path in tmp_path.iterdir()] == ["interview.srt"]


def test_a_folder_becomes_a_folder(caesura: Program, tmp_path: Path) -> None:
    source = tmp_path / "in"
    (source / "deep").mkdir(parents=True)
    (source / "one.ctm").write_bytes(CTM.read_bytes())
    (source / "deep" / "two.ctm").write_bytes(CTM.read_bytes())
    (source / "notes.xyz").write_text("not for us")
    done = caesura("segment", source, "--to", "vtt", "--output", f"{tmp_path}/out/")
    assert done.code == 0, done.err
    found = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.vtt"))
    assert found == ["deep/two.vtt", "one.vtt"]


def test_one_bad_file_does_not_cost_the_others(caesura: Program, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for name in ("a", "c"):
        (source / f"{name}.ctm").write_bytes(CTM.read_bytes())
    (source / "b.ctm").write_bytes(b"\x80 broken")
    (source / "d.conllu").write_text("# no times\n1\thello" + "\t_" * 8 + "\n\n")
    done = caesura("segment", source, "--to", "srt", "--output", f"{tmp_path}/out/")
    assert done.code == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.srt", "c.srt"]
    assert "b.ctm:1: byte 0 is not UTF-8 text" in done.err
    assert "d has no times, and srt needs them" in done.err
    done = caesura("segment", source, "--to", "jsonl", "--output", tmp_path / "all.jsonl")
    assert done.code == 1
    assert "b.ctm:1: byte 0 is not UTF-8 text" in done.err
    assert not (tmp_path / "all.jsonl").exists()


@pytest.mark.parametrize("format", ["srt", "jsonl"])
def test_two_inputs_never_share_one_output(caesura: Program, tmp_path: Path, format: str) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.ctm").write_bytes(CTM.read_bytes())
    done = caesura(
        "convert",
        tmp_path / "a" / "x.ctm",
        tmp_path / "b" / "x.ctm",
        "--to",
        format,
        "-o",
        f"{tmp_path}/o/",
    )
    assert done.code == 1
    assert "would both be written here" in done.err


def test_several_recordings_do_not_fit_one_srt(caesura: Program, tmp_path: Path) -> None:
    two = tmp_path / "two.ctm"
    two.write_text("a 1 0.0 0.5 hello\nb 1 0.0 0.5 there\n")
    done = caesura("convert", two, "-o", tmp_path / "two.srt")
    assert done.code == 1
    assert "holds one recording" in done.err
    assert not (tmp_path / "two.srt").exists()
    done = caesura("convert", two, "--to", "srt", "-o", f"{tmp_path}/out/")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["two.a.srt", "two.b.srt"]


def test_convert_says_what_is_dropped(caesura: Program) -> None:
    done = caesura("convert", CTM, "--to", "iwslt")
    assert done.code == 0
    assert "caesura: iwslt drops word times, confidence" in done.err


def test_score_one_and_two_references(caesura: Program, tmp_path: Path) -> None:
    found = tmp_path / "found.jsonl"
    caesura("segment", CTM, "--detector", "Pause", "--output", found)
    ann, ben = EXAMPLES / "council.ann.txt", EXAMPLES / "council.ben.txt"
    done = caesura("score", found, "--reference", ann, "--json")
    assert done.code == 0, done.err
    (score,) = json.loads(done.out)["scores"]
    assert score["metric"] == "Boundary(count_end=False, classes=())"
    assert score["values"]["recall"] == 1.0
    assert score["undefined"] == {}
    assert score["signature"].startswith("Boundary(count_end=False, classes=())|references=1|")
    done = caesura("score", found, "--reference", ann, "--reference", ben)
    assert done.code == 0
    assert "references=2|documents=1|normalize=case|align=no|" in done.out


def test_score_refuses_other_words_and_names_the_remedy(caesura: Program, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("we had three offers\nit was cheap\n")
    two.write_text("We had four offers.\nIt really was cheap.\n")
    done = caesura("score", one, "--reference", two, "--format", "lines")
    assert done.code == 1
    assert "word 3 is 'three' in the hypothesis and 'four' in reference 1" in done.err
    assert "--align" in done.err
    done = caesura("score", one, "--reference", two, "--format", "lines", "--align")
    assert done.code == 0
    assert "f1         1.0000" in done.out
    assert re.search(r"two +0 \(0\.0%\) +1 \(12\.5%\) +1 \(12\.5%\)", done.out)


def test_score_needs_sentences(caesura: Program) -> None:
    done = caesura("score", CTM, "--reference", EXAMPLES / "council.ann.txt")
    assert done.code == 1
    assert "the hypothesis (council) has no sentences" in done.err


def test_score_pairs_recordings_by_name(caesura: Program, tmp_path: Path) -> None:
    for side, names in (("h", "ab"), ("r", "ac")):
        (tmp_path / side).mkdir()
        for name in names:
            (tmp_path / side / f"{name}.txt").write_text("one two\nthree four\n")
    done = caesura("score", tmp_path / "h", "--reference", tmp_path / "r", "--format", "lines")
    assert done.code == 1
    assert "1 recording is not in reference 1: 'b'" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["segment"], 2, "Missing argument"),
        (["nonsense"], 2, "No such command"),
        (["segment", "x.ctm", "--no-such"], 2, "No such option"),
        (["segment", "absent.ctm"], 1, "absent.ctm: cannot be read: No such file"),
        (["segment", str(CTM), "--detector", "Paus"], 1, "did you mean 'Pause'?"),
        (["segment", str(CTM), "--to", "srtt"], 1, "did you mean 'srt'?"),
        (["segment", str(CTM), "--to", "docx"], 1, "those that can be written are lines, text"),
        (["segment", str(CTM), "--to", "Pause"], 1, "Pause is a detector"),
        (["segment", str(CTM), "--json", "-o", "x.json"], 2, "--to jsonl"),
        (["convert", str(CTM)], 2, "name a format with --to, or a file with -o"),
        (["convert", str(CTM), "-o", "x.txt"], 1, "choose one with to= (--to)"),
        (["convert", str(CTM), "-o", "/proc/nowhere/x.srt"], 1, "cannot be written"),
        (["list", "horses"], 1, "nothing is called 'horses'"),
        (["score", str(CTM)], 2, "--reference"),
    ],
)
def test_wrong_use_gets_one_clear_answer(
    caesura: Program, arguments: list[str], code: int, message: str
) -> None:
    done = caesura(*arguments)
    assert done.code == code
    assert message in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_only_formats_that_can_be_written_are_offered(caesura: Program) -> None:
    commands = [["convert", CTM], ["segment", CTM], ["align", CTM, "--script", CTM]]
    for command in [*commands, ["project", CTM, "--reference", CTM]]:
        refused = caesura(*command, "--to", "docx").err
        assert "no format is named 'docx'; " in refused
        assert "srt" in refused
        assert "amberscript" not in refused


def test_json_of_no_known_kind_is_named_by_its_keys(caesura: Program, tmp_path: Path) -> None:
    odd = tmp_path / "odd.json"
    odd.write_text('{"hello": "world"}')
    done = caesura("segment", odd)
    assert done.code == 1
    said = "odd.json: this is JSON of no known kind: an object with the keys hello; known are whis"
    assert said in done.err
    assert "--format" not in done.err
    listed = caesura("segment", "-", stdin=b'[{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}]')
    assert "no known kind: a list of objects with the keys a, b, c, d, e, …; known" in listed.err
    assert "ctm" not in listed.err
    assert "no known kind; known are" in caesura("segment", "-", stdin=b"[]").err
    odd.write_text('{"hello": ')
    assert "odd.json:1: not JSON" in caesura("segment", odd).err


def test_help_fits_the_terminal_and_is_quick(caesura: Program) -> None:
    done = caesura("--help")
    assert done.code == 0
    for verb in ("segment", "score", "convert", "list"):
        assert verb in done.out
        assert "Examples:" in caesura(verb, "--help").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(caesura: Program, shell: str) -> None:
    assert "_CAESURA_COMPLETE" in caesura("--completion", shell).out


def slow_writer(tmp_path: Path) -> list[str]:
    """A program that writes half of a file and then waits."""
    code = f"""
import sys, time
from caesura.cli.main import main
from caesura.formats.captions.srt import Srt
def write(self, transcripts, file):
    file.write(b"half")
    file.flush()
    print("half", flush=True)
    time.sleep(60)
Srt.write = write
main(["convert", {str(CTM)!r}, "-o", {str(tmp_path / "out.srt")!r}])
"""
    return [sys.executable, "-c", code]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interruption_leaves_nothing_half_written(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "out.srt").write_text("as it was")
    with subprocess.Popen(
        slow_writer(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "half\n"
        time.sleep(0.1)
        os.kill(program.pid, number)
        _, err = program.communicate(timeout=20)
    assert program.returncode == 130
    assert err.strip() == "caesura: interrupted; nothing was left half written"
    assert [path.name for path in tmp_path.iterdir()] == ["out.srt"]
    assert (tmp_path / "out.srt").read_text() == "as it was"


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    many = tmp_path / "many.ctm"
    many.write_text("".join(f"talk{i} 1 0 1 word\n" for i in range(20000)))
    command = f"{sys.executable} -m caesura segment {many} -q --to jsonl | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("{", "")


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [f"segment {CTM}", f"segment {CTM} --json", "list", "--help"])
def test_a_full_disk_is_one_line(arguments: str) -> None:
    command = f"{sys.executable} -m caesura -q {arguments} > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == ("caesura: standard output: cannot be written: No space left on device\n")


@pytest.mark.parametrize("arguments", ["convert - --to srt -o out.srt", "stream"])
def test_standard_input_that_cannot_be_read_is_not_blamed_on_the_output(
    tmp_path: Path, arguments: str
) -> None:
    command = f"{sys.executable} -m caesura -q {arguments} 0> closed"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "caesura: <stdin>: cannot be read: Bad file descriptor\n"
    assert [file.name for file in tmp_path.iterdir()] == ["closed"]


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(5, "Input/output error", "talk.json"), "caesura: talk.json: Input/output error\n"),
        (OSError(5, "Input/output error"), "caesura: Input/output error\n"),
    ],
)
def test_an_error_while_reading_is_reported_as_it_is(
    caesura: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: OSError, line: str
) -> None:
    def fail(*_: object) -> Iterator[Transcript]:
        raise error

    monkeypatch.setattr(Ctm, "parse", fail)
    done = caesura("convert", CTM, "-o", tmp_path / "out.srt")
    assert (done.code, done.err) == (1, line)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("redirect", "code"), [(">&-", 1), ("<&-", 1), ("2>&-", 0)])
def test_closed_streams_are_no_traceback(redirect: str, code: int) -> None:
    command = f"{sys.executable} -m caesura segment {'-' if '<' in redirect else CTM} {redirect}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_output_is_utf8_wherever_it_goes() -> None:
    command = [sys.executable, "-m", "caesura", "list", "steps"]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, capture_output=True, env=environment)
    assert done.returncode == 0
    assert "─" in done.stdout.decode("utf-8")


def test_links_are_followed_and_modes_kept(caesura: Program, tmp_path: Path) -> None:
    target, link = tmp_path / "target.srt", tmp_path / "link.srt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert caesura("convert", CTM, "-o", link).code == 0
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").startswith("1\n")
    assert target.stat().st_mode & 0o777 == 0o640


def test_pipes_are_written_into(caesura: Program, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.srt"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        assert caesura("convert", CTM, "-o", pipe).code == 0
        assert reader.communicate()[0].startswith(b"1\n")
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([""], "an input has an empty name"),
        ([str(CTM), "-o", "", "--to", "srt"], "the output has an empty name"),
        ([str(CTM), str(CTM)], "council.ctm: the same input is given twice"),
        ([str(CTM), "-o", "x" * 300 + ".srt"], "cannot be written: File name too long"),
        (["-"], "<stdin>: the file is empty"),
    ],
)
def test_slips_are_named(caesura: Program, arguments: list[str], message: str) -> None:
    done = caesura("segment", *arguments)
    assert done.code == 1
    assert message in done.err


def test_sentences_go_to_text_files_and_folders(caesura: Program, tmp_path: Path) -> None:
    assert caesura("segment", CTM, "-o", tmp_path / "talk.txt").code == 0
    assert caesura("segment", CTM, "-o", f"{tmp_path}/out/").code == 0
    one, two = tmp_path / "talk.txt", tmp_path / "out" / "council.txt"
    assert one.read_text(encoding="utf-8") == two.read_text(encoding="utf-8")
    assert one.read_text(encoding="utf-8").startswith("Good morning everyone and welcome.\n")


def test_a_mistyped_command_is_corrected(caesura: Program) -> None:
    done = caesura("segmnt")
    assert done.code == 2
    assert "No such command 'segmnt'; did you mean 'segment'?" in done.err


def test_reproduce_looks_for_the_study_before_its_options(
    caesura: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caesura.core.plugins._declared", lambda group: {})
    for options in ((), ("--data", "absent")):
        done = caesura("reproduce", "jp", *options)
        assert done.code == 1
        assert "no studies are installed" in done.err
        assert "pip install ./studies" in done.err
    assert "caesura-studies" in caesura("reproduce", "jp", "--help").out
