"""`caesura models`."""

from __future__ import annotations

import json as _json

import click

from caesura.cli import options


@click.command(
    "models",
    short_help="Show the models that ship with Caesura, or your own.",
    epilog="""\b
Examples:
  caesura models
  caesura models en
  caesura models my-model/ other-model/ --json""",
)
@click.argument("model", nargs=-1, metavar="[MODEL]...")
@options.as_json
def command(model: tuple[str, ...], json: bool) -> None:
    """Show a line for each model, or all that is known of the one that is named.

    MODEL is the name of a model that ships with Caesura, or a model folder.
    """
    from caesura import api

    cards = api.list_models(model)
    if json:
        click.echo(_json.dumps([card.document() for card in cards], ensure_ascii=False))
        return
    from caesura.evaluation.reports.card_tables import overview, whole

    click.echo(whole(cards[0]) if len(model) == 1 else overview(cards))
