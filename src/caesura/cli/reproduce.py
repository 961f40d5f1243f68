"""`caesura reproduce`."""

from __future__ import annotations

import click


@click.command(
    "reproduce",
    short_help="Run the study of a paper on corpora you have.",
    epilog="""\b
Example:
  caesura reproduce wisebe --data corpora/ --output study/""",
)
@click.argument("study")
@click.option(
    "--data",
    required=True,
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False),
    help="Folder of the corpora.",
)
@click.option(
    "--output",
    "-o",
    required=True,
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Folder for the report, its numbers and its figures; made if it is not there.",
)
def command(study: str, data: str, output: str) -> None:
    """Run a STUDY (wisebe, jp, gotoh-renals, oba, atene) again: its numbers beside the paper's."""
    from caesura import api

    click.echo(api.reproduce(study, data=data, output=output))
    click.echo(f"caesura: the whole report is in {output}", err=True)
