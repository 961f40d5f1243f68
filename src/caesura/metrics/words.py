"""Words: word error rate (WER), match error rate (MER), information lost (WIL, RIL)."""

from __future__ import annotations

from ast import literal_eval
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, compress, pairwise, repeat
from math import fsum, log
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Indices
from caesura.core.config import check_one_of
from caesura.core.errors import LayerError, MismatchError
from caesura.core.protocols import Disagreement, PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.metrics.base import (
    PerReference,
    ResultCache,
    context_words,
    mismatch_remark,
    split_by_reference,
)
from caesura.text.alignment.word_alignment import (
    KINDS,
    WEIGHTS,
    Alignment,
    SideBySide,
    align,
    align_parts,
    side_by_side,
)
from caesura.text.normalization.alternatives import choose_alternatives
from caesura.text.normalization.steps import compose

NOTHING = ""
SEPARATOR = "\t"
"""Separates the words of a pair in the name of its count, and ends the pair."""

PAIR_PREFIX = f"pair{SEPARATOR}"

NO_WORDS = "no word on either side"
NO_INFORMATION = "the hypothesis has the same word everywhere, so it has no information"
NOT_RESAMPLED = "ril is computed from pairs of words, which are not resampled"


def count_pairs(
    hits: Iterable[str], wrong: Iterable[tuple[str | None, str | None]]
) -> dict[str, int]:
    """Count the pairs of a reference word and a recognised one (None: no word), by name.

    `hits` are pairs of equal words.
    """
    equal = {_pair_name(word, word): count for word, count in Counter(hits).items()}
    return equal | {_pair_name(*pair): count for pair, count in Counter(wrong).items()}


def _pair_name(spoken: str | None, recognised: str | None) -> str:
    return f"{PAIR_PREFIX}{_printable(spoken)}{SEPARATOR}{_printable(recognised)}{SEPARATOR}"


@lru_cache(maxsize=1 << 12)
def _printable(word: str | None) -> str:
    """Return a word as printable text without separators; None is the empty text."""
    if word is None:
        return NOTHING
    return word if word and word.isprintable() else ascii(word)


def count_lookalikes(counts: Counts) -> float:
    """Count the pairs of words that differ only in Unicode form or invisible characters."""
    lookalikes = 0.0
    for name, count in counts.items():
        if name.startswith(PAIR_PREFIX) and (not name.isascii() or "\\" in name):
            word, beside = map(_unescape, name.split(SEPARATOR)[1:3])
            lookalikes += count * (word != beside and compose(word) == compose(beside))
    return lookalikes


def _unescape(text: str) -> str:
    """Undo `_printable`."""
    if not (text.startswith(("'", '"')) and "\\" in text):
        return text
    try:
        return str(literal_eval(text))
    except (ValueError, SyntaxError):
        return text


def without_pair_counts(counts: Counts) -> Counts:
    """Return the counts without those of pairs."""
    return Counts(**{name: n for name, n in counts.items() if not name.startswith(PAIR_PREFIX)})


def information_lost(counts: Counts, words: float) -> Value:
    """Return RIL = H(Y|X) / H(Y) for recognised words Y and reference words X.

    Both entropies are multiplied by the number of pairs. Sums are exact, so that a consistent
    exchange of words loses nothing and the order of documents does not matter.
    """
    spoken: defaultdict[str, float] = defaultdict(float)
    recognised: defaultdict[str, float] = defaultdict(float)
    both: list[float] = []
    for name, count in counts.items():
        if name.startswith(PAIR_PREFIX):
            _, x, y, _ = name.split(SEPARATOR)
            spoken[x] += count
            recognised[y] += count
            both.append(count)
    if not both:
        return Undefined(NOT_RESAMPLED if words else NO_WORDS)
    conditional = _sum_n_log_n(spoken.values()) - _sum_n_log_n(both)
    entropy = _sum_n_log_n([fsum(both)]) - _sum_n_log_n(recognised.values())
    return min(1.0, conditional / entropy) if entropy else Undefined(NO_INFORMATION)


def _sum_n_log_n(counts: Iterable[float]) -> float:
    return fsum(count * log(count) for count in counts)


WORD_UNITS = ("document", "sentence")
EMPTY_RULES = ("undefined", "one", "insertions")

COUNT_NAMES = ("hits", "substitutions", "deletions", "insertions")
NO_REFERENCE = "no word in the reference"


@dataclass(frozen=True)
class AlignedWords:
    """A reference with its chosen alternatives, a hypothesis, and their alignment."""

    reference: Transcript
    hypothesis: Transcript
    alignment: Alignment
    stops: tuple[Indices, Indices] | None = None
    """Where the sentences of both stop, if they were aligned sentence by sentence."""

    @cached_property
    def rows(self) -> SideBySide:
        """The words of both texts in rows."""
        return side_by_side(self.alignment, *map(_part_numbers, self.stops or ()))

    def counts(self) -> dict[str, int]:
        """Count hits, errors, and pairs of a reference word and a recognised one."""
        spoken, recognised = self.reference.words, self.hypothesis.words
        equal, source = self.alignment.equal, self.alignment.source
        other = np.flatnonzero(~equal)
        places = source[other]
        missing = np.flatnonzero(self.alignment.target < 0).tolist()
        beside = map((*spoken, None).__getitem__, places.tolist())
        wrong = chain(
            zip(beside, map(recognised.__getitem__, other.tolist()), strict=True),
            zip(map(spoken.__getitem__, missing), repeat(None)),
        )
        insertions = int(np.count_nonzero(places < 0))
        numbers = len(recognised) - len(other), len(other) - insertions, len(missing), insertions
        pairs = count_pairs(compress(recognised, equal.tolist()), wrong)
        return dict(zip(COUNT_NAMES, numbers, strict=True)) | pairs


ALIGNMENTS: ResultCache[AlignedWords] = ResultCache()
"""Alignments made for counting, so that disagreements are found without aligning again."""


@dataclass(frozen=True, repr=False)
class Words(PerReference):
    """Word error rate (WER), match error rate (MER), word and relative information lost (WIL, RIL).

    Hypothesis and reference are aligned with the fewest edits, or with `weights='sclite'` at
    sclite's costs (substitution 4, deletion and insertion 3): as a whole, or with
    `unit='sentence'` each sentence with the one of the same number. Of alternative
    transcriptions, those with the fewest edits count. With H hits, S substitutions, D deletions,
    I insertions, N reference and M hypothesis words: WER = (S + D + I) / N; MER = (S + D + I) /
    (H + S + D + I) and WIL = 1 - (H / N)(H / M) (Morris, Maier and Green 2004); RIL = H(Y|X) /
    H(Y) over pairs of aligned words. If the reference has no words, WER and WIL are undefined;
    with `empty='one'` they are 1 for any recognised word, with `empty='insertions'` WER is the
    number of insertions, and without recognised words they are 0.
    """

    weights: str = "edits"
    unit: str = "document"
    empty: str = "undefined"

    name = "Words"
    compares = ()
    same_words = False
    parts = "words"
    best: ClassVar = {"wer": 0.0, "mer": 0.0, "wil": 0.0, "ril": 0.0}
    main = "wer"

    def __post_init__(self) -> None:
        check_one_of("weights", self.weights, WEIGHTS)
        check_one_of("unit", self.unit, WORD_UNITS)
        check_one_of("empty", self.empty, EMPTY_RULES)

    def aligned(self, hypothesis: Transcript, reference: Transcript) -> AlignedWords:
        """Return the alignment of a hypothesis with one reference."""
        kept = ALIGNMENTS.get(self, hypothesis, reference)
        return kept or ALIGNMENTS.put(
            self, hypothesis, reference, self._align(hypothesis, reference)
        )

    def _align(self, hypothesis: Transcript, reference: Transcript) -> AlignedWords:
        if self.unit == "document":
            chosen = (
                choose_alternatives(reference, hypothesis.words)
                if reference.alternatives
                else reference
            )
            return AlignedWords(
                chosen, hypothesis, align(chosen.words, hypothesis.words, self.weights)
            )
        ours, theirs = map(_sentence_stops, (hypothesis, reference))
        if len(ours) != len(theirs):
            raise MismatchError(
                f"{self!r} needs the same number of sentences on both sides: there are {len(ours)} "
                f"in the hypothesis, {len(theirs)} in a reference",
                where=hypothesis.id,
                remedy="give each utterance as a recording of its own, or use unit='document'",
            )
        chosen, theirs = _choose_by_sentence(reference, theirs, hypothesis, ours)
        alignment = align_parts(chosen.words, hypothesis.words, theirs, ours, self.weights)
        return AlignedWords(chosen, hypothesis, alignment, (theirs, ours))

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Count hits, errors and pairs of words for each reference."""
        numbers: dict[str, float] = {}
        for number, reference in enumerate(references, 1):
            counts = self.aligned(hypothesis, reference).counts()
            numbers |= {f"{name}_{number}": count for name, count in counts.items()}
        return Counts(**numbers)

    def resampled_counts(self, counts: Counts) -> Counts:
        """Leave out the counts of pairs, which are as many as words."""
        return without_pair_counts(counts)

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Yield how much each word adds; a deletion is counted at the last word before it."""
        for number, reference in enumerate(references, 1):
            rows = self.aligned(hypothesis, reference).rows
            places = np.maximum.accumulate(rows.target).clip(min=0)
            for kind, name in enumerate(COUNT_NAMES):
                own_places = places[rows.kind == kind]
                yield f"{name}_{number}", np.bincount(own_places, minlength=max(1, len(hypothesis)))

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return WER, MER, WIL and RIL."""
        hits, substitutions, deletions, insertions = (counts[name] for name in COUNT_NAMES)
        spoken, recognised = hits + substitutions + deletions, hits + substitutions + insertions
        wrong = substitutions + deletions + insertions
        rates: dict[str, Value] = {
            "wer": ratio(wrong, spoken, NO_REFERENCE),
            "mer": ratio(wrong, spoken + insertions, NO_WORDS),
            "wil": _word_information_lost(hits, spoken, recognised),
        }
        if not spoken and self.empty != "undefined":
            spurious = float(recognised > 0)
            rates = dict.fromkeys(rates, spurious)
            rates["wer"] = float(insertions) if self.empty == "insertions" else spurious
        return rates | {"ril": information_lost(counts, spoken + recognised)}

    def remarks(self, counts: Counts) -> list[str]:
        """Warn about texts that share few words, and about words that only look alike."""
        remarks = []
        for number, part in enumerate(split_by_reference(counts), 1):
            hits, substitutions, deletions, _ = (part[name] for name in COUNT_NAMES)
            remarks += mismatch_remark(hits + substitutions + deletions, hits, number)
            same = count_lookalikes(part)
            if same:
                remarks.append(
                    f"{same:g} words differ from those of reference {number} only in their Unicode "
                    "form: add unicode to --normalize"
                )
        return remarks

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Yield each substituted, deleted or inserted word."""
        ours = hypothesis.words
        for number, reference in enumerate(references, 1):
            aligned = self.aligned(hypothesis, reference)
            theirs, rows = aligned.reference.words, aligned.rows
            wrong = rows.wrong
            reached = np.maximum.accumulate(rows.target)[wrong].tolist()
            cells = (rows.kind[wrong], rows.source[wrong], rows.target[wrong])
            for kind, i, j, last in zip(*(cell.tolist() for cell in cells), reached, strict=True):
                first = last + 1 if j < 0 else j
                yield Disagreement(
                    "word",
                    KINDS[kind],
                    "" if i < 0 else theirs[i],
                    "" if j < 0 else ours[j],
                    *context_words(ours, first, last),
                    max(0, min(first, len(ours) - 1)),
                    number,
                )


def _word_information_lost(hits: float, spoken: float, recognised: float) -> Value:
    """Return WIL; 1 without hypothesis words, undefined without reference words."""
    if not spoken:
        return Undefined(NO_REFERENCE)
    return 1 - hits / spoken * (hits / recognised) if recognised else 1.0


def _sentence_stops(transcript: Transcript) -> Indices:
    """Return where each sentence stops, or raise an error that says how to get sentences."""
    if transcript.sentences is None:
        raise LayerError(
            f"{transcript.id or 'a transcript'} has no sentences",
            remedy="use unit='document' if each recording is one utterance; if not, find "
            "sentences first: caesura segment",
        )
    return transcript.sentences.gaps + 1


def _choose_by_sentence(
    reference: Transcript, stops: Indices, hypothesis: Transcript, hypothesis_stops: Indices
) -> tuple[Transcript, Indices]:
    """Choose the alternatives of each sentence by its counterpart; return where sentences stop.

    A sentence whose alternative is empty can end up without words, and keeps its number.
    """
    if not reference.alternatives:
        return reference, stops
    parts = [
        choose_alternatives(reference[first:stop], hypothesis.words[start:end])
        for (first, stop), (start, end) in zip(
            _spans_between(stops), _spans_between(hypothesis_stops), strict=True
        )
    ]
    return Transcript.join(parts), np.cumsum([len(part) for part in parts])


def _spans_between(stops: Indices) -> Iterator[tuple[int, int]]:
    return pairwise((0, *stops.tolist()))


def _part_numbers(stops: Indices) -> Indices:
    """Return the number of the sentence of each word."""
    return np.repeat(np.arange(len(stops)), np.diff(stops, prepend=0))
