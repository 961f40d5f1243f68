"""`caesura convert`."""

from __future__ import annotations

import click

from caesura.cli import options


@click.command(
    "convert",
    short_help="Write transcripts in another format.",
    epilog="""\b
Examples:
  caesura convert talk.json --to srt --output talk.srt
  caesura convert call.ctm -o call.TextGrid
  cat words.ctm | caesura convert - --format ctm --to jsonl
  caesura convert archive/ --to vtt --output captions/""",
)
@options.files
@options.to
@options.output
@options.format
def command(files: tuple[str, ...], to: str, output: str, format: str | None) -> None:
    """Write transcripts in another format, and say what that format cannot carry.

    FILES are files or folders; - is standard input.
    """
    from caesura import api
    from caesura.cli.progress import watched

    api.convert(watched(api.read(files, format=format)), to=to, output=output)
