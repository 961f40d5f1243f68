"""`caesura stream`."""

from __future__ import annotations

import json as _json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import options

if TYPE_CHECKING:
    from caesura.core.transcript import Transcript
    from caesura.detectors.streaming import Streamed

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Patience:
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
        """Note an interrupt; whoever asks twice does not want to wait."""
        if self.waiting or self.asked:
            raise KeyboardInterrupt
        self.asked = True

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Take interrupts, unless they are ignored, while sentences are looked for."""
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


@click.command(
    "stream",
    short_help="Write sentences while the words still arrive.",
    epilog="""\b
Examples:
  recogniser | caesura stream
  recogniser | caesura stream --detector "Pause(threshold=0.6)" --json
  recogniser | caesura stream --state talk.state --on-error skip >> talk.txt
  caesura stream talk.ctm --to jsonl""",
)
@click.argument(
    "words", default="-", metavar="[WORDS]", type=click.Path(readable=False, allow_dash=True)
)
@options.detector
@click.option(
    "--format",
    type=click.Choice(["jsonl-words", "ctm"]),
    help="What a line is: a JSON object or a row of a CTM; told from the first if not given.",
)
@click.option(
    "--to",
    type=click.Choice(["text", "jsonl"]),
    default="text",
    show_default=True,
    help="What to write: the text of a sentence a line, or a sentence with all layers as JSONL.",
)
@click.option(
    "--state",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Keep in this file what is needed to go on if the stream is cut. It is removed when the "
    "words end.",
)
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="What to do about a line that cannot be read: stop with an error, or warn and skip it.",
)
@click.option(
    "--language",
    default="",
    metavar="LANGUAGE",
    help="The language of words that do not tell theirs, such as en or English.",
)
@click.option(
    "--silence",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="End a sentence at once after so many seconds without a word.",
)
@options.as_json
def command(words: str, to: str, json: bool, **asked: Any) -> None:
    """Read words as they arrive and write each sentence the moment it is final.

    WORDS is a file or - for standard input, with a word a line: a JSON object such as {"word":
    "so", "start": 0.5, "end": 0.8, "speaker": "A", "mark": "."} of which only the word must be
    there, or a row of a CTM. Ctrl-C ends the stream: what is left is written, or with --state
    kept for later.
    """
    from caesura.detectors.streaming import streamed

    if json and to != "text":
        raise click.UsageError("--json and --to each say what to write: give one of them")
    patience = Patience()
    with patience.installed():
        for each in streamed(words, waiting=patience, **asked):
            click.echo(shown(each, "json" if json else to))


def shown(each: Streamed, to: str) -> str:
    """Give a sentence as a line."""
    from caesura.core.serialize import to_document

    if to == "text":
        return each.sentence.text
    document = described(each) if to == "json" else to_document(each.sentence)
    return _json.dumps(document, ensure_ascii=False)


def described(each: Streamed) -> dict[str, Any]:
    """Give a sentence as JSON for programs: text, place, times, speaker and delay."""
    from caesura.core.values import as_json

    sentence, last = each.sentence, len(each.sentence) - 1
    evidence = sentence.evidence or {}

    def cell(column: Any, at: int) -> Any:
        return None if column is None else as_json(column[at].item())

    return {
        "id": sentence.id,
        "first": each.first,
        "last": each.first + last,
        "text": sentence.text,
        "start": cell(sentence.start, 0),
        "end": cell(sentence.end, last),
        "speaker": _speaker(sentence),
        "delay_words": int(evidence["delay_words"][last]),
        "delay_seconds": cell(evidence.get("delay_seconds"), last),
    }


def _speaker(sentence: Transcript) -> str | None:
    """Name the speaker of a sentence, if it is one."""
    named = set(sentence.speaker or ()) - {""}
    return named.pop() if len(named) == 1 else None
