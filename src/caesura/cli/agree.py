"""`caesura agree`."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import options, scoring_options


@options.command(
    "agree",
    examples="""
  caesura agree ann.txt ben.txt cho.txt
  caesura agree ann/ ben/ --json
  caesura agree verbatim/ edited/ --align""",
)
@click.argument("reference", nargs=-1, required=True, type=click.Path(readable=False))
@options.format
@scoring_options.metric("Agreement")
@scoring_options.comparability
@scoring_options.report()
@options.json
def command(reference: tuple[str, ...], json: bool, **asked: Any) -> None:
    """Measure how far annotators agree on where sentences end.

    Each REFERENCE, a file or a folder, is an annotator. With --align, boundaries of texts that
    differ are carried over to the words of the first; another order of the files then gives
    slightly different numbers.
    """
    import caesura
    from caesura.core.errors import MismatchError

    if len(reference) < 2:
        raise MismatchError(
            "agreement takes two annotators or more", remedy="name the file of each"
        )
    scores = caesura.agree(reference, **asked)
    scoring_options.print_results(scores, json)
