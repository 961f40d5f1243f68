"""`caesura convert`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import options


@options.command(
    "convert",
    examples="""
  caesura convert talk.json --to srt --output talk.srt
  caesura convert call.ctm -o call.TextGrid
  cat words.ctm | caesura convert - --format ctm --to jsonl
  caesura convert archive/ --to vtt --output captions/
  caesura convert call.nlp --format "nlp(entities='both')" \\
      --entity-classes wer_tags/ --output call.bio""",
)
@options.files
@options.format
@options.alternatives
@options.entity_classes
@options.output
@options.to
def command(files: tuple[str, ...], format: str | None, output: str, to: str, **asked: Any) -> None:
    """Write transcripts in another format, and say what that format cannot hold.

    FILES are files or folders; - is standard input.
    """
    import caesura

    if output == "-" and not to:
        raise click.UsageError("name a format with --to, or a file with -o")
    options.check_format_to_write(to)
    recordings = options.with_progress(caesura.read(files, format=format), output)
    caesura.convert(recordings, output=output, to=to, **asked)
