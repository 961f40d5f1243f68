"""`caesura score`."""

from __future__ import annotations

import json as _json
from typing import TYPE_CHECKING, Any, cast

import click

from caesura.cli import options

if TYPE_CHECKING:
    from caesura.api import Scores


@click.command(
    "score",
    short_help="Score a segmentation against one or more references.",
    epilog="""\b
Examples:
  caesura score system.txt --reference gold.txt
  caesura score system.txt --reference ann.txt --reference ben.txt --json
  caesura score found/ --reference gold/ --metric "Boundary(count_end=True)"
  caesura score asr.jsonl --reference human.nlp --align""",
)
@click.argument(
    "hypothesis", nargs=-1, required=True, type=click.Path(readable=False, allow_dash=True)
)
@click.option(
    "--reference",
    "-r",
    multiple=True,
    required=True,
    type=click.Path(readable=False),
    metavar="PATH",
    help="File or folder of a reference; give it several times for several references.",
)
@click.option(
    "--metric",
    "-m",
    multiple=True,
    default=("Boundary",),
    show_default=True,
    metavar="METRIC",
    shell_complete=cast(Any, options.completing("metric")),
    help="What to measure; settings in brackets, several times for several metrics.",
)
@click.option(
    "--align",
    is_flag=True,
    help="Carry the references' boundaries over by alignment where words differ.",
)
@click.option(
    "--normalize",
    default="case+punctuation",
    show_default=True,
    metavar="STEPS",
    help="Steps before words are compared, joined with +; 'none' for none.",
)
@options.format
@click.option(
    "--reference-format",
    metavar="FORMAT",
    shell_complete=cast(Any, options.completing("format")),
    help="Format of the references, if it is another than --format.",
)
@options.as_json
def command(
    hypothesis: tuple[str, ...],
    reference: tuple[str, ...],
    metric: tuple[str, ...],
    align: bool,
    normalize: str,
    format: str | None,
    reference_format: str | None,
    json: bool,
) -> None:
    """Score a segmentation (HYPOTHESIS: files or folders) against references.

    Recordings are paired by name; a single recording on each side needs no name.
    """
    from caesura import api
    from caesura.cli.progress import watched

    scores = api.score(
        watched(api.read(hypothesis, format=format)),
        reference=reference,
        metric=metric,
        align=align,
        normalize=() if normalize == "none" else tuple(normalize.split("+")),
        reference_format=reference_format or format,
    )
    click.echo(_json.dumps(scores.to_json(), ensure_ascii=False) if json else shown(scores))


def shown(scores: Scores) -> str:
    """Lay the scores out for people: a table a metric, its signature under it."""
    from caesura.report.tables import shown as value
    from caesura.report.tables import table

    parts = []
    for metric, values, signature in zip(
        scores.metrics, scores.values, scores.signatures, strict=True
    ):
        rows = [(name, value(each)) for name, each in values.items()]
        parts.append(f"{table(rows, (metric.name, 'value'))}\n\n{signature}")
    parts += _alignments(scores)
    return "\n\n".join(parts)


def _alignments(scores: Scores) -> list[str]:
    """Tell how many words had no counterpart, per reference."""
    told = [document.coverage for document in scores.documents]
    lines = []
    for number, each in enumerate(zip(*told, strict=True), 1):
        total = {name: sum(vars(one)[name] for one in each) for name in vars(each[0])}
        lines.append(
            f"reference {number}: {total['hypothesis_words_unmatched']} words of the hypothesis "
            f"and {total['reference_words_unmatched']} of the reference have no counterpart, "
            f"{total['words_replaced']} have another word in their place; "
            f"{total['boundaries_lost']} boundaries could not be carried over"
        )
    return lines
