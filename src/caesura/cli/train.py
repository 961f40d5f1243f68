"""`caesura train`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import options
from caesura.cli.options import OUTPUT, option

if TYPE_CHECKING:
    from caesura.training.search import Training


def card_options(command: Any) -> Any:
    """What the card of the model says."""
    for name, help in (
        ("--licence", "Licence of the model; the licence of the data may prescribe it."),
        ("--language", "Language, such as en."),
        ("--about", "A sentence that says what the model is for."),
        ("--name", "Name of the model; that of its folder if not given."),
    ):
        command = option(name, group="Model card", default="", metavar="TEXT", help=help)(command)
    return command


@options.command(
    "train",
    examples="""
  caesura train PauseModel --train calls/ --dev held-out/ --output pauses
  caesura train PauseModel --train calls/ --dev held-out/ --output pauses \\
      --tune step=0.05,0.1,0.2 --tune smooth=1,10,100 --goal ser
  caesura train LM --train calls/ --dev held-out/ --tune order=2,3,4 \\
      --text speeches.txt --text-format turns --output words
  caesura train Encoder --base my-bert/ --train transcripts/ --dev held-out/ \\
      --output my-model
  caesura train Tagger --train train.conllu --dev dev.conllu --output tagger
  caesura train Margins --train train.bio --dev dev.bio --output names
  caesura train Margins --train references/ --format "nlp(entities='both')" \\
      --entity-classes wer_tags/ --output names""",
    after="Training takes seconds to minutes, that of an Encoder hours. If it is interrupted "
    "nothing is written, and it starts again from the beginning.",
)
@click.argument(
    "learner", shell_complete=options.complete_names("detector", "tagger", "entity-model")
)
@options.input_option(
    "--train",
    multiple=True,
    required=True,
    help="Transcripts with sentences to train on. Repeat it for several.",
)
@options.input_option(
    "--dev",
    multiple=True,
    help="Other transcripts of the same kind, to tune on. Repeat it for several.",
)
@options.input_option(
    "--text",
    multiple=True,
    help="More text with sentences, of other kinds, for detectors that learn from words.",
)
@options.format
@options.format_option("--text-format", "Format of --text, if it is another than --format.")
@options.entity_classes
@option(
    "--base",
    default="",
    metavar="DIR",
    help="Folder of a pretrained encoder in the form of Hugging Face, which an Encoder starts "
    "from.",
)
@option(
    "--normalize",
    default="none",
    show_default=True,
    metavar="STEPS",
    help="Steps before training and tuning, joined with +, as in case+dots+punctuation.",
)
@option(
    "--tune",
    multiple=True,
    metavar="SETTING=VALUES",
    help="Try values of a setting, as in weight=0.5:2:0.5, order=2,3 or lm.order=2,3 for the "
    "detector inside. Repeat it to tune several settings: all combinations are tried. "
    "The bias needs no tuning: the best one is always chosen.",
)
@option(
    "--goal",
    type=click.Choice(["f1", "ser"]),
    default="f1",
    show_default=True,
    help="What to tune for: the highest F1 or the lowest slot error rate. A tagger is tuned for "
    "accuracy, an entity model for F1.",
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
@card_options
def command(output: str, json: bool, **asked: Any) -> None:
    """Train a LEARNER on transcripts whose sentences are known, and write it as a model.

    A LEARNER is a detector, a tagger or an entity model, with settings in brackets if you like.
    Development recordings (--dev), which it is not trained on, choose its settings. A tagger
    is trained on transcripts whose words have tags, and tuned for accuracy; an entity model is
    trained on transcripts with entities, and tuned for their F1.
    """
    import caesura

    if asked["tune"] and not asked["dev"]:
        raise click.UsageError("--tune needs recordings to tune on: --dev PATH")
    training = caesura.train(output=output, **asked)
    if json:
        options.print_json({**training.to_json(), "model": output})
        return
    if training.curve:
        click.echo(curve(training))
    logging.getLogger("caesura.training").info("the model is in %s", output)


def curve(training: Training) -> str:
    """Lay out the scores of all settings that were tried, and mark the best."""
    from caesura.evaluation.reports.render import plain_table
    from caesura.evaluation.reports.table import Table, format_number

    names, rates = tuple(training.curve[0].settings), tuple(training.curve[0].scores)
    biased = any(row.bias is not None for row in training.curve)
    several = len(training.curve) > 1
    rows = []
    for place, row in enumerate(training.curve):
        scores = [format_number(row.scores[name]) for name in rates]
        bias = ["–" if row.bias is None else format_number(row.bias, 2)] * biased
        choice = ["best" if place == training.best else ""] * several
        rows.append((*(str(row.settings[name]) for name in names), *scores, *bias, *choice))
    title = f"{training.detector.name} on the development recordings, tuned for {training.goal}"
    head = (*names, *rates, *["bias"] * biased, *["choice"] * several)
    return plain_table(Table(title, head, tuple(rows), labels=len(names)))
