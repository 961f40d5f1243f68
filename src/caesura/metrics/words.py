"""Word errors: how many words of a recogniser are wrong, and how much they still tell."""

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
from caesura.core.config import one_of
from caesura.core.errors import LayerError, MismatchError
from caesura.core.protocols import Disagreement, PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.metrics.base import PerReference, ResultCache, context_words, split_by_reference
from caesura.metrics.text_match import asked
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
PART = "\t"
"""Parts the words of a pair, and ends it, so that no word runs into the number of a reference."""

FRONT = f"pair{PART}"

NO_WORDS = "no word on either side"
SAME = "the hypothesis says the same everywhere, and so tells nothing"
NOT_DRAWN = "ril rests on pairs of words, which are not drawn again"


def tallied(hits: Iterable[str], wrong: Iterable[tuple[str | None, str | None]]) -> dict[str, int]:
    """Count pairs of a word that was said and one that was recognised, None for nothing.

    `hits` are pairs of the same word.
    """
    found = {_named(word, word): count for word, count in Counter(hits).items()}
    return found | {_named(*pair): count for pair, count in Counter(wrong).items()}


def _named(said: str | None, found: str | None) -> str:
    return f"{FRONT}{_spelt(said)}{PART}{_spelt(found)}{PART}"


@lru_cache(maxsize=1 << 12)
def _spelt(word: str | None) -> str:
    """Write a word so that it can be neither nothing nor more than one part."""
    if word is None:
        return NOTHING
    return word if word and word.isprintable() else ascii(word)


def alike(counts: Counts) -> float:
    """Count pairs of words that differ only in characters that look the same or are not seen."""
    found = 0.0
    for name, count in counts.items():
        if name.startswith(FRONT) and (not name.isascii() or "\\" in name):
            said, beside = map(_said, name.split(PART)[1:3])
            found += count * (said != beside and compose(said) == compose(beside))
    return found


def _said(text: str) -> str:
    """Read a word that was spelt; one that could be shown stands as it is."""
    if not (text.startswith(("'", '"')) and "\\" in text):
        return text
    try:
        return str(literal_eval(text))
    except (ValueError, SyntaxError):
        return text


def without_pairs(counts: Counts) -> Counts:
    """Leave out the counts of pairs."""
    return Counts(**{name: n for name, n in counts.items() if not name.startswith(FRONT)})


def information_lost(counts: Counts, words: float) -> Value:
    """Relative information lost: H(Y|X) / H(Y) of what was recognised (Y) and said (X).

    Both are taken times the number of pairs. Sums are exact, so that a systematic exchange of
    words loses nothing at all and the order of documents plays no part.
    """
    said: defaultdict[str, float] = defaultdict(float)
    found: defaultdict[str, float] = defaultdict(float)
    both: list[float] = []
    for name, count in counts.items():
        if name.startswith(FRONT):
            _, x, y, _ = name.split(PART)
            said[x] += count
            found[y] += count
            both.append(count)
    if not both:
        return Undefined(NOT_DRAWN if words else NO_WORDS)
    given = _summed(said.values()) - _summed(both)
    alone = _summed([fsum(both)]) - _summed(found.values())
    return min(1.0, given / alone) if alone else Undefined(SAME)


def _summed(counts: Iterable[float]) -> float:
    return fsum(count * log(count) for count in counts)


UNITS = ("document", "sentence")
EMPTY = ("undefined", "one", "insertions")

COUNTED = ("hits", "substitutions", "deletions", "insertions")
NO_REFERENCE = "no word in the reference"


@dataclass(frozen=True)
class Aligned:
    """A reference, its alternatives chosen, and its words beside those of a hypothesis."""

    reference: Transcript
    hypothesis: Transcript
    alignment: Alignment
    stops: tuple[Indices, Indices] | None = None
    """Where each sentence of both stops, if each was aligned with its own."""

    @cached_property
    def rows(self) -> SideBySide:
        """The words of both, in order."""
        return side_by_side(self.alignment, *map(_numbers, self.stops or ()))

    def counts(self) -> dict[str, int]:
        """Count hits and errors, and pairs of a word that was said and one that was recognised."""
        said, found = self.reference.words, self.hypothesis.words
        equal, source = self.alignment.equal, self.alignment.source
        other = np.flatnonzero(~equal)
        places = source[other]
        missing = np.flatnonzero(self.alignment.target < 0).tolist()
        beside = map((*said, None).__getitem__, places.tolist())
        wrong = chain(
            zip(beside, map(found.__getitem__, other.tolist()), strict=True),
            zip(map(said.__getitem__, missing), repeat(None)),
        )
        insertions = int(np.count_nonzero(places < 0))
        numbers = len(found) - len(other), len(other) - insertions, len(missing), insertions
        pairs = tallied(compress(found, equal.tolist()), wrong)
        return dict(zip(COUNTED, numbers, strict=True)) | pairs


ALIGNED: ResultCache[Aligned] = ResultCache()
"""What was aligned to count, so that what differs can be told without aligning again."""


@dataclass(frozen=True, repr=False)
class Words(PerReference):
    """Word error rate (WER), match error rate (MER), word and relative information lost (WIL, RIL).

    The words of a hypothesis are aligned with those of the reference with the fewest edits, or
    with `weights='sclite'` at the costs of sclite (substitution 4, deletion and insertion 3):
    the whole text at once, or with `unit='sentence'` each sentence, as an utterance, with the
    one of the same number. Of alternatives, those with the fewest edits count.
    WER = (S + D + I) / N, with N words in the reference; MER = (S + D + I) / (H + S + D + I);
    WIL = 1 - (H / N) (H / M), with M words in the hypothesis; RIL = H(Y|X) / H(Y) over pairs of
    aligned words. Where nothing was said WER and WIL are undefined; with `empty='one'` any
    recognised word makes them 1, with `empty='insertions'` WER is the number of such words, and
    where nothing was recognised either they are 0.
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
        one_of("weights", self.weights, WEIGHTS)
        one_of("unit", self.unit, UNITS)
        one_of("empty", self.empty, EMPTY)

    def aligned(self, hypothesis: Transcript, reference: Transcript) -> Aligned:
        """Align a hypothesis with one reference."""
        kept = ALIGNED.get(self, hypothesis, reference)
        return kept or ALIGNED.put(self, hypothesis, reference, self._align(hypothesis, reference))

    def _align(self, hypothesis: Transcript, reference: Transcript) -> Aligned:
        if self.unit == "document":
            said = (
                choose_alternatives(reference, hypothesis.words)
                if reference.alternatives
                else reference
            )
            return Aligned(said, hypothesis, align(said.words, hypothesis.words, self.weights))
        ours, theirs = map(_stops, (hypothesis, reference))
        if len(ours) != len(theirs):
            raise MismatchError(
                f"{self!r} wants as many sentences on both sides: there are {len(ours)} in the "
                f"hypothesis, {len(theirs)} in a reference",
                where=hypothesis.id,
                remedy="give each utterance as a recording of its own, or take unit='document'",
            )
        said, theirs = _read_by_sentence(reference, theirs, hypothesis, ours)
        found = align_parts(said.words, hypothesis.words, theirs, ours, self.weights)
        return Aligned(said, hypothesis, found, (theirs, ours))

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Count hits and errors, and pairs of words, against each reference."""
        numbers: dict[str, float] = {}
        for number, reference in enumerate(references, 1):
            counts = self.aligned(hypothesis, reference).counts()
            numbers |= {f"{name}_{number}": count for name, count in counts.items()}
        return Counts(**numbers)

    def drawn(self, counts: Counts) -> Counts:
        """Leave out pairs of words, of which there are as many as words."""
        return without_pairs(counts)

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        """Say how much each word adds; what is missing stands at the last word before it."""
        for number, reference in enumerate(references, 1):
            found = self.aligned(hypothesis, reference).rows
            places = np.maximum.accumulate(found.target).clip(min=0)
            for kind, name in enumerate(COUNTED):
                here = places[found.kind == kind]
                yield f"{name}_{number}", np.bincount(here, minlength=max(1, len(hypothesis)))

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Give WER, MER, WIL and RIL."""
        hits, substitutions, deletions, insertions = (counts[name] for name in COUNTED)
        said, found = hits + substitutions + deletions, hits + substitutions + insertions
        wrong = substitutions + deletions + insertions
        rates: dict[str, Value] = {
            "wer": ratio(wrong, said, NO_REFERENCE),
            "mer": ratio(wrong, said + insertions, NO_WORDS),
            "wil": _lost(hits, said, found),
        }
        if not said and self.empty != "undefined":
            spurious = float(found > 0)
            rates = dict.fromkeys(rates, spurious)
            rates["wer"] = float(insertions) if self.empty == "insertions" else spurious
        return rates | {"ril": information_lost(counts, said + found)}

    def remarks(self, counts: Counts) -> list[str]:
        """Ask whether texts that share few words belong together; tell words that look alike."""
        told = []
        for number, part in enumerate(split_by_reference(counts), 1):
            hits, substitutions, deletions, _ = (part[name] for name in COUNTED)
            told += asked(hits + substitutions + deletions, hits, number)
            same = alike(part)
            if same:
                told.append(
                    f"{same:g} words differ only in their Unicode form from those of reference "
                    f"{number}: add unicode to --normalize"
                )
        return told

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Tell each word that is wrong, missing or too much."""
        ours = hypothesis.words
        for number, reference in enumerate(references, 1):
            found = self.aligned(hypothesis, reference)
            theirs, each = found.reference.words, found.rows
            wrong = each.wrong
            reached = np.maximum.accumulate(each.target)[wrong].tolist()
            cells = (each.kind[wrong], each.source[wrong], each.target[wrong])
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


def _lost(hits: float, said: float, found: float) -> Value:
    """Word information lost; of no words nothing is kept, of nothing said it means nothing."""
    if not said:
        return Undefined(NO_REFERENCE)
    return 1 - hits / said * (hits / found) if found else 1.0


def _stops(transcript: Transcript) -> Indices:
    """Where each sentence stops, or what to do without sentences."""
    if transcript.sentences is None:
        raise LayerError(
            f"{transcript.id or 'a transcript'} has no sentences",
            remedy="take unit='document' if each recording is one utterance; else find them "
            "first: caesura segment",
        )
    return transcript.sentences.gaps + 1


def _read_by_sentence(
    reference: Transcript, stops: Indices, hypothesis: Transcript, others: Indices
) -> tuple[Transcript, Indices]:
    """Choose the alternatives of each sentence by its counterpart, and tell where they end.

    A sentence that may be missing can end up with no words, and keeps its number.
    """
    if not reference.alternatives:
        return reference, stops
    parts = [
        choose_alternatives(reference[first:stop], hypothesis.words[start:end])
        for (first, stop), (start, end) in zip(_between(stops), _between(others), strict=True)
    ]
    return Transcript.join(parts), np.cumsum([len(part) for part in parts])


def _between(stops: Indices) -> Iterator[tuple[int, int]]:
    return pairwise((0, *stops.tolist()))


def _numbers(stops: Indices) -> Indices:
    """The number of the sentence that each word stands in."""
    return np.repeat(np.arange(len(stops)), np.diff(stops, prepend=0))
