"""`caesura project`."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import options, scoring_options

if TYPE_CHECKING:
    from caesura.core.transcript import Transcript
    from caesura.evaluation.project_entities import Projection

CLASS_WIDTH = 16
"""Columns of a table for the class of an entity."""

HEAD = ("time", "class", "found by", "distance", "reference", "recognised")


@options.command(
    "project",
    examples="""
  caesura project recognised.ctm --reference call.nlp
  caesura project recognised/ -r references/ --alternatives norms/ --lost
  caesura project call.json -r call.bio --classes PERSON --classes ORG
  caesura project call.json -r call.bio --to jsonl --output named.jsonl
  caesura project call.json -r call.bio --phones dictionary --json""",
)
@click.argument("hypothesis", nargs=-1, required=True, type=options.path())
@options.input_option(
    "--reference",
    "-r",
    required=True,
    help="File or folder with entities. Paired by name, unless each is one recording.",
)
@options.format
@scoring_options.reference_format
@options.alternatives
@options.entity_classes
@options.option(
    "--classes",
    multiple=True,
    metavar="CLASS",
    help="Class of entities to look for. Repeat it for several classes; all if not given.",
)
@options.option(
    "--collar",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    metavar="SECONDS",
    help="How far from an entity its words are looked for, where there are times.",
)
@options.option(
    "--phones",
    type=click.Choice(["letters", "dictionary"]),
    default="letters",
    show_default=True,
    help="Where phones come from; a dictionary needs the extra 'phones'.",
)
@options.output
@options.to
@options.option(
    "--lost", group=options.OUTPUT, is_flag=True, help="Show only entities that have no words."
)
@options.json
def command(
    hypothesis: tuple[str, ...], output: str, to: str, lost: bool, json: bool, **asked: Any
) -> None:
    """Find the recognised words (in HYPOTHESIS: files or folders) of each entity of a reference.

    Where both sides have times, these are the words that sound closest; elsewhere those that
    are aligned. Shown as a table in the order of the reference. With --to or --output the
    recognised words are written instead, with these entities.
    """
    import caesura

    writes = bool(to) or output != "-"
    if json and to and output == "-":
        raise click.UsageError("--json prints to standard output: name a file with --output")
    options.check_format_to_write(to)
    projections: list[Projection] = []
    transcripts = noting_projections(caesura.project(hypothesis, **asked), projections)
    if writes:
        caesura.convert(transcripts, to=to, output=output)
    else:
        for _ in transcripts:
            pass
    if json:
        options.print_json(as_document(projections, lost))
    elif not writes:
        click.echo(as_tables(projections, lost))
    else:
        logging.getLogger("caesura").info(count_text(projections))


def noting_projections(
    projections: Iterable[Projection], noted: list[Projection]
) -> Iterator[Transcript]:
    """Pass recordings on, and note what was found in them."""
    for one in projections:
        noted.append(one)
        yield one.transcript


def as_document(projections: list[Projection], lost: bool) -> dict[str, Any]:
    """Give what was found for programs: in each recording, and how many in all."""
    from caesura.evaluation.project_entities import count_projected

    recordings = [
        {
            "id": projection.transcript.id,
            "entities": [projection.describe(entity) for entity in projection.select(lost)],
        }
        for projection in projections
    ]
    return {"recordings": recordings, "all": count_projected(projections)}


def as_tables(projections: list[Projection], lost: bool) -> str:
    """Lay out what was found for people, a table a recording."""
    from caesura.evaluation.reports.render import plain_table
    from caesura.evaluation.reports.table import Table, truncate

    parts = []
    for projection in projections:
        rows = []
        for entity in projection.select(lost):
            cells = projection.describe(entity)
            start = "" if cells["start"] is None else f"{cells['start']:.2f}"
            texts = (cells["reference_words"], cells["recognised_words"])
            label = truncate(cells["class"], CLASS_WIDTH)
            rows.append((start, label, entity.by, f"{entity.distance:.2f}", *texts))
        if rows:
            parts.append(
                plain_table(Table(projection.transcript.id, HEAD, tuple(rows), labels=len(HEAD)))
            )
        elif projection.transcript.id and not lost:
            parts.append(f"{projection.transcript.id}: no entities")
    return "\n\n".join([*parts, count_text(projections)])


def count_text(projections: list[Projection]) -> str:
    """Say how many entities were found in which way."""
    from caesura.evaluation.project_entities import count_projected

    counts = count_projected(projections)
    ways = f"{counts['time']} by time, {counts['alignment']} by alignment, {counts['lost']} lost"
    return f"{counts['entities']} entit{'y' if counts['entities'] == 1 else 'ies'}: {ways}"
