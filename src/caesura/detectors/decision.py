"""The detector `Decision`: what to prefer, how short and how long sentences may be.

It takes the log-odds of any other detector and decides anew: `prefer` shifts them, and limits and
priors of sentence length are met by the exact search of `ml/semi_markov.py`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.config import check_number, check_one_of, prefixed_state, split_state
from caesura.core.errors import LayerError, ModelError, UnknownName
from caesura.core.protocols import Detector, Stream, TrainableDetector
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import WITHIN
from caesura.ml.length_prior import SECOND, LengthPrior, learn_prior
from caesura.ml.semi_markov import Limit, Rules, WordTimes, decode

logger = logging.getLogger("caesura")

USUAL_F1 = 0.8
BETAS = {"f1": 1.0, "precision": 0.5, "recall": 2.0}
"""How much more recall counts than precision."""


def _threshold(beta: float) -> float:
    """Return the log-odds above which a boundary raises F-beta, if that is `USUAL_F1`.

    With probabilities that are right, the best threshold is F / (1 + beta²).
    """
    probability = USUAL_F1 / (1 + beta**2)
    return log(probability / (1 - probability))


SHIFTS = {name: _threshold(1.0) - _threshold(beta) for name, beta in BETAS.items()}
"""What each preference adds to log-odds, which decide at 0 for the best F1: 0, -0.98, 1.25."""

PRIORS = {
    "none": (),
    "words": ("words",),
    "seconds": ("seconds",),
    "words+seconds": ("words", "seconds"),
}
"""Units of the lengths that are learnt, for each value of the setting `prior`."""

SECONDS = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*s(?:ec(?:onds?)?)?")
MOST_WEIGHT = 100.0


def check_limit(name: str, value: object) -> int | str | None:
    """Return a limit as it is written: a number of words, '12s' for seconds, None for none."""
    text = value.strip() if isinstance(value, str) else ""
    words = int(text) if text.isascii() and text.isdecimal() else value
    if words is None or (type(words) is int and 0 < words < SECOND):
        return words
    found = SECONDS.fullmatch(text)
    if found and 0 < float(found[1]) < SECOND:
        return f"{float(found[1]):.12g}s"
    raise ValueError(
        f"{name} is a number of words, as in 12, or of seconds, as in '12s', not {value!r}"
    )


def _limit(value: int | str | None) -> Limit | None:
    if value is None:
        return None
    if isinstance(value, int):
        return Limit(value, "words")
    return Limit(round(float(value.removesuffix("s")) * SECOND), "seconds")


@dataclass(frozen=True, repr=False)
class Decision(TrainableDetector[tuple[LengthPrior, ...]]):
    """Another detector, with a preference, limits of sentence length, and priors over it.

    `prefer` is 'f1', 'precision' (fewer, surer boundaries) or 'recall'. `shortest` and `longest`
    are numbers of words, as in 12, or of seconds, as in '12s'. With `prior`, 'words', 'seconds'
    or 'words+seconds', training learns which lengths sentences have, and these count with the
    `weight` beside the log-odds.
    """

    detector: Detector
    prefer: str = "f1"
    shortest: int | str | None = None
    longest: int | str | None = None
    prior: str = "none"
    weight: float = 1.0

    name = "Decision"
    retrain_settings: ClassVar[frozenset[str]] = frozenset({"detector", "prior"})

    def __post_init__(self) -> None:
        if not isinstance(self.detector, Detector):
            raise ValueError(f"detector is a detector, not {self.detector!r}")
        check_one_of("prefer", self.prefer, tuple(BETAS))
        check_one_of("prior", self.prior, tuple(PRIORS))
        check_number("weight", self.weight, 0, MOST_WEIGHT)
        for name in ("shortest", "longest"):
            object.__setattr__(self, name, check_limit(name, getattr(self, name)))
        least, most = _limit(self.shortest), _limit(self.longest)
        if least and most and least.unit == most.unit and least.size > most.size:
            raise ValueError(f"shortest, {self.shortest}, is more than longest, {self.longest}")

    @property
    def shift(self) -> float:
        """What is added to the log-odds of the other detector."""
        return SHIFTS[self.prefer]

    @property
    def reach(self) -> int:
        """How many words after a gap the other detector looks at."""
        from caesura.detectors.decision_stream import reach_of

        return reach_of(self.detector)[0]

    @property
    def behind(self) -> int:
        """How many words before a gap the other detector looks at."""
        from caesura.detectors.decision_stream import reach_of

        return reach_of(self.detector)[1]

    def log_odds(self, transcript: Transcript) -> Floats:
        """Return the log-odds of the other detector, shifted by what is preferred."""
        return self.detector.log_odds(transcript) + self.shift

    def label(self, transcript: Transcript) -> Strings | None:
        """Return the labels that `detect` finds; None without classes."""
        return self.detect(transcript).label

    def written_words(self, transcript: Transcript) -> Strings | None:
        """Return the written words that `detect` finds; None without any."""
        return self.detect(transcript).written

    def detect(self, transcript: Transcript) -> Segmentation:
        """Decide all gaps of a recording together."""
        return self._decide(self.detector.detect(transcript), transcript)

    def detect_all(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide many recordings, as the other detector does, and then each by itself."""
        found = self.detector.detect_all(transcripts)
        return [self._decide(one, each) for one, each in zip(found, transcripts, strict=True)]

    def detect_unfinished(self, transcripts: Sequence[Transcript]) -> list[Segmentation]:
        """Decide words after which more will come, from what the other detector says of them."""
        found = self.detector.detect_unfinished(transcripts)
        return [self._decide(one, each) for one, each in zip(found, transcripts, strict=True)]

    def language(self, transcript: Transcript) -> str:
        """Return the language that the other detector sees."""
        return self.detector.language(transcript)

    def train(
        self,
        train: Sequence[Transcript],
        dev: Sequence[Transcript] = (),
        text: Sequence[Transcript] = (),
    ) -> Decision:
        """Train the other detector, and count lengths of sentences if there is a prior."""
        made = replace(self, detector=self.detector.train(train, dev, text))
        units = PRIORS[self.prior]
        return made.with_model(tuple(_learn(unit, train or text) for unit in units) or None)

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the state of the other detector, and a table for each prior: its slope first."""
        own = {one.unit: np.concatenate([[one.slope], one.table]) for one in self.learnt}
        return {**own, **prefixed_state({"detector": self.detector})}

    def from_state(self, state: Mapping[str, NDArray[Any]]) -> Decision:
        """Return this detector with stored priors and a stored state of the other one."""
        own, inner = split_state(state, "detector")
        if set(own) != set(PRIORS[self.prior]):
            wanted = ", ".join(PRIORS[self.prior]) or "none"
            raise ModelError(f"the priors of {self.name} are {', '.join(own)}, and not {wanted}")
        made = replace(self, detector=self.detector.from_state(inner))
        found = [(unit, np.array(own[unit], np.float64)) for unit in PRIORS[self.prior]]
        if any(array.ndim != 1 or len(array) < 2 for _, array in found):
            raise ModelError(f"the priors of {self.name} are no lists of numbers")
        priors = tuple(LengthPrior(unit, array[1:], float(array[0])) for unit, array in found)
        return made.with_model(priors or None)

    def describe(self) -> str:
        """Return what the other detector says about itself."""
        return self.detector.describe()

    def coverage(self, transcript: Transcript) -> float:
        """Return the coverage of the other detector."""
        return self.detector.coverage(transcript)

    def calibration(self, transcript: Transcript) -> tuple[float, float] | None:
        """Return the scale and bias that take back what is preferred: it changes no probability."""
        found = self.detector.calibration(transcript)
        return found and (found[0], found[1] - found[0] * self.shift)

    def lacks(self, transcript: Transcript) -> str:
        """Return what the other detector lacks."""
        return self.detector.lacks(transcript)

    def stream(self, state: Mapping[str, Any] | None = None) -> Stream:
        """Return a stream that gives a sentence when it is certain, or `longest` forces it."""
        from caesura.detectors.decision_stream import open_stream

        return open_stream(self, state)

    @property
    def learnt(self) -> tuple[LengthPrior, ...]:
        """The priors; a `ModelError` if they have not been learnt yet."""
        return self.model if PRIORS[self.prior] else ()

    @property
    def is_plain(self) -> bool:
        """Whether each gap is decided by its own log-odds."""
        return self.shortest is None and self.longest is None and self.prior == "none"

    def rules(self, timed: bool) -> Rules:
        """Return limits and priors; those over seconds count only where there are times."""
        priors = tuple(one for one in self.learnt if timed or one.unit == "words")
        weight = self.weight / max(len(priors), 1)
        return Rules(_limit(self.shortest), _limit(self.longest), priors, weight)

    def warn_without_times(self, transcript: Transcript) -> None:
        """Log that limits in seconds are met as far as words tell."""
        if any(isinstance(limit, str) for limit in (self.shortest, self.longest)):
            logger.warning(
                "%s: no word times, so a word counts as 0.3 s", transcript.id or "a recording"
            )

    def _decide(self, found: Segmentation, transcript: Transcript) -> Segmentation:
        if self.is_plain and not self.shift:
            return found
        log_odds = shifted(found, self.shift)
        if self.is_plain:
            boundary = log_odds > 0
        else:
            timed = transcript.start is not None
            if not timed and len(transcript):
                self.warn_without_times(transcript)
            boundary = decode(log_odds, self.rules(timed), transcript.start, transcript.end)
        decided = Segmentation(boundary, None, log_odds, found.written)
        return replace(decided, label=fitting_labels(found.label, decided.boundary))


def shifted(found: Segmentation, shift: float) -> Floats:
    """Return log-odds plus a constant; 0 where there are none."""
    if found.log_odds is None:
        return np.full(len(found), shift)
    return np.nan_to_num(found.log_odds, nan=0.0) + shift


def fitting_labels(labels: Strings | None, boundary: Flags) -> Strings | None:
    """Keep labels that end a sentence where it ends, and others where it does not."""
    if labels is None:
        return None
    gaps = zip(labels, boundary.tolist(), strict=True)
    return tuple(label if (label not in WITHIN) == end else "" for label, end in gaps)


def _learn(unit: str, recordings: Sequence[Transcript]) -> LengthPrior:
    sizes = [_sizes(one, unit) for one in recordings if unit == "words" or one.start is not None]
    joined = np.concatenate([np.zeros(0, np.int64), *sizes])
    if not len(joined):
        what = "sentences" if unit == "words" else "sentences with word times"
        raise LayerError(f"lengths in {unit} are learnt from {what}; there are none")
    return learn_prior(joined, unit)


def _sizes(recording: Transcript, unit: str) -> Indices:
    """Return the lengths of the sentences of a recording, in words or microseconds."""
    if recording.sentences is None or not len(recording):
        return np.zeros(0, np.int64)
    last = recording.sentences.gaps
    first = np.concatenate([[0], last[:-1] + 1])
    if unit == "words":
        return np.asarray(last - first + 1, np.int64)
    times = np.array(WordTimes().extend(recording.start, recording.end, len(recording)), np.int64)
    found: Indices = times[last, 1] - times[first, 0]
    return found


def with_decision(
    detector: Detector,
    prefer: str = "f1",
    shortest: int | str | None = None,
    longest: int | str | None = None,
) -> Decision:
    """Return a detector with a preference and limits; those of a `Decision` are replaced."""
    asked = {"shortest": shortest, "longest": longest}
    given: dict[str, Any] = {name: limit for name, limit in asked.items() if limit is not None}
    if prefer != "f1":
        given["prefer"] = prefer
    try:
        if isinstance(detector, Decision):
            return detector.adjusted(**given)
        return Decision(detector, **given)
    except ValueError as error:
        raise UnknownName(str(error)) from error
