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
  caesura convert archive/ --to vtt --output captions/
  caesura convert call.nlp --format "nlp(entities='both')" \\
      --alternatives wer_tags/ --output call.bio""",
)
@options.files
@options.to
@options.output
@options.alternatives
@options.format
def command(
    files: tuple[str, ...], to: str, output: str, alternatives: tuple[str, ...], format: str | None
) -> None:
    """Write transcripts in another format, and say what that format cannot carry.

    FILES are files or folders; - is standard input.
    """
    from caesura import api
    from caesura.cli.options import watched

    recordings = watched(api.read(files, format=format))
    api.convert(recordings, to=to, output=output, alternatives=alternatives)
