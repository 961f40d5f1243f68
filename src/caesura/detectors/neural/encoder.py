"""The detector `Encoder`: a transformer that sees words, pauses, speakers, marks and capitals.

One model decides everything at a gap and a word: whether a comma, a period, a question mark or an
exclamation mark follows, and how the word is written. All evidence enters with the words, so that
the same pause may mean something else after other words. What a transcript does not have is told
to the model as not known.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.core.config import check_integer, check_number, check_one_of
from caesura.core.errors import ModelError
from caesura.core.protocols import BatchDetector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import NO_GAP, MarkedWords, marked_words
from caesura.detectors.neural.evidence import (
    COLUMNS,
    SIZES,
    columns_of_words,
    evidence_of,
    lost_marks,
    lower_if_all_upper,
    without_times,
)
from caesura.ml.neural.transformer import Shape, Single, Transformer
from caesura.ml.neural.wordpiece import BEGIN, END, SPECIAL, WordPieces
from caesura.text.punctuation import SENTENCE_STARTERS

if TYPE_CHECKING:
    from caesura.ml.neural.onnx_graph import OnnxTransformer

logger = logging.getLogger("caesura.detectors")

GAP_LABELS = ("", ",", ".", "?", "!")
"""The classes of gaps; the last three end a sentence."""

LOWER, CAPITALISED, UPPER, MIXED = range(4)
"""The classes of words by their case."""

USUAL = 4
"""The case of a word whose capital may only be that of a first word: as it is usually written."""

LIKELY_END = -1.0
"""Log-odds above which a sentence may end before a word."""

LOOKAHEADS = (0, 1, 2, 3, 5)
"""Words after a gap, for each of which there is a head; the last head has seen enough words."""

ENOUGH = 12
"""From so many words after a gap on, more words hardly matter."""

BEFORE, AFTER = 12, 12
"""Words at the ends of a window that another window decides, with more words around them."""

RUNTIMES = ("auto", "numpy", "onnxruntime")
CLOSE = 0.001
"""Scores of onnxruntime that are so near to another decision are computed again by numpy.

Both round differently: of 8,000 words of a call the log-odds differed by 0.00001 at most.
"""

MOST_HEADS = 64
"""More heads of attention would take much memory."""

AT_ONCE = 2
"""Windows that are scored at a time: their vectors fit into the cache."""

WHOLE = {
    "layers": (1, 48),
    "pieces": (300, 1_000_000),
    "window": (64, 512),
    "steps": (1, 100_000_000),
    "batch": (1, 4096),
    "seed": (0, 2**31),
}
"""Settings that are whole numbers, and their limits."""

SCOTTISH_OR_IRISH = re.compile(r"(mc|[od]['’])(\w{3,})")
ACRONYM_WITH_ENDING = re.compile(r"([a-z]{1,6})(['’]?s)")

VALUE_SIZES = [SIZES[name.removesuffix(" before")] for name in COLUMNS]
OFFSETS = np.cumsum([0, *VALUE_SIZES])[:-1]
VALUES = sum(VALUE_SIZES)


@dataclass(frozen=True)
class EncoderModel:
    """The pieces of words, how words with capitals are usually written, and the weights."""

    vocabulary: WordPieces
    forms: Mapping[str, str]
    """How words are written that usually have capitals, by their lower case."""

    transformer: Transformer

    @cached_property
    def onnx(self) -> OnnxTransformer:
        """The same net, run by onnxruntime."""
        if not has_onnxruntime():
            what = "onnxruntime is not installed, or cannot be imported"
            raise ModelError(what, remedy="pip install 'caesura[fast]'")
        from caesura.ml.neural.onnx_graph import OnnxTransformer

        return OnnxTransformer(self.transformer)


@cache
def has_onnxruntime() -> bool:
    """Whether onnxruntime is installed; one that cannot be imported is a warning."""
    if find_spec("onnxruntime") is None:
        return False
    try:
        import_module("onnxruntime")
    except Exception as error:
        logger.warning("onnxruntime cannot be imported (%s): numpy is used", error)
        return False
    return True


class Scores(NamedTuple):
    """Log-probabilities for each word: of the classes of the gap after it, and of its case."""

    gap: Single
    case: Single


@dataclass(frozen=True, repr=False)
class Encoder(BatchDetector, TrainableDetector[EncoderModel]):
    """A transformer over words and all other evidence.

    `base` is the pretrained encoder that training starts from: a folder in the form of Hugging
    Face, or the name of a package that holds one; '' for a small net from scratch. Training takes
    `steps` steps of `batch` windows. `layers` and `pieces` say how much of the base is kept, and
    `window` how many word pieces it sees at once.

    `bias` is added to the log-odds, and `lone_bias` too where no times are known. In a stream, a
    gap is decided when `ahead` words after it have arrived. It is run by onnxruntime where that is
    installed, else by numpy; `runtime` names one of them. Both decide alike.
    """

    base: str = ""
    layers: int = 6
    pieces: int = 16_000
    window: int = 192
    steps: int = 2000
    batch: int = 12
    rate: float = 8e-5
    seed: int = 1
    bias: float = 0.0
    lone_bias: float = 0.0
    ahead: int = 5
    runtime: str = "auto"

    name = "Encoder"
    needs: ClassVar[Mapping[str, str]] = {"torch": "torch"}
    needs_extra: ClassVar[str] = "neural"
    retrain_settings = frozenset(
        {"base", "layers", "pieces", "window", "steps", "batch", "rate", "seed"}
    )

    def __post_init__(self) -> None:
        if not isinstance(self.base, str):
            raise ValueError(f"base is a folder or the name of a package, not {self.base!r}")
        for name, (least, most) in WHOLE.items():
            check_integer(name, getattr(self, name), least, most)
        check_number("rate", self.rate, 1e-7, 1.0)
        check_number("bias", self.bias, -100, 100)
        check_number("lone_bias", self.lone_bias, -100, 100)
        check_one_of("ahead", self.ahead, LOOKAHEADS)
        check_one_of("runtime", self.runtime, RUNTIMES)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - the bias is tuned by `training`
        text: Sequence[Transcript] = (),
    ) -> Encoder:
        """Train on speech and on more text; `dev` is not needed here."""
        from caesura.ml.neural.torch_training import import_torch

        import_torch(f"training {self.name}")
        from caesura.detectors.neural.encoder_training import fit

        return fit(self, train, text)

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide each recording; its windows are decided together."""
        return [self._segmentation(each, goes_on=False) for each in transcripts]

    def detect_unfinished(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide words after which more will come, each gap by the head for the words it has."""
        return [self._segmentation(each, goes_on=True) for each in transcripts]

    def scores(self, transcript: Transcript, marked: MarkedWords, goes_on: bool = False) -> Scores:
        """Return log-probabilities for each word that is no punctuation.

        Where the text has lost its marks, those elsewhere do not count.
        """
        pieces, start = self.model.vocabulary.split_all(marked.words)
        stops = np.append(start, len(pieces))
        evidence = evidence_of(transcript, marked)
        found = self._scores(pieces, stops, columns_of_words(evidence) + OFFSETS, goes_on)
        is_lost = lost_marks(evidence)
        if is_lost.any():
            bare = columns_of_words(evidence.without_marks()) + OFFSETS
            for ours, other in zip(found, self._scores(pieces, stops, bare, goes_on), strict=True):
                ours[is_lost] = other[is_lost]
        return found

    def _scores(self, pieces: Indices, stops: Indices, columns: Indices, goes_on: bool) -> Scores:
        count = len(columns)
        gap, case = np.empty((count, len(GAP_LABELS)), np.float32), np.empty((count, 4), np.float32)
        windows = list(cut_windows(stops, self.window - 2))
        for first in range(0, len(windows), AT_ONCE):
            part = windows[first : first + AT_ONCE]
            self._score_windows(part, pieces, stops, columns, goes_on, Scores(gap, case))
        return Scores(_log_softmax(gap), _log_softmax(case))

    @property
    def _runner(self) -> Transformer | OnnxTransformer:
        """What runs the net."""
        if self.runtime == "numpy" or (self.runtime == "auto" and not has_onnxruntime()):
            return self.model.transformer
        return self.model.onnx

    def _score_windows(
        self,
        windows: Sequence[WindowPlace],
        pieces: Indices,
        stops: Indices,
        columns: Indices,
        goes_on: bool,
        found: Scores,
    ) -> None:
        """Fill in the scores of the words that these windows decide."""
        count = len(stops) - 1
        ended = [window.stop == count and not goes_on for window in windows]
        rows = [each.row(pieces, stops, end) for each, end in zip(windows, ended, strict=True)]
        lengths = np.array([len(row) for row in rows])
        table = np.zeros((len(rows), lengths.max()), np.int64)
        places = []
        for at, (row, window) in enumerate(zip(rows, windows, strict=True)):
            table[at, : len(row)] = row
            places.append(window.places(stops) + at * table.shape[1])
        values = np.concatenate([columns[window.first : window.stop] for window in windows])
        runner = self._runner
        gaps, cases = runner.scores(table, lengths, values, np.concatenate(places))
        seen = 0
        for row, window, is_ended in zip(rows, windows, ended, strict=True):
            shown = slice(seen, seen + window.stop - window.first)
            own = window.kept(gaps[shown], cases[shown], is_ended)
            if runner is not self.model.transformer and self._is_close(own):
                own = window.kept(*self._alone(row, values[shown], window.places(stops)), is_ended)
            found.gap[window.keep : window.keep_stop] = own.gap
            found.case[window.keep : window.keep_stop] = own.case
            seen = shown.stop

    def _alone(self, row: Indices, values: Indices, places: Indices) -> tuple[Single, Single]:
        """Return the scores of one window by numpy."""
        return self.model.transformer.scores(row[None], np.array([len(row)]), values, places)

    def _is_close(self, scores: Scores) -> bool:
        """Whether a decision about some words could be another if they were rounded otherwise."""
        inner, ends = scores.gap[:, :2], scores.gap[:, 2:]
        raw = np.logaddexp.reduce(ends, axis=1) - np.logaddexp.reduce(inner, axis=1)
        limits = [limit - self.bias - lone for limit in (0.0, LIKELY_END) for lone in self._lone]
        is_near = np.abs(raw[:, None] - np.array(limits)) < CLOSE
        may_end = raw > min(limits) - CLOSE
        labels = np.where(may_end, np.minimum(_lead(ends), _lead(inner)), _lead(inner))
        return bool(is_near.any() or min(labels.min(), _lead(scores.case).min()) < CLOSE)

    @property
    def _lone(self) -> tuple[float, float]:
        """What is added to the bias, with times and without."""
        return 0.0, self.lone_bias

    def vectors(self, transcript: Transcript, marked: MarkedWords) -> tuple[Single, Indices]:
        """Return what the last layer sees of each word, and the head that decides the gap after it.

        `caesura.adapt` fits the last layer to these, on words whose marks were taken away: it does
        not matter here where marks are lost.
        """
        pieces, start = self.model.vocabulary.split_all(marked.words)
        stops = np.append(start, len(pieces))
        columns = columns_of_words(evidence_of(transcript, marked)) + OFFSETS
        found: list[Single] = [np.empty((0, self.model.transformer.shape.hidden), np.float32)]
        heads: list[Indices] = [np.empty(0, np.int64)]
        for window in cut_windows(stops, self.window - 2):
            first, stop = window.first, window.stop
            is_ended = stop == len(marked.words)
            row = window.row(pieces, stops, is_ended)
            places = window.places(stops)
            seen = self.model.transformer.vectors(
                row[None], np.array([len(row)]), columns[first:stop], places
            )
            found.append(seen[window.keep - first : window.keep_stop - first])
            heads.append(window.heads(is_ended))
        return np.concatenate(found), np.concatenate(heads)

    def _segmentation(self, transcript: Transcript, goes_on: bool) -> Segmentation:
        log_odds = np.full(len(transcript), NO_GAP)
        labels, written = [""] * len(transcript), list(lower_if_all_upper(transcript.words))
        marked = marked_words(transcript)
        if len(marked.words):
            scores = self.scores(transcript, marked, goes_on)
            gap = scores.gap.astype(np.float64)
            inner, ends = gap[:, :2], gap[:, 2:]
            raw = np.logaddexp.reduce(ends, axis=1) - np.logaddexp.reduce(inner, axis=1)
            lone = self.lone_bias if without_times(transcript) else 0.0
            log_odds[marked.last] = raw + self.bias + lone
            is_end = log_odds[marked.last] > 0
            is_end[-1:] |= not goes_on
            best = np.where(is_end, ends.argmax(axis=1) + 2, inner.argmax(axis=1))
            for at, label in zip(marked.last.tolist(), best.tolist(), strict=True):
                labels[at] = GAP_LABELS[label]
            cases = scores.case.argmax(axis=1)
            starts = np.append(True, log_odds[marked.last][:-1] > LIKELY_END)
            # Speech that was broken off has no end, but a new start: that is no capital to show.
            unmarked = np.append(False, best[:-1] == 0)
            starts |= unmarked & [word.lower() in SENTENCE_STARTERS for word in marked.words]
            cases[starts & (cases == CAPITALISED)] = USUAL
            for at, case in zip(marked.first.tolist(), cases.tolist(), strict=True):
                written[at] = self._written(written[at], case)
        boundary = log_odds > 0
        return Segmentation(boundary, tuple(labels), log_odds, tuple(written))

    def _written(self, word: str, case: int) -> str:
        """Return a word in a case; a word that has capitals keeps them."""
        if case == LOWER or any(char.isupper() for char in word):
            return word
        form = self.model.forms.get(word, "")
        if case == USUAL:
            return form or word
        if form not in ("", _capitalised(word), word.upper()):
            return form
        if case == UPPER and len(word.upper()) == len(word):
            return word.upper()
        return form or mixed_case(word) if case == MIXED else _capitalised(word)

    def coverage(self, transcript: Transcript) -> float:
        """Return the share of words that are in the vocabulary as a whole."""
        words = marked_words(transcript).words
        return float(np.mean([*map(self.model.vocabulary.known, words)])) if len(words) else 1.0

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that decides each gap when `ahead` words after it have arrived."""
        from caesura.detectors.window_stream import WindowStream

        return WindowStream(self, ahead=self.ahead, behind=self.behind, state=state)

    @property
    def behind(self) -> int:
        """How many words before a gap any stream keeps."""
        return self.window // 2

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the weights, and the pieces and forms as the bytes of lists, one a line."""
        model = self.model
        forms = [f"{lower} {form}" for lower, form in sorted(model.forms.items())]
        return {
            "vocabulary": word_list(model.vocabulary.pieces),
            "forms": word_list(forms),
            "sizes": np.array(model.transformer.shape, np.int64),
            **model.transformer.arrays,
        }

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Encoder:
        """Return this detector with stored weights."""
        weights = dict(state)
        try:
            vocabulary = WordPieces(word_lines(weights.pop("vocabulary")))
            forms = dict(line.split(" ") for line in word_lines(weights.pop("forms")) if line)
            sizes = weights.pop("sizes")
            shape = Shape(*map(int, sizes)) if sizes.dtype == np.int64 else None
        except (KeyError, ValueError, TypeError) as error:
            raise ModelError(f"it is not an Encoder: {error}", remedy="train it again") from error
        if shape is None or not self._fits(shape) or shape.pieces != len(vocabulary):
            raise ModelError("its sizes do not fit its vocabulary", remedy="train it again")
        return self.with_model(EncoderModel(vocabulary, forms, Transformer(weights, shape)))

    def _fits(self, shape: Shape) -> bool:
        """Whether a net of these sizes takes our evidence and windows, and gives our classes."""
        classes = (len(LOOKAHEADS) + 1, len(GAP_LABELS), 4)
        return (
            min(shape) >= 1
            and shape.layers == self.layers
            and shape.values == VALUES
            and shape.hidden % shape.heads == 0
            and shape.heads <= MOST_HEADS
            and shape.positions >= self.window
            and (shape.gap_heads, shape.gap_classes, shape.case_classes) == classes
        )


class WindowPlace(NamedTuple):
    """The words that a window shows, and those of them that it decides."""

    first: int
    stop: int
    keep: int
    keep_stop: int

    def row(self, pieces: Indices, stops: Indices, is_ended: bool) -> Indices:
        """Return the pieces of the words, with those that say where a recording begins or ends.

        `is_ended` says that the recording ends with the last of the words.
        """
        own = pieces[stops[self.first] : stops[self.stop]]
        closing = [SPECIAL.index(END)] if is_ended else []
        return np.concatenate([[SPECIAL.index(BEGIN)], own, closing]).astype(np.int64)

    def places(self, stops: Indices) -> Indices:
        """Return the place of the first piece of each word in the row."""
        found: Indices = stops[self.first : self.stop] - stops[self.first] + 1
        return found

    def kept(self, gaps: Single, cases: Single, is_ended: bool) -> Scores:
        """Return the scores of the words that are decided, each gap by its head."""
        own = slice(self.keep - self.first, self.keep_stop - self.first)
        heads = self.heads(is_ended)
        return Scores(gaps[own][np.arange(len(heads)), heads], cases[own])

    def heads(self, is_ended: bool) -> Indices:
        """Return the head that decides each gap; at the end of a recording no words are missing."""
        left = self.stop - 1 - np.arange(self.keep, self.keep_stop)
        return heads_for(left + ENOUGH * is_ended)


def cut_windows(stops: Indices, room: int) -> Iterator[WindowPlace]:
    """Cut a recording into windows of at most `room` pieces that overlap.

    `stops` has the place of the first piece of each word, and the number of all pieces. Words at
    the ends of a window that it does not decide have at most a quarter of the pieces each.
    """
    count, first, keep = len(stops) - 1, 0, 0
    most = room // 4
    while keep < count:
        stop = min(int(np.searchsorted(stops, stops[first] + room, side="right")) - 1, count)
        keep_stop = count
        if stop < count:
            near = int(np.searchsorted(stops, stops[stop] - most))
            keep_stop = max(stop - AFTER, near, keep + 1)
        yield WindowPlace(first, stop, keep, keep_stop)
        keep = keep_stop
        first = max(keep - BEFORE, int(np.searchsorted(stops, stops[keep] - most)))


def heads_for(left: Indices) -> Indices:
    """Return the head for each gap after which so many words are left in the window."""
    found = np.searchsorted(LOOKAHEADS, left, side="right") - 1
    return np.where(left >= ENOUGH, len(LOOKAHEADS), found)


def mixed_case(word: str) -> str:
    """Return a word of mixed case that is not in the list, as most such words are written.

    `maria-laura` is `Maria-Laura`, `o'brien` `O'Brien`, `mcdonnell` `McDonnell`; words in `s` are
    mostly acronyms: `ptcs` is `PTCs`, `edpr's` `EDPR's`.
    """
    if "-" in word:
        return "-".join(map(_capitalised, word.split("-")))
    if name := SCOTTISH_OR_IRISH.fullmatch(word):
        return "".join(map(_capitalised, name.groups()))
    if acronym := ACRONYM_WITH_ENDING.fullmatch(word):
        return acronym[1].upper() + acronym[2]
    return _capitalised(word)


def _capitalised(word: str) -> str:
    first = word[:1].title()
    return first + word[1:] if len(first) == 1 else word


def _lead(scores: Single) -> Single:
    """Return how far the best class of each row is ahead of the second."""
    best = np.sort(scores, axis=1)
    found: Single = best[:, -1] - best[:, -2]
    return found


def _log_softmax(scores: Single) -> Single:
    scores -= scores.max(axis=1, keepdims=True)
    found: Single = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return found


def word_list(lines: Sequence[str]) -> NDArray[np.uint8]:
    """Return a list of words as bytes, as it is stored."""
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def word_lines(array: NDArray[Any]) -> list[str]:
    """Return the words of a stored list."""
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError("a word list is no bytes")
    return array.tobytes().decode().split("\n")
