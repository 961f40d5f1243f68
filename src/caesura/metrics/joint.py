"""Tokens, words and sentences scored together, even where characters differ (Jo et al. 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from caesura.core.arrays import Indices, Strings
from caesura.core.config import strings
from caesura.core.protocols import Disagreement, PerGapCounts
from caesura.core.transcript import Transcript
from caesura.core.values import Counts, Undefined, Value, ratio
from caesura.metrics.base import Kept, PerReference, by_reference
from caesura.metrics.joint_attribution import placed
from caesura.metrics.joint_differences import Differing
from caesura.metrics.joint_words import LAYERS, correct, word_pairs
from caesura.text.charmatch.literal import by_index, within
from caesura.text.charmatch.matching import Matching, match
from caesura.text.charmatch.units import TABLES, Cutting, Units, cutting

UNITS = ("sentence", "token", "word")
MULTIWORDS = ("kept", "split")
ALGORITHMS = (0, 1, 3)
ENDLESS = "the printed algorithm does not end here"
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


PAIRINGS: Kept[Pairing] = Kept()
"""What was matched to count, so that what differs can be told without matching again."""


@dataclass(frozen=True, repr=False)
class Joint(PerReference):
    """Precision, recall and F1 of tokens, syntactic words and sentences, in one pass.

    Characters are matched as well as possible, blanks aside. A token is right if an equal one
    has all its characters; a sentence if all that is matched of it belongs to one sentence and
    is at least half of the longer. Words are what multiword tokens are made of; with
    `multiwords='split'` such tokens are taken apart first. `tables` names further tokens that
    are equal (brackets, curly, ellipsis). Where both texts have them, tags, lemmas, heads and
    relations of the words that belong together are compared too. With `literal` the paper's
    Algorithm 1 (on sentences, then on tokens within them) or 3 (which counts as 2 does) runs as
    it is printed, faults included. Texts are compared as they were read.
    """

    multiwords: str = "kept"
    tables: Strings = ()
    literal: int = 0

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
        if self.literal not in ALGORITHMS:
            raise ValueError(f"literal is one of {ALGORITHMS}, not {self.literal!r}")
        object.__setattr__(self, "literal", int(self.literal))
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
        """Say how much each word adds; a hypothesis without words, or the print, cannot say."""
        return None if self.literal or not len(hypothesis) else self._placed(hypothesis, references)

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
        # What the pseudo-code counts belongs to no matching.
        for number, reference in enumerate(() if self.literal else references, 1):
            found = self._known(hypothesis, reference)
            differing = Differing.of(found.reference, found.hypothesis, found.matching, number)
            yield from differing.tokens()
            yield from differing.sentences()

    def _cut(self, transcript: Transcript) -> Cutting:
        return cutting(transcript, self.multiwords == "split")

    def _compare(self, hypothesis: Transcript, reference: Transcript) -> dict[str, int]:
        if self.literal:
            return self._as_printed(hypothesis, reference)
        found = PAIRINGS.put(self, hypothesis, reference, self.pair(hypothesis, reference))
        matching, gold, system = found.matching, found.matching.gold, found.matching.system
        real, made = _words(found.reference, gold), _words(found.hypothesis, system)
        counts = {
            "characters_matched": matching.characters,
            "characters": len(gold.text),
            "characters_found": len(system.text),
            **_counted(
                "sentence", len(gold.sentences), len(system.sentences), len(matching.sentences)
            ),
            **_counted("token", len(gold.tokens), len(system.tokens), len(matching.tokens)),
            **_counted("word", real, made, len(found.words)),
        }
        for name, right in correct(reference, hypothesis, found.said).items():
            counts |= {
                f"{name}_correct": right,
                f"{name}_aligned": len(found.words),
                f"{name}_words": real + made,
            }
        return counts

    def _as_printed(self, hypothesis: Transcript, reference: Transcript) -> dict[str, int]:
        """Run an algorithm of the paper."""
        cuts = [self._cut(each) for each in (hypothesis, reference)]
        system, gold = (Units.of(cut.tokens, cut.ends).rewritten(self.tables) for cut in cuts)
        texts = _sentences(system), _sentences(gold)
        if self.literal == 1:
            sentences, tokens = within(*texts)
            found = sum(each.found for each in tokens)
            ends = all(each.ends for each in (sentences, *tokens))
        else:
            sentences, found = by_index(*texts)
            ends = sentences.ends
        return {
            **_counted("sentence", len(gold.sentences), len(system.sentences), sentences.found),
            **_counted("token", len(gold.tokens), len(system.tokens), found),
            "sentence_endless": int(not sentences.ends),
            "token_endless": int(not ends),
        }

    def values(self, counts: Counts) -> dict[str, Value]:
        """Give the rates; a count of something that did not end everywhere is none."""
        parts = by_reference(counts)
        names = dict.fromkeys(name for part in parts for name in part)
        whole = {
            f"{name}_{number}": part[name] for number, part in enumerate(parts, 1) for name in names
        }
        found = super().values(Counts(**whole))
        for unit in (unit for unit in UNITS if any(part[f"{unit}_endless"] for part in parts)):
            kinds = tuple(f"{unit}_{kind}" for kind in ("tp", "fp", "fn"))
            found |= {name: Undefined(ENDLESS) for name in found if name.startswith(kinds)}
        return found

    def rates(self, counts: Counts) -> dict[str, Value]:
        """Precision, recall and F1 of each kind of unit, and of what is said of words."""
        found: dict[str, Value] = {}
        for unit in UNITS:
            found |= _rates(unit, *(counts[f"{unit}_{kind}"] for kind in ("tp", "fp", "fn")))
            reason = ENDLESS if counts[f"{unit}_endless"] else ""
            if self.literal and unit == "word":
                reason = "the printed algorithm knows nothing of words"
            if reason:
                found |= {name: Undefined(reason) for name in found if name.startswith(unit)}
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


def _sentences(units: Units) -> list[list[str]]:
    """Give the tokens of each sentence."""
    ends = np.searchsorted(units.tokens, units.sentences) + 1
    forms = units.forms
    return [forms[a:b] for a, b in pairwise([0, *ends.tolist()])]


def _counted(unit: str, real: int, made: int, both: int) -> dict[str, int]:
    return {f"{unit}_tp": both, f"{unit}_fp": made - both, f"{unit}_fn": real - both}


def _rates(unit: str, right: float, wrong: float, missing: float) -> dict[str, Value]:
    return {
        f"{unit}_precision": ratio(right, right + wrong, f"no {unit} in the hypothesis"),
        f"{unit}_recall": ratio(right, right + missing, f"no {unit} in the reference"),
        f"{unit}_f1": ratio(2 * right, 2 * right + wrong + missing, f"no {unit} anywhere"),
    }
