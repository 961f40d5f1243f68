"""Training a tagger: its settings are chosen by the share of words that it tags right."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.contracts import Naming, Tagging, Trainable, Value, ratio
from caesura.errors import LayerError
from caesura.material import PURPOSES, counted
from caesura.naming import GOAL, NamerTries
from caesura.text.normalize import standing
from caesura.training import Tries
from caesura.transcript import Transcript

ACCURACY = "accuracy"


def tries(learner: Trainable, tune: str | Sequence[str], goal: str) -> Tries:
    """Give the tries of a detector, or of a tagger or namer, which has one goal only."""
    if isinstance(learner, Tagging):
        return TaggerTries(learner, tune, ACCURACY)
    if isinstance(learner, Naming):
        return NamerTries(learner, tune, GOAL)
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

    def scores(self, detector: Tagging, dev: Sequence[Transcript]) -> dict[str, Value]:
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
