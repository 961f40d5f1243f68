"""`caesura compare`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import options, scoring_options


@options.command(
    "compare",
    examples="""
  caesura compare a.txt b.txt --reference gold.txt
  caesura compare a/ b/ c/ --reference gold/ --value f1 --value ser
  caesura compare a.txt b.txt -r ann.txt -r ben.txt -m WiSeBE --report x.html""",
)
@click.argument("hypothesis", nargs=-1, required=True, type=click.Path(readable=False))
@scoring_options.reference
@options.format
@scoring_options.reference_format
@options.alternatives
@options.entity_classes
@scoring_options.metric("Boundary")
@scoring_options.value
@scoring_options.sweep
@scoring_options.comparability
@scoring_options.report()
@options.json
def command(hypothesis: tuple[str, ...], json: bool, **asked: Any) -> None:
    """Score systems against the same references, and test whether each pair differs.

    Each HYPOTHESIS, a file or a folder, is a system. Tests are paired over recordings, or over
    blocks of sentences if there is only one recording: bootstrap and approximate randomization,
    the latter corrected for the number of tests (Holm).
    """
    import caesura

    comparison = caesura.compare(hypothesis, **asked)
    scoring_options.print_results(comparison, json)
