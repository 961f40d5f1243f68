"""What the neural detectors share: words as numbers, training, decisions, storage.

A net sees rows of word numbers (`WordWindows`) and gives each gap a score for each
class. It is trained by torch and run by numpy; its weights are stored as float16.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from caesura.core.arrays import Floats, Indices, Strings
from caesura.core.config import check_integer, check_number
from caesura.core.protocols import BatchDetector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript, batches
from caesura.detectors.gaps import (
    check_classes,
    class_count,
    classes_of_gaps,
    ends_sentence,
    gaps_after_words,
    likeliest_classes,
    missing_sentences,
    place_classes,
)
from caesura.detectors.lm import drop_punctuation
from caesura.ml.neural.layers import Array, damaged, on_one_thread
from caesura.ml.neural.torch_training import IGNORED, Schedule, fit, import_torch
from caesura.ml.ngram_counts import NO_WORD, START, UNKNOWN, Vocabulary, checked_hashes

OUTSIDE = START
"""The number of the word that stands before and after a recording."""

KEPT = 64
"""Words of a row that are decided by it."""

LEAST_ROWS, MOST_ROWS = 4, 32
"""Rows of a batch in training: few if there is little text, so that there are enough batches."""

BATCHES = 200
"""Batches of an epoch, if their sizes allow it."""

HIDDEN_SHARE = 0.02
"""The share of words that training replaces by the unknown word, so that it is learnt."""

MOST_WEIGHT = 1e3
"""The largest weight of a net, so that no score is infinite."""

WORDS_AT_ONCE = 1 << 14
"""Words that are decided at a time; more make nothing faster and take memory."""

NUMBERS_AT_ONCE = 1 << 26
"""Numbers that the largest array may have, so that large nets take no more memory."""

Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class WordWindows:
    """How recordings are cut into rows of one width, whatever their lengths are.

    A row has some words that are kept, and words before and after them for context. The rows of a
    recording keep each of its words once. Cells outside the recording are filled.
    """

    before: int
    kept: int
    after: int

    @property
    def width(self) -> int:
        """The number of words in a row."""
        return self.before + self.kept + self.after

    def cut(self, columns: Sequence[Indices], fill: int) -> Indices:
        """Cut columns over words, one for each recording, into rows; `fill` is outside."""
        rows = [np.zeros((0, self.width), np.int64)]
        for column in columns:
            count = self.count(len(column))
            if count:
                padded = np.full(self.before + count * self.kept + self.after, fill, np.int64)
                padded[self.before : self.before + len(column)] = column
                rows.append(sliding_window_view(padded, self.width)[:: self.kept])
        return np.concatenate(rows)

    def cut_kept(self, columns: Sequence[Indices], fill: int) -> Indices:
        """Cut columns into rows of the kept words alone."""
        return WordWindows(0, self.kept, 0).cut(columns, fill)

    def join(self, values: NDArray[Any], lengths: Sequence[int]) -> list[NDArray[Any]]:
        """Undo `cut_kept`: return what the rows say about the words of each recording."""
        found, first = [], 0
        for length in lengths:
            count = self.count(length)
            own = values[first : first + count]
            found.append(own.reshape(count * self.kept, *values.shape[2:])[:length])
            first += count
        return found

    def count(self, words: int) -> int:
        """Return the number of rows of a recording."""
        return -(-words // self.kept)


@dataclass(frozen=True, eq=False)
class TrainedNet:
    """The vocabulary of a net, and its weights by name."""

    vocabulary: Vocabulary
    weights: Mapping[str, Array]

    @classmethod
    def of(cls, state: Mapping[str, NDArray[Any]], shapes: Shapes) -> TrainedNet:
        """Check stored arrays; all but the vocabulary are weights of these shapes."""
        if set(state) != {"vocabulary", *shapes}:
            raise damaged(f"it has the arrays {', '.join(sorted(state))}")
        weights = {}
        for name, shape in shapes.items():
            array = np.asarray(state[name])
            if array.dtype != np.float16 or array.shape != shape:
                raise damaged(f"{name} are not {' x '.join(map(str, shape))} numbers")
            if not (abs(array) <= MOST_WEIGHT).all():
                raise damaged(f"{name} are not all numbers up to {MOST_WEIGHT:g}")
            weights[name] = array.astype(np.float32)
        return cls(Vocabulary(checked_hashes(state["vocabulary"])), weights)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the vocabulary and the weights as they are stored."""
        weights = {name: array.astype(np.float16) for name, array in self.weights.items()}
        return {"vocabulary": self.vocabulary.hashes, **weights}


@dataclass(frozen=True, repr=False)
class NetDetector(BatchDetector, TrainableDetector[TrainedNet]):
    """A net that gives each gap a score for each class, from the words around it.

    `vector` is the length of word vectors; words seen fewer than `cutoff` times are unknown.
    With `classes` each of these labels is a class of its own. Training takes `epochs` with a
    learning `rate` that falls to 0, and leaves out a share of the numbers inside the net
    (`dropout`); `seed` is that of its random numbers. `bias` is added to the log-odds.
    """

    classes: Strings = ()
    vector: int = 64
    cutoff: int = 3
    epochs: int = 4
    rate: float = 0.002
    dropout: float = 0.2
    seed: int = 1
    bias: float = 0.0

    needs: ClassVar = {"torch": "torch"}
    needs_extra: ClassVar = "neural"
    learnt_with: ClassVar = frozenset(
        {"classes", "vector", "cutoff", "epochs", "rate", "dropout", "seed"}
    )
    """Settings of every net that training depends on."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", check_classes(self.classes))
        check_integer("vector", self.vector, 1, 4096)
        check_integer("cutoff", self.cutoff, 1, 1 << 31)
        check_integer("epochs", self.epochs, 1, 1 << 20)
        check_number("rate", self.rate, 1e-9, 1)
        check_number("dropout", self.dropout, 0, 0.95)
        check_integer("seed", self.seed, 0, 1 << 31)
        check_number("bias", self.bias, -1e9, 1e9)

    @property
    @abstractmethod
    def windows(self) -> WordWindows:
        """How recordings are cut into rows: gap k of a row lies after its kept word k."""

    @property
    @abstractmethod
    def units(self) -> int:
        """How many numbers a net holds for each word of a row at most."""

    @abstractmethod
    def shapes(self, words: int) -> Shapes:
        """Return the shape of each array of weights, given the number of word numbers."""

    @abstractmethod
    def scores(self, weights: Mapping[str, Array], rows: Indices) -> Array:
        """Return the score of each class at each gap of rows, by numpy."""

    @abstractmethod
    def make_net(self, torch: Any, words: int) -> Any:
        """Make an untrained net of torch, whose weights have the names and shapes of `shapes`."""

    @abstractmethod
    def torch_scores(self, torch: Any, net: Any, rows: Any) -> Any:
        """Return what `scores` returns, by torch."""

    @property
    def reach(self) -> int:
        """How many words after a gap a stream looks at."""
        return self.windows.after

    @property
    def behind(self) -> int:
        """How many words before a gap a stream looks at, besides the last one."""
        return self.windows.before

    @property
    def class_count(self) -> int:
        """The number of classes, class 0 included."""
        return class_count(self.classes)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - settings are tuned from outside
        text: Sequence[Transcript] = (),
    ) -> Self:
        """Train the net on all recordings with sentences, `text` among them."""
        torch = import_torch(f"training {self.name}")
        given = [*train, *text]
        vocabulary = Vocabulary.of((each.words for each in given), self.cutoff)
        found = [
            (vocabulary.numbers(each.words), classes_of_gaps(each, self.classes))
            for each in drop_punctuation(given, vocabulary)
        ]
        pairs = [(words, labels) for words, labels in found if labels is not None and len(labels)]
        if not pairs:
            raise missing_sentences(len(given))
        words, labels = zip(*pairs, strict=True)

        def scores(net: Any, rows: Any) -> Any:
            hidden = torch.rand(rows.shape) < HIDDEN_SHARE
            return self.torch_scores(
                torch, net, rows.masked_fill(hidden & (rows != OUTSIDE), UNKNOWN)
            )

        rows = self.windows.cut(words, OUTSIDE)
        size = min(max(len(rows) // BATCHES, LEAST_ROWS), MOST_ROWS)
        weights = fit(
            torch,
            lambda: self.make_net(torch, vocabulary.size),
            scores,
            rows,
            self.windows.cut_kept(labels, IGNORED),
            Schedule(self.epochs, self.rate, size, self.seed),
        )
        return self.from_state(TrainedNet(vocabulary, weights).arrays())

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the hashes of the vocabulary and the weights."""
        return self.model.arrays()

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """Return this detector with a stored vocabulary and stored weights."""
        words = len(state["vocabulary"]) + Vocabulary(np.zeros(0, np.uint64)).size
        return self.with_model(TrainedNet.of(state, self.shapes(words)))

    def describe(self) -> str:
        """Return the size of the net."""
        count = sum(array.size for array in self.model.weights.values())
        return f"A net of {count:,} weights that knows {len(self.model.vocabulary.hashes):,} words."

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Segment many recordings; the rows of short ones are run together."""
        return [
            found for batch in batches(transcripts, WORDS_AT_ONCE) for found in self._segment(batch)
        ]

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that decides each gap from a window of words around it."""
        from caesura.detectors.window_stream import WindowStream

        return WindowStream(self, ahead=self.reach, behind=self.behind, state=state)

    def coverage(self, transcript: Transcript) -> float:
        """Return the share of the words that are in the vocabulary; 1 if there are no words."""
        return self.model.vocabulary.coverage(transcript.words)

    def lacks(self, transcript: Transcript) -> str:
        """Return a message if none of the words is in the vocabulary, else ''."""
        known = len(transcript) < 2 or self.coverage(transcript) > 0
        return "" if known else "no word that the model knows"

    def _segment(self, transcripts: Sequence[Transcript]) -> Iterator[Segmentation]:
        vocabulary = self.model.vocabulary
        numbers = [vocabulary.numbers(each.words) for each in transcripts]
        is_word = [each != NO_WORD for each in numbers]
        words = [each[here] for each, here in zip(numbers, is_word, strict=True)]
        scores = self._run(self.windows.cut(words, OUTSIDE))
        for here, own in zip(is_word, self.windows.join(scores, [*map(len, words)]), strict=True):
            chosen, odds = self._decide(own.astype(np.float64))
            yield place_classes(len(here), gaps_after_words(here), chosen, odds, self.classes)

    def _run(self, rows: Indices) -> Array:
        """Run the net on rows, as many at a time as fit into memory."""
        row = self.windows.width * self.units
        step = max(1, min(WORDS_AT_ONCE // KEPT, NUMBERS_AT_ONCE // row))
        with on_one_thread():
            parts = [
                self.scores(self.model.weights, rows[first : first + step])
                for first in range(0, len(rows), step)
            ]
        return np.concatenate([np.zeros((0, KEPT, self.class_count), np.float32), *parts])

    def _decide(self, scores: Floats) -> tuple[Indices, Floats]:
        """Return the class and the log-odds of each gap; the last one is a boundary."""
        ends = ends_sentence(self.classes)
        end, other = (np.logaddexp.reduce(scores[:, which], axis=1) for which in (ends, ~ends))
        odds = end - other + self.bias
        is_end = odds > 0
        is_end[-1:] = True
        return likeliest_classes(scores, is_end, self.classes), odds
