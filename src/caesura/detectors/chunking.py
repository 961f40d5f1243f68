"""Detectors that label each word as the first of a sentence, the first of a cluster, or inside.

A boundary lies after a word if the *next* one is labelled as the first of a sentence.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.contracts import Stream
from caesura.detectors.finitestate import NO_GAP
from caesura.detectors.gaps import UNKNOWN, turns
from caesura.detectors.language import gap_of_each, without_punctuation
from caesura.detectors.learner import Learner, missing_sentences
from caesura.detectors.window import WindowStream
from caesura.numeric import features
from caesura.numeric.crf import Lesson, Weights, damaged, frequent
from caesura.numeric.features import Hashes
from caesura.numeric.tables import Table
from caesura.text import clusters
from caesura.text.normalize import standing
from caesura.text.vocabulary import hashed, spelling
from caesura.transcript import Flags, Floats, Indices, Segmentation, Transcript

LABELS = ("Bs", "Bb", "I")
SENTENCE, CLUSTER, INSIDE = range(len(LABELS))
"""The first word of a sentence, that of another cluster, and any other."""

WORD = ((("word", 0),),)
"""The template that tells whether a word is known."""

AT_ONCE = 1 << 12
"""Words whose features are made at a time: they stay close to the processor."""

BATCH = 1 << 18
"""Words that are decoded at a time."""

AHEAD, BEHIND = 8, 30
"""Words around a gap that a stream looks at; those farther away hardly matter."""

Columns = Mapping[str, Hashes]


class Taught(Protocol):
    """What a chunker has learnt, whatever else: weights, and sub-tags as hashes in order."""

    @property
    def weights(self) -> Weights:
        """Weights of features."""

    @property
    def subtags(self) -> Hashes:
        """Sub-tags that training saw."""


M = TypeVar("M", bound=Taught)


class Chunker(Learner[M]):
    """Labels words by what stands around them, and the labels of their neighbours."""

    cutoff: int
    bias: float

    reach = AHEAD
    """How many words after a gap bear on it in a stream."""

    @abstractmethod
    def fit(self, spoken: Sequence[Transcript], labels: Sequence[Indices]) -> M:
        """Learn from recordings without punctuation whose words have these labels."""

    @abstractmethod
    def weighed(self, states: Floats, lengths: Indices) -> tuple[Floats, Flags]:
        """Give the evidence that each word begins a sentence, and whether that is decided."""

    @abstractmethod
    def best(self, states: Floats, lengths: Indices) -> Indices:
        """Give the label of each word."""

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - settings are tuned from outside
        text: Sequence[Transcript] = (),
    ) -> Self:
        """Learn from recordings whose sentences are known.

        Where their clusters are not, those are labelled by what can be learnt from the
        recordings and texts that have some; if none has, each word is a cluster.
        """
        given = train or text
        spoken = [self.spoken(each) for each in given if each.sentences is not None]
        spoken = [each for each in spoken if len(each)]
        if not spoken:
            raise missing_sentences(len(given))
        begun = self._clusters(spoken, text)
        labels = [labels_of(*pair) for pair in zip(spoken, begun, strict=True)]
        return self.with_model(self.fit(spoken, labels))

    def _clusters(self, spoken: list[Transcript], text: Sequence[Transcript]) -> list[Flags]:
        """Find the clusters of recordings, by a chunker learnt from others where need be."""
        found = [clusters.starts(each) for each in spoken]
        if all(each is not None for each in found):
            return [each for each in found if each is not None]
        more = [self.spoken(each) for each in text if each.sentences is not None]
        pairs = [(each, clusters.starts(each)) for each in (*spoken, *more) if len(each)]
        trees = [(each, labels_of(each, begun)) for each, begun in pairs if begun is not None]
        if not trees:
            return [np.ones(len(each), np.bool_) for each in spoken]
        teacher = self.with_model(self.fit(*map(list, zip(*trees, strict=True))))
        return [
            teacher.starts(each) if begun is None else begun
            for each, begun in zip(spoken, found, strict=True)
        ]

    def heard(self, transcript: Transcript) -> tuple[Flags, Transcript]:
        """Tell which words are no punctuation, and give what is left with them alone."""
        kept = ~standing(transcript)
        return kept, without_punctuation(transcript, kept)

    def spoken(self, transcript: Transcript) -> Transcript:
        """Leave punctuation out."""
        return self.heard(transcript)[1]

    def starts(self, transcript: Transcript) -> Flags:
        """Tell which words begin a cluster, by their labels; punctuation begins nothing."""
        kept, spoken = self.heard(transcript)
        begun = np.zeros(len(transcript), np.bool_)
        begun[kept] = self.best(*self.states([spoken])) != INSIDE
        begun[np.flatnonzero(kept)[:1]] = True
        return begun

    def log_odds(self, transcript: Transcript) -> Floats:
        """Weigh Bs on the next word against the other labels, and add the bias."""
        found = self.detect(transcript).log_odds
        return np.zeros(0) if found is None else found

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide for one recording."""
        return self.detect_all([transcript])[0]

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide for many recordings together, as many at a time as fit into memory."""
        return [each for batch in _batches(transcripts) for each in self._decided(batch)]

    def _decided(self, transcripts: Sequence[Transcript]) -> Iterator[Segmentation]:
        kept, spoken = zip(*map(self.heard, transcripts), strict=True)
        states, lengths = self.states(spoken)
        odds, first = self.weighed(states, lengths)
        stop = np.cumsum(lengths)[:-1]
        for here, evidence, flags in zip(
            kept, np.split(odds, stop), np.split(first, stop), strict=True
        ):
            gaps = gap_of_each(here)
            log_odds, boundary = np.full(len(here), NO_GAP), np.zeros(len(here), np.bool_)
            # What follows the last word is not known.
            log_odds[gaps] = np.append(evidence[1:], 0.0)[: len(gaps)] + self.bias
            boundary[gaps] = np.append(flags[1:], True)[: len(gaps)]
            yield Segmentation(boundary, None, log_odds)

    def states(self, spoken: Sequence[Transcript]) -> tuple[Floats, Indices]:
        """Score the labels of each word, of recordings without punctuation, by its features."""
        model = self.model
        rows = [np.zeros((0, len(LABELS)))]
        for each in spoken:
            columns = columns_of(each, model.subtags)
            for first in range(0, len(each), AT_ONCE):
                stop = min(first + AT_ONCE, len(each))
                rows.append(model.weights.summed(features.keys(columns, first, stop)))
        return np.concatenate(rows), np.array([len(each) for each in spoken], np.int64)

    def coverage(self, transcript: Transcript) -> float:
        """Give the share of the words that are known."""
        spoken = self.spoken(transcript)
        if not len(spoken):
            return 1.0
        columns = columns_of(spoken, self.model.subtags)
        found = self.model.weights.find(features.keys(columns, 0, len(spoken), WORD))
        return float((found >= 0).mean())

    def lacks(self, transcript: Transcript) -> str:
        """Say so if not a word is known."""
        known = len(transcript) < 2 or self.coverage(transcript) > 0
        return "" if known else "no word that the model knows"

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Decide each gap when the words that bear on it are there."""
        return WindowStream(self, ahead=self.reach, behind=BEHIND, state=state)


def labels_of(spoken: Transcript, begun: Flags) -> Indices:
    """Label words by what they begin."""
    assert spoken.sentences is not None
    first = np.append(True, spoken.sentences.boundary[:-1])
    return np.where(first, SENTENCE, np.where(begun, CLUSTER, INSIDE))


def lessons_of(
    spoken: Sequence[Transcript], labels: Sequence[Indices], cutoff: int
) -> tuple[Indices, list[Lesson]]:
    """Give the features seen often enough, and where each word has them."""
    keys = [features.keys(columns_of(each), 0, len(each)) for each in spoken]
    known = frequent(keys, cutoff)
    table = Table(known)
    places = [table.find(each.ravel()).reshape(each.shape) for each in keys]
    return known, list(map(Lesson, places, labels))


def columns_of(spoken: Transcript, subtags: Hashes | None = None) -> Columns:
    """Give what is looked at as columns of hashes; what lies in a gap counts with the next word.

    Sub-tags are cut to the longest beginning that is known, if `subtags` has the known ones.
    """
    count = len(spoken)
    found = {"word": np.fromiter(map(_word, spoken.words), np.uint64, count)}
    if spoken.tag is not None:
        found["tag"] = np.fromiter(map(_text, spoken.tag), np.uint64, count)
    if spoken.subtag is not None:
        known = None if subtags is None else frozenset(subtags.tolist())
        cut = {each: _cut(each, known) for each in set(spoken.subtag)}
        found["subtag"] = np.fromiter(map(cut.__getitem__, spoken.subtag), np.uint64, count)
    if spoken.start is not None and spoken.end is not None:
        before = np.append(np.nan, spoken.pauses()[:-1])[:count]
        found["pause"] = features.spread(features.pause_bins(before))
    if spoken.speaker is not None:
        unknown = np.full(min(count, 1), UNKNOWN)
        found["turn"] = features.spread(np.append(unknown, turns(spoken.speaker)))
    return {name: features.padded(column) for name, column in found.items()}


@lru_cache(maxsize=1 << 17)
def _word(word: str) -> int:
    return hashed(spelling(word))


@lru_cache(maxsize=1 << 12)
def _text(cell: str) -> int:
    return hashed(cell)


def _cut(subtag: str, known: frozenset[int] | None) -> int:
    """Hash the longest beginning, up to a dash, that is known; all of it if none is."""
    part = subtag
    while known is not None and part:
        if _text(part) in known:
            return _text(part)
        part = part.rpartition("-")[0]
    return _text(subtag)


def subtags_of(spoken: Sequence[Transcript]) -> Hashes:
    """Give hashes of all sub-tags in ascending order."""
    cells = {cell for each in spoken for cell in each.subtag or ()}
    return np.unique(np.array([_text(cell) for cell in cells], np.uint64))


def checked_subtags(arrays: Mapping[str, NDArray[Any]]) -> Hashes:
    """Give the sub-tags of stored arrays, or raise an error if they are none."""
    found = arrays["subtags"]
    if found.ndim != 1 or found.dtype != np.uint64 or (found[1:] <= found[:-1]).any():
        raise damaged("sub-tags are no hashes in order")
    return np.array(found)


def _batches(transcripts: Sequence[Transcript]) -> Iterator[list[Transcript]]:
    batch: list[Transcript] = []
    words = 0
    for transcript in transcripts:
        if batch and words + len(transcript) > BATCH:
            yield batch
            batch, words = [], 0
        batch.append(transcript)
        words += len(transcript)
    if batch:
        yield batch
