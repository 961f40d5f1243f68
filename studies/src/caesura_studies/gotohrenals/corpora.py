"""The recordings of the study: bare words with sentence ends, and who learns from which."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.formats.files import read
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
COVERED = 0.8
"""The share of words with times below which the times of a call are left to chance."""

EVERY, TUNED = 4, 5
"""Each fourth call with times is a development call, each fifth of the others is for tuning."""

FEWEST = 6
"""Calls with times without which one of the three parts would be empty."""

TEXT_WORDS = 4_000_000
"""Words of other text, as many of each of its files as there are."""


def bare(transcript: Transcript) -> Transcript:
    """Leave nothing but words in lower case, their times and where sentences end."""
    found = normalize(transcript.only(("sentences", "start", "end")), NORMALIZE)
    return found.replace(origin=None)


def coverage(transcript: Transcript) -> float:
    """Give the share of words with times."""
    if transcript.start is None or transcript.end is None or not len(transcript):
        return 0.0
    return float((~np.isnan(transcript.start + transcript.end)).mean())


def untimed(transcript: Transcript) -> Transcript:
    """Hide times, which must not be learnt from if they are left to chance."""
    return transcript.replace(start=None, end=None)


def recordings(folder: Path) -> list[Transcript]:
    """Read all recordings of a folder of .nlp or .ctm files in the order of their names."""
    files = sorted(file for kind in ("nlp", "ctm") for file in folder.glob(f"*.{kind}"))
    return sorted((each for file in files for each in read(file)), key=lambda each: each.id)


def scripts(folder: Path) -> list[Transcript]:
    """Read the recordings of a folder whose sentences are known."""
    return [each for each in recordings(folder) if each.sentences is not None and len(each) > 1]


@dataclass(frozen=True)
class Corpora:
    """All recordings: calls with times in three parts, calls without, and everything else."""

    learnt: tuple[Transcript, ...]
    """Calls with times to learn from."""
    tuning: tuple[Transcript, ...]
    dev: tuple[Transcript, ...]
    untimed: tuple[Transcript, ...]
    """Calls whose times are hidden."""
    scripts: tuple[Transcript, ...]
    """References of what the recognisers heard."""
    podcasts: tuple[Transcript, ...]
    recognised: Mapping[str, Source]
    text: Mapping[str, tuple[Transcript, ...]]
    """Other text, by file."""

    @property
    def timed(self) -> tuple[Transcript, ...]:
        """All calls with times that may be learnt from, those for tuning included."""
        return (*self.learnt, *self.tuning)

    @property
    def calls(self) -> tuple[Transcript, ...]:
        """All calls of the first corpus."""
        return (*self.timed, *self.dev, *self.untimed)

    @property
    def for_tuning(self) -> list[Transcript]:
        """What the models learn from that settings are tuned with."""
        return [*self.learnt, *self.untimed, *self.scripts, *self.podcasts]

    @property
    def for_references(self) -> list[Transcript]:
        """What the language models for the development calls learn from."""
        return [*self.timed, *self.untimed, *self.scripts, *self.podcasts]

    @property
    def for_recognisers(self) -> list[Transcript]:
        """What the language models for recognised words learn from: nothing they heard."""
        return [*self.calls, *self.podcasts]

    @property
    def with_times(self) -> dict[str, Source]:
        """The recognisers that say when words were spoken."""
        return {name: each for name, each in self.recognised.items() if each.timed}

    @property
    def missing(self) -> list[str]:
        """Name what is not there, and say what goes without it."""
        given = {
            f"{SCRIPTS} and {RECOGNISERS}: all that is measured on recognised words": (
                self.scripts and self.recognised
            ),
            f"{PODCASTS}: language models learn from calls alone": self.podcasts,
            f"{TEXT}: training on other text": self.text,
        }
        return [what for what, there in given.items() if not there]


def gathered(data: Path) -> Corpora:
    """Read everything below `data` that the study can use."""
    logger.info("reading %s", CALLS)
    calls = list(map(bare, scripts(data / CALLS)))
    timed = [each for each in calls if coverage(each) >= COVERED]
    if len(timed) < FEWEST:
        raise FormatError(
            f"the study takes {FEWEST} calls in which {COVERED:.0%} of the words have times, "
            f"and there are {len(timed)}",
            where=str(data / CALLS),
            remedy="give a folder that holds earnings22/references/*.nlp",
        )
    rest = [each for at, each in enumerate(timed) if at % EVERY != EVERY - 1]
    logger.info("reading %s and %s", SCRIPTS, PODCASTS)
    heard = tuple(map(bare, scripts(data / SCRIPTS)))
    return Corpora(
        learnt=tuple(each for at, each in enumerate(rest) if at % TUNED != TUNED - 1),
        tuning=tuple(rest[TUNED - 1 :: TUNED]),
        dev=tuple(timed[EVERY - 1 :: EVERY]),
        untimed=tuple(untimed(each) for each in calls if coverage(each) < COVERED),
        scripts=heard,
        podcasts=tuple(map(bare, scripts(data / PODCASTS))),
        recognised=dict(_recognised(data, heard)),
        text=dict(_text(data / TEXT)),
    )


def _recognised(data: Path, scripts: Sequence[Transcript]) -> Iterator[tuple[str, Source]]:
    """Read each recogniser's words and give them the sentence ends of the scripts."""
    known = {each.id: each for each in scripts}
    for folder in sorted(each for each in (data / RECOGNISERS).glob("*") if each.is_dir()):
        logger.info("aligning %s", folder.name)
        heard = [each for each in recordings(folder) if each.id in known and len(each) > 1]
        if heard:
            found = [_carried(each, known[each.id]) for each in heard]
            yield folder.name, Source.of_recognised(folder.name, found)


def _carried(heard: Transcript, script: Transcript) -> Transferred:
    """Give recognised words the sentence ends of their script."""
    ours = _whole(bare(heard.only(("start", "end"))))
    found = align(script.words, ours.words)
    gaps = gaps_by_characters(found, script.words, ours.words)
    return transfer_layers(script, ours, ("sentences",), found, gaps)


def _whole(transcript: Transcript) -> Transcript:
    """Hide the times of a recogniser's call that has too few."""
    return transcript if coverage(transcript) >= COVERED else untimed(transcript)


def _text(folder: Path) -> Iterator[tuple[str, tuple[Transcript, ...]]]:
    """Read as many words of each file of text."""
    files = sorted(folder.glob("*.txt"))
    for file in files:
        logger.info("reading %s/%s", TEXT, file.name)
        found: list[Transcript] = []
        left = TEXT_WORDS // len(files)
        for each in read(file, "turns(marks='.?!')"):
            if left <= 0:
                break
            found.append(bare(each[:left]))
            left -= len(each)
        yield file.stem, tuple(found)


def share_of(text: Mapping[str, Sequence[Transcript]], share: float) -> list[Transcript]:
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
