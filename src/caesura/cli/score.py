"""`caesura score`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import options, scoring_options


@options.command(
    "score",
    examples="""
  caesura score system.txt --reference gold.txt
  caesura score asr.ctm --reference human.nlp --metric Words
  caesura score asr.ctm --reference human.nlp --metric Words --show errors
  caesura score system.txt -r ann.txt -r ben.txt -m WiSeBE --report out.html
  caesura score found/ -r gold/ --metric "Boundary(count_end=True)" --json
  caesura score system.txt -r ann.txt -r ben.txt -m WiSeBE \\
      --sweep window_gap=0:20
  caesura score asr.jsonl --reference human.nlp --align""",
)
@click.argument("hypothesis", nargs=-1, required=True, type=options.path())
@scoring_options.reference
@options.format
@scoring_options.reference_format
@options.alternatives
@options.entity_classes
@scoring_options.metric("Boundary")
@scoring_options.sweep
@scoring_options.comparability
@scoring_options.report()
@options.option(
    "--show",
    group=options.OUTPUT,
    type=click.Choice(["errors", "all"]),
    help="Print the words of reference and hypothesis side by side (with the metric Words): "
    "all lines, or those with errors.",
)
@options.json
def command(hypothesis: tuple[str, ...], show: str | None, json: bool, **asked: Any) -> None:
    """Score a segmentation (HYPOTHESIS: files or folders) against references.

    Recordings are paired by name; a single recording on each side needs no name. For a word
    error rate: --metric Words.
    """
    import caesura
    from caesura.core.errors import UnknownName

    if show and not any(one.split("(")[0].strip() == "Words" for one in asked["metric"]):
        raise UnknownName("no metric has words side by side to show", remedy="add --metric Words")
    scores = caesura.score(hypothesis, **asked)
    scoring_options.print_results(scores, json, show)
