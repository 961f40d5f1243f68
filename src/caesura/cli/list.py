"""`caesura list`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import click

from caesura.cli import options

USES = {"read, write": "Formats that are read and written", "read": "Formats that are only read"}
"""The title of each table of formats, by what the formats are for."""

SUFFIX_WIDTH = 16
"""The greatest width of the column of suffixes."""


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

    KIND is formats, detectors, taggers, entity-models, metrics, steps (of normalisation) or
    studies (which reproduce runs).
    """
    import caesura

    catalogue = caesura.catalogue(kind)
    if json:
        options.print_json(catalogue)
        return
    for name, rows in catalogue.items():
        for table in format_tables(rows) if name == "formats" else [kind_table(name, rows)]:
            click.echo(table + "\n")


def format_tables(rows: Sequence[dict[str, str]]) -> list[str]:
    """Lay out formats: a table of those that can be written, and one of the others."""
    from caesura.evaluation.reports.render import wrapped_table

    tables = []
    for use, title in USES.items():
        cells = [
            [row["name"], textwrap.fill(row["suffixes"], SUFFIX_WIDTH), about(row)]
            for row in rows
            if row["use"] == use
        ]
        tables.append(f"{title}\n\n" + wrapped_table(cells, ["format", "suffixes", "what it is"]))
    return tables


def kind_table(name: str, rows: Sequence[dict[str, str]]) -> str:
    """Lay out what is of one kind; only studies can be missing."""
    from caesura.core.plugins import STUDIES_REMEDY
    from caesura.evaluation.reports.render import wrapped_table

    if not rows:
        return f"No {name} are installed; {STUDIES_REMEDY}"
    return wrapped_table([[row["name"], about(row)] for row in rows], [name, "what it is"])


def about(row: dict[str, str]) -> str:
    """Say what a class or a study is, which plug-in it comes from, and which settings it has."""
    origin = f" (From {row['plugin']}.)" if row.get("plugin") else ""
    settings = f" Settings: {row['settings']}" if row.get("settings") else ""
    return row["about"] + origin + settings
