"""Disagreements about tokens and sentences, told with what stands around them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caesura.core.protocols import Disagreement
from caesura.metrics.base import CONTEXT
from caesura.text.charmatch.groups import ends, groups
from caesura.text.charmatch.matching import Matching
from caesura.text.charmatch.units import Cutting, Units

END = " ¶ "
"""Stands for the end of a sentence inside a text."""


class Around(NamedTuple):
    """Tokens around a place: their text, which is the first, and the one beyond."""

    text: str
    span: tuple[int, int]


class Side:
    """One text: its tokens as they are written, where sentences end, and words by token."""

    def __init__(self, cut: Cutting, units: Units) -> None:
        self.tokens = [cut.tokens[at] for at in units.kept_tokens.tolist()]
        self.ends = set(units.sentences.tolist())
        # Punctuation that stands alone is told at the word before it.
        sources = np.maximum(np.maximum.accumulate(cut.source), 0)
        self.words: list[int] = sources[np.searchsorted(cut.owner, units.kept_tokens)].tolist()
        self.stops: list[int] = units.tokens.tolist()
        self.sentences = [0, *np.searchsorted(units.tokens, units.sentences, side="right").tolist()]

    def text(self, first: int, beyond: int) -> str:
        """Write tokens with blanks between them."""
        return " ".join(self.tokens[max(first, 0) : beyond])

    def sentence(self, number: int) -> tuple[int, int]:
        """First token of a sentence, and the one beyond."""
        return self.sentences[number], self.sentences[number + 1]

    def word(self, token: int) -> int:
        """Give the word of a token, or the last word if there is no such token."""
        return self.words[min(token, len(self.words) - 1)] if self.words else 0

    def at(self, place: int) -> Around:
        """Give the tokens on both sides of a place, or the one that has it inside."""
        token = bisect_left(self.stops, place)
        inside = token < len(self.stops) and self.stops[token] > place > 0
        if inside:
            return Around(self.tokens[token], (token, token + 1))
        beyond = bisect_right(self.stops, place)
        joint = END if place in self.ends else " "
        shown = f"{self.text(beyond - 1, beyond)}{joint}{self.text(beyond, beyond + 1)}"
        return Around(shown.strip(" "), (max(beyond - 1, 0), beyond + 1))


@dataclass(frozen=True)
class Differing:
    """The disagreements of two texts that were matched."""

    reference: Side
    hypothesis: Side
    matching: Matching
    against: int

    @classmethod
    def of(
        cls, reference: Cutting, hypothesis: Cutting, matching: Matching, against: int
    ) -> Differing:
        """Take two cuttings and their matching."""
        gold, system = Side(reference, matching.gold), Side(hypothesis, matching.system)
        return cls(gold, system, matching, against)

    def tokens(self) -> Iterator[Disagreement]:
        """Tell each group of tokens that are not right."""
        for group in groups(self.matching):
            texts = self.reference.text(*group.gold), self.hypothesis.text(*group.system)
            yield self._told("token", group.kind, texts, group.system)

    def sentences(self) -> Iterator[Disagreement]:
        """Tell ends of sentences that one text lacks, and sentences that share too little."""
        found = ends(self.matching)
        for kind, places in (("missed", found.missed), ("added", found.added)):
            for gold, system in places.tolist():
                left, right = self.reference.at(gold), self.hypothesis.at(system)
                yield self._told("sentence", kind, (left.text, right.text), right.span)
        for gold, system in found.changed.tolist():
            span = self.hypothesis.sentence(system)
            texts = self.reference.text(*self.reference.sentence(gold)), self.hypothesis.text(*span)
            yield self._told("sentence", "changed", texts, span)

    def _told(
        self, level: str, kind: str, texts: tuple[str, str], span: tuple[int, int]
    ) -> Disagreement:
        side, (first, beyond) = self.hypothesis, span
        return Disagreement(
            level,
            kind,
            *texts,
            side.text(first - CONTEXT, first),
            side.text(beyond, beyond + CONTEXT),
            side.word(first),
            self.against,
        )
