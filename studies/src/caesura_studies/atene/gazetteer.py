"""A tagger that looks up names and has rules for numbers, dates and money."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from caesura.core.arrays import Strings
from caesura.core.transcript import Span, Transcript
from caesura.text.entity_projection import drop_overlaps
from caesura_studies.atene.tagger_features import NUMBERS
from caesura_studies.atene.taggers import Spans

LONGEST = 8
"""The longest name in words."""

MIN_ENTITY_SHARE = 0.5
"""Words are a name if they are an entity in at least this share of their occurrences."""

MONTHS = "january february march april may june july august september october november december"
DAYS = "monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow"
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
PERIODS = "year years quarter quarters month months week weeks day days half"
BEFORE = "this last next the current prior previous fiscal full same"
UNITS = "minute minutes hour hours morning afternoon evening"


def _one_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


NUMBER = rf"(?:[\d][\d.,]*|{_one_of(' '.join(sorted(NUMBERS - {'point', 'oh'})))})"
AMOUNT = rf"{NUMBER}(?: (?:{NUMBER}|point|oh|and(?= {NUMBER})))*"
RULES: tuple[tuple[str, str], ...] = (
    ("PERCENT", rf"(?:[\d][\d.,]*%|{AMOUNT} (?:%|per ?cent))"),
    ("MONEY", rf"(?:\$[\d][\d.,]*(?: {NUMBER})*|{AMOUNT} (?:dollars?|cents?|euros?))"),
    (
        "DATE",
        rf"(?:{_one_of(BEFORE)} )*(?:{_one_of(ORDINALS)} )?"
        rf"{_one_of(PERIODS)}(?: (?:of )?{AMOUNT})?",
    ),
    ("DATE", rf"{_one_of(MONTHS)}(?: {NUMBER}(?:st|nd|rd|th)?)*"),
    ("DATE", rf"(?:{_one_of(DAYS)}|q[1-4](?: {NUMBER})?|(?:19|20)\d\d)"),
    ("TIME", rf"(?:this |good )?{_one_of(UNITS)}"),
    ("ORDINAL", rf"(?:{_one_of(ORDINALS)}|\d+(?:st|nd|rd|th))"),
    ("CARDINAL", AMOUNT),
)
"""Classes and patterns of their entities."""

_RULES = [(label, re.compile(rf"(?<!\S){rule}(?!\S)")) for label, rule in RULES]


@dataclass(frozen=True)
class Gazetteer:
    """Looks up names that mostly are names in training, and applies rules for numbers.

    Of overlapping entities the longest is taken; a name has priority over a rule.
    """

    name = "gazetteer and rules"

    def train(self, texts: Sequence[Transcript]) -> TrainedGazetteer:
        """Keep the entities whose words mostly are an entity of their class."""
        classes: dict[Strings, Counter[str]] = {}
        for text in texts:
            for span in text.entities or ():
                words = text.words[span.first : span.last + 1]
                if len(words) <= LONGEST:
                    classes.setdefault(words, Counter())[span.label] += 1
        said = Counter(
            text.words[at:stop] for text in texts for at, stop in _matches(text.words, classes)
        )
        found = {}
        for words, counts in classes.items():
            label, times = min(counts.items(), key=lambda each: (-each[1], each[0]))
            if times >= MIN_ENTITY_SHARE * said[words]:
                found[words] = label
        labels = frozenset(span.label for text in texts for span in text.entities or ())
        return TrainedGazetteer(found, labels)


@dataclass(frozen=True)
class TrainedGazetteer:
    """The names and their classes, and all classes."""

    names: Mapping[Strings, str]
    labels: frozenset[str]

    def tag(self, texts: Sequence[Strings]) -> list[Spans]:
        """Look up all word sequences, and apply the rules."""
        rules = [(label, rule) for label, rule in _RULES if label in self.labels]
        return [
            drop_overlaps(_without_repeats(self._looked_up(words), _apply_rules(words, rules)))
            for words in texts
        ]

    def _looked_up(self, words: Strings) -> list[Span]:
        pairs = _matches(words, self.names)
        return [Span(at, stop - 1, self.names[words[at:stop]]) for at, stop in pairs]


def _matches(words: Strings, names: Mapping[Strings, object]) -> Iterator[tuple[int, int]]:
    """Return the word sequences that are among the names."""
    lengths: dict[str, set[int]] = {}
    for each in names:
        lengths.setdefault(each[0], set()).add(len(each))
    for at, word in enumerate(words):
        for length in lengths.get(word, ()):
            if words[at : at + length] in names:
                yield at, at + length


def _apply_rules(words: Strings, rules: Sequence[tuple[str, re.Pattern[str]]]) -> Iterator[Span]:
    """Match the rules against the text; a match begins and ends with a word."""
    text, place, number = " ".join(words), {}, 0
    for at, word in enumerate(words):
        place[number] = at
        number += len(word) + 1
    for label, rule in rules:
        for match in rule.finditer(text):
            first = place[match.start()]
            yield Span(first, first + match.group().count(" "), label)


def _without_repeats(names: Sequence[Span], ruled: Iterator[Span]) -> Iterator[Span]:
    """Drop matches of rules on words that are a name or match an earlier rule."""
    taken = {(span.first, span.last) for span in names}
    yield from names
    for span in ruled:
        if (span.first, span.last) not in taken:
            taken.add((span.first, span.last))
            yield span
