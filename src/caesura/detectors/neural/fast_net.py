"""The detector `FastNet`: a small net over words and all other evidence, made to be fast.

Each word has a vector, to which those of its pause, its length, its speaker, its marks and its
capitals are added. A layer over the words around a gap, from four before it to three after it, a
vector for the two words that the gap parts, and sums over the words before are all there is. The
net looks at no more than three words after a gap, so that a stream can decide soon. Ranks of times,
and whether the text has marks and capitals, come from the words that the stream has. The net is
trained on its own, or taught by the probabilities of a larger model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.core.config import check_integer, check_number
from caesura.core.protocols import BatchDetector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import NO_GAP, MarkedWords, marked_words
from caesura.detectors.neural.encoder import GAP_LABELS, word_lines, word_list
from caesura.detectors.neural.evidence import (
    LENGTHS,
    RANKS,
    SECONDS,
    SIZES,
    Evidence,
    evidence_of,
    lost_marks,
    lower_if_all_upper,
    ranks_of,
    time_bins,
    without_times,
)
from caesura.ml.features import hash_spelling, normalized_spelling
from caesura.ml.neural.layers import Array, Linear, damaged, on_one_thread, relu
from caesura.ml.ngram_counts import START, UNKNOWN, Vocabulary, checked_hashes

OUTSIDE = START
"""The number of the word that stands before and after a recording."""

BEFORE, AFTER = 3, 3
"""The words that the first layer sees, besides the one before the gap."""

PAST = (3, 9, 24)
"""The sums over words before a gap reach so far back."""

SUFFIXES, SUFFIX = 1024, 3
"""Words that are not known have the vector of their last letters, one of so many."""

AT_ONCE = 512
"""Gaps that are decided at a time: their vectors fit into the cache."""

TIMES = ("seconds", "rank", "length")
OTHERS = ("turn", "mark", "case", "opening")
"""Columns whose vectors are added up once for all their combinations."""

SLOT_BITS = 18
LARGEST = 127
MOST_WEIGHT = 1e3


class Sizes(NamedTuple):
    """The sizes of a net."""

    words: int
    pairs: int
    vector: int
    hidden: int
    past: int
    second: int

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each array of weights."""
        values = sum(SIZES[name] for name in (*TIMES, *OTHERS))
        layers = {
            "first": (self.hidden, (BEFORE + 1 + AFTER) * self.vector),
            "past": (self.past, self.hidden),
            "second": (self.second, self.hidden + len(PAST) * self.past),
            "gap": (len(GAP_LABELS), self.second),
        }
        found: dict[str, tuple[int, ...]] = {
            "words.weight": (self.words, self.vector),
            "pairs.weight": (self.pairs, self.hidden),
            "values.weight": (values, self.vector),
        }
        for name, shape in layers.items():
            found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
        return found


EIGHT_BITS = ("words.weight", "pairs.weight")
"""Arrays that are stored as whole numbers from -127 to 127, with a scale for each row."""


def quantize(weights: Mapping[str, Array]) -> dict[str, NDArray[Any]]:
    """Return weights as they are stored."""
    found: dict[str, NDArray[Any]] = {}
    for name, array in weights.items():
        if name in EIGHT_BITS:
            scale = np.maximum(np.abs(array).max(axis=1), 1e-6) / LARGEST
            found[name] = np.rint(array / scale[:, None]).astype(np.int8)
            found[f"{name}.scale"] = scale.astype(np.float16)
        else:
            found[name] = array.astype(np.float16)
    return found


def restored(arrays: Mapping[str, NDArray[Any]], sizes: Sizes) -> dict[str, Array]:
    """Check stored arrays and return the weights."""
    shapes = sizes.shapes()
    wanted = {*shapes, *(f"{name}.scale" for name in EIGHT_BITS)}
    if set(arrays) != wanted:
        raise damaged(f"it has the arrays {', '.join(sorted(arrays))}")
    found = {}
    for name, shape in shapes.items():
        array = np.asarray(arrays[name])
        kind = np.int8 if name in EIGHT_BITS else np.float16
        if array.dtype != kind or array.shape != shape:
            raise damaged(f"{name} are not {' x '.join(map(str, shape))} numbers")
        weight = array.astype(np.float32)
        if name in EIGHT_BITS:
            scale = np.asarray(arrays[f"{name}.scale"])
            if scale.dtype != np.float16 or scale.shape != shape[:1]:
                raise damaged(f"the scales of {name} are not {shape[0]} numbers")
            if not (np.abs(scale) <= MOST_WEIGHT).all():
                raise damaged(f"the scales of {name} are not all numbers up to {MOST_WEIGHT:g}")
            weight *= scale.astype(np.float32)[:, None]
        if not (np.abs(weight) <= MOST_WEIGHT).all():
            raise damaged(f"{name} are not all numbers up to {MOST_WEIGHT:g}")
        found[name] = weight
    return found


def pair_keys(words: Indices) -> NDArray[np.uint32]:
    """Return a key for each word and the one after it; the last has none after it."""
    numbers = words.astype(np.uint32)
    after = np.append(numbers[1:], np.uint32(OUTSIDE))
    return (numbers * np.uint32(2654435761)) ^ (after * np.uint32(2246822519) + np.uint32(1))


class Pairs:
    """Finds the rows of pairs of words by their keys; row 0 is for those that are not known."""

    def __init__(self, keys: NDArray[np.uint32]) -> None:
        self.keys = keys
        self._row = np.zeros(1 << SLOT_BITS, np.int32)
        # Where several keys fall into one slot, the first one stays.
        self._row[self.slots(keys[:0:-1])] = np.arange(len(keys) - 1, 0, -1)

    def rows(self, words: Indices) -> Indices:
        """Return the row of each word and the one after it."""
        keys = pair_keys(words)
        rows = self._row[self.slots(keys)]
        return np.where(self.keys[rows] == keys, rows, 0)

    @staticmethod
    def slots(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the places of keys in the table; different keys may have the same."""
        found: NDArray[np.uint32] = keys >> np.uint32(32 - SLOT_BITS)
        return found


def word_numbers(vocabulary: Vocabulary, words: Sequence[str]) -> Indices:
    """Return the numbers of words; those that are not known have numbers by their last letters."""
    numbers = vocabulary.numbers(words)
    for at in np.flatnonzero(numbers == UNKNOWN).tolist():
        ending = normalized_spelling(words[at])[-SUFFIX:]
        numbers[at] = vocabulary.size + hash_spelling(ending) % SUFFIXES
    return np.where(numbers < 0, UNKNOWN, numbers)


def codes_of(evidence: Evidence) -> tuple[Indices, Indices]:
    """Return the combination of times, and that of all other evidence, at each word."""
    times = np.zeros(len(evidence.pause), np.int64)
    if not np.isnan(evidence.pause).all() or not np.isnan(evidence.length).all():
        times = time_bins(evidence.pause, SECONDS) * SIZES["rank"]
        times += time_bins(ranks_of(evidence.pause), RANKS)
        times = times * SIZES["length"] + time_bins(ranks_of(evidence.length), LENGTHS)
    others = np.zeros(len(times), np.int64)
    for name in OTHERS:
        others = others * SIZES[name] + getattr(evidence, name)
    return times, others


@dataclass(frozen=True, eq=False)
class FastNetModel:
    """The words and pairs that are known, how words are written, and the weights."""

    vocabulary: Vocabulary
    keys: NDArray[np.uint32]
    forms: Mapping[str, str]
    """How words with capitals are usually written, by their lower case."""

    weights: Mapping[str, Array]

    @cached_property
    def pairs(self) -> Pairs:
        """The table of pairs."""
        return Pairs(self.keys)

    @cached_property
    def times(self) -> Array:
        """The vector of each combination of times."""
        return self._combined(TIMES)

    @cached_property
    def others(self) -> Array:
        """The vector of each combination of other evidence."""
        return self._combined(OTHERS)

    def _combined(self, names: Sequence[str]) -> Array:
        order = (*TIMES, *OTHERS)
        first = dict(zip(order, np.cumsum([0, *(SIZES[name] for name in order)]), strict=False))
        found = np.zeros((1, self.weights["values.weight"].shape[1]), np.float32)
        for name in names:
            rows = self.weights["values.weight"][first[name] : first[name] + SIZES[name]]
            found = (found[:, None] + rows[None]).reshape(-1, found.shape[1])
        return found

    @cached_property
    def layers(self) -> Mapping[str, Linear]:
        """The layers by name."""
        return {name: Linear.of(self.weights, name) for name in ("first", "past", "second", "gap")}

    def scores(self, words: Indices, times: Indices, others: Indices) -> Array:
        """Return the scores of the classes of each gap of a recording."""
        back, count = PAST[-1] + BEFORE, len(words)
        words = np.pad(words, (back, AFTER), constant_values=OUTSIDE)
        times, others = (np.pad(codes, (back, AFTER)) for codes in (times, others))
        pairs = self.pairs.rows(words)
        found = np.empty((count, len(GAP_LABELS)), np.float32)
        with on_one_thread():
            for first in range(0, count, AT_ONCE):
                stop = min(first + AT_ONCE, count)
                here = slice(first, stop + back + AFTER)
                found[first:stop] = self._block(words[here], times[here], others[here], pairs[here])
        return found

    def _block(self, words: Indices, times: Indices, others: Indices, pairs: Indices) -> Array:
        """Return the scores of the gaps of a block with the words around it."""
        vectors = self.weights["words.weight"][words]
        vectors += self.times[times]
        vectors += self.others[others]
        width = BEFORE + 1 + AFTER
        count = len(vectors) - width + 1
        around = np.concatenate([vectors[k : k + count] for k in range(width)], axis=1)
        hidden = self.layers["first"](around)
        hidden += self.weights["pairs.weight"][pairs[BEFORE : BEFORE + count]]
        relu(hidden)
        sums = np.zeros((count + 1, self.layers["past"].weight.shape[1]), np.float32)
        np.cumsum(relu(self.layers["past"](hidden)), axis=0, out=sums[1:])
        last = PAST[-1]
        marks = [sums[last - back : len(sums) - 1 - back] for back in (0, *PAST)]
        parts = [
            (near - far) * np.float32(1 / (stop - start))
            for near, far, start, stop in zip(marks, marks[1:], (0, *PAST), PAST, strict=False)
        ]
        joined = np.concatenate([hidden[last:], *parts], axis=1)
        return self.layers["gap"](relu(self.layers["second"](joined)))


@dataclass(frozen=True, repr=False)
class FastNet(BatchDetector, TrainableDetector[FastNetModel]):
    """A small net over words and all other evidence.

    It knows so many `words` and `pairs` of words, the most frequent ones. `vector` is the length
    of word vectors, `hidden`, `past` and `second` the sizes of its layers. Training takes `steps`
    steps of `batch` windows at a learning `rate` that falls to 0; `seed` is that of its random
    numbers. `bias` is added to the log-odds, and `lone_bias` too where no times are known.
    """

    words: int = 30_000
    pairs: int = 24_000
    vector: int = 48
    hidden: int = 80
    past: int = 16
    second: int = 48
    steps: int = 4000
    batch: int = 32
    rate: float = 3e-3
    seed: int = 1
    bias: float = 0.0
    lone_bias: float = 0.0

    name = "FastNet"
    needs: ClassVar[Mapping[str, str]] = {"torch": "torch"}
    needs_extra: ClassVar[str] = "neural"
    retrain_settings = frozenset(
        {"words", "pairs", "vector", "hidden", "past", "second", "steps", "batch", "rate", "seed"}
    )

    def __post_init__(self) -> None:
        for name in ("vector", "hidden", "past", "second"):
            check_integer(name, getattr(self, name), 1, 4096)
        for name in ("words", "pairs"):
            check_integer(name, getattr(self, name), 1, 1_000_000)
        check_integer("steps", self.steps, 1, 100_000_000)
        check_integer("batch", self.batch, 1, 4096)
        check_integer("seed", self.seed, 0, 2**31)
        check_number("rate", self.rate, 1e-7, 1.0)
        check_number("bias", self.bias, -100, 100)
        check_number("lone_bias", self.lone_bias, -100, 100)

    @property
    def reach(self) -> int:
        """How many words after a gap decide it."""
        return AFTER

    @property
    def behind(self) -> int:
        """How many words before a gap any stream keeps."""
        return 2 * (PAST[-1] + BEFORE)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - the bias is tuned by `training`
        text: Sequence[Transcript] = (),
    ) -> FastNet:
        """Train on speech and on more text; `dev` is not needed here."""
        from caesura.ml.neural.torch_training import import_torch

        import_torch(f"training {self.name}")
        from caesura.detectors.neural.fast_net_training import fit

        return fit(self, train, text)

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide each recording."""
        return [self._segmentation(each) for each in transcripts]

    def scores(self, transcript: Transcript, marked: MarkedWords) -> Array:
        """Return the scores of the classes of the gap after each word that is no punctuation.

        Where the text has lost its marks, those elsewhere do not count.
        """
        numbers = word_numbers(self.model.vocabulary, marked.words)
        evidence = evidence_of(transcript, marked)
        found = self.model.scores(numbers, *codes_of(evidence))
        is_lost = lost_marks(evidence)
        if is_lost.any():
            bare = self.model.scores(numbers, *codes_of(evidence.without_marks()))
            found[is_lost] = bare[is_lost]
        return found

    def _segmentation(self, transcript: Transcript) -> Segmentation:
        marked = marked_words(transcript)
        log_odds = np.full(len(transcript), NO_GAP)
        if not len(marked.words):
            return Segmentation(log_odds > 0, ("",) * len(transcript), log_odds)
        scores = np.exp(self._centred(self.scores(transcript, marked)).T.astype(np.float64))
        inner, end = scores[0] + scores[1], scores[2] + scores[3] + scores[4]
        lone = self.lone_bias if without_times(transcript) else 0.0
        odds = np.log(end) - np.log(inner) + self.bias + lone
        log_odds[marked.last] = odds
        is_end = odds > 0
        is_end[-1] = True
        best = np.where(is_end, scores[2:].argmax(axis=0) + 2, scores[:2].argmax(axis=0))
        labels = np.full(len(transcript), "", object)
        labels[marked.last] = LABELS[best]
        table = self.model.forms
        words = lower_if_all_upper(transcript.words)
        written = tuple(map(table.get, words, words))
        return Segmentation(log_odds > 0, tuple(labels.tolist()), log_odds, written)

    @staticmethod
    def _centred(scores: Array) -> Array:
        """Subtract the mean of the scores of each gap, so that none is too large for `exp`."""
        scores -= scores.mean(axis=1, keepdims=True)
        return np.clip(scores, -60, 60, out=scores)

    def coverage(self, transcript: Transcript) -> float:
        """Return the share of the words that are in the vocabulary; 1 if there are no words."""
        return self.model.vocabulary.coverage(transcript.words)

    def describe(self) -> str:
        """Return the size of the net."""
        count = sum(array.size for array in self.model.weights.values())
        return f"A net of {count:,} weights that knows {len(self.model.vocabulary.hashes):,} words."

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that decides each gap when three words after it have arrived."""
        from caesura.detectors.window_stream import WindowStream

        return WindowStream(self, ahead=AFTER, behind=self.behind, state=state)

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the weights, hashes of words and pairs, and forms as the bytes of a list."""
        model = self.model
        forms = [f"{lower} {form}" for lower, form in sorted(model.forms.items())]
        return {
            "vocabulary": model.vocabulary.hashes,
            "keys": model.keys,
            "forms": word_list(forms),
            **quantize(model.weights),
        }

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> FastNet:
        """Return this detector with a stored model."""
        arrays = dict(state)
        try:
            hashes, keys = arrays.pop("vocabulary"), arrays.pop("keys")
            lines = word_lines(arrays.pop("forms"))
            forms = dict(line.split(" ") for line in lines if line)
        except (KeyError, ValueError) as error:
            raise damaged(f"it is not a FastNet: {error}") from error
        if keys.dtype != np.uint32 or keys.ndim != 1 or not len(keys):
            raise damaged("the pairs are not keys")
        vocabulary = Vocabulary(checked_hashes(hashes))
        weights = restored(arrays, self.sizes(vocabulary, len(keys)))
        return self.with_model(FastNetModel(vocabulary, np.array(keys), forms, weights))

    def sizes(self, vocabulary: Vocabulary, pairs: int) -> Sizes:
        """Return the sizes of a net with this vocabulary and so many pairs."""
        return Sizes(
            vocabulary.size + SUFFIXES, pairs, self.vector, self.hidden, self.past, self.second
        )


LABELS = np.array(GAP_LABELS, object)
