"""Train a detector, a tagger or an entity model on files, and write it as a model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from caesura.core import registry
from caesura.core.config import Trainable
from caesura.core.errors import OutputError
from caesura.core.protocols import Format
from caesura.evaluation.evaluate import normalization_steps
from caesura.formats.inputs import Inputs, open_pooled
from caesura.formats.sidecars import EntityClasses, Paths
from caesura.models import store
from caesura.models.card import Card
from caesura.text.normalization.steps import describe
from caesura.training.data import Dataset, DatasetReader
from caesura.training.search import Training
from caesura.training.tasks import search_for


def train(
    learner: str | Trainable,
    *,
    train: Inputs,
    output: str | Path,
    dev: Inputs = (),
    text: Inputs = (),
    entity_classes: Paths = (),
    tune: str | Sequence[str] = (),
    goal: str = "f1",
    name: str = "",
    about: str = "",
    language: str = "",
    licence: str = "",
    format: str | Format | None = None,
    text_format: str | Format | None = None,
    normalize: str | Sequence[str] = "none",
) -> Training:
    """Train a detector on recordings whose sentences are known, and write it as a model.

    Settings (`tune='order=2,3'`; all combinations of several) and the bias are chosen by the
    `goal`, 'f1' or 'ser', on the recordings `dev`, which must be others. `text` has more sentences
    of other kinds. A tagger is trained on recordings with tags and tuned for accuracy, an entity
    model on recordings with entities, whose classes may be in sidecar files, `entity_classes`.
    `name`, `about`, `language` and `licence` go on the model's card.
    """
    untrained = registry.learner(learner) if isinstance(learner, str) else learner
    search, steps = search_for(untrained, tune, goal), normalization_steps(normalize)
    notes = f"words normalised before training: {describe(steps)}" if steps else ""
    check_output_folder(output)
    sidecars = EntityClasses(entity_classes)
    reader = DatasetReader(steps, sidecars.add)
    speech = reader.read("train", *open_pooled(train, format))
    held_out = reader.read("dev", *open_pooled(dev, format))
    more = reader.read("text", *open_pooled(text, text_format, format))
    sidecars.check_all_used()
    sidecars.warn_if_none_labelled()
    found = search.run(
        *([each for data in part for each in data.recordings] for part in (speech, held_out, more))
    )
    card = Card(name=name, about=about, language=language, licence=licence, notes=notes)
    write_model(output, found, [*speech, *held_out, *more], card)
    return found


def check_output_folder(output: str | Path) -> None:
    """Raise an error, before any work is done, if a model cannot be written there."""
    store.refuse_others(Path(output))
    above = next(each for each in Path(output).absolute().parents if each.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise OutputError("cannot be written", where=str(output), remedy="name another folder")


def write_model(
    output: str | Path, training: Training, datasets: Sequence[Dataset], card: Card
) -> Path:
    """Write the model with a card that says what it was trained on, and its scores."""
    complete = replace(
        card,
        notes=" ".join(note for note in (card.notes, training.detector.describe()) if note),
        data=tuple(each.summary() for each in datasets),
        scores={"goal": training.goal, **training.scores} if training.scores else {},
        curve=tuple(point.to_json() for point in training.curve),
    )
    return store.save(output, training.detector, complete)
