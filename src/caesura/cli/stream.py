"""`caesura stream`."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click

from caesura.cli import options

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class DelayedInterrupts:
    """Lets an interrupt wait until the words at hand have become sentences.

    It is entered where the program waits for words: there an interrupt comes at once. So no
    sentence is written in part, and the state that is saved is whole.
    """

    def __init__(self) -> None:
        self.waiting = False
        self.asked = False

    def __enter__(self) -> None:
        self.waiting = True
        if self.asked:
            raise KeyboardInterrupt

    def __exit__(self, *problem: object) -> None:
        self.waiting = False

    def interrupted(self, _number: int, _frame: FrameType | None) -> None:
        """Note an interrupt; the second one comes at once."""
        if self.waiting or self.asked:
            raise KeyboardInterrupt
        self.asked = True

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Handle interrupts, unless they are ignored, while sentences are looked for."""
        numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
        former = {number: signal.getsignal(number) for number in numbers}
        taken = [number for number in numbers if former[number] is not signal.SIG_IGN]
        for number in taken:
            signal.signal(number, self.interrupted)
        try:
            yield
        finally:
            for number in taken:
                signal.signal(number, former[number])


@options.command(
    "stream",
    examples="""
  recogniser | caesura stream
  recogniser | caesura stream --detector "Pause(threshold=0.6)" --json
  recogniser | caesura stream --longest 12s
  recogniser | caesura stream --state talk.state --on-error skip >> talk.txt
  caesura stream talk.ctm --to jsonl""",
)
@click.argument("words", default="-", metavar="[WORDS]", type=options.path())
@options.option(
    "--format",
    group=options.INPUT,
    type=click.Choice(["jsonl-words", "ctm"]),
    help="What a line is: a JSON object or a row of a CTM. Found from the first line if not given.",
)
@options.language
@options.option(
    "--on-error",
    group=options.INPUT,
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="What to do about a line that cannot be read: stop with an error, or warn and skip it.",
)
@options.detector
@options.decisions
@options.option(
    "--silence",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="End a sentence at once after so many seconds without a word.",
)
@options.option(
    "--state",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Save in this file what is needed to go on if the stream is cut. It is removed when "
    "the words end.",
)
@options.option(
    "--to",
    group=options.OUTPUT,
    type=click.Choice(["text", "jsonl"]),
    default="text",
    show_default=True,
    help="What to write: the text of a sentence a line, or a sentence with all layers as JSONL.",
)
@options.as_read
@options.json
def command(words: str, to: Any, json: bool, **asked: Any) -> None:
    """Read words as they arrive and write each sentence the moment it is final.

    WORDS is a file or - for standard input, with one word a line: a JSON object such as
    {"word": "so", "start": 0.5, "end": 0.8, "speaker": "A", "mark": "."}, of which only the word
    must be there, or a row of a CTM. Ctrl-C ends the stream: the words left are written as a
    sentence, or saved for later with --state.
    """
    from caesura.detectors.streaming import stream_sentences

    if json and to != "text":
        raise click.UsageError("--json and --to each say what to write: give one of them")
    interrupts = DelayedInterrupts()
    with interrupts.installed():
        for streamed in stream_sentences(words, waiting=interrupts, **asked):
            click.echo(streamed.to_line("json" if json else to))
