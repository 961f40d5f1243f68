"""The corpora that the English models learn from, each as one source of recordings.

    earnings22, earnings21     earnings calls; earnings21 also as five recognisers heard it
    rev16                      podcasts
    text-en                    twelve kinds of transcribed speech, and one left out by its licence
    EWT                        written text, with sentences that annotators marked

Development recordings (see `development`) are left out.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from recipes.development import LEFT_OUT, others

import caesura
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.detectors.neural.mishearing import Mishearing, learn_mishearing
from caesura.detectors.neural.training_windows import (
    Lexicon,
    Sampler,
    Source,
    compile_source,
    written_forms,
)
from caesura.formats.plain import TextBuilder
from caesura.ml.neural.wordpiece import WordPieces
from caesura.text.alignment.transfer import transfer_layers
from caesura.text.alignment.word_alignment import Alignment, align
from caesura.text.punctuation import TITLES

log = logging.getLogger("caesura.recipes")

ENDS = ".?!"
TIMED_RECOGNISERS = ("amazon", "google", "speechmatics", "rev-kaldi", "kaldi-librispeech")
RECOGNISERS = (*TIMED_RECOGNISERS, "microsoft", "rev-espnet")
UNCLEAR = ("bitcoin_talks",)
"""Text whose licence is not clear enough to ship what was learnt from it."""

REFERENCES = {
    "earnings22": "earnings22/references",
    "earnings21": "earnings21/references",
    "rev16 verbatim": "rev16/verbatim",
    "rev16 nonverbatim": "rev16/nonverbatim",
}

WEIGHTS = {
    "earnings22": 3.2,
    "earnings21": 0.5,
    **{f"earnings21 {name}": 0.45 for name in TIMED_RECOGNISERS},
    "earnings21 kaldi-librispeech": 0.8,
    "rev16 verbatim": 0.45,
    "rev16 nonverbatim": 0.45,
    "ud english-ewt train": 1.0,
}
"""How often windows are drawn from a source; a text has the root of its words in millions."""

LEAST, MOST = 0.9, 1.8
"""Limits of the weights of texts: no kind of speech shall be rare, and none too frequent."""


@dataclass(frozen=True)
class Corpus:
    """Recordings of one kind."""

    name: str
    recordings: tuple[Transcript, ...]
    written: bool = False
    """Whether it is written text, in which a sentence may end without a mark."""

    turns_are_lines: bool = False
    """Whether a change of speaker is only known as a new line, which may be a paragraph."""

    recognised: bool = False
    """Whether the words are those of a recogniser."""

    @property
    def weight(self) -> float:
        """How often windows are drawn from it."""
        words = sum(map(len, self.recordings))
        return WEIGHTS.get(self.name, min(max(math.sqrt(words / 1e6), LEAST), MOST))

    def summary(self) -> dict[str, Any]:
        """Return the row of a card."""
        found = [each.sentences for each in self.recordings if each.sentences is not None]
        return {
            "name": self.name.replace(" ", "/"),
            "recordings": len(self.recordings),
            "words": sum(map(len, self.recordings)),
            "sentences": sum(len(each.gaps) for each in found),
        }


@dataclass(frozen=True)
class Material:
    """Everything that the English models learn from, as arrays."""

    sources: tuple[Source, ...]
    lexicon: Lexicon
    counts: Counter[str]
    """How often each word occurs, as it is written."""

    forms: Mapping[str, str]
    """How words are written that usually have capitals."""

    mishearing: Mishearing
    rows: tuple[dict[str, Any], ...]
    """Rows for the card of a model."""

    def sampler(self, vocabulary: WordPieces, length: int, seed: int) -> Sampler:
        """Return a sampler of windows of so many pieces."""
        return Sampler(
            self.sources, self.lexicon, vocabulary, length, seed, mishearing=self.mishearing
        )


def gather(data: Path) -> Material:
    """Read all corpora and turn them into arrays."""
    heard, lexicon = mishearing(data), Lexicon()
    counts: Counter[str] = Counter()
    read: Counter[str] = Counter()
    sources, rows = [], []
    for corpus in corpora(data):
        log.info("%s: %d recordings", corpus.name, len(corpus.recordings))
        for each in corpus.recordings:
            counts.update(each.words)
            read.update(() if corpus.recognised else each.words)
        source = compile_source(
            corpus.name,
            corpus.weight,
            corpus.recordings,
            lexicon,
            not corpus.written,
            corpus.turns_are_lines,
            corpus.recognised,
        )
        sources.append(source)
        rows.append({**corpus.summary(), **LEFT_OUT})
    forms = written_forms(sources, lexicon.words, read)
    return Material(tuple(sources), lexicon, counts, forms, heard, tuple(rows))


def corpora(data: Path) -> Iterator[Corpus]:
    """Read all sources, one at a time."""
    for name, folder in REFERENCES.items():
        read = map(without_titles, caesura.read(data / folder))
        yield Corpus(name, tuple(others(folder, read)))
    for name in TIMED_RECOGNISERS:
        yield Corpus(f"earnings21 {name}", tuple(recognised(data, name)), recognised=True)
    for file in sorted((data / "text-en").glob("*.txt")):
        if file.stem not in UNCLEAR:
            documents = tuple(read_turns(file))
            yield Corpus(f"text-en {file.stem}", documents, turns_are_lines=True)
    treebank = data / "ud/english-ewt/train.conllu"
    yield Corpus("ud english-ewt train", tuple(read_written(treebank)), written=True)


def without_titles(transcript: Transcript) -> Transcript:
    """Take back sentence ends after titles, which these transcripts mark with a dot: Mr."""
    found = transcript.sentences
    if found is None:
        return transcript
    kept = [gap for gap in found.gaps.tolist() if transcript.words[gap].lower() not in TITLES]
    return transcript.replace(sentences=Segmentation.of_gaps(len(transcript), kept))


def read_turns(file: Path) -> Iterator[Transcript]:
    """Read documents of one turn a line; each line has another speaker than the one before."""
    lines: list[str] = []
    documents = 0
    for line in [*file.read_text("utf-8").split("\n"), ""]:
        if line.strip():
            lines.append(line)
        elif lines:
            documents += 1
            yield _document(lines, f"{file.stem}-{documents}")
            lines = []


def _document(lines: list[str], id: str) -> Transcript:
    speaker: list[str] = []
    whole = TextBuilder()
    for at, line in enumerate(lines):
        alone = TextBuilder()
        for builder in (whole, alone):
            builder.add(line)
            builder.end()
        speaker += ["AB"[at % 2]] * len(alone.transcript("", ENDS))
    found = whole.transcript(id, ENDS)
    return found.replace(speaker=tuple(speaker)) if len(speaker) == len(found) else found


def read_written(file: Path) -> Iterator[Transcript]:
    """Read the documents of a treebank as running text, with the sentences of the treebank."""
    id, texts = "", list[str]()
    for line in [*file.read_text("utf-8").split("\n"), "# newdoc id = end"]:
        if line.startswith("# newdoc id"):
            if texts:
                yield _written(texts, id)
            id, texts = line.split("=")[1].strip(), []
        elif line.startswith("# text ="):
            texts.append(line.split("=", 1)[1].strip())


def _written(texts: list[str], id: str) -> Transcript:
    builder = TextBuilder()
    builder.add(" ".join(texts))
    builder.end()
    found = builder.transcript(id, ENDS)
    # A sentence ends with the word that has its last character.
    stops = np.cumsum([len("".join(word.split())) for word in found.surface()])
    ends = np.cumsum([len("".join(text.split())) for text in texts])
    gaps = np.unique(np.searchsorted(stops, ends))
    return found.replace(sentences=Segmentation.of_gaps(len(found), gaps[gaps < len(found)]))


def recognised(data: Path, recogniser: str) -> Iterator[Transcript]:
    """Read the words and times of a recogniser, with the sentences and marks of the reference."""
    references = _references(data)
    for heard in others("earnings21", caesura.read(data / "earnings21/recognisers" / recogniser)):
        yield labelled(heard, references[heard.id])


def mishearing(data: Path) -> Mishearing:
    """Learn from all recognisers of earnings21 how words are misheard."""
    references = _references(data)

    def pairs() -> Iterator[tuple[list[str], list[str], Alignment]]:
        for name in RECOGNISERS:
            calls = caesura.read(data / "earnings21/recognisers" / name)
            for heard in others("earnings21", calls):
                told = [word.lower() for word in references[heard.id].words]
                words = [word.lower() for word in heard.words]
                yield told, words, align(told, words)

    return learn_mishearing(pairs())


@cache
def _references(data: Path) -> Mapping[str, Transcript]:
    found = map(without_titles, caesura.read(data / REFERENCES["earnings21"]))
    return {each.id: each for each in found}


def labelled(heard: Transcript, reference: Transcript) -> Transcript:
    """Give recognised words the sentences, speakers and marks of a reference, by alignment."""
    words = tuple(word.lower() for word in heard.words)
    aligned = align([word.lower() for word in reference.words], words)
    moved = transfer_layers(reference, heard, ("sentences", "speaker"), aligned).transcript
    marks = [""] * len(heard)
    for gap, mark in zip(aligned.gaps.tolist(), reference.mark or (), strict=False):
        if gap >= 0 and mark:
            marks[gap] = mark
    upper = sum(word.isupper() for word in heard.words) > len(heard) / 2
    return moved.replace(words=words if upper else heard.words, mark=tuple(marks), opening=None)
