"""`caesura align`."""

from __future__ import annotations

import json as _json
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import click

from caesura.cli import options
from caesura.evaluation.script_alignment import COMPARED

if TYPE_CHECKING:
    from caesura.core.transcript import Transcript
    from caesura.core.values import Counts
    from caesura.evaluation.script_alignment import Aligned

LISTED = 10
"""Recordings that are shown to people."""


def split(_context: click.Context, _parameter: click.Parameter, typed: Any) -> tuple[str, ...]:
    """Take names apart that are joined with commas."""
    return tuple(typed.split(",")) if isinstance(typed, str) else tuple(typed)


@click.command(
    "align",
    short_help="Give recognised words the sentences of their punctuated script.",
    epilog="""\b
Examples:
  caesura align talk.ctm --script talk.txt --output talk.jsonl
  caesura align recognised/ --script scripts/ --to jsonl --output aligned/
  caesura align talk.json --script talk.nlp --layers sentences,speaker,entities
  caesura align recognised/ --script scripts/ --json""",
)
@options.files
@click.option(
    "--script",
    required=True,
    metavar="PATH",
    type=click.Path(readable=False, allow_dash=True),
    help="File or folder of the scripts; paired with FILES by name, unless each is one recording.",
)
@click.option(
    "--layers",
    default="sentences,speaker",
    show_default=True,
    callback=split,
    metavar="LAYERS",
    help="What to carry over from the script, joined with commas.",
)
@click.option(
    "--normalize",
    default=COMPARED,
    show_default=True,
    metavar="STEPS",
    help="Steps before words are compared, joined with +; 'none' for none. The words written "
    "stay as they are.",
)
@options.to
@options.output
@options.format
@click.option(
    "--script-format",
    metavar="FORMAT",
    shell_complete=cast(Any, options.completing("format")),
    help="Format of the script, if it is another than --format.",
)
@options.as_json
def command(
    files: tuple[str, ...], to: str, output: str, format: str | None, json: bool, **asked: Any
) -> None:
    """Give recognised words (FILES: files or folders) the sentences of their script.

    Words, times, confidences and marks stay the recogniser's. Written as JSONL unless a format
    is told; how far recordings and scripts match goes to standard error, or with --json to
    standard output, where recordings are written only if --output names a file or folder.
    """
    from caesura import api
    from caesura.cli.options import watched
    from caesura.evaluation.script_alignment import aligned

    if json and to and output == "-":
        raise click.UsageError("--json prints to standard output: name a file with --output")
    recordings = watched(api.read(files, format=format))
    found: list[tuple[str, Counts]] = []
    made = noted(aligned(recordings, format=format, **asked), found)
    if json and output == "-":
        for _ in made:
            pass
    else:
        api.convert(made, to=to or usual(output), output=output)
    if json:
        click.echo(_json.dumps(described(found), ensure_ascii=False))
    elif found and logging.getLogger("caesura").isEnabledFor(logging.INFO):
        click.echo(shown(found), err=True)


def noted(each: Iterator[Aligned], found: list[tuple[str, Counts]]) -> Iterator[Transcript]:
    """Pass recordings on, and note how far they match."""
    for one in each:
        found.append((one.transcript.id, one.counts))
        yield one.transcript


def usual(output: str) -> str:
    """Give the format where none is told: the one that carries everything."""
    from caesura.formats.files import is_folder

    return "jsonl" if output == "-" or is_folder(output) else ""


def described(found: list[tuple[str, Counts]]) -> dict[str, Any]:
    """Give the numbers for programs: of each recording, and of all."""
    from caesura.core.values import Counts
    from caesura.evaluation.script_alignment import rates_as_json

    return {
        "recordings": [{"id": id} | rates_as_json(counts) for id, counts in found],
        "all": rates_as_json(sum((counts for _, counts in found), Counts())),
    }


def shown(found: list[tuple[str, Counts]]) -> str:
    """Lay the numbers out for people: the first recordings, and all."""
    from caesura.core.values import Counts
    from caesura.evaluation.reports.render import plain
    from caesura.evaluation.reports.table import Grid, number
    from caesura.evaluation.script_alignment import rates

    rows = [(id or "a recording", counts) for id, counts in found[:LISTED]]
    if len(found) > LISTED:
        rows.append((f"… {len(found) - LISTED} more", Counts()))
    if len(found) > 1:
        rows.append(("all", sum((counts for _, counts in found), Counts())))
    values = [(id, rates(counts) if counts else {}) for id, counts in rows]
    head = ("recording", *(name.replace("_", " ") for name in rates(Counts())))
    cells = tuple(
        (id, *(map(number, known.values()) if known else [""] * (len(head) - 1)))
        for id, known in values
    )
    return plain(Grid("Recognised words and their script", head, cells))
