"""Options and output that the commands which measure share."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import options
from caesura.cli.options import INPUT, OUTPUT, Decorator, option

if TYPE_CHECKING:
    from caesura.evaluation.comparison import Comparison
    from caesura.evaluation.scores import Scores

reference = option(
    "--reference",
    "-r",
    group=INPUT,
    multiple=True,
    required=True,
    type=click.Path(readable=False),
    metavar="PATH",
    help="File or folder of a reference. Repeat it for several references.",
)

reference_format = options.format_option(
    "--reference-format", "Format of the references, if it is another than --format."
)

value = option(
    "--value",
    multiple=True,
    metavar="NAME",
    help="Value to test, such as f1 or ser; the main value of each metric if not given.",
)

sweep = option(
    "--sweep",
    multiple=True,
    metavar="SETTING=VALUES",
    help="Score a range of a metric's setting too, as in window_gap=0:20 or k=2,5,10.",
)


def metric(default: str) -> Decorator:
    """What to measure."""
    return option(
        "--metric",
        "-m",
        multiple=True,
        default=(default,),
        show_default=True,
        metavar="METRIC",
        shell_complete=options.complete_names("metric"),
        help="What to measure, with settings in brackets. Repeat it for several metrics.",
    )


def resampling(command: Any) -> Any:
    """How often what was measured is resampled."""
    for made in (
        option(
            "--seed",
            type=click.IntRange(0),
            metavar="NUMBER",
            default=20000,
            show_default=True,
            help="Seed of the resampling. The same seed gives the same intervals.",
        ),
        option(
            "--resamples",
            type=click.IntRange(0, 100_000),
            metavar="NUMBER",
            default=1000,
            show_default=True,
            help="Bootstrap samples for confidence intervals and tests; 0 for none.",
        ),
    ):
        command = made(command)
    return command


def comparability(command: Any) -> Any:
    """How texts are made comparable, and how often what was measured is resampled."""
    for made in (
        resampling,
        option(
            "--align",
            is_flag=True,
            help="Where words differ, align them and carry the references' boundaries over.",
        ),
        option(
            "--normalize",
            default="least",
            show_default=True,
            metavar="STEPS",
            help="Steps before words are compared, joined with +. 'none' for none; 'least' for "
            "no more than makes the words equal.",
        ),
    ):
        command = made(command)
    return command


def report(kinds: str = ".html, .md, .tex, .json, .png or .svg") -> Decorator:
    """A report to write besides what is printed."""
    return option(
        "--report",
        group=OUTPUT,
        multiple=True,
        metavar="FILE",
        type=click.Path(),
        help=f"Write a report too: {kinds}. Repeat it for several.",
    )


def print_results(scored: Scores | Comparison, json: bool, show: str | None = None) -> None:
    """Print JSON or tables, and words side by side if they are wanted."""
    from caesura.evaluation.reports import alignment_view
    from caesura.evaluation.reports.render import terminal
    from caesura.evaluation.reports.write import Results

    results = Results.of(scored)
    if show:
        alignment_view.words_metric(results.scores[0])
    if json:
        aligned = {"alignments": alignment_view.alignments_as_json(results, show)} if show else {}
        options.print_json(results.to_dict() | aligned)
        return
    click.echo(terminal(results))
    if show:
        click.echo()
        click.echo(alignment_view.format_alignments(results, show, get_terminal_size().columns))
