"""Train a detector, a tagger or an entity model on files, and write it as a model.

`train` is what `caesura train` calls; before it stands what differs between the three: which
data each needs, and how it is scored on the development set.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from caesura.core import registry
from caesura.core.config import Trainable
from caesura.core.errors import OutputError, UnknownName
from caesura.core.protocols import EntityModel, Format, WordTagger
from caesura.core.transcript import Transcript
from caesura.core.values import Value, ratio
from caesura.detectors.tagging.entity_model import entity_labels
from caesura.evaluation.evaluate import normalization_steps
from caesura.formats.files import Inputs, open_pooled
from caesura.formats.sidecars import EntityClasses, Paths
from caesura.models import store
from caesura.models.store import Card
from caesura.text.normalization.steps import describe, punctuation
from caesura.text.punctuation import punctuation_flags
from caesura.training.data import PURPOSES, Dataset, DatasetReader, check_layer
from caesura.training.search import SettingSearch, Training

ACCURACY = "accuracy"
F1 = "f1"

logger = logging.getLogger("caesura.training")


def search_for(learner: Trainable, tune: str | Sequence[str], goal: str) -> SettingSearch:
    """Return the search for a kind of learner; a tagger or entity model has one goal only."""
    if isinstance(learner, WordTagger):
        return TaggerSearch(learner, tune, ACCURACY)
    if isinstance(learner, EntityModel):
        return EntityModelSearch(learner, tune, F1)
    return SettingSearch(learner, tune, goal)


class TaggerSearch(SettingSearch):
    """Search for the settings of a tagger with the best accuracy."""

    goals = (ACCURACY,)

    def check(self, *parts: Sequence[Transcript]) -> list[list[Transcript]]:
        """Leave out recordings without words; refuse those without tags."""
        spoken = [[transcript for transcript in part if len(transcript)] for part in parts]
        for part, purpose in zip(spoken, PURPOSES, strict=True):
            remedy = "give text with parts of speech, such as a treebank in conllu"
            check_layer(part, purpose, "tag", "tags", remedy)
        return spoken

    def scores(self, detector: WordTagger, dev: Sequence[Transcript]) -> dict[str, Value]:
        """Score a tagger on development recordings."""
        return {ACCURACY: tag_accuracy(detector.tag_all(dev), dev)}


class EntityModelSearch(SettingSearch):
    """Search for the settings of an entity model with the best F1."""

    goals = (F1,)
    sought = "names"

    def check(self, *parts: Sequence[Transcript]) -> list[list[Transcript]]:
        """Leave out recordings without words; refuse those without entities.

        More text may lack entities: it can have tags to train a tagger on.
        """
        spoken = [[transcript for transcript in part if len(transcript)] for part in parts]
        for part, purpose in zip(spoken, PURPOSES, strict=True):
            if purpose != "text":
                remedy = "give text with entities, such as columns in bio"
                check_layer(part, purpose, "entities", "entities", remedy)
        _warn_of_unlabelled(spoken)
        return spoken

    def scores(self, detector: EntityModel, dev: Sequence[Transcript]) -> dict[str, Value]:
        """Score an entity model on development recordings."""
        return score_entity_model(detector, dev)


def _warn_of_unlabelled(parts: Sequence[Sequence[Transcript]]) -> None:
    """Warn of entities without a class, and say where Rev's transcripts have theirs."""
    spans = (span for part in parts for transcript in part for span in transcript.entities or ())
    count = sum(not span.label for span in spans)
    if count:
        logger.warning(
            "%s no class and %s left out: those of Rev's transcripts are named in files "
            "beside them, as in --entity-classes wer_tags/",
            f"{count:,} {'entity has' if count == 1 else 'entities have'}",
            "is" if count == 1 else "are",
        )


def tag_accuracy(predicted: Sequence[Transcript], reference: Sequence[Transcript]) -> Value:
    """Return the share of words tagged right, of those with a tag that are no punctuation."""
    right = count = 0
    for ours, theirs in zip(predicted, reference, strict=True):
        rows = zip(
            ours.tag or (), theirs.tag or (), punctuation_flags(theirs).tolist(), strict=True
        )
        pairs = [
            (predicted_tag, tag) for predicted_tag, tag, is_mark in rows if tag and not is_mark
        ]
        right += sum(predicted_tag == tag for predicted_tag, tag in pairs)
        count += len(pairs)
    return ratio(right, count, "no word has a tag")


def score_entity_model(entity_model: EntityModel, texts: Sequence[Transcript]) -> dict[str, Value]:
    """Score the likeliest labels of words: where names start, where they end, what is inside.

    Precision, recall and F1 are of labels that are names, of all three together; `log_loss` is
    the mean over words and models. Classes that the entity model does not know are no names.
    """
    spoken = [punctuation(transcript) for transcript in texts]
    right = labelled = real = words = 0
    loss = 0.0
    for transcript, predicted in zip(spoken, entity_model.probabilities_all(spoken), strict=True):
        labels_of_models = entity_labels(transcript, entity_model.classes)
        for labels, probabilities in zip(labels_of_models, predicted[1:], strict=True):
            best = probabilities.argmax(axis=1)
            right += int(((best == labels) & (labels > 0)).sum())
            labelled, real = labelled + int((best > 0).sum()), real + int((labels > 0).sum())
            words += len(labels)
            loss -= float(np.log(probabilities[np.arange(len(labels)), labels]).sum())
    return {
        "precision": ratio(right, labelled, "no word is labelled as a name"),
        "recall": ratio(right, real, "no word belongs to a name"),
        "f1": ratio(2 * right, labelled + real, "there are no names"),
        "log_loss": ratio(loss, words, "there are no words"),
    }


def train(
    learner: str | Trainable,
    *,
    train: Inputs,
    output: str | Path,
    dev: Inputs = (),
    text: Inputs = (),
    entity_classes: Paths = (),
    base: str | Path = "",
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
    `base` is the folder of a pretrained encoder that an `Encoder` starts from.
    `name`, `about`, `language` and `licence` go on the model's card.
    """
    registry.check_given(learner, *registry.LEARNERS)
    untrained = registry.learner(learner) if isinstance(learner, str) else learner
    if base:
        untrained = _with_base(untrained, str(base))
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
    training = search.run(
        *(
            [transcript for data in part for transcript in data.recordings]
            for part in (speech, held_out, more)
        )
    )
    card = Card(name=name, about=about, language=language, licence=licence, notes=notes)
    write_model(output, training, [*speech, *held_out, *more], card)
    return training


def _with_base(untrained: Trainable, base: str) -> Trainable:
    if "base" not in untrained.settings:
        raise UnknownName(f"{untrained.name} has no base to start from", remedy="train Encoder")
    return untrained.adjusted(base=base)


def check_output_folder(output: str | Path) -> None:
    """Raise an error, before any work is done, if a model cannot be written there."""
    store.check_replaceable(Path(output))
    above = next(folder for folder in Path(output).absolute().parents if folder.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise OutputError("cannot be written", where=str(output), remedy="name another folder")


def write_model(
    output: str | Path, training: Training, datasets: Sequence[Dataset], card: Card
) -> Path:
    """Write the model with a card that says what it was trained on, and its scores."""
    calibration = training.calibration
    measured = {} if calibration is None else calibration.scores()
    complete = replace(
        card,
        notes=" ".join(note for note in (card.notes, training.detector.describe()) if note),
        data=tuple(dataset.summary() for dataset in datasets),
        scores={"goal": training.goal, **training.scores, **measured} if training.scores else {},
        reliability=() if calibration is None else tuple(calibration.rows()),
        curve=tuple(point.to_json() for point in training.curve),
    )
    return store.save(output, training.detector, complete)
