"""`caesura stream` as a shell would run it, with pipes that are slow, cut and closed."""

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from cli.running import Program

PAUSE = "Pause(evidence=('pause',))"
ROOT = Path(__file__).parents[2]


def line(at: int, word: str = "", **more: object) -> bytes:
    """A word a second, with a pause before every third."""
    start = at + (0.6 if at % 3 == 0 else 0)
    cells = {"word": word or f"w{at}", "start": start, "end": at + 0.95, **more}
    return json.dumps(cells).encode() + b"\n"


LINES = [line(at) for at in range(10)]
SENTENCES = ["w0 w1 w2", "w3 w4 w5", "w6 w7 w8", "w9"]


def begun(*arguments: object) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-m", "caesura", "stream", "--as-read", "--detector", PAUSE]
    return subprocess.Popen(
        [*program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def give(process: subprocess.Popen[bytes], lines: list[bytes]) -> None:
    assert process.stdin
    process.stdin.write(b"".join(lines))
    process.stdin.flush()


def next_line(process: subprocess.Popen[bytes]) -> str:
    """Wait for the next sentence."""
    assert process.stdout
    return process.stdout.readline().decode().strip()


def test_sentences_come_while_words_still_arrive() -> None:
    process = begun()
    give(process, LINES[:4])
    assert next_line(process) == SENTENCES[0]
    for each in LINES[4:7]:
        give(process, [each])
    assert next_line(process) == SENTENCES[1]
    out, err = process.communicate(b"".join(LINES[7:]), timeout=60)
    assert out.decode().split("\n") == [*SENTENCES[2:], ""]
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_writes_what_is_left(asked: signal.Signals) -> None:
    process = begun()
    give(process, LINES[:5])
    assert next_line(process) == SENTENCES[0]
    process.send_signal(asked)
    out, err = process.communicate(timeout=60)
    assert out.decode() == "w3 w4\n"
    assert process.returncode == 130
    assert b"interrupted" in err


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGKILL])
def test_a_stream_that_was_cut_goes_on(asked: signal.Signals, tmp_path: Path) -> None:
    state = tmp_path / "state"
    process = begun("--state", state)
    give(process, LINES[:5])
    assert next_line(process) == SENTENCES[0]
    if asked == signal.SIGKILL:
        while not state.exists() or json.loads(state.read_bytes())["words"]["lines"] < 5:
            assert process.poll() is None
    process.send_signal(asked)
    out, err = process.communicate(timeout=60)
    assert out == b""
    told = f"stopped after line 5; the same command with --state {state} goes on there"
    assert (told in err.decode()) == (asked == signal.SIGINT)
    process = begun("--state", state, "--json")
    out, err = process.communicate(b"".join(LINES[5:]), timeout=60)
    found = [json.loads(each) for each in out.splitlines()]
    assert [each["text"] for each in found] == SENTENCES[1:]
    assert [each["first"] for each in found] == [3, 6, 9]
    assert b"going on after line 5" in err
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_taken_up_where_it_was_left(caesura: Program, tmp_path: Path) -> None:
    words, state = tmp_path / "words", tmp_path / "state"
    words.write_bytes(b"".join([*LINES[:5], b"nonsense\n"]))
    done = caesura("stream", words, "--as-read", "--detector", PAUSE, "--state", state)
    assert (done.code, done.out) == (1, "w0 w1 w2\n")
    words.write_bytes(b"".join(LINES))
    done = caesura("stream", words, "--as-read", "--detector", PAUSE, "--state", state)
    assert (done.code, done.out.split("\n")) == (0, [*SENTENCES[1:], ""])
    assert not state.exists()


def test_a_reader_that_goes_away_is_no_problem() -> None:
    with begun() as process:
        assert process.stdin
        assert process.stdout
        give(process, LINES)
        assert next_line(process) == SENTENCES[0]
        process.stdout.close()
        with suppress(BrokenPipeError):
            give(process, LINES * 50)
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.wait(timeout=60)
        assert process.stderr
        assert process.stderr.read() == b""


def test_json_has_place_times_and_delay(caesura: Program) -> None:
    given = b"".join([line(0, "Yes.", speaker="A", id="talk"), *(line(at) for at in range(1, 5))])
    done = caesura("stream", "--as-read", "--detector", PAUSE, "--json", stdin=given)
    first, second = map(json.loads, done.out.splitlines())
    assert first == {
        "id": "talk",
        "first": 0,
        "last": 2,
        "text": "Yes. w1 w2",
        "read": "Yes. w1 w2",
        "start": 0.6,
        "end": 2.95,
        "speaker": "A",
        "delay_words": 1,
        "delay_seconds": 1.0,
    }
    assert (second["first"], second["text"], second["delay_words"]) == (3, "w3 w4", 0)


def test_jsonl_can_be_joined_and_scored(caesura: Program, tmp_path: Path) -> None:
    import caesura as library

    done = caesura(
        "stream", "--as-read", "--detector", PAUSE, "--to", "jsonl", stdin=b"".join(LINES)
    )
    found = tmp_path / "sentences.jsonl"
    found.write_text(done.out)
    whole = library.Transcript.join(library.read(found))
    assert whole.sentences is not None
    assert whole.sentences.sentences == [(0, 2), (3, 5), (6, 8), (9, 9)]
    library.write(whole, output=tmp_path / "talk.jsonl")
    done = caesura(
        "score", tmp_path / "talk.jsonl", "-r", tmp_path / "talk.jsonl", "--metric", "Latency"
    )
    assert done.code == 0, done.err
    assert "mean_words" in done.out


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b"nope", "not a JSON line: 'nope'; a word is an object"),
        (b"[1]", "there is no word"),
        (b'{"start": 1}', "there is no word"),
        (b'{"word": " "}', "there is no word"),
        (b'{"word": "a", "start": "x"}', "'start' cannot be 'x'"),
        (b'{"word": "a", "end": -1}', "'end' cannot be -1"),
        (b'{"word": "a", "end": 1e999}', "'end' cannot be inf"),
        (b'{"word": "a", "blank": 1}', "'blank' cannot be 1"),
        (b'{"word": "a", "evidence": [1]}', "'evidence' is an object of numbers by name"),
        (b'{"word": "a", "evidence": {"x": "y"}}', "evidence 'x' is 'y', no number"),
        (b"\xff", "the line is not UTF-8 text"),
        (b"[" * 99999, "not a JSON line"),
        (b"x" * (3 << 20), "not a JSON line"),
    ],
)
def test_a_bad_line_stops_or_is_skipped(caesura: Program, bad: bytes, message: str) -> None:
    given = b"".join([*LINES[:2], bad, b"\n", *LINES[2:]])
    done = caesura("stream", "--as-read", "--detector", PAUSE, stdin=given)
    assert done.code == 1
    assert done.out == "w0 w1\n"
    assert done.err.startswith(f"caesura: <stdin>:3: {message}")
    assert done.err.count("\n") == 1
    done = caesura("stream", "--as-read", "--detector", PAUSE, "--on-error", "skip", stdin=given)
    assert done.code == 0
    assert done.out.split("\n") == [*SENTENCES, ""]
    assert "the line is left out" in done.err


def test_bad_lines_of_a_ctm(caesura: Program) -> None:
    for bad, message in [("a 1 0", "has 3 fields"), ("a 1 x 1 w", "'x' is not a time in seconds")]:
        done = caesura("stream", stdin=f"a 1 0 1 so\n{bad}\n".encode())
        assert (done.code, done.out) == (1, "So.\n")
        assert f"<stdin>:2: {message}" in done.err or message in done.err


def test_recordings_of_a_ctm_are_streams_of_their_own(caesura: Program) -> None:
    rows = ["a 1 0 1 so", ";; note", "a 1 1 1 it", "", "b A 0 1 goes", "b B 0 1 on"]
    done = caesura(
        "stream", "--as-read", "--detector", PAUSE, "--json", stdin="\n".join(rows).encode()
    )
    found = [json.loads(each) for each in done.out.splitlines()]
    assert [(each["id"], each["first"], each["text"]) for each in found] == [
        ("a", 0, "so it"),
        ("b", 0, "goes"),
        ("b.B", 0, "on"),
    ]


@pytest.mark.parametrize("detector", ["Lookahead(Model('en-fast'), words=60)", "Pause"])
def test_a_ctm_is_segmented_as_the_whole_file(caesura: Program, detector: str) -> None:
    example = ROOT / "examples" / "council.ctm"
    whole = caesura("segment", example, "--detector", detector)
    live = caesura("stream", "--detector", detector, stdin=example.read_bytes())
    assert live.out == whole.out


def test_unknown_keys_are_reported_once(caesura: Program) -> None:
    given = b'{"word": "so", "conf": 1}\n' * 5
    done = caesura("stream", "--as-read", "--detector", PAUSE, stdin=given)
    assert (done.code, done.out) == (0, "so so so so so\n")
    assert done.err.count("'conf'") == 1


def test_no_words_give_no_sentences(caesura: Program, tmp_path: Path) -> None:
    done = caesura("stream", "--state", tmp_path / "state")
    assert (done.code, done.out) == (0, "")
    assert list(tmp_path.iterdir()) == []
    done = caesura("stream", tmp_path / "absent")
    assert done.code == 1
    assert "absent: cannot be read" in done.err
    assert caesura("stream", "--json", "--to", "jsonl").code == 2


def test_streamed_sentences_are_one_recording_again(caesura: Program, tmp_path: Path) -> None:
    words = tmp_path / "talk.ctm"
    rows = [f"talk 1 {2 * at} {0.5 if at % 3 else 1.5} w{at}" for at in range(40)]
    words.write_text("\n".join(rows))
    streamed = tmp_path / "talk.jsonl"
    detector = ("--detector", "Pause(threshold=1, evidence=('pause',))")
    streamed.write_text(caesura("stream", words, *detector, "--to", "jsonl").out)
    assert len(streamed.read_text().splitlines()) > 5
    done = caesura("convert", streamed, "--to", "srt", "--output", tmp_path / "talk.srt")
    assert done.code == 0, done.err
    found = caesura("score", streamed, "-r", streamed, "--metric", "Latency", "--json")
    assert [each["words"] for each in json.loads(found.out)["documents"]] == [40]


def test_a_silence_and_a_language_may_be_given(caesura: Program, tmp_path: Path) -> None:
    words = tmp_path / "talk.ctm"
    words.write_text("talk 1 0 1 a\ntalk 1 1 1 b\ntalk 1 9 1 c\n")
    detector = ("--detector", "Pause(evidence=('marks',))")
    asked = ("--silence", "5", "--language", "en", "--as-read", "--to", "jsonl")
    lines = caesura("stream", words, *detector, *asked).out.splitlines()
    assert [json.loads(line)["words"] for line in lines] == [["a", "b"], ["c"]]
    assert {json.loads(line)["language"] for line in lines} == {"en"}
    words.write_text('{"word": "a", "language": "und"}\n{"word": "b", "language": "und"}\n')
    (line,) = caesura("stream", words, *detector, *asked).out.splitlines()
    assert json.loads(line)["language"] == "en"
    assert caesura("stream", words, "--silence", "0").code == 2


def test_other_files_lead_to_the_advice_to_convert(caesura: Program, tmp_path: Path) -> None:
    words = tmp_path / "talk.txt"
    words.write_text("so this is what was said\n")
    done = caesura("stream", words)
    assert done.code == 1
    assert "talk.txt:1: 'is' is not a time" in done.err
    assert "other files become a CTM by caesura convert FILE --to ctm" in done.err


def test_a_stream_keeps_to_limits(caesura: Program) -> None:
    words = "".join(f'{{"word": "w{at}"}}\n' for at in range(40)).encode()
    done = caesura("stream", "--detector", "Pause", "--longest", "6", stdin=words)
    assert done.code == 0
    assert all(len(line.split()) <= 6 for line in done.out.splitlines())
