"""How likely named entities start, end and go on at each word: the model that ATENE rests on.

`Margins` is trained as three models of the linear classifier over the features of Ben Jannet et
al. Words are seen as a recogniser writes them: in lower case, without punctuation, each digit a
0. Texts run on over the ends of sentences, which recogniser output does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.config import ModelBacked, check_integer, check_number
from caesura.core.errors import LayerError
from caesura.core.protocols import EntityModel, EntityProbabilities, WordTagger
from caesura.core.transcript import Span, Transcript, batches
from caesura.detectors.tagging.linear import (
    AFFIXES,
    LinearModel,
    TrainingExamples,
    WordFeatures,
    affix_hashes,
    label_problem,
    logger,
)
from caesura.ml import maxent
from caesura.ml.features import Template, hash_spelling, summed_keys
from caesura.text.entity_projection import SPELLING_CLASSES, drop_overlaps
from caesura.text.normalization.steps import punctuation
from caesura.text.punctuation import strip_punctuation

SYNONYMS = {
    "PER": "person people pers psn",
    "LOC": "location geo-loc geoloc place",
    "ORG": "organization organisation",
    "MISC": "miscellaneous",
}
"""Other names of the classes that most corpora have, in lower case."""

SUBCLASSES = {
    "LOC": "gpe fac facility",
    "ORG": "corporation company group",
    "MISC": "norp product event work_of_art creative-work law language",
}
"""Classes that some corpora have of their own, and others count among these."""

CLASS_OF_SYNONYM = {
    synonym: name
    for name, synonyms in SYNONYMS.items()
    for synonym in (name.lower(), *synonyms.split())
}
CLASS_OF_ANY = CLASS_OF_SYNONYM | {
    narrow: name for name, names in SUBCLASSES.items() for narrow in names.split()
}
"""The usual class of each synonym, and of each synonym and subclass; in lower case."""


def matching_class(label: str, classes: Sequence[str]) -> str | None:
    """Return the one of `classes` that a label means: itself, a synonym, or a wider class."""
    if label in classes:
        return label
    for table in (CLASS_OF_SYNONYM, CLASS_OF_ANY):
        usual = table.get(label.lower())
        for name in classes:
            if usual and table.get(name.lower()) == usual:
                return name
    return None


def distinct_classes(labels: Iterable[str]) -> Strings:
    """Return the classes that can be trained on entities with these labels, in order.

    Empty labels and those that tell of spelling are left out. Synonyms are one class, called by
    the first of them. Classes that a corpus keeps apart, such as GPE and LOC, stay apart.
    """
    found: dict[str, str] = {}
    for label in sorted(set(labels) - {"", *SPELLING_CLASSES}):
        found.setdefault(CLASS_OF_SYNONYM.get(label.lower(), label), label)
    return tuple(found.values())


def training_classes(texts: Sequence[Transcript], count: int) -> Strings:
    """Return the classes of the entities in texts, which are some of `count` recordings."""
    labels = {span.label for each in texts for span in each.entities or ()}
    classes = distinct_classes(labels)
    if not classes:
        raise LayerError(
            f"none of {count} recordings has entities with a class",
            remedy="train on text with entities, such as columns in bio",
        )
    if problem := label_problem(classes, "classes"):
        raise LayerError(problem, remedy="are these the names of classes?")
    left_out = [label or "unnamed" for label in labels if matching_class(label, classes) is None]
    if left_out:
        logger.info("  left out: %s", ", ".join(sorted(left_out)))
    return classes


def entities_of_classes(transcript: Transcript, classes: Sequence[str]) -> tuple[Span, ...]:
    """Return the entities of the given classes, labelled with these, without overlaps."""
    matched = [(span, matching_class(span.label, classes)) for span in transcript.entities or ()]
    return drop_overlaps(span._replace(label=label) for span, label in matched if label is not None)


def entity_labels(transcript: Transcript, classes: Strings) -> tuple[Indices, Indices, Indices]:
    """Number the class that begins at each word, that ends there, and that it is inside.

    Classes are numbered from 1; 0 is no entity.
    """
    start, end, inside = (np.zeros(len(transcript), np.int64) for _ in range(3))
    for span in entities_of_classes(transcript, classes):
        number = classes.index(span.label) + 1
        start[span.first] = end[span.last] = number
        inside[span.first : span.last + 1] = number
    return start, end, inside


AT_ONCE = 1 << 16
"""Words that are looked at at a time."""

CAPITAL = "capital"
COLUMNS = {name: at for at, name in enumerate(("word", *AFFIXES, CAPITAL))}
"""What is hashed of each word."""

OUTSIDE_HASHES = (0,) * len(COLUMNS)

FAR, NEAR = (-2, -1, 0, 1, 2), (-1, 0, 1)
"""Offsets at which words are looked at, and everything else."""

SINGLE: tuple[Template, ...] = tuple(
    ((name, at),) for at in FAR for name in (COLUMNS if at in NEAR else ("word",))
)
"""Features of one word alone, by its offset."""

CONTEXT: tuple[Template, ...] = (
    (),
    *((("word", at), ("word", at + 1)) for at in FAR[:-1]),
    *((("tag", at),) for at in NEAR),
    *((("tag", at), ("tag", at + 1)) for at in NEAR[:-1]),
)
"""A feature of all words, pairs of words, and tags."""

TEMPLATES = (*CONTEXT, *SINGLE)

MODELS = ("starts", "ends", "goes on")
"""What each of the three models says of a named entity at a word."""

ROUGH = maxent.Search(steps=12, gain=1e-4, rescale=0.02)
FINE = maxent.Search(steps=40, gain=1e-5, rescale=0.02)
"""Searches that rank features, and that fit the weights of those that are kept."""

_DIGIT = re.compile(r"\d")
_CLITIC = re.compile(r"(?<=[\w.])['’].*")


@lru_cache(maxsize=1 << 17)
def _hash_word(word: str) -> list[int]:
    """Hash a word, its prefixes and suffixes, and its capitals; 0 is a missing one."""
    seen = spelt(word)
    return [
        hash_spelling(seen),
        *affix_hashes(seen, len(seen)),
        hash_spelling(capitalisation(word)),
    ]


@lru_cache(maxsize=1 << 12)
def _hash_tag(tag: str) -> int:
    return hash_spelling(tag)


def spelt(word: str) -> str:
    """Return a word as the model sees it."""
    return _DIGIT.sub("0", strip_punctuation(word).lower().replace("’", "'").rstrip("."))


def capitalisation(word: str) -> str:
    """Return how a word is written: lower, Title (`It's`, `I`), UPPER (`U.S.`), mixed or digit."""
    if _DIGIT.search(word):
        return "digit"
    if word == word.lower():
        return "lower"
    stem = _CLITIC.sub("", word)
    whole, letters = ("".join(filter(str.isalpha, text)) for text in (word, stem))
    if any(text.isupper() and len(text) > 1 for text in (whole, letters)):
        return "UPPER"
    return "Title" if stem.istitle() or letters == letters.capitalize() else "mixed"


class MarginsModel(LinearModel):
    """The weights of the three models, side by side; their labels are none and the classes."""

    title = "entity model"
    labels_array = "classes"
    precision = np.float64

    @classmethod
    def columns_for(cls, labels: int) -> int:
        """Return how many weights each feature has if there are so many classes."""
        return len(MODELS) * (labels + 1)

    def probabilities(self, words: WordFeatures) -> EntityProbabilities:
        """Return the probabilities of the labels of each word."""
        scores = self.scores(words, SINGLE, CONTEXT)
        parts = scores.reshape(len(scores), len(MODELS), len(self.labels) + 1)
        start, end, inside = (
            np.exp(maxent.log_softmax(parts[:, model])) for model in range(len(MODELS))
        )
        return EntityProbabilities(self.labels, start, end, inside)


def train_model(
    words: WordFeatures,
    labels: Sequence[Indices],
    classes: Strings,
    size: int,
    cutoff: int,
    ridge: float,
) -> MarginsModel:
    """Train the three models on words whose labels are numbered, for each model in turn."""
    named = {f"where a name {event}": array for event, array in zip(MODELS, labels, strict=True)}
    examples = TrainingExamples.of(
        words.keys(TEMPLATES), named, len(classes) + 1, cutoff, ridge, frequent_first=True
    )
    count = len(examples.keys)
    logger.info("  %s words, %s features", f"{len(words.positions):,}", f"{count:,}")
    if size and count > size:
        examples = examples.strongest(size, _importance)
        logger.info("  %s of them are kept", f"{size:,}")
    return MarginsModel.quantised(classes, examples.keys, examples.fit(FINE))


def _importance(examples: TrainingExamples) -> Floats:
    """Rank features by how far a rough fit tells labels apart and by how often they occur."""
    weights = examples.fit(ROUGH).reshape(-1, len(MODELS), examples.count)
    found: Floats = np.sqrt(examples.frequency) * np.ptp(weights, axis=2).max(axis=1)
    return found


@dataclass(frozen=True, repr=False)
class Margins(ModelBacked[MarginsModel], EntityModel):
    """Maximum-entropy models of where a named entity of each class starts, ends and goes on.

    Words and pairs of words are looked at up to two places away, and one place away, if asked
    for, `affixes` (prefixes and suffixes of 1 to 4 letters), parts of speech, which the
    `tagger` gives to all texts alike, and `capitals`. Words are seen in lower case, without
    punctuation, each digit a 0, over the ends of sentences. Features seen fewer than `cutoff`
    times in training are left out, and unless `size` is 0 only that many of the most important
    are kept; `ridge` keeps weights small.
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
        check_integer("cutoff", self.cutoff, 1, 1 << 31)
        check_number("ridge", self.ridge, 1e-6, 1e6)
        check_integer("size", self.size, 0, 1 << 31)

    @property
    def classes(self) -> Strings:
        """The classes of named entities that are known."""
        return self.model.labels

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - there is nothing to tune
        text: Sequence[Transcript] = (),
    ) -> Margins:
        """Train on all texts with entities; of entities that overlap the longest counts.

        Entities without a class, or of a class that tells of spelling, count as none, and
        synonyms of a class (PER, PERSON, person) are one class. A tagger that is not trained yet
        is trained on the texts that have tags.
        """
        texts = [*train, *text]
        examples = [punctuation(each) for each in texts if each.entities is not None]
        classes = training_classes(examples, len(texts))
        prepared = self._with_trained_tagger(texts)
        labels = zip(*(entity_labels(each, classes) for each in examples), strict=True)
        model = train_model(
            prepared._features(examples),
            [np.concatenate(parts) for parts in labels],
            classes,
            self.size,
            self.cutoff,
            self.ridge,
        )
        return prepared.with_model(model)

    def probabilities_all(self, transcripts: Sequence[Transcript]) -> list[EntityProbabilities]:
        """Return the probabilities of labels at each word of texts."""
        return [
            found
            for batch in batches(transcripts, AT_ONCE)
            for found in self._batch_probabilities(batch)
        ]

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return keys, weights and classes, and the state of the tagger."""
        tagger = {} if self.tagger is None else self.tagger.state()
        return {**self.model.arrays(), **{f"tagger.{key}": a for key, a in tagger.items()}}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Margins:
        """Return the same model with stored keys, weights and classes."""
        if self.tagger is None:
            return self.with_model(MarginsModel.of(state))
        own = {key: array for key, array in state.items() if not key.startswith("tagger.")}
        rest = {key.removeprefix("tagger."): state[key] for key in state.keys() - own.keys()}
        tagger = self.tagger.from_state(rest)
        return self.adjusted(tagger=tagger).with_model(MarginsModel.of(own))

    def describe(self) -> str:
        """Name the classes."""
        return f"classes: {' '.join(self.classes)}"

    def _with_trained_tagger(self, texts: Sequence[Transcript]) -> Margins:
        tagger: object = self.tagger
        if isinstance(tagger, ModelBacked) and not tagger.is_trained:
            return self.adjusted(tagger=tagger.train(texts))
        return self

    def _features(self, texts: Sequence[Transcript]) -> WordFeatures:
        skipped = {*(() if self.affixes else AFFIXES), *(() if self.capitals else (CAPITAL,))}
        columns = {name: at for name, at in COLUMNS.items() if name not in skipped}
        words = WordFeatures.of(
            [each.words for each in texts], columns, _hash_word, OUTSIDE_HASHES, summed_keys
        )
        if self.tagger is None:
            return words
        tagged = self.tagger.tag_all([each.replace(tag=None, subtag=None) for each in texts])
        tags = [_hash_tag(tag) for each in tagged for tag in each.tag or ()]
        return words.with_tags(np.array(tags, np.uint64), outside=0)

    def _batch_probabilities(self, texts: Sequence[Transcript]) -> Iterator[EntityProbabilities]:
        found = self.model.probabilities(self._features(texts))
        first = 0
        for each in texts:
            here = slice(first, first + len(each))
            first += len(each)
            yield EntityProbabilities(
                found.classes, found.start[here], found.end[here], found.inside[here]
            )
