"""`caesura score`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import options, scoring_options


@click.command(
    "score",
    short_help="Score a segmentation against one or more references.",
    epilog="""\b
Examples:
  caesura score system.txt --reference gold.txt
  caesura score asr.ctm --reference human.nlp --metric Words  # word error rate
  caesura score system.txt -r ann.txt -r ben.txt --metric WiSeBE --report out.html
  caesura score found/ --reference gold/ --metric "Boundary(count_end=True)" --json
  caesura score system.txt -r ann.txt -r ben.txt -m WiSeBE --sweep window_gap=0:20
  caesura score asr.jsonl --reference human.nlp --align
  caesura score asr.ctm --reference human.nlp --metric Words --show errors""",
)
@click.argument(
    "hypothesis", nargs=-1, required=True, type=click.Path(readable=False, allow_dash=True)
)
@scoring_options.reference
@options.alternatives
@scoring_options.metric("Boundary")
@scoring_options.sweep
@scoring_options.terms
@options.format
@scoring_options.reference_format
@click.option(
    "--show",
    type=click.Choice(["errors", "all"]),
    help="Show the words of reference and hypothesis side by side (with the metric Words): all "
    "lines, or those with errors.",
)
@scoring_options.report
@options.as_json
def command(
    hypothesis: tuple[str, ...],
    format: str | None,
    report: tuple[str, ...],
    show: str | None,
    json: bool,
    **asked: Any,
) -> None:
    """Score a segmentation (HYPOTHESIS: files or folders) against references.

    Recordings are paired by name; a single recording on each side needs no name. For a word
    error rate: --metric Words.
    """
    from caesura import api
    from caesura.cli.options import watched
    from caesura.evaluation.reports.write import Results, kinds
    from caesura.formats.inputs import called

    kinds(report)
    scores = api.score(watched(api.read(hypothesis, format=format)), format=format, **asked)
    name = called(hypothesis)[0] if len(hypothesis) == 1 else "hypothesis"
    scoring_options.shown(Results((name,), (scores,)), report, json, show)
