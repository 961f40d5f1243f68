"""The corpora on which models are compared, with each kind of input.

Words are in lower case without punctuation, except those of a treebank's original text. Boundaries
are sentence ends that a person marked with `.`, `?` or `!`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from recipes.development import chosen, development_ids, is_development, others
from recipes.english_corpora import mishearing, read_turns, read_written
from recipes.whisper_times import with_whisper_times

import caesura
from caesura.core.transcript import Transcript
from caesura.detectors.neural.mishearing import Mishearing
from caesura.evaluation.evaluate import EvaluationOptions, evaluate_systems
from caesura.evaluation.script_alignment import align_to_script
from caesura.text.normalization.steps import normalize

MARKS = "punctuation"
"""The step of normalisation that takes marks away."""

TIMED = 0.8
"""The least share of words with times in a recording that counts as timed."""

WHISPER = "Whisper's times"
KINDS: dict[str, tuple[str, ...]] = {
    "times": ("start", "end"),
    WHISPER: ("start", "end"),
    "speakers": ("speaker",),
    "marks": ("opening", "mark"),
    "capitals": (),
}
"""Kinds of evidence beside the words, and the layers that each is in."""

ORIGINAL = "original text"
INPUTS: dict[str, frozenset[str]] = {
    "words": frozenset(),
    "words, times": frozenset({"times"}),
    f"words, {WHISPER}": frozenset({WHISPER}),
    "words, speakers": frozenset({"speakers"}),
    "words, times, speakers": frozenset({"times", "speakers"}),
    "words, capitals": frozenset({"capitals"}),
    "words, marks": frozenset({"marks"}),
    ORIGINAL: frozenset({"marks", "capitals"}),
}
"""The evidence that models get beside the words."""

RECOGNISERS = ("amazon", "google", "kaldi-librispeech", "rev-kaldi", "speechmatics")
"""Those of earnings21 that give times."""


@dataclass(frozen=True)
class Task:
    """Recordings with their sentences, and the input that models get."""

    corpus: str
    input: str
    recordings: tuple[Transcript, ...]

    @cached_property
    def key(self) -> str:
        """A hash of everything that models see, and of the sentences."""
        found = hashlib.sha256(f"{self.corpus} {self.input}".encode())
        for each in self.recordings:
            found.update(repr((each.id, each.words, each.mark, each.speaker)).encode())
            for column in (each.start, each.end):
                found.update(b"" if column is None else column.tobytes())
            if each.sentences is not None:
                found.update(each.sentences.gaps.tobytes())
        return found.hexdigest()

    @property
    def is_timed(self) -> bool:
        """Whether the recordings have times."""
        return any("start" in KINDS[kind] for kind in INPUTS.get(self.input, ()))

    @property
    def given(self) -> list[Transcript]:
        """The recordings without their sentences."""
        return [each.replace(sentences=None) for each in self.recordings]


@dataclass(frozen=True)
class Corpus:
    """A corpus: how it is read, which inputs it has, and what a second person achieves."""

    name: str
    about: str
    read: Callable[[Path], list[Transcript]]
    inputs: tuple[str, ...]
    ceiling: Callable[[Path], float] | None = None

    def tasks(self, data: Path) -> list[Task]:
        """Read the recordings and return one task for each input."""
        found = [each.replace(language="en") for each in self.read(data)]
        return [
            Task(self.name, input, tuple(with_evidence(one, INPUTS[input]) for one in found))
            for input in self.inputs
        ]


def with_evidence(recording: Transcript, kinds: Collection[str]) -> Transcript:
    """Return the words and sentences of a recording, and of all other evidence these kinds."""
    steps = [*([] if "capitals" in kinds else ["case"]), *([] if "marks" in kinds else [MARKS])]
    layers = [layer for kind in kinds for layer in KINDS[kind]]
    if WHISPER in kinds:
        recording = with_whisper_times(recording)
    return normalize(recording, steps).only(("sentences", *layers))


def is_timed(recording: Transcript) -> bool:
    """Whether most words of a recording have times."""
    return recording.start is not None and bool(np.mean(~np.isnan(recording.start)) >= TIMED)


def baseline_training(data: Path) -> tuple[list[Transcript], list[Transcript]]:
    """Return the timed calls of earnings22 to train baselines on, and others to tune them on.

    No development recording is among them; every eighth of the rest is for tuning.
    """
    calls = sorted(caesura.read(data / "earnings22" / "references"), key=lambda each: each.id)
    timed = [each for each in others("earnings22", calls) if is_timed(each)]
    bare = [with_evidence(each, INPUTS["words, times, speakers"]) for each in timed]
    tuning = bare[7::8]
    return [each for each in bare if each not in tuning], tuning


def _earnings22(data: Path) -> list[Transcript]:
    return chosen("earnings22", caesura.read(data / "earnings22" / "references"))


def _earnings21(data: Path) -> list[Transcript]:
    calls = data / "earnings21"
    found = []
    for name in RECOGNISERS:
        files = sorted((calls / "recognisers" / name).iterdir())
        kept = [file for file in files if is_development("earnings21", file.stem)]
        for file in kept:
            script = calls / "references" / f"{file.stem}.nlp"
            (aligned,) = align_to_script([file], script=[script], layers=("sentences",))
            found.append(aligned.transcript.replace(id=f"{name}/{file.stem}"))
    return found


def recording_of(id: str) -> str:
    """Return the recording of which an id tells what a recogniser heard."""
    recogniser, _, recording = id.rpartition("/")
    return recording if recogniser in RECOGNISERS else id


def _coraal(data: Path) -> list[Transcript]:
    rev = data / "coraal-multi" / "rev"
    pairs = align_to_script([rev / "original"], script=[rev / "nlp"], layers=("sentences",))
    return [each.transcript for each in pairs]


def _coraal_ceiling(data: Path) -> float:
    folders = [data / "coraal-multi" / name / "nlp" for name in ("amberscript", "coraal", "rev_aa")]
    return _agreement(
        list(caesura.read(data / "coraal-multi" / "rev" / "nlp")),
        [list(caesura.read(folder)) for folder in folders],
    )


def _rev16(data: Path) -> list[Transcript]:
    return chosen("rev16", caesura.read(data / "rev16" / "verbatim"))


def _rev16_ceiling(data: Path) -> float:
    other = chosen("rev16", caesura.read(data / "rev16" / "nonverbatim"))
    return _agreement(_rev16(data), [other])


def _agreement(ours: Sequence[Transcript], theirs: Sequence[Sequence[Transcript]]) -> float:
    """Return the mean F1 of one person's boundaries against those of each other person."""
    options = EvaluationOptions(align=True, resamples=0)
    (scores,) = evaluate_systems([ours], theirs, options)
    return float(scores["Boundary"]["f1"])  # type: ignore[arg-type]


def _ted(data: Path) -> list[Transcript]:
    return list(caesura.read(data / "iwslt-ted" / "dev2012"))


def _misheard_ted(data: Path) -> list[Transcript]:
    return [misheard(each, mishearing(data)) for each in _ted(data)]


def misheard(recording: Transcript, heard_as: Mishearing) -> Transcript:
    """Return what recognisers could have heard; a sentence ends after its last word that is left.

    Words that were inserted come after the end.
    """
    draw = np.random.default_rng(1)
    heard = heard_as.hear(heard_as.numbers_of(recording.words), draw, scale=1.0)
    words = [
        heard_as.words[said] if said >= 0 else recording.words[place]
        for place, said in zip(heard.place.tolist(), heard.said.tolist(), strict=True)
    ]
    assert recording.sentences is not None
    is_own = ~heard.inserted
    own = np.searchsorted(heard.place[is_own], np.arange(len(recording)), side="right") - 1
    moved = np.where(own < 0, -1, np.flatnonzero(is_own)[own])
    sentences = recording.sentences.moved(moved, len(words))
    return Transcript(tuple(words), recording.id, recording.language, sentences=sentences)


def _ewt(data: Path) -> list[Transcript]:
    return list(read_written(data / "ud" / "english-ewt" / "test.conllu"))


def _talks(data: Path) -> list[Transcript]:
    return list(read_turns(data / "text-en" / "bitcoin_talks.txt"))[::8]


WRITTEN = ("words", "words, capitals", "words, marks", ORIGINAL)


def _count(corpus: str) -> int:
    return len(development_ids()[corpus])


CORPORA = (
    Corpus(
        "earnings22",
        f"{_count('earnings22')} earnings calls, times by forced alignment; Whisper's are made up "
        "from these (recipes/whisper_times.py)",
        _earnings22,
        ("words", "words, times", f"words, {WHISPER}", "words, times, speakers"),
    ),
    Corpus(
        "earnings21",
        f"{_count('earnings21')} earnings calls as {len(RECOGNISERS)} recognisers heard them, "
        "sentences of the reference by alignment",
        _earnings21,
        ("words", "words, times"),
    ),
    Corpus(
        "coraal-multi",
        "18 sociolinguistic interviews, as the first transcriber of Rev wrote them",
        _coraal,
        ("words", "words, times", "words, times, speakers"),
        _coraal_ceiling,
    ),
    Corpus(
        "rev16",
        f"{_count('rev16')} podcast episodes, verbatim",
        _rev16,
        ("words", "words, speakers"),
        _rev16_ceiling,
    ),
    Corpus("iwslt-ted", "TED talks, dev2012, in one recording", _ted, ("words",)),
    Corpus(
        "iwslt-ted/misheard",
        "the same talks with errors drawn at random from those of the recognisers of earnings21, "
        "in place of a recogniser's words, which the corpus does not have",
        _misheard_ted,
        ("words",),
    ),
    Corpus(
        "text-en/bitcoin_talks",
        "every eighth of 127 talks and podcasts about software, a source that nothing was trained "
        "or tuned on",
        _talks,
        ("words",),
    ),
    Corpus("ud/english-ewt/test", "web text, the test part of a treebank", _ewt, WRITTEN),
)
