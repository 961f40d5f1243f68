"""How words sound, as phones of one character each, and how far two strings of them are apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from caesura.errors import CaesuraError, UnknownName
from caesura.text import languages
from caesura.text.numerals import spelt
from caesura.text.sounds import sounded
from caesura.transcript import Floats

LETTERS, DICTIONARY = SOURCES = ("letters", "dictionary")
"""Where phones come from: rules from letters, or a dictionary and rules for what it lacks."""

CLASSES = str.maketrans(
    "pbtdθkgfvszʃʒmnŋlrwyjaeiouəøAIO",
    "pptttkkffssssmmmllwwjaaaaaaaaaa",
)
"""Phones that are close to each other, each class named by one of them."""

IPA = {
    "oʊ": "o", "eɪ": "e", "aɪ": "aj", "aʊ": "aw", "ɔɪ": "oj", "d͡ʒ": "dʒ", "t͡ʃ": "tʃ", "ɚ": "ər",
    "ɲ": "nj", "ɑ̃": "A", "ɔ̃": "O", "ɛ̃": "I", "œ̃": "I", "ɪ": "i", "ʊ": "u", "ʌ": "a", "æ": "a",
    "ɑ": "a", "ɛ": "e", "ɔ": "o", "œ": "ø", "ɹ": "r", "ʁ": "r", "ɡ": "g", "ɥ": "w", "ð": "θ",
}  # fmt: skip
"""Phones of the dictionaries in those of the rules; the rest is the same in both."""


def known_source(source: str) -> str:
    """Refuse a source of phones that there is not."""
    if source not in SOURCES:
        raise UnknownName(
            f"phones do not come from {source!r}", remedy=f"known are {', '.join(SOURCES)}"
        )
    return source


def coded(language: str) -> str:
    """Give the code of the language whose rules are used: English where there are no others."""
    return "fr" if languages.code(language) == "fr" else "en"


def phones(words: Iterable[str], language: str = "", source: str = LETTERS) -> list[str]:
    """Give the phones of each word, numbers as they are read aloud.

    Letters of scripts that have no rules are phones of their own; a word that is not read at
    all, such as a dash, has none.
    """
    code = coded(language)
    if known_source(source) == LETTERS:
        return [_by_letters(word, code) for word in words]
    return [_looked_up(word, code) for word in words]


@lru_cache(maxsize=1 << 16)
def _by_letters(word: str, code: str) -> str:
    return "".join(sounded(part, code) for part in spelt(word, code))


@lru_cache(maxsize=1 << 16)
def _looked_up(word: str, code: str) -> str:
    entries = _dictionary(code)
    found = ((part, entries.get(part.lower())) for part in spelt(word, code))
    return "".join(_rough(said) if said else sounded(part, code) for part, said in found)


def distances(ones: Sequence[str], others: Sequence[str]) -> Floats:
    """Say for each pair how far apart its phones are: 0 the same, 1 nothing shared.

    The fewest edits divided by the length of the longer string, half for phones and half for
    their classes, so that a close phone costs half as much as another.
    """
    longest = [max(len(one), len(other), 1) for one, other in zip(ones, others, strict=True)]
    edits = _edits(ones, others) + _edits(_classes(ones), _classes(others))
    return edits / (2 * np.array(longest, dtype=np.float64))


def _classes(phones: Sequence[str]) -> list[str]:
    return [each.translate(CLASSES) for each in phones]


def _edits(ones: Sequence[str], others: Sequence[str]) -> Floats:
    return cpdist(ones, others, scorer=Levenshtein.distance, dtype=np.float64)


@lru_cache(maxsize=2)
def _dictionary(code: str) -> Mapping[str, str]:
    """Read the words of a pronouncing dictionary, each with its first pronunciation."""
    import sqlite3

    name = f"gruut_lang_{code}"
    try:
        folder = import_module(name).get_lang_dir()
    except ImportError as error:
        raise CaesuraError(
            f"phones from a dictionary need {name}, which is not installed",
            remedy="pip install 'caesura[phones]', or take phones from letters",
        ) from error
    place = f"{(folder / 'lexicon.db').resolve().as_uri()}?mode=ro&immutable=1"
    asked = "SELECT word, phonemes FROM word_phonemes WHERE pron_order = 0"
    connection = sqlite3.connect(place, uri=True)
    try:
        rows = connection.execute(asked).fetchall()
    finally:
        connection.close()
    return dict(rows)


def _rough(said: str) -> str:
    """Give phones of the dictionary, which have blanks between, without stress."""
    parts = said.replace("ˈ", "").replace("ˌ", "").split()
    return "".join(IPA.get(part, part) for part in parts)
