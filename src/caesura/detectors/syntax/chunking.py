"""Base class of chunkers: detectors that label words by what they begin.

A word is the first of a sentence (Bs), the first of another cluster (Bb), or inside a cluster (I).
A boundary lies after a word if the *next* one is labelled Bs. `CRF` and `SVM` are in `crf_svm.py`.
Their features (words, tags, pauses and speakers around a word) come first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.config import ModelBacked, prefixed_state, split_state
from caesura.core.protocols import BatchDetector, Stream, TrainableDetector, WordTagger
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript, batches
from caesura.detectors.gaps import (
    NO_GAP,
    UNKNOWN,
    find_words,
    gaps_after_words,
    missing_sentences,
    speaker_turns,
)
from caesura.detectors.window_stream import WindowStream
from caesura.ml import features
from caesura.ml.crf import TrainingExample, Weights, damaged, feature_counts, frequent
from caesura.ml.features import Hashes, Table, hash_spelling, normalized_spelling
from caesura.text import cluster_rules
from caesura.text.punctuation import punctuation_flags

Columns = Mapping[str, Hashes]


def training_examples(
    recordings: Sequence[Transcript], labels: Sequence[Indices], cutoff: int
) -> tuple[Indices, list[TrainingExample]]:
    """Return the features seen at least `cutoff` times, and an example for each recording."""
    keys = [features.keys(columns_of(each), 0, len(each)) for each in recordings]
    known = frequent(keys, cutoff)
    table = Table(known)
    places = [table.find(each.ravel()).reshape(each.shape) for each in keys]
    return known, list(map(TrainingExample, places, labels))


def columns_of(words: Transcript, subtags: Hashes | None = None) -> Columns:
    """Return the features of words as columns of hashes, padded before and after."""
    return {name: features.padded(cells) for name, cells in hashes_of(words, subtags).items()}


def hashes_of(words: Transcript, subtags: Hashes | None = None) -> Columns:
    """Return the features of words as columns of hashes; a gap belongs to the word after it.

    If `subtags` has the known sub-tags, others are cut to their longest known prefix.
    """
    count = len(words)
    found = {"word": np.fromiter(map(_hash_word, words.words), np.uint64, count)}
    if words.tag is not None:
        found["tag"] = np.fromiter(map(_hash_text, words.tag), np.uint64, count)
    if words.subtag is not None:
        known = None if subtags is None else frozenset(subtags.tolist())
        cut = {each: _hash_prefix(each, known) for each in set(words.subtag)}
        found["subtag"] = np.fromiter(map(cut.__getitem__, words.subtag), np.uint64, count)
    if words.start is not None and words.end is not None:
        before = np.append(np.nan, words.pauses()[:-1])[:count]
        found["pause"] = features.hash_numbers(features.pause_bins(before))
    if words.speaker is not None:
        unknown = np.full(min(count, 1), UNKNOWN)
        found["turn"] = features.hash_numbers(np.append(unknown, speaker_turns(words.speaker)))
    return found


@lru_cache(maxsize=1 << 17)
def _hash_word(word: str) -> int:
    return hash_spelling(normalized_spelling(word))


@lru_cache(maxsize=1 << 12)
def _hash_text(cell: str) -> int:
    return hash_spelling(cell)


def _hash_prefix(subtag: str, known: frozenset[int] | None) -> int:
    """Hash the longest known prefix that ends before a dash; the whole sub-tag if there is none."""
    part = subtag
    while known is not None and part:
        if _hash_text(part) in known:
            return _hash_text(part)
        part = part.rpartition("-")[0]
    return _hash_text(subtag)


def subtags_of(recordings: Sequence[Transcript]) -> Hashes:
    """Return the hashes of all sub-tags in ascending order."""
    cells = {cell for each in recordings for cell in each.subtag or ()}
    return np.unique(np.array([_hash_text(cell) for cell in cells], np.uint64))


def checked_subtags(arrays: Mapping[str, NDArray[Any]]) -> Hashes:
    """Return the sub-tags of stored arrays, or raise an error if they are damaged."""
    found = arrays["subtags"]
    if found.ndim != 1 or found.dtype != np.uint64 or (found[1:] <= found[:-1]).any():
        raise damaged("sub-tags are not hashes in order")
    return np.array(found)


FOLDS = 4
"""Folds of the training data; each is tagged by a tagger trained on the other folds."""


def jackknife_tags(
    tagger: WordTagger, recordings: Sequence[Transcript]
) -> tuple[WordTagger, list[Transcript]]:
    """Train a tagger, unless it is trained, and return it with the recordings as it tags them.

    Its own training recordings are tagged by taggers trained on the other folds, so that their
    tags have as many errors as later ones. Sub-tags are removed: a tagger gives none.
    """
    bare = [each.replace(subtag=None) for each in recordings]
    if not isinstance(tagger, ModelBacked) or tagger.is_trained:
        return tagger, tagger.tag_all(bare)
    trained = tagger.train(bare)
    found = trained.tag_all(bare)
    tagged = [at for at, each in enumerate(bare) if _has_tags(each)]
    pieces = (
        [[bare[at]] for at in tagged] if len(tagged) > 1 else [_split(bare[at]) for at in tagged]
    )
    tags = iter(_tag_folds(tagger, trained, [piece for each in pieces for piece in each]))
    for at, own in zip(tagged, pieces, strict=True):
        joined = chain.from_iterable(next(tags) for _ in own)
        found[at] = bare[at].replace(tag=tuple(joined))
    return trained, found


def _tag_folds(
    tagger: WordTagger, trained: WordTagger, pieces: Sequence[Transcript]
) -> list[Strings]:
    """Tag the pieces of each fold by a tagger trained on the other folds, if these have tags."""
    found: list[Strings] = [()] * len(pieces)
    for fold in range(min(FOLDS, len(pieces))):
        others = [each for at, each in enumerate(pieces) if at % FOLDS != fold]
        other = tagger.train(others) if any(map(_has_tags, others)) else trained
        found[fold::FOLDS] = [each.tag or () for each in other.tag_all(pieces[fold::FOLDS])]
    return found


def _has_tags(transcript: Transcript) -> bool:
    """Whether a word that is no punctuation has a tag."""
    tags = zip(transcript.tag or (), punctuation_flags(transcript).tolist(), strict=False)
    return any(tag and not is_punctuation for tag, is_punctuation in tags)


def _split(transcript: Transcript) -> list[Transcript]:
    """Split a recording into a piece for each fold."""
    stops = [len(transcript) * fold // FOLDS for fold in range(FOLDS + 1)]
    return [transcript[first:stop] for first, stop in pairwise(stops)]


LABELS = ("Bs", "Bb", "I")
SENTENCE, CLUSTER, INSIDE = range(len(LABELS))
"""The first word of a sentence, the first of another cluster, and any other word."""

AT_ONCE = 1 << 10
"""Words whose features are made at a time: few enough for the processor's cache."""

BATCH = 1 << 18
"""Words that are decoded at a time."""

AHEAD, BEHIND = 8, 30
"""Words around a gap that a stream looks at; those farther away hardly matter."""


class Scorer(Protocol):
    """The weights of features and of neighbouring labels."""

    names: ClassVar[frozenset[str]]

    @property
    def weights(self) -> Weights:
        """The weights of features."""

    def with_weights(self, weights: Weights) -> Self:
        """Return the same scorer with other weights of features."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the scorer as arrays with these names."""

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], labels: int) -> Self:
        """Make a scorer from arrays, or raise an error if they do not fit."""


S = TypeVar("S", bound=Scorer)


@dataclass(frozen=True, eq=False)
class ChunkerModel(Generic[S]):
    """A trained scorer, and the hashes of the sub-tags seen in training, in ascending order."""

    scorer: S
    subtags: Hashes


class Chunker(BatchDetector, TrainableDetector[ChunkerModel[S]]):
    """Labels words by the words around them and by neighbouring labels.

    The log-odds of a gap are those of the label Bs at the next word, plus the bias.
    """

    cutoff: int
    bias: float
    size: int
    tagger: WordTagger | None

    scorer: ClassVar[type[Scorer]]
    """The class of the scorer."""

    ahead: ClassVar[int] = AHEAD
    """How many words after a gap a stream looks at, if words come with tags."""

    @property
    def reach(self) -> int:
        """How many words after a gap a stream looks at."""
        return self.ahead if self.tagger is None else max(self.ahead, AHEAD)

    @abstractmethod
    def fit(self, known: Indices, examples: Sequence[TrainingExample]) -> S:
        """Train the weights of the known features."""

    @abstractmethod
    def decide(self, states: Floats, lengths: Indices) -> tuple[Floats, Flags]:
        """Return for each word the log-odds that it begins a sentence, and the decision."""

    @abstractmethod
    def best(self, states: Floats, lengths: Indices) -> Indices:
        """Return the label of each word."""

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - settings are tuned from outside
        text: Sequence[Transcript] = (),
    ) -> Self:
        """Train on recordings whose sentences are known.

        Recordings without clusters get those that a chunker predicts which is trained on the
        recordings and texts with clusters; if there are none, each word is a cluster. With a
        tagger, which is trained first unless it is trained already, its predictions replace all
        tags.
        """
        made, train, text = self.with_predicted_tags(train, text)
        return made.train_tagged(train, text)

    def with_predicted_tags(
        self, train: Sequence[Transcript], text: Sequence[Transcript]
    ) -> tuple[Self, Sequence[Transcript], Sequence[Transcript]]:
        """Return this detector with a trained tagger, and the recordings with its tags."""
        if self.tagger is None:
            return self, train, text
        tagger, tagged = jackknife_tags(self.tagger, [*train, *text])
        return self.adjusted(tagger=tagger), tagged[: len(train)], tagged[len(train) :]

    def train_tagged(self, train: Sequence[Transcript], text: Sequence[Transcript]) -> Self:
        """Train on recordings with the tags that they have."""
        given = train or text
        recordings = [self.words(each) for each in given if each.sentences is not None]
        recordings = [each for each in recordings if len(each)]
        if not recordings:
            raise missing_sentences(len(given))
        starts = self._find_clusters(recordings, text)
        labels = [labels_of(*pair) for pair in zip(recordings, starts, strict=True)]
        return self._train_on(recordings, labels)

    def _train_on(self, recordings: Sequence[Transcript], labels: Sequence[Indices]) -> Self:
        """Train on recordings without punctuation whose words have these labels."""
        known, examples = training_examples(recordings, labels, self.cutoff)
        scorer = self.fit(known, examples)
        weights = scorer.weights
        if self.size:
            weights = weights.largest(self.size, feature_counts(examples, len(known)))
        return self.with_model(
            ChunkerModel(scorer.with_weights(weights.rounded()), subtags_of(recordings))
        )

    def _find_clusters(
        self, recordings: list[Transcript], text: Sequence[Transcript]
    ) -> list[Flags]:
        """Return which words begin clusters, predicted where a recording has no clusters."""
        found = [cluster_rules.cluster_starts(each) for each in recordings]
        if all(each is not None for each in found):
            return [each for each in found if each is not None]
        more = [self.words(each) for each in text if each.sentences is not None]
        pairs = [
            (each, cluster_rules.cluster_starts(each)) for each in (*recordings, *more) if len(each)
        ]
        known = [(each, labels_of(each, starts)) for each, starts in pairs if starts is not None]
        if not known:
            return [np.ones(len(each), np.bool_) for each in recordings]
        chunker = self._train_on(*map(list, zip(*known, strict=True)))
        return [
            chunker.starts(each) if starts is None else starts
            for each, starts in zip(recordings, found, strict=True)
        ]

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays of the scorer, the hashes of sub-tags, and the state of the tagger."""
        tagger = {} if self.tagger is None else prefixed_state({"tagger": self.tagger})
        return {**self.model.scorer.arrays(), "subtags": self.model.subtags, **tagger}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """Return this detector with a stored state."""
        own, tagger = split_state(state, "tagger")
        if set(own) != self.scorer.names | {"subtags"}:
            raise damaged(f"it has the arrays {', '.join(sorted(own)) or 'none'}")
        scorer = cast(S, self.scorer.of(own, len(LABELS)))
        trained = None if self.tagger is None else self.tagger.from_state(tagger)
        return self.adjusted(tagger=trained).with_model(ChunkerModel(scorer, checked_subtags(own)))

    def tagged(self, transcripts: Sequence[Transcript]) -> list[Transcript]:
        """Tag the recordings that have no tags, if there is a tagger."""
        if self.tagger is None:
            return list(transcripts)
        bare = [each for each in transcripts if each.tag is None]
        found = iter(self.tagger.tag_all(bare) if bare else ())
        return [next(found) if each.tag is None else each for each in transcripts]

    def find_words(self, transcript: Transcript) -> tuple[Flags, Transcript]:
        """Return which tokens are words, and the tagged transcript of these words alone."""
        return self.find_words_all([transcript])[0]

    def find_words_all(self, transcripts: Sequence[Transcript]) -> list[tuple[Flags, Transcript]]:
        """Do the same for many recordings at once."""
        return [find_words(each) for each in self.tagged(transcripts)]

    def words(self, transcript: Transcript) -> Transcript:
        """Return the tagged transcript without punctuation."""
        return self.find_words(transcript)[1]

    def starts(self, transcript: Transcript) -> Flags:
        """Return which words begin a cluster, by their labels; punctuation never does."""
        is_word, words = self.find_words(transcript)
        starts = np.zeros(len(transcript), np.bool_)
        starts[is_word] = self.best(*self.states([words])) != INSIDE
        starts[np.flatnonzero(is_word)[:1]] = True
        return starts

    def annotate(self, transcript: Transcript) -> Transcript:
        """Return the transcript with sentences and clusters."""
        return super().annotate(transcript).replace(cluster=self.starts(transcript))

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment many recordings, as many at a time as fit into memory."""
        return [each for batch in batches(transcripts, BATCH) for each in self._segment(batch)]

    def _segment(self, transcripts: Sequence[Transcript]) -> Iterator[Segmentation]:
        is_word, words = zip(*self.find_words_all(transcripts), strict=True)
        states, lengths = self.states(words)
        odds, is_first = self.decide(states, lengths)
        stop = np.cumsum(lengths)[:-1]
        for here, own, first in zip(
            is_word, np.split(odds, stop), np.split(is_first, stop), strict=True
        ):
            gaps = gaps_after_words(here)
            log_odds, boundary = np.full(len(here), NO_GAP), np.zeros(len(here), np.bool_)
            # Nothing is known of the word after the last one.
            log_odds[gaps] = np.append(own[1:], 0.0)[: len(gaps)] + self.bias
            boundary[gaps] = np.append(first[1:], True)[: len(gaps)]
            yield Segmentation(boundary, None, log_odds)

    def states(self, recordings: Sequence[Transcript]) -> tuple[Floats, Indices]:
        """Return label scores of all words by their features, and the lengths of recordings."""
        rows = [self.scored(hashes_of(each, self.model.subtags)) for each in recordings]
        lengths = np.array([len(each) for each in recordings], np.int64)
        return np.concatenate(rows) if rows else np.zeros((0, len(LABELS))), lengths

    def scored(self, hashes: Columns, begin: int = 0) -> Floats:
        """Return the label scores of the words of a recording from `begin` on."""
        columns = {name: features.padded(cells) for name, cells in hashes.items()}
        count, weights = len(hashes["word"]), self.model.scorer.weights
        rows = np.zeros((count - begin, len(LABELS)))
        for first in range(begin, count, AT_ONCE):
            stop = min(first + AT_ONCE, count)
            keys = features.keys(columns, first, stop)
            rows[first - begin : stop - begin] = weights.summed(keys)
        return rows

    def coverage(self, transcript: Transcript) -> float:
        """Return the share of the words that have a weight in any template."""
        _, words = find_words(transcript)
        if not len(words):
            return 1.0
        columns = columns_of(words.only(()))
        known = np.zeros(len(words), np.bool_)
        for at in range(-features.REACH, features.REACH + 1):
            keys = features.keys(columns, -at, len(words) - at, ((("word", at),),))
            known |= self.model.scorer.weights.find(keys)[0] >= 0
        return float(known.mean())

    def lacks(self, transcript: Transcript) -> str:
        """Return a message if none of the words is known, else ''."""
        known = len(transcript) < 2 or self.coverage(transcript) > 0
        return "" if known else "no word that the model knows"

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that decides each gap from a window of words around it."""
        return WindowStream(self, ahead=self.reach, behind=BEHIND, state=state)


def check_tagger(tagger: object) -> None:
    """Raise an error if the setting `tagger` is neither a tagger nor None."""
    if tagger is not None and not isinstance(tagger, WordTagger):
        raise ValueError(f"tagger is Tagger(), Tagged('FOLDER') or None, not {tagger!r}")


def labels_of(words: Transcript, starts: Flags) -> Indices:
    """Label words by their sentences, and by `starts`, which says where clusters begin."""
    assert words.sentences is not None
    first = np.append(True, words.sentences.boundary[:-1])
    return np.where(first, SENTENCE, np.where(starts, CLUSTER, INSIDE))
