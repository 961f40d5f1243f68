"""`caesura reproduce`."""

from __future__ import annotations

import click

from caesura.cli import options


def _check_study(ctx: click.Context, _parameter: click.Parameter, study: str) -> str:
    """Raise an error for a study that is not installed, before options are checked."""
    if study and not ctx.resilient_parsing:
        from caesura.core.plugins import find_study

        find_study(study)
    return study


@options.command(
    "reproduce",
    examples="""
  caesura reproduce wisebe --data corpora/ --output study/""",
)
@click.argument("study", is_eager=True, callback=_check_study)
@options.option(
    "--data",
    group=options.INPUT,
    required=True,
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False),
    help="Folder of the corpora.",
)
@options.option(
    "--output",
    "-o",
    group=options.OUTPUT,
    required=True,
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Folder for the report, its numbers and its figures; made if it is not there.",
)
def command(study: str, data: str, output: str) -> None:
    """Run a STUDY (wisebe, jp, gotoh-renals, oba, atene) again.

    The report shows its numbers beside those of the paper. `caesura list studies` says what each
    study is about. Studies are a package of their own: pip install caesura-studies, or in a
    clone of the repository: pip install ./studies.
    """
    import caesura

    click.echo(caesura.reproduce(study, data=data, output=output))
    click.echo(f"caesura: the whole report is in {output}", err=True)
