"""Training a tagger: its settings are chosen by the share of words that it tags right."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from caesura.core.config import Trainable
from caesura.core.errors import LayerError
from caesura.core.protocols import EntityModel, WordTagger
from caesura.core.transcript import Transcript
from caesura.core.values import Value, ratio
from caesura.detectors.tagging.entity_classes import entity_labels
from caesura.text.normalization.steps import punctuation, standing
from caesura.training.data import PURPOSES, counted
from caesura.training.search import Tries

GOAL = "f1"

logger = logging.getLogger("caesura.training")


class EntityModelTries(Tries):
    """Combinations of settings of an entity model."""

    goals = (GOAL,)
    sought = "names"

    def usable(self, *parts: Sequence[Transcript]) -> list[list[Transcript]]:
        """Leave out recordings without words; refuse those without entities, but for text.

        Text without entities may have tags for a tagger to learn from.
        """
        found = [[each for each in part if len(each)] for part in parts]
        for part, name in zip(found, PURPOSES, strict=True):
            bare = [each.id or "unnamed" for each in part if each.entities is None]
            if bare and name != "text":
                raise LayerError(
                    f"of {counted(len(part), 'recordings')} {PURPOSES[name]} {len(bare)} "
                    f"{'has' if len(bare) == 1 else 'have'} no entities, such as {bare[0]}",
                    remedy="give text with entities, such as columns in bio",
                )
        _tell_unnamed(found)
        return found

    def scores(self, detector: EntityModel, dev: Sequence[Transcript]) -> dict[str, Value]:
        """Score an entity model on development recordings."""
        return labelled(detector, dev)


def _tell_unnamed(parts: Sequence[Sequence[Transcript]]) -> None:
    """Warn of entities that have no class, and say how those of Rev's transcripts get theirs."""
    spans = (span for part in parts for each in part for span in each.entities or ())
    count = sum(not span.label for span in spans)
    if count:
        logger.warning(
            "%s no class and %s left out: those of Rev's transcripts are named in files "
            "beside them, as in --entity-classes wer_tags/",
            f"{count:,} {'entity has' if count == 1 else 'entities have'}",
            "is" if count == 1 else "are",
        )


def labelled(entity_model: EntityModel, texts: Sequence[Transcript]) -> dict[str, Value]:
    """Score the likeliest labels of words: where names start, where they end, what is inside.

    Precision, recall and F1 are of labels that are names, of all three together; `log_loss` is
    the mean over words and models. Classes that the entity model does not know are no names.
    """
    heard = [punctuation(each) for each in texts]
    right = said = real = words = 0
    loss = 0.0
    for each, found in zip(heard, entity_model.probabilities_all(heard), strict=True):
        for labels, shares in zip(
            entity_labels(each, entity_model.classes), found[1:], strict=True
        ):
            best = shares.argmax(axis=1)
            right += int(((best == labels) & (labels > 0)).sum())
            said, real = said + int((best > 0).sum()), real + int((labels > 0).sum())
            words += len(labels)
            loss -= float(np.log(shares[np.arange(len(labels)), labels]).sum())
    return {
        "precision": ratio(right, said, "no word is labelled as a name"),
        "recall": ratio(right, real, "no word belongs to a name"),
        "f1": ratio(2 * right, said + real, "there are no names"),
        "log_loss": ratio(loss, words, "there are no words"),
    }


ACCURACY = "accuracy"


def tries(learner: Trainable, tune: str | Sequence[str], goal: str) -> Tries:
    """Give the tries of a detector, or of a tagger or entity model, which has one goal only."""
    if isinstance(learner, WordTagger):
        return TaggerTries(learner, tune, ACCURACY)
    if isinstance(learner, EntityModel):
        return EntityModelTries(learner, tune, GOAL)
    return Tries(learner, tune, goal)


class TaggerTries(Tries):
    """Combinations of settings of a tagger."""

    goals = (ACCURACY,)

    def usable(self, *parts: Sequence[Transcript]) -> list[list[Transcript]]:
        """Leave out recordings without words; refuse those without tags."""
        found = [[each for each in part if len(each)] for part in parts]
        for part, name in zip(found, PURPOSES, strict=True):
            bare = [each.id or "unnamed" for each in part if each.tag is None]
            if bare:
                raise LayerError(
                    f"of {counted(len(part), 'recordings')} {PURPOSES[name]} {len(bare)} "
                    f"{'has' if len(bare) == 1 else 'have'} no tags, such as {bare[0]}",
                    remedy="give text with parts of speech, such as a treebank in conllu",
                )
        return found

    def scores(self, detector: WordTagger, dev: Sequence[Transcript]) -> dict[str, Value]:
        """Score a tagger on development recordings."""
        return {ACCURACY: accuracy(detector.tag_all(dev), dev)}


def accuracy(found: Sequence[Transcript], real: Sequence[Transcript]) -> Value:
    """Give the share of words that are tagged right, of those that have a tag; without PUNCT."""
    right = count = 0
    for one, other in zip(found, real, strict=True):
        rows = zip(one.tag or (), other.tag or (), standing(other).tolist(), strict=True)
        pairs = [(guess, tag) for guess, tag, alone in rows if tag and not alone]
        right += sum(guess == tag for guess, tag in pairs)
        count += len(pairs)
    return ratio(right, count, "no word has a tag")
