"""The detectors `LM` and `Combination`: words, or words and pauses, as in Gotoh and Renals.

`HMMDetector` decodes the gaps of a recording as a hidden Markov model: it turns scores of words
and classes into decisions, by forward-backward or Viterbi (`ml/viterbi.py`). `LM` scores words by
a class n-gram language model. `Combination` adds the scores of a `PauseModel` (`pause.py`), by
both decompositions of the paper, as way A and way B.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.config import (
    check_integer,
    check_number,
    check_one_of,
    check_tuple,
    prefixed_state,
    split_state,
)
from caesura.core.protocols import BatchDetector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript, batches
from caesura.detectors.gaps import (
    DECISIONS,
    check_classes,
    class_count,
    classes_of_gaps,
    ends_sentence,
    gaps_after_words,
    likeliest_classes,
    missing_sentences,
    place_classes,
    without_punctuation,
)
from caesura.detectors.pause import PauseModel
from caesura.ml import viterbi
from caesura.ml.ngram import FACTORS, KINDS, ClassNgram
from caesura.ml.ngram_counts import (
    NO_WORD,
    START,
    Counts,
    NumberedText,
    Vocabulary,
    damaged,
    pack_counts,
    unpack_counts,
)

CELLS = 1 << 23
"""Scores that are held in memory at a time."""

AHEAD, BEHIND = 25, 100
"""Words around a gap that a stream looks at; those farther away hardly matter."""

BEFORE = 1
"""The class of the gaps that are assumed before a recording."""


@dataclass(frozen=True, eq=False)
class NumberedWords:
    """Recordings as word numbers, without the punctuation that stands as a word."""

    text: NumberedText
    lengths: Indices
    is_word: tuple[Flags, ...]
    """Which tokens of each recording are words."""

    @classmethod
    def of(cls, transcripts: Sequence[Transcript], vocabulary: Vocabulary) -> NumberedWords:
        """Number the words of recordings."""
        numbers = [vocabulary.numbers(each.words) for each in transcripts]
        is_word = tuple(each != NO_WORD for each in numbers)
        inside = [each[here] for each, here in zip(numbers, is_word, strict=True)]
        lengths = np.array([len(each) for each in inside], np.int64)
        words = np.insert(np.concatenate([np.zeros(0, np.int64), *inside]), _begins(lengths), START)
        return cls(
            NumberedText(words, _begins(lengths) + np.arange(len(lengths))), lengths, is_word
        )

    def with_start(self, labels: Sequence[Indices]) -> Indices:
        """Join the classes of all recordings, each with the class `BEFORE` in front."""
        whole = np.concatenate([np.zeros(0, np.int64), *labels])
        return np.insert(whole, _begins(self.lengths), BEFORE)


def _begins(lengths: Indices) -> Indices:
    return np.cumsum(lengths) - lengths


def drop_punctuation(transcripts: Sequence[Transcript], vocabulary: Vocabulary) -> list[Transcript]:
    """Remove punctuation that stands as a word from recordings."""
    return [
        without_punctuation(each, vocabulary.numbers(each.words) != NO_WORD) for each in transcripts
    ]


class HMMDetector(BatchDetector):
    """Decides by the most probable class of each gap, or by the best sequence of classes.

    The log-odds are those of the classes that end a sentence, plus the bias.
    """

    classes: Strings
    decision: str
    bias: float

    reach = AHEAD
    """How many words after a gap a stream looks at."""

    behind = BEHIND
    """How many words before a gap a stream looks at."""

    @property
    @abstractmethod
    def histories(self) -> int:
        """The number of different class sequences of the model's order."""

    @abstractmethod
    def number_words(self, transcripts: Sequence[Transcript]) -> NumberedWords:
        """Number the words of recordings."""

    @abstractmethod
    def scores(self, transcripts: Sequence[Transcript], words: NumberedWords) -> Floats:
        """Return the log-score of each class of each word, after each history of classes."""

    def bias_in(self, transcript: Transcript) -> float:  # noqa: ARG002 - others look at it
        """Return the bias that is added to the log-odds of a recording."""
        return self.bias

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment many recordings, as many at a time as fit into memory."""
        most = CELLS // self.histories
        return [found for batch in batches(transcripts, most) for found in self._segment(batch)]

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that decides each gap from a window of words around it."""
        from caesura.detectors.window_stream import WindowStream

        return WindowStream(self, ahead=self.reach, behind=self.behind, state=state)

    def _segment(self, transcripts: Sequence[Transcript]) -> Iterator[Segmentation]:
        words = self.number_words(transcripts)
        scores = self.scores(transcripts, words)
        count = class_count(self.classes)
        probabilities = viterbi.posterior(scores, words.lengths, count)
        ends = ends_sentence(self.classes)
        bias = np.repeat([self.bias_in(each) for each in transcripts], words.lengths)
        end, other = (probabilities[:, which].sum(axis=1) for which in (ends, ~ends))
        odds = viterbi.logs(end) - viterbi.logs(other) + bias
        best = viterbi.viterbi(scores, words.lengths, count) if self.decision == "viterbi" else None
        is_end = odds > 0 if best is None else ends[best]
        is_end[np.cumsum(words.lengths)[words.lengths > 0] - 1] = True
        chosen = likeliest_classes(probabilities, is_end, self.classes)
        if best is not None:
            # The end of a recording is a boundary even where the best sequence has none.
            chosen = np.where(ends[best] == is_end, best, chosen)
        stop = np.cumsum(words.lengths)[:-1]
        parts = zip(words.is_word, np.split(chosen, stop), np.split(odds, stop), strict=True)
        for is_word, numbers, log_odds in parts:
            gaps = gaps_after_words(is_word)
            yield place_classes(len(is_word), gaps, numbers, log_odds, self.classes)


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
        """Return the share of the words that are in the vocabulary; 1 if there are no words."""
        return self.model.vocabulary.coverage(transcript.words)

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


ENOUGH, LEAST_SHARE = 50, 0.02
"""Times are used if fewer than ENOUGH gaps have them, or LEAST_SHARE of these have a pause."""

WORDS, PAUSES = LM(), PauseModel()


@dataclass(frozen=True, repr=False)
class Combination(HMMDetector):
    """A language model and a pause model in one search, the pause model with a `weight`.

    In way 'A' pauses count as p(f | e) (equations 10 to 12), in way 'B' as p(e | f) (13 and 14).
    `decision` is 'posterior' or 'viterbi'. `bias` is added to the log-odds, and `lone_bias` too
    in a recording without word times and pause markers, where words decide alone. Times that
    show almost no pauses are ignored.
    """

    lm: LM = WORDS
    pause: PauseModel = PAUSES
    way: str = "A"
    weight: float = 1.0
    decision: str = "posterior"
    bias: float = 0.0
    lone_bias: float = 0.0

    name = "Combination"

    def __post_init__(self) -> None:
        if not isinstance(self.lm, LM) or not isinstance(self.pause, PauseModel):
            raise ValueError("lm is an LM and pause a PauseModel")
        if self.lm.classes != self.pause.classes:
            raise ValueError("the classes of lm and pause differ")
        check_one_of("way", self.way, ("A", "B"))
        check_one_of("decision", self.decision, DECISIONS)
        check_number("weight", self.weight, 0, 1000)
        check_number("bias", self.bias, -1e9, 1e9)
        check_number("lone_bias", self.lone_bias, -1e9, 1e9)

    @property
    def classes(self) -> Strings:  # type: ignore[override]
        """The classes of both models."""
        return self.lm.classes

    @property
    def histories(self) -> int:
        """The number of different class sequences of the language model's order."""
        return self.lm.histories

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Combination:
        """Train both models."""
        lm = self.lm.train(train, dev, text)
        pause = self.pause.train(drop_punctuation(train, lm.model.vocabulary))
        return replace(self, lm=lm, pause=pause)

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the states of both models."""
        return prefixed_state({"lm": self.lm, "pause": self.pause})

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Combination:
        """Return this detector with stored states of both models."""
        others, lm, pause = split_state(state, "lm", "pause")
        if others:
            raise damaged(f"it has an array {min(others)}")
        return replace(self, lm=self.lm.from_state(lm), pause=self.pause.from_state(pause))

    def number_words(self, transcripts: Sequence[Transcript]) -> NumberedWords:
        """Number the words of recordings by the vocabulary."""
        return self.lm.number_words(transcripts)

    def scores(self, transcripts: Sequence[Transcript], words: NumberedWords) -> Floats:
        """Return the log-score of each word, class and pause after it, for each history."""
        scores = self.lm.scores(transcripts, words)
        trusted = [self._with_usable_times(each) for each in transcripts]
        emissions = [
            self.pause.emissions(without_punctuation(each, is_word), self.way)  # type: ignore[arg-type]
            for each, is_word in zip(trusted, words.is_word, strict=True)
        ]
        width = class_count(self.classes)
        evidence = self.weight * np.concatenate(emissions)
        cells = scores.reshape(len(scores), scores.shape[1] // width, width)
        cells += evidence[:, None, :]
        return scores

    def bias_in(self, transcript: Transcript) -> float:
        """Return the bias that is added to the log-odds of a recording."""
        pauses = self._with_usable_times(transcript).pauses()
        alone = transcript.pause is None and bool(np.isnan(pauses).all())
        return self.bias + (self.lone_bias if alone else 0.0)

    def _with_usable_times(self, transcript: Transcript) -> Transcript:
        """Remove times that hardly show a pause: they were made up, or words were joined."""
        pauses = transcript.pauses()
        known = pauses[~np.isnan(pauses)]
        if len(known) < ENOUGH or np.mean(known >= self.pause.step / 2) >= LEAST_SHARE:
            return transcript
        return transcript.replace(start=None, end=None)

    def coverage(self, transcript: Transcript) -> float:
        """Return the share of the words that are in the vocabulary."""
        return self.lm.coverage(transcript)

    def lacks(self, transcript: Transcript) -> str:
        """Return what is missing if neither model has anything to decide by."""
        words, pauses = self.lm.lacks(transcript), self.pause.lacks(transcript)
        return f"{words}, and {pauses}" if words and pauses else ""
