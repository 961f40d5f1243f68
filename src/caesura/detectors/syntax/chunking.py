"""Detectors that label each word as the first of a sentence, the first of a cluster, or inside.

A boundary lies after a word if the *next* one is labelled as the first of a sentence.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.config import ModelBacked, prefixed_state, split_state
from caesura.core.protocols import Stream, TrainableDetector, WordTagger
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript, batches
from caesura.detectors.gaps import NO_GAP, find_words, gaps_after_words, missing_sentences
from caesura.detectors.syntax.word_features import (
    Columns,
    checked_subtags,
    columns_of,
    hashes_of,
    lessons_of,
    subtags_of,
)
from caesura.detectors.window_stream import WindowStream
from caesura.ml import features
from caesura.ml.crf import Lesson, Weights, damaged, seen
from caesura.ml.features import Hashes
from caesura.text import cluster_rules
from caesura.text.normalization.steps import standing

FOLDS = 4
"""Parts of the recordings, each tagged by what the others teach."""


def guessed(
    tagger: WordTagger, recordings: Sequence[Transcript]
) -> tuple[WordTagger, list[Transcript]]:
    """Teach a tagger that has not learnt yet, and give it with the recordings as it tags them.

    Recordings that it learns from are tagged by what the others teach, so that tags are as wrong
    as they will be later. Sub-tags are left out: a tagger gives none.
    """
    bare = [each.replace(subtag=None) for each in recordings]
    if not isinstance(tagger, ModelBacked) or tagger.is_trained:
        return tagger, tagger.tag_all(bare)
    taught = tagger.train(bare)
    found = taught.tag_all(bare)
    own = [at for at, each in enumerate(bare) if _teaches(each)]
    seen = [[bare[at]] for at in own] if len(own) > 1 else [_cut(bare[at]) for at in own]
    tags = iter(_unseen(tagger, taught, [piece for each in seen for piece in each]))
    for at, pieces in zip(own, seen, strict=True):
        joined = chain.from_iterable(next(tags) for _ in pieces)
        found[at] = bare[at].replace(tag=tuple(joined))
    return taught, found


def _unseen(tagger: WordTagger, taught: WordTagger, pieces: Sequence[Transcript]) -> list[Strings]:
    """Tag each piece by what those of the other folds teach, if they teach anything."""
    found: list[Strings] = [()] * len(pieces)
    for fold in range(min(FOLDS, len(pieces))):
        others = [each for at, each in enumerate(pieces) if at % FOLDS != fold]
        away = tagger.train(others) if any(map(_teaches, others)) else taught
        found[fold::FOLDS] = [each.tag or () for each in away.tag_all(pieces[fold::FOLDS])]
    return found


def _teaches(transcript: Transcript) -> bool:
    """Whether a word that is no punctuation has a tag."""
    tags = zip(transcript.tag or (), standing(transcript).tolist(), strict=False)
    return any(tag and not alone for tag, alone in tags)


def _cut(transcript: Transcript) -> list[Transcript]:
    """Cut a recording into a piece for each fold."""
    stops = [len(transcript) * fold // FOLDS for fold in range(FOLDS + 1)]
    return [transcript[first:stop] for first, stop in pairwise(stops)]


LABELS = ("Bs", "Bb", "I")
SENTENCE, CLUSTER, INSIDE = range(len(LABELS))
"""The first word of a sentence, that of another cluster, and any other."""

AT_ONCE = 1 << 10
"""Words whose features are made at a time: they stay close to the processor."""

BATCH = 1 << 18
"""Words that are decoded at a time."""

AHEAD, BEHIND = 8, 30
"""Words around a gap that a stream looks at; those farther away hardly matter."""


class Scorer(Protocol):
    """Weights of features, and what labels say of their neighbours."""

    names: ClassVar[frozenset[str]]

    @property
    def weights(self) -> Weights:
        """Weights of features."""

    def with_weights(self, weights: Weights) -> Self:
        """Give the same with other weights of features."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give what is known as arrays of these names."""

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], labels: int) -> Self:
        """Make one of arrays, or raise an error if they do not fit."""


S = TypeVar("S", bound=Scorer)


@dataclass(frozen=True, eq=False)
class Taught(Generic[S]):
    """What a chunker has learnt: a scorer, and the sub-tags that it knows as hashes in order."""

    scorer: S
    subtags: Hashes


class Chunker(TrainableDetector[Taught[S]]):
    """Labels words by what stands around them, and the labels of their neighbours."""

    cutoff: int
    bias: float
    size: int
    tagger: WordTagger | None

    scorer: ClassVar[type[Scorer]]
    """What scores labels."""

    ahead: ClassVar[int] = AHEAD
    """How many words after a gap bear on it in a stream, if tags are given."""

    @property
    def reach(self) -> int:
        """How many words after a gap bear on it in a stream."""
        return self.ahead if self.tagger is None else max(self.ahead, AHEAD)

    @abstractmethod
    def fit(self, known: Indices, lessons: Sequence[Lesson]) -> S:
        """Learn the weights of the known features."""

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
        recordings and texts that have some; if none has, each word is a cluster. With a tagger,
        which learns from all tags first if it has not learnt yet, tags are its guesses.
        """
        made, train, text = self.prepared(train, text)
        return made.trained(train, text)

    def prepared(
        self, train: Sequence[Transcript], text: Sequence[Transcript]
    ) -> tuple[Self, Sequence[Transcript], Sequence[Transcript]]:
        """Give the same with a tagger that has learnt, and the recordings as it tags them."""
        if self.tagger is None:
            return self, train, text
        tagger, tagged = guessed(self.tagger, [*train, *text])
        return self.adjusted(tagger=tagger), tagged[: len(train)], tagged[len(train) :]

    def trained(self, train: Sequence[Transcript], text: Sequence[Transcript]) -> Self:
        """Learn from recordings as they are tagged."""
        given = train or text
        spoken = [self.spoken(each) for each in given if each.sentences is not None]
        spoken = [each for each in spoken if len(each)]
        if not spoken:
            raise missing_sentences(len(given))
        begun = self._clusters(spoken, text)
        labels = [labels_of(*pair) for pair in zip(spoken, begun, strict=True)]
        return self._taught(spoken, labels)

    def _taught(self, spoken: Sequence[Transcript], labels: Sequence[Indices]) -> Self:
        """Learn from recordings without punctuation whose words have these labels."""
        known, lessons = lessons_of(spoken, labels, self.cutoff)
        scorer = self.fit(known, lessons)
        weights = scorer.weights
        if self.size:
            weights = weights.largest(self.size, seen(lessons, len(known)))
        return self.with_model(Taught(scorer.with_weights(weights.rounded()), subtags_of(spoken)))

    def _clusters(self, spoken: list[Transcript], text: Sequence[Transcript]) -> list[Flags]:
        """Find the clusters of recordings, by a chunker learnt from others where need be."""
        found = [cluster_rules.starts(each) for each in spoken]
        if all(each is not None for each in found):
            return [each for each in found if each is not None]
        more = [self.spoken(each) for each in text if each.sentences is not None]
        pairs = [(each, cluster_rules.starts(each)) for each in (*spoken, *more) if len(each)]
        trees = [(each, labels_of(each, begun)) for each, begun in pairs if begun is not None]
        if not trees:
            return [np.ones(len(each), np.bool_) for each in spoken]
        teacher = self._taught(*map(list, zip(*trees, strict=True)))
        return [
            teacher.starts(each) if begun is None else begun
            for each, begun in zip(spoken, found, strict=True)
        ]

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Give keys of features, weights, what labels say of others, and hashes of sub-tags."""
        tagger = {} if self.tagger is None else prefixed_state({"tagger": self.tagger})
        return {**self.model.scorer.arrays(), "subtags": self.model.subtags, **tagger}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """Give the same detector with weights that were learnt before."""
        own, tagger = split_state(state, "tagger")
        if set(own) != self.scorer.names | {"subtags"}:
            raise damaged(f"it has the arrays {', '.join(sorted(own)) or 'none'}")
        scorer = cast(S, self.scorer.of(own, len(LABELS)))
        taught = None if self.tagger is None else self.tagger.from_state(tagger)
        return self.adjusted(tagger=taught).with_model(Taught(scorer, checked_subtags(own)))

    def tagged(self, transcripts: Sequence[Transcript]) -> list[Transcript]:
        """Give recordings that bring no tags those of the tagger, if there is one."""
        if self.tagger is None:
            return list(transcripts)
        bare = [each for each in transcripts if each.tag is None]
        found = iter(self.tagger.tag_all(bare) if bare else ())
        return [next(found) if each.tag is None else each for each in transcripts]

    def find_words(self, transcript: Transcript) -> tuple[Flags, Transcript]:
        """Tell which words are no punctuation, and give what is left with them alone, tagged."""
        return self.find_words_all([transcript])[0]

    def find_words_all(self, transcripts: Sequence[Transcript]) -> list[tuple[Flags, Transcript]]:
        """Do so for many recordings at once."""
        return [find_words(each) for each in self.tagged(transcripts)]

    def spoken(self, transcript: Transcript) -> Transcript:
        """Leave punctuation out."""
        return self.find_words(transcript)[1]

    def starts(self, transcript: Transcript) -> Flags:
        """Tell which words begin a cluster, by their labels; punctuation begins nothing."""
        kept, spoken = self.find_words(transcript)
        begun = np.zeros(len(transcript), np.bool_)
        begun[kept] = self.best(*self.states([spoken])) != INSIDE
        begun[np.flatnonzero(kept)[:1]] = True
        return begun

    def annotate(self, transcript: Transcript) -> Transcript:
        """Give the transcript with the sentences and with the clusters."""
        return super().annotate(transcript).replace(cluster=self.starts(transcript))

    def log_odds(self, transcript: Transcript) -> Floats:
        """Weigh Bs on the next word against the other labels, and add the bias."""
        found = self.detect(transcript).log_odds
        return np.zeros(0) if found is None else found

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide for one recording."""
        return self.detect_all([transcript])[0]

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide for many recordings together, as many at a time as fit into memory."""
        return [each for batch in batches(transcripts, BATCH) for each in self._decided(batch)]

    def _decided(self, transcripts: Sequence[Transcript]) -> Iterator[Segmentation]:
        kept, spoken = zip(*self.find_words_all(transcripts), strict=True)
        states, lengths = self.states(spoken)
        odds, first = self.weighed(states, lengths)
        stop = np.cumsum(lengths)[:-1]
        for here, evidence, flags in zip(
            kept, np.split(odds, stop), np.split(first, stop), strict=True
        ):
            gaps = gaps_after_words(here)
            log_odds, boundary = np.full(len(here), NO_GAP), np.zeros(len(here), np.bool_)
            # What follows the last word is not known.
            log_odds[gaps] = np.append(evidence[1:], 0.0)[: len(gaps)] + self.bias
            boundary[gaps] = np.append(flags[1:], True)[: len(gaps)]
            yield Segmentation(boundary, None, log_odds)

    def states(self, spoken: Sequence[Transcript]) -> tuple[Floats, Indices]:
        """Score the labels of each word, of recordings without punctuation, by its features."""
        rows = [self.scored(hashes_of(each, self.model.subtags)) for each in spoken]
        lengths = np.array([len(each) for each in spoken], np.int64)
        return np.concatenate(rows) if rows else np.zeros((0, len(LABELS))), lengths

    def scored(self, hashes: Columns, begin: int = 0) -> Floats:
        """Score the labels of the words of a recording from `begin` on by what is around them."""
        columns = {name: features.padded(cells) for name, cells in hashes.items()}
        count, weights = len(hashes["word"]), self.model.scorer.weights
        rows = np.zeros((count - begin, len(LABELS)))
        for first in range(begin, count, AT_ONCE):
            stop = min(first + AT_ONCE, count)
            keys = features.keys(columns, first, stop)
            rows[first - begin : stop - begin] = weights.summed(keys)
        return rows

    def coverage(self, transcript: Transcript) -> float:
        """Give the share of the words that are known, wherever they were looked at."""
        _, spoken = find_words(transcript)
        if not len(spoken):
            return 1.0
        columns = columns_of(spoken.only(()))
        known = np.zeros(len(spoken), np.bool_)
        for at in range(-features.REACH, features.REACH + 1):
            keys = features.keys(columns, -at, len(spoken) - at, ((("word", at),),))
            known |= self.model.scorer.weights.find(keys)[0] >= 0
        return float(known.mean())

    def lacks(self, transcript: Transcript) -> str:
        """Say so if not a word is known."""
        known = len(transcript) < 2 or self.coverage(transcript) > 0
        return "" if known else "no word that the model knows"

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Decide each gap when the words that bear on it are there."""
        return WindowStream(self, ahead=self.reach, behind=BEHIND, state=state)


def refuse_other_than_tagger(tagger: object) -> None:
    """Raise an error if what is set as a tagger is none."""
    if tagger is not None and not isinstance(tagger, WordTagger):
        raise ValueError(f"tagger is Tagger(), Tagged('FOLDER') or None, not {tagger!r}")


def labels_of(spoken: Transcript, begun: Flags) -> Indices:
    """Label words by what they begin."""
    assert spoken.sentences is not None
    first = np.append(True, spoken.sentences.boundary[:-1])
    return np.where(first, SENTENCE, np.where(begun, CLUSTER, INSIDE))
