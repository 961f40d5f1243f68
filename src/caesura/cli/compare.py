"""`caesura compare`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import measuring, options


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
@measuring.reference
@options.readings
@measuring.metric("Boundary")
@measuring.value
@measuring.sweep
@measuring.terms
@options.format
@measuring.reference_format
@measuring.report
@options.as_json
def command(hypothesis: tuple[str, ...], report: tuple[str, ...], json: bool, **asked: Any) -> None:
    """Score systems against the same references, and test whether each pair differs.

    Each HYPOTHESIS, a file or a folder, is a system. Tests are paired over recordings, or over
    blocks of sentences if there is one recording only: bootstrap and approximate randomization,
    the latter corrected for the number of tests (Holm).
    """
    from caesura import api
    from caesura.reports.results import Results
    from caesura.reports.write import kinds

    kinds(report)
    found = api.compare(hypothesis, **asked)
    measuring.shown(Results(found.systems, found.scores, found), report, json)
