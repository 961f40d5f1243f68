"""Parts of speech of words as recognisers write them: lower case, no punctuation.

`Tagger` is trained in two stages of the linear classifier: the first looks at words, the second
also at the tags that the first predicts. `Tagged` is a stored tagger, named by its model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.config import ModelBacked, check_integer, check_number
from caesura.core.errors import LayerError, ModelError
from caesura.core.protocols import WordTagger
from caesura.core.transcript import Transcript, batches
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
from caesura.ml.features import Hashes, Keys, Plan, Template, hash_spelling, normalized_spelling
from caesura.models.store import find_folder, load, read_card
from caesura.text.punctuation import punctuation_flags

PUNCT = "PUNCT"

AT_ONCE = 1 << 17
"""Words that are tagged at a time."""

COLUMNS = {name: at for at, name in enumerate(("word", *AFFIXES, "shape"))}
"""What is hashed of each word."""

OUTSIDE_HASHES = (hash_spelling("\n"), *[0] * (len(COLUMNS) - 1))
OUTSIDE_TAG = 1

SINGLE: tuple[Template, ...] = tuple(
    ((name, at),)
    for at, names in (
        (0, tuple(COLUMNS)),
        (-2, ("word", "suffix3")),
        (-1, ("word", "suffix2", "suffix3", "prefix3")),
        (1, ("word", "suffix2", "suffix3", "prefix3")),
        (2, ("word", "suffix3")),
    )
    for name in names
)
"""Features of one word alone, by its offset."""

PAIRS: tuple[Template, ...] = ((("word", -1), ("word", 0)), (("word", 0), ("word", 1)))

FIRST_STAGE = (*SINGLE, *PAIRS)

SECOND_STAGE: tuple[Template, ...] = (
    (("tag", 0),),
    (("tag", -1),),
    (("tag", 1),),
    (("tag", -2), ("tag", -1)),
    (("tag", 1), ("tag", 2)),
    (("tag", -1), ("tag", 1)),
    (("tag", -1), ("tag", 0), ("tag", 1)),
    (("tag", -1), ("word", 0)),
    (("tag", 1), ("word", 0)),
    (("tag", -1), ("tag", 1), ("word", 0)),
    (("tag", -1), ("suffix2", 0)),
    (("tag", 1), ("suffix2", 0)),
    (("word", -1), ("tag", 0)),
    (("word", 1), ("tag", 0)),
)
"""Features that the second stage adds; tags are those that the first predicts."""

NUMBERS = {template: number for number, template in enumerate((*FIRST_STAGE, *SECOND_STAGE), 1)}
"""Numbers of templates, which stored keys depend on: never change their order."""

NO_KEY = -1

FOLDS = 2
"""Parts of the training words; each is tagged by weights from the others."""

ROUGH = maxent.Search(steps=25, gain=1e-4)
FINE = maxent.Search(steps=60, gain=1e-4)
"""Searches that rank features, and that fit the weights of those that are kept."""

CANDIDATES = 4
"""So many times the features to be kept are ranked by a rough fit."""

FIRST_STAGE_SHARE = 4
"""The first stage has so many times the features of the second."""

SECOND_STAGE_RIDGE = 10.0
"""How much larger the ridge of the second stage is, since predicted tags can be wrong."""


def word_features(recordings: Sequence[Sequence[str]]) -> WordFeatures:
    """Number and hash the words of recordings, as `spelt` gives them."""
    return WordFeatures.of(recordings, COLUMNS, _hash_word, OUTSIDE_HASHES, mixed_keys)


@lru_cache(maxsize=1 << 15)
def _hash_word(word: str) -> list[int]:
    """Hash a word, its prefixes and suffixes, which are shorter than the word, and its shape."""
    return [hash_spelling(word), *affix_hashes(word, len(word) - 1), hash_spelling(_shape(word))]


def _shape(word: str) -> str:
    """Tell digits, letters and what else is in a word, and whether it is short."""
    kinds = {"0" if c.isdigit() else "a" if c.isalpha() else c for c in word}
    return f"{''.join(sorted(kinds))} {min(len(word), 3)}"


def _with_tags(words: WordFeatures, scores: NDArray[Any]) -> WordFeatures:
    """Add the tags with the best scores; no number is 0, which would be a missing value."""
    return words.with_tags(scores.argmax(axis=1).astype(np.uint64) + 2, OUTSIDE_TAG)


def mixed_keys(plan: Plan, values: Hashes) -> Keys:
    """Mix the number of each template with the values of its parts, one after another.

    A template with a missing value has no key. Two features share a key once in 2^32 pairs,
    which is seldom enough for some ten thousand known ones.
    """
    first = values[plan.members[0]]
    key = _mixed(_seeds(plan.templates) ^ first)
    missing = first == 0
    for members in plan.members[1:]:
        longer = np.flatnonzero(members < len(plan.parts))
        value = values[members[longer]]
        key[longer] = _mixed(key[longer] ^ value)
        missing[longer] |= value == 0
    found = (key >> np.uint64(32)).astype(np.int64)
    found[missing] = NO_KEY
    return found


@lru_cache
def _seeds(templates: tuple[Template, ...]) -> Hashes:
    return _mixed(np.array([NUMBERS[template] for template in templates], np.uint64))[:, None]


def _mixed(numbers: Hashes) -> Hashes:
    """Spread numbers over all 64 bits (the last step of SplitMix64)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


class TaggerModel(LinearModel):
    """The weights of both stages together."""

    title = "tagger"
    labels_array = "tags"

    def tag_scores(self, words: WordFeatures) -> NDArray[Any]:
        """Score the tags of each word by words, and then by the best tags around it too."""
        first = self.scores(words, SINGLE, PAIRS)
        first += self.context_scores(_with_tags(words, first), SECOND_STAGE)
        return first


def train_model(
    words: WordFeatures, labels: Indices, tags: Strings, size: int, cutoff: int, ridge: float
) -> TaggerModel:
    """Train both stages on words whose tags are numbered, -1 for an unknown one.

    The second stage sees tags that were predicted for words which the first was not trained on,
    so that they are as often wrong as the tags of new text.
    """

    def examples(keys: Keys, size: int, ridge: float, offset: Floats | None) -> TrainingExamples:
        found = TrainingExamples.of(keys, {"": labels}, len(tags), cutoff, ridge, offset)
        return found.strongest(CANDIDATES * size, _information).strongest(size, _importance)

    first = examples(words.keys(FIRST_STAGE), size, ridge, None)
    logger.info("  by words: %s features", f"{len(first.keys):,}")
    weights = first.fit(FINE)
    predicted = _held_out_scores(first)
    second = examples(
        _with_tags(words, predicted).keys(SECOND_STAGE),
        size // FIRST_STAGE_SHARE,
        ridge * SECOND_STAGE_RIDGE,
        predicted,
    )
    logger.info("  by tags: %s features", f"{len(second.keys):,}")
    return TaggerModel.quantised(
        tags,
        np.concatenate([first.keys, second.keys]),
        np.concatenate([weights, second.fit(FINE)]),
    )


def _information(examples: TrainingExamples) -> Floats:
    """Return the nats that each feature, taken alone, tells of the tags of its words."""
    (labels,) = examples.labels.values()
    known = np.flatnonzero(labels >= 0)
    labels = labels[known]
    counts = examples.rows[known].T @ np.eye(examples.count)[labels]
    usual = np.bincount(labels, minlength=examples.count) / len(labels)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    found: Floats = (counts * np.log(np.where(counts > 0, share, usual) / usual)).sum(axis=1)
    return found


def _importance(examples: TrainingExamples) -> Floats:
    """Rank features by the largest weight of a rough fit and by how often they occur."""
    weights = examples.fit(ROUGH)
    found: Floats = np.sqrt(examples.frequency) * np.abs(weights).max(axis=1)
    return found


def _held_out_scores(examples: TrainingExamples) -> Floats:
    """Score the words of each fold by weights that were fitted on the other folds."""
    rows = examples.rows
    count = rows.shape[0]
    fold = np.arange(count) * FOLDS // max(count, 1)
    scores = np.zeros((count, examples.count))
    for part in range(FOLDS):
        scores[fold == part] = rows[fold == part] @ examples.fit(FINE, fold != part)
    return scores


@dataclass(frozen=True, repr=False)
class Tagger(ModelBacked[TaggerModel], WordTagger):
    """Part of speech of each word, from the word, its letters and its neighbours.

    Words are seen in lower case and without punctuation. A first stage goes by words up to two
    places away, and a second adds what the tags say that the first predicts. Of the features seen
    `cutoff` times in training the `size` most important are kept, and a quarter as many for the
    second stage; `ridge` keeps their weights small.
    """

    size: int = 19500
    cutoff: int = 2
    ridge: float = 0.5

    name = "Tagger"
    retrain_settings: ClassVar[frozenset[str]] = frozenset({"size", "cutoff", "ridge"})

    def __post_init__(self) -> None:
        check_integer("size", self.size, 1, 1_000_000)
        check_integer("cutoff", self.cutoff, 1, 1000)
        check_number("ridge", self.ridge, 1e-6, 1e6)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - there is nothing to tune
        text: Sequence[Transcript] = (),
    ) -> Tagger:
        """Train on all recordings that have tags; punctuation is left out.

        Sentences with tokens that are written as one word are used once more with that word, as
        a recogniser would write it: `don't` beside `do` and `n't`, with the first tag.
        """
        tagged = [each for each in (*train, *text) if each.tag is not None]
        examples = [
            *map(without_punctuation, tagged),
            *(sentence for each in tagged for sentence in multiword_sentences(each)),
        ]
        tags, labels = numbered_tags([each.tag for each in examples if each.tag is not None])
        if not tags:
            raise LayerError(
                f"none of {len(train) + len(text)} recordings has tags",
                remedy="train on text with parts of speech, such as a treebank in conllu",
            )
        if problem := label_problem(tags, "tags"):
            raise LayerError(problem, remedy="are these parts of speech?")
        words = word_features([spelt(each.words) for each in examples])
        return self.with_model(train_model(words, labels, tags, self.size, self.cutoff, self.ridge))

    def tag(self, transcript: Transcript) -> Transcript:
        """Tag one recording."""
        return self.tag_all([transcript])[0]

    def tag_all(self, transcripts: Sequence[Transcript]) -> list[Transcript]:
        """Tag many recordings together, as many at a time as fit into memory."""
        return [
            tagged for batch in batches(transcripts, AT_ONCE) for tagged in self._tag_batch(batch)
        ]

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return keys, weights and tags."""
        return self.model.arrays()

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Tagger:
        """Return the same tagger with stored keys, weights and tags."""
        return self.with_model(TaggerModel.of(state))

    def describe(self) -> str:
        """Name the tags."""
        return f"tags: {' '.join(self.model.labels)}"

    def _tag_batch(self, transcripts: Sequence[Transcript]) -> Iterator[Transcript]:
        punctuation = [punctuation_flags(each) for each in transcripts]
        spoken = [
            spelt([word for word, mark in zip(each.words, marks.tolist(), strict=True) if not mark])
            for each, marks in zip(transcripts, punctuation, strict=True)
        ]
        best = self.model.tag_scores(word_features(spoken)).argmax(axis=1)
        names = np.array([*self.model.labels, PUNCT], object)
        done = 0
        for each, marks in zip(transcripts, punctuation, strict=True):
            numbers = np.full(len(each), len(names) - 1)
            count = int((~marks).sum())
            numbers[~marks] = best[done : done + count]
            done += count
            yield each.replace(tag=tuple(names[numbers].tolist()))


_spelling = lru_cache(maxsize=1 << 16)(normalized_spelling)


def spelt(words: Sequence[str]) -> Strings:
    """Return words as the tagger sees them."""
    return tuple(map(_spelling, words))


def without_punctuation(transcript: Transcript) -> Transcript:
    """Return the words that are no punctuation, with their tags."""
    return transcript.only(["tag"]).take(~punctuation_flags(transcript))


def multiword_sentences(transcript: Transcript) -> Iterator[Transcript]:
    """Yield the sentences with tokens that are written as one word, with that word instead."""
    if not transcript.multiwords:
        return
    for sentence in transcript.only(["tag", "multiwords", "sentences"]).split_sentences():
        words, kept = list(sentence.words), np.ones(len(sentence), np.bool_)
        for span in sentence.multiwords or ():
            words[span.first] = span.label
            kept[span.first + 1 : span.last + 1] = False
        if not kept.all():
            yield without_punctuation(sentence.replace(words=tuple(words)).take(kept))


def numbered_tags(tags: Sequence[Strings]) -> tuple[Strings, Indices]:
    """Return the distinct tags in order, and the number of each word's tag, -1 if unknown."""
    names = tuple(sorted({tag for each in tags for tag in each} - {""}))
    numbers = {"": -1, **{name: number for number, name in enumerate(names)}}
    return names, np.array([numbers[tag] for each in tags for tag in each], np.int64)


@dataclass(frozen=True, repr=False)
class Tagged(WordTagger):
    """A stored tagger: the name of one that ships with Caesura, or a model folder."""

    model: str

    name = "Tagged"

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model or "\0" in self.model:
            raise ValueError(f"model is the name or the folder of a tagger, not {self.model!r}")

    @cached_property
    def stored(self) -> WordTagger:
        """The tagger, read when it is first needed."""
        folder = find_folder(self.model)
        found = _load_tagger(str(folder.resolve()), read_card(folder).checksum)
        if isinstance(found, Tagged):
            raise ModelError(
                f"the model refers to another, {found.model}",
                where=str(folder),
                remedy="name that one",
            )
        return found

    @property
    def checksum(self) -> str:
        """The checksum of the stored tagger's card."""
        return read_card(find_folder(self.model)).checksum

    def tag(self, transcript: Transcript) -> Transcript:
        """Tag as the stored tagger does."""
        return self.stored.tag(transcript)

    def tag_all(self, transcripts: Sequence[Transcript]) -> list[Transcript]:
        """Tag as the stored tagger does."""
        return self.stored.tag_all(transcripts)


@lru_cache(maxsize=8)
def _load_tagger(folder: str, checksum: str) -> WordTagger:  # noqa: ARG001 - another checksum, another model
    return load(folder).tagger
