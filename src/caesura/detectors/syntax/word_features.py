"""What stands around words, as columns of hashes and as lessons: what chunkers look at."""

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
from caesura.ml.crf import Lesson, damaged, frequent
from caesura.ml.features import Hashes
from caesura.ml.lookup import Table
from caesura.text.vocabulary import hashed, spelling

Columns = Mapping[str, Hashes]


def lessons_of(
    spoken: Sequence[Transcript], labels: Sequence[Indices], cutoff: int
) -> tuple[Indices, list[Lesson]]:
    """Give the features seen often enough, and where each word has them."""
    keys = [features.keys(columns_of(each), 0, len(each)) for each in spoken]
    known = frequent(keys, cutoff)
    table = Table(known)
    places = [table.find(each.ravel()).reshape(each.shape) for each in keys]
    return known, list(map(Lesson, places, labels))


def columns_of(spoken: Transcript, subtags: Hashes | None = None) -> Columns:
    """Give what is looked at as columns of hashes, with room before and after them."""
    return {name: features.padded(cells) for name, cells in hashes_of(spoken, subtags).items()}


def hashes_of(spoken: Transcript, subtags: Hashes | None = None) -> Columns:
    """Give what is looked at as columns of hashes; what lies in a gap counts with the next word.

    Sub-tags are cut to the longest beginning that is known, if `subtags` has the known ones.
    """
    count = len(spoken)
    found = {"word": np.fromiter(map(_word, spoken.words), np.uint64, count)}
    if spoken.tag is not None:
        found["tag"] = np.fromiter(map(_text, spoken.tag), np.uint64, count)
    if spoken.subtag is not None:
        known = None if subtags is None else frozenset(subtags.tolist())
        cut = {each: _cut(each, known) for each in set(spoken.subtag)}
        found["subtag"] = np.fromiter(map(cut.__getitem__, spoken.subtag), np.uint64, count)
    if spoken.start is not None and spoken.end is not None:
        before = np.append(np.nan, spoken.pauses()[:-1])[:count]
        found["pause"] = features.hash_numbers(features.pause_bins(before))
    if spoken.speaker is not None:
        unknown = np.full(min(count, 1), UNKNOWN)
        found["turn"] = features.hash_numbers(np.append(unknown, speaker_turns(spoken.speaker)))
    return found


@lru_cache(maxsize=1 << 17)
def _word(word: str) -> int:
    return hashed(spelling(word))


@lru_cache(maxsize=1 << 12)
def _text(cell: str) -> int:
    return hashed(cell)


def _cut(subtag: str, known: frozenset[int] | None) -> int:
    """Hash the longest beginning, up to a dash, that is known; all of it if none is."""
    part = subtag
    while known is not None and part:
        if _text(part) in known:
            return _text(part)
        part = part.rpartition("-")[0]
    return _text(subtag)


def subtags_of(spoken: Sequence[Transcript]) -> Hashes:
    """Give hashes of all sub-tags in ascending order."""
    cells = {cell for each in spoken for cell in each.subtag or ()}
    return np.unique(np.array([_text(cell) for cell in cells], np.uint64))


def checked_subtags(arrays: Mapping[str, NDArray[Any]]) -> Hashes:
    """Give the sub-tags of stored arrays, or raise an error if they are none."""
    found = arrays["subtags"]
    if found.ndim != 1 or found.dtype != np.uint64 or (found[1:] <= found[:-1]).any():
        raise damaged("sub-tags are no hashes in order")
    return np.array(found)
