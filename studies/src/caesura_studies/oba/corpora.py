"""The treebanks of the study, without punctuation, for training and for evaluation."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from caesura.core.arrays import Flags
from caesura.core.errors import FormatError
from caesura.core.transcript import Transcript
from caesura.detectors.syntax.crf_svm import CRF
from caesura.formats.files import read_file
from caesura_studies.oba.plan import Plan

TREEBANKS = {
    "naija": "Naija",
    "french-rhapsodie": "French (Rhapsodie)",
    "japanese-gsd": "Japanese (GSD)",
}
"""Folders below `ud`, and their names in the report."""

VISIBLE_LAYERS = ("start", "end", "tag", "subtag")
"""Layers that systems see: not speakers, as a new speaker always begins a sentence."""

SEED = 2006
MIN_UNITS = 2
"""The least number of evaluation recordings for intervals."""


@dataclass(frozen=True, eq=False)
class Language:
    """A treebank: training recordings, and units for evaluation.

    A unit is a recording, or a pseudo-document in several orders of its sentences. Units are
    resampled as a whole, so that no sentence is in two of them.
    """

    key: str
    name: str
    train: tuple[Transcript, ...]
    units: tuple[tuple[Transcript, ...], ...]
    shuffled: bool
    with_speakers: tuple[tuple[Transcript, ...], tuple[Transcript, ...]] | None = None
    """The same recordings with their speakers, if known: for training and for evaluation."""

    @cached_property
    def dev(self) -> list[Transcript]:
        """All evaluation recordings."""
        return [each for unit in self.units for each in unit]

    @cached_property
    def first_orders(self) -> list[Transcript]:
        """The evaluation recordings, in one order each."""
        return [unit[0] for unit in self.units]

    @property
    def timed(self) -> bool:
        """Whether words have times."""
        return any(each.start is not None for each in self.first_orders)


def read_corpora(data: Path, plan: Plan) -> tuple[list[Language], dict[str, str]]:
    """Read the treebanks that exist; say for the others why they are left out."""
    found, omitted = [], {}
    for key, name in TREEBANKS.items():
        parts = [data / "ud" / key / f"{part}.conllu" for part in ("train", "dev")]
        missing = [str(file.relative_to(data)) for file in parts if not file.is_file()]
        if missing:
            omitted[name] = f"there is no {' and no '.join(missing)}"
            continue
        train, dev = map(_read_recordings, parts)
        language = _language(key, train, dev, plan)
        if len(language.train) < plan.folds or len(language.units) < MIN_UNITS:
            omitted[name] = (
                f"{len(language.train)} recordings to learn from and {len(language.units)} to "
                f"measure on are too few: it takes {plan.folds} and {MIN_UNITS}"
            )
        else:
            found.append(language)
    if not found:
        raise FormatError(
            f"there is no treebank to study: {'; '.join(omitted.values())}",
            where=str(data),
            remedy=f"put train.conllu and dev.conllu into one of ud/{', ud/'.join(TREEBANKS)}",
        )
    return found, omitted


def _read_recordings(file: Path) -> list[Transcript]:
    """Read recordings without their punctuation."""
    spoken = [CRF().words(each) for each in read_file(file, "conllu")]
    return [each for each in spoken if len(each) and each.sentences is not None]


def _language(
    key: str, train: Sequence[Transcript], dev: Sequence[Transcript], plan: Plan
) -> Language:
    """Use recordings as they are, or pseudo-documents if each sentence stands alone."""
    name = TREEBANKS[key]
    if any(len(_sentences_of(each)) > 1 for each in (*train, *dev)):
        units = [(_without_speakers(each),) for each in dev]
        known = any(each.speaker is not None for each in (*train, *dev))
        with_speakers = (tuple(train), tuple(dev)) if known else None
        return Language(
            key, name, tuple(map(_without_speakers, train)), tuple(units), False, with_speakers
        )
    rng = np.random.default_rng(SEED)
    learnt = [
        _joined(group, f"{key}-train-{at}")
        for at, group in enumerate(_groups(train, plan.size, rng))
    ]
    orders = [
        tuple(
            _joined([group[i] for i in rng.permutation(len(group))], f"{key}-dev-{at}")
            for _ in range(plan.orders)
        )
        for at, group in enumerate(_groups(dev, plan.size, rng))
    ]
    return Language(key, name, tuple(learnt), tuple(orders), True)


def _without_speakers(transcript: Transcript) -> Transcript:
    return transcript.replace(speaker=None)


def _groups(
    sentences: Sequence[Transcript], size: int, rng: np.random.Generator
) -> list[list[Transcript]]:
    order = rng.permutation(len(sentences)).tolist()
    return [
        [sentences[at] for at in order[first : first + size]]
        for first in range(0, len(order), size)
    ]


def _joined(sentences: Sequence[Transcript], name: str) -> Transcript:
    return Transcript.join(sentences).replace(id=name)


def _sentences_of(transcript: Transcript) -> Sequence[tuple[int, int]]:
    assert transcript.sentences is not None
    return transcript.sentences.sentences


def inner_boundaries(transcript: Transcript) -> Flags:
    """Return the boundaries at all gaps of a recording but the last."""
    assert transcript.sentences is not None
    return transcript.sentences.boundary[:-1]


def detector_input(transcript: Transcript) -> Transcript:
    """Return a recording as detectors see it: without sentences, clusters and trees."""
    return transcript.only(VISIBLE_LAYERS)


def speaker_changes(transcript: Transcript) -> Flags:
    """Return at which gaps but the last another speaker begins."""
    pairs = zip(transcript.speaker or (), (transcript.speaker or ())[1:], strict=False)
    found = np.zeros(len(transcript) - 1, np.bool_)
    found[:] = [one != other for one, other in pairs] or False
    return found


def fingerprint(recordings: Sequence[Transcript]) -> str:
    """Return a checksum of training recordings."""
    digest = hashlib.sha256()
    for each in recordings:
        digest.update("\0".join(each.words).encode())
        for layer in (each.tag, each.subtag, each.relation, each.speaker):
            digest.update("\0".join(layer or ()).encode())
        for column in (each.head, each.cluster, each.start, each.end, inner_boundaries(each)):
            digest.update(b"-" if column is None else column.tobytes())
    return digest.hexdigest()
