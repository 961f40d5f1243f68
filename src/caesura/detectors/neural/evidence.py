"""What neural detectors see of a transcript besides its words, as numbers.

Each kind of evidence is a column over the words, and each column has a value for "not known", so
that one model serves transcripts with and without times, speakers, marks and capitals. A gap lies
after its word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.core.arrays import Flags, Floats, Indices, Strings
from caesura.core.transcript import Transcript
from caesura.detectors.gaps import MarkedWords, speaker_turns
from caesura.detectors.pause import MOST_UNMARKED, unmarked_runs
from caesura.text.punctuation import ELLIPSES, LONG_DASHES, end_mark

UNKNOWN = 0
"""The value of every column where nothing is known."""

SECONDS = (
    *(0.0, 0.02, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.36, 0.44, 0.55, 0.7, 0.9),
    *(1.2, 1.7, 2.5, 4.0),
)
"""Upper ends of the bins of pauses; longer ones are in one bin more."""

RANKS = (
    *(0.0, 0.3, 0.5, 0.6, 0.7, 0.76, 0.82, 0.86, 0.89, 0.915, 0.935, 0.95, 0.963, 0.975),
    *(0.985, 0.993),
)
"""Upper ends of the bins of the share of pauses of the recording that are shorter."""

LENGTHS = (*(0.05, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.87, 0.92), *(0.955, 0.98))
"""Upper ends of the bins of the share of words of the recording that last shorter."""

SILENT_LETTERS = 2
"""How long a word lasts is divided by its letters and so many more."""

FEWEST_PAUSES = 20
"""With fewer known pauses, ranks mean little and are not known."""

HIDDEN_MARK, NO_MARK, COMMA, PERIOD, QUESTION, EXCLAMATION = range(6)
COLON, DASH, RULE, ELLIPSIS, OTHER_MARK = range(6, 11)
HIDDEN_CASE, LOWER, CAPITALISED, UPPER, MIXED = range(5)

SIZES: Mapping[str, int] = {
    "seconds": len(SECONDS) + 2,
    "rank": len(RANKS) + 2,
    "length": len(LENGTHS) + 2,
    "turn": 3,
    "mark": 11,
    "case": 5,
    "opening": 3,
}
"""The columns and how many values each has."""

OF_GAPS = ("seconds", "rank", "turn", "mark")
"""Columns about the gap after a word; a word is told those of the gap before it, too."""

COLUMNS = (*SIZES, *(f"{name} before" for name in OF_GAPS))
"""The columns of `columns_of_words`, in order."""


class Evidence(NamedTuple):
    """What is known of each word and the gap after it: times in seconds, the rest as numbers."""

    pause: NDArray[Any]
    length: NDArray[Any]
    """Seconds a letter: speakers draw words out where they hesitate and where they end."""

    turn: NDArray[Any]
    mark: NDArray[Any]
    case: NDArray[Any]
    opening: NDArray[Any]

    def without_marks(self) -> Evidence:
        """Return the evidence with marks and capitals hidden."""
        none = np.zeros(len(self.mark), np.int64)
        return self._replace(mark=none, case=none, opening=none)

    def part(self, first: int, stop: int) -> Evidence:
        """Return the evidence of some words."""
        return Evidence(*(column[first:stop] for column in self))


def evidence_of(transcript: Transcript, marked: MarkedWords) -> Evidence:
    """Return all evidence that a transcript has about its words that are no punctuation."""
    count, first = len(marked.words), marked.first
    pause, turn = np.full(count, np.nan), np.zeros(count, np.int64)
    length = np.full(count, np.nan)
    if transcript.start is not None and transcript.end is not None:
        pause[:-1] = transcript.start[first[1:]] - transcript.end[first[:-1]]
        letters = np.fromiter(map(len, marked.words), np.int64, count) + SILENT_LETTERS
        length = (transcript.end[first] - transcript.start[first]) / letters
    if transcript.speaker is not None and count:
        speaker = tuple(transcript.speaker[at] for at in first.tolist())
        turn[:-1] = np.array([1, 2, UNKNOWN])[speaker_turns(speaker)]
    opening = transcript.opening and [transcript.opening[at] for at in first.tolist()]
    return Evidence(
        pause, length, turn, _marks(marked.marks), _cases(marked.words), _openings(opening, count)
    )


def without_times(transcript: Transcript) -> bool:
    """Whether start and end of no word are known, so that the words decide without pauses."""
    if transcript.start is None or transcript.end is None:
        return True
    return bool(np.isnan(transcript.start + transcript.end).all())


def lost_marks(evidence: Evidence) -> Flags:
    """Return where a recogniser has lost the marks of a text that has some elsewhere.

    That is in passages of more than `MOST_UNMARKED` words without any mark.
    """
    is_marked = evidence.mark > NO_MARK
    if not is_marked.any():
        return np.zeros(len(is_marked), np.bool_)
    return ~is_marked & (unmarked_runs(is_marked) > MOST_UNMARKED)


def ranks_of(times: Floats) -> Floats:
    """Return for each pause, or other time, the share of the known ones that are shorter."""
    unknown = np.isnan(times)
    known = np.sort(times[~unknown])
    if len(known) < FEWEST_PAUSES:
        return np.full(len(times), np.nan)
    share = np.searchsorted(known, np.where(unknown, 0, times) - 1e-9) / len(known)
    return np.where(unknown, np.nan, share)


def columns_of_words(evidence: Evidence) -> Indices:
    """Return the columns `COLUMNS`, a row for each word."""
    gaps = {
        "seconds": time_bins(evidence.pause, SECONDS),
        "rank": time_bins(ranks_of(evidence.pause), RANKS),
        "turn": evidence.turn,
        "mark": evidence.mark,
    }
    columns = {**gaps, "case": evidence.case, "opening": evidence.opening}
    columns["length"] = time_bins(ranks_of(evidence.length), LENGTHS)
    for name in OF_GAPS:
        columns[f"{name} before"] = np.concatenate([[UNKNOWN], gaps[name]])[:-1]
    return np.stack([columns[name] for name in COLUMNS], axis=1)


def time_bins(values: Floats, limits: tuple[float, ...]) -> Indices:
    """Return the bin of each value, from 1 on; `UNKNOWN` for what is not known."""
    unknown = np.isnan(values)
    bins = np.searchsorted(limits, np.where(unknown, 0, values)) + 1
    return np.where(unknown, UNKNOWN, bins)


MARK_CLASSES = {
    ",": COMMA,
    ".": PERIOD,
    "?": QUESTION,
    "!": EXCLAMATION,
    ":": COLON,
    ";": COLON,
    **dict.fromkeys(("-", *LONG_DASHES), DASH),
}
RULED = re.compile(r"([-_=*~#+])\1\1")
"""Signs in a row, as they stand between parts of a written text."""

SMILEY = re.compile(r"[:;]-?[()DPp]")


def mark_class(mark: str) -> int:
    """Return the class of the punctuation after a word."""
    mark = mark.strip()
    if not mark:
        return NO_MARK
    plain = end_mark(mark)
    if plain in MARK_CLASSES:
        return MARK_CLASSES[plain]
    if mark.startswith(ELLIPSES):
        return ELLIPSIS
    if RULED.search(mark):
        return RULE
    if "," in mark:
        return COMMA
    return OTHER_MARK if SMILEY.match(mark) else MARK_CLASSES.get(mark[0], OTHER_MARK)


def _marks(marks: Sequence[str]) -> Indices:
    """Return the class of the marks after each word; none is hidden if no mark ends a sentence."""
    table = {mark: mark_class(mark) for mark in set(marks)}
    found = np.fromiter(map(table.__getitem__, marks), np.int64, len(marks))
    ends = (found >= PERIOD) & (found <= EXCLAMATION)
    return found if ends.any() else np.where(found == NO_MARK, HIDDEN_MARK, found)


def case_class(word: str) -> int:
    """Return how a word is written: in lower case, capitalised, in upper case, or otherwise."""
    if word.islower():
        return LOWER
    letters = [char for char in word if char.isalpha()]
    upper = [char.isupper() for char in letters]
    if not any(upper):
        return LOWER
    if all(upper):
        return UPPER if len(letters) > 1 else CAPITALISED
    return CAPITALISED if upper[0] and not any(upper[1:]) else MIXED


LEAST_UPPER = 2
"""A single word in capitals may be a name."""


def lower_if_all_upper(words: Strings) -> Strings:
    """Return the words of a text in lower case if it has no lower case, as some recognisers write.

    Their capitals say nothing about how words are usually written.
    """
    if any(word != word.upper() for word in words):
        return words
    upper = sum(word != word.lower() for word in words)
    return tuple(word.lower() for word in words) if upper >= LEAST_UPPER else words


def _cases(words: Sequence[str]) -> Indices:
    """Return the case of each word; all are hidden if the text has no case to speak of.

    Words of one letter, such as I and those that are spelled out, do not show that it has.
    """
    table = {word: case_class(word) for word in set(words)}
    found = np.fromiter(map(table.__getitem__, words), np.int64, len(words))
    longer = [word for word in table if len(word) > 1]
    has_lower = any(map(str.islower, longer))
    shown = has_lower and any(table[word] == CAPITALISED for word in longer)
    return found if shown else np.zeros(len(words), np.int64)


def _openings(openings: Sequence[str] | None, count: int) -> Indices:
    """Return whether a quotation or bracket opens before each word; not known if none does."""
    if not any(openings or ()):
        return np.zeros(count, np.int64)
    return np.array([2 if opening else 1 for opening in openings or ()], np.int64)


def with_labels_as_marks(transcript: Transcript) -> Transcript:
    """Return a transcript in which gaps without a mark have their label as mark.

    Words that were aligned to a script have its marks as labels.
    """
    none = ("",) * len(transcript)
    labels = (transcript.sentences and transcript.sentences.label) or none
    cells = zip(transcript.mark or none, labels, strict=True)
    return transcript.replace(mark=tuple(mark.strip() or label for mark, label in cells))


def targets_of(transcript: Transcript, spoken: bool = True) -> Indices:
    """Return the class to learn at each gap: 0 none, then comma, period, question, exclamation.

    In a transcript of speech only marks end sentences: a turn that is broken off has no end, and
    one that ends without any mark has the target -1, not known. In written text every sentence
    end counts, and has a period if no other mark.
    """
    boundary: Flags = np.zeros(len(transcript), np.bool_)
    if transcript.sentences is not None:
        boundary = transcript.sentences.boundary
    marks = transcript.mark or ("",) * len(transcript)
    table = {mark: mark_class(mark) for mark in set(marks)}
    found = np.fromiter(map(table.__getitem__, marks), np.int64, len(transcript))
    ends = np.where((found < PERIOD) | (found > EXCLAMATION), PERIOD, found) - NO_MARK
    if spoken:
        ends = np.where(found < PERIOD, -1, np.where(found > EXCLAMATION, 0, ends))
    return np.where(boundary, ends, np.where(found == COMMA, 1, 0))
