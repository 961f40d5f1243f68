"""A hidden Markov model of entities: labels and words both depend on the previous word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.transcript import Transcript
from caesura.ml.features import Table
from caesura_studies.atene.tagger_features import Labels, shape, viterbi
from caesura_studies.atene.taggers import Spans

RARE = 2
"""Words seen at most so often train the model of unknown words."""

PRIOR = 0.1
"""Pseudo-count of every event."""

LEAST = 1e-12
UNKNOWN = 0


@dataclass(frozen=True)
class HMM:
    """P(label | previous label and word) P(word | label, previous word), as in IdentiFinder.

    Events not seen after a word back off to their general probability, and unknown words to their
    kind, with Witten-Bell weights.
    """

    name = "hidden Markov model"

    def train(self, texts: Sequence[Transcript]) -> TrainedHMM:
        """Count labels and words."""
        labels = Labels.of(texts)
        width = len(labels)
        words = number_words(word for each in texts for word in each.words)
        kinds = number_words(kind(word) for each in texts for word in each.words)
        numbers = [word_numbers(each.words, words) for each in texts]
        codes = [labels.coded(each) for each in texts]
        every, seen = np.concatenate(codes), np.concatenate(numbers)
        before = np.concatenate([_previous(each) for each in numbers])
        last = np.concatenate([_previous(each, width) for each in codes])
        by_word = _count_table(seen, every, len(words) + 1, width)
        rare = by_word.sum(axis=1)[seen] <= RARE
        sorts = np.concatenate([_kinds(each.words, kinds) for each in texts])
        by_kind = _count_table(sorts[rare], every[rare], len(kinds) + 1, width) + PRIOR
        return TrainedHMM(
            labels,
            words,
            kinds,
            _word_shares(by_word, by_kind / by_kind.sum(axis=0)),
            _transitions(before, last, every, len(words) + 1, width),
            Following.of(before, seen, every, len(words) + 1, width),
        )


def _transitions(before: Indices, last: Indices, codes: Indices, words: int, width: int) -> Floats:
    """Return a table of log P(label | previous label) for each previous word."""
    plain = np.full((width + 1, width), PRIOR)
    np.add.at(plain, (last, codes), 1.0)
    plain /= plain.sum(axis=1, keepdims=True)
    counts = np.zeros((words, width + 1, width), np.float32)
    np.add.at(counts, (before, last, codes), 1.0)
    kinds = (counts > 0).sum(axis=2, keepdims=True)
    total = counts.sum(axis=2, keepdims=True)
    counts += np.maximum(kinds, 1) * plain
    counts /= total + np.maximum(kinds, 1)
    return np.log(counts, out=counts)


def _word_shares(by_word: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Return P(word | label) of known words, and the rest for each kind of unknown word."""
    kinds = (by_word > 0).sum(axis=0)
    total = np.maximum(by_word.sum(axis=0) + kinds, 1)
    return by_word / total, kinds / total * shares


@dataclass(frozen=True, eq=False)
class TrainedHMM:
    """The labels, words and kinds of words, and the log-probabilities of transitions."""

    labels: Labels
    words: dict[str, int]
    kinds: dict[str, int]
    shares: tuple[Floats, Floats]
    transitions: Floats
    following: Following

    def tag(self, texts: Sequence[Strings]) -> list[Spans]:
        """Find the best labels."""
        numbers = [word_numbers(words, self.words) for words in texts]
        states = [self._emitted(*each) for each in zip(texts, numbers, strict=True)]
        found = viterbi(states, self.transitions, [_previous(each) for each in numbers])
        return [self.labels.spans(each) for each in found]

    def _emitted(self, words: Strings, numbers: Indices) -> Floats:
        """Score each word under each label."""
        known, others = self.shares
        alone = known[numbers] + others[_kinds(words, self.kinds)]
        found: Floats = np.log(np.maximum(self.following.mixed(numbers, alone), LEAST))
        return found


@dataclass(frozen=True, eq=False)
class Following:
    """How often each word, by label, follows each other word; `table` finds the row of a pair."""

    table: Table
    counts: Floats
    total: Floats
    kinds: Floats

    @classmethod
    def of(
        cls, before: Indices, seen: Indices, codes: Indices, words: int, width: int
    ) -> Following:
        """Count pairs of words, and what follows each word."""
        known, rows = np.unique(before * words + seen, return_inverse=True)
        counts = _count_table(rows, codes, len(known), width)
        kinds = np.zeros((words, width))
        np.add.at(kinds, known // words, counts > 0)
        return cls(Table(known), counts, _count_table(before, codes, words, width), kinds)

    def mixed(self, numbers: Indices, alone: Floats) -> Floats:
        """Interpolate the probability of a word after the previous one with `alone`."""
        before = _previous(numbers)
        place = self.table.find(before * len(self.total) + numbers)
        counts = np.where((place >= 0)[:, None], self.counts[place], 0.0)
        kinds = np.maximum(self.kinds[before], 1)
        found: Floats = (counts + kinds * alone) / (self.total[before] + kinds)
        return found


def kind(word: str) -> str:
    """Return the kind of an unknown word: how it is written, and how it ends."""
    form = shape(word)
    return f"a{word[-2:]}" if form == "a" else form


def number_words(words: Iterable[str]) -> dict[str, int]:
    """Number words from 1 on; 0 is for unknown words."""
    return {word: at for at, word in enumerate(dict.fromkeys(words), 1)}


def word_numbers(words: Strings, known: dict[str, int]) -> Indices:
    """Return the numbers of words."""
    return np.fromiter((known.get(word, UNKNOWN) for word in words), np.int64, len(words))


def _kinds(words: Strings, known: dict[str, int]) -> Indices:
    return word_numbers(tuple(map(kind, words)), known)


def _previous(numbers: Indices, first: int = UNKNOWN) -> Indices:
    return np.append(first, numbers[:-1])[: len(numbers)]


def _count_table(rows: Indices, codes: Indices, height: int, width: int) -> Floats:
    found = np.bincount(rows * width + codes, minlength=height * width)
    return found.reshape(height, width).astype(np.float64)
