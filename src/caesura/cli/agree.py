"""`caesura agree`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import options, scoring_options


@click.command(
    "agree",
    short_help="Measure how far annotators agree with each other.",
    epilog="""\b
Examples:
  caesura agree ann.txt ben.txt cho.txt
  caesura agree ann/ ben/ --json
  caesura agree verbatim/ edited/ --align""",
)
@click.argument("reference", nargs=-1, required=True, type=click.Path(readable=False))
@scoring_options.metric("Agreement")
@scoring_options.terms
@options.format
@scoring_options.report
@options.as_json
def command(reference: tuple[str, ...], report: tuple[str, ...], json: bool, **asked: Any) -> None:
    """Measure how far annotators agree on where sentences end.

    Each REFERENCE, a file or a folder, is an annotator. With --align, texts that differ are
    carried over to the words of the first: another order gives somewhat other numbers.
    """
    from caesura import api
    from caesura.evaluation.reports.write import Results, kinds

    kinds(report)
    scores = api.agree(reference, **asked)
    scoring_options.shown(Results(("annotators",), (scores,), among=True), report, json)
