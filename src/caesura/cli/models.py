"""`caesura models`."""

from __future__ import annotations

import click

from caesura.cli import options


@options.command(
    "models",
    examples="""
  caesura models
  caesura models en
  caesura models my-model/ other-model/ --json""",
)
@click.argument("model", nargs=-1, metavar="[MODEL]...")
@options.json
def command(model: tuple[str, ...], json: bool) -> None:
    """Show one line for each model, or the whole card of the one that is named.

    MODEL is the name of a model that ships with Caesura, or a model folder.
    """
    import caesura

    cards = caesura.list_models(model)
    if json:
        options.print_json([card.document() for card in cards])
        return
    from caesura.evaluation.reports.card_tables import cards_table, describe_card

    click.echo(describe_card(cards[0]) if len(model) == 1 else cards_table(cards))
