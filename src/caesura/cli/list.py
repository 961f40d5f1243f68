"""`caesura list`."""

from __future__ import annotations

import click

from caesura.cli import options

SHORT = {"read, write": "in, out", "read": "in"}
"""What a format is for, as the table shows it."""


@options.command(
    "list",
    examples="""
  caesura list
  caesura list formats
  caesura list metrics --json""",
)
@click.argument(
    "kind",
    required=False,
    default="",
    metavar="[KIND]",
)
@options.json
def command(kind: str, json: bool) -> None:
    """List what there is to choose from: everything, or one KIND.

    KIND is formats, detectors, taggers, entity-models, metrics or steps (of normalisation).
    """
    import caesura

    found = caesura.catalogue(kind)
    if json:
        options.print_json(found)
        return
    from caesura.evaluation.reports.render import wrapped_table

    for name, rows in found.items():
        columns = [key for key in ("name", "suffixes", "use") if key in rows[0]]
        cells = [[*(SHORT.get(row[key], row[key]) for key in columns), about(row)] for row in rows]
        click.echo(wrapped_table(cells, [name, *columns[1:], "what it is"]) + "\n")


def about(row: dict[str, str]) -> str:
    """Say what a class is, which plug-in it comes from, and which settings it has."""
    origin = f" (From {row['plugin']}.)" if row.get("plugin") else ""
    settings = f" Settings: {row['settings']}" if row.get("settings") else ""
    return row["about"] + origin + settings
