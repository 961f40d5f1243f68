"""Describe the gaps between words: their class, their pause, a change of speaker.

A gap is the place after a word. Where punctuation stands as a word of its own, the gap of a
spoken word lies behind the punctuation that follows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.config import check_texts
from caesura.core.errors import LayerError
from caesura.core.segmentation import Segmentation
from caesura.core.transcript import Transcript
from caesura.text.punctuation import (
    LONG_DASHES,
    end_mark,
    punctuation_flags,
    without_letter_dots,
)

DECISIONS = ("posterior", "viterbi")
"""How a detector may decide: each class by its probability, or the best sequence of classes."""

NO_GAP = -50.0
"""Log-odds of a boundary between a word and the punctuation that follows it as a word."""

# Classes. Class 0 is "no label"; the others are the labels of a setting `classes`, such as
# ('.', '?', ','), or a single class "boundary" if there are none.

WITHIN = frozenset(",:-–—")
"""Labels that do not end a sentence."""


def check_classes(classes: object) -> Strings:
    """Check the setting `classes`: distinct labels, of which at least one ends sentences."""
    found = check_texts("classes", classes)
    if "" in found or len(set(found)) < len(found):
        raise ValueError(f"classes are different labels, not {classes!r}")
    if found and WITHIN.issuperset(found):
        raise ValueError(f"none of the classes {', '.join(found)} ends a sentence")
    return found


def class_count(classes: Strings) -> int:
    """Return the number of classes, class 0 included."""
    return max(len(classes), 1) + 1


def ends_sentence(classes: Strings) -> Flags:
    """Return for each class, class 0 first, whether it ends a sentence."""
    return np.array([False, *(label not in WITHIN for label in classes or (".",))])


def classes_of_gaps(transcript: Transcript, classes: Strings) -> Indices | None:
    """Return the class of each gap of a transcript, or None if its sentences are unknown.

    A boundary gets the class of its label, else of its punctuation mark, else the first class
    that ends sentences. Any other gap gets the class of its label or mark if that class does not
    end sentences, else class 0.
    """
    found = transcript.sentences
    if found is None:
        return None
    numbers: Indices = found.boundary.astype(np.int64)
    if not classes:
        return numbers
    labels = found.label or ("",) * len(found)
    marks = transcript.mark or ("",) * len(transcript)
    inside = {label: at for at, label in enumerate(classes, 1) if label in WITHIN}
    ending = {label: at for at, label in enumerate(classes, 1) if label not in WITHIN}
    default = next(iter(ending.values()))
    for gap in found.gaps.tolist():
        numbers[gap] = _first_known((labels[gap], *marks[gap]), ending) or default
    if inside:
        for gap in np.flatnonzero(~found.boundary).tolist():
            numbers[gap] = _first_known((labels[gap], *marks[gap]), inside)
    return numbers


def _first_known(labels: Strings, numbers: dict[str, int]) -> int:
    return next((numbers[label] for label in labels if label in numbers), 0)


def likeliest_classes(probabilities: Floats, is_end: Flags, classes: Strings) -> Indices:
    """Return for each gap the most probable class among those that agree with `is_end`."""
    fits = ends_sentence(classes) == is_end[:, None]
    found: Indices = np.where(fits, probabilities, -np.inf).argmax(axis=1)
    return found


def class_labels(numbers: Sequence[int], classes: Strings) -> Strings:
    """Turn class numbers into labels; class 0 has the label ''."""
    names = ("", *classes)
    return tuple(names[number] for number in numbers)


def place_classes(
    count: int, gaps: Indices, numbers: Indices, log_odds: Floats, classes: Strings
) -> Segmentation:
    """Make a segmentation of `count` gaps of the class numbers and log-odds at some of them.

    The other gaps, before punctuation that stands as a word, are no boundaries.
    """
    chosen, odds = np.zeros(count, np.int64), np.full(count, NO_GAP)
    chosen[gaps], odds[gaps] = numbers, log_odds
    label = class_labels(chosen.tolist(), classes) if classes else None
    return Segmentation(ends_sentence(classes)[chosen], label, odds)


def missing_sentences(count: int) -> LayerError:
    """Return the error for training data of `count` recordings that have no sentences."""
    return LayerError(
        f"none of {count} recordings has sentences",
        remedy="train on transcripts whose sentences are known",
    )


# Features

SPEAKERS = SAME, OTHER, UNKNOWN = (0, 1, 2)
"""Values of `speaker_turns`: the next word has the same speaker, another one, or nobody knows."""


def duration_bins(pauses: Floats, step: float, longest: int) -> Indices:
    """Return the bin of each pause: its duration in steps, up to the bin `longest`.

    Overlapping speech has no pause (bin 0); an unknown pause has the bin `longest` + 1. Whole
    steps lie in the middle of bins, so that times given in such steps fall into them safely.
    """
    unknown = np.isnan(pauses)
    bins = np.clip(round_to_steps(np.where(unknown, 0, pauses), step), 0, longest)
    return np.where(unknown, longest + 1, bins).astype(np.int64)


def round_to_steps(seconds: Floats, step: float) -> Floats:
    """Round times, taken in whole milliseconds, to a number of steps; half a step goes up."""
    found: Floats = np.floor(np.rint(seconds * 1000) / round(step * 1000, 6) + 0.5)
    return found


def cell_indices(cells: Strings, known: Sequence[str]) -> Indices:
    """Return the index of each cell in `known`; 0 for a cell that is not there."""
    place = {cell: at for at, cell in enumerate(known)}
    return np.fromiter(map(place.get, cells, repeat(0)), np.int64, len(cells))


def speaker_turns(speaker: Strings) -> Indices:
    """Return for each gap but the last whether another speaker follows (see `SPEAKERS`)."""
    number = cell_indices(speaker, ["", *(set(speaker) - {""})])
    before, after = number[:-1], number[1:]
    known = np.where(before == after, SAME, OTHER)
    return np.where((before == 0) | (after == 0), UNKNOWN, known)


# Punctuation that stands as a word


def find_words(transcript: Transcript) -> tuple[Flags, Transcript]:
    """Return which tokens are words, not punctuation, and the transcript of these words alone."""
    is_word = ~punctuation_flags(transcript)
    return is_word, without_punctuation(transcript, is_word)


def without_punctuation(transcript: Transcript, is_word: Flags) -> Transcript:
    """Remove tokens that are no words; what follows such a token moves to the word before it."""
    return transcript if is_word.all() else transcript.take(is_word)


def gaps_after_words(is_word: Flags) -> Indices:
    """Return for each word the gap that follows it and the punctuation after it."""
    places = np.flatnonzero(is_word)
    return np.append(places[1:] - 1, len(is_word) - 1)[: len(places)]


class MarkedWords(NamedTuple):
    """Words that are no punctuation, and the marks after each."""

    words: Sequence[str]
    marks: Sequence[str]
    first: Indices
    """The place of each word in the transcript."""

    last: Indices
    """The gap that follows a word and its marks."""


BULLETS = frozenset(("-", "--", *LONG_DASHES, "*", "•", "·"))
"""Signs that stand before a signature, an item of a list or what another person says."""


def marked_words(transcript: Transcript) -> MarkedWords:
    """Return words and their marks, also marks that stand as words.

    Punctuation before the first word belongs to no word, and to no gap that is one. So does a dash
    or a bullet after the end of a sentence: it is the start of what follows. Dots of letters that
    are spelled out, as in I. B. M., are no marks.
    """
    alone = punctuation_flags(transcript)
    marks = transcript.mark or ("",) * len(transcript)
    if not alone.any():
        gaps = np.arange(len(transcript))
        return MarkedWords(
            transcript.words, without_letter_dots(transcript.words, marks), gaps, gaps
        )
    words: list[str] = []
    joined: list[str] = []
    first: list[int] = []
    last: list[int] = []
    cells = zip(transcript.words, marks, alone.tolist(), strict=True)
    for at, (word, mark, is_mark) in enumerate(cells):
        if not is_mark:
            words.append(word)
            joined.append(mark)
            first.append(at)
            last.append(at)
        elif words and not (word in BULLETS and end_mark(joined[-1])):
            joined[-1] += word + mark
            last[-1] = at
    places = np.array(first, np.int64), np.array(last, np.int64)
    return MarkedWords(words, without_letter_dots(words, joined), *places)
