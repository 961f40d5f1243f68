"""Tokens, words and sentences scored together, even where characters differ (Jo et al. 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.config import strings
from caesura.core.protocols import Disagreement, PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Value, ratio
from caesura.metrics.base import PerReference, ResultCache, split_by_reference
from caesura.metrics.joint_attribution import placed
from caesura.metrics.joint_differences import Differing
from caesura.metrics.joint_words import LAYERS, correct, word_pairs
from caesura.text.charmatch.matching import Matching, match
from caesura.text.charmatch.units import TABLES, Cutting, Units, cutting

UNITS = ("sentence", "token", "word")
MULTIWORDS = ("kept", "split")
NOT_SAID = "no text of which this is said on both sides"


@dataclass(frozen=True)
class Pairing:
    """Two texts cut into tokens, their best matching, and which words belong together."""

    reference: Cutting
    hypothesis: Cutting
    matching: Matching
    words: Indices

    @property
    def said(self) -> Indices:
        """The pairs as words of the two transcripts; punctuation that is none is left out."""
        sources = self.reference.source, self.hypothesis.source
        pairs = np.stack([each[self.words[:, side]] for side, each in enumerate(sources)], axis=1)
        return pairs[(pairs >= 0).all(axis=1)]


PAIRINGS: ResultCache[Pairing] = ResultCache()
"""What was matched to count, so that what differs can be told without matching again."""


@dataclass(frozen=True, repr=False)
class Joint(PerReference):
    """Precision, recall and F1 of tokens, syntactic words and sentences, in one pass.

    Characters are matched as well as possible, blanks aside. A token is right if an equal one
    has all its characters; a sentence if all that is matched of it belongs to one sentence and
    is at least half of the longer. Words are what multiword tokens are made of; with
    `multiwords='split'` such tokens are taken apart first. `tables` names further tokens that
    are equal (brackets, curly, ellipsis). Where both texts have them, tags, lemmas, heads and
    relations of the words that belong together are compared too. Texts are compared
    as they were read.
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
        object.__setattr__(self, "tables", strings("tables", tables, tuple(TABLES)))

    def count(self, hypothesis: Transcript, references: Sequence[Transcript]) -> Counts:
        """Count right, wrong and missing units against each reference."""
        numbers: dict[str, float] = {}
        for number, reference in enumerate(references, 1):
            for name, each in self._compare(hypothesis, reference).items():
                numbers[f"{name}_{number}"] = each
        return Counts(**numbers)

    def pair(self, hypothesis: Transcript, reference: Transcript) -> Pairing:
        """Match two texts."""
        ours, theirs = self._cut(hypothesis), self._cut(reference)
        gold, system = (Units.of(each.tokens, each.ends) for each in (theirs, ours))
        matching = match(gold, system, self.tables)
        return Pairing(theirs, ours, matching, word_pairs(theirs, ours, matching))

    def per_gap_counts(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> PerGapCounts | None:
        """Say how much each word adds; a hypothesis without words cannot say."""
        return self._placed(hypothesis, references) if len(hypothesis) else None

    def _placed(self, hypothesis: Transcript, references: Sequence[Transcript]) -> PerGapCounts:
        for number, reference in enumerate(references, 1):
            for name, words in placed(self._known(hypothesis, reference), hypothesis, reference):
                yield f"{name}_{number}", words

    def _known(self, hypothesis: Transcript, reference: Transcript) -> Pairing:
        """Give what was matched to count, or match."""
        return PAIRINGS.get(self, hypothesis, reference) or self.pair(hypothesis, reference)

    def disagreements(
        self, hypothesis: Transcript, references: Sequence[Transcript]
    ) -> Iterator[Disagreement]:
        """Tell, for each reference, the tokens that are not right and the ends that differ."""
        for number, reference in enumerate(references, 1):
            found = self._known(hypothesis, reference)
            differing = Differing.of(found.reference, found.hypothesis, found.matching, number)
            yield from differing.tokens()
            yield from differing.sentences()

    def _cut(self, transcript: Transcript) -> Cutting:
        return cutting(transcript, self.multiwords == "split")

    def _compare(self, hypothesis: Transcript, reference: Transcript) -> dict[str, int]:
        found = PAIRINGS.put(self, hypothesis, reference, self.pair(hypothesis, reference))
        matching, gold, system = found.matching, found.matching.gold, found.matching.system
        real, made = _words(found.reference, gold), _words(found.hypothesis, system)
        counts = {
            "characters_matched": matching.characters,
            "characters": len(gold.text),
            "characters_found": len(system.text),
            **unit_counts(
                "sentence", len(gold.sentences), len(system.sentences), len(matching.sentences)
            ),
            **unit_counts("token", len(gold.tokens), len(system.tokens), len(matching.tokens)),
            **unit_counts("word", real, made, len(found.words)),
        }
        for name, right in correct(reference, hypothesis, found.said).items():
            counts |= {
                f"{name}_correct": right,
                f"{name}_aligned": len(found.words),
                f"{name}_words": real + made,
            }
        return counts

    def values(self, counts: Counts) -> dict[str, Value]:
        """Give the rates; counts of annotation that a reference lacks are 0 for it."""
        parts = split_by_reference(counts)
        names = dict.fromkeys(name for part in parts for name in part)
        complete = {
            f"{name}_{number}": part[name] for number, part in enumerate(parts, 1) for name in names
        }
        return super().values(Counts(**complete))

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Precision, recall and F1 of each kind of unit, and of what is said of words."""
        found: dict[str, Value] = {}
        for unit in UNITS:
            found |= unit_rates(unit, *(counts[f"{unit}_{kind}"] for kind in ("tp", "fp", "fn")))
        for name in LAYERS:
            if f"{name}_correct" in counts:
                right = counts[f"{name}_correct"]
                aligned = counts[f"{name}_aligned"]
                found[f"{name}_f1"] = ratio(2 * right, counts[f"{name}_words"], NOT_SAID)
                found[f"{name}_accuracy"] = ratio(right, aligned, "no words that belong together")
        if "characters" in counts:
            total = counts["characters"] + counts["characters_found"]
            found["characters_shared"] = ratio(2 * counts["characters_matched"], total, "no text")
        return found


def _words(cut: Cutting, units: Units) -> int:
    """How many words stand in tokens that count."""
    if len(units.kept_tokens) == len(cut.tokens):
        return len(cut.words)
    return int(np.isin(cut.owner, units.kept_tokens).sum())


def unit_counts(unit: str, in_reference: int, in_hypothesis: int, common: int) -> dict[str, int]:
    """Give the true positives, false positives and false negatives of a kind of unit."""
    return {
        f"{unit}_tp": common,
        f"{unit}_fp": in_hypothesis - common,
        f"{unit}_fn": in_reference - common,
    }


def unit_rates(unit: str, tp: float, fp: float, fn: float) -> dict[str, Value]:
    """Give precision, recall and F1 of a kind of unit from its counts."""
    return {
        f"{unit}_precision": ratio(tp, tp + fp, f"no {unit} in the hypothesis"),
        f"{unit}_recall": ratio(tp, tp + fn, f"no {unit} in the reference"),
        f"{unit}_f1": ratio(2 * tp, 2 * tp + fp + fn, f"no {unit} anywhere"),
    }
