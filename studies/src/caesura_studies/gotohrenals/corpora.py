"""The recordings of the study, and which of them are for training, tuning and evaluation."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.files import read_file
from caesura.text.alignment.transfer import Transferred, gaps_by_characters, transfer_layers
from caesura.text.alignment.word_alignment import align
from caesura.text.normalization.steps import normalize
from caesura_studies.gotohrenals.scoring import Source

logger = logging.getLogger("caesura.studies")

CALLS = "earnings22/references"
SCRIPTS = "earnings21/references"
RECOGNISERS = "earnings21/recognisers"
PODCASTS = "rev16/verbatim"
TEXT = "text-en"

NORMALIZE = ("case", "dots", "punctuation")
MIN_TIMED_SHARE = 0.8
"""If a smaller share of a call's words has times, its times are not used."""

DEV_EVERY, TUNING_EVERY = 4, 5
"""Every fourth call with times is a development call, every fifth of the others is for tuning."""

MIN_CALLS = 6
"""With fewer calls with times, one of the three parts would be empty."""

TEXT_WORDS = 4_000_000
"""Words of other text in all, the same number from each file."""


def prepare(transcript: Transcript) -> Transcript:
    """Keep only lower-case words, their times and sentence ends."""
    found = normalize(transcript.only(("sentences", "start", "end")), NORMALIZE)
    return found.replace(origin=None)


def coverage(transcript: Transcript) -> float:
    """Return the share of words with times."""
    if transcript.start is None or transcript.end is None or not len(transcript):
        return 0.0
    return float((~np.isnan(transcript.start + transcript.end)).mean())


def without_times(transcript: Transcript) -> Transcript:
    """Remove the times of a recording."""
    return transcript.replace(start=None, end=None)


def read_recordings(folder: Path) -> list[Transcript]:
    """Read all recordings of a folder of .nlp or .ctm files, sorted by name."""
    files = sorted(file for kind in ("nlp", "ctm") for file in folder.glob(f"*.{kind}"))
    return sorted((each for file in files for each in read_file(file)), key=lambda each: each.id)


def read_references(folder: Path) -> list[Transcript]:
    """Read the recordings of a folder that have sentences."""
    return [
        each for each in read_recordings(folder) if each.sentences is not None and len(each) > 1
    ]


@dataclass(frozen=True)
class Corpora:
    """All recordings: calls with times in three parts, calls without, and everything else."""

    training: tuple[Transcript, ...]
    """Calls with times for training."""
    tuning: tuple[Transcript, ...]
    dev: tuple[Transcript, ...]
    untimed: tuple[Transcript, ...]
    """Calls whose times are not used."""
    recognised_references: tuple[Transcript, ...]
    """References of the calls that the recognisers transcribed."""
    podcasts: tuple[Transcript, ...]
    recognised: Mapping[str, Source]
    text: Mapping[str, tuple[Transcript, ...]]
    """Other text, by file."""

    @property
    def timed(self) -> tuple[Transcript, ...]:
        """All training calls with times, including those for tuning."""
        return (*self.training, *self.tuning)

    @property
    def calls(self) -> tuple[Transcript, ...]:
        """All calls of earnings22."""
        return (*self.timed, *self.dev, *self.untimed)

    @property
    def for_tuning(self) -> list[Transcript]:
        """Training texts of the models with which settings are tuned."""
        return [*self.training, *self.untimed, *self.recognised_references, *self.podcasts]

    @property
    def for_references(self) -> list[Transcript]:
        """Training texts of the language models for the development calls."""
        return [*self.timed, *self.untimed, *self.recognised_references, *self.podcasts]

    @property
    def for_recognisers(self) -> list[Transcript]:
        """Training texts of the language models for recognised words: none of the same calls."""
        return [*self.calls, *self.podcasts]

    @property
    def with_times(self) -> dict[str, Source]:
        """The recognisers that give word times."""
        return {name: each for name, each in self.recognised.items() if each.timed}

    @property
    def missing(self) -> list[str]:
        """List missing corpora and what is left out without them."""
        given = {
            f"{SCRIPTS} and {RECOGNISERS}: all that is measured on recognised words": (
                self.recognised_references and self.recognised
            ),
            f"{PODCASTS}: language models learn from calls alone": self.podcasts,
            f"{TEXT}: training on other text": self.text,
        }
        return [what for what, there in given.items() if not there]


def read_corpora(data: Path) -> Corpora:
    """Read everything below `data` that the study can use."""
    logger.info("reading %s", CALLS)
    calls = list(map(prepare, read_references(data / CALLS)))
    timed = [each for each in calls if coverage(each) >= MIN_TIMED_SHARE]
    if len(timed) < MIN_CALLS:
        raise FormatError(
            f"the study takes {MIN_CALLS} calls in which {MIN_TIMED_SHARE:.0%} of the words have "
            f"times, and there are {len(timed)}",
            where=str(data / CALLS),
            remedy="give a folder that holds earnings22/references/*.nlp",
        )
    rest = [each for at, each in enumerate(timed) if at % DEV_EVERY != DEV_EVERY - 1]
    logger.info("reading %s and %s", SCRIPTS, PODCASTS)
    recognised = tuple(map(prepare, read_references(data / SCRIPTS)))
    return Corpora(
        training=tuple(
            each for at, each in enumerate(rest) if at % TUNING_EVERY != TUNING_EVERY - 1
        ),
        tuning=tuple(rest[TUNING_EVERY - 1 :: TUNING_EVERY]),
        dev=tuple(timed[DEV_EVERY - 1 :: DEV_EVERY]),
        untimed=tuple(without_times(each) for each in calls if coverage(each) < MIN_TIMED_SHARE),
        recognised_references=recognised,
        podcasts=tuple(map(prepare, read_references(data / PODCASTS))),
        recognised=dict(_read_recognised(data, recognised)),
        text=dict(_read_text(data / TEXT)),
    )


def _read_recognised(
    data: Path, read_references: Sequence[Transcript]
) -> Iterator[tuple[str, Source]]:
    """Read the words of each recogniser and transfer the sentence ends of the references."""
    known = {each.id: each for each in read_references}
    for folder in sorted(each for each in (data / RECOGNISERS).glob("*") if each.is_dir()):
        logger.info("aligning %s", folder.name)
        recognised = [
            each for each in read_recordings(folder) if each.id in known and len(each) > 1
        ]
        if recognised:
            found = [_transfer_sentence_ends(each, known[each.id]) for each in recognised]
            yield folder.name, Source.of_recognised(folder.name, found)


def _transfer_sentence_ends(recognised: Transcript, script: Transcript) -> Transferred:
    """Transfer the sentence ends of a reference to recognised words."""
    ours = _drop_sparse_times(prepare(recognised.only(("start", "end"))))
    found = align(script.words, ours.words)
    gaps = gaps_by_characters(found, script.words, ours.words)
    return transfer_layers(script, ours, ("sentences",), found, gaps)


def _drop_sparse_times(transcript: Transcript) -> Transcript:
    """Remove the times of a recogniser's call if too few words have any."""
    return transcript if coverage(transcript) >= MIN_TIMED_SHARE else without_times(transcript)


def _read_text(folder: Path) -> Iterator[tuple[str, tuple[Transcript, ...]]]:
    """Read the same number of words from each text file."""
    files = sorted(folder.glob("*.txt"))
    for file in files:
        logger.info("reading %s/%s", TEXT, file.name)
        found: list[Transcript] = []
        left = TEXT_WORDS // len(files)
        for each in read_file(file, "turns(marks='.?!')"):
            if left <= 0:
                break
            found.append(prepare(each[:left]))
            left -= len(each)
        yield file.stem, tuple(found)


def take_share(text: Mapping[str, Sequence[Transcript]], share: float) -> list[Transcript]:
    """Take the first part of the words of each file."""
    found: list[Transcript] = []
    for parts in text.values():
        left = round(share * sum(map(len, parts)))
        for each in parts:
            if left <= 0:
                break
            found.append(each[:left])
            left -= len(each)
    return found
