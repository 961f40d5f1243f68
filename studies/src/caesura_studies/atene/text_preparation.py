"""Text preparation: numbers spelt or not, classes that count, and what learners see.

`Preparation` chooses the form of numbers and alternatives; `View` chooses entity classes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np

from caesura.core.arrays import Strings
from caesura.core.transcript import Span, Transcript
from caesura.detectors.tagging.entity_model import CLASS_OF_ANY
from caesura.formats.sidecars import completed
from caesura.text.normalization.token_edits import replace_words
from caesura.text.phonetics import read_aloud

SIZES = frozenset("hundred thousand million billion trillion".split())
"""Words after which a currency is spoken that is written before a number."""

CURRENCIES = frozenset("dollar dollars bucks cents euro euros pound pounds".split())

_WRITTEN = re.compile(r"[\d%&$€£]")
_CURRENCY = re.compile(r"[$€£]\d")


def spell_numbers(call: Transcript) -> Transcript:
    """Spell out digits and signs: `$4.5 million` becomes *four point five million dollars*.

    The alternatives of such an amount are those of its number, with the size before the currency.
    """
    changes = list(_changes(call.words))
    sized = {
        span.first: call.words[span.last].lower() for span in changes if span.last > span.first
    }
    alternatives = call.alternatives and tuple(
        _with_size(span, sized) for span in call.alternatives
    )
    return replace_words(call.replace(alternatives=alternatives), changes)


def _changes(words: Strings) -> Iterator[Span]:
    done = -1
    for at, word in enumerate(words):
        if at <= done or not _WRITTEN.search(word):
            continue
        size = words[at + 1].lower() if at + 1 < len(words) else ""
        if size in SIZES and _CURRENCY.match(word):
            *number, currency = _spelt_words(word)
            done = at + 1
            yield Span(at, done, " ".join([*number, size, currency]))
        elif _spelt_words(word):
            yield Span(at, at, " ".join(_spelt_words(word)))


def _with_size(span: Span, sized: Mapping[int, str]) -> Span:
    """Put the size after the number: before the currency, which may be missing."""
    if span.first not in sized or span.last > span.first:
        return span
    words = span.label.split()
    at = len(words) - (words[-1] in CURRENCIES) if words else 0
    if not at or CURRENCIES & set(words[:at]):
        return span
    label = " ".join([*words[:at], sized[span.first], *words[at:]])
    return span._replace(last=span.last + 1, label=label)


@lru_cache(maxsize=1 << 14)
def _spelt_words(word: str) -> Strings:
    return tuple(read_aloud(word))


@dataclass(frozen=True)
class View:
    """A choice of entity classes; without a choice all count."""

    key: str
    title: str
    classes: Mapping[str, str] | None = None

    def spans(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Keep the entities that count, with the names of their classes here."""
        if self.classes is None:
            return tuple(spans)
        return tuple(
            span._replace(label=self.classes[span.label])
            for span in spans
            if span.label in self.classes
        )

    def of(self, text: Transcript) -> Transcript:
        """Return a text with the entities that count."""
        return text.replace(entities=self.spans(text.entities or ()))


def _same(classes: str) -> dict[str, str]:
    return {name: name for name in classes.split()}


ALL = View("all", "all classes")
NAMES = View("names", "names only", _same("PERSON ORG GPE LOC NORP PRODUCT EVENT OTHER"))
THREE = View(
    "three",
    "persons, places and organisations",
    {
        written: name
        for other, name in CLASS_OF_ANY.items()
        if name in ("PER", "LOC", "ORG")
        for written in (other, other.upper())
    },
)
VIEWS = (ALL, NAMES, THREE)


ALTERNATIVE_SHARE = 0.5
"""The share of places with alternatives at which a sampled alternative is shown."""


@dataclass(frozen=True)
class Preparation:
    """Whether numbers are spelt in all texts, and whether learners see sampled alternatives."""

    key: str
    title: str
    spelt: bool
    sampled: bool


SPELT = Preparation("spelt", "numbers spelt", spelt=True, sampled=False)
OTHER_PREPARATIONS = (
    Preparation("spelt-drawn", "numbers spelt, alternatives drawn", spelt=True, sampled=True),
    Preparation("written", "numbers as written", spelt=False, sampled=False),
    Preparation(
        "written-drawn", "numbers as written, alternatives drawn", spelt=False, sampled=True
    ),
)


def complete_numbers(call: Transcript) -> Transcript:
    """Restore the digits of numbers where an alternative has them: `2020` for `202`."""
    words = list(call.words)
    for first, last, label, _ in call.alternatives or ():
        if first == last and label in completed(call.words[first]):
            words[first] = label
    return call.replace(words=tuple(words))


def learner_view(call: Transcript, preparation: Preparation) -> Transcript:
    """Return a call as learners see it: as written, or with alternatives in half of the places.

    The sample is the same for all learners. What is said in several ways (*two thousand twenty*,
    *twenty twenty*) is written in one way by a recogniser that writes digits.
    """
    bare = call.replace(alternatives=None)
    return replace_words(bare, _sample_alternatives(call)) if preparation.sampled else bare


def _sample_alternatives(call: Transcript) -> list[Span]:
    """Sample places, and one of the alternatives of each."""
    rng = np.random.default_rng(zlib.crc32(call.id.encode()))
    changes: list[Span] = []
    last = -1
    for (first, stop), group in groupby(call.alternatives or (), key=lambda span: span[:2]):
        if first > last:
            last = stop
            preparations = list(group)
            if rng.random() < ALTERNATIVE_SHARE:
                changes.append(preparations[int(rng.integers(len(preparations)))])
    return changes
