"""The systems that are ranked: word baselines, each trained on another corpus."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from caesura.core.arrays import Strings
from caesura.core.errors import FormatError
from caesura.core.protocols import Metric
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.evaluation.document import Document
from caesura.evaluation.scores import Scores
from caesura.formats.files import read_file
from caesura.text.normalization.steps import normalize
from caesura_studies.lexical import WordBaseline, train
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
"""The training text of each system: a text file of turns or a folder of transcripts."""

PAIR = ("court", "calls")
"""The two systems compared in detail; as in the paper, one finds far more boundaries."""

MAX_WORDS = 500_000
"""Words of training text for each system, so that none has seen more than another."""

HELD_OUT_EVERY = 10
"""Every tenth text is held out to choose the threshold."""


def what_is_missing(data: Path) -> str:
    """Say which training texts of the two systems are missing; '' if none is."""
    missing = [SOURCES[name] for name in PAIR if not _exists(data / SOURCES[name])]
    return f"to train the two systems there is no {' and no '.join(missing)}" if missing else ""


def _exists(path: Path) -> bool:
    return any(path.glob("*.nlp")) if path.is_dir() else path.is_file()


def train_systems(data: Path) -> dict[str, WordBaseline]:
    """Train a system on each source that exists."""
    found = {}
    for name, place in SOURCES.items():
        if _exists(data / place):
            logger.info("training on %s (%s)", name, place)
            found[name] = train(*_split_held_out(data / place))
    return found


def read_texts(path: Path) -> Iterator[Transcript]:
    """Read a text file of turns, or a folder of transcripts."""
    if not path.is_dir():
        yield from read_file(path, "turns(marks='.?!')")
    for file in sorted(path.glob("*.nlp")):
        yield from read_file(file)


def _split_held_out(path: Path) -> tuple[list[Transcript], list[Transcript]]:
    """Take texts until there are enough words, and hold some of them out."""
    found: list[Transcript] = []
    words = 0
    for text in read_texts(path):
        # Nothing but bare words is to be seen, as in what a recogniser gives.
        bare = normalize(text.only(("sentences",)), NORMALIZE)
        if len(bare):
            found.append(bare)
            words += len(bare)
        if words >= MAX_WORDS:
            break
    if len(found) < 2:
        raise FormatError("it takes two texts or more to train a system", where=str(path))
    return [each for i, each in enumerate(found) if i % HELD_OUT_EVERY], found[::HELD_OUT_EVERY]


Detect = Callable[[Strings], Segmentation]
"""A system: it finds the boundaries of bare words."""


def score_system(detect: Detect, agreement: Scores, metrics: Sequence[Metric]) -> Scores:
    """Score the boundaries of a system on the words that carry the references."""
    documents = tuple(_score_document(detect, each, metrics) for each in agreement.documents)
    return replace(agreement, metrics=tuple(metrics), documents=documents)


def _score_document(detect: Detect, document: Document, metrics: Sequence[Metric]) -> Document:
    words = document.compared.words
    ours = Transcript(words, id=document.id, sentences=detect(words))
    counts = tuple(metric.count(ours, document.carried) for metric in metrics)
    return replace(document, hypothesis=ours, counts=counts)
