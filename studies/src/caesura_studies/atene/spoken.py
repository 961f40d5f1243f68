"""Numbers as they are spoken, so that no text is told from others by how it writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from caesura.core.arrays import Strings
from caesura.core.transcript import Span, Transcript
from caesura.text.normalization.numerals import spelt
from caesura.text.normalization.token_edits import rewritten

SIZES = frozenset("hundred thousand million billion trillion".split())
"""Words that a currency written before a number is spoken after."""

CURRENCIES = frozenset("dollar dollars bucks cents euro euros pound pounds".split())

_WRITTEN = re.compile(r"[\d%&$€£]")
_CURRENCY = re.compile(r"[$€£]\d")


def spoken(call: Transcript) -> Transcript:
    """Spell what has digits or signs: `$4.5 million` is *four point five million dollars*.

    Such an amount is read as its number alone may be read, the size before the currency.
    """
    changes = list(_changes(call.words))
    sized = {
        span.first: call.words[span.last].lower() for span in changes if span.last > span.first
    }
    alternatives = call.alternatives and tuple(
        _with_size(span, sized) for span in call.alternatives
    )
    return rewritten(call.replace(alternatives=alternatives), changes)


def _changes(words: Strings) -> Iterator[Span]:
    done = -1
    for at, word in enumerate(words):
        if at <= done or not _WRITTEN.search(word):
            continue
        size = words[at + 1].lower() if at + 1 < len(words) else ""
        if size in SIZES and _CURRENCY.match(word):
            *number, currency = _said(word)
            done = at + 1
            yield Span(at, done, " ".join([*number, size, currency]))
        elif _said(word):
            yield Span(at, at, " ".join(_said(word)))


def _with_size(span: Span, sized: Mapping[int, str]) -> Span:
    """Put the size behind the number: before the currency, which may be left out."""
    if span.first not in sized or span.last > span.first:
        return span
    words = span.label.split()
    at = len(words) - (words[-1] in CURRENCIES) if words else 0
    if not at or CURRENCIES & set(words[:at]):
        return span
    label = " ".join([*words[:at], sized[span.first], *words[at:]])
    return span._replace(last=span.last + 1, label=label)


@lru_cache(maxsize=1 << 14)
def _said(word: str) -> Strings:
    return tuple(spelt(word))
