"""`caesura models`: cards of models, a line for each or the whole of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from caesura.cli import options
from caesura.evaluation.reports.render import plain_table, wrapped_table
from caesura.evaluation.reports.table import (
    WIDTH,
    Table,
    display_width,
    format_number,
    printable,
    wrap,
)
from caesura.evaluation.scores import CHECKSUM_DIGITS
from caesura.models.store import Card, Row

KEY_WIDTH = 11
"""The width of keys such as `licence`."""

CELL_WIDTH = 14
"""The greatest width of names, detectors and licences in the list of models."""


def cards_table(cards: Sequence[Card]) -> str:
    """Lay out a table with a line for each model."""
    if not cards:
        return "There are no models."
    head = ("model", "for", "detector", "size", "F1", "licence", "what it is")
    return wrapped_table([_line(card) for card in cards], head)


def _line(card: Card) -> list[str]:
    front = (card.name, card.language, card.detector.split("(")[0])
    figures = (_size(card.bytes), _main_score(card.scores))
    cells = [
        *map(_short, front),
        *figures,
        _short(card.licence.split(" (")[0]),
        printable(card.about),
    ]
    return [cell or "–" for cell in cells]


def _main_score(scores: Row) -> str:
    """Return the F1 of a detector, or the accuracy of a tagger."""
    if "accuracy" in scores:
        return f"accuracy {_cell(scores['accuracy'], 3)}"
    return _cell(scores.get("f1"), 3)


def _short(text: str) -> str:
    text = printable(text)
    return text if display_width(text) <= CELL_WIDTH else wrap(text, CELL_WIDTH - 1, ("",))[0] + "…"


def describe_card(card: Card) -> str:
    """Lay out everything that a card says."""
    facts = {
        "model": card.name,
        "what it is": card.about,
        "language": card.language,
        "licence": card.licence,
        "detector": card.detector,
        "size": _size(card.bytes),
        "made by": f"Caesura {card.version}",
        "checksum": f"{card.checksum[:CHECKSUM_DIGITS]}, the model= of signatures",
        "arrays": f"SHA-256 {card.sha256}",
        "notes": card.notes,
    }
    parts = ["\n".join(line for key, text in facts.items() for line in _key_lines(key, text))]
    parts += _titled_table("Data", card.data)
    parts += _titled_table("On development recordings", (card.scores,) if card.scores else ())
    parts += _titled_table("Probabilities and the share of boundaries", card.reliability)
    parts += _titled_table("Settings tried", card.curve)
    return "\n\n".join(parts)


def _key_lines(key: str, text: str) -> Iterator[str]:
    for at, line in enumerate(wrap(printable(text) or "–", WIDTH - KEY_WIDTH)):
        yield f"{'' if at else key:{KEY_WIDTH}}{line}"


def _titled_table(title: str, rows: Sequence[Row]) -> list[str]:
    """Lay out rows under a title, if there are any."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    if not keys:
        return []
    texts = [key for key in keys if any(isinstance(row.get(key), str) for row in rows)]
    head = (*texts, *(key for key in keys if key not in texts))
    cells = tuple(tuple(_cell(row.get(key)) for key in head) for row in rows)
    table = Table(title, head, cells, labels=max(1, len(texts)))
    if len(rows) == 1 and len(table.fold(WIDTH)) > 1:
        table = Table(title, ("", "value"), tuple(zip(head, cells[0], strict=True)))
    return [plain_table(table)]


def _cell(value: Any, digits: int = 4) -> str:
    if value is None:
        return "–"
    return format_number(value, digits) if type(value) in (int, float) else str(value)


def _size(count: int) -> str:
    if count >= 1_000_000:
        return f"{count / 1_000_000:.1f} MB"
    return f"{count / 1000:.1f} kB" if count >= 1000 else f"{count} B"


@options.command(
    "models",
    examples="""
  caesura models
  caesura models en
  caesura models my-model/ --reliability my-model.svg
  caesura models my-model/ other-model/ --json""",
)
@click.argument("model", nargs=-1, metavar="[MODEL]...")
@options.option(
    "--reliability",
    group=options.OUTPUT,
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Draw how far the probabilities of one model can be trusted, as a .png or .svg file.",
)
@options.json
def command(model: tuple[str, ...], reliability: str | None, json: bool) -> None:
    """Show one line for each model, or the whole card of the one that is named.

    MODEL is the name of a model that ships with Caesura, or a model folder.
    """
    import caesura

    cards = caesura.list_models(model)
    if reliability is not None:
        if len(model) != 1:
            raise click.UsageError("--reliability draws one model: name it")
        from caesura.evaluation.reports.figures import write_reliability

        write_reliability(cards[0].reliability, reliability, cards[0].name)
        return
    if json:
        options.print_json([card.to_document() for card in cards])
        return

    click.echo(describe_card(cards[0]) if len(model) == 1 else cards_table(cards))
