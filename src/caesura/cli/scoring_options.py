"""Options and output that the commands which measure share."""

from __future__ import annotations

from collections.abc import Callable
from json import dumps
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, cast

import click

from caesura.cli import options

if TYPE_CHECKING:
    from caesura.evaluation.reports.write import Results

Decorator = Callable[[Any], Any]


def reference(command: Any) -> Any:
    """The references to score against."""
    return click.option(
        "--reference",
        "-r",
        multiple=True,
        required=True,
        type=click.Path(readable=False),
        metavar="PATH",
        help="File or folder of a reference; give it several times for several references.",
    )(command)


def metric(default: str) -> Decorator:
    """What to measure."""
    return cast(
        Decorator,
        click.option(
            "--metric",
            "-m",
            multiple=True,
            default=(default,),
            show_default=True,
            metavar="METRIC",
            shell_complete=cast(Any, options.completing("metric")),
            help="What to measure; settings in brackets, several times for several metrics.",
        ),
    )


def value(command: Any) -> Any:
    """The values that systems are compared in."""
    return click.option(
        "--value",
        multiple=True,
        metavar="NAME",
        help="Value to test, such as f1 or ser; the main value of each metric if not given.",
    )(command)


def sweep(command: Any) -> Any:
    """A range of a metric's setting."""
    return click.option(
        "--sweep",
        multiple=True,
        metavar="SETTING=FIRST:LAST",
        help="Score a range of a metric's setting too, as in window_gap=0:20 or k=2,5,10.",
    )(command)


def draws(command: Any) -> Any:
    """How often what was measured is drawn again."""
    for option in (
        click.option(
            "--seed",
            type=click.IntRange(0),
            default=20000,
            show_default=True,
            help="Seed of the draws; the same seed gives the same intervals.",
        ),
        click.option(
            "--resamples",
            type=click.IntRange(0, 100_000),
            default=1000,
            show_default=True,
            help="Draws for intervals and tests; 0 for none.",
        ),
    ):
        command = option(command)
    return command


def terms(command: Any) -> Any:
    """How texts are made comparable, and how often their counts are drawn again."""
    for option in (
        draws,
        click.option(
            "--normalize",
            default="least",
            show_default=True,
            metavar="STEPS",
            help="Steps before words are compared, joined with +; 'none' for none, 'least' for "
            "no more than makes the words equal.",
        ),
        click.option(
            "--align",
            is_flag=True,
            help="Carry the references' boundaries over by alignment where words differ.",
        ),
    ):
        command = option(command)
    return command


def reference_format(command: Any) -> Any:
    """The format of the references."""
    return click.option(
        "--reference-format",
        metavar="FORMAT",
        shell_complete=cast(Any, options.completing("format")),
        help="Format of the references, if it is another than --format.",
    )(command)


def report(command: Any) -> Any:
    """A report to write besides what is printed."""
    return click.option(
        "--report",
        multiple=True,
        metavar="PATH",
        type=click.Path(),
        help="Write a report too: .html, .md, .tex, .json, .png or .svg.",
    )(command)


def shown(results: Results, report: tuple[str, ...], json: bool, show: str | None = None) -> None:
    """Write the reports, then print JSON or tables, and words side by side if they are wanted."""
    from caesura.evaluation.reports import alignment_view
    from caesura.evaluation.reports.render import terminal
    from caesura.evaluation.reports.write import write_report

    if show:
        alignment_view.words_of(results.scores[0])
    for path in write_report(results, report):
        click.echo(f"caesura: wrote {path}", err=True)
    if json:
        aligned = {"alignments": alignment_view.as_json(results, show)} if show else {}
        click.echo(dumps(results.to_dict() | aligned, ensure_ascii=False))
        return
    click.echo(terminal(results))
    if show:
        click.echo()
        click.echo(alignment_view.shown(results, show, get_terminal_size().columns))
