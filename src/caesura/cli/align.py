"""`caesura align`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import options

if TYPE_CHECKING:
    from caesura.core.transcript import Transcript
    from caesura.core.values import Counts
    from caesura.evaluation.script_alignment import ScriptAlignment

ROWS = 10
"""Recordings in the table; the others are in the sum only."""


def split(_context: click.Context, _parameter: click.Parameter, typed: Any) -> tuple[str, ...]:
    """Split names that are joined with commas."""
    return tuple(typed.split(",")) if isinstance(typed, str) else tuple(typed)


@options.command(
    "align",
    examples="""
  caesura align talk.ctm --script talk.txt --output talk.jsonl
  caesura align recognised/ --script scripts/ --to jsonl --output aligned/
  caesura align talk.json --script talk.nlp --layers sentences,entities
  caesura align recognised/ --script scripts/ --json""",
)
@options.files
@options.input_option(
    "--script",
    required=True,
    help="File or folder of the scripts. Paired with FILES by name, unless each is one recording.",
)
@options.format
@options.format_option("--script-format", "Format of the script, if it is another than --format.")
@options.option(
    "--layers",
    default="sentences,speaker",
    show_default=True,
    callback=split,
    metavar="LAYERS",
    help="What to carry over from the script, joined with commas.",
)
@options.option(
    "--normalize",
    default="unicode+case+dots+punctuation",
    show_default=True,
    metavar="STEPS",
    help="Steps before words are compared, joined with +; 'none' for none. The words written "
    "stay as they are.",
)
@options.output
@options.to
@options.json
def command(
    files: tuple[str, ...], output: str, to: str, format: str | None, json: bool, **asked: Any
) -> None:
    """Give recognised words (FILES: files or folders) the sentences of their script.

    Words, times, confidences and marks stay the recogniser's. Written as JSONL unless a format
    is named. How far recordings and scripts match goes to standard error, or with --json to
    standard output; recordings are then written only if --output names a file or folder.
    """
    import caesura

    if json and to and output == "-":
        raise click.UsageError("--json prints to standard output: name a file with --output")
    options.check_format_to_write(to)
    recordings = options.with_progress(caesura.read(files, format=format), output)
    matches: list[tuple[str, Counts]] = []
    transcripts = noting_counts(
        caesura.align_to_script(recordings, format=format, **asked), matches
    )
    if json and output == "-":
        for _ in transcripts:
            pass
    else:
        caesura.convert(transcripts, to=to or default_format(output), output=output)
    if json:
        options.print_json(as_document(matches))
    elif matches and logging.getLogger("caesura").isEnabledFor(logging.INFO):
        click.echo(as_table(matches), err=True)


def noting_counts(
    recordings: Iterator[ScriptAlignment], matches: list[tuple[str, Counts]]
) -> Iterator[Transcript]:
    """Pass recordings on, and note how far they match."""
    for one in recordings:
        matches.append((one.transcript.id, one.counts))
        yield one.transcript


def default_format(output: str) -> str:
    """Give the format where none is named: the one that holds all layers."""
    from caesura.formats.files import is_folder

    return "jsonl" if output == "-" or is_folder(output) else ""


def as_document(matches: list[tuple[str, Counts]]) -> dict[str, Any]:
    """Give the numbers for programs: of each recording, and of all."""
    from caesura.core.values import Counts
    from caesura.evaluation.script_alignment import match_rates_as_json

    return {
        "recordings": [{"id": id} | match_rates_as_json(counts) for id, counts in matches],
        "all": match_rates_as_json(sum((counts for _, counts in matches), Counts())),
    }


def as_table(matches: list[tuple[str, Counts]]) -> str:
    """Lay the numbers out for people: the first recordings, and all."""
    from caesura.core.values import Counts
    from caesura.evaluation.reports.render import plain_table
    from caesura.evaluation.reports.table import Table, format_number
    from caesura.evaluation.script_alignment import match_rates

    rows = [(id or "a recording", counts) for id, counts in matches[:ROWS]]
    if len(matches) > ROWS:
        rows.append((f"… {len(matches) - ROWS} more", Counts()))
    if len(matches) > 1:
        rows.append(("all", sum((counts for _, counts in matches), Counts())))
    values = [(id, match_rates(counts) if counts else {}) for id, counts in rows]
    head = ("recording", *(name.replace("_", " ") for name in match_rates(Counts())))
    cells = tuple(
        (id, *(map(format_number, known.values()) if known else [""] * (len(head) - 1)))
        for id, known in values
    )
    return plain_table(Table("Recognised words and their script", head, cells))
