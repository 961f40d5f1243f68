"""`caesura correlate`."""

from __future__ import annotations

from json import dumps
from typing import Any

import click

from caesura.cli import options, scoring_options


@click.command(
    "correlate",
    short_help="Find which metrics predict what a task makes of recognisers' output.",
    epilog="""\b
Examples:
  caesura correlate study.csv --metric wer --metric ne_wer --result eter
  caesura correlate a.json b.json c.json eter.tsv --metric wer --result eter
  caesura correlate study.csv -m wer -m atene --result eter --without librispeech
  caesura correlate study.csv -m wer -m f1 --negate f1 --result eter --json""",
)
@click.argument("tables", nargs=-1, required=True, type=click.Path(readable=False, allow_dash=True))
@click.option(
    "--metric",
    "-m",
    multiple=True,
    required=True,
    metavar="COLUMN",
    help="Metric that may predict the result; several times for several metrics.",
)
@click.option(
    "--result",
    multiple=True,
    required=True,
    metavar="COLUMN",
    help="What the task came to, such as its error rate; several times for several results.",
)
@click.option(
    "--baseline",
    default="",
    show_default="the first",
    metavar="COLUMN",
    help="Metric that the others are compared with.",
)
@click.option(
    "--without", multiple=True, metavar="SYSTEM", help="System to leave out; several times too."
)
@click.option(
    "--negate",
    multiple=True,
    metavar="COLUMN",
    help="Column that counts with the opposite sign: more is better in it, and worse in others.",
)
@click.option(
    "--system", default="system", show_default=True, metavar="HEAD", help="Column of the system."
)
@click.option(
    "--show",
    default="show",
    show_default=True,
    metavar="HEAD",
    help="Column of the show, or recording.",
)
@click.option(
    "--task",
    default="task",
    show_default=True,
    metavar="HEAD",
    help="Column of the task system, in tables that have one.",
)
@scoring_options.draws
@click.option(
    "--report",
    multiple=True,
    metavar="PATH",
    type=click.Path(),
    help="Write a report too: .md, .tex, .json, .png or .svg.",
)
@options.as_json
def command(tables: tuple[str, ...], report: tuple[str, ...], json: bool, **asked: Any) -> None:
    """Measure how well metrics predict what a task makes of recognisers' output.

    TABLES have a row for each system and show (and task system): CSV or TSV files with a head,
    or what score --json and compare --json wrote. They are joined. For each show and task system
    metric and result are correlated over the systems; the mean is taken over shows, then over
    task systems, and its interval from shows drawn again.
    """
    from caesura import api
    from caesura.evaluation.reports.correlation_tables import KINDS, terminal, write
    from caesura.evaluation.reports.write import kinds

    kinds(report, KINDS)
    found = api.correlate(tables, **asked)
    for path in write(found, report):
        click.echo(f"caesura: wrote {path}", err=True)
    click.echo(dumps(found.to_dict(), ensure_ascii=False) if json else terminal(found))
