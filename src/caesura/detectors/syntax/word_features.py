"""Features of words for chunkers: columns of hashes, and training examples made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Indices
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import UNKNOWN, speaker_turns
from caesura.ml import features
from caesura.ml.crf import TrainingExample, damaged, frequent
from caesura.ml.features import Hashes, Table
from caesura.text.vocabulary import hash_spelling, normalized_spelling

Columns = Mapping[str, Hashes]


def training_examples(
    recordings: Sequence[Transcript], labels: Sequence[Indices], cutoff: int
) -> tuple[Indices, list[TrainingExample]]:
    """Return the features seen at least `cutoff` times, and an example for each recording."""
    keys = [features.keys(columns_of(each), 0, len(each)) for each in recordings]
    known = frequent(keys, cutoff)
    table = Table(known)
    places = [table.find(each.ravel()).reshape(each.shape) for each in keys]
    return known, list(map(TrainingExample, places, labels))


def columns_of(words: Transcript, subtags: Hashes | None = None) -> Columns:
    """Return the features of words as columns of hashes, padded before and after."""
    return {name: features.padded(cells) for name, cells in hashes_of(words, subtags).items()}


def hashes_of(words: Transcript, subtags: Hashes | None = None) -> Columns:
    """Return the features of words as columns of hashes; a gap belongs to the word after it.

    If `subtags` has the known sub-tags, others are cut to their longest known prefix.
    """
    count = len(words)
    found = {"word": np.fromiter(map(_hash_word, words.words), np.uint64, count)}
    if words.tag is not None:
        found["tag"] = np.fromiter(map(_hash_text, words.tag), np.uint64, count)
    if words.subtag is not None:
        known = None if subtags is None else frozenset(subtags.tolist())
        cut = {each: _hash_prefix(each, known) for each in set(words.subtag)}
        found["subtag"] = np.fromiter(map(cut.__getitem__, words.subtag), np.uint64, count)
    if words.start is not None and words.end is not None:
        before = np.append(np.nan, words.pauses()[:-1])[:count]
        found["pause"] = features.hash_numbers(features.pause_bins(before))
    if words.speaker is not None:
        unknown = np.full(min(count, 1), UNKNOWN)
        found["turn"] = features.hash_numbers(np.append(unknown, speaker_turns(words.speaker)))
    return found


@lru_cache(maxsize=1 << 17)
def _hash_word(word: str) -> int:
    return hash_spelling(normalized_spelling(word))


@lru_cache(maxsize=1 << 12)
def _hash_text(cell: str) -> int:
    return hash_spelling(cell)


def _hash_prefix(subtag: str, known: frozenset[int] | None) -> int:
    """Hash the longest known prefix that ends before a dash; the whole sub-tag if there is none."""
    part = subtag
    while known is not None and part:
        if _hash_text(part) in known:
            return _hash_text(part)
        part = part.rpartition("-")[0]
    return _hash_text(subtag)


def subtags_of(recordings: Sequence[Transcript]) -> Hashes:
    """Return the hashes of all sub-tags in ascending order."""
    cells = {cell for each in recordings for cell in each.subtag or ()}
    return np.unique(np.array([_hash_text(cell) for cell in cells], np.uint64))


def checked_subtags(arrays: Mapping[str, NDArray[Any]]) -> Hashes:
    """Return the sub-tags of stored arrays, or raise an error if they are damaged."""
    found = arrays["subtags"]
    if found.ndim != 1 or found.dtype != np.uint64 or (found[1:] <= found[:-1]).any():
        raise damaged("sub-tags are not hashes in order")
    return np.array(found)
