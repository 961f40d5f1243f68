"""`caesura segment`."""

from __future__ import annotations

import json as _json
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import options

if TYPE_CHECKING:
    from caesura.core.transcript import Transcript


@click.command(
    "segment",
    short_help="Turn recognisers' files into sentences or captions.",
    epilog="""\b
Examples:
  caesura segment talk.json
  caesura segment talk.json --to srt --output talk.srt
  caesura segment call.ctm --detector "Pause(threshold=0.6)"
  caesura segment archive/ --to vtt --output captions/
  cat words.ctm | caesura segment - --format ctm --json""",
)
@options.files
@options.detector
@click.option(
    "--normalize",
    default="none",
    show_default=True,
    metavar="STEPS",
    help="Steps before sentences are looked for, joined with +, as in case+punctuation.",
)
@options.to
@options.output
@options.format
@options.as_json
def command(
    files: tuple[str, ...],
    detector: str,
    normalize: str,
    to: str,
    output: str,
    format: str | None,
    json: bool,
) -> None:
    """Find where sentences end and write them, one a line unless a format is told.

    FILES are files or folders; - is standard input.
    """
    from caesura import api
    from caesura.cli.options import watched

    if json and (to or output != "-"):
        raise click.UsageError("--json prints to standard output; for a file use --to jsonl")
    found = watched(api.segment(files, detector=detector, normalize=normalize, format=format))
    if json:
        for transcript in found:
            click.echo(_json.dumps(described(transcript), ensure_ascii=False))
        return
    api.write(found, output=output, to=to or usual(output))


def usual(output: str) -> str:
    """Give the format for sentences where none is told: one a line, in text files and folders."""
    from caesura.formats.files import is_folder

    if output == "-":
        return "turns"
    return "lines" if output.lower().endswith(".txt") or is_folder(output) else ""


def described(transcript: Transcript) -> dict[str, Any]:
    """Give a recording as JSON for programs: words, sentences with text and times, evidence."""
    from caesura.core.values import as_json

    found = transcript.sentences
    surface = transcript.surface()
    starts = [None] * len(transcript) if transcript.start is None else transcript.start.tolist()
    ends = [None] * len(transcript) if transcript.end is None else transcript.end.tolist()
    sentences = [
        {
            "text": "".join(surface[first : last + 1]).rstrip(" "),
            "start": as_json(starts[first]),
            "end": as_json(ends[last]),
            "first": first,
            "last": last,
        }
        for first, last in (found.sentences if found is not None else ())
    ]
    odds = [] if found is None or found.log_odds is None else found.log_odds.tolist()
    return {
        "id": transcript.id,
        "words": list(transcript.words),
        "sentences": sentences,
        "log_odds": [as_json(value) for value in odds],
    }
