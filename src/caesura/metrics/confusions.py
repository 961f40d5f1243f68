"""Counts of which word stands where another was said, and the information lost between them.

Each pair of words is a count of its own, so that pairs add over documents. Nothing stands where
a word was deleted or inserted: the empty symbol, which is no word.
"""

from __future__ import annotations

from ast import literal_eval
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache
from math import fsum, log

from caesura.contracts import Counts, Undefined, Value
from caesura.text.normalize import composed

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
            found += count * (said != beside and composed(said) == composed(beside))
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
