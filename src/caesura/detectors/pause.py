"""The detectors from pauses and speaker changes: `Pause` (rules) and `PauseModel` (trained).

`Pause` also looks at punctuation marks. `PauseModel` is P(sentence end | pause), estimated by
counting (Gotoh and Renals).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.config import check_number, check_texts
from caesura.core.errors import ModelError
from caesura.core.protocols import Detector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import (
    NO_GAP,
    SPEAKERS,
    MarkedWords,
    cell_indices,
    check_classes,
    class_count,
    class_labels,
    classes_of_gaps,
    duration_bins,
    ends_sentence,
    likeliest_classes,
    marked_words,
    missing_sentences,
    round_to_steps,
    speaker_turns,
)
from caesura.text.punctuation import end_mark, sentence_ends

RULE_EVIDENCE = ("pause", "speaker", "marks")
CONTEXT = 30
"""Words on either side in which a sentence mark shows that the text is punctuated."""

MOST_UNMARKED = 25
"""More words in a row without any mark mean that punctuation is missing there."""

DEFAULT_THRESHOLD = 0.4
"""Seconds of pause that make a boundary."""

PER_SECOND = 10.0
MOST_OF_A_PAUSE = 4.0
MARK, NO_MARK, SPEAKER, NOTHING = 8.0, -6.0, 20.0, -1.0
"""Log-odds: marks outweigh pauses, and a new speaker outweighs both."""


@dataclass(frozen=True, repr=False)
class Pause(Detector):
    """A boundary where the pause is at least `threshold` seconds or another speaker begins.

    Sentence marks in the text are evidence too. Where the text around is punctuated, a gap
    without a sentence mark is no boundary however long the pause. Where punctuation is missing,
    as happens in parts even with good recognisers, pauses decide alone. `evidence` lists which
    of pause, speaker and marks are used. With `markers`, such as `<s>`, only a gap where the
    recogniser put one of them counts as a pause.
    """

    threshold: float = DEFAULT_THRESHOLD
    evidence: Strings = RULE_EVIDENCE
    markers: Strings = ()

    name = "Pause"

    def __post_init__(self) -> None:
        number = type(self.threshold) in (int, float) and 0 <= self.threshold < np.inf
        if not number:
            raise ValueError(f"threshold is a number of seconds, not {self.threshold!r}")
        object.__setattr__(self, "evidence", check_texts("evidence", self.evidence, RULE_EVIDENCE))
        object.__setattr__(self, "markers", check_texts("markers", self.markers))

    @property
    def reach(self) -> int:
        """How many words after a gap are looked at."""
        return CONTEXT + 1 if "marks" in self.evidence else 1

    def log_odds(self, transcript: Transcript) -> Floats:
        """Return the sum of the log-odds of pause, marks and speaker change at each gap."""
        odds = self._pause_log_odds(transcript) if "pause" in self.evidence else None
        total = np.full(len(transcript), NOTHING) if odds is None else odds
        if "marks" in self.evidence:
            total = total + _mark_log_odds(transcript)
        if "speaker" in self.evidence and transcript.speaker is not None:
            total = total + SPEAKER * speaker_changes(transcript.speaker)
        return total

    def label(self, transcript: Transcript) -> Strings | None:
        """Return the sentence mark at each gap, or None if the text has no marks."""
        marked = _marked_words(transcript)
        if marked is None:
            return None
        ends = iter(sentence_ends(marked.words, marked.marks, ".?!;"))
        last = set(marked.last.tolist())
        return tuple(next(ends) if gap in last else "" for gap in range(len(transcript)))

    def lacks(self, transcript: Transcript) -> str:
        """Return which evidence is missing, if there is none at all."""
        known = {
            "pause": bool((self._is_pause(transcript) & ~np.isnan(transcript.pauses())).any()),
            "speaker": len(set(transcript.speaker or ()) - {""}) > 1,
            "marks": _has_marks(transcript),
        }
        if len(transcript) < 2 or any(known[name] for name in self.evidence):
            return ""
        times = f"pauses marked {' or '.join(self.markers)}" if self.markers else "word times"
        names = {"pause": times, "speaker": "speakers", "marks": "sentence marks"}
        return " and ".join(f"no {names[name]}" for name in self.evidence) + " to go by"

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that decides each gap when the words that it looks at have arrived."""
        from caesura.detectors.window_stream import LocalStream

        return LocalStream(self, ahead=self.reach, behind=self.reach, state=state)

    def _pause_log_odds(self, transcript: Transcript) -> Floats:
        # Gaps are rounded to milliseconds; half of one lets a pause of just the threshold count.
        # Overlapping speech has negative gaps: no pause.
        pause = np.maximum(np.round(transcript.pauses(), 3), 0)
        odds = np.clip(
            PER_SECOND * (pause - self.threshold + 0.0005), -MOST_OF_A_PAUSE, MOST_OF_A_PAUSE
        )
        odds = np.where(np.isnan(odds), NOTHING, odds)
        return np.where(self._is_pause(transcript), odds, -MOST_OF_A_PAUSE)

    def _is_pause(self, transcript: Transcript) -> Flags:
        """Return which gaps can be a pause; all of them unless `markers` are set."""
        if not self.markers:
            return np.ones(len(transcript), np.bool_)
        cells = transcript.pause or ("",) * len(transcript)
        return np.fromiter((cell in self.markers for cell in cells), np.bool_, len(cells))


def _marked_words(transcript: Transcript) -> MarkedWords | None:
    """Return words and their marks; None if there are none, not even as words."""
    found = marked_words(transcript)
    marked = transcript.mark is not None or len(found.words) < len(transcript)
    return found if marked else None


def _has_marks(transcript: Transcript) -> bool:
    marked = _marked_words(transcript)
    return marked is not None and any(map(end_mark, set(marked.marks)))


def _mark_log_odds(transcript: Transcript) -> Floats:
    """Return the log-odds of the marks; 0 where the text is not punctuated."""
    marked, count = _marked_words(transcript), len(transcript)
    if marked is None:
        return np.zeros(count)
    is_end, is_marked = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    is_end[marked.last] = [*map(bool, sentence_ends(marked.words, marked.marks, ".?!"))]
    is_marked[marked.last] = [mark != "" for mark in marked.marks]
    seen = np.concatenate([[0], np.cumsum(is_end)])
    gaps = np.arange(count)
    near = seen[np.minimum(gaps + CONTEXT + 1, count)] > seen[np.maximum(gaps - CONTEXT, 0)]
    punctuated = is_marked | (near & (unmarked_runs(is_marked) <= MOST_UNMARKED))
    odds = np.where(is_end, MARK, np.where(punctuated, NO_MARK, 0.0))
    inner = np.ones(count, np.bool_)
    inner[marked.last] = False
    odds[inner] = NO_GAP
    return odds


def unmarked_runs(is_marked: Flags) -> Indices:
    """Return for each gap the number of words between the marks before and after it."""
    gaps = np.arange(len(is_marked))
    before = np.maximum.accumulate(np.where(is_marked, gaps, -1))
    after = np.where(is_marked, gaps, len(gaps) - 1)[::-1]
    return np.minimum.accumulate(after)[::-1] - before


def speaker_changes(speaker: Strings) -> Flags:
    """Return for each gap whether a known speaker is followed by another known one."""
    changes = [a != b and a != "" and b != "" for a, b in pairwise(speaker)]
    return np.array([*changes, False][: len(speaker)], dtype=np.bool_)


# The detector `PauseModel`

MODEL_EVIDENCE = ("pause", "marker", "speaker")
EVIDENCE_NAMES = {"pause": "word times", "marker": "pause markers", "speaker": "speakers"}
MOST_BINS = 10_000
SMOOTH = (1e-9, 1e9)
Way = Literal["A", "B"]


class Point(NamedTuple):
    """A point of the curve P(boundary | pause), with the counts of training.

    `seconds` is the middle of the bin; the last bin has all longer pauses, and None stands for
    an unknown duration. `marker` is '' where there is none.
    """

    marker: str
    seconds: float | None
    gaps: int
    boundaries: int
    probability: float


@dataclass(frozen=True)
class PauseCounts:
    """Counts c(f, e), one table for each choice of evidence; a row for each value of f."""

    markers: Strings
    counts: Mapping[Strings, Indices]


@dataclass(frozen=True, repr=False)
class PauseModel(TrainableDetector[PauseCounts]):
    """Probability of a sentence end given f, what lies between a word and the next.

    f is the recogniser's pause marker, the duration of the pause to the nearest `step` (all from
    `longest` on are one value) and whether another speaker follows. An unknown duration or
    speaker is a value of its own; a layer that a transcript does not have at all is left out of
    f. Nothing is counted after the last word of a recording, where f is unknown. The times of a
    recording in which a smaller share of the words than `timed` has any are not used: they tend
    to be wrong.

    Smoothing adds `smooth` gaps to each value of f, with the classes in the proportion that they
    have overall: p(e | f) is drawn towards p(e), and a value that was never seen favours no
    class in p(f | e). With `classes` each of these labels is a class of boundary of its own.
    """

    step: float = 0.1
    longest: float = 2.0
    timed: float = 0.8
    evidence: Strings = MODEL_EVIDENCE
    classes: Strings = ()
    smooth: float = 1.0
    bias: float = 0.0

    name = "PauseModel"
    reach = 1
    retrain_settings = frozenset({"step", "longest", "timed", "evidence", "classes"})

    def __post_init__(self) -> None:
        check_number("step", self.step, 0.001, 60)
        check_number("longest", self.longest, self.step, self.step * MOST_BINS)
        check_number("timed", self.timed, 0, 1)
        check_number("smooth", self.smooth, *SMOOTH)
        check_number("bias", self.bias, -1e9, 1e9)
        object.__setattr__(self, "evidence", check_texts("evidence", self.evidence, MODEL_EVIDENCE))
        object.__setattr__(self, "classes", check_classes(self.classes))

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),  # noqa: ARG002 - there is nothing to tune
        text: Sequence[Transcript] = (),  # noqa: ARG002 - nor are there pauses in text
    ) -> PauseModel:
        """Count the values of f for each class; recordings without sentences are skipped."""
        found = [
            (self._with_usable_times(each), classes_of_gaps(each, self.classes)) for each in train
        ]
        known = [(each, classes) for each, classes in found if classes is not None]
        if not known:
            raise missing_sentences(len(train))
        markers = tuple(sorted({m for each, _ in known for m in (each.pause or ())[:-1]} - {""}))
        counts = {names: self._zeros(names, markers) for names in self._choices(self.evidence)}
        for transcript, classes in known:
            richest, *_ = choices = self._choices(self._layers(transcript))
            cells = self._values(transcript, richest, markers) * self._width + classes[:-1]
            sizes = (*self._sizes(richest, markers), self._width)
            table = np.bincount(cells, minlength=int(np.prod(sizes))).reshape(sizes)
            for names in choices:
                left_out = tuple(i for i, name in enumerate(richest) if name not in names)
                counts[names] += table.sum(axis=left_out).reshape(-1, self._width)
        return self.with_model(PauseCounts(markers, counts))

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the counts, and the markers as the bytes of a JSON list."""
        markers = json.dumps(self.model.markers).encode()
        return {
            "markers": np.frombuffer(markers, np.uint8),
            **{_key(names): table for names, table in self.model.counts.items()},
        }

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> PauseModel:
        """Return this detector with stored counts and markers."""
        choices = self._choices(self.evidence)
        if set(state) != {"markers", *map(_key, choices)}:
            raise _damaged(f"it has the arrays {', '.join(sorted(state))}")
        markers = _read_markers(state["markers"])
        counts = {names: np.array(state[_key(names)]) for names in choices}
        for names, table in counts.items():
            shape = self._zeros(names, markers).shape
            if table.dtype != np.int64 or table.shape != shape:
                raise _damaged(f"{_key(names)} is {table.dtype} {table.shape}, not int64 {shape}")
            if table.size and (table.min() < 0 or table.max() > 1 << 52):
                raise _damaged(f"{_key(names)} has cells that are no counts")
            if (table.sum(axis=0) > counts[()].sum(axis=0)).any():
                raise _damaged(f"{_key(names)} has more gaps than there are")
        return self.with_model(PauseCounts(markers, counts))

    def emissions(self, transcript: Transcript, way: Way) -> Floats:
        """Return for each word and class e: log p(f | e) for way A, log p(e | f) for way B.

        f lies between the word and the next. Where f is unknown, a row is 0 for A and log p(e)
        for B.
        """
        if way not in ("A", "B"):
            raise ValueError(f"way is 'A' or 'B', not {way!r}")
        names = self._usable(transcript)
        rows = np.empty((len(transcript), self._width))
        rows[:-1] = self._logs(names, way)[self._values(transcript, names, self.model.markers)]
        rows[-1:] = self._logs((), way)
        return rows

    def log_odds(self, transcript: Transcript) -> Floats:
        """Return the log-odds of the classes that end a sentence, plus the bias."""
        rows, ends = self.emissions(transcript, "B"), ends_sentence(self.classes)
        boundary: Floats = np.logaddexp.reduce(rows[:, ends], axis=1)
        other: Floats = np.logaddexp.reduce(rows[:, ~ends], axis=1)
        return boundary - other + self.bias

    def label(self, transcript: Transcript) -> Strings | None:
        """Return the most probable label of each gap, or None if `classes` is empty."""
        if not self.classes:
            return None
        is_end = Segmentation(self.log_odds(transcript) > 0).boundary
        chosen = likeliest_classes(self.emissions(transcript, "B"), is_end, self.classes)
        return class_labels(chosen.tolist(), self.classes)

    def lacks(self, transcript: Transcript) -> str:
        """Return which evidence is missing, if there is none at all."""
        known = {
            "pause": not np.isnan(transcript.pauses()).all(),
            "marker": any(transcript.pause or ()),
            "speaker": len(set(transcript.speaker or ()) - {""}) > 1,
        }
        if len(transcript) < 2 or any(known[name] for name in self._usable(transcript)):
            return ""
        return " and ".join(f"no {EVIDENCE_NAMES[name]}" for name in self.evidence) + " to go by"

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that decides each gap when the next word has arrived."""
        from caesura.detectors.window_stream import LocalStream

        return LocalStream(self, ahead=self.reach, behind=0, state=state)

    def curve(self) -> list[Point]:
        """Return p(boundary | f) by duration and marker, over all speakers (figure 3)."""
        names = self._seen_in_training([name for name in self.evidence if name != "speaker"])
        bins = [*(round(k * self.step, 6) for k in range(self._bins + 1)), None]
        kinds = product(
            bins if "pause" in names else [None],
            ["", *self.model.markers] if "marker" in names else [""],
        )
        ends = ends_sentence(self.classes)
        counts = self.model.counts[names]
        none = np.exp(self._logs(names, "B")[:, ~ends]).sum(axis=1).tolist()
        return [
            Point(marker, seconds, int(row.sum()), int(row[ends].sum()), 1 - p)
            for (seconds, marker), row, p in zip(kinds, counts, none, strict=True)
        ]

    @property
    def _width(self) -> int:
        return class_count(self.classes)

    @property
    def _bins(self) -> int:
        """The number of the bin of the longest pauses."""
        return int(round_to_steps(np.array([self.longest]), self.step)[0])

    def _choices(self, available: Sequence[str]) -> list[Strings]:
        """Return all choices of evidence that f can be made of, the richest first."""
        names = [name for name in MODEL_EVIDENCE if name in available and name in self.evidence]
        return [c for size in range(len(names), -1, -1) for c in combinations(names, size)]

    def _layers(self, transcript: Transcript) -> list[str]:
        """Return the names of the evidence that a transcript has a layer for."""
        timed = transcript.start is not None and transcript.end is not None
        has = (timed, transcript.pause is not None, transcript.speaker is not None)
        return [name for name, known in zip(MODEL_EVIDENCE, has, strict=True) if known]

    def _seen_in_training(self, available: Sequence[str]) -> Strings:
        """Return the richest choice of the available evidence that was seen in training."""
        counts = self.model.counts
        return next((c for c in self._choices(available) if counts[c].any()), ())

    def _usable(self, transcript: Transcript) -> Strings:
        return self._seen_in_training(self._layers(transcript))

    def _sizes(self, names: Strings, markers: Strings) -> list[int]:
        sizes = {"pause": self._bins + 2, "marker": len(markers) + 1, "speaker": len(SPEAKERS)}
        return [sizes[name] for name in names]

    def _zeros(self, names: Strings, markers: Strings) -> Indices:
        values = int(np.prod(self._sizes(names, markers), dtype=np.int64))
        return np.zeros((values, self._width), np.int64)

    def _logs(self, names: Strings, way: Way) -> Floats:
        """Return a row of log-probabilities for each value of f: normalised over f, or over e."""
        counts = self.model.counts[names]
        share = (counts.sum(axis=0) + 1) / (counts.sum() + self._width)
        joint = counts + self.smooth * share
        logs: Floats = np.log(joint / joint.sum(axis=0 if way == "A" else 1, keepdims=True))
        return logs

    def _values(self, transcript: Transcript, names: Strings, markers: Strings) -> Indices:
        """Return the number of the value of f at each gap but the last."""
        values = np.zeros(max(len(transcript) - 1, 0), np.int64)
        for name, size in zip(names, self._sizes(names, markers), strict=True):
            values = values * size + self._column(transcript, name, markers)
        return values

    def _column(self, transcript: Transcript, name: str, markers: Strings) -> Indices:
        if name == "pause":
            return duration_bins(transcript.pauses()[:-1], self.step, self._bins)
        if name == "marker":
            return cell_indices((transcript.pause or ())[:-1], ["", *markers])
        return speaker_turns(transcript.speaker or ())

    def _with_usable_times(self, transcript: Transcript) -> Transcript:
        """Remove the times of a recording in which too few words have any."""
        if transcript.start is None or transcript.end is None or not len(transcript):
            return transcript
        if np.mean(~np.isnan(transcript.start + transcript.end)) >= self.timed:
            return transcript
        return transcript.replace(start=None, end=None)


def _key(names: Strings) -> str:
    return ".".join(("counts", *names))


def _read_markers(array: NDArray[Any]) -> Strings:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise _damaged("markers are no bytes")
    try:
        found = json.loads(array.tobytes().decode())
    except (ValueError, RecursionError) as error:
        raise _damaged("markers are no JSON") from error
    texts = isinstance(found, list) and all(isinstance(marker, str) for marker in found)
    if not texts or found != sorted(set(found) - {""}):
        raise _damaged("markers are no list of different texts")
    return tuple(found)


def _damaged(what: str) -> ModelError:
    return ModelError(
        f"the model does not fit the settings of PauseModel: {what}", remedy="train it again"
    )
