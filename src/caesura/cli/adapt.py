"""`caesura adapt`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import options
from caesura.cli.options import OUTPUT, option

if TYPE_CHECKING:
    from caesura.training.adapt import Adaptation


@options.command(
    "adapt",
    examples="""
  caesura adapt en --train transcripts/ --output my-en
  caesura segment call.json --detector my-en --output call.srt
  caesura adapt my-en --train more/ --output my-en --force""",
    after="It takes seconds for a few hundred sentences. 50 are the least; 300 to 1,000 from "
    "several recordings are a good number. Held out are whole recordings, or parts of them if "
    "there are fewer than five. If it did not help, the exit code is 0 too, and --json says "
    "whether a model was written.",
)
@click.argument("model", shell_complete=options.complete_models)
@options.input_option(
    "--train",
    multiple=True,
    required=True,
    help="Your punctuated transcripts, with times and speakers if there are. Repeat it for "
    "several.",
)
@options.format
@option(
    "--normalize",
    default="none",
    show_default=True,
    metavar="STEPS",
    help="Steps before fitting, joined with +, as in events+fillers if your recogniser leaves "
    "out sounds and hesitations.",
)
@option(
    "--force",
    is_flag=True,
    help="Write the model even if it did not help.",
)
@option(
    "--output",
    "-o",
    group=OUTPUT,
    required=True,
    metavar="MODEL",
    type=click.Path(),
    help="Folder for the model; a model that is there is replaced.",
)
@options.json
@option(
    "--name",
    group="Model card",
    default="",
    metavar="TEXT",
    help="Name of the model; that of its folder if not given.",
)
@option(
    "--about",
    group="Model card",
    default="",
    metavar="TEXT",
    help="A sentence that says what the model is for; that of MODEL if not given.",
)
def command(output: str, json: bool, **asked: Any) -> None:
    """Fit a MODEL to punctuated transcripts of your own, and say whether it helped.

    A MODEL is the name of one that ships with Caesura, or a model folder. Its bias is fitted,
    and if it is an Encoder its last layer too. It sees the words in lower case and without
    marks, as a recogniser would give them.

    Each recording is also held out of fitting, to compare the boundaries that the model finds
    there before and after. If F1 did not rise for certain (p < .05), it did not help, and
    nothing is written unless you ask for it with --force.
    """
    import caesura

    adaptation = caesura.adapt(output=output, **asked)
    if json:
        options.print_json({**adaptation.to_json(), "model": output})
        return
    click.echo(comparison(adaptation))
    logger = logging.getLogger("caesura.training")
    if adaptation.written:
        logger.info("the model is in %s", output)
    else:
        logger.info("nothing was written to %s; --force writes it all the same", output)


def comparison(adaptation: Adaptation) -> str:
    """Lay out the scores before and after, and the result in a sentence below."""
    from caesura.evaluation.reports.render import plain_table
    from caesura.evaluation.reports.table import Table, format_number

    rows = tuple(
        (name, *(format_number(value, 3) for value in rates.values()))
        for name, rates in (("before", adaptation.before), ("after", adaptation.after))
    )
    title = f"Boundaries, with {adaptation.held_out} held out in turn"
    table = plain_table(Table(title, ("", *adaptation.before), rows))
    return f"{table}\n\n{adaptation}"
