"""`caesura list`."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import click

from caesura.cli import options

USES = {"read, write": "Formats that are read and written", "read": "Formats that are only read"}
"""The title of each table of formats, by what the formats are for."""

KINDS = {
    "formats": ("Formats", "format"),
    "detectors": ("Detectors", "detector"),
    "taggers": ("Taggers", "tagger"),
    "entity-models": ("Entity models", "entity model"),
    "metrics": ("Metrics", "metric"),
    "steps": ("Steps of normalisation", "step"),
    "studies": ("Studies", "study"),
}
"""The title of each kind, and the word for one of it."""

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
    """List what there is to choose from: all names, or what each of one KIND is.

    KIND is formats, detectors, taggers, entity-models, metrics, steps (of normalisation) or
    studies (which reproduce runs). Settings are given in brackets: --to "srt(characters=37)".
    """
    import caesura

    catalogue = caesura.catalogue(kind)
    if json:
        options.print_json(catalogue)
        return
    click.echo("\n\n".join(kind_tables(kind, catalogue[kind])) if kind else overview(catalogue))


def overview(catalogue: Mapping[str, Sequence[dict[str, str]]]) -> str:
    """Lay out the names of all kinds."""
    from caesura.evaluation.reports.render import wrapped_table

    cells = [[kind, ", ".join(row["name"] for row in rows)] for kind, rows in catalogue.items()]
    missing = [none_of(kind) for kind, rows in catalogue.items() if not rows]
    advice = "caesura list KIND says what each one is."
    return "\n\n".join([wrapped_table(cells, ["kind", "names"]), *missing, advice])


def kind_tables(kind: str, rows: Sequence[dict[str, str]]) -> list[str]:
    """Lay out what is of one kind, each table under its title."""
    if not rows:
        return [none_of(kind)]
    title, one = KINDS[kind]
    if kind == "formats":
        return [
            titled_table(title, one, [with_settings(row) for row in rows if row["use"] == use])
            for use, title in USES.items()
        ]
    if kind != "studies":
        return [titled_table(title, one, rows)]
    # All studies come from plug-ins, most of them from one.
    return [
        titled_table(
            f"{title} of {origin}",
            one,
            [{**row, "plugin": ""} for row in rows if row["plugin"] == origin],
        )
        for origin in dict.fromkeys(row["plugin"] for row in rows)
    ]


def titled_table(title: str, one: str, rows: Sequence[dict[str, str]]) -> str:
    """Lay out a table of things that have a name, perhaps suffixes, and a description."""
    from caesura.evaluation.reports.render import wrapped_table

    if one == "format":
        head = [one, "suffixes", "what it is"]
        cells = [
            [row["name"], textwrap.fill(row["suffixes"], SUFFIX_WIDTH), about(row)] for row in rows
        ]
    else:
        head = [one, "what it is"]
        cells = [[row["name"], about(row)] for row in rows]
    return f"{title}\n\n{wrapped_table(cells, head)}"


def none_of(kind: str) -> str:
    """Say that nothing of a kind is installed; only studies can be missing."""
    from caesura.core.plugins import STUDIES_REMEDY
    from caesura.evaluation.reports.table import WIDTH

    return textwrap.fill(f"No {kind} are installed; {STUDIES_REMEDY}", WIDTH)


def with_settings(row: dict[str, str]) -> dict[str, str]:
    """Add the settings of a format, with their default values."""
    from caesura.core import registry

    settings = registry.find("format", row["name"])().settings
    return {**row, "settings": ", ".join(f"{name}={value!r}" for name, value in settings.items())}


def about(row: dict[str, str]) -> str:
    """Say what a class or a study is, which plug-in it comes from, and which settings it has."""
    origin = f" (From {row['plugin']}.)" if row.get("plugin") else ""
    settings = f" Settings: {row['settings']}" if row.get("settings") else ""
    return row["about"] + origin + settings
