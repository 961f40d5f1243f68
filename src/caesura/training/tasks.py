"""Training of taggers and entity models: what data they need, and how they are scored.

Detectors of sentence ends are the usual task, in `search.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from caesura.core.config import Trainable
from caesura.core.protocols import EntityModel, WordTagger
from caesura.core.transcript import Transcript
from caesura.core.values import Value, ratio
from caesura.detectors.tagging.entity_classes import entity_labels
from caesura.text.normalization.steps import punctuation
from caesura.text.punctuation import punctuation_flags
from caesura.training.data import PURPOSES, check_layer
from caesura.training.search import SettingSearch

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
        found = [[each for each in part if len(each)] for part in parts]
        for part, purpose in zip(found, PURPOSES, strict=True):
            remedy = "give text with parts of speech, such as a treebank in conllu"
            check_layer(part, purpose, "tag", "tags", remedy)
        return found

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
        found = [[each for each in part if len(each)] for part in parts]
        for part, purpose in zip(found, PURPOSES, strict=True):
            if purpose != "text":
                remedy = "give text with entities, such as columns in bio"
                check_layer(part, purpose, "entities", "entities", remedy)
        _warn_of_unlabelled(found)
        return found

    def scores(self, detector: EntityModel, dev: Sequence[Transcript]) -> dict[str, Value]:
        """Score an entity model on development recordings."""
        return score_entity_model(detector, dev)


def _warn_of_unlabelled(parts: Sequence[Sequence[Transcript]]) -> None:
    """Warn of entities without a class, and say where Rev's transcripts have theirs."""
    spans = (span for part in parts for each in part for span in each.entities or ())
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
        pairs = [(found, tag) for found, tag, is_mark in rows if tag and not is_mark]
        right += sum(found == tag for found, tag in pairs)
        count += len(pairs)
    return ratio(right, count, "no word has a tag")


def score_entity_model(entity_model: EntityModel, texts: Sequence[Transcript]) -> dict[str, Value]:
    """Score the likeliest labels of words: where names start, where they end, what is inside.

    Precision, recall and F1 are of labels that are names, of all three together; `log_loss` is
    the mean over words and models. Classes that the entity model does not know are no names.
    """
    spoken = [punctuation(each) for each in texts]
    right = found = real = words = 0
    loss = 0.0
    for each, predicted in zip(spoken, entity_model.probabilities_all(spoken), strict=True):
        labels_of_models = entity_labels(each, entity_model.classes)
        for labels, probabilities in zip(labels_of_models, predicted[1:], strict=True):
            best = probabilities.argmax(axis=1)
            right += int(((best == labels) & (labels > 0)).sum())
            found, real = found + int((best > 0).sum()), real + int((labels > 0).sum())
            words += len(labels)
            loss -= float(np.log(probabilities[np.arange(len(labels)), labels]).sum())
    return {
        "precision": ratio(right, found, "no word is labelled as a name"),
        "recall": ratio(right, real, "no word belongs to a name"),
        "f1": ratio(2 * right, found + real, "there are no names"),
        "log_loss": ratio(loss, words, "there are no words"),
    }
