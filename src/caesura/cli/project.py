"""`caesura project`."""

from __future__ import annotations

import json as _json
import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import options, scoring_options

if TYPE_CHECKING:
    from caesura.core.transcript import Transcript
    from caesura.evaluation.project_entities import Projection

CLASS = 16
"""Columns of a class that are shown to people."""

HEAD = ("time", "class", "found by", "distance", "reference", "recognised")


@click.command(
    "project",
    short_help="Find the recognised words of the names in a reference.",
    epilog="""\b
Examples:
  caesura project recognised.ctm --reference call.nlp
  caesura project recognised/ --reference references/ --alternatives references/ --lost
  caesura project call.json --reference call.bio --classes PERSON --classes ORG
  caesura project call.json --reference call.bio --to jsonl --output named.jsonl
  caesura project call.json --reference call.bio --phones dictionary --json""",
)
@click.argument(
    "hypothesis", nargs=-1, required=True, type=click.Path(readable=False, allow_dash=True)
)
@click.option(
    "--reference",
    "-r",
    required=True,
    metavar="PATH",
    type=click.Path(readable=False, allow_dash=True),
    help="File or folder with entities; paired by name, unless each is one recording.",
)
@options.alternatives
@click.option(
    "--classes",
    multiple=True,
    metavar="CLASS",
    help="Class of entities to look for; several times for several classes, all if not given.",
)
@click.option(
    "--collar",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    metavar="SECONDS",
    help="How far from an entity its words are looked for, where there are times.",
)
@click.option(
    "--phones",
    type=click.Choice(["letters", "dictionary"]),
    default="letters",
    show_default=True,
    help="Where phones come from; a dictionary needs the extra 'phones'.",
)
@click.option("--lost", is_flag=True, help="Show only entities that have no words.")
@options.to
@options.output
@options.format
@scoring_options.reference_format
@options.as_json
def command(
    lost: bool, to: str, output: str, json: bool, hypothesis: tuple[str, ...], **asked: Any
) -> None:
    """Find the recognised words (in HYPOTHESIS: files or folders) of each entity of a reference.

    Where both sides have times it is the words that sound closest, elsewhere those that are
    aligned. Shown as a table in the order of the reference. With --to or --output the recognised
    words are written instead, with these entities as theirs.
    """
    from caesura import api

    writes = bool(to) or output != "-"
    if json and to and output == "-":
        raise click.UsageError("--json prints to standard output: name a file with --output")
    found: list[Projection] = []
    made = noted(api.project(hypothesis, **asked), found)
    if writes:
        api.convert(made, to=to, output=output)
    else:
        for _ in made:
            pass
    if json:
        click.echo(_json.dumps(described(found, lost), ensure_ascii=False))
    elif not writes:
        click.echo(shown(found, lost))
    else:
        logging.getLogger("caesura").info(counted(found))


def noted(each: Iterable[Projection], found: list[Projection]) -> Iterator[Transcript]:
    """Pass recordings on, and note what was found in them."""
    for one in each:
        found.append(one)
        yield one.transcript


def described(found: list[Projection], lost: bool) -> dict[str, Any]:
    """Give what was found for programs: in each recording, and how many in all."""
    from caesura.evaluation.project_entities import total

    recordings = [
        {
            "id": one.transcript.id,
            "entities": [one.described(each) for each in one.listed(lost)],
        }
        for one in found
    ]
    return {"recordings": recordings, "all": total(found)}


def shown(found: list[Projection], lost: bool) -> str:
    """Lay out what was found for people, a table a recording."""
    from caesura.evaluation.reports.render import plain
    from caesura.evaluation.reports.table import Grid, cut

    parts = []
    for one in found:
        rows = []
        for each in one.listed(lost):
            cells = one.described(each)
            start = "" if cells["start"] is None else f"{cells['start']:.2f}"
            texts = (cells["reference_words"], cells["recognised_words"])
            label = cut(cells["class"], CLASS)
            rows.append((start, label, each.by, f"{each.distance:.2f}", *texts))
        if rows:
            parts.append(plain(Grid(one.transcript.id, HEAD, tuple(rows), labels=len(HEAD))))
        elif one.transcript.id and not lost:
            parts.append(f"{one.transcript.id}: no entities")
    return "\n\n".join([*parts, counted(found)])


def counted(found: list[Projection]) -> str:
    """Say how many entities were found in which way."""
    from caesura.evaluation.project_entities import total

    all = total(found)
    ways = f"{all['time']} by time, {all['alignment']} by alignment, {all['lost']} lost"
    return f"{all['entities']} entit{'y' if all['entities'] == 1 else 'ies'}: {ways}"
