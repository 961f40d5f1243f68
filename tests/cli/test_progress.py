"""The line that counts recordings: in the terminal, but never beside anything else."""

import io
import logging
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from caesura.cli import options
from caesura.core.transcript import Transcript

CLEAR = "\r\033[K"
TALK = Transcript(("so", "it", "goes"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A terminal as standard error, and a clock that is two seconds later each time."""
    shown = Terminal()
    streams = SimpleNamespace(stderr=shown, stdout=io.StringIO())
    monkeypatch.setattr(options, "sys", streams)
    times: Iterator[float] = iter(range(0, 1000, 2))
    monkeypatch.setattr(options, "monotonic", lambda: next(times))
    logger = logging.getLogger("caesura")
    logger.setLevel(logging.INFO)
    yield shown
    logger.setLevel(logging.NOTSET)


def test_the_line_counts_and_goes_away(terminal: Terminal) -> None:
    assert list(options.with_progress([TALK] * 3, "x.srt")) == [TALK] * 3
    assert terminal.getvalue().split(CLEAR) == [
        "",
        "1 recording, 3 words",
        "2 recordings, 6 words, 2 words/s",
        "3 recordings, 9 words, 2 words/s",
        "",
    ]


def test_what_a_terminal_shows_is_not_counted_there(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "sys", SimpleNamespace(stderr=terminal, stdout=Terminal()))
    assert list(options.with_progress([TALK] * 3, "-")) == [TALK] * 3
    assert terminal.getvalue() == ""
    list(options.with_progress([TALK], "x.srt"))
    assert "1 recording" in terminal.getvalue()


def test_a_message_clears_the_line(terminal: Terminal) -> None:
    logger = logging.getLogger("caesura")
    handler = logging.StreamHandler(terminal)
    logger.addHandler(handler)
    for _ in options.with_progress([TALK], "x.srt"):
        logger.warning("mind")
    logger.removeHandler(handler)
    assert terminal.getvalue() == f"{CLEAR}1 recording, 3 words{CLEAR}mind\n"


def test_errors_begin_a_line_of_their_own_in_a_terminal(tmp_path: Path) -> None:
    code = """
import itertools, sys
from caesura.cli import options
times = itertools.count(0, 2)
options.monotonic = lambda: next(times)
from caesura.cli.main import main
main(sys.argv[1:])
"""
    files = [tmp_path / "a.ctm", tmp_path / "b.ctm", tmp_path / "c.ctm"]
    for file in files[:2]:
        file.write_text(f"{file.stem} 1 0.0 0.5 so\n")
    files[2].write_text("c 1 x y so\n")
    run = [sys.executable, "-c", code, "convert", *map(str, files), "-o", f"{tmp_path}/out/"]
    shown = _in_terminal([*run, "--to", "lines"])
    assert "1 recording, 1 word" + CLEAR in shown
    before, found, _ = shown.partition("caesura: ")
    assert found
    assert before.endswith(("\n", CLEAR))
    assert _visible(shown).startswith("caesura: ")


def _in_terminal(command: list[str]) -> str:
    """Run a command in a pseudo-terminal and return all that it writes."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 4096):
                written += piece
        except OSError:  # Linux says so when the other side is closed.
            pass
        running.wait()
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def _visible(written: str) -> str:
    """Leave out what was cleared."""
    return "\n".join(line.rpartition(CLEAR)[2] for line in written.split("\n"))
