"""Training and development recordings: read, counted, and checked before training.

`bare_talk` shows a punctuated transcript as a recogniser would give it, to adapt to.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Indices, Strings
from caesura.core.errors import FormatError, LayerError, MismatchError
from caesura.core.transcript import Transcript
from caesura.detectors.neural.evidence import targets_of, with_labels_as_marks
from caesura.text.normalization.steps import BARE_STEPS, compose, normalize
from caesura.text.punctuation import strip_punctuation

logger = logging.getLogger("caesura.training")

PURPOSES = {"train": "to train on", "dev": "to tune on", "text": "as more text"}

COUNTS = ("recordings", "words", "sentences")

CHANCE_WORDS = 20
"""Two recordings with fewer words may have the same words by chance."""

USUAL_SENTENCE = (2, 150)
"""Mean words of a sentence; fewer or more look like a wrong format."""

MOST_NAMES = 5
"""Recordings that an error names."""

PROGRESS_SECONDS = 5.0
"""How often long work logs its progress."""


@dataclass(frozen=True)
class Dataset:
    """The recordings of one input, and what they are for: train, dev or text."""

    purpose: str
    name: str
    recordings: tuple[Transcript, ...]

    def summary(self) -> dict[str, Any]:
        """Return name, purpose and counts for the card of a model."""
        return {
            "name": self.name,
            "purpose": self.purpose,
            "recordings": len(self.recordings),
            "words": sum(map(len, self.recordings)),
            "sentences": sum(len(t.sentences.gaps) for t in self.recordings if t.sentences),
        }


class DatasetReader:
    """Reads and normalises recordings.

    Equal strings are kept in memory once, so that millions of words fit. `prepare` is applied to
    each recording first; it can add layers from sidecar files.
    """

    def __init__(
        self,
        steps: Sequence[str] = (),
        prepare: Callable[[Transcript], Transcript] = lambda transcript: transcript,
    ) -> None:
        self.steps = steps
        self.prepare = prepare
        self._strings: dict[str, str] = {}
        self._files: set[tuple[str, str]] = set()

    def read(
        self, purpose: str, names: Sequence[str], inputs: Iterable[Iterable[Transcript]]
    ) -> list[Dataset]:
        """Read the recordings of each input and log their counts."""
        datasets = []
        for name, recordings in zip(names, inputs, strict=True):
            begun = time.monotonic()
            logger.info("reading %s %s", name, PURPOSES[purpose])
            prepared = map(self._prepared, recordings)
            dataset = Dataset(purpose, name, tuple(_log_progress(prepared)))
            self._refuse_twice(dataset)
            counts = [counted(dataset.summary()[what], what) for what in COUNTS]
            logger.info("  %s in %.1f s", ", ".join(counts), time.monotonic() - begun)
            _warn_of_odd_sentences(dataset)
            datasets.append(dataset)
        return datasets

    def _refuse_twice(self, dataset: Dataset) -> None:
        """Raise an error if a file is in two inputs for the same purpose: it would count twice."""
        origins = {recording.origin.file for recording in dataset.recordings if recording.origin}
        files = {(dataset.purpose, os.path.realpath(file)): file for file in origins}
        for key in sorted(files.keys() & self._files):
            raise FormatError("the same input is given twice", where=files[key])
        self._files |= files.keys()

    def _prepared(self, transcript: Transcript) -> Transcript:
        made = normalize(self.prepare(transcript), self.steps)
        layers = {name: getattr(made, name) for name in ("words", "opening", "mark", "speaker")}
        once = self._strings.setdefault
        return made.replace(
            **{name: tuple(map(once, cells, cells)) for name, cells in layers.items() if cells}
        )


def _warn_of_odd_sentences(dataset: Dataset) -> None:
    """Warn if sentences are so long or short that the text seems to have none marked."""
    counts = dataset.summary()
    if counts["words"] < CHANCE_WORDS or not counts["sentences"]:
        return
    mean = counts["words"] / counts["sentences"]
    if not USUAL_SENTENCE[0] <= mean <= USUAL_SENTENCE[1]:
        logger.warning(
            "%s has %.0f words a sentence: are its sentences marked, and is the format right?",
            dataset.name,
            mean,
        )


def _log_progress(recordings: Iterable[Transcript]) -> Iterator[Transcript]:
    """Pass recordings on, and log every few seconds how many words there are so far."""
    words, last = 0, time.monotonic()
    for recording in recordings:
        words += len(recording)
        if time.monotonic() - last > PROGRESS_SECONDS:
            last = time.monotonic()
            logger.info("  %s words so far", f"{words:,}")
        yield recording


class Progress:
    """Logs every few seconds how far the work is, and how long the rest will take."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.begun = self.last = time.monotonic()

    def add(self, count: int) -> None:
        """Count what is done."""
        self.done += count
        now = time.monotonic()
        if now - self.last > PROGRESS_SECONDS and self.done < self.total:
            self.last = now
            left = (now - self.begun) * (self.total - self.done) / self.done
            text = "  %s of %s %s, about %.0f s left"
            logger.info(text, f"{self.done:,}", f"{self.total:,}", self.what, left)


def counted(number: int, what: str) -> str:
    """Write a number of things that are named in the plural."""
    return f"{number:,} {what.removesuffix('s') if number == 1 else what}"


def check_sentences(recordings: Sequence[Transcript], purpose: str) -> list[Transcript]:
    """Leave out recordings without words, and raise one error for all without sentences."""
    spoken = [recording for recording in recordings if len(recording)]
    lacking = [recording for recording in spoken if recording.sentences is None]
    if lacking:
        raise LayerError(
            f"of {counted(len(spoken), 'recordings')} {PURPOSES[purpose]} {len(lacking)} "
            f"{'has' if len(lacking) == 1 else 'have'} no sentences: {_names(lacking)}",
            remedy="give text with punctuation, one sentence a line, or JSONL with sentences",
        )
    if recordings and not spoken:
        raise LayerError(f"there are no words in the recordings {PURPOSES[purpose]}")
    if len(spoken) < len(recordings):
        logger.info(
            "left out because there are no words: %s %s",
            counted(len(recordings) - len(spoken), "recordings"),
            PURPOSES[purpose],
        )
    return spoken


def check_layer(
    recordings: Sequence[Transcript], purpose: str, layer: str, called: str, remedy: str
) -> None:
    """Raise an error if recordings lack a layer, which the error calls by another word."""
    lacking = [
        recording.id or "unnamed" for recording in recordings if getattr(recording, layer) is None
    ]
    if lacking:
        raise LayerError(
            f"of {counted(len(recordings), 'recordings')} {PURPOSES[purpose]} {len(lacking)} "
            f"{'has' if len(lacking) == 1 else 'have'} no {called}, such as {lacking[0]}",
            remedy=remedy,
        )


def check_disjoint(dev: Sequence[Transcript], trained: Iterable[Transcript]) -> None:
    """Raise an error if a development recording is trained on too: its scores would be too good.

    Two recordings are the same if they have the same words, whatever their case and punctuation;
    if these are few, they must have the same name too.
    """
    named = {(recording.id, plain_words(recording)) for recording in dev}
    long = {words for _, words in named if len(words) >= CHANCE_WORDS}
    shared = [
        recording
        for recording, words in ((recording, plain_words(recording)) for recording in trained)
        if words in long or (recording.id, words) in named
    ]
    if shared:
        are = "recording is" if len(shared) == 1 else "recordings are"
        raise MismatchError(
            f"{len(shared)} development {are} among those to train on: {_names(shared)}",
            remedy="tune on recordings that were not trained on",
        )


def plain_words(transcript: Transcript) -> Strings:
    """Return the words of a recording without case and punctuation."""
    return tuple(filter(None, map(_plain_word, transcript.words)))


@lru_cache(maxsize=1 << 16)
def _plain_word(word: str) -> str:
    return strip_punctuation(compose(word)).casefold().replace("’", "'")


def check_inner_boundaries(recordings: Sequence[Transcript]) -> None:
    """Raise an error if no sentence ends inside a recording: nothing can be tuned on these."""
    if not inner_boundaries(recordings).any():
        raise LayerError(
            "the development recordings are one sentence each: nothing can be tuned on them",
            remedy="give recordings of several sentences",
        )


def inner_boundaries(recordings: Sequence[Transcript]) -> Flags:
    """Return for all gaps but the last of each recording whether a sentence ends there."""
    flags = [
        recording.sentences.boundary[:-1]
        for recording in recordings
        if recording.sentences is not None
    ]
    return np.concatenate([np.zeros(0, np.bool_), *flags])


def _names(recordings: Sequence[Transcript]) -> str:
    names = [
        recording.id or (recording.origin.file if recording.origin else "") or "unnamed"
        for recording in recordings
    ]
    return ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")


END = -1
"""The class of a sentence end whose mark is not known."""


class Talk(NamedTuple):
    """The bare words of a recording, as a recogniser gives them, and the classes of its gaps."""

    bare: Transcript
    target: Indices
    """A class of `encoder.GAP_LABELS`; `END` for a sentence end without a mark."""

    @property
    def ends(self) -> Flags:
        """Whether a sentence ends at each gap but the last, which always is an end."""
        assert self.bare.sentences is not None
        return self.bare.sentences.boundary[:-1]


def bare_talk(transcript: Transcript) -> Talk:
    """Take case and marks away from a transcript; keep times and speakers.

    The mark of a gap is its label if it has no other, as in words that were aligned to a script.
    """
    marked = normalize(transcript, "marks")
    assert marked.sentences is not None
    told = with_labels_as_marks(marked)
    unmarked = marked.sentences.boundary & (targets_of(told) < 1)
    target = np.where(unmarked, END, targets_of(told, spoken=False))
    return Talk(normalize(marked, BARE_STEPS), target)
