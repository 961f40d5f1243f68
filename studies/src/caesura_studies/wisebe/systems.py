"""The systems that are ranked: trained on other corpora, run on bare words."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from caesura.core.errors import FormatError
from caesura.core.protocols import Metric
from caesura.core.transcript import Transcript
from caesura.evaluation.document import Document
from caesura.evaluation.scores import Scores
from caesura.formats.files import read
from caesura.text.normalization.steps import normalize
from caesura_studies.lexical import Lexical, train
from caesura_studies.wisebe.chapter_agreement import NORMALIZE

logger = logging.getLogger("caesura.studies")

SOURCES = {
    "court": "text-en/scotus.txt",
    "calls": "earnings22/references",
    "inquiry": "text-en/uk_covid_inquiry.txt",
    "meetings": "text-en/ami.txt",
    "podcasts": "text-en/changelog.txt",
    "briefings": "text-en/wh_biden.txt",
}
"""What systems are trained on: a text of turns or a folder of transcripts, below the data."""

PAIR = ("court", "calls")
"""The two systems that are looked at closely; chosen as the paper's are: one finds far more."""

ENOUGH = 500_000
"""Words of each system's texts, so that none has seen more than another."""

EVERY = 10
"""Each tenth text is held out to choose the threshold on."""


def lacking(data: Path) -> str:
    """Say what the two systems' training lacks; '' if nothing."""
    missing = [SOURCES[name] for name in PAIR if not _there(data / SOURCES[name])]
    return f"to train the two systems there is no {' and no '.join(missing)}" if missing else ""


def _there(path: Path) -> bool:
    return any(path.glob("*.nlp")) if path.is_dir() else path.is_file()


def trained(data: Path) -> dict[str, Lexical]:
    """Train a system on each source that is there."""
    found = {}
    for name, place in SOURCES.items():
        if _there(data / place):
            logger.info("training on %s (%s)", name, place)
            found[name] = train(*_parted(data / place))
    return found


def _texts(path: Path) -> Iterator[Transcript]:
    if not path.is_dir():
        yield from read(path, "turns(marks='.?!')")
    for file in sorted(path.glob("*.nlp")):
        yield from read(file)


def _parted(path: Path) -> tuple[list[Transcript], list[Transcript]]:
    """Take texts until there are enough words, and hold some of them out."""
    found: list[Transcript] = []
    words = 0
    for text in _texts(path):
        # Nothing but bare words is to be seen, as in what a recogniser gives.
        bare = normalize(text.only(("sentences",)), NORMALIZE)
        if len(bare):
            found.append(bare)
            words += len(bare)
        if words >= ENOUGH:
            break
    if len(found) < 2:
        raise FormatError("it takes two texts or more to train a system", where=str(path))
    return [each for i, each in enumerate(found) if i % EVERY], found[::EVERY]


def scored_by(system: Lexical, agreement: Scores, metrics: Sequence[Metric]) -> Scores:
    """Score what a system finds in the words on which the references were brought together."""
    documents = tuple(_found(system, each, metrics) for each in agreement.documents)
    return replace(agreement, metrics=tuple(metrics), documents=documents)


def _found(system: Lexical, document: Document, metrics: Sequence[Metric]) -> Document:
    words = document.compared.words
    ours = Transcript(words, id=document.id, sentences=system.detect(words))
    counts = tuple(metric.count(ours, document.carried) for metric in metrics)
    return replace(document, hypothesis=ours, counts=counts)
