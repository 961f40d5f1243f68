"""Joint: tokens, words and sentences scored together, even where characters differ.

Jo et al. (2024), with the exact matching of `text.charmatch` in place of their pseudo-code.
`counts_by_word` says to which word each count belongs, so that parts of a text can be resampled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.config import check_texts
from caesura.core.protocols import Disagreement, PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.metrics.base import PerReference, ResultCache, split_by_reference
from caesura.metrics.joint_differences import TextDifferences
from caesura.metrics.joint_words import LAYERS, count_correct, flag_correct, word_pairs
from caesura.text.charmatch.matching import Matching, match
from caesura.text.charmatch.units import TOKEN_TABLES, Tokenization, Units, tokenize

UNITS = ("sentence", "token", "word")
MULTIWORDS = ("kept", "split")
NO_ANNOTATION = "no text with this annotation on both sides"


@dataclass(frozen=True)
class MatchedTexts:
    """The tokens of two texts, their best matching, and the pairs of aligned words."""

    reference: Tokenization
    hypothesis: Tokenization
    matching: Matching
    words: Indices

    @property
    def transcript_pairs(self) -> Indices:
        """The pairs (reference, hypothesis) that are words of the transcripts on both sides."""
        sources = self.reference.source, self.hypothesis.source
        pairs = np.stack([source[self.words[:, k]] for k, source in enumerate(sources)], axis=1)
        return pairs[(pairs >= 0).all(axis=1)]


MATCHES: ResultCache[MatchedTexts] = ResultCache()
"""Matchings made for counting, so that disagreements are found without matching again."""


@dataclass(frozen=True, repr=False)
class Joint(PerReference):
    """Precision, recall and F1 of tokens, syntactic words and sentences (Jo et al. 2024).

    The characters of both texts, without blanks, are matched as well as possible. A token is
    correct if all its characters are matched with an equal token; a sentence if all its matched
    characters are matched with one sentence, and these are at least half of the longer one.
    Words are the parts of multiword tokens; with `multiwords='split'` such tokens are split
    first. `tables` names further tables of equal tokens (brackets, curly, ellipsis). If both
    texts have them, tags, lemmas, heads and relations of aligned words are compared as in the
    CoNLL 2018 evaluation. Texts are compared as they were read. Several references: the mean.
    """

    multiwords: str = "kept"
    tables: Strings = ()

    name = "Joint"
    same_words = False
    raw = True
    best: ClassVar = {
        f"{unit}_{rate}": 1.0 for unit in UNITS for rate in ("precision", "recall", "f1")
    }
    main = "sentence_f1"

    def __post_init__(self) -> None:
        if self.multiwords not in MULTIWORDS:
            raise ValueError(f"multiwords is one of {MULTIWORDS}, not {self.multiwords!r}")
        named: object = self.tables
        tables = (named,) if isinstance(named, str) else named
        object.__setattr__(self, "tables", check_texts("tables", tables, tuple(TOKEN_TABLES)))

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Count correct, spurious and missing units for each reference."""
        numbers: dict[str, float] = {}
        for number, reference in enumerate(references, 1):
            for name, count in self._compare(hypothesis, reference).items():
                numbers[f"{name}_{number}"] = count
        return Counts(**numbers)

    def match(self, hypothesis: Transcript, reference: Transcript) -> MatchedTexts:
        """Match a hypothesis with one reference."""
        ours, theirs = self._tokenize(hypothesis), self._tokenize(reference)
        gold, system = (Units.of(side.tokens, side.ends) for side in (theirs, ours))
        matching = match(gold, system, self.tables)
        return MatchedTexts(theirs, ours, matching, word_pairs(theirs, ours, matching))

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts | None:
        """Yield how much each word adds to each count; None for a hypothesis without words."""
        return self._counts_by_word(hypothesis, references) if len(hypothesis) else None

    def _counts_by_word(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts:
        for number, reference in enumerate(references, 1):
            matched = self._matched(hypothesis, reference)
            for name, words in counts_by_word(matched, hypothesis, reference):
                yield f"{name}_{number}", words

    def _matched(self, hypothesis: Transcript, reference: Transcript) -> MatchedTexts:
        """Return the matching made for counting, or make it."""
        return MATCHES.get(self, hypothesis, reference) or self.match(hypothesis, reference)

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Yield, for each reference, incorrect tokens and sentence ends that differ."""
        for number, reference in enumerate(references, 1):
            matched = self._matched(hypothesis, reference)
            differences = TextDifferences.of(
                matched.reference, matched.hypothesis, matched.matching, number
            )
            yield from differences.tokens()
            yield from differences.sentences()

    def _tokenize(self, transcript: Transcript) -> Tokenization:
        return tokenize(transcript, self.multiwords == "split")

    def _compare(self, hypothesis: Transcript, reference: Transcript) -> dict[str, int]:
        matched = MATCHES.put(self, hypothesis, reference, self.match(hypothesis, reference))
        matching, gold, system = matched.matching, matched.matching.gold, matched.matching.system
        in_reference = _count_words(matched.reference, gold)
        in_hypothesis = _count_words(matched.hypothesis, system)
        counts = {
            "characters_matched": matching.characters,
            "characters": len(gold.text),
            "characters_found": len(system.text),
            **unit_counts(
                "sentence", len(gold.sentences), len(system.sentences), len(matching.sentences)
            ),
            **unit_counts("token", len(gold.tokens), len(system.tokens), len(matching.tokens)),
            **unit_counts("word", in_reference, in_hypothesis, len(matched.words)),
        }
        for name, right in count_correct(reference, hypothesis, matched.transcript_pairs).items():
            counts |= {
                f"{name}_correct": right,
                f"{name}_aligned": len(matched.words),
                f"{name}_words": in_reference + in_hypothesis,
            }
        return counts

    def values(self, counts: Counts) -> dict[str, Value]:
        """Return the rates; a reference without an annotation has 0 for its counts."""
        parts = split_by_reference(counts)
        names = dict.fromkeys(name for part in parts for name in part)
        complete = {
            f"{name}_{number}": part[name] for number, part in enumerate(parts, 1) for name in names
        }
        return super().values(Counts(**complete))

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Return precision, recall and F1 of each kind of unit, and of annotations of words."""
        rates: dict[str, Value] = {}
        for unit in UNITS:
            rates |= unit_rates(unit, *(counts[f"{unit}_{kind}"] for kind in ("tp", "fp", "fn")))
        for name in LAYERS:
            if f"{name}_correct" in counts:
                right = counts[f"{name}_correct"]
                aligned = counts[f"{name}_aligned"]
                rates[f"{name}_f1"] = ratio(2 * right, counts[f"{name}_words"], NO_ANNOTATION)
                rates[f"{name}_accuracy"] = ratio(right, aligned, "no aligned words")
        if "characters" in counts:
            total = counts["characters"] + counts["characters_found"]
            rates["characters_shared"] = ratio(2 * counts["characters_matched"], total, "no text")
        return rates


def _count_words(cut: Tokenization, units: Units) -> int:
    """Count the words of tokens that are not empty."""
    if len(units.kept_tokens) == len(cut.tokens):
        return len(cut.words)
    return int(np.isin(cut.owner, units.kept_tokens).sum())


def unit_counts(unit: str, in_reference: int, in_hypothesis: int, common: int) -> dict[str, int]:
    """Return the true positives, false positives and false negatives of a kind of unit."""
    return {
        f"{unit}_tp": common,
        f"{unit}_fp": in_hypothesis - common,
        f"{unit}_fn": in_reference - common,
    }


def unit_rates(unit: str, tp: float, fp: float, fn: float) -> dict[str, Value]:
    """Return precision, recall and F1 of a kind of unit from its counts."""
    return {
        f"{unit}_precision": ratio(tp, tp + fp, f"no {unit} in the hypothesis"),
        f"{unit}_recall": ratio(tp, tp + fn, f"no {unit} in the reference"),
        f"{unit}_f1": ratio(2 * tp, 2 * tp + fp + fn, f"no {unit} anywhere"),
    }


def counts_by_word(
    matched: MatchedTexts, hypothesis: Transcript, reference: Transcript
) -> PerGapCounts:
    """Yield how much each word of the hypothesis adds to each count."""
    matching, count = matched.matching, len(hypothesis)
    gold, system = matching.gold, matching.system
    at = _token_words(matched.hypothesis, system)
    near = _last_correct_words(matching.tokens, len(gold.tokens), at)
    for unit, pairs in (("token", matching.tokens), ("sentence", matching.sentences)):
        ours, theirs = at, near
        if unit == "sentence":
            ours = at[np.searchsorted(system.tokens, system.sentences)]
            theirs = near[np.searchsorted(gold.tokens, gold.sentences)]
        yield from _unit_columns(unit, ours, theirs, pairs, count)
    words = (
        _word_places(matched.hypothesis, system, at),
        _word_places(matched.reference, gold, near),
    )
    yield from _unit_columns("word", *words, matched.words, count)
    yield "characters", _sum_at(near, np.diff(gold.tokens, prepend=0), count)
    yield "characters_found", _sum_at(at, np.diff(system.tokens, prepend=0), count)
    yield "characters_matched", _sum_at(at, _matched_characters(matching.runs, system), count)
    both = np.concatenate([places[places >= 0] for places in words])
    aligned = words[0][matched.words[:, 1]]
    pairs = matched.transcript_pairs
    for name, flags in flag_correct(reference, hypothesis, pairs).items():
        yield f"{name}_correct", np.bincount(pairs[flags, 1], minlength=count)
        yield f"{name}_aligned", np.bincount(aligned, minlength=count)
        yield f"{name}_words", np.bincount(both, minlength=count)


def _token_words(cut: Tokenization, units: Units) -> Indices:
    """Return the word of the transcript for each token; punctuation has the word before it."""
    first = np.searchsorted(cut.owner, units.kept_tokens)
    return np.maximum.accumulate(cut.source[first]).clip(min=0)


def _last_correct_words(tokens: Indices, count: int, at: Indices) -> Indices:
    """Return the word of the last correct token before each of `count` tokens."""
    before = np.searchsorted(tokens[:, 0], np.arange(count), side="right") - 1
    places = np.append(at[tokens[:, 1]], 0)
    return places[before]


def _word_places(cut: Tokenization, units: Units, at: Indices) -> Indices:
    """Return the place of each word; -1 for words of empty tokens."""
    place = np.full(len(cut.tokens), -1, np.int64)
    place[units.kept_tokens] = at
    return place[cut.owner]


def _unit_columns(
    unit: str, ours: Indices, theirs: Indices, pairs: Indices, count: int
) -> PerGapCounts:
    spurious, missing = ours.copy(), theirs.copy()
    spurious[pairs[:, 1]] = missing[pairs[:, 0]] = -1
    for kind, places in (("tp", ours[pairs[:, 1]]), ("fp", spurious), ("fn", missing)):
        yield f"{unit}_{kind}", np.bincount(places[places >= 0], minlength=count)


def _sum_at(places: Indices, numbers: Indices, count: int) -> Indices:
    column = np.zeros(count, np.int64)
    np.add.at(column, places, numbers)
    return column


def _matched_characters(runs: Indices, system: Units) -> Indices:
    """Count the matched characters of each token."""
    if not len(runs):
        return np.zeros(len(system.tokens), np.int64)
    _, start, length = runs.T
    done = np.cumsum(length)
    knots = np.stack((start, start + length), axis=1).ravel()
    sums = np.stack((done - length, done), axis=1).ravel()
    upto: Indices = np.interp(system.tokens, knots, sums).astype(np.int64)
    return np.diff(upto, prepend=0)
