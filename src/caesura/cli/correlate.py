"""`caesura correlate`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import options, scoring_options
from caesura.cli.options import INPUT, option


@options.command(
    "correlate",
    examples="""
  caesura correlate study.csv --metric wer --metric ne_wer --result eter
  caesura correlate a.json b.json c.json eter.tsv --metric wer --result eter
  caesura correlate study.csv -m wer -m atene --result eter --without kaldi
  caesura correlate study.csv -m wer -m f1 --negate f1 --result eter --json""",
)
@click.argument("tables", nargs=-1, required=True, type=options.path())
@option(
    "--metric",
    "-m",
    group=INPUT,
    multiple=True,
    required=True,
    metavar="COLUMN",
    help="Metric that may predict the result. Repeat it for several metrics.",
)
@option(
    "--result",
    group=INPUT,
    multiple=True,
    required=True,
    metavar="COLUMN",
    help="Result of the task, such as its error rate. Repeat it for several results.",
)
@option(
    "--system",
    group=INPUT,
    default="system",
    show_default=True,
    metavar="COLUMN",
    help="Column of the recogniser.",
)
@option(
    "--show",
    group=INPUT,
    default="show",
    show_default=True,
    metavar="COLUMN",
    help="Column of the show, or recording.",
)
@option(
    "--task",
    group=INPUT,
    default="task",
    show_default=True,
    metavar="COLUMN",
    help="Column of the task system, in tables that have one.",
)
@option(
    "--without",
    group=INPUT,
    multiple=True,
    metavar="SYSTEM",
    help="Recogniser to leave out. Repeat it for several.",
)
@option(
    "--baseline",
    default="",
    show_default="the first",
    metavar="COLUMN",
    help="Metric that the others are compared with.",
)
@option(
    "--negate",
    multiple=True,
    metavar="COLUMN",
    help="Column in which higher is better, while in the others it is worse: its sign is reversed.",
)
@scoring_options.resampling
@scoring_options.report(".md, .tex, .json, .png or .svg")
@options.json
def command(tables: tuple[str, ...], report: tuple[str, ...], json: bool, **asked: Any) -> None:
    """Measure how well metrics predict the results of a task that uses recognisers' output.

    TABLES have a row for each recogniser and show (and task system): CSV or TSV files with a
    header, or the output of score --json and compare --json. They are joined. For each show and
    task system, metric and result are correlated over the recognisers. The mean is taken over
    shows, then over task systems; its confidence interval comes from resampled shows.
    """
    import caesura
    from caesura.evaluation.reports.correlation_tables import correlations_text
    from caesura.evaluation.reports.write import report_paths, write_report

    report_paths(report, correlations=True)
    correlations = caesura.correlate(tables, **asked)
    for path in write_report(correlations, report):
        click.echo(f"caesura: wrote {path}", err=True)
    if json:
        options.print_json(correlations.to_dict())
    else:
        click.echo(correlations_text(correlations))
