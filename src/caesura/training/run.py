"""Detectors, taggers and entity models trained on files and written as models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from caesura.core import registry
from caesura.core.config import Trainable
from caesura.core.protocols import Format
from caesura.evaluation.plan import steps_of
from caesura.formats.inputs import Inputs, pooled
from caesura.formats.sidecars import EntityClasses, Paths
from caesura.models.card import Card
from caesura.text.normalization.steps import describe
from caesura.training.data import Gathering
from caesura.training.search import Training, keep, refuse_place
from caesura.training.tasks import tries as tries_of


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
    of other kinds. A tagger learns from recordings with tags, and is tuned for the share of words
    that it tags right, an entity model from recordings with entities, whose classes may be in
    sidecar files, `entity_classes`. The rest goes on the model's card.
    """
    asked = registry.learner(learner) if isinstance(learner, str) else learner
    tries, steps = tries_of(asked, tune, goal), steps_of(normalize)
    notes = f"words normalised before training: {describe(steps)}" if steps else ""
    refuse_place(output)
    sidecars = EntityClasses(entity_classes)
    gathering = Gathering(steps, sidecars.add)
    speech = gathering.take("train", *pooled(train, format))
    held_out = gathering.take("dev", *pooled(dev, format))
    more = gathering.take("text", *pooled(text, text_format, format))
    sidecars.check_all_used()
    sidecars.warn_if_none_labelled()
    found = tries.trained(
        *([t for m in part for t in m.recordings] for part in (speech, held_out, more))
    )
    card = Card(name=name, about=about, language=language, licence=licence, notes=notes)
    keep(output, found, [*speech, *held_out, *more], card)
    return found
