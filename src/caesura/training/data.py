"""What a detector is trained on and tuned on: recordings with sentences, gathered and checked."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from caesura.core.arrays import Flags, Strings
from caesura.core.errors import FormatError, LayerError, MismatchError
from caesura.core.transcript import Transcript
from caesura.text.normalization.steps import bare, composed, normalize

logger = logging.getLogger("caesura.training")

PURPOSES = {"train": "to train on", "dev": "to tune on", "text": "as more text"}

AMOUNTS = ("recordings", "words", "sentences")

FEW = 20
"""Words that may be the same in two recordings by chance."""

ODD = (2, 150)
"""Words a sentence, fewer or more of which hardly anybody speaks."""

NAMED = 5
"""Recordings that an error names."""

PATIENCE = 5.0
"""Seconds after which reading says how far it has come."""


@dataclass(frozen=True)
class Material:
    """The recordings of one input, and what they are for: train, dev or text."""

    purpose: str
    name: str
    recordings: tuple[Transcript, ...]

    def described(self) -> dict[str, Any]:
        """Say how much it is, for the card of a model."""
        return {
            "name": self.name,
            "purpose": self.purpose,
            "recordings": len(self.recordings),
            "words": sum(map(len, self.recordings)),
            "sentences": sum(len(t.sentences.gaps) for t in self.recordings if t.sentences),
        }


class Gathering:
    """Takes recordings in, equal texts kept once: millions of words then fit into memory.

    What lies beside a recording is `added` to it before anything else.
    """

    def __init__(
        self,
        steps: Sequence[str] = (),
        added: Callable[[Transcript], Transcript] = lambda transcript: transcript,
    ) -> None:
        self.steps = steps
        self.added = added
        self.texts: dict[str, str] = {}
        self.files: set[tuple[str, str]] = set()

    def take(
        self, purpose: str, names: Sequence[str], inputs: Iterable[Iterable[Transcript]]
    ) -> list[Material]:
        """Read the recordings of each input, and say how many there are."""
        found = []
        for name, recordings in zip(names, inputs, strict=True):
            begun = time.monotonic()
            logger.info("reading %s %s", name, PURPOSES[purpose])
            material = Material(purpose, name, tuple(_told(map(self._kept, recordings))))
            self._refuse_again(material)
            counts = [counted(material.described()[what], what) for what in AMOUNTS]
            logger.info("  %s in %.1f s", ", ".join(counts), time.monotonic() - begun)
            _doubt(material)
            found.append(material)
        return found

    def _refuse_again(self, material: Material) -> None:
        """Raise an error if a file is in two inputs for the same purpose: it would count twice."""
        origins = {each.origin.file for each in material.recordings if each.origin}
        files = {(material.purpose, os.path.realpath(file)): file for file in origins}
        for key in sorted(files.keys() & self.files):
            raise FormatError("the same input is given twice", where=files[key])
        self.files |= files.keys()

    def _kept(self, transcript: Transcript) -> Transcript:
        made = normalize(self.added(transcript), self.steps)
        layers = {name: getattr(made, name) for name in ("words", "opening", "mark", "speaker")}
        once = self.texts.setdefault
        return made.replace(
            **{name: tuple(map(once, cells, cells)) for name, cells in layers.items() if cells}
        )


def _doubt(material: Material) -> None:
    """Warn of sentences that look as if the text had none, or each word were one."""
    amounts = material.described()
    if amounts["words"] < FEW or not amounts["sentences"]:
        return
    each = amounts["words"] / amounts["sentences"]
    if not ODD[0] <= each <= ODD[1]:
        logger.warning(
            "%s has %.0f words a sentence: are its sentences marked, and is the format right?",
            material.name,
            each,
        )


def _told(recordings: Iterable[Transcript]) -> Iterator[Transcript]:
    """Pass recordings on, and say now and then how many words there are so far."""
    words, told = 0, time.monotonic()
    for each in recordings:
        words += len(each)
        if time.monotonic() - told > PATIENCE:
            told = time.monotonic()
            logger.info("  %s words so far", f"{words:,}")
        yield each


def counted(number: int, what: str) -> str:
    """Write a number of things that are named in the plural."""
    return f"{number:,} {what.removesuffix('s') if number == 1 else what}"


def usable(recordings: Sequence[Transcript], purpose: str) -> list[Transcript]:
    """Leave out recordings without words; refuse those without sentences, all in one error."""
    kept = [each for each in recordings if len(each)]
    bare = [each for each in kept if each.sentences is None]
    if bare:
        raise LayerError(
            f"of {counted(len(kept), 'recordings')} {PURPOSES[purpose]} {len(bare)} "
            f"{'has' if len(bare) == 1 else 'have'} no sentences: {_listed(bare)}",
            remedy="give text with punctuation, one sentence a line, or JSONL with sentences",
        )
    if recordings and not kept:
        raise LayerError(f"there are no words in the recordings {PURPOSES[purpose]}")
    if len(kept) < len(recordings):
        logger.info(
            "left out because there are no words: %s %s",
            counted(len(recordings) - len(kept), "recordings"),
            PURPOSES[purpose],
        )
    return kept


def refuse_shared(dev: Sequence[Transcript], others: Iterable[Transcript]) -> None:
    """Raise an error if a development recording was trained on too: its scores would be too good.

    It is the same if it has the same words, whatever their case and punctuation, and where these
    are few the same name too.
    """
    named = {(each.id, plain_words(each)) for each in dev}
    long = {words for _, words in named if len(words) >= FEW}
    shared = [
        each
        for each, words in ((each, plain_words(each)) for each in others)
        if words in long or (each.id, words) in named
    ]
    if shared:
        are = "recording is" if len(shared) == 1 else "recordings are"
        raise MismatchError(
            f"{len(shared)} development {are} among those to train on: {_listed(shared)}",
            remedy="tune on recordings that were not trained on",
        )


def plain_words(transcript: Transcript) -> Strings:
    """Return the words of a recording without case and punctuation."""
    return tuple(filter(None, map(_plain_word, transcript.words)))


@lru_cache(maxsize=1 << 16)
def _plain_word(word: str) -> str:
    return bare(composed(word)).casefold().replace("’", "'")


def refuse_undivided(recordings: Sequence[Transcript]) -> None:
    """Raise an error if no sentence ends inside a recording: there is nothing to be found."""
    if not inner_gaps(recordings).any():
        raise LayerError(
            "the development recordings are one sentence each: nothing can be tuned on them",
            remedy="give recordings of several sentences",
        )


def inner_gaps(recordings: Sequence[Transcript]) -> Flags:
    """Pool the gaps of recordings without their last ones, which are always ends."""
    flags = [each.sentences.boundary[:-1] for each in recordings if each.sentences is not None]
    return np.concatenate([np.zeros(0, np.bool_), *flags])


def _listed(recordings: Sequence[Transcript]) -> str:
    names = [
        each.id or (each.origin.file if each.origin else "") or "unnamed" for each in recordings
    ]
    return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
