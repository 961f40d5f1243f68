"""`caesura score`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import measuring, options


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
@measuring.reference
@options.readings
@measuring.metric("Boundary")
@measuring.sweep
@measuring.terms
@options.format
@measuring.reference_format
@click.option(
    "--literal",
    is_flag=True,
    help="Run a paper's algorithm as it is printed, faults included, for study: Joint's "
    "Algorithm 1; its Algorithm 3 is Joint(literal=3).",
)
@click.option(
    "--show",
    type=click.Choice(["errors", "all"]),
    help="Show the words of reference and hypothesis side by side (with the metric Words): all "
    "lines, or those with errors.",
)
@measuring.report
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
    from caesura.cli.progress import watched
    from caesura.evaluation import called
    from caesura.reports.results import Results
    from caesura.reports.write import kinds

    kinds(report)
    scores = api.score(watched(api.read(hypothesis, format=format)), format=format, **asked)
    name = called(hypothesis)[0] if len(hypothesis) == 1 else "hypothesis"
    measuring.shown(Results((name,), (scores,)), report, json, show)
