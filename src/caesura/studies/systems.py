"""The systems that are ranked: trained on other corpora, run on bare words, scored."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from caesura.contracts import Metric
from caesura.formats.files import read
from caesura.metrics.boundary import Boundary
from caesura.metrics.majority import Majority
from caesura.metrics.wisebe import WiSeBE
from caesura.numeric.stats import Resampling
from caesura.scores import Scores
from caesura.scoring import NO_RESAMPLING, Document, Terms
from caesura.studies.lexical import Lexical, train
from caesura.studies.transcribers import NORMALIZE
from caesura.text.normalize import normalize
from caesura.transcript import Transcript

logger = logging.getLogger("caesura")

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
"""Words to train each system on, so that none has seen more than another."""

EVERY = 10
"""Each tenth text is held out to choose the threshold on."""

METRICS: tuple[Metric, ...] = (Boundary(), Majority(), WiSeBE())


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
            texts, held_out = _parted(_texts(data / place))
            found[name] = train(name, texts, held_out)
    return found


def _texts(path: Path) -> Iterator[Transcript]:
    if path.is_dir():
        for file in sorted(path.glob("*.nlp")):
            yield from read(file)
    else:
        yield from read(path, "turns(marks='.?!')")


def _parted(texts: Iterator[Transcript]) -> tuple[list[Transcript], list[Transcript]]:
    """Take texts until there are enough words, and hold some of them out."""
    ours: list[Transcript] = []
    held_out: list[Transcript] = []
    words = 0
    for number, text in enumerate(texts):
        if words >= ENOUGH:
            break
        # Nothing but bare words is to be seen, as in what a recogniser gives.
        bare = normalize(text.only(("sentences",)), NORMALIZE)
        if len(bare):
            (ours if number % EVERY else held_out).append(bare)
            words += len(bare) if number % EVERY else 0
    return ours or held_out, held_out


def scored_as(system: Lexical, agreement: Scores, resampling: Resampling) -> Scores:
    """Score what a system finds in the words on which the references were brought together."""
    documents = [_found(system, each) for each in agreement.documents]
    terms = Terms(agreement.terms.normalize, agreement.terms.align, resampling)
    return replace(agreement, metrics=METRICS, documents=tuple(documents), terms=terms)


def _found(system: Lexical, document: Document) -> Document:
    words = document.compared.words
    ours = Transcript(words, id=document.id, sentences=system.detect(words))
    counts = tuple(metric.count(ours, document.carried) for metric in METRICS)
    return replace(document, hypothesis=ours, compared=ours, counts=counts)


def every_system(systems: Mapping[str, Lexical], agreement: Scores) -> dict[str, Scores]:
    """Score all systems, without resampling."""
    return {name: scored_as(system, agreement, NO_RESAMPLING) for name, system in systems.items()}
