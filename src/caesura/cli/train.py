"""`caesura train`."""

from __future__ import annotations

import json as _json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import click

from caesura.cli import options

if TYPE_CHECKING:
    from caesura.training.search import Training


def paths(name: str, help: str, required: bool = False) -> Callable[[Any], Any]:
    """Files and folders, named one by one."""
    return cast(
        Callable[[Any], Any],
        click.option(
            name,
            multiple=True,
            required=required,
            metavar="PATH",
            type=click.Path(readable=False, allow_dash=True),
            help=help,
        ),
    )


def described(command: Any) -> Any:
    """What the card of the model says."""
    for name, help in (
        ("--licence", "Licence of the model, which that of its data may prescribe."),
        ("--language", "Language, such as en."),
        ("--about", "A sentence that says what the model is for."),
        ("--name", "Name of the model; that of its folder if not given."),
    ):
        command = click.option(name, default="", metavar="TEXT", help=help)(command)
    return command


@click.command(
    "train",
    short_help="Train a detector, a tagger or an entity model on transcripts.",
    epilog="""\b
Examples:
  caesura train PauseModel --train calls/ --dev held-out/ --output pauses
  caesura train PauseModel --train calls/ --dev held-out/ --output pauses \\
      --tune step=0.05,0.1,0.2 --tune smooth=1,10,100 --goal ser
  caesura train LM --train calls/ --dev held-out/ --tune order=2,3,4 \\
      --text speeches.txt --text-format turns --output words
  caesura train Tagger --train train.conllu --dev dev.conllu --output tagger
  caesura train Margins --train train.bio --dev dev.bio --output names
  caesura train Margins --train references/ --format "nlp(entities='both')" \\
      --alternatives wer_tags/ --output names

Training takes seconds to minutes. If it is interrupted nothing is written, and it starts
again from the beginning.""",
)
@click.argument(
    "learner", shell_complete=cast(Any, options.completing("detector", "tagger", "entity-model"))
)
@paths("--train", "Transcripts with sentences to learn from; several times for several.", True)
@paths("--dev", "Other transcripts of the same kind, to tune on; several times for several.")
@paths("--text", "More text with sentences, of other kinds, for detectors that learn from words.")
@options.alternatives
@click.option(
    "--tune",
    multiple=True,
    metavar="SETTING=VALUES",
    help="Try values of a setting, as in weight=0.5:2:0.5, order=2,3 or lm.order=2,3 for the "
    "detector within; several times for all combinations. The bias needs no tuning: it is set "
    "to the best there is.",
)
@click.option(
    "--goal",
    type=click.Choice(["f1", "ser"]),
    default="f1",
    show_default=True,
    help="What to tune for: the highest F1 or the lowest slot error rate. A tagger is tuned for "
    "accuracy, an entity model for F1.",
)
@click.option(
    "--output",
    "-o",
    required=True,
    metavar="MODEL",
    type=click.Path(),
    help="Folder for the model; a model that is there is replaced.",
)
@described
@options.format
@click.option(
    "--text-format",
    metavar="FORMAT",
    shell_complete=cast(Any, options.completing("format")),
    help="Format of --text, if it is another than --format.",
)
@click.option(
    "--normalize",
    default="none",
    show_default=True,
    metavar="STEPS",
    help="Steps before words are learnt and tuned on, joined with +, as in case+punctuation.",
)
@options.as_json
def command(json: bool, **asked: Any) -> None:
    """Train a LEARNER on transcripts whose sentences are known, and keep it as a model.

    Development recordings (--dev), which are not learnt from, choose its settings. A tagger
    learns from transcripts whose words have tags, and is tuned for the share that it tags right;
    an entity model learns from transcripts with entities, and is tuned for their F1. Of
    --alternatives nothing is learnt but the classes of entities.
    """
    from caesura import api

    if asked["tune"] and not asked["dev"]:
        raise click.UsageError("--tune needs recordings to tune on: --dev PATH")
    found = api.train(**asked)
    if json:
        click.echo(_json.dumps({**found.to_json(), "model": asked["output"]}, ensure_ascii=False))
        return
    if found.curve:
        click.echo(curve(found))
    import logging

    logging.getLogger("caesura.training").info("the model is in %s", asked["output"])


def curve(training: Training) -> str:
    """Lay out the scores of all that was tried, the best marked; a bias only where there is one."""
    from caesura.evaluation.reports.render import plain
    from caesura.evaluation.reports.table import Grid, number

    names, rates = tuple(training.curve[0].settings), tuple(training.curve[0].scores)
    biased = any(row.bias is not None for row in training.curve)
    several = len(training.curve) > 1
    rows = []
    for place, row in enumerate(training.curve):
        scores = [number(row.scores[name]) for name in rates]
        bias = ["–" if row.bias is None else number(row.bias, 2)] * biased
        choice = ["best" if place == training.best else ""] * several
        rows.append((*(str(row.settings[name]) for name in names), *scores, *bias, *choice))
    title = f"{training.detector.name} on the development recordings, tuned for {training.goal}"
    head = (*names, *rates, *["bias"] * biased, *["choice"] * several)
    return plain(Grid(title, head, tuple(rows), labels=len(names)))
