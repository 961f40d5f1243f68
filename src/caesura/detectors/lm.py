"""Sentence ends from words: the class n-gram language model of Gotoh and Renals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.config import check_integer, check_number, check_one_of, check_tuple
from caesura.core.protocols import TrainableDetector
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import check_classes, class_count, classes_of_gaps, missing_sentences
from caesura.detectors.hmm import (
    DECISIONS,
    HMMDetector,
    NumberedWords,
    drop_punctuation,
    known_share,
)
from caesura.ml.features import Vocabulary
from caesura.ml.ngram import FACTORS, KINDS, ClassNgram
from caesura.ml.ngram_counts import Counts, NumberedText, damaged, pack_counts, unpack_counts

MOST_HISTORIES = 1 << 12
"""The most class sequences a model may have: each word has a score for every one of them."""


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A vocabulary and n-gram counts: of speech and, if it was given, of other text."""

    vocabulary: Vocabulary
    counts: tuple[Counts, ...]
    _cache: dict[tuple[str, str, tuple[float, float]], list[ClassNgram]] = field(
        default_factory=dict
    )

    def ngrams(
        self, factors: str, smoothing: str, strength: tuple[float, float]
    ) -> list[ClassNgram]:
        """Return the n-gram models of these counts; the latest ones are cached."""
        key = (factors, smoothing, strength)
        if key not in self._cache:
            made = [ClassNgram(counts, *key) for counts in self.counts]
            self._cache.clear()
            self._cache[key] = made
        return self._cache[key]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return vocabulary and counts as named arrays."""
        parts = zip(("speech", "text"), self.counts, strict=False)
        found = {f"{part}.{k}": array for part, c in parts for k, array in pack_counts(c).items()}
        return {"vocabulary": self.vocabulary.hashes, **found}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], classes: int, order: int) -> LanguageModel:
        """Make a model from the arrays of `arrays()`, or raise a `ModelError`."""
        hashes = arrays.get("vocabulary")
        if hashes is None or hashes.dtype != np.uint64 or hashes.ndim != 1:
            raise damaged("there is no vocabulary")
        if (hashes[1:] <= hashes[:-1]).any():
            raise damaged("the vocabulary is not in order")
        vocabulary = Vocabulary(np.array(hashes))
        parts: dict[str, dict[str, NDArray[Any]]] = {"speech": {}}
        for name, array in arrays.items():
            if name != "vocabulary":
                part, _, inner = name.partition(".")
                parts.setdefault(part, {})[inner] = array
        if list(parts) not in (["speech"], ["speech", "text"]):
            raise damaged(f"it has the parts {', '.join(parts)}")
        counts = [unpack_counts(part, vocabulary.size, classes, order) for part in parts.values()]
        return cls(vocabulary, tuple(counts))


@dataclass(frozen=True, repr=False)
class LM(HMMDetector, TrainableDetector[LanguageModel]):
    """A class n-gram model of words inside sentences and across their ends, of up to `order` words.

    `factors` is 'class' to draw the class of a word before the word (equation 4), 'word' to
    draw it after; `smoothing` is 'interpolation', where shorter histories count with the
    `strength` for words and classes, or 'backoff'. Words seen fewer than `cutoff` times are
    unknown; sequences of 2, 3, ... words seen less often than `prune` says are left out. Text
    of another kind, if there is any to train on, has a model of its own, pruned by `text_prune`,
    with a `share` in the mixture. With `classes` each of these labels is a class of its own, as
    in ('.', '?', ','). `decision` is 'posterior' or 'viterbi'; `bias` is added to the log-odds.
    """

    order: int = 3
    factors: str = "word"
    smoothing: str = "interpolation"
    strength: tuple[float, float] = (4.0, 16.0)
    cutoff: int = 2
    prune: tuple[int, ...] = ()
    text_prune: tuple[int, ...] = ()
    share: float = 0.5
    classes: Strings = ()
    decision: str = "posterior"
    bias: float = 0.0

    name = "LM"
    retrain_settings = frozenset({"order", "cutoff", "prune", "text_prune", "classes"})

    def __post_init__(self) -> None:
        check_integer("order", self.order, 2, 5)
        check_one_of("factors", self.factors, FACTORS)
        check_one_of("smoothing", self.smoothing, KINDS)
        check_one_of("decision", self.decision, DECISIONS)
        check_integer("cutoff", self.cutoff, 1, 1 << 31)
        check_number("share", self.share, 0, 1)
        check_number("bias", self.bias, -1e9, 1e9)
        object.__setattr__(self, "classes", check_classes(self.classes))
        if self.histories > MOST_HISTORIES:
            raise ValueError(
                f"{len(self.classes)} classes are too many for an order of {self.order}: there "
                f"would be {self.histories:,} sequences of them, and {MOST_HISTORIES:,} is the most"
            )
        for name in ("strength", "prune", "text_prune"):
            object.__setattr__(self, name, check_tuple(name, getattr(self, name)))
        if len(self.strength) != 2:
            raise ValueError(f"strength is two numbers, not {self.strength!r}")
        for number in self.strength:
            check_number("strength", number, 1e-9, 1e9)
        for name in ("prune", "text_prune"):
            least = getattr(self, name)
            for number in least:
                check_integer(name, number, 1, 1 << 31)
            if len(least) > self.order - 1 or any(a > b for a, b in pairwise(least)):
                raise ValueError(
                    f"{name} is up to {self.order - 1} numbers that do not fall, not {least!r}"
                )

    @property
    def histories(self) -> int:
        """The number of different sequences of `order` classes."""
        return int(class_count(self.classes) ** self.order)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - settings are tuned from outside
        text: Sequence[Transcript] = (),
    ) -> LM:
        """Count n-grams in recordings with sentences; the vocabulary is that of `train`."""
        vocabulary = Vocabulary.of((each.words for each in train), self.cutoff)
        counts: list[Counts] = []
        for given, prune in ((train, self.prune), (text, self.text_prune)):
            words = drop_punctuation(given, vocabulary)
            found = [(each, classes_of_gaps(each, self.classes)) for each in words]
            pairs = [(each, labels) for each, labels in found if labels is not None]
            if not pairs:
                if given or not counts:
                    raise missing_sentences(len(given))
                continue
            least = [*prune, *[max(prune, default=1)] * (self.order - 1 - len(prune))]
            known, labels = zip(*pairs, strict=True)
            width = class_count(self.classes)
            counts.append(count_ngrams(known, labels, vocabulary, width, least))
        return self.with_model(LanguageModel(vocabulary, tuple(counts)))

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the hashes of the vocabulary and all counts."""
        return self.model.arrays()

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> LM:
        """Return this detector with a stored vocabulary and stored counts."""
        width = class_count(self.classes)
        return self.with_model(LanguageModel.of(state, width, self.order))

    def number_words(self, transcripts: Sequence[Transcript]) -> NumberedWords:
        """Number the words of recordings by the vocabulary."""
        return NumberedWords.of(transcripts, self.model.vocabulary)

    def scores(self, transcripts: Sequence[Transcript], words: NumberedWords) -> Floats:  # noqa: ARG002
        """Return the log-probability of each word and class after each history of classes."""
        models = self.model.ngrams(self.factors, self.smoothing, self.strength)
        return mixture_scores(models, words.text, self.share)

    def coverage(self, transcript: Transcript) -> float:
        """Return the share of the words that are in the vocabulary."""
        return known_share(transcript, self.model.vocabulary)

    def lacks(self, transcript: Transcript) -> str:
        """Return a message if none of the words is in the vocabulary, else ''."""
        known = len(transcript) < 2 or self.coverage(transcript) > 0
        return "" if known else "no word that the model knows"


def count_ngrams(
    transcripts: Sequence[Transcript],
    labels: Sequence[Indices],
    vocabulary: Vocabulary,
    classes: int,
    least: Sequence[int],
) -> Counts:
    """Count n-grams in recordings without punctuation, whose gaps have these classes."""
    words = NumberedWords.of(transcripts, vocabulary)
    return Counts.of(words.text, words.with_start(labels), vocabulary.size, classes, list(least))


def mixture_scores(models: Sequence[ClassNgram], text: NumberedText, share: float) -> Floats:
    """Score text with one model, or with a mixture in which the second one has a `share`."""
    if len(models) == 1 or share == 0:
        return models[0].score(text)
    if share == 1:
        return models[1].score(text)
    first, second = (model.score(text) for model in models)
    first += np.log1p(-share)
    second += np.log(share)
    return np.logaddexp(first, second, out=first)
