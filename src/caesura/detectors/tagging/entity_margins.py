"""How likely names start, end and go on at each word: the models that ATENE rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Strings
from caesura.core.config import ModelBacked, between, whole
from caesura.core.errors import LayerError
from caesura.core.protocols import EntityModel, EntityProbabilities, WordTagger
from caesura.core.transcript import Transcript, batches
from caesura.detectors.tagging.entity_classes import called, learnable, numbered
from caesura.detectors.tagging.entity_features import Clues
from caesura.detectors.tagging.entity_trainer import Lessons, logger
from caesura.detectors.tagging.entity_weights import Weighed, unfit
from caesura.text.normalization.steps import punctuation

AT_ONCE = 1 << 16
"""Words that are looked at at a time."""


@dataclass(frozen=True, repr=False)
class Margins(ModelBacked[Weighed], EntityModel):
    """Maximum-entropy models of where a name of each class starts, ends and goes on.

    Words and pairs of words are looked at up to two places away, and one place away, if asked
    for, `affixes` (prefixes and suffixes of 1 to 4 letters), parts of speech, which the
    `tagger` gives to all texts alike, and `capitals`. Words are seen in lower case, without
    punctuation, each digit a 0, over the ends of sentences. Clues seen fewer than `cutoff` times
    in training are left out, and unless `size` is 0 so many that matter most are kept; `ridge`
    holds weights back.
    """

    affixes: bool = True
    capitals: bool = False
    tagger: WordTagger | None = None
    cutoff: int = 2
    ridge: float = 1.0
    size: int = 0

    name = "Margins"
    needs: ClassVar = {"scipy": "scipy"}
    retrain_settings: ClassVar[frozenset[str]] = frozenset(
        {"affixes", "capitals", "tagger", "cutoff", "ridge", "size"}
    )

    def __post_init__(self) -> None:
        for name in ("affixes", "capitals"):
            if type(getattr(self, name)) is not bool:
                raise ValueError(f"{name} is True or False, not {getattr(self, name)!r}")
        if self.tagger is not None and not isinstance(self.tagger, WordTagger):
            raise ValueError(f"tagger is Tagger(), Tagged('FOLDER') or None, not {self.tagger!r}")
        whole("cutoff", self.cutoff, 1, 1 << 31)
        between("ridge", self.ridge, 1e-6, 1e6)
        whole("size", self.size, 0, 1 << 31)

    @property
    def classes(self) -> Strings:
        """The classes of names that are known."""
        return self.model.classes

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - there is nothing to tune
        text: Sequence[Transcript] = (),
    ) -> Margins:
        """Learn from all texts whose names are known; of names that overlap the longest counts.

        Names without a class, or of a class that tells of spelling, are none, and other names of
        a class (PER, PERSON, person) are one class. A tagger that has not learnt yet learns from
        the texts that have tags.
        """
        texts = [*train, *text]
        named = [punctuation(each) for each in texts if each.entities is not None]
        classes = _classes(named, len(texts))
        taught = self._with_tagger(texts)
        labels = zip(*(numbered(each, classes) for each in named), strict=True)
        lessons = Lessons(
            taught._clues(named),
            [np.concatenate(each) for each in labels],
            classes,
            self.cutoff,
            self.ridge,
            self.size,
        )
        return taught.with_model(lessons.state())

    def probabilities_all(self, transcripts: Sequence[Transcript]) -> list[EntityProbabilities]:
        """Give the probabilities of labels at each word of texts."""
        return [each for batch in batches(transcripts, AT_ONCE) for each in self._likely(batch)]

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Give keys, weights and classes, and what the tagger has learnt."""
        tagger = {} if self.tagger is None else self.tagger.state()
        return {**self.model.arrays(), **{f"tagger.{key}": a for key, a in tagger.items()}}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Margins:
        """Give the same with keys, weights and classes that were learnt before."""
        if self.tagger is None:
            return self.with_model(Weighed.of(state))
        own = {key: array for key, array in state.items() if not key.startswith("tagger.")}
        rest = {key.removeprefix("tagger."): state[key] for key in state.keys() - own.keys()}
        taught = self.tagger.from_state(rest)
        return self.adjusted(tagger=taught).with_model(Weighed.of(own))

    def describe(self) -> str:
        """Name the classes."""
        return f"classes: {' '.join(self.classes)}"

    def _with_tagger(self, texts: Sequence[Transcript]) -> Margins:
        taggers = [] if self.tagger is None else [self.tagger]
        learning = [
            each for each in taggers if isinstance(each, ModelBacked) and not each.is_trained
        ]
        return self.adjusted(tagger=learning[0].train(texts)) if learning else self

    def _clues(self, texts: Sequence[Transcript]) -> Clues:
        if self.tagger is not None:
            bare = [each.replace(tag=None, subtag=None) for each in texts]
            texts = self.tagger.tag_all(bare)
        return Clues.of(texts, self.affixes, self.capitals, self.tagger is not None)

    def _likely(self, texts: Sequence[Transcript]) -> Iterator[EntityProbabilities]:
        found = self.model.probabilities(self._clues(texts))
        first = 0
        for each in texts:
            here = slice(first, first + len(each))
            first += len(each)
            yield EntityProbabilities(
                found.classes, found.start[here], found.end[here], found.inside[here]
            )


def _classes(texts: Sequence[Transcript], count: int) -> Strings:
    """Find the classes to learn, or say why there are none of so many recordings."""
    labels = {span.label for each in texts for span in each.entities or ()}
    classes = learnable(labels)
    if not classes:
        raise LayerError(
            f"none of {count} recordings has names with a class",
            remedy="train on text with entities, such as columns in bio",
        )
    if unfit(classes):
        raise LayerError(unfit(classes), remedy="are these the names of classes?")
    left = sorted(label or "unnamed" for label in labels if called(label, classes) is None)
    if left:
        logger.info("  left out: %s", ", ".join(left))
    return classes
