"""`caesura list`."""

from __future__ import annotations

import json as _json

import click

from caesura.cli import options


@click.command(
    "list",
    short_help="List formats, detectors, taggers, entity models, metrics and normalisation steps.",
    epilog="""\b
Examples:
  caesura list
  caesura list formats
  caesura list metrics --json""",
)
@click.argument(
    "kind",
    required=False,
    default="",
    metavar="[formats|detectors|taggers|entity-models|metrics|steps]",
)
@options.as_json
def command(kind: str, json: bool) -> None:
    """List what there is to choose from, all of it or one KIND."""
    from caesura import api

    found = api.catalogue(kind)
    if json:
        click.echo(_json.dumps(found, ensure_ascii=False))
        return
    from caesura.evaluation.reports.render import table

    for name, rows in found.items():
        head = [key for key in ("name", "suffixes") if key in rows[0]]
        cells = [[*(row[key] for key in head), about(row)] for row in rows]
        click.echo(table(cells, [name, *head[1:], "what it is"]) + "\n")


def about(row: dict[str, str]) -> str:
    """Say what a class is, which plug-in it comes from, and what can be set."""
    origin = f" (From {row['plugin']}.)" if row.get("plugin") else ""
    settings = f" Settings: {row['settings']}" if row.get("settings") else ""
    return row["about"] + origin + settings
