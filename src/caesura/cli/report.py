"""`caesura report`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import options, scoring_options


@click.command(
    "report",
    short_help="Write a report on one system or several: page, tables or figures.",
    epilog="""\b
Examples:
  caesura report system.txt --reference gold.txt --output report.html
  caesura report a.txt b.txt -r ann.txt -r ben.txt -m WiSeBE --sweep window_gap=0:20 \\
      --output report.html --output table.tex --output curves.svg""",
)
@click.argument("hypothesis", nargs=-1, required=True, type=click.Path(readable=False))
@scoring_options.reference
@options.alternatives
@scoring_options.metric("Boundary")
@scoring_options.value
@scoring_options.sweep
@scoring_options.terms
@options.format
@scoring_options.reference_format
@click.option(
    "--output",
    "-o",
    multiple=True,
    required=True,
    metavar="PATH",
    type=click.Path(),
    help="What to write, by its suffix: .html, .md, .tex, .json, .png or .svg; several times "
    "for several.",
)
def command(**asked: Any) -> None:
    """Score and compare systems, and write what came out.

    Each HYPOTHESIS, a file or a folder, is a system. A page (.html) is one file that needs no
    network: tables with intervals, boundaries of all references side by side, and the text.
    """
    from caesura import api

    for path in api.report(**asked):
        click.echo(path)
