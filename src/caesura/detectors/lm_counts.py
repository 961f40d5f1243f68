"""What a language model has learnt: words, and how often they follow each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices
from caesura.core.transcript import Transcript
from caesura.ml.ngram import ClassNgram, Counts, Text
from caesura.ml.ngram_counts import START
from caesura.ml.ngram_storage import damaged, packed, unpacked
from caesura.text.normalization.steps import standing
from caesura.text.vocabulary import NO_WORD, UNKNOWN, Vocabulary

BEFORE = 1
"""The class that gaps before a recording are thought to have."""


@dataclass(frozen=True, eq=False)
class Language:
    """A vocabulary and counts: of speech like that to be segmented and, if given, of other text."""

    vocabulary: Vocabulary
    counts: tuple[Counts, ...]
    _ready: dict[tuple[str, str, tuple[float, float]], list[ClassNgram]] = field(
        default_factory=dict
    )

    def ngrams(
        self, factors: str, smoothing: str, strength: tuple[float, float]
    ) -> list[ClassNgram]:
        """Give the models that these counts make; the latest ones are kept."""
        key = (factors, smoothing, strength)
        if key not in self._ready:
            made = [ClassNgram(counts, *key) for counts in self.counts]
            self._ready.clear()
            self._ready[key] = made
        return self._ready[key]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give all that is known as arrays."""
        parts = zip(("speech", "text"), self.counts, strict=False)
        found = {f"{part}.{k}": array for part, c in parts for k, array in packed(c).items()}
        return {"vocabulary": self.vocabulary.hashes, **found}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], classes: int, order: int) -> Language:
        """Make one of arrays."""
        hashes = arrays.get("vocabulary")
        if hashes is None or hashes.dtype != np.uint64 or hashes.ndim != 1:
            raise damaged("there is no vocabulary")
        if (hashes[1:] <= hashes[:-1]).any():
            raise damaged("the vocabulary is not in order")
        vocabulary = Vocabulary(np.array(hashes))
        parts: dict[str, dict[str, NDArray[Any]]] = {"speech": {}}
        for name, array in arrays.items():
            if name != "vocabulary":
                part, _, inner = name.partition(".")
                parts.setdefault(part, {})[inner] = array
        if list(parts) not in (["speech"], ["speech", "text"]):
            raise damaged(f"it has the parts {', '.join(parts)}")
        counts = [unpacked(part, vocabulary.size, classes, order) for part in parts.values()]
        return cls(vocabulary, tuple(counts))


@dataclass(frozen=True, eq=False)
class Spoken:
    """Recordings as numbers: punctuation that stands as a word is left out."""

    text: Text
    lengths: Indices
    kept: tuple[Flags, ...]
    """Which words of each recording are words."""

    @classmethod
    def of(cls, transcripts: Sequence[Transcript], vocabulary: Vocabulary) -> Spoken:
        """Number the words of recordings."""
        numbers = [vocabulary.numbers(each.words) for each in transcripts]
        kept = tuple(each != NO_WORD for each in numbers)
        inside = [each[here] for each, here in zip(numbers, kept, strict=True)]
        lengths = np.array([len(each) for each in inside], np.int64)
        words = np.insert(np.concatenate([np.zeros(0, np.int64), *inside]), _begins(lengths), START)
        return cls(Text(words, _begins(lengths) + np.arange(len(lengths))), lengths, kept)

    def with_start(self, labels: Sequence[Indices]) -> Indices:
        """Give the classes of the words of recordings, with that of what is before each."""
        whole = np.concatenate([np.zeros(0, np.int64), *labels])
        return np.insert(whole, _begins(self.lengths), BEFORE)


def _begins(lengths: Indices) -> Indices:
    return np.cumsum(lengths) - lengths


def without_punctuation(transcript: Transcript, kept: Flags) -> Transcript:
    """Leave out what is no word; what stands after it moves to the word before."""
    return transcript if kept.all() else transcript.take(kept)


def heard(transcript: Transcript) -> tuple[Flags, Transcript]:
    """Tell which words are no punctuation, and give what is left with them alone."""
    kept = ~standing(transcript)
    return kept, without_punctuation(transcript, kept)


def words_of(transcripts: Sequence[Transcript], vocabulary: Vocabulary) -> list[Transcript]:
    """Leave out punctuation that stands as a word in recordings."""
    return [
        without_punctuation(each, vocabulary.numbers(each.words) != NO_WORD) for each in transcripts
    ]


def gap_of_each(kept: Flags) -> Indices:
    """For each word the place of the gap that follows it and the punctuation after it."""
    places = np.flatnonzero(kept)
    return np.append(places[1:] - 1, len(kept) - 1)[: len(places)]


def share_known(transcript: Transcript, vocabulary: Vocabulary) -> float:
    """Give the share of the words of a recording that are known; 1 if it has none."""
    numbers = vocabulary.numbers(transcript.words)
    words = int((numbers != NO_WORD).sum())
    return 1.0 - float((numbers == UNKNOWN).sum()) / words if words else 1.0


def counted(
    transcripts: Sequence[Transcript],
    labels: Sequence[Indices],
    vocabulary: Vocabulary,
    classes: int,
    least: Sequence[int],
) -> Counts:
    """Count in recordings, without punctuation as words, whose gaps have these classes."""
    spoken = Spoken.of(transcripts, vocabulary)
    return Counts.of(spoken.text, spoken.with_start(labels), vocabulary.size, classes, list(least))


def joint(models: Sequence[ClassNgram], text: Text, share: float) -> Floats:
    """Score with one model, or with a mixture in which the second one has a `share`."""
    if len(models) == 1 or share == 0:
        return models[0].score(text)
    if share == 1:
        return models[1].score(text)
    first, second = (model.score(text) for model in models)
    first += np.log1p(-share)
    second += np.log(share)
    return np.logaddexp(first, second, out=first)
