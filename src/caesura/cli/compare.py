"""`caesura compare`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import options, scoring_options


@click.command(
    "compare",
    short_help="Test whether systems differ on the same references.",
    epilog="""\b
Examples:
  caesura compare a.txt b.txt --reference gold.txt
  caesura compare a/ b/ c/ --reference gold/ --value f1 --value ser
  caesura compare a.txt b.txt -r ann.txt -r ben.txt --metric WiSeBE --report out.html""",
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
@scoring_options.report
@options.as_json
def command(hypothesis: tuple[str, ...], report: tuple[str, ...], json: bool, **asked: Any) -> None:
    """Score systems against the same references, and test whether each pair differs.

    Each HYPOTHESIS, a file or a folder, is a system. Tests are paired over recordings, or over
    blocks of sentences if there is one recording only: bootstrap and approximate randomization,
    the latter corrected for the number of tests (Holm).
    """
    from caesura import api
    from caesura.evaluation.reports.write import Results, kinds

    kinds(report)
    found = api.compare(hypothesis, **asked)
    scoring_options.shown(Results(found.systems, found.scores, found), report, json)
